"""Tables know the token that deletes them; earlier ones have none and are left to the operator."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Adds the hash of that token."""
    op.add_column("tables", sa.Column("owner_hash", sa.String(64)))
