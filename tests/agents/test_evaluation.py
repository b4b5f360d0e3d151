"""Evaluation networks: the core sums up what the rule for features says, and refuses what does not fit."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import spielwerk as sw
from spielwerk.agents.evaluation import CEILING, HALVES, HIDDEN, ONE, SECOND, SURE, Evaluation, features_of
from spielwerk.cli import main

UNIT = 10_000
BOARDS: list[tuple[str, dict[str, Any], list[int]]] = [
    ("pferdeaepfel/trail", {}, [0, 1]),
    ("pferdeaepfel/classic", {"size": 5}, [0, 1]),
    ("pferdeaepfel/carry", {"starter": "white"}, [1]),
    ("diavolo/standard", {"side": 5}, []),
    ("diavolo/standard", {"side": 9}, []),
]


def random_network(game: sw.Game, anchors: list[int], seed: int = 0) -> Evaluation:
    draw = np.random.default_rng(seed)
    planes, height, width = game.observation_shape
    cells = height * width
    rows = planes * cells
    places, halves = (cells if anchors else 1), max(1, len(anchors))
    parts: dict[str, NDArray[Any]] = {
        "anchors": np.array(anchors, np.int32),
        "rows_of": np.arange(rows),
        "table": draw.integers(-20, 21, halves * places * rows * HIDDEN),
        "first_bias": draw.integers(0, 40, HALVES * HIDDEN),
        "second": draw.integers(-30, 31, SECOND * HALVES * HIDDEN),
        "second_bias": draw.integers(-900, 900, SECOND),
        "last": draw.integers(-60, 61, SECOND),
        "scalars": np.array([rows, 77, 60]),
    }
    return Evaluation(parts, {"game": game.name, "rules": game.rules})


def expected(game: sw.Game, network: Evaluation, state: sw.State) -> int:
    """The logit for seat 0, slowly and from nothing, in ten-thousandths of a sure one."""
    parts, found = network.parts, features_of(state.observation(0))
    _, height, width = game.observation_shape
    cells, rows = height * width, int(parts["scalars"][0])
    anchors = parts["anchors"].tolist()
    places = cells if anchors else 1
    table = parts["table"].reshape(-1, places, rows, HIDDEN)
    hidden = np.zeros(HALVES * HIDDEN, np.int64)
    for half in range(len(table)):
        hidden[half * HIDDEN : (half + 1) * HIDDEN] = parts["first_bias"][half * HIDDEN : (half + 1) * HIDDEN]
        own = found[found // cells == anchors[half]] % cells if anchors else [0]
        hidden[half * HIDDEN : (half + 1) * HIDDEN] += table[half, own[0]][found].sum(0)
    hidden = hidden.clip(0, CEILING)
    second = parts["second"].reshape(SECOND, -1) @ hidden + parts["second_bias"]
    second = np.trunc(second / ONE).astype(np.int64).clip(0, CEILING)
    result = int(parts["last"] @ second) + int(parts["scalars"][1])
    heuristic = int(np.floor((UNIT - 1) * abs(state.evaluate(0)) + 0.5)) * (1 if state.evaluate(0) > 0 else -1)
    logit = int(result * UNIT / ONE**2) + int(heuristic * int(parts["scalars"][2]) / ONE)
    return max(1 - UNIT, min(UNIT - 1, int(logit / SURE)))


def logit_of(value: float) -> int:
    """What stands behind the value of a line."""
    return round(float(np.arctanh(value)) * UNIT / SURE)


def saved(folder: Path, network: Evaluation) -> Path:
    path = folder / "net.safetensors"
    path.write_bytes(network.to_bytes())
    return path


@pytest.mark.parametrize(("name", "rules", "anchors"), BOARDS)
def test_the_search_sees_what_the_rule_for_features_says(
    name: str, rules: dict[str, Any], anchors: list[int], tmp_path: Path
) -> None:
    game = sw.make(name, **rules)
    network = random_network(game, anchors)
    agent = sw.agent(f"alphabeta:depth=1,model={saved(tmp_path, network)}")
    state, compared = game.start(seed=1), 0
    player = sw.agent("random:seed=5")
    while not state.over and compared < 25:
        best = agent.analyse(state).lines[0]
        after = state.clone()
        after.play(best.actions[0])
        if not after.over:
            sign = 1 if state.player == 0 else -1
            assert logit_of(best.value) == sign * expected(game, network, after)
            compared += 1
        state.play(player.act(state))
    assert compared > 5


@pytest.mark.parametrize(("name", "rules", "anchors"), BOARDS)
def test_positions_far_below_the_root_are_summed_up_right(
    name: str, rules: dict[str, Any], anchors: list[int], tmp_path: Path
) -> None:
    """The value of a line is that of its last position, however it was reached."""
    game = sw.make(name, **rules)
    network = random_network(game, anchors, seed=3)
    path = saved(tmp_path, network)
    for depth in (2, 3):
        best = sw.agent(f"alphabeta:depth={depth},seed=1,model={path}").analyse(game.start(seed=1)).lines[0]
        state = game.start(seed=1)
        for action in best.actions:
            state.play(action)
        if len(best.actions) == depth and not state.over:
            assert logit_of(best.value) == expected(game, network, state)


def test_a_file_holds_the_whole_network(tmp_path: Path) -> None:
    network = random_network(sw.make("pferdeaepfel/trail"), [0, 1])
    again = Evaluation.from_bytes(saved(tmp_path, network).read_bytes(), "file")
    assert again.card == network.card
    for name, part in network.parts.items():
        assert np.array_equal(again.parts[name], part)
    assert sw.agent(f"alphabeta:nodes=200,model={tmp_path / 'net.safetensors'}").act(
        sw.make("pferdeaepfel/trail").start()
    )


def test_safetensors_can_read_it(tmp_path: Path) -> None:
    numpy = pytest.importorskip("safetensors.numpy")
    network = random_network(sw.make("pferdeaepfel/trail"), [0, 1])
    tensors = numpy.load_file(str(saved(tmp_path, network)))
    assert set(tensors) == set(network.parts)


@pytest.mark.parametrize("data", [b"", b"\xff" * 40, b"\x02\0\0\0\0\0\0\0{}", b"\x08\0\0\0\0\0\0\0[1,2,3,4]"])
def test_other_files_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    path.write_bytes(data)
    with pytest.raises(ValueError, match="is no evaluation network"):
        sw.agent(f"alphabeta:model={path}").act(sw.make("pferdeaepfel/trail").start())


def test_networks_of_other_games_and_sizes_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, random_network(sw.make("pferdeaepfel/trail"), [0, 1]))
    for other in (sw.make("pferdeaepfel/free"), sw.make("pferdeaepfel/trail", size=5)):
        with pytest.raises(ValueError, match="is for"):
            sw.agent(f"alphabeta:model={path}").act(other.start())
    with pytest.raises(ValueError, match="there is no evaluation network"):
        sw.agent("alphabeta:model=no-such-file").act(sw.make("pferdeaepfel/trail").start())


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("table", np.zeros(7, np.int8)),
        ("rows_of", np.full(4 * 64, 9999, np.int16)),
        ("anchors", np.array([99], np.int32)),
        ("anchors", np.array([0, 1, 2], np.int32)),
        ("second_bias", np.full(SECOND, 2**31 - 1, np.int32)),
        ("scalars", np.array([-5, 0, 0], np.int32)),
    ],
)
def test_weights_that_do_not_fit_are_refused(part: str, value: Any, tmp_path: Path) -> None:
    network = random_network(sw.make("pferdeaepfel/trail"), [0, 1])
    network.parts[part] = value
    path = saved(tmp_path, network)
    with pytest.raises(ValueError, match="evaluation network"):
        sw.agent(f"alphabeta:model={path}").act(sw.make("pferdeaepfel/trail").start())


def test_training_makes_a_network_that_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    out = tmp_path / "trail.nnue.safetensors"
    command = ["train-nnue", "pferdeaepfel/trail", "--rule", "size=5", "--positions", "300", "--nodes", "100"]
    assert main([*command, "--epochs", "2", "--workers", "1", "--seed", "3", "--json", "--out", str(out)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["positions"] == 300 and report["figures"]["network_error"] > 0
    first = out.read_bytes()
    assert main([*command, "--epochs", "2", "--workers", "1", "--seed", "3", "--json", "--out", str(out)]) == 0
    assert out.read_bytes() == first, "the same seed gives the same network"
    game = sw.make("pferdeaepfel/trail", size=5)
    network = Evaluation.from_bytes(first, "file")
    assert network.parts["anchors"].tolist() == [0, 1], "the horses"
    assert sw.agent(f"alphabeta:nodes=500,model={out}").act(game.start()) in game.start().legal_actions


def test_a_network_teaches_the_next_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    first, second, other = (tmp_path / f"{name}.nnue.safetensors" for name in ("first", "second", "other"))
    command = ["train-nnue", "pferdeaepfel/trail", "--rule", "size=5", "--positions", "600", "--nodes", "100"]
    command += ["--epochs", "6", "--workers", "1", "--device", "cpu"]
    assert main([*command, "--seed", "3", "--out", str(first)]) == 0
    assert main([*command, "--seed", "4", "--out", str(second), "--teacher", str(first)]) == 0
    assert main([*command, "--seed", "4", "--out", str(other)]) == 0
    assert Evaluation.read(second).card["config"]["teacher"] == str(first)
    taught, untaught = (Evaluation.read(file).parts["table"] for file in (second, other))
    assert taught.size != untaught.size or (taught != untaught).any(), "the teacher's games are others"
    capsys.readouterr()
    assert main([*command, "--out", str(other), "--teacher", "no-such-file"]) == 2
    assert "there is no evaluation network no-such-file" in capsys.readouterr().err


def test_training_refuses_what_alphabeta_cannot_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    assert main(["train-nnue", "ludo/ffa", "--out", str(tmp_path / "x")]) == 2
    assert "two seats without dice" in capsys.readouterr().err
    assert main(["train-nnue", "pferdeaepfel/trail", "--out", str(tmp_path / "no" / "x")]) == 2
    assert "there is no folder" in capsys.readouterr().err
