"""What an operator may set. The limits are there so that no client can make the server slow for others."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from spielwerk.database import url_of

LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True)
class Rate:
    """So many at once, and so many a second after that."""

    burst: float
    per_second: float


@dataclass(frozen=True, kw_only=True)
class Settings:
    """One server."""

    host: str = "127.0.0.1"
    port: int = 8765
    database: str = ""
    origins: tuple[str, ...] = ()
    trusted_proxies: str = ""
    levels_file: Path | None = None
    page_folder: Path = Path(__file__).parent / "page"

    # Agents
    agent_processes: int = field(default_factory=lambda: max(2, (os.cpu_count() or 2) - 1))
    agents_waiting: int = 500

    # Sockets
    sockets: int = 4000
    sockets_per_client: int = 100
    sockets_per_table: int = 300
    messages: Rate = Rate(burst=60, per_second=20)
    refusals_before_closing: int = 40
    unsent_messages: int = 256
    unsent_bytes: int = 2_000_000
    hello_seconds: float = 10
    retry_ms: int = 1500
    drain_seconds: float = 5

    # Requests
    requests: Rate = Rate(burst=200, per_second=50)
    openings: Rate = Rate(burst=30, per_second=0.5)
    hints: Rate = Rate(burst=10, per_second=1)
    clients_remembered: int = 10_000

    # Tables
    tables_in_memory: int = 2000

    @property
    def database_url(self) -> str:
        """As SQLAlchemy reads it."""
        return url_of(self.database or str(default_database()))

    @property
    def sqlite_file(self) -> Path | None:
        """The file of a SQLite database, None for others and in memory."""
        url = self.database_url
        path = url.removeprefix("sqlite:///")
        return None if path in (url, "", ":memory:") else Path(path)


def default_database() -> Path:
    """Where games are kept when nobody says otherwise."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "spielwerk" / "games.db"
