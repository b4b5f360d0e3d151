"""Who may ask how often (token buckets), how much and from where (against DNS rebinding), and what browsers may do."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spielwerk.server.connections import Connections, network_of
from spielwerk.server.protocol import (
    MAX_BODY_BYTES,
    MAX_RECORD_BYTES,
    ErrorAnswer,
    ErrorBody,
    ErrorCode,
    Refused,
)
from spielwerk.server.settings import LOOPBACK_HOSTS, Rate, Settings

PLIES_PER_UNIT = 100
BYTES_PER_UNIT = 4000  # of an answer, compressed
EVENT_BYTES = 200  # a row with its index entry, on average less

STATUS_OF: dict[ErrorCode, int] = {
    "malformed": 400,
    "illegal": 400,
    "unknown": 400,
    "forbidden": 403,
    "not_yours": 403,
    "not_found": 404,
    "stale": 409,
    "not_now": 409,
    "too_large": 413,
    "too_many": 429,
    "internal": 500,
    "closing": 503,
}

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Bucket:
    """A token bucket: refills at a steady rate; whoever finds it empty has to wait.

    What something costs is often known only when it is done. It may then be charged beyond what is left, and the
    client waits until the debt is paid off.
    """

    def __init__(self, rate: Rate, now: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._now = now
        self._level = rate.burst
        self._since = now()

    def take(self, cost: float = 1.0) -> bool:
        """So much, if that is within the rate."""
        self._refill()
        if self._level < min(cost, self._rate.burst):
            return False
        self._level -= cost
        return True

    def charge(self, cost: float) -> None:
        """So much in any case; debts are bounded, so that nobody is shut out for ever."""
        self._refill()
        self._level = max(-self._rate.burst, self._level - cost)

    @property
    def empty(self) -> bool:
        """Whether there are debts to pay off."""
        self._refill()
        return self._level <= 0

    def _refill(self) -> None:
        now = self._now()
        self._level = min(self._rate.burst, self._level + (now - self._since) * self._rate.per_second)
        self._since = now


class Buckets:
    """A bucket per client; those not seen for longest are forgotten, so that memory stays bounded."""

    def __init__(self, rate: Rate, remembered: int) -> None:
        self._rate = rate
        self._remembered = remembered
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, client: str, cost: float = 1.0) -> bool:
        """So much for this client, if that is within the rate."""
        return self[client].take(cost)

    def charge(self, client: str, cost: float) -> None:
        """So much for this client in any case."""
        self[client].charge(cost)

    def __getitem__(self, client: str) -> Bucket:
        bucket = self._buckets.get(client)
        if bucket is None:
            bucket = self._buckets[client] = Bucket(self._rate)
            if len(self._buckets) > self._remembered:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(client)
        return bucket


def client_of(scope: Scope) -> str:
    """Whom limits are counted for."""
    return network_of(str((scope.get("client") or ("unknown", 0))[0]))


class Budgets:
    """What each client may use, in the measures that cost the server something.

    `work` counts units of the event loop's time: a small request is one, and so are a hundred plies that are played
    through or a few kilobytes that are painted, written and compressed. `stored` counts bytes on the disk.
    """

    def __init__(self, settings: Settings) -> None:
        def buckets(rate: Rate) -> Buckets:
            return Buckets(rate, settings.clients_remembered)

        self.work = buckets(settings.requests)
        self.openings = buckets(settings.openings)
        self.hints = buckets(settings.hints)
        self.thinking = buckets(settings.thinking)
        self.pictures = buckets(settings.pictures)
        self.tournaments = buckets(settings.tournaments)
        self.messages = buckets(settings.messages_per_client)
        self.stored = buckets(settings.stored_bytes_per_client)
        self.refused = 0
        self._pause = settings.refusal_seconds

    async def keep_waiting(self) -> None:
        """Whoever is beyond the limits waits for being told so: refusing, too, costs time that others need."""
        await asyncio.sleep(self._pause)

    def take_work(self, client: str) -> bool:
        """One more request, if that is within the client's limits."""
        taken = self.work.take(client)
        self.refused += not taken
        return taken

    def check_opening(self, client: str) -> None:
        if not self.openings.take(client):
            self._refuse("too many new tables; wait a little")
        if self.stored[client].empty:
            self._refuse("too much was stored from your address; wait some hours or delete tables")

    def check_hint(self, client: str) -> None:
        if not self.hints.take(client):
            self._refuse("too many hints; wait a little")

    def check_thinking(self, client: str) -> None:
        """Whether there are seconds left to think for this client."""
        if self.thinking[client].empty:
            self._refuse("too much analysis; wait a little")

    def check_picture(self, client: str, cost: float = 1.0) -> None:
        """One more picture to paint."""
        if not self.pictures.take(client, cost):
            self._refuse("too many pictures; wait a little")

    def check_tournament(self, client: str) -> None:
        """One more tournament."""
        if not self.tournaments.take(client):
            self._refuse("too many tournaments; wait a little")

    def check_storing(self, client: str) -> None:
        """One more event of a table."""
        if not self.stored.take(client, EVENT_BYTES):
            self._refuse("too much was stored from your address; wait some hours")

    def charge_plies(self, client: str, plies: int) -> None:
        """So many plies were or will be played through."""
        self.work.charge(client, plies / PLIES_PER_UNIT)

    def _refuse(self, message: str) -> None:
        self.refused += 1
        raise Refused("too_many", message)


class Origins:
    """Which pages may talk to the server.

    Browsers say where a page came from; programs say nothing and are let in. Without a list of the operator's
    own a page must come from the very server, and its host must be localhost or an IP address: anyone can make a
    name of theirs point here (DNS rebinding).
    """

    def __init__(self, settings: Settings) -> None:
        self._listed = {origin.rstrip("/").lower() for origin in settings.origins}

    def allow(self, headers: Headers) -> bool:
        """Whether a request with these headers is welcome."""
        origin = headers.get("origin")
        if origin is None:
            return True
        origin = origin.rstrip("/").lower()
        if origin in self._listed:
            return True
        try:
            parts = urlsplit(origin)
            host = parts.hostname or ""
        except ValueError:
            return False
        return parts.netloc == headers.get("host", "").lower() and _cannot_be_rebound(host)


def _cannot_be_rebound(host: str) -> bool:
    if host in LOOPBACK_HOSTS:
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def error_response(code: ErrorCode, message: str, reason_code: str | None = None) -> JSONResponse:
    """An error as every door tells it."""
    words = Refused(code, message).words
    body = ErrorAnswer(error=ErrorBody(code=code, message=words, reason_code=reason_code))
    return JSONResponse(body.model_dump(exclude_none=True), STATUS_OF[code])


class Gate:
    """Stands before everything: origin, rate, size; adds the security headers to answers."""

    def __init__(self, app: ASGIApp, budgets: Budgets, connections: Connections, origins: Origins) -> None:
        self._app = app
        self._origins = origins
        self._budgets = budgets
        self._connections = connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request pass or answers it."""
        if scope["type"] == "websocket" and self._is_beyond_limits(scope):
            await self._budgets.keep_waiting()
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        counted = scope["path"].startswith("/api/")

        async def send_with_headers(message: Message) -> None:
            if counted and message["type"] == "http.response.body":
                self._budgets.work.charge(client_of(scope), len(message.get("body", b"")) / BYTES_PER_UNIT)
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            if refusal.status_code == STATUS_OF["too_many"]:
                await self._budgets.keep_waiting()
            await refusal(scope, receive, send_with_headers)
            return
        await self._pass_body(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        if self._is_denied(scope):
            return error_response("forbidden", "this address is not welcome here")
        if scope["method"] not in ("GET", "HEAD") and not self._origins.allow(headers):
            return error_response("forbidden", "pages from elsewhere may not write here")
        if not self._budgets.take_work(client_of(scope)):
            return error_response("too_many", "too many requests; slow down")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > _most_bytes(scope):
            return error_response("too_large", _too_large_text(scope))
        return None

    def _is_denied(self, scope: Scope) -> bool:
        """Behind a proxy the address is known only now."""
        return self._connections.denies(str((scope.get("client") or ("",))[0]))

    def _is_beyond_limits(self, scope: Scope) -> bool:
        return self._is_denied(scope) or not self._budgets.take_work(client_of(scope))

    async def _pass_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Bodies sent without their length are counted as they come."""
        received = 0

        async def counted_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > _most_bytes(scope):
                raise HTTPException(413, _too_large_text(scope))
            return message

        await self._app(scope, counted_receive, send)


def _most_bytes(scope: Scope) -> int:
    return MAX_RECORD_BYTES if scope["path"] in ("/api/records", "/api/records/check") else MAX_BODY_BYTES


def _too_large_text(scope: Scope) -> str:
    return f"a body here has at most {_most_bytes(scope)} bytes"
