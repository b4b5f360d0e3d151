"""Who may ask how often (token buckets), how much and from where (against DNS rebinding), and what browsers may do."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spielwerk.border import quoted
from spielwerk.server.protocol import MAX_BODY_BYTES, MAX_MESSAGE, MAX_RECORD_BYTES, ErrorAnswer, ErrorBody, ErrorCode
from spielwerk.server.settings import LOOPBACK_HOSTS, Rate, Settings

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
    """A token bucket: refills at a steady rate; whoever finds it empty has to wait."""

    def __init__(self, rate: Rate, now: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._now = now
        self._level = rate.burst
        self._since = now()

    def take(self) -> bool:
        """One more, if that is within the rate."""
        now = self._now()
        self._level = min(self._rate.burst, self._level + (now - self._since) * self._rate.per_second)
        self._since = now
        if self._level < 1:
            return False
        self._level -= 1
        return True


class Buckets:
    """A bucket per client; those not seen for longest are forgotten, so that memory stays bounded."""

    def __init__(self, rate: Rate, remembered: int) -> None:
        self._rate = rate
        self._remembered = remembered
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, client: str) -> bool:
        """One more for this client, if that is within the rate."""
        bucket = self._buckets.get(client)
        if bucket is None:
            bucket = self._buckets[client] = Bucket(self._rate)
            if len(self._buckets) > self._remembered:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(client)
        return bucket.take()


def client_of(scope: Scope) -> str:
    """Whom limits are counted for: the address, with IPv6 the network a single customer usually has."""
    host = (scope.get("client") or ("unknown", 0))[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return str(host)
    if address.version == 6 and not address.is_loopback:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return host


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
    body = ErrorAnswer(error=ErrorBody(code=code, message=quoted(message, MAX_MESSAGE), reason_code=reason_code))
    return JSONResponse(body.model_dump(exclude_none=True), STATUS_OF[code])


class Gate:
    """Stands before everything that comes by HTTP: origin, rate, size; adds the security headers to answers."""

    def __init__(self, app: ASGIApp, settings: Settings, origins: Origins) -> None:
        self._app = app
        self._origins = origins
        self._requests = Buckets(settings.requests, settings.clients_remembered)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request pass or answers it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_with_headers)
            return
        await self._pass_body(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        if scope["method"] not in ("GET", "HEAD") and not self._origins.allow(headers):
            return error_response("forbidden", "pages from elsewhere may not write here")
        if not self._requests.take(client_of(scope)):
            return error_response("too_many", "too many requests; slow down")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > _most_bytes(scope):
            return error_response("too_large", _too_large_text(scope))
        return None

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
    return MAX_RECORD_BYTES if scope["path"] == "/api/records" else MAX_BODY_BYTES


def _too_large_text(scope: Scope) -> str:
    return f"a body here has at most {_most_bytes(scope)} bytes"
