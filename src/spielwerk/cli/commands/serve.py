"""Serve the games: the page, the protocol, opponents of every level.

Only this machine can reach it unless --host says otherwise. Behind a proxy that ends TLS, name the page's address
with --origin (https://play.example.org) and the proxy's own with --trust-proxy, so that limits count the clients it
reports in X-Forwarded-For and not the proxy; the proxy has to pass Upgrade headers on.
For PostgreSQL, `pip install spielwerk[postgresql]` brings the driver and --database takes its URL.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from spielwerk.border import quoted

EXAMPLES = """
spielwerk serve
spielwerk serve --host 0.0.0.0 --port 8080 --no-open
spielwerk serve --database postgresql+psycopg://user@host/spielwerk
spielwerk serve --origin https://play.example.org --trust-proxy 127.0.0.1 --no-open
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="listen here (0.0.0.0: everywhere)")
    parser.add_argument("--port", type=_port, default=8765, metavar="N", help="8765 if not given; 0: any free one")
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
    parser.add_argument("--agents", type=_processes, metavar="N", help="processes in which agents think")
    parser.add_argument("--no-open", action="store_true", help="do not open the page in a browser")


def add_database(parser: argparse.ArgumentParser) -> None:
    """Adds --database."""
    parser.add_argument(
        "--database",
        default="",
        metavar="FILE|URL",
        help="a SQLite file or a database URL (otherwise games.db in your data folder)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serves until Ctrl-C or SIGTERM."""
    from spielwerk.server.run import listening_socket, serve
    from spielwerk.server.settings import Settings

    settings = Settings(
        host=arguments.host,
        port=arguments.port,
        database=arguments.database,
        origins=tuple(arguments.origin),
        trusted_proxies=arguments.trust_proxy,
        levels_file=arguments.levels,
    )
    if arguments.agents is not None:
        settings = replace(settings, agent_processes=arguments.agents)
    with listening_socket(settings) as listener:
        address = _address(arguments.host, listener.getsockname()[1])
        serve(settings, listener, lambda: _tell_started(address, open_page=not arguments.no_open))
    return 0


def _tell_started(address: str, *, open_page: bool) -> None:
    print(f"spielwerk is at {address} (Ctrl-C ends it)", flush=True)
    if open_page:
        _open_page(address)


def _port(text: str) -> int:
    if text.isdecimal() and int(text) < 65536:
        return int(text)
    raise argparse.ArgumentTypeError(f"must be a port from 0 to 65535, not '{quoted(text, 40)}'")


def _processes(text: str) -> int:
    if text.isdecimal() and 1 <= int(text) <= 256:
        return int(text)
    raise argparse.ArgumentTypeError(f"must be from 1 to 256 processes, not '{quoted(text, 40)}'")


def _address(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/"


def _open_page(address: str) -> None:
    """In a thread: some browsers take their time to answer."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
