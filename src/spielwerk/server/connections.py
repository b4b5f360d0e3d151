"""Connections before they say anything: how many, from whom, and how long a request may take to arrive.

Uvicorn waits for ever for the head of a request and takes any number of connections from one address; with these
two, one client needs nothing but patience to keep all others out.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

import h11
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

from spielwerk.server.compression import SocketProtocol
from spielwerk.server.settings import Settings

_FILES_FOR_OTHERS = 100  # database, thinking processes, logs
_MOST_FILES = 65_536

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def network_of(host: str) -> str:
    """Whom limits are counted for: the address, with IPv6 the network a single customer usually has."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    if address.version == 6 and not address.is_loopback:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return host


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and networks by their texts; ValueError names the one that is neither."""
    found = []
    for text in texts:
        try:
            found.append(ipaddress.ip_network(text.strip(), strict=False))
        except ValueError:
            raise ValueError(f"'{text[:60]}' is neither an address nor a network like 192.0.2.0/24") from None
    return tuple(found)


def is_in(host: str, known: Iterable[Network]) -> bool:
    """Whether an address belongs to one of these."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return any(address.version == network.version and address in network for network in known)


def raise_file_limit() -> None:
    """Every connection is an open file, and the usual soft limit is far below what the system allows."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
        if wanted > soft:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def file_limit() -> int:
    """How many files this process may have open."""
    try:
        import resource
    except ImportError:  # not on this system
        return _MOST_FILES
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST_FILES if soft == resource.RLIM_INFINITY else soft


class Connections:
    """Counts open connections, by client and in all. A trusted proxy is not a client: it limits its own."""

    def __init__(self, settings: Settings, files: int) -> None:
        self._most = min(settings.connections, max(16, files - _FILES_FOR_OTHERS))
        self._most_per_client = settings.connections_per_client
        self._denied = networks(settings.denied)
        trusted = settings.trusted_proxies
        self._trusts_all = trusted.strip() == "*"
        self._trusted = () if self._trusts_all else networks(filter(None, trusted.split(",")))
        self._by_client: Counter[str] = Counter()
        self.open = 0
        self.refused = 0

    def denies(self, host: str) -> bool:
        """Whether the operator wants nothing to do with this address."""
        return bool(self._denied) and is_in(host, self._denied)

    def admit(self, host: str) -> Callable[[], None] | None:
        """Counts a connection and returns what ends the counting; None where there are too many."""
        client = network_of(host)
        limited = not self._trusts_all and not is_in(host, self._trusted)
        full = self.open >= self._most or (limited and self._by_client[client] >= self._most_per_client)
        if full or self.denies(host):
            self.refused += 1
            return None
        self.open += 1
        self._by_client[client] += 1
        released = False

        def release() -> None:
            nonlocal released
            if not released:
                released = True
                self._release(client)

        return release

    def _release(self, client: str) -> None:
        self.open -= 1
        self._by_client[client] -= 1
        if self._by_client[client] <= 0:
            del self._by_client[client]


class HasConnections(Protocol):
    """What the protocol below needs of the application that uvicorn serves."""

    settings: Settings
    connections: Connections


class Doorkeeper(asyncio.Protocol):
    """Takes a connection on or ends it at once, before anything that costs more is made for it."""

    def __init__(self, config: Config, **named: Any) -> None:
        self._app: HasConnections = config.app  # type: ignore[assignment]
        self._made = partial(HttpProtocol, config=config, **named)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        peer = transport.get_extra_info("peername")
        release = self._app.connections.admit(str(peer[0]) if peer else "unknown")
        if release is None:
            transport.abort()
            return
        http = self._made(settings=self._app.settings, release=release)
        transport.set_protocol(http)
        http.connection_made(transport)


class HttpProtocol(H11Protocol):
    """Uvicorn's own, with deadlines for what a client sends and reads."""

    def __init__(self, *, settings: Settings, release: Callable[[], None], **named: Any) -> None:
        super().__init__(**named)
        self._settings = settings
        self._release = release
        self._deadline: asyncio.TimerHandle | None = None
        self._reading_deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadlines()
        self._release()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._deadline is None and self.conn.their_state is h11.IDLE:
            self._await_request()
        super().data_received(data)

    def handle_events(self) -> None:
        super().handle_events()
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._cancel(self._deadline)
            self._deadline = None

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._cancel_deadlines()
        super().handle_websocket_upgrade(event)
        upgraded = self.transport.get_protocol()
        if isinstance(upgraded, SocketProtocol):
            upgraded.release = self._release

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading_deadline = self.loop.call_later(self._settings.reading_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._cancel(self._reading_deadline)

    def _await_request(self) -> None:
        self._deadline = self.loop.call_later(self._settings.head_seconds, self._head_is_late)

    def _head_is_late(self) -> None:
        """A head that is not there by now ends the connection; a body gets its own time."""
        if self.conn.their_state is h11.SEND_BODY:
            self._deadline = self.loop.call_later(self._settings.body_seconds, self.transport.abort)
        else:
            self.transport.abort()

    def _cancel_deadlines(self) -> None:
        self._cancel(self._deadline)
        self._cancel(self._reading_deadline)

    @staticmethod
    def _cancel(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()
