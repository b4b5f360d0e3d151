"""The server put together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from spielwerk.border import quoted
from spielwerk.server.levels import read_levels
from spielwerk.server.limits import STATUS_OF, Gate, Origins, error_response
from spielwerk.server.page import Page
from spielwerk.server.protocol import PROTOCOL, ErrorCode, Refused
from spielwerk.server.rest import routes
from spielwerk.server.settings import Settings
from spielwerk.server.socket import Sockets
from spielwerk.server.store import Store
from spielwerk.server.tables import Tables
from spielwerk.server.thinking import ThinkingPool

_LOOK_AGAIN = 0.02


class App:
    """An ASGI application with its store, its tables and its thinking processes."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        levels = read_levels(settings.levels_file)
        self.store = Store(settings)
        self.pool = ThinkingPool(settings.agent_processes, settings.agents_waiting)
        self.tables = Tables(settings, self.store, self.pool, levels)
        origins = Origins(settings)
        self.sockets = Sockets(settings, self.tables, origins)
        self.api = _api(self)
        self._door = Gate(GZipMiddleware(self.api, minimum_size=1024, compresslevel=5), settings, origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, connection or the life of the server."""
        await self._door(scope, receive, send)

    async def drain(self) -> None:
        """From here on nothing new begins; what was begun is stored and acknowledged, then connections end."""
        deadline = time.monotonic() + self.settings.drain_seconds
        self.tables.closing = True
        self.sockets.announce_closing()
        while any(table.busy for table in self.tables.live) and time.monotonic() < deadline:
            await asyncio.sleep(_LOOK_AGAIN)
        self.sockets.close()
        while len(self.sockets) and time.monotonic() < deadline:
            await asyncio.sleep(_LOOK_AGAIN)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While the server runs."""
        await self.tables.start()
        await self.pool.start()
        try:
            yield
        finally:
            await self.tables.close()
            await self.pool.close()
            self.store.close()


def _api(app: App) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with app.running():
            yield

    api = FastAPI(
        title="spielwerk",
        description="Board games over HTTP and WebSocket; docs/protocol.md describes both.",
        version=str(PROTOCOL),
        openapi_url="/api/openapi.json",
        docs_url=None,  # those pages load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        generate_unique_id_function=lambda route: route.name,
    )
    api.include_router(routes(app.settings, app.tables, app.sockets))
    page = Page(app.settings.page_folder)

    @api.api_route("/api/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
    async def nothing(path: str) -> None:
        raise Refused("not_found", f"there is no door /api/{quoted(path, 60)}")

    @api.get("/{path:path}", include_in_schema=False)
    async def built_page(request: Request) -> Response:
        return page.answer(request)

    api.add_exception_handler(Refused, _tell_refusal)
    api.add_exception_handler(RequestValidationError, _tell_malformed)
    api.add_exception_handler(HTTPException, _tell_http)
    return api


async def _tell_refusal(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return error_response(error.code, error.message, error.reason_code)


async def _tell_malformed(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    return error_response("malformed", f"{place}: {first['msg']}"[:300] if place else str(first["msg"])[:300])


async def _tell_http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    codes: dict[int, ErrorCode] = {status: code for code, status in STATUS_OF.items()}
    codes |= {400: "malformed", 403: "forbidden", 404: "not_found", 405: "not_found", 409: "not_now"}
    return error_response(codes.get(error.status_code, "malformed"), str(error.detail)[:300])
