"""Any agent as a program that speaks the engine protocol: what `spielwerk engine SPEC` runs."""

import json
import threading
from collections.abc import Callable
from importlib.metadata import version
from typing import IO, Any

from spielwerk.agents.engines.lines import (
    PROTOCOL_VERSION,
    Limits,
    MalformedLine,
    info_lines,
    inspected,
    read_position,
    read_rules,
)
from spielwerk.agents.specs import Agent, option_value, options_of, read_spec
from spielwerk.border import quoted
from spielwerk.games import Game, State, games, make

LONGEST_COMMAND = 1_000_000

# Commands from a file end before the last thought does; those of a killed program must not go on for ever.
_SECONDS_AFTER_THE_END = 1.0

# What a limit of `go` sets in an agent, whichever of these options it has.
_LIMIT_OPTIONS = {"ms": ("ms",), "nodes": ("nodes", "sims"), "depth": ("depth",)}


class EngineServer:
    """Reads commands and answers them. Thinking happens in a thread, so that `stop` and `isready` are heard."""

    def __init__(self, spec: str, kinds: dict[str, type[Agent]], answers: IO[str]) -> None:
        self._spec = spec
        self._kind, self._values = read_spec(spec, kinds)
        if self._kind.kind == "human":
            raise ValueError("the agent human asks at a terminal and cannot be an engine")
        self._agent = self._kind(**self._values)
        self._limits = Limits()
        self._answers = answers
        self._writing = threading.Lock()
        self._game: Game | None = None
        self._state: State | None = None
        self._thought: threading.Thread | None = None

    def serve(self, commands: IO[str]) -> None:
        """Answers until `quit`, or until nobody can ask any more."""
        while line := commands.readline(LONGEST_COMMAND):
            command, _, rest = line.strip().partition(" ")
            if command == "quit":
                break
            if command:
                self._answer(command, rest.strip())
        else:
            self._wait(_SECONDS_AFTER_THE_END)
        self._stop()

    def _answer(self, command: str, rest: str) -> None:
        try:
            match command:
                case "spielwerk":
                    self._declare()
                case "isready":
                    self._say("readyok")
                case "stop":
                    self._stop()
                case "legal":
                    pass  # we know them
                case _:
                    self._wait()
                    self._change(command)(rest)
        except ValueError as error:
            self._complain(error)

    def _change(self, command: str) -> Callable[[str], None]:
        changes = {
            "setoption": self._set,
            "rules": self._rules,
            "position": self._place,
            "inspect": self._inspect,
            "count": self._count,
            "go": self._go,
        }
        if command not in changes:
            raise MalformedLine(f"unknown command '{quoted(command, 40)}'")
        return changes[command]

    def _declare(self) -> None:
        self._say(f"id name spielwerk {version('spielwerk')} {self._spec}", "id author the authors of spielwerk")
        for entry in options_of(self._kind):
            default = "-" if entry.default in (None, "") else entry.default
            self._say(f"option {entry.name} {entry.type} {default} {entry.help}")
        self._say(*(f"game {name}" for name in games() if self._agent.plays(make(name))))
        self._say("can inspect", "can count", f"protocol {PROTOCOL_VERSION}")

    def _set(self, rest: str) -> None:
        name, _, text = rest.partition(" ")
        known = {entry.name: entry for entry in options_of(self._kind)}
        if name not in known:
            raise MalformedLine(f"no option '{quoted(name, 40)}'; there are: {', '.join(known) or 'none'}")
        values = self._values | {name: option_value(self._spec, known[name], text.strip())}
        self._agent, self._values, self._limits = self._kind(**values), values, Limits()

    def _rules(self, rest: str) -> None:
        self._game, self._state = read_rules(rest), None

    def _place(self, rest: str) -> None:
        if self._game is None:
            raise MalformedLine("rules come before a position")
        self._state = None
        self._state = read_position(self._game, rest)

    def _inspect(self, _rest: str) -> None:
        self._say(f"inspected {json.dumps(inspected(self._placed('inspect')))}")

    def _count(self, rest: str) -> None:
        state = self._placed("count")
        if not rest.isdecimal() or not 1 <= len(rest) <= 2:
            raise MalformedLine("count needs a number of actions, 1 to 99")
        self._say(f"counted {state.perft(int(rest))}")

    def _placed(self, command: str) -> State:
        if self._state is None:
            raise MalformedLine(f"a position comes before {command}")
        return self._state

    def _go(self, rest: str) -> None:
        state = self._placed("go")
        limits = Limits.read(rest)
        if limits != self._limits:  # else it keeps what it has learnt in this game
            self._agent, self._limits = self._kind(**self._values | self._limited(limits)), limits
        self._thought = threading.Thread(target=self._think, args=(state.clone(),), daemon=True)
        self._thought.start()

    def _limited(self, limits: Limits) -> dict[str, Any]:
        """The options that limits set in this kind of agent: all of them, once one is given that it has."""
        known = {entry.name for entry in options_of(self._kind)}
        given = {"ms": limits.ms, "nodes": limits.nodes, "depth": limits.depth}
        options = {name: given[limit] for limit, names in _LIMIT_OPTIONS.items() for name in names if name in known}
        return options if any(options.values()) else {}

    def _think(self, state: State) -> None:
        try:
            action, analysis = self._agent.decide(state)
        except Exception as error:  # whatever an agent does, the protocol goes on
            self._complain(error)
        else:
            self._say(*info_lines(analysis), f"bestmove {state.text(action)}")

    def _stop(self) -> None:
        """Until it has answered: a search that has not quite begun would not hear a single call."""
        while self._thought is not None and self._thought.is_alive():
            self._agent.stop()
            self._thought.join(0.01)

    def _wait(self, seconds: float | None = None) -> None:
        if self._thought is not None:
            self._thought.join(seconds)

    def _complain(self, error: Exception) -> None:
        self._say("error " + (quoted(str(error), 500) or type(error).__name__))

    def _say(self, *lines: str) -> None:
        with self._writing:
            self._answers.write("".join(f"{line}\n" for line in lines))
            self._answers.flush()
