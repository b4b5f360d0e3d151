"""Each table has a secret of its own for its dice; games in progress get one now, for the dice still to fall."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("tables", sa.Column("dice_key", sa.String(64)))
    tables = sa.table("tables", sa.column("id"), sa.column("status"), sa.column("dice_key"))
    connection = op.get_bind()
    running = connection.execute(sa.select(tables.c.id).where(tables.c.status != "over")).scalars().all()
    for table_id in running:
        connection.execute(sa.update(tables).where(tables.c.id == table_id).values(dice_key=secrets.token_hex(32)))
