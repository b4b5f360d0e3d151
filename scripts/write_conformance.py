"""Writes the conformance kit, conformance/*.json, from the core; tests hold the naive rule followers to it."""

import json
import random
from pathlib import Path
from typing import Any

from spielwerk.agents.engines.lines import inspected
from spielwerk.conformance import VERSION, observation_digest, picture_digest, position_after
from spielwerk.errors import IllegalAction
from spielwerk.games import Game, make

FOLDER = Path(__file__).parents[1] / "conformance"
MOST_SEQUENCES = 300_000
MOST_DEPTH = 14
MOST_REFUSALS = 12

Rules = dict[str, Any]


def _pferdeaepfel() -> list[tuple[str, Rules]]:
    cases: list[tuple[str, Rules]] = []
    for ruleset in ("free", "free-place-first", "trail", "classic", "classic-24", "original", "carry"):
        starters: list[Rules] = [{"starter": "white"}, {"starter": "black"}] if ruleset == "carry" else [{}]
        variants: list[Rules] = [{"size": size} for size in range(3, 9)]
        variants.append({"size": 5, "white_start": "b2", "black_start": "c4"})
        if ruleset in ("classic", "classic-24", "original", "carry"):
            supplies = [(3, 3, 2), (4, 3, 2), (4, 2, 4), (5, 4, 2), (6, 7, 5), (8, 2, 1)]
            variants += [{"size": size, "brown": brown, "golden": golden} for size, brown, golden in supplies]
        cases += [(f"pferdeaepfel/{ruleset}", rules | starter) for rules in variants for starter in starters]
    return cases


def _ludo() -> list[tuple[str, Rules]]:
    ffa: list[Rules] = [
        {},
        {"players": 2},
        {"players": 3, "max_plies": 120},
        {"players": 2, "colours": "green,blue", "max_plies": 120},
        {"players": 2, "exact_finish": True},
        {"again_on_six": False, "again_on_capture": False, "max_plies": 120},
        {"players": 3, "ranking": True},
        {"max_plies": 40},
    ]
    teams: list[Rules] = [{}, {"exact_finish": True, "max_plies": 120}, {"again_on_capture": False, "max_plies": 120}]
    return [("ludo/ffa", rules) for rules in ffa] + [("ludo/teams", rules) for rules in teams]


def _diavolo() -> list[tuple[str, Rules]]:
    return [("diavolo/standard", {"side": side}) for side in (3, 4, 5, 6, 8)]


def _case(name: str, rules: Rules) -> dict[str, Any]:
    game = make(name, **rules)
    actions = _actions(game)
    moments = sorted({0, len(actions) // 3, len(actions) * 2 // 3, len(actions)})
    return {
        "game": name,
        "rules": game.rules,
        "rules_version": game.rules_version,
        "counts": _counts(game),
        "games": [_game(game, actions)],
        "refusals": _refusals(game, actions),
        "observations": [_observation(game, actions[:ply], rules) for ply in moments],
        "pictures": [_picture(game, actions[:ply]) for ply in moments[1:2]],
    }


def _counts(game: Game) -> list[int]:
    state, counts = position_after(game, []), [1]
    while 0 < counts[-1] < MOST_SEQUENCES // 10 and len(counts) <= MOST_DEPTH:
        counts.append(state.perft(len(counts)))
    return counts[1:]


def _actions(game: Game) -> list[str]:
    """A random game, by numbers that every release of Python draws alike."""
    source = random.Random(f"{game.name} {sorted(game.rules.items())}")
    state, actions = position_after(game, []), []
    while not state.over:
        legal = sorted(map(state.text, state.legal_actions))
        actions.append(legal[int(source.random() * len(legal))])
        state.play(actions[-1])
    return actions


def _game(game: Game, actions: list[str]) -> dict[str, Any]:
    state = position_after(game, [])
    positions = [inspected(state)]
    for action in actions:
        state.play(action)
        positions.append(inspected(state))
    return {"actions": actions, "positions": positions}


def _refusals(game: Game, actions: list[str]) -> list[dict[str, Any]]:
    """The first refusal of every kind along the game."""
    found: dict[str, dict[str, Any]] = {}
    for ply in range(min(len(actions), 60) + 1):
        state = position_after(game, actions[:ply])
        if state.over or state.player is None or state.player < 0:
            continue
        for action in set(range(game.num_actions)) - set(state.legal_actions):
            text = state.text(action)
            try:
                state.play(text)
            except IllegalAction as error:
                refusal = {"moves": actions[:ply], "action": text, "code": error.code, "reason": error.reason}
                found.setdefault(error.code, refusal)
    return list(found.values())[:MOST_REFUSALS]


def _observation(game: Game, moves: list[str], rules: Rules) -> dict[str, Any]:
    state = position_after(game, moves)
    seat = len(moves) % game.num_players
    seen = {"moves": moves, "seat": seat, "sha256": observation_digest(state, seat)}
    whole = rules.get("size", rules.get("side")) == 3 or rules == {"players": 2}
    return seen | ({"planes": state.observation(seat).tolist()} if whole and moves else {})


def _picture(game: Game, moves: list[str]) -> dict[str, Any]:
    state = position_after(game, moves)
    return {"moves": moves, "language": "en", "sha256": picture_digest(state, "en")}


def kit_text(cases: list[tuple[str, Rules]]) -> str:
    """The file of these cases, one line each, so that a difference names its case."""
    lines = [json.dumps(_case(name, rules), ensure_ascii=False, separators=(",", ":")) for name, rules in cases]
    return f'{{"kit": {VERSION}, "cases": [\n' + ",\n".join(lines) + "\n]}\n"


KITS = {"pferdeaepfel": _pferdeaepfel, "ludo": _ludo, "diavolo": _diavolo}


def main() -> None:
    for name, cases in KITS.items():
        (FOLDER / f"{name}.json").write_text(kit_text(cases()), encoding="utf-8")


if __name__ == "__main__":
    main()
