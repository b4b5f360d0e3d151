"""The mean of networks: weight by weight, of the same game and kind alone, with a card that names them."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spielwerk as sw

onnx = pytest.importorskip("onnx", reason="the training extras are not installed")
torch = pytest.importorskip("torch", reason="the training extras are not installed")

from spielwerk.training.averaging import average_models  # noqa: E402
from spielwerk.training.export import export_model  # noqa: E402
from spielwerk.training.networks import network_for  # noqa: E402

Cli = Callable[..., Any]


def exported(path: Path, seed: int, name: str = "pferdeaepfel/trail", channels: int = 16, **rules: int) -> str:
    torch.manual_seed(seed)
    game = sw.make(name, **rules)
    export_model(
        path, network_for(game, "mlp", channels, 1), game, {"command": f"spielwerk train {seed}", "steps": seed}
    )
    return str(path.with_suffix(".onnx"))


def weights(path: Path) -> dict[str, Any]:
    graph = onnx.load(path).graph
    return {entry.name: onnx.numpy_helper.to_array(entry) for entry in graph.initializer}


def test_every_weight_is_the_mean_of_all(tmp_path: Path) -> None:
    models = [exported(tmp_path / f"{seed}", seed) for seed in (1, 2, 3)]
    card = average_models(models, tmp_path / "mean.onnx")
    found, given = weights(tmp_path / "mean.onnx"), [weights(Path(model)) for model in models]
    assert found.keys() == given[0].keys()
    for name, values in found.items():
        assert np.allclose(values, sum(one[name] for one in given) / 3, atol=1e-7)
    assert [one["model"] for one in card["mean_of"]] == models
    assert card["steps"] == 3 and card["mean_of"][0]["command"] == "spielwerk train 1"
    assert card == json.loads((tmp_path / "mean.json").read_text())
    assert card["sha256"] == hashlib.sha256((tmp_path / "mean.onnx").read_bytes()).hexdigest()


def test_the_mean_of_equals_plays_as_they_do(tmp_path: Path) -> None:
    model = exported(tmp_path / "one", 4)
    average_models([model, model], tmp_path / "mean")
    state = sw.make("pferdeaepfel/trail").start()
    one, mean = (sw.agent(f"network:{file}") for file in (model, tmp_path / "mean.onnx"))
    while not state.over:
        assert one.act(state) == mean.act(state)
        state.play(one.act(state))


def test_others_are_refused(tmp_path: Path) -> None:
    model = exported(tmp_path / "one", 1)
    for other, refusal in (
        (exported(tmp_path / "game", 1, "pferdeaepfel/carry"), "another game"),
        (exported(tmp_path / "wide", 1, channels=24), "another kind of network"),
        (exported(tmp_path / "small", 1, size=5), "another kind of network"),
    ):
        with pytest.raises(ValueError, match=refusal):
            average_models([model, other], tmp_path / "mean")
    assert not (tmp_path / "mean.onnx").exists()


def test_the_command_averages_and_says_what_it_refuses(cli: Cli, tmp_path: Path) -> None:
    models = [exported(tmp_path / f"{seed}", seed) for seed in (1, 2)]
    code, out, _ = cli("average", *models, "--out", str(tmp_path / "mean"))
    assert code == 0 and "the mean of 2 networks of pferdeaepfel/trail" in out.replace("\n", "")
    assert json.loads(cli("average", *models, "--out", str(tmp_path / "mean"), "--json").out)["steps"] == 2
    for words, refusal in (
        ((models[0], "--out", str(tmp_path / "mean")), "two networks or more"),
        ((models[0], "no-such-model", "--out", str(tmp_path / "mean")), "no-such-model"),
        ((*models, "--out", str(tmp_path / "no" / "mean")), "there is no folder"),
    ):
        code, _, err = cli("average", *words)
        assert code == 2 and refusal in err and len(err.splitlines()) == 1
