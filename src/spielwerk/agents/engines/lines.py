"""The lines of the engine protocol, as either side writes and reads them; docs/engine-protocol.md has the grammar."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from spielwerk.agents.specs import Analysis, Line
from spielwerk.border import quoted
from spielwerk.errors import IllegalAction
from spielwerk.games import CHANCE, Game, State, games, make, rule_value
from spielwerk.records import Record

PROTOCOL_VERSION = 1
MOST_LINES = 10_000
_MOST_DIGITS = 18


class MalformedLine(ValueError):
    """A line that does not follow the grammar."""


# -- rules and positions ----------------------------------------------------------------------------


def rules_line(game: Game) -> str:
    """`rules pferdeaepfel/trail size=8 …`, with every parameter."""
    return " ".join(["rules", game.name, *(f"{name}={_value_text(value)}" for name, value in game.rules.items())])


def read_rules(rest: str) -> Game:
    """The game that the words after `rules` describe."""
    name, *texts = rest.split() or [""]
    if name not in games():
        raise MalformedLine(f"unknown ruleset '{quoted(name, 60)}'; there are: {', '.join(games())}")
    parameters = {parameter.name: parameter for parameter in make(name).parameters}
    rules = {}
    for text in texts:
        parameter, equals, value = text.partition("=")
        if parameter not in parameters or not equals:
            raise MalformedLine(f"{name} has no parameter '{quoted(text, 40)}'; it has: {', '.join(parameters)}")
        rules[parameter] = rule_value(parameters[parameter], value)
    return make(name, **rules)


def position_line(state: State) -> str:
    """`position text …`: a position is all there is to know, no game here remembers more."""
    return f"position text {state.to_text()}"


def read_position(game: Game, rest: str) -> State:
    """The position that the words after `position` describe; its dice, where any are to fall, are private."""
    first, _, moves = f" {rest} ".partition(" moves ")
    form, _, text = first.strip().partition(" ")
    if form not in ("start", "text") or (form == "start") == bool(text):
        raise MalformedLine("a position is 'start' or 'text TEXT', each with 'moves ACTION …' if there are any")
    reached = Record(game.name, game.rules, moves.split(), game.rules_version, start=text or None).replay()
    if reached.player is None or reached.player < 0:
        return reached
    return game.from_text(reached.to_text())


def _value_text(value: bool | int | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# -- limits -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Limits:
    """How long to think about one action; 0 means no such limit."""

    ms: float = 0.0
    nodes: int = 0
    depth: int = 0

    def line(self) -> str:
        """`go ms 100 …`"""
        given = {"ms": self.ms, "nodes": self.nodes, "depth": self.depth}
        return " ".join(["go", *(f"{name} {limit}" for name, limit in given.items() if limit)])

    @classmethod
    def read(cls, rest: str) -> "Limits":
        """The limits that the words after `go` set."""
        words = iter(rest.split())
        limits: dict[str, float] = {}
        for name in words:
            if name not in ("ms", "nodes", "depth"):
                raise MalformedLine(f"unknown limit '{quoted(name, 40)}'; there are: ms, nodes, depth")
            limits[name] = _number(words) if name == "ms" else _count(words)
        return cls(limits.get("ms", 0.0), int(limits.get("nodes", 0)), int(limits.get("depth", 0)))


# -- thoughts ---------------------------------------------------------------------------------------


def info_lines(analysis: Analysis) -> Iterator[str]:
    """An analysis as `info` lines, best last: whoever reads only one of them reads the right one."""
    for number in range(len(analysis.lines), 0, -1):
        line = analysis.lines[number - 1]
        known = f"visits {line.visits}" + (" proved" if line.proved else "")
        known += "" if line.distance is None else f" distance {line.distance}"
        yield f"info line {number} value {line.value!r} {known} pv {' '.join(line.actions)}"
    proved = " proved" if analysis.proved else ""
    yield f"info depth {analysis.depth} nodes {analysis.nodes} ms {analysis.milliseconds!r}{proved}"


@dataclass
class Thoughts:
    """What `info` lines have said so far; a line that comes again replaces the earlier one."""

    lines: dict[int, Line] = field(default_factory=dict)
    nodes: int = 0
    depth: int = 0
    milliseconds: float = 0.0
    proved: bool = False

    def read(self, rest: str) -> None:
        """Takes in the words after `info`."""
        if rest.startswith("string"):
            return
        about, has_pv, pv = f" {rest} ".partition(" pv ")
        fields = _info_fields(iter(about.split()))
        self.depth = int(fields.get("depth", self.depth))
        self.nodes = int(fields.get("nodes", self.nodes))
        self.milliseconds = fields.get("ms", self.milliseconds)
        if not has_pv:
            self.proved = "proved" in fields
            return
        number, actions = int(fields.get("line", 1)), pv.split()
        if not actions or not 1 <= number <= MOST_LINES:
            raise MalformedLine(f"a line has actions and a number from 1 to {MOST_LINES}")
        self.lines[number] = Line(
            actions,
            fields.get("value", 0.0),
            int(fields.get("visits", 0)),
            proved="proved" in fields,
            distance=int(fields["distance"]) if "distance" in fields else None,
        )

    def analysis(self, state: State, action: int) -> Analysis:
        """The thoughts as an analysis whose first line begins with the action that was chosen."""
        lines = [line for number in sorted(self.lines) if (line := _playable(state, self.lines[number])).actions]
        chosen = state.text(action)
        first = next((line for line in lines if line.actions[0] == chosen), _bare_line(state, action))
        rest = [line for line in lines if line is not first]
        return Analysis([first, *rest], self.nodes, self.depth, self.milliseconds, self.proved)


def _info_fields(words: Iterator[str]) -> dict[str, float]:
    fields: dict[str, float] = {}
    for name in words:
        match name:
            case "depth" | "nodes" | "line" | "visits" | "distance":
                fields[name] = _count(words)
            case "ms":
                fields[name] = _number(words)
            case "value":
                fields[name] = _number(words, lowest=-1.0, highest=1.0)
            case "proved":
                fields[name] = True
            case _:
                raise MalformedLine(f"'{quoted(name, 40)}' is nothing that an info line tells")
    return fields


def _playable(state: State, line: Line) -> Line:
    """The line as far as the rules allow it and no die falls."""
    state, actions = state.clone(), []
    for text in line.actions:
        try:
            action = state.parse(text)
            canonical = state.text(action)
            state.play(action)
        except IllegalAction:
            break
        actions.append(canonical)
        if state.fallen or state.over or state.player == CHANCE:
            break
    return replace(line, actions=actions)


def _bare_line(state: State, action: int) -> Line:
    """An action without a line of its own, as the game's heuristic sees it."""
    after = state.clone()
    after.play(action)
    return Line([state.text(action)], after.evaluate(state.player or 0))


# -- numbers ----------------------------------------------------------------------------------------


def _count(words: Iterator[str]) -> int:
    text = next(words, "")
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
        raise MalformedLine(f"'{quoted(text, 40)}' is no whole number")
    return int(text)


def _number(words: Iterator[str], lowest: float = 0.0, highest: float = 1e12) -> float:
    text = next(words, "")
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not lowest <= number <= highest:
        raise MalformedLine(f"'{quoted(text, 40)}' is no number from {lowest:g} to {highest:g}")
    return number


def inspected(state: State) -> dict[str, Any]:
    """A position as `inspect` and the conformance kit describe it."""
    player = "chance" if state.player == CHANCE else state.player
    seen = {"text": state.to_text(), "player": player, "legal": sorted(map(state.text, state.legal_actions))}
    return seen | ({"result": state.outcome.to_json()} if state.outcome is not None else {})
