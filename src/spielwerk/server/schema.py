"""The tables of the database. Every change here needs a migration in `migrations/versions`."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)

metadata = MetaData()

tables = Table(
    "tables",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("game", String(60), nullable=False),
    Column("rules", JSON, nullable=False),
    Column("rules_version", Integer, nullable=False),
    Column("start", Text),
    Column("seed", BigInteger, nullable=False),
    Column("dice_key", String(64)),
    Column("public", Boolean, nullable=False),
    Column("hotseat", Boolean, nullable=False),
    Column("uploaded", Boolean, nullable=False),
    Column("pace_ms", Integer, nullable=False),
    Column("origin_table", String(32)),
    Column("origin_ply", Integer),
    Column("owner_hash", String(64)),
    Column("clock", String(32)),
    Column("rounds", JSON(none_as_null=True)),
    # What the events tell, kept here so that the lobby need not read them.
    Column("status", String(16), nullable=False),
    Column("result", JSON(none_as_null=True)),
    Index("tables_by_age", "created_ms"),
    Index("tables_in_lobby", "public", "status", "created_ms"),
)

seats = Table(
    "seats",
    metadata,
    Column("table_id", String(32), ForeignKey("tables.id"), primary_key=True),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("name", String(60)),
    Column("level", String(40)),
    Column("holder", SmallInteger),
    Column("token_hash", String(64)),
    Column("invite_hash", String(64)),
)

events = Table(
    "events",
    metadata,
    Column("table_id", String(32), ForeignKey("tables.id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("seat", SmallInteger),
    Column("data", JSON, nullable=False),
    sqlite_with_rowid=False,
)

# One row: when the server last said that it lives, while clocks run.
heartbeat = Table(
    "heartbeat",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("alive_ms", BigInteger, nullable=False),
)
