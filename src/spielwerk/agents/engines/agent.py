"""Programs in any language as agents, over the engine protocol (docs/engine-protocol.md)."""

import shlex
import shutil
import time
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import ClassVar

from spielwerk.agents.engines.lines import (
    PROTOCOL_VERSION,
    Limits,
    MalformedLine,
    Thoughts,
    position_line,
    rules_line,
)
from spielwerk.agents.engines.process import EngineProcess
from spielwerk.agents.specs import Agent, Analysis, option
from spielwerk.border import quoted
from spielwerk.games import Game, State

# Beyond the milliseconds it was given: first it is asked to stop, then it has lost.
_SECONDS_BEFORE_STOP = 0.05
_SECONDS_BEYOND_MS = 5.0
_SECONDS_WITHOUT_MS = 60.0


@dataclass
class EngineAgent(Agent):
    """A program that speaks the engine protocol. It starts with the first question and again after a failure.

    Whatever it does wrong becomes an EngineError, a ValueError that says what happened.
    """

    kind: ClassVar[str] = "engine"
    summary: ClassVar[str] = "a program of your own that speaks the engine protocol"
    command: str = option("", "the program with its arguments")
    ms: float = option(0.0, "milliseconds per action; 0 for no limit of time")
    nodes: int = option(0, "positions to look at; 0 for no limit")
    depth: int = option(0, "actions to look ahead; 0 for no limit")
    startup: float = option(10.0, "seconds it may take to start and to get ready")
    timeout: float = option(0.0, "seconds until a move is given up; 0 for 5 more than ms, or 60 without ms")
    options: str = option("", "NAME=VALUE;NAME=VALUE, set in the program")
    _conversation: "_Conversation | None" = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        if min(self.ms, self.nodes, self.depth, self.timeout) < 0 or self.startup <= 0:
            raise ValueError("agent engine: limits must not be negative, and startup must be more than 0")
        self._words()

    def act(self, state: State) -> int:
        return self.decide(state)[0]

    def analyse(self, state: State) -> Analysis:
        return self.decide(state)[1]

    def decide(self, state: State) -> tuple[int, Analysis]:
        if state.player is None or state.player < 0:
            raise ValueError("no seat is to act in this position")
        try:
            return self._talk().think(state, Limits(self.ms, self.nodes, self.depth), self._seconds())
        except BaseException:  # an interrupt too must not leave a program that still thinks about this
            self._give_up()
            raise

    def plays(self, game: Game) -> bool:
        return self._talk().plays(game)

    def close(self) -> None:
        """Ends the program; the next question starts it again."""
        conversation, self._conversation = self._conversation, None
        if conversation is not None:
            conversation.end()

    def _give_up(self) -> None:
        conversation, self._conversation = self._conversation, None
        if conversation is not None:
            conversation.kill()

    def _talk(self) -> "_Conversation":
        if self._conversation is None:
            self._conversation = _Conversation(self._words(), self.command, self.startup, self._settings())
        return self._conversation

    def _words(self) -> list[str]:
        """The command in words. No shell ever sees it."""
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise ValueError(f"agent engine: '{quoted(self.command, 60)}' is no command: {error}") from None
        if not words:
            raise ValueError("agent engine: name a program, like engine:./my-program")
        if shutil.which(words[0]) is None:
            raise ValueError(f"agent engine: there is no program '{quoted(words[0], 60)}' that can be run")
        return words

    def _settings(self) -> dict[str, str]:
        pairs = [part.partition("=") for part in self.options.split(";") if part.strip()]
        if not all(name.strip() and equals for name, equals, _ in pairs):
            given = quoted(self.options, 60)
            raise ValueError(f"agent engine: options are written NAME=VALUE;NAME=VALUE, not '{given}'")
        return {name.strip(): value.strip() for name, _, value in pairs}

    def _seconds(self) -> float:
        return self.timeout or (self.ms / 1000 + _SECONDS_BEYOND_MS if self.ms else _SECONDS_WITHOUT_MS)


class _Conversation:
    """The talk with one running program, from its declaration to its end."""

    def __init__(self, words: list[str], name: str, startup: float, settings: dict[str, str]) -> None:
        self._process = EngineProcess(words, name)
        self._startup = startup
        self._options: set[str] = set()
        self._games: list[str] = []
        self._wants_legal = False
        self._game: Game | None = None
        self._declare()
        self._set(settings)

    def end(self) -> None:
        self._process.end()

    def kill(self) -> None:
        """Ends the program without asking it."""
        self._process.kill()

    def plays(self, game: Game) -> bool:
        """Whether the program has declared this ruleset."""
        return not self._games or any(fnmatchcase(game.name, pattern) for pattern in self._games)

    def think(self, state: State, limits: Limits, seconds: float) -> tuple[int, Analysis]:
        """The action it chooses and what it said about it."""
        self._get_ready(state)
        now = time.monotonic()
        deadline = now + seconds
        self._process.send(limits.line(), deadline=deadline)
        if limits.ms:
            stop_at = now + limits.ms / 1000 + _SECONDS_BEFORE_STOP
            return self._answer(state, stop_at, deadline)
        return self._answer(state, deadline, deadline)

    def _declare(self) -> None:
        deadline = time.monotonic() + self._startup
        self._process.send(f"spielwerk {PROTOCOL_VERSION}", deadline=deadline)
        while True:
            command, rest = self._line(deadline, "its declaration")
            match command:
                case "option":
                    self._options.add(rest.partition(" ")[0])
                case "game":
                    self._games.append(rest)
                case "want":
                    self._wants_legal = self._wants_legal or rest == "legal"
                case "protocol":
                    break
        if rest != str(PROTOCOL_VERSION):
            reason = f"speaks version '{quoted(rest, 20)}' of the protocol, not {PROTOCOL_VERSION}"
            raise self._process.failure("malformed", reason)

    def _set(self, settings: dict[str, str]) -> None:
        for name, value in settings.items():
            if name not in self._options:
                self._process.end()
                there = quoted(", ".join(sorted(self._options)) or "none", 200)
                raise ValueError(
                    f"engine '{self._process.name}' has no option '{quoted(name, 40)}'; there are: {there}"
                )
            self._process.send(f"setoption {name} {value}", deadline=time.monotonic() + self._startup)

    def _get_ready(self, state: State) -> None:
        lines = [position_line(state)]
        if self._game is None or state.game != self._game:
            if not self.plays(state.game):
                raise self._process.failure("refused", f"does not play {state.game.name}")
            lines.insert(0, rules_line(state.game))
            self._game = state.game
        if self._wants_legal:
            lines.append("legal " + " ".join(state.text(action) for action in state.legal_actions))
        deadline = time.monotonic() + self._startup
        self._process.send(*lines, "isready", deadline=deadline)
        while (line := self._line(deadline, "getting ready"))[0] != "readyok":
            if line[0] == "bestmove":
                raise self._process.failure("malformed", "gave a move that nobody had asked for")

    def _answer(self, state: State, stop_at: float, deadline: float) -> tuple[int, Analysis]:
        thoughts = Thoughts()
        while True:
            line = self._process.read_line(stop_at)
            if line is None and stop_at < deadline:
                self._process.send("stop", deadline=deadline)
                stop_at = deadline
                continue
            command, rest = self._read(line, "its move")
            if command == "info":
                try:
                    thoughts.read(rest)
                except MalformedLine as error:
                    raise self._process.failure("malformed", f"wrote nonsense: {quoted(str(error))}") from None
            elif command == "bestmove":
                action = self._action(state, rest)
                return action, thoughts.analysis(state, action)

    def _action(self, state: State, text: str) -> int:
        try:
            action = state.parse(text)
            state.clone().play(action)
        except ValueError as error:
            reason = f"played '{quoted(text, 40)}': {quoted(str(error), 200)}"
            raise self._process.failure("illegal", reason) from None
        return action

    def _line(self, deadline: float, what: str) -> tuple[str, str]:
        return self._read(self._process.read_line(deadline), what)

    def _read(self, line: str | None, what: str) -> tuple[str, str]:
        """A line's command and the rest of it."""
        if line is None:
            raise self._process.failure("silent", f"took too long over {what}")
        command, _, rest = line.partition(" ")
        if command == "error":
            raise self._process.failure("refused", f"says: {quoted(rest, 200)}")
        return command, rest.strip()
