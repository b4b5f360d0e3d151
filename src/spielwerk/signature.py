"""One hash over everything that must be the same on every build and machine.

It covers what can be computed here in seconds: the rules and their results, action sequences counted, heuristics,
searches with node limits, pictures, observations, and the answers of the shipped networks, rounded because
processors add in different orders. `signature.json` holds what this release's parts must be.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielwerk import _core
from spielwerk.games import Game, State, games, make

PINNED = Path(__file__).with_suffix(".json")
NETWORKS_MISSING = "onnxruntime is not installed"

_GAMES = 3  # of every ruleset
_PLIES = 240  # of a game; those of Ludo go on
_SAMPLE = 9  # every so many plies a position is looked at closely
_SEARCHED = 4  # positions of every ruleset
_NODES = 150
_MOST_SEQUENCES = 20_000
_DECIMALS = 2  # of a network's answers


@dataclass(frozen=True)
class Signature:
    """A digest for every part; `missing` says why parts are left out."""

    parts: dict[str, str]
    missing: dict[str, str]

    @property
    def digest(self) -> str:
        """The parts in one; comparable only between signatures of the same parts."""
        return _digest(sorted(self.parts.items()))

    def differences(self) -> list[str]:
        """The parts that are not what this release pins."""
        pinned: dict[str, str] = json.loads(PINNED.read_text())
        return [name for name, digest in self.parts.items() if pinned.get(name) != digest]


def signature() -> Signature:
    present = {name: facts for name, facts in _PARTS.items() if name != "networks" or _has_networks()}
    missing = {} if _has_networks() else {"networks": NETWORKS_MISSING}
    return Signature({name: _digest(list(facts())) for name, facts in present.items()}, missing)


def core_digest() -> str:
    """Of what the compiled core decides in games, in a tenth of a second."""
    return _digest([_digest(list(_PARTS[name]())) for name in ("rules", "counts", "heuristics", "searches")])


def _has_networks() -> bool:
    try:
        return importlib.util.find_spec("onnxruntime") is not None
    except ValueError:  # find_spec raises it for modules that are blocked
        return False


def _digest(facts: Any) -> str:
    return hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode()).hexdigest()[:16]


# -- fixed games -------------------------------------------------------------------------------------


def _rulesets() -> list[Game]:
    small = {"diavolo": {"side": 5}, "pferdeaepfel": {"size": 6}}
    return [
        make(name, **rules)
        for name in games()
        for rules in ({}, small.get(name.partition("/")[0]))
        if rules is not None
    ]


def _positions(game: Game) -> Iterator[State]:
    """The positions of fixed games, dice included; what is played needs no random numbers of any library."""
    for number in range(_GAMES):
        state = game.start(seed=number, chance="explicit")
        for ply in range(_PLIES):
            yield state
            if state.over:
                break
            actions = state.legal_actions
            state.play(actions[(ply * ply + 7 * ply + 5 * number) % len(actions)])


def _samples(game: Game) -> list[State]:
    return [state.clone() for ply, state in enumerate(_positions(game)) if ply % _SAMPLE == 0]


def _decisions(game: Game) -> list[State]:
    return [state for state in _samples(game) if state.player is not None and state.player >= 0]


# -- parts -------------------------------------------------------------------------------------------


def _rules() -> Iterator[Any]:
    for game in _rulesets():
        yield game.name, game.rules, game.rules_version, game.sides, game.num_actions, game.max_plies
        for state in _positions(game):
            legal = [state.text(action) for action in state.legal_actions]
            yield state.to_text(), state.player, legal, state.returns, state.points, state.reason


def _counts() -> Iterator[Any]:
    for game in _rulesets():
        state, depth, count = game.start(seed=0, chance="explicit"), 0, 1
        while 0 < count < _MOST_SEQUENCES and depth < 12:
            depth += 1
            count = state.perft(depth)
            yield game.name, depth, count


def _heuristics() -> Iterator[Any]:
    for game in _rulesets():
        for state in _samples(game):
            yield [state.evaluate(seat).hex() for seat in range(game.num_players)]


def _searches() -> Iterator[Any]:
    for game in map(make, games()):
        searches = [_core.mcts(game), _core.expectimax(game)]
        if not game.has_chance and game.num_players == 2:
            searches.append(_core.alphabeta(game))
        for state in _decisions(game)[:_SEARCHED]:
            for search in searches:
                report = search.search(state, nodes=_NODES, seed=1)
                lines = [(line.actions, line.value.hex(), line.visits) for line in report.lines]
                yield report.nodes, report.depth, lines


def _pictures() -> Iterator[Any]:
    from spielwerk.render import svg_of

    for game in map(make, games()):
        for state in _samples(game)[:2]:
            yield [svg_of(state, lang=language) for language in ("en", "de")]


def _observations() -> Iterator[Any]:
    for game in _rulesets():
        yield [(plane.name, plane.maximum) for plane in game.planes], game.observation_shape
        for state in _samples(game):
            yield [state.observation(seat).tobytes().hex() for seat in range(game.num_players)]


def _networks() -> Iterator[Any]:
    from spielwerk.agents.network import load_model, shipped_models

    for name in shipped_models():
        model = load_model(name)
        for state in _decisions(model.game)[1:3]:
            logits, values = model.answers(model.game, state.observation(state.player or 0)[None])
            legal = [(float(logits[0][action]), state.text(action)) for action in state.legal_actions]
            yield name, max(legal)[1], round(float(values[0]), _DECIMALS) + 0.0


_PARTS: dict[str, Callable[[], Iterator[Any]]] = {
    "rules": _rules,
    "counts": _counts,
    "heuristics": _heuristics,
    "searches": _searches,
    "pictures": _pictures,
    "observations": _observations,
    "networks": _networks,
}
