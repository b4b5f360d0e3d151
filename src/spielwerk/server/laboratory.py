"""The laboratory's doors by HTTP: positions to look at, positions to set up, records with variations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from fastapi import APIRouter, Request, Response

from spielwerk import positions
from spielwerk.games import Game, State
from spielwerk.positions import Move, NoPosition, position_view, scene_at
from spielwerk.puzzles import Card, Puzzle, shipped_puzzles
from spielwerk.puzzles.puzzle import DIFFICULTIES
from spielwerk.records import Record, RecordError, Variation
from spielwerk.render import scene_of
from spielwerk.render.description import description_of
from spielwerk.render.editing import Draft, Editor, is_active, violation_words, with_all_places
from spielwerk.render.scene import Scene
from spielwerk.server import views
from spielwerk.server.lab_protocol import (
    MAX_STUDY_ACTIONS,
    EditRequest,
    EditView,
    PositionRequest,
    PositionView,
    PuzzleItem,
    PuzzleView,
    ToolView,
)
from spielwerk.server.limits import Budgets, client_of
from spielwerk.server.protocol import Refused, Words

_BRIEFLY = "public, max-age=300"
_NAMES = {"White": "Weiß", "Black": "Schwarz", "Green": "Grün", "Yellow": "Gelb", "Blue": "Blau", "Red": "Rot"}


def add_laboratory(router: APIRouter, budgets: Budgets) -> None:
    """Positions and records, for whoever analyses."""

    @router.post("/positions")
    async def show_position(body: PositionRequest, request: Request) -> PositionView:
        """What there is to see after these actions; the caller chooses what dice show."""
        budgets.charge_plies(client_of(request.scope), len(body.actions))
        return _position_view(body)

    @router.post("/positions/edit")
    async def edit_position(body: EditRequest) -> EditView:
        """A position while it is set up."""
        return _edited(body)

    @router.get("/puzzles")
    async def list_puzzles(response: Response) -> list[PuzzleItem]:
        """Every puzzle, without its solution."""
        response.headers["Cache-Control"] = _BRIEFLY
        return [_puzzle_item(id) for id in _puzzles()]

    @router.get("/puzzles/{id}")
    async def puzzle(id: str, response: Response) -> PuzzleView:
        """One puzzle with its solution."""
        if id not in _puzzles():
            raise Refused("not_found", "there is no such puzzle")
        response.headers["Cache-Control"] = _BRIEFLY
        _, found = _puzzles()[id]
        return PuzzleView(
            **dict(_puzzle_item(id)),
            position=found.position,
            player=found.player,
            line=found.line,
            draws=found.draws,
        )

    @router.post("/records/check")
    async def check_record(request: Request) -> Response:
        """The record that is the body, read and played through with all its variations."""
        record = _read_record(await request.body())
        budgets.charge_plies(client_of(request.scope), _size(record.actions, record.variations))
        try:
            record.check()
        except RecordError as error:
            raise Refused("malformed", str(error)[:300]) from None
        return Response(json.dumps(record.to_json(), ensure_ascii=False), media_type="application/json")


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except NoPosition as error:
        raise Refused(error.code, str(error)) from None


def position_of(game: str, rules: Mapping[str, Any], text: str) -> State:
    """The position of a text; Refused where there is none."""
    return first_state(game, rules, text)


def first_state(game: str, rules: Mapping[str, Any], start: str | None) -> State:
    """The position of a text, or the ruleset's first; Refused where there is none."""
    with _refusing():
        return positions.first_state(positions.game_of(game, rules), start)


def played(state: State, actions: Sequence[str]) -> list[Move]:
    """Plays actions, which may be whole turns: the single ones and whose they were; Refused where one is illegal."""
    with _refusing():
        return positions.played(state, actions)


def _position_view(body: PositionRequest) -> PositionView:
    with _refusing():
        return PositionView(**position_view(body.game, body.rules, body.start, body.actions, body.static))


# Puzzles


@cache
def _puzzles() -> dict[str, tuple[Card, Puzzle]]:
    """By id, easy ones first, the games mixed."""
    every = {found.card.id_of(one): (found.card, one) for found in shipped_puzzles() for one in found.puzzles}
    return dict(sorted(every.items(), key=lambda entry: (DIFFICULTIES.index(entry[1][1].difficulty), entry[0])))


def _puzzle_item(id: str) -> PuzzleItem:
    card, found = _puzzles()[id]
    return PuzzleItem(id=id, game=card.game, rules=card.rules, difficulty=found.difficulty, distance=found.distance)


# Setting up


def _edited(body: EditRequest) -> EditView:
    with _refusing():
        game = positions.game_of(body.game, body.rules)
    editor = description_of(game.name).editor
    text = positions.first_state(game, None).to_text() if body.text is None else body.text
    try:
        if editor and body.tool and (body.place or _tool(editor, game, body.tool)):
            text = editor.apply(game, text, body.tool, body.place or "")
        violations = game.check(text)
        text = text if violations else game.from_text(text, chance="explicit").to_text()
        scene = _draft_scene(editor, game, text, body.tool, valid=not violations)
    except (ValueError, LookupError) as error:
        raise Refused("malformed", f"this cannot be edited: {error}"[:300]) from None
    doubts = [] if violations else game.check(text, strict=True)
    return EditView(
        text=text,
        violations=_in_words(game, violations),
        doubts=_in_words(game, doubts),
        tools=_tools(editor, game, text),
        scene=scene.to_json() if scene else None,
    )


def _tool(editor: Editor, game: Game, tool: str) -> bool:
    """Whether this tool needs no place."""
    return any(one.id == tool and one.at_once for one in editor.tools(game))


def _draft_scene(editor: Editor | None, game: Game, text: str, tool: str | None, *, valid: bool) -> Scene | None:
    if valid:
        scene = scene_at(game.from_text(text, chance="explicit"), (), legal=False)
    elif editor is None:
        return None
    else:
        position = editor.draft(game, text)
        scene = scene_of(Draft(game.start(seed=0), position, position.get("to_move")), legal=False)
    return editor.hits(game, text, tool or "", scene) if editor and editor.hits else with_all_places(scene)


def _in_words(game: Game, sentences: Sequence[str]) -> list[Words]:
    german = description_of(game.name).violations
    return [views.words(violation_words(sentence, german, _NAMES)) for sentence in sentences]


def _tools(editor: Editor | None, game: Game, text: str) -> list[ToolView]:
    if editor is None:
        return []
    return [
        ToolView(
            id=tool.id,
            label=views.words(tool.label),
            group=views.words(tool.group),
            symbol=tool.symbol,
            at_once=tool.at_once,
            active=is_active(editor, game, text, tool),
        )
        for tool in editor.tools(game)
    ]


# Records


def _read_record(body: bytes) -> Record:
    try:
        record = Record.from_json(json.loads(body))
    except RecordError as error:
        raise Refused("malformed", str(error)[:300]) from None
    except (ValueError, RecursionError):
        raise Refused("malformed", "a record is a JSON object") from None
    if (size := _size(record.actions, record.variations)) > MAX_STUDY_ACTIONS:
        raise Refused("malformed", f"a record here has at most {MAX_STUDY_ACTIONS} actions, not {size}")
    return record


def _size(actions: Sequence[str], variations: Mapping[int, Sequence[Variation]]) -> int:
    """Actions of a game with those of its variations."""
    inner = (one for several in variations.values() for one in several)
    return len(actions) + sum(_size(one.actions, one.variations) for one in inner)
