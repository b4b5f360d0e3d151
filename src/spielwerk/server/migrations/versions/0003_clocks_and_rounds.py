"""Tables have clocks and may be rounds of a match; the server leaves a sign of life while clocks run."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Adds what was agreed, and the one row of that sign."""
    op.add_column("tables", sa.Column("clock", sa.String(32)))
    op.add_column("tables", sa.Column("rounds", sa.JSON))
    heartbeat = op.create_table(
        "heartbeat",
        sa.Column("id", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("alive_ms", sa.BigInteger, nullable=False),
    )
    op.bulk_insert(heartbeat, [{"id": 1, "alive_ms": 0}])
