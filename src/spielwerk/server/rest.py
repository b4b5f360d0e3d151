"""The doors by HTTP, as docs/protocol.md lists them."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from itertools import pairwise
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from pydantic import StringConstraints
from starlette.websockets import WebSocket

import spielwerk as sw
from spielwerk import catalogue, rule_pages
from spielwerk.balance.known import known_facts
from spielwerk.games import sides_of
from spielwerk.positions import scene_at
from spielwerk.records import Recorder
from spielwerk.render import seat_labels
from spielwerk.render.description import description_of
from spielwerk.render.scene import Label, Lang
from spielwerk.render.theme import Theme
from spielwerk.server import lessons, protocol, rule_html, views
from spielwerk.server.addresses import addresses_for_others
from spielwerk.server.analyst import Analyst
from spielwerk.server.laboratory import add_laboratory
from spielwerk.server.levels import Level, adviser_for, levels_for, plain_search
from spielwerk.server.limits import Budgets, client_of
from spielwerk.server.log import Log
from spielwerk.server.pictures import LARGEST, MEDIA_TYPES, SMALLEST, USUAL_SIZE, Form, Pictures, Wish
from spielwerk.server.protocol import Refused, Words
from spielwerk.server.ratings import rating_of
from spielwerk.server.settings import Settings
from spielwerk.server.socket import Sockets
from spielwerk.server.tables import Tables

_FOR_EVER = "public, max-age=31536000, immutable"
_BRIEFLY = "public, max-age=300"
_SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_MOST_LISTED = 100
_DEMO_STEPS = 24

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": protocol.ErrorAnswer} for status in (400, 403, 404, 409, 413, 429, 503)
}


def routes(
    settings: Settings, tables: Tables, sockets: Sockets, budgets: Budgets, pictures: Pictures, analyst: Analyst
) -> APIRouter:
    """All doors of one server."""
    router = APIRouter(prefix="/api", responses=ERRORS)
    _add_catalogue(router, settings, tables)
    _add_tables(router, tables, budgets)
    _add_positions(router, tables, budgets)
    _add_pictures(router, tables, budgets, pictures)
    add_laboratory(router, budgets)

    @router.websocket("/tables/{table_id}/socket")
    async def socket(websocket: WebSocket, table_id: str) -> None:
        await sockets.serve_table(websocket, table_id[:40])

    @router.websocket("/analysis")
    async def analysis(websocket: WebSocket) -> None:
        await sockets.serve(websocket, analyst.attend)

    return router


def _add_catalogue(router: APIRouter, settings: Settings, tables: Tables) -> None:
    @router.get("/info")
    async def info() -> protocol.Info:
        """Which release and protocol this is, and where other machines reach it."""
        return protocol.Info(
            version=version("spielwerk"),
            protocol=protocol.PROTOCOL,
            languages=list(rule_html.LANGUAGES),
            limits=protocol.InfoLimits(name=protocol.MAX_NAME, record=protocol.MAX_RECORD_BYTES),
            addresses=addresses_for_others(settings),
        )

    @router.get("/games")
    async def games() -> list[protocol.GameView]:
        """Every ruleset, those for newcomers first: games with a lesson, and of each the recommended ruleset."""
        return [_game_view(name) for name in sorted(sw.games(), key=_place)]

    @router.get("/games/{game}/{ruleset}/scene")
    async def start(game: str, ruleset: str, request: Request) -> protocol.StartView:
        """The first position under the parameters in the query."""
        made = _made(f"{game}/{ruleset}"[:80], dict(request.query_params))
        scene = scene_at(made.start(seed=0), (), legal=False)
        return protocol.StartView(scene=scene.to_json(), seats=_seats(made), teams=_teams(made))

    @router.get("/games/{game}/{ruleset}/demo")
    def demo(game: str, ruleset: str, response: Response) -> protocol.DemoView:
        """The beginning of a game, to show what it looks like."""
        response.headers["Cache-Control"] = _BRIEFLY
        return _demo(_made(f"{game}/{ruleset}"[:80]).name)

    @router.get("/lessons/{family}")
    async def lesson(family: str, response: Response) -> protocol.LessonView:
        """First steps in a game."""
        found = lessons.lesson(family[:40])
        if found is None:
            raise Refused("not_found", "there is no lesson for this game")
        response.headers["Cache-Control"] = _BRIEFLY
        return found

    @router.get("/levels")
    async def levels(game: Annotated[str, Query(max_length=60)], request: Request) -> list[protocol.LevelView]:
        """Opponents for a ruleset under the other parameters in the query, weakest first."""
        made = _made(game, {name: value for name, value in request.query_params.items() if name != "game"})
        adviser = adviser_for(made, tables.levels)
        return [
            protocol.LevelView(
                id=level.id,
                title=level.title,
                summary=level.summary_for(made),
                default=level.default,
                adviser=level is adviser,
                rating=_rating(level, made),
                search=plain_search(choice.spec),
            )
            for level in levels_for(made, tables.levels)
            if (choice := level.choice(made)) is not None
        ]

    @router.get("/rules/img/{file}", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}})
    async def rule_picture(file: str, theme: Theme = "light") -> Response:
        """A picture of a rule page."""
        content = rule_html.picture(file[:100], theme)
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


def _add_tables(router: APIRouter, tables: Tables, budgets: Budgets) -> None:
    def opening_client(request: Request) -> str:
        """Who opens something, if they may."""
        if tables.closing:
            raise Refused("closing", "the server is about to restart")
        client = client_of(request.scope)
        budgets.check_opening(client)
        return client

    @router.post("/tables", status_code=201)
    async def open_table(body: protocol.OpenRequest, request: Request) -> protocol.Opened:
        """Opens a table."""
        return await tables.open(body, opening_client(request))

    @router.get("/tables")
    async def list_tables(
        state: Literal["open", "waiting", "running", "over"] | None = None,
        game: Annotated[str | None, Query(max_length=60)] = None,
        limit: Annotated[int, Query(ge=1, le=_MOST_LISTED)] = 30,
        before: datetime.datetime | None = None,
    ) -> list[protocol.TableItem]:
        """Public tables, newest first; `before` is `created` of the last one seen."""
        status = "waiting" if state == "open" else state
        return await tables.listed(status=status, game=_encodable(game), limit=limit, before_ms=_milliseconds(before))

    @router.get("/tables/named")
    async def named_tables(
        id: Annotated[list[Annotated[str, StringConstraints(max_length=40)]], Query(max_length=_MOST_LISTED)],
    ) -> list[protocol.TableItem]:
        """The tables of these ids, newest first; those that do not exist are left out."""
        return await tables.named(id)

    @router.get("/tables/{table_id}")
    async def table(table_id: str, request: Request) -> protocol.Snapshot:
        """A table as those see it who only watch."""
        found = await tables.get(table_id[:40])
        budgets.charge_plies(client_of(request.scope), len(found.log.actions))
        return found.snapshot()

    @router.delete("/tables/{table_id}", status_code=204, response_class=Response)
    async def delete_table(table_id: str, authorization: Annotated[str, Header(max_length=200)] = "") -> Response:
        """Deletes a table with all it holds; `Authorization: Bearer` and the owner's token say who asks."""
        await tables.delete(table_id[:40], authorization.removeprefix("Bearer ").strip())
        return Response(status_code=204)

    @router.post("/tables/{table_id}/seats", status_code=201)
    async def take_seat(table_id: str, body: protocol.JoinRequest, request: Request) -> protocol.Joined:
        """Takes a free seat."""
        opening_client(request)
        return await (await tables.get(table_id[:40])).join(body)

    @router.post("/tables/{table_id}/continue", status_code=201)
    async def continue_table(table_id: str, body: protocol.ContinueRequest, request: Request) -> protocol.Opened:
        """Opens a table that plays on from a ply of this one."""
        return await tables.continue_from(table_id[:40], body, opening_client(request))

    @router.post("/tables/{table_id}/hint")
    async def hint(table_id: str, body: protocol.HintRequest, request: Request) -> protocol.Hint:
        """What a level would play."""
        client = client_of(request.scope)
        budgets.check_hint(client)
        return await tables.hint(table_id[:40], body, client)

    @router.post("/records", status_code=201)
    async def upload(request: Request) -> protocol.Uploaded:
        """Stores a record, which is the whole body, for replay."""
        client = opening_client(request)
        return await tables.upload(await request.body(), client)


def _add_positions(router: APIRouter, tables: Tables, budgets: Budgets) -> None:
    @router.get("/tables/{table_id}/plies/{ply}")
    async def position(
        table_id: str,
        ply: int,
        request: Request,
        response: Response,
        static: Annotated[str | None, Query(max_length=64)] = None,
        hits: bool = False,
    ) -> protocol.PlyView:
        """The position after so many actions; with `hits`, what could be played there and where."""
        log = (await tables.get(table_id[:40])).log
        _check_ply(log, ply)
        budgets.charge_plies(client_of(request.scope), ply)
        last = log.actions[ply - 1] if ply else None
        response.headers["Cache-Control"] = _caching(log)
        scene = scene_at(await tables.position(log, ply), log.texts[:ply], legal=hits)
        return protocol.PlyView(
            ply=ply,
            action=last.text if last else None,
            seat=last.seat if last else None,
            turn=last.turn if last else None,
            scene=scene.dynamic_json() if static == scene.static.key else scene.to_json(),
        )

    @router.get("/tables/{table_id}/record")
    async def record(table_id: str, request: Request) -> Response:
        """The game as a record, to download."""
        played = await tables.record(table_id[:40])
        budgets.charge_plies(client_of(request.scope), len(played["actions"]))
        name = re.sub(r"[^a-z0-9-]", "-", f"spielwerk-{played['game']}-{table_id[:40]}")
        headers = {"Content-Disposition": f'attachment; filename="{name}.json"', "Cache-Control": "no-store"}
        content = json.dumps(played, ensure_ascii=False) + "\n"
        return Response(content, media_type="application/json", headers=headers)


def _add_pictures(router: APIRouter, tables: Tables, budgets: Budgets, pictures: Pictures) -> None:
    def painted_as(*forms: str) -> dict[str, Any]:
        return {"response_class": Response, "responses": {200: {"content": {MEDIA_TYPES[form]: {} for form in forms}}}}

    @router.get("/tables/{table_id}/plies/{ply}/picture.{form}", **painted_as("svg", "png"))
    async def position_picture(table_id: str, ply: int, form: Form, request: Request, wish: _Wished) -> Response:
        """The position after so many actions as a picture."""
        log, client = (await tables.get(table_id[:40])).log, client_of(request.scope)
        _check_ply(log, ply)
        budgets.charge_plies(client, ply)
        painted = await pictures.position(log, ply, await tables.position(log, ply), form, wish, client)
        return _picture(painted, form, log)

    @router.get("/tables/{table_id}/game.gif", **painted_as("gif"))
    async def game_gif(table_id: str, request: Request, wish: _Wished) -> Response:
        """The game so far as a moving picture."""
        log, client = (await tables.get(table_id[:40])).log, client_of(request.scope)
        budgets.charge_plies(client, len(log.actions))
        return _picture(await pictures.game(log, wish, client), "gif", log)


def _wish(
    theme: Theme = "light",
    lang: Lang = "en",
    size: Annotated[int, Query(ge=SMALLEST, le=LARGEST)] = USUAL_SIZE,
) -> Wish:
    return Wish(theme, lang, size)


_Wished = Annotated[Wish, Depends(_wish)]


def _picture(content: bytes, form: str, log: Log) -> Response:
    headers = {"Cache-Control": _caching(log), "Content-Security-Policy": _SVG_POLICY}
    return Response(content, media_type=MEDIA_TYPES[form], headers=headers)


def _caching(log: Log) -> str:
    """While a game runs, any ply may still be taken back."""
    return _FOR_EVER if log.over else "no-store"


def _check_ply(log: Log, ply: int) -> None:
    if not 0 <= ply <= len(log.actions):
        raise Refused("not_found", f"the game has {len(log.actions)} plies, not {str(ply)[:20]}")


def _milliseconds(moment: datetime.datetime | None) -> int | None:
    """Since 1970, before which there are no tables, and for some moments no number either."""
    if moment is None:
        return None
    with suppress(ValueError, OverflowError, OSError):
        if (seconds := moment.timestamp()) >= 0:
            return round(seconds * 1000)
    raise Refused("malformed", "before: a moment since 1970, as `created` gives it")


def _encodable(text: str | None) -> str | None:
    """Half of a character (a lone surrogate) is no text that a database could be asked for."""
    if text is not None and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise Refused("malformed", "this is no text: half of a character stands alone in it")
    return text


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


def _rating(level: Level, game: sw.Game) -> protocol.RatingView | None:
    found = rating_of(level, game)
    if found is None:
        return None
    return protocol.RatingView(elo=found.elo, low=found.low, high=found.high, games=found.games)


def _game_view(name: str) -> protocol.GameView:
    game = sw.make(name)
    family = name.partition("/")[0]
    return protocol.GameView(
        name=name,
        title=views.words(catalogue.ruleset_title(name)),
        family=views.words(catalogue.game_title(name)),
        family_summary=_in_both(lambda lang: rule_pages.one_line_rules(f"{family}/index", lang) or ""),
        recommended=name == _recommended(family),
        lesson=family in lessons.families(),
        lost_seats=_lost_seats(game),
        summary=_in_both(lambda lang: rule_pages.one_line_rules(name, lang) or game.summary),
        seats=_seats(game),
        teams=_teams(game),
        parameters=views.parameter_views(game),
    )


def _place(name: str) -> tuple[int, str, bool, str]:
    """Where a ruleset stands in the list."""
    family, taught = name.partition("/")[0], lessons.families()
    return taught.index(family) if family in taught else len(taught), family, name != _recommended(family), name


def _recommended(family: str) -> str:
    """The ruleset of a game that newcomers are given."""
    chosen = description_of(family).recommended
    return f"{family}/{chosen}" if chosen else next(name for name in sw.games() if name.startswith(f"{family}/"))


def _lost_seats(game: sw.Game) -> list[int]:
    """Seats that are proved to lose with best play: no place for a newcomer."""
    winners = {fact.winner for fact in known_facts(game) if fact.winner is not None}
    return [seat for seat in range(game.num_players) if winners and seat not in winners]


@lru_cache(maxsize=64)
def _demo(name: str) -> protocol.DemoView:
    """A few moves that look like a game, the same every time."""
    recorder, agent = Recorder(sw.make(name), seed=4), sw.agent("greedy:seed=4")
    pictures = [scene_at(recorder.state, (), legal=False)]
    while len(pictures) <= _DEMO_STEPS and recorder.state.player is not None:
        recorder.play(agent.act(recorder.state))
        pictures.append(scene_at(recorder.state, recorder.record.actions, legal=False))
    steps = [after.difference(before) for before, after in pairwise(pictures)]
    return protocol.DemoView(scene=pictures[0].to_json(), steps=steps)


def _seats(game: sw.Game) -> list[Words]:
    return [views.words(label) for label in seat_labels(game)]


def _teams(game: sw.Game) -> list[list[int]] | None:
    sides = sides_of(game)
    return [list(side) for side in sides] if len(sides) < game.num_players else None


def _in_both(said: Callable[[Lang], str]) -> Words:
    return views.words(Label(said("en"), said("de")))
