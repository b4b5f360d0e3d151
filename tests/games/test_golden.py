"""Golden playthroughs: complete games written down once, ply by ply, that every later version must still play alike.

A golden file is `golden/GAME/NAME.json`: the ruleset and its parameters, the result, and for every ply who
acted, what was legal and what was played (dice are plies of their own). Any game that adds files is tested.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw

FOLDER = Path(__file__).parent / "golden"
FILES = sorted(FOLDER.glob("*/*.json"))


def load(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record


def opening(record: dict[str, Any]) -> sw.State:
    return sw.make(record["game"], **record["rules"]).start(seed=0, chance="explicit")


def test_there_are_golden_playthroughs() -> None:
    assert FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_playthrough_still_holds(path: Path) -> None:
    record = load(path)
    state = opening(record)
    for number, ply in enumerate(record["plies"], start=1):
        legal = sorted(map(state.text, state.legal_actions))
        assert (number, state.player, legal) == (number, ply["player"], ply["legal"].split())
        state.play(ply["action"])
    assert state.over
    assert state.winner == tuple(record["winner"])
    assert state.points == tuple(record["points"])
    assert state.returns == tuple(record["returns"])


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_playthrough_replays_from_its_actions_alone(path: Path) -> None:
    record = load(path)
    step_by_step = opening(record)
    for ply in record["plies"]:
        step_by_step.play(ply["action"])
    game = sw.make(record["game"], **record["rules"])
    replayed = game.replay([ply["action"] for ply in record["plies"]])
    assert replayed.to_text() == step_by_step.to_text()
    assert replayed.returns == step_by_step.returns
