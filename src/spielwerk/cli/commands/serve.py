"""Serve the games: the page, the protocol, opponents of every level.

Only this machine can reach it unless --host says otherwise. Behind a proxy that ends TLS, name the page's address
with --origin (https://play.example.org) and the proxy's own with --trust-proxy, so that limits count the clients it
reports in X-Forwarded-For and not the proxy; the proxy has to pass Upgrade headers on.
For PostgreSQL, `pip install spielwerk[postgresql]` brings the driver and --database takes its URL.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielwerk.border import quoted
from spielwerk.server.settings import LOOPBACK_HOSTS, Rate, Settings

if TYPE_CHECKING:
    import socket

EXAMPLES = """
spielwerk serve
spielwerk serve --models runs
spielwerk serve --runs runs --arena classic.db --balance balance.json
spielwerk serve --host 0.0.0.0 --port 8080 --no-open
spielwerk serve --database postgresql+psycopg://user@host/spielwerk
spielwerk serve --origin https://play.example.org --trust-proxy 127.0.0.1 --no-open
"""

PORT = 8765


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="listen here (0.0.0.0: everywhere)")
    parser.add_argument(
        "--port", type=_port, metavar="N", help=f"{PORT}, or a free one if that is taken; 0: any free one"
    )
    add_database(parser)
    parser.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="URL",
        help="a page at this address may use the server, too; as often as needed",
    )
    parser.add_argument("--trust-proxy", default="", metavar="ADDRESSES", help="believe the proxy headers of these")
    parser.add_argument("--levels", type=Path, metavar="FILE", help="a list of opponents of your own, as JSON")
    parser.add_argument(
        "--models",
        type=Path,
        metavar="DIR",
        help="a run of 'spielwerk train', or a folder of runs: each is an opponent",
    )
    parser.add_argument(
        "--runs", type=Path, metavar="DIR", help="show this folder of runs at /training, their networks as opponents"
    )
    parser.add_argument("--arena", metavar="FILE|URL", help="show this store of 'spielwerk arena' at /arena")
    parser.add_argument(
        "--balance",
        type=Path,
        metavar="FILE|DIR",
        help="show this report of 'spielwerk balance --json', or all in a folder, at /balance",
    )
    parser.add_argument("--allow-engines", action="store_true", help="start the programs that this list names")
    parser.add_argument("--agents", type=_processes, metavar="N", help="processes in which agents think")
    parser.add_argument("--no-open", action="store_true", help="do not open the page in a browser")
    parser.add_argument(
        "--deny", action="append", default=[], metavar="ADDRESS", help="refuse this address or network; often if needed"
    )
    parser.add_argument(
        "--metrics-for",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="this address or network may read /metrics, as this machine may",
    )
    parser.add_argument(
        "--tournaments-for",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="this address or network may start small tournaments at /arena, as this machine may",
    )
    parser.add_argument("--log", type=Path, metavar="FILE", help="write the log here instead of to standard error")
    _add_limits(parser)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    """An option per limit; a rate is written BURST+PER_SECOND, so many at once and so many a second."""
    group = parser.add_argument_group("limits (a rate like 60+20: 60 at once, then 20 a second)")
    for entry in fields(Settings):
        if "help" in entry.metadata:
            group.add_argument(
                f"--{entry.name.replace('_', '-')}",
                type=_READERS[type(entry.default)],
                metavar="RATE" if isinstance(entry.default, Rate) else "N",
                help=f"{entry.metadata['help']} ({str(entry.default).removesuffix('.0')})",
            )


def _limits(arguments: argparse.Namespace) -> dict[str, Any]:
    given = {entry.name: getattr(arguments, entry.name) for entry in fields(Settings) if "help" in entry.metadata}
    return {name: value for name, value in given.items() if value is not None}


def add_database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--database",
        default="",
        metavar="FILE|URL",
        help="a SQLite file or a database URL (otherwise games.db in your data folder)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serves until Ctrl-C or SIGTERM."""
    from spielwerk.server.run import serve

    settings = Settings(
        host=arguments.host,
        port=PORT if arguments.port is None else arguments.port,
        database=arguments.database,
        origins=tuple(arguments.origin),
        trusted_proxies=arguments.trust_proxy,
        levels_file=arguments.levels,
        models_folder=arguments.models,
        runs_folder=arguments.runs,
        arena_store=arguments.arena,
        balance_report=arguments.balance,
        allow_engines=arguments.allow_engines,
        denied=tuple(arguments.deny),
        metrics_for=tuple(arguments.metrics_for),
        tournaments_for=tuple(arguments.tournaments_for),
        log_file=arguments.log,
        **_limits(arguments),
    )
    if arguments.agents is not None:
        settings = replace(settings, agent_processes=arguments.agents)
    with _listener(settings, may_move=arguments.port is None) as listener:
        settings = replace(settings, port=listener.getsockname()[1])
        serve(settings, listener, lambda: _tell_started(settings, open_page=not arguments.no_open))
    return 0


def _listener(settings: Settings, *, may_move: bool) -> socket.socket:
    """At the usual port, or at a free one where something else is there and nobody asked for that very port."""
    from spielwerk.server.run import listening_socket

    try:
        return listening_socket(settings)
    except ValueError:
        if not may_move:
            raise
        return listening_socket(replace(settings, port=0))


def _tell_started(settings: Settings, *, open_page: bool) -> None:
    from spielwerk.server.addresses import addresses_for_others

    address = address_here(settings.host, settings.port)
    print(f"spielwerk is at {address} (Ctrl-C ends it)", flush=True)
    for other in addresses_for_others(settings):
        print(f"others in your network reach it at {other}", flush=True)
    if settings.host in LOOPBACK_HOSTS and sys.stdout.isatty():
        print("only this machine reaches it; --host 0.0.0.0 lets others in your network play, too", flush=True)
    if open_page:
        show_page(address)


def _port(text: str) -> int:
    if text.isdecimal() and int(text) < 65536:
        return int(text)
    raise argparse.ArgumentTypeError(f"must be a port from 0 to 65535, not '{quoted(text, 40)}'")


def _count(text: str) -> int:
    if text.isdecimal() and int(text) < 2**53:
        return int(text)
    raise argparse.ArgumentTypeError(f"must be a whole number from 0, not '{text[:40]}'")


def _amount(text: str) -> float:
    with suppress(ValueError):
        if 0 <= (number := float(text)) < 2**53:
            return number
    raise argparse.ArgumentTypeError(f"must be a number from 0, not '{text[:40]}'")


def _rate(text: str) -> Rate:
    burst, plus, per_second = text.partition("+")
    if not plus:
        raise argparse.ArgumentTypeError(f"must be a rate like 60+20, so many at once and a second, not '{text[:40]}'")
    return Rate(_amount(burst), _amount(per_second))


_READERS: dict[type, Callable[[str], Any]] = {int: _count, float: _amount, Rate: _rate}


def _processes(text: str) -> int:
    if text.isdecimal() and 1 <= int(text) <= 256:
        return int(text)
    raise argparse.ArgumentTypeError(f"must be from 1 to 256 processes, not '{quoted(text, 40)}'")


def address_here(host: str, port: int) -> str:
    """The page's URL on this machine."""
    from spielwerk.server.addresses import address_of

    return address_of({"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port)


def show_page(address: str, *, wait: bool = False) -> None:
    """In a thread: some browsers take their time to answer."""
    import threading
    import webbrowser

    thread = threading.Thread(target=webbrowser.open, args=(address,), daemon=True)
    thread.start()
    if wait:
        thread.join(timeout=10)
