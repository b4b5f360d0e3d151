"""The server as a program."""

from __future__ import annotations

import gc
import logging
import socket
import sys
from collections.abc import Callable

import uvicorn

from spielwerk.server.app import App
from spielwerk.server.compression import SocketProtocol
from spielwerk.server.connections import Doorkeeper, raise_file_limit
from spielwerk.server.operator_log import set_up_logging
from spielwerk.server.settings import LOOPBACK_HOSTS, Settings

_LOG = logging.getLogger("spielwerk.server")
_MOST_INCOMING = 65_536  # above that a socket is closed without an answer
_WAITING_CONNECTIONS = 1024
_ACCEPTED_AT_ONCE = 16  # asyncio accepts so many before it looks after those that are there
_SEND_BUFFER = 262_144  # the system would let it grow to megabytes for a client that does not read


class Server(uvicorn.Server):
    """Drains before it closes: clients hear of it, moves on their way are stored and acknowledged."""

    def __init__(self, app: App, started: Callable[[], None] | None = None) -> None:
        self._app = app
        self._tell_started = started
        super().__init__(_config(app))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Says when connections are welcome."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_WAITING_CONNECTIONS)
        if self.started and self._tell_started is not None:
            self._tell_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._app.drain()
        await super().shutdown(sockets)


def serve(settings: Settings, listener: socket.socket, started: Callable[[], None] | None = None) -> None:
    """Runs until SIGINT or SIGTERM."""
    set_up_logging(settings)
    raise_file_limit()
    if _is_bare(settings):
        _LOG.warning("listening on %s without TLS: tokens can be read on the way; put a proxy in front", settings.host)
    _pause_briefly()
    try:
        Server(App(settings), started).run(sockets=[listener])
    finally:
        gc.unfreeze()


def _is_bare(settings: Settings) -> bool:
    """Whether others can connect, and no proxy is known to end TLS."""
    return settings.host not in LOOPBACK_HOSTS and not settings.trusted_proxies


def _pause_briefly() -> None:
    """Nobody should wait for housekeeping.

    A full collection of garbage looks at every table and takes a tenth of a second with a thousand of them: it is
    rare, and those in between look at few objects each. The thread that stores moves gives way and comes back once
    for every row; at the usual 5 ms a busy loop would let a group of rows wait longer than the disk does.
    """
    gc.freeze()
    gc.set_threshold(5_000, 4, 200)
    sys.setswitchinterval(0.0005)


def listening_socket(settings: Settings) -> socket.socket:
    """Bound before anything else starts, so that a port in use is one clear line."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Named here, because asyncio turns Nagle's delay off only for sockets that say they are TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise ValueError(f"cannot listen on {settings.host} port {settings.port}: {error.strerror}") from None
    listener.listen(_WAITING_CONNECTIONS)
    listener.set_inheritable(False)
    return listener


def _config(app: App) -> uvicorn.Config:
    settings = app.settings
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        http=Doorkeeper,
        backlog=_ACCEPTED_AT_ONCE,
        ws=SocketProtocol,
        ws_max_size=_MOST_INCOMING,
        ws_ping_interval=20,
        ws_ping_timeout=20,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies or None,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=int(settings.drain_seconds) + 1,
        server_header=False,
        lifespan="on",
    )
