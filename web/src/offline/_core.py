"""The part of the compiled core that positions and their pictures need, asked of the core for browsers.

It takes the place of `spielwerk._core` in a browser. `ask` hands one request to the desk of cpp/wasm.cpp. A position is
laid on the desk anew whenever another one lies there; dice are always the caller's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from spielwerk_desk import request

from spielwerk.errors import IllegalAction

CHANCE = -1

Rules = dict[str, bool | int | str]


class Parameter:
    """Named here for annotations; pictures need none."""


def ask(*fields: str | int) -> Any:
    """The answer to a request; an error speaks as it does elsewhere."""
    answer = json.loads(request(*fields))
    if not isinstance(answer, dict) or "error" not in answer:
        return answer
    if answer["code"]:
        raise IllegalAction(answer["error"], answer["code"])
    raise ValueError(answer["error"])


class Game:
    def __init__(self, name: str, rules: Rules) -> None:
        self._request = ("game", name, *(f"{rule}={_written(value)}" for rule, value in rules.items()))
        told = self._lay()
        self.name: str = told["name"]
        self.rules: Rules = told["rules"]
        self.rules_version: int = told["rules_version"]
        self.num_players: int = told["seats"]
        self.sides: list[int] = told["sides"]
        self.has_chance: bool = told["has_chance"]

    def start(self, seed: int | None = None, chance: str = "explicit") -> State:
        return State(self, self._ask("start", seed or 0, chance))

    def from_text(self, text: str, seed: int | None = None, chance: str = "explicit") -> State:
        return State(self, self._ask("position", text, seed or 0, chance))

    def replay(self, actions: Iterable[int | str]) -> State:
        from spielwerk.records import replay

        return replay(self, actions)

    def _lay(self) -> Any:
        """On the desk, where no position is then that anybody knows."""
        State._on_desk = None
        return ask(*self._request)

    def _ask(self, *fields: str | int) -> Any:
        self._lay()
        return ask(*fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and (self.name, self.rules) == (other.name, other.rules)

    def __hash__(self) -> int:
        return hash((self.name, *self.rules.items()))


class State:
    """What the core showed of a position; an action replaces it, so that copies share it."""

    _on_desk: State | None = None

    def __init__(self, game: Game, shown: dict[str, Any]) -> None:
        self.game = game
        self._show(shown)

    def _show(self, shown: dict[str, Any]) -> None:
        self._shown = shown
        self._texts = dict(zip(shown["actions"], shown["texts"], strict=True))
        State._on_desk = self

    def _ask(self, *fields: str | int) -> Any:
        if State._on_desk is not self:
            self.game._ask("position", self.to_text(), 0, "explicit")
            State._on_desk = self
        return ask(*fields)

    @property
    def player(self) -> int | None:
        player: int | str | None = self._shown["player"]
        return CHANCE if isinstance(player, str) else player

    @property
    def legal_actions(self) -> list[int]:
        return list(self._texts)

    @property
    def outcomes(self) -> list[tuple[int, float]]:
        return list(zip(self._texts, self._shown["odds"], strict=False))

    @property
    def over(self) -> bool:
        return self.player is None

    @property
    def winner(self) -> tuple[int, ...]:
        return tuple(self._shown["winner"])

    @property
    def returns(self) -> tuple[float, ...]:
        return tuple(map(float, self._shown["returns"]))

    @property
    def points(self) -> tuple[int, ...]:
        return tuple(self._shown["points"])

    @property
    def truncated(self) -> bool:
        return bool(self._shown["truncated"])

    @property
    def reason(self) -> str:
        return str(self._shown["ending"])

    @property
    def position(self) -> dict[str, Any]:
        return dict(self._shown["facts"])

    def evaluate(self, seat: int) -> float:
        return float(self._shown["evaluation"][seat])

    def to_text(self) -> str:
        return str(self._shown["position"])

    def text(self, action: int) -> str:
        if action not in self._texts:
            return str(self._ask("text", action))
        return str(self._texts[action])

    def parse(self, text: str) -> int:
        single, *more = self.split_turn(text)
        if more:
            raise ValueError(f"'{text}' is more than one action")
        return next(action for action, written in self._texts.items() if written == single)

    def split_turn(self, text: str) -> Sequence[str]:
        singles: list[str] = self._ask("split", text)
        return singles

    def play(self, action: int | str) -> None:
        self._show(self._ask("play" if isinstance(action, str) else "act", action))

    def clone(self) -> State:
        copy = object.__new__(State)
        copy.game, copy._shown, copy._texts = self.game, self._shown, self._texts
        return copy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.game == other.game and self.to_text() == other.to_text()

    def __hash__(self) -> int:
        return hash(self.to_text())


def make(name: str, rules: Rules) -> Game:
    return Game(name, rules)


def game_seed(seed: int, game: int) -> int:
    """Belongs to batches of games."""
    raise NotImplementedError("a browser plays no batches of games")


def _written(value: bool | int | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
