"""What an agent is, and how a one-line spec becomes one.

A spec is ``kind`` or ``kind:option=value,option=value``; the first option may be given by its value alone
(``network:pferdeaepfel/classic``), and a value with commas in it stands in double quotes
(``engine:"spielwerk engine mcts:sims=100,seed=1"``). Each kind is a dataclass whose fields are its
options; the table of options in the command line and the docs is read off those fields.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from spielwerk import _core
from spielwerk.border import plain_line, quoted
from spielwerk.games import Game, State

LONGEST_SPEC = 4000
MOST = 10**15  # of milliseconds, nodes, simulations: more than any machine will see

# Parts of a spec: up to the next comma that is not inside double quotes.
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_PARTS = re.compile(rf"(?:{_QUOTED.pattern}|[^,])+")


def option(default: Any, help: str) -> Any:
    """A field of an agent that a spec may set."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Line:
    """One way to go on: its actions in notation, its value for the seat to act, and how well it is known."""

    actions: list[str]
    value: float
    visits: int = 0
    proved: bool = False
    distance: int | None = None
    """Actions until the game ends, both sides playing their best, where that is exactly known."""
    policy: float | None = None
    """The probability that a network gives the first action before any search; None without a network."""


@dataclass(frozen=True)
class Analysis:
    """What an agent thinks of a position, best line first."""

    lines: list[Line]
    nodes: int = 0
    depth: int = 0
    milliseconds: float = 0.0
    proved: bool = False


def analysis_of(state: State, report: _core.Report) -> Analysis:
    """A search's report in notation."""
    lines = [Line(texts_along(state, line.actions), line.value, line.visits, line.proved) for line in report.lines]
    return Analysis(lines, report.nodes, report.depth, report.milliseconds, report.proved)


def texts_along(state: State, actions: list[int]) -> list[str]:
    """The notation of actions that follow one another, as far as no die falls between them."""
    state, texts = state.clone(), []
    for action in actions:
        texts.append(state.text(action))
        state.play(action)
        if state.fallen or state.over or state.player == _core.CHANCE:
            break
    return texts


@dataclass
class Agent(ABC):
    """Chooses actions. Reads whose turn it is from the state, never from anywhere else."""

    kind: ClassVar[str]
    summary: ClassVar[str]

    @abstractmethod
    def act(self, state: State) -> int:
        """The action to play for the seat that is to act."""

    def analyse(self, state: State) -> Analysis:
        """What the agent thinks of the position; here, each action's position as the heuristic sees it."""
        return analysis_of(state, _core.one_ply(state, seed=0))

    def decide(self, state: State) -> tuple[int, Analysis]:
        """The action to play and what the agent thinks of the position."""
        return self.act(state), self.analyse(state)

    def plays(self, game: Game) -> bool:
        """Whether it can play this game at all."""
        return True

    def weights(self, game: Game) -> bytes:
        """The numbers of the network that it thinks with in this game; nothing where it has none."""
        return b""

    def stop(self) -> None:  # noqa: B027, most have nothing to stop
        """Asks the thought that another thread is waiting for to come to its end."""

    def forget(self) -> None:  # noqa: B027, most remember nothing
        """Forgets what earlier positions taught it and draws as if it were new."""

    @property
    def spec(self) -> str:
        """The spec that makes this agent again."""
        values = [f"{name}={_quoted(str(getattr(self, name)))}" for name in _changed_options(self)]
        return self.kind + (":" + ",".join(values) if values else "")


@dataclass(frozen=True)
class Option:
    """One option of an agent kind, as the command line shows it."""

    name: str
    type: str
    default: Any
    help: str


def options_of(kind: type[Agent]) -> list[Option]:
    """The options a spec of this kind may set."""
    return [
        Option(entry.name, _type_name(entry.type), entry.default, entry.metadata["help"])
        for entry in fields(kind)
        if "help" in entry.metadata
    ]


def _changed_options(agent: Agent) -> list[str]:
    return [entry.name for entry in options_of(type(agent)) if getattr(agent, entry.name) != entry.default]


def from_spec(spec: str, kinds: dict[str, type[Agent]]) -> Agent:
    """The agent a spec describes; ValueError naming what is allowed when it describes none."""
    kind, values = read_spec(spec, kinds)
    return kind(**values)


def read_spec(spec: str, kinds: dict[str, type[Agent]]) -> tuple[type[Agent], dict[str, Any]]:
    """The kind that a spec names and the options it sets."""
    if not isinstance(spec, str):
        raise ValueError(f"an agent is named by a text like 'greedy', not {type(spec).__name__}")
    name, _, rest = plain_line(spec, "the spec of an agent", LONGEST_SPEC).partition(":")
    if name not in kinds:
        raise ValueError(f"unknown agent '{quoted(name, 40)}'; there are: {', '.join(sorted(kinds))}")
    return kinds[name], _values(spec, rest, kinds[name])


def _values(spec: str, rest: str, kind: type[Agent]) -> dict[str, Any]:
    known = {entry.name: entry for entry in options_of(kind)}
    values = {}
    for position, part in enumerate(_PARTS.findall(rest)):
        name, equals, text = part.partition("=")
        alone = not equals or not name.isidentifier()
        if position == 0 and alone and (first := _first_text(known)):
            name, equals, text = first, "=", part
        if name not in known or not equals:
            allowed = ", ".join(f"{entry.name}=…" for entry in known.values()) or "none"
            raise ValueError(f"agent '{quoted(spec, 60)}': no option '{quoted(part, 40)}'; options are: {allowed}")
        values[name] = option_value(spec, known[name], _unquoted(text))
    return values


def _quoted(text: str) -> str:
    if "," not in text and '"' not in text:
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _unquoted(text: str) -> str:
    if _QUOTED.fullmatch(text):
        return text[1:-1].replace('""', '"')
    return text


def _first_text(known: dict[str, Option]) -> str:
    """The option that may stand alone: the first, if it is a text."""
    first = next(iter(known.values()), None)
    return first.name if first and first.type == "str" else ""


def option_value(spec: str, entry: Option, text: str) -> Any:
    """What a text sets an option to; ValueError for what is no number or beyond its limits."""
    with suppress(ValueError):
        value = _CONVERTERS[entry.type](text)
        if _within_limits(entry, value):
            return value
    raise ValueError(f"agent '{quoted(spec, 60)}': {entry.name} must be {_wanted(entry)}, not '{quoted(text, 40)}'")


def _within_limits(entry: Option, value: Any) -> bool:
    """Seeds, the only numbers without a default, may be any; other numbers are amounts. NaN is within no limits."""
    return isinstance(value, str) or entry.default is None or bool(0 <= value <= MOST)


def _wanted(entry: Option) -> str:
    wanted = {"int": "a whole number", "float": "a number", "str": "a text"}[entry.type]
    return wanted if entry.type == "str" or entry.default is None else f"{wanted} from 0 to {MOST:g}"


def _type_name(annotation: Any) -> str:
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return str(name).removesuffix(" | None")


_CONVERTERS: dict[str, Callable[[str], Any]] = {"int": int, "float": float, "str": str}
