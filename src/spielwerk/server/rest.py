"""The doors by HTTP, as docs/protocol.md lists them."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from starlette.websockets import WebSocket

import spielwerk as sw
from spielwerk import catalogue, rule_pages
from spielwerk.games import sides_of
from spielwerk.render import seat_labels
from spielwerk.render.scene import Label, Lang
from spielwerk.server import protocol, rule_html, views
from spielwerk.server.levels import adviser_for, levels_for
from spielwerk.server.limits import Buckets, client_of
from spielwerk.server.protocol import Refused, Words
from spielwerk.server.settings import Settings
from spielwerk.server.socket import Sockets
from spielwerk.server.tables import Tables

_FOR_EVER = "public, max-age=31536000, immutable"
_BRIEFLY = "public, max-age=300"
_SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_MOST_LISTED = 100
FIRST_GAME = "pferdeaepfel/trail"

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": protocol.ErrorAnswer} for status in (400, 403, 404, 409, 413, 429, 503)
}


def routes(settings: Settings, tables: Tables, sockets: Sockets) -> APIRouter:
    """All doors of one server."""
    router = APIRouter(prefix="/api", responses=ERRORS)
    openings = Buckets(settings.openings, settings.clients_remembered)
    hints = Buckets(settings.hints, settings.clients_remembered)
    _add_catalogue(router, tables)
    _add_tables(router, tables, openings, hints)
    _add_positions(router, tables)

    @router.websocket("/tables/{table_id}/socket")
    async def socket(websocket: WebSocket, table_id: str) -> None:
        await sockets.serve(websocket, table_id[:40])

    return router


def _add_catalogue(router: APIRouter, tables: Tables) -> None:
    @router.get("/info")
    async def info() -> protocol.Info:
        """Which release and protocol this is."""
        return protocol.Info(
            version=version("spielwerk"),
            protocol=protocol.PROTOCOL,
            languages=list(rule_html.LANGUAGES),
            limits=protocol.InfoLimits(name=protocol.MAX_NAME, record=protocol.MAX_RECORD_BYTES),
        )

    @router.get("/games")
    async def games() -> list[protocol.GameView]:
        """Every ruleset; the first one suits newcomers."""
        return [_game_view(name) for name in sorted(sw.games(), key=lambda name: (name != FIRST_GAME, name))]

    @router.get("/games/{game}/{ruleset}/scene")
    async def start(game: str, ruleset: str, request: Request) -> protocol.StartView:
        """The first position under the parameters in the query."""
        made = _made(f"{game}/{ruleset}"[:80], dict(request.query_params))
        scene = views.scene_at(made.start(seed=0), (), legal=False)
        return protocol.StartView(scene=scene.to_json(), seats=_seats(made), teams=_teams(made))

    @router.get("/levels")
    async def levels(game: Annotated[str, Query(max_length=60)]) -> list[protocol.LevelView]:
        """Opponents for a ruleset, weakest first."""
        made = _made(game)
        adviser = adviser_for(made, tables.levels)
        return [
            protocol.LevelView(
                id=level.id,
                title=level.title,
                summary=level.summary_for(made),
                default=level.default,
                adviser=level is adviser,
            )
            for level in levels_for(made, tables.levels)
        ]

    @router.get("/rules/img/{file}", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}})
    async def rule_picture(file: str) -> Response:
        """A picture of a rule page."""
        content = rule_html.picture(file)
        if content is None:
            raise Refused("not_found", "there is no such picture")
        headers = {"Content-Security-Policy": _SVG_POLICY, "Cache-Control": _BRIEFLY}
        return Response(content, media_type="image/svg+xml", headers=headers)

    @router.get("/rules/{lang}/{game}/{ruleset}")
    async def rules(lang: str, game: str, ruleset: str, response: Response) -> protocol.RulePage:
        """The rule page of a ruleset; `index` is the game's."""
        page = rule_html.rule_page(lang, game, ruleset)
        if page is None:
            raise Refused("not_found", "there is no such rule page")
        response.headers["Cache-Control"] = _BRIEFLY
        return protocol.RulePage(title=page[0], html=page[1])


def _add_tables(router: APIRouter, tables: Tables, openings: Buckets, hints: Buckets) -> None:
    def check_opening(request: Request) -> None:
        if tables.closing:
            raise Refused("closing", "the server is about to restart")
        if not openings.take(client_of(request.scope)):
            raise Refused("too_many", "too many new tables; wait a little")

    @router.post("/tables", status_code=201)
    async def open_table(asked: protocol.OpenAsked, request: Request) -> protocol.Opened:
        """Opens a table."""
        check_opening(request)
        return await tables.open(asked)

    @router.get("/tables")
    async def list_tables(
        state: Literal["open", "waiting", "running", "over"] | None = None,
        game: Annotated[str | None, Query(max_length=60)] = None,
        limit: Annotated[int, Query(ge=1, le=_MOST_LISTED)] = 30,
        before: datetime.datetime | None = None,
    ) -> list[protocol.TableItem]:
        """Public tables, newest first; `before` is `created` of the last one seen."""
        before_ms = round(before.timestamp() * 1000) if before is not None else None
        status = "waiting" if state == "open" else state
        return await tables.listed(status=status, game=game, limit=limit, before_ms=before_ms)

    @router.get("/tables/{table_id}")
    async def table(table_id: str) -> protocol.Snapshot:
        """A table as those see it who only watch."""
        return (await tables.get(table_id[:40])).snapshot()

    @router.post("/tables/{table_id}/seats", status_code=201)
    async def take_seat(table_id: str, asked: protocol.JoinAsked, request: Request) -> protocol.Joined:
        """Takes a free seat."""
        check_opening(request)
        return await (await tables.get(table_id[:40])).join(asked)

    @router.post("/tables/{table_id}/continue", status_code=201)
    async def continue_table(table_id: str, asked: protocol.ContinueAsked, request: Request) -> protocol.Opened:
        """Opens a table that plays on from a ply of this one."""
        check_opening(request)
        return await tables.continue_from(table_id[:40], asked)

    @router.post("/tables/{table_id}/hint")
    async def hint(table_id: str, asked: protocol.HintAsked, request: Request) -> protocol.Hint:
        """What a level would play."""
        if not hints.take(client_of(request.scope)):
            raise Refused("too_many", "too many hints; wait a little")
        return await tables.hint(table_id[:40], asked)

    @router.post("/records", status_code=201)
    async def upload(request: Request) -> protocol.Uploaded:
        """Stores a record, which is the whole body, for replay."""
        check_opening(request)
        try:
            data = json.loads(await request.body())
        except (ValueError, RecursionError):
            raise Refused("malformed", "a record is a JSON object") from None
        return await tables.upload(data)


def _add_positions(router: APIRouter, tables: Tables) -> None:
    @router.get("/tables/{table_id}/plies/{ply}")
    async def position(
        table_id: str, ply: int, response: Response, static: Annotated[str | None, Query(max_length=64)] = None
    ) -> protocol.PlyView:
        """The position after so many actions."""
        log = (await tables.get(table_id[:40])).log
        if not 0 <= ply <= len(log.actions):
            raise Refused("not_found", f"the game has {len(log.actions)} plies, not {ply}")
        scene = views.scene_at(log.position(ply), log.texts[:ply], legal=False)
        # While a game runs, any ply may still be taken back.
        response.headers["Cache-Control"] = _FOR_EVER if log.over else "no-store"
        last = log.actions[ply - 1] if ply else None
        return protocol.PlyView(
            ply=ply,
            action=last.text if last else None,
            seat=last.seat if last else None,
            turn=last.turn if last else None,
            scene=scene.dynamic_json() if static == scene.static.key else scene.to_json(),
        )

    @router.get("/tables/{table_id}/record")
    async def record(table_id: str) -> Response:
        """The game as a record, to download."""
        log = (await tables.get(table_id[:40])).log
        name = f"spielwerk-{log.game.name.replace('/', '-')}-{log.setup.id}.json"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        content = json.dumps(log.record().to_json(), ensure_ascii=False) + "\n"
        return Response(content, media_type="application/json", headers=headers)


def _made(name: str, rules: Mapping[str, str] | None = None) -> sw.Game:
    """A ruleset, its parameters given as texts."""
    try:
        kinds = {parameter.name: parameter.kind for parameter in sw.make(name).parameters}
        return sw.make(name, **{key: _rule(kinds.get(key), value) for key, value in (rules or {}).items()})
    except (ValueError, TypeError) as error:
        raise Refused("malformed", str(error)[:300]) from None


def _rule(kind: str | None, text: str) -> bool | int | str:
    if kind == "bool" and text in ("true", "false"):
        return text == "true"
    if kind == "int" and text.removeprefix("-").isdecimal():
        return int(text[:12])
    return text[:80]


def _game_view(name: str) -> protocol.GameView:
    game = sw.make(name)
    return protocol.GameView(
        name=name,
        title=views.words(catalogue.ruleset_title(name)),
        family=views.words(catalogue.game_title(name)),
        summary=_in_both(lambda lang: rule_pages.one_line_rules(name, lang) or game.summary),
        seats=_seats(game),
        teams=_teams(game),
        parameters=views.parameter_views(game),
    )


def _seats(game: sw.Game) -> list[Words]:
    return [views.words(label) for label in seat_labels(game)]


def _teams(game: sw.Game) -> list[list[int]] | None:
    sides = sides_of(game)
    return [list(side) for side in sides] if len(sides) < game.num_players else None


def _in_both(said: Callable[[Lang], str]) -> Words:
    return views.words(Label(said("en"), said("de")))
