"""What there is to see of a position after some actions, as plain data for the page.

The server answers with it, and so does a browser that has no server: nothing here needs more than the core.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from spielwerk import catalogue
from spielwerk.games import CHANCE, Game, State, make
from spielwerk.outcome import Outcome
from spielwerk.records import has_one_start
from spielwerk.render import scene_of, seat_labels
from spielwerk.render.scene import Label, Scene, listed


class NoPosition(ValueError):
    """There is no such position; `code` is `malformed`, or `illegal` where the rules forbid an action."""

    def __init__(self, code: Literal["malformed", "illegal"], message: str) -> None:
        super().__init__(message)
        self.code: Literal["malformed", "illegal"] = code


class Move(NamedTuple):
    """One action and whose it was; None for a die."""

    text: str
    seat: int | None


def game_of(name: str, rules: Mapping[str, Any]) -> Game:
    """The game that somebody asks for."""
    try:
        return make(name, **rules)
    except (ValueError, TypeError) as error:
        raise NoPosition("malformed", str(error)[:300]) from None


def first_state(game: Game, start: str | None) -> State:
    """The position of a text, or the ruleset's first; whoever asks chooses what dice show."""
    try:
        return game.start(seed=0, chance="explicit") if start is None else game.from_text(start, chance="explicit")
    except ValueError as error:
        raise NoPosition("malformed", f"start: {error}") from None


def played(state: State, actions: Sequence[str]) -> list[Move]:
    """Plays actions, which may be whole turns: the single ones and whose they were."""
    moves: list[Move] = []
    for ply, text in enumerate(actions, start=1):
        try:
            seat = None if state.player == CHANCE else state.player
            singles = [state.text(state.parse(text))] if seat is None else state.split_turn(text)
            state.play(text)
        except ValueError as error:
            raise NoPosition("illegal", f"ply {ply}: '{text[:40]}' cannot be played: {error}") from None
        moves += [Move(single, seat) for single in singles]
    return moves


def scene_at(state: State, actions: Sequence[str], *, legal: bool = True) -> Scene:
    """The picture of a position; while dice are falling nothing can be clicked."""
    return scene_of(state, actions=actions, legal=legal and state.player != CHANCE)


def ending_in(scene: Scene) -> Label:
    """How the game ended, as its scene says it."""
    return listed((scene.headline, listed((scene.detail, *scene.remarks))), ": ")


def can_prove(game: Game) -> bool:
    """Whether the solver may know this game."""
    return game.num_players == 2 and not game.has_chance


def position_view(
    name: str,
    rules: Mapping[str, Any],
    start: str | None,
    actions: Sequence[str],
    known_static: str | None = None,
) -> dict[str, Any]:
    """All that a page shows of a position; NoPosition where there is none.

    `outcomes` are what the die can show where it is to fall, and `odds` how likely each is; `evaluation` is the
    heuristic's, by seat.
    """
    game = game_of(name, rules)
    state = first_state(game, start)
    first = state.to_text()
    moves = played(state, actions)
    scene = scene_at(state, [move.text for move in moves])
    falls = state.player == CHANCE
    return {
        "game": game.name,
        "title": catalogue.full_title(game.name).to_json(),
        "rules": game.rules,
        "rules_version": game.rules_version,
        "seats": [label.to_json() for label in seat_labels(game)],
        "start": None if start is None and has_one_start(game) else first,
        "position": state.to_text(),
        "moves": [move._asdict() for move in moves],
        "player": None if falls else state.player,
        "outcomes": [state.text(action) for action, _ in state.outcomes] if falls else [],
        "odds": [probability for _, probability in state.outcomes] if falls else [],
        "legal": [] if falls else [state.text(action) for action in state.legal_actions],
        "evaluation": [round(state.evaluate(seat), 4) for seat in range(game.num_players)],
        "can_prove": can_prove(game),
        "result": _result(state, scene),
        "scene": scene.dynamic_json() if known_static == scene.static.key else scene.to_json(),
    }


def _result(state: State, scene: Scene) -> dict[str, Any] | None:
    outcome = Outcome.by_rules(state)
    return None if outcome is None else {**outcome.to_json(), "text": ending_in(scene).to_json()}
