"""The first version: tables, their seats, their events."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "tables",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("game", sa.String(60), nullable=False),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("rules_version", sa.Integer, nullable=False),
        sa.Column("start", sa.Text),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("public", sa.Boolean, nullable=False),
        sa.Column("hotseat", sa.Boolean, nullable=False),
        sa.Column("uploaded", sa.Boolean, nullable=False),
        sa.Column("pace_ms", sa.Integer, nullable=False),
        sa.Column("origin_table", sa.String(32)),
        sa.Column("origin_ply", sa.Integer),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("result", sa.JSON),
    )
    op.create_index("tables_by_age", "tables", ["created_ms"])
    op.create_index("tables_in_lobby", "tables", ["public", "status", "created_ms"])
    op.create_table(
        "seats",
        sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("seat", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("name", sa.String(60)),
        sa.Column("level", sa.String(40)),
        sa.Column("holder", sa.SmallInteger),
        sa.Column("token_hash", sa.String(64)),
        sa.Column("invite_hash", sa.String(64)),
    )
    op.create_table(
        "events",
        sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("seat", sa.SmallInteger),
        sa.Column("data", sa.JSON, nullable=False),
        sqlite_with_rowid=False,
    )
