"""The conformance kit: what an implementation of the rules must say, as data that any language can read.

`conformance/README.md` tells the format. Here a kit is made from the core, and the core or any engine is held to it.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import time
from collections.abc import Iterator
from typing import Any

from spielwerk.agents.engines.lines import PROTOCOL_VERSION, inspected, rules_line
from spielwerk.agents.engines.process import EngineProcess
from spielwerk.errors import IllegalAction
from spielwerk.games import Game, State, make
from spielwerk.render.scene import Lang

VERSION = 1
Case = dict[str, Any]

_SECONDS = 30.0  # for one answer of an engine


# -- what is seen of a position ----------------------------------------------------------------------


def observation_digest(state: State, seat: int) -> str:
    """SHA-256 of the planes' bytes, row by row."""
    return hashlib.sha256(state.observation(seat).tobytes()).hexdigest()


def picture_digest(state: State, language: Lang) -> str:
    """SHA-256 of the SVG."""
    from spielwerk.render import svg_of

    return hashlib.sha256(svg_of(state, lang=language).encode()).hexdigest()


def position_after(game: Game, moves: list[str]) -> State:
    """The position after moves from the start, dice included."""
    state = game.start(seed=0, chance="explicit")
    for move in moves:
        state.play(move)
    return state


# -- our own core ------------------------------------------------------------------------------------


def core_problems(case: Case) -> Iterator[str]:
    """Where the core says something else than the kit."""
    game = make(case["game"], **case["rules"])
    if game.rules_version != case["rules_version"]:
        yield f"the kit is of rules version {case['rules_version']}, the core of {game.rules_version}"
        return
    start = position_after(game, [])
    for depth, count in enumerate(case["counts"], start=1):
        yield from _unequal(f"count {depth}", start.perft(depth), count)
    for number, played in enumerate(case["games"], start=1):
        yield from _game_problems(game, played, f"game {number}")
    for refusal in case["refusals"]:
        yield from _unequal(f"refusal of {refusal['action']}", _refusal(game, refusal), refusal)
    for seen in case["observations"]:
        state = position_after(game, seen["moves"])
        yield from _unequal("observation", observation_digest(state, seen["seat"]), seen["sha256"])
        if "planes" in seen:
            yield from _unequal("planes", state.observation(seen["seat"]).tolist(), seen["planes"])
    for seen in case["pictures"]:
        digest = picture_digest(position_after(game, seen["moves"]), seen["language"])
        yield from _unequal("picture", digest, seen["sha256"])


def _game_problems(game: Game, played: dict[str, Any], name: str) -> Iterator[str]:
    state = position_after(game, [])
    for ply, seen in enumerate(played["positions"]):
        yield from _unequal(f"{name}, after {ply} actions", inspected(state), seen)
        if ply < len(played["actions"]):
            state.play(played["actions"][ply])


def _refusal(game: Game, refusal: dict[str, Any]) -> dict[str, Any]:
    state = position_after(game, refusal["moves"])
    try:
        state.play(refusal["action"])
    except IllegalAction as error:
        return refusal | {"code": error.code, "reason": error.reason}
    return refusal | {"code": "", "reason": "it was played"}


def _unequal(what: str, found: Any, wanted: Any) -> Iterator[str]:
    if found != wanted:
        yield f"{what}: {_short(found)}, not {_short(wanted)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else text[:300] + "…"


# -- any engine --------------------------------------------------------------------------------------


class EngineUnderTest:
    """A program that is asked over the engine protocol.

    One that declares `can inspect` and `can count` is held to everything it can say; of any other only that
    it plays legal actions and refuses illegal ones.
    """

    def __init__(self, command: str) -> None:
        self._process = EngineProcess(shlex.split(command), command)
        self._can: set[str] = set()
        self._send(f"spielwerk {PROTOCOL_VERSION}")
        while not (line := self._line()).startswith("protocol"):
            if line.startswith("can "):
                self._can.add(line.removeprefix("can "))

    def close(self) -> None:
        self._process.end()

    def problems(self, case: Case) -> Iterator[str]:
        """Where the engine says something else than the kit."""
        self._send(rules_line(make(case["game"], **case["rules"])))
        if "count" in self._can:
            yield from self._count_problems(case)
        for number, played in enumerate(case["games"], start=1):
            yield from self._game_problems(played, f"game {number}")
        for refusal in case["refusals"]:
            self._place([*refusal["moves"], refusal["action"]])
            if not self._complains():
                yield f"{refusal['action']} after {' '.join(refusal['moves']) or 'the start'} was not refused"

    def _count_problems(self, case: Case) -> Iterator[str]:
        self._place([])
        for depth, count in enumerate(case["counts"], start=1):
            self._send(f"count {depth}")
            yield from _unequal(f"count {depth}", self._answer("counted"), str(count))

    def _game_problems(self, played: dict[str, Any], name: str) -> Iterator[str]:
        for ply, seen in enumerate(played["positions"]):
            where = f"{name}, after {ply} actions"
            self._place(played["actions"][:ply])
            if "inspect" in self._can:
                self._send("inspect")
                yield from _unequal(where, json.loads(self._answer("inspected")), seen)
            elif isinstance(seen["player"], int):
                self._send("legal " + " ".join(seen["legal"]), "go nodes 1")
                move = self._answer("bestmove")
                if move not in seen["legal"]:
                    yield f"{where}: it played {_short(move)}, which is not legal"

    def _place(self, moves: list[str]) -> None:
        self._send(" ".join(["position start", *(["moves", *moves] if moves else [])]))

    def _complains(self) -> bool:
        self._send("isready")
        complained = False
        while (line := self._line()) != "readyok":
            complained = complained or line.startswith("error")
        return complained

    def _answer(self, word: str) -> str:
        while not (line := self._line()).startswith(f"{word} "):
            if line.startswith("error"):
                raise self._process.failure("refused", f"answered '{line[:200]}' where '{word} …' was due")
        return line.removeprefix(f"{word} ").strip()

    def _send(self, *lines: str) -> None:
        self._process.send(*lines, deadline=time.monotonic() + _SECONDS)

    def _line(self) -> str:
        line = self._process.read_line(time.monotonic() + _SECONDS)
        if line is None:
            raise self._process.failure("silent", f"did not answer within {_SECONDS:.0f} seconds")
        return line


def read_kit(text: str, name: str) -> list[Case]:
    """The cases of a kit's file; ValueError when it is none of this version."""
    try:
        kit = json.loads(text)
        if kit["kit"] != VERSION:
            raise ValueError(f"{name} is a kit of version {kit['kit']}; this release reads version {VERSION}")
        cases: list[Case] = kit["cases"]
        for case in cases:
            make(case["game"], **case["rules"])
    except (json.JSONDecodeError, KeyError, TypeError):
        raise ValueError(f"{name} is no conformance kit") from None
    return cases
