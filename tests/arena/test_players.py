"""What the arena calls a player: other weights are another one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.agents.evaluation import evaluation_path, load_evaluation
from spielwerk.agents.weights_file import StoredNetwork
from spielwerk.arena.players import player_name, require_player, spec_of
from spielwerk.arena.workers import UnfitError

CLASSIC, LUDO = sw.make("pferdeaepfel/classic"), sw.make("ludo/ffa")


def changed(network: StoredNetwork, part: str) -> bytes:
    numbers = np.array(network.parts[part])
    numbers[0] += 1
    return type(network)(network.parts | {part: numbers}, network.card).to_bytes()


@pytest.mark.parametrize(
    ("spec", "game"),
    [
        ("network:pferdeaepfel/classic", CLASSIC),
        ("puct:ms=10", CLASSIC),
        ("alphabeta:ms=10,model=shipped", CLASSIC),
        ("expectimax:depth=1,model=shipped", LUDO),
    ],
)
def test_who_thinks_with_a_network_is_named_by_its_weights(spec: str, game: sw.Game) -> None:
    name = player_name(spec, game)
    assert name.startswith(f"{spec}#") and spec_of(name) == spec
    require_player(name, game)


@pytest.mark.parametrize(
    "spec", ["random", "greedy:errs=0.1", "alphabeta:ms=10", "mcts:ms=10", "engine:./it #12345678"]
)
def test_others_are_named_by_their_spec(spec: str) -> None:
    assert spec_of(spec) == spec
    if not spec.startswith("engine:"):
        assert player_name(spec, CLASSIC) == spec


def test_other_weights_are_another_player_and_another_card_is_not(tmp_path: Path) -> None:
    file = tmp_path / "mine.nnue.safetensors"
    spec = f"alphabeta:ms=10,model={file}"
    shipped = load_evaluation(evaluation_path("shipped", CLASSIC))
    file.write_bytes(shipped.to_bytes())
    name = player_name(spec, CLASSIC)
    file.write_bytes(type(shipped)(shipped.parts, shipped.card | {"measured": "well"}).to_bytes())
    assert player_name(spec, CLASSIC) == name
    file.write_bytes(changed(shipped, "last"))
    assert player_name(spec, CLASSIC) != name
    with pytest.raises(UnfitError, match="the weights of"):
        require_player(name, CLASSIC)


def test_what_is_shipped_depends_on_the_game() -> None:
    spec = "alphabeta:ms=10,model=shipped"
    assert player_name(spec, CLASSIC) != player_name(spec, sw.make("diavolo/standard"))
