"""What an operator may set. The limits are there so that no client can make the server slow for others."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True)
class Rate:
    """So many at once, and so many a second after that."""

    burst: float
    per_second: float

    def __str__(self) -> str:
        """As the command line reads it."""
        return "+".join(f"{int(part)}" if part == int(part) else f"{part:g}" for part in (self.burst, self.per_second))


def limit(default: Any, help: str) -> Any:
    """A limit that the operator may set on the command line."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, kw_only=True)
class Settings:
    host: str = "127.0.0.1"
    port: int = 8765
    database: str = ""
    origins: tuple[str, ...] = ()
    trusted_proxies: str = ""
    levels_file: Path | None = None
    models_folder: Path | None = None
    runs_folder: Path | None = None
    arena_store: str | None = None
    balance_report: Path | None = None
    allow_engines: bool = False
    page_folder: Path = Path(__file__).parent / "page"

    denied: tuple[str, ...] = ()  # addresses and networks
    metrics_for: tuple[str, ...] = ()  # addresses and networks besides this machine
    tournaments_for: tuple[str, ...] = ()  # likewise
    log_file: Path | None = None

    # Agents
    agent_processes: int = field(default_factory=lambda: max(3, (os.cpu_count() or 2) - 1))
    agents_waiting: int = limit(500, "agents that may wait for a process to think in")
    agents_waiting_per_client: int = limit(60, "of these for one client")
    browser_seconds: float = limit(
        6.0, "seconds a browser may take for an opponent's move beyond the search's own; 0: only the server thinks"
    )

    # Connections
    connections: int = limit(4500, "open connections")
    connections_per_client: int = limit(250, "open connections of one client; a trusted proxy is none")
    head_seconds: float = limit(10.0, "seconds a client has to send the head of a request")
    body_seconds: float = limit(30.0, "seconds it then has for the body")
    reading_seconds: float = limit(30.0, "seconds a client may leave an answer unread")

    # Sockets
    sockets: int = limit(4000, "open WebSockets")
    sockets_per_client: int = limit(100, "open WebSockets of one client")
    sockets_per_table: int = limit(300, "open WebSockets at one table")
    messages: Rate = limit(Rate(60, 20), "messages on one WebSocket")
    messages_per_client: Rate = limit(Rate(200, 40), "messages on all WebSockets of one client")
    refusals_before_closing: int = 40
    unsent_messages: int = 256
    unsent_bytes: int = limit(1_000_000, "bytes a slow WebSocket may be behind before it is closed")
    hello_seconds: float = 10
    retry_ms: int = 1500
    drain_seconds: float = 5

    # Requests
    requests: Rate = limit(
        Rate(200, 50),
        "work for one client: a small request is 1, a hundred plies played through are 1, 4 kB of answer are 1",
    )
    refusal_seconds: float = limit(1.0, "seconds after which a client beyond its limits is answered")
    openings: Rate = limit(Rate(30, 0.5), "tables opened, seats taken and records uploaded by one client")
    hints: Rate = limit(Rate(10, 1), "hints for one client")
    thinking: Rate = limit(Rate(180, 0.5), "seconds of analysis for one client")
    pictures: Rate = limit(Rate(40, 1), "pictures painted for one client; a moving one counts as ten")
    tournaments: Rate = limit(Rate(5, 0.005), "tournaments started by one client (0.005 a second: 18 an hour)")
    tournament_games: int = limit(120, "games of a tournament that a visitor starts")
    tournament_seconds: float = limit(300.0, "seconds after which it is ended")
    clients_remembered: int = 10_000

    # Tables
    tables_in_memory: int = limit(2000, "tables in memory; the others are read when someone comes")
    table_bytes_in_memory: int = limit(256_000_000, "bytes of memory for tables")
    events_per_table: int = limit(20_000, "events of a table before nothing can be taken back any more")

    # Storage
    storage_bytes: int = limit(10_000_000_000, "size of the database above which no new tables are taken; 0: any")
    stored_bytes_per_client: Rate = limit(
        Rate(20_000_000, 600), "bytes stored for one client (600 a second: 50 MB a day)"
    )
    unplayed_days: float = limit(7.0, "days after which a table nobody played at is deleted; 0: never")
    abandoned_days: float = limit(180.0, "days after which a game nobody went on with is deleted; 0: never")
    finished_days: float = limit(0.0, "days after which a finished game is deleted; 0: never")
    log_bytes: int = limit(10_000_000, "bytes of the log file and the older ones beside it")
    housekeeping_seconds: float = 60

    @property
    def database_url(self) -> str:
        """As SQLAlchemy reads it."""
        from spielwerk.database import url_of

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
