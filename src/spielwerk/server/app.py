"""The server put together."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from spielwerk.border import quoted
from spielwerk.server.analyst import Analyst
from spielwerk.server.arena import Arena, add_arena
from spielwerk.server.balance import Balance, add_balance
from spielwerk.server.connections import Connections, Network, file_limit, is_in, networks
from spielwerk.server.levels import read_levels
from spielwerk.server.limits import STATUS_OF, Budgets, Gate, Origins, error_response
from spielwerk.server.metrics import MEDIA_TYPE, metrics
from spielwerk.server.page import Page
from spielwerk.server.pictures import Pictures
from spielwerk.server.protocol import PROTOCOL, ErrorCode, Refused
from spielwerk.server.rest import routes
from spielwerk.server.settings import LOOPBACK_HOSTS, Settings
from spielwerk.server.share import Sharing
from spielwerk.server.socket import Sockets
from spielwerk.server.storage import expired, stored_bytes
from spielwerk.server.store import Store, newest_ms
from spielwerk.server.tables import Tables
from spielwerk.server.thinking import ThinkingPool
from spielwerk.server.tournaments import Tournaments, add_tournaments
from spielwerk.server.training import Training, add_training

_LOG = logging.getLogger("spielwerk.server")
_LOOK_AGAIN = 0.02
_HEALTH_SECONDS = 3.0


class App:
    """An ASGI application with its store, its tables and its thinking processes."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        levels = [*read_levels(settings.levels_file, settings.models_folder, allow_engines=settings.allow_engines)]
        self.training = Training(settings.runs_folder, levels)
        self.arena = Arena(settings.arena_store)
        self.balance = Balance(settings.balance_report)
        self.store = Store(settings)
        self.pool = ThinkingPool(settings.agent_processes, settings.agents_waiting, settings.agents_waiting_per_client)
        self.connections = Connections(settings, file_limit())
        self.budgets = Budgets(settings)
        self.tables = Tables(settings, self.store, self.pool, levels, self.budgets)
        self.pictures = Pictures(self.budgets)
        origins = Origins(settings)
        self.sockets = Sockets(settings, self.tables, origins, self.budgets)
        self.tournaments = Tournaments(settings, levels, self.budgets, self.arena.store, self.may_start_tournaments)
        self.analyst = Analyst(self.pool, levels, self.budgets)
        self.api = _api(self)
        self._metrics_for = networks(settings.metrics_for)
        self._tournaments_for = networks(settings.tournaments_for)
        self.started = time.monotonic()
        self.housekeeping: asyncio.Task[None] | None = None
        self.stored_bytes = 0
        self.expired = 0
        self._door = Gate(
            GZipMiddleware(self.api, minimum_size=1024, compresslevel=5), self.budgets, self.connections, origins
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, connection or the life of the server."""
        await self._door(scope, receive, send)

    def may_see_metrics(self, scope: Scope) -> bool:
        return _is_trusted(scope, self._metrics_for)

    def may_start_tournaments(self, scope: Scope) -> bool:
        return _is_trusted(scope, self._tournaments_for)

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
        await self.tables.start()
        await self.pool.start()
        self.housekeeping = asyncio.create_task(self._keep_house())
        try:
            yield
        finally:
            self.housekeeping.cancel()
            await asyncio.gather(self.housekeeping, return_exceptions=True)
            await self.tables.close()
            await self.pool.close()
            self.pictures.close()
            await asyncio.to_thread(self.tournaments.close)
            self.arena.close()
            self.store.close()

    async def tidy(self) -> None:
        """Looks how large the database is, and deletes what is kept no longer."""
        self.stored_bytes = await self.store.read(stored_bytes)
        self.tables.storage_full = 0 < self.settings.storage_bytes <= self.stored_bytes
        old = await self.store.read(partial(expired, settings=self.settings))
        unused = [table_id for table_id in old if not self.tables.in_use(table_id)]
        if unused:
            await self.tables.remove(unused)
            self.expired += len(unused)
            _LOG.info("%d tables deleted because of their age", len(unused))

    async def _keep_house(self) -> None:
        while True:
            try:
                await self.tidy()
            except Exception as error:  # the next time may do better, and games go on meanwhile
                _LOG.warning("housekeeping failed: %s", error)
            await asyncio.sleep(self.settings.housekeeping_seconds)

    async def health(self) -> None:
        """Refused where the server cannot do its work: the database answers, and it is not about to close."""
        if self.tables.closing:
            raise Refused("closing", "the server is about to restart")
        try:
            async with asyncio.timeout(_HEALTH_SECONDS):
                await self.store.read(newest_ms)
        except Exception as error:
            raise Refused("internal", f"the database does not answer: {type(error).__name__}") from None


def _is_trusted(scope: Scope, named: Sequence[Network]) -> bool:
    """This machine itself, if no proxy stands in between, and whom the operator names."""
    host = str((scope.get("client") or ("",))[0])
    through_proxy = any(name == b"x-forwarded-for" for name, _ in scope["headers"])
    return is_in(host, named) or (host in LOOPBACK_HOSTS and not through_proxy)


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
    router = routes(app.settings, app.tables, app.sockets, app.budgets, app.pictures, app.analyst)
    add_training(router, app.training)
    add_arena(router, app.arena, app.tournaments)
    add_tournaments(router, app.tournaments)
    add_balance(router, app.balance)
    api.include_router(router)
    page = Page(app.settings.page_folder)
    sharing = Sharing(app.settings, app.tables, app.budgets)

    @api.get("/healthz", include_in_schema=False)
    async def healthz() -> Response:
        await app.health()
        return PlainTextResponse("ok\n", headers={"Cache-Control": "no-store"})

    @api.get("/metrics", include_in_schema=False)
    async def figures(request: Request) -> Response:
        if not app.may_see_metrics(request.scope):
            raise Refused("forbidden", "these figures are for this machine and addresses named by --metrics-for")
        return Response(metrics(app), media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"})

    @api.api_route("/api/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
    async def nothing(path: str) -> None:
        raise Refused("not_found", f"there is no door /api/{quoted(path, 60)}")

    @api.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    async def built_page(request: Request) -> Response:
        return page.answer(request, "" if page.is_file(request.url.path) else await sharing.head(request))

    async def tell_refusal(_: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        if error.code == "too_many":
            await app.budgets.keep_waiting()
        return error_response(error.code, error.message, error.reason_code)

    api.add_exception_handler(Refused, tell_refusal)
    api.add_exception_handler(RequestValidationError, _tell_malformed)
    api.add_exception_handler(HTTPException, _tell_http)
    api.add_exception_handler(Exception, _tell_fault)
    return api


async def _tell_malformed(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    return error_response("malformed", f"{place}: {first['msg']}"[:300] if place else str(first["msg"])[:300])


async def _tell_fault(_: Request, error: Exception) -> Response:
    """A fault of our own: the log has it, the client learns only that."""
    return error_response("internal", "the server made a mistake; its log says which")


async def _tell_http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    codes: dict[int, ErrorCode] = {status: code for code, status in STATUS_OF.items()}
    codes |= {400: "malformed", 403: "forbidden", 404: "not_found", 405: "not_found", 409: "not_now"}
    return error_response(codes.get(error.status_code, "malformed"), str(error.detail)[:300])
