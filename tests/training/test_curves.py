"""Runs that differ by their seeds become one curve with a band; numbers reach whoever watches."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import spielwerk as sw
from spielwerk.arena.scores import Score
from spielwerk.training import curves
from spielwerk.training.groups import HostGames
from spielwerk.training.runs import Run
from spielwerk.training.watching import Row, WeightsAndBiases, scalars

SEATS = ["White", "Black"]
FACTS = {"method": "ppo", "ruleset": "pferdeaepfel/trail", "rules": {"size": 4}, "seats": SEATS}
LOSSES = {"entropy": 1.0, "approx_kl": 0.01, "clip_fraction": 0.1, "explained_variance": 0.5}
SCORE = {"rate": 0.75, "interval": [0.5, 0.9]}
ROW = Row(3, 300, 1.5, 200.0, 0.5, 4, 12.5, LOSSES, anchors={"random": [SCORE, SCORE]})
BRINGS = "spielwerk: this needs {}, which is not installed; pip install 'spielwerk[{}]' brings it\n"

Cli = Callable[..., Any]


def run_with(folder: Path, name: str, score: float, **config: Any) -> Run:
    run = Run(folder / name)
    run.folder.mkdir()
    run.write_facts(FACTS | {"config": {"seed": 1, "channels": 8} | config})
    for update in (1, 2, 3):
        line = {"seconds": 1.0 * update, "score": score * update, "rate": 1.0, "losses": LOSSES, "episode_length": 9.0}
        run.append_metrics({"update": update, "steps": 100 * update, **line})
    return run


def test_only_seeds_and_machines_make_no_difference(tmp_path: Path) -> None:
    one, two = run_with(tmp_path, "a", 1, seed=1), run_with(tmp_path, "b", 1, seed=2, device="cuda")
    other = run_with(tmp_path, "c", 1, seed=3, channels=16)
    assert curves.equal_but_for_seeds([one, other, two]) == [[one, two], [other]]


def test_a_band_reaches_from_the_lowest_to_the_highest_where_all_have_come() -> None:
    steps, low, mean, high = curves.band([([0, 100], [0.0, 1.0]), ([50, 150], [2.0, 2.0])])
    assert (steps[0], steps[-1]) == (50, 100)
    np.testing.assert_allclose([low[0], mean[0], high[0]], [0.5, 1.25, 2.0])
    np.testing.assert_allclose([low[-1], mean[-1], high[-1]], [1.0, 1.5, 2.0])


def test_seeds_are_drawn_as_one_unless_each_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    figure = curves._figure

    def counted(groups: Any, *others: Any) -> Any:
        drawn.append(len(groups))
        return figure(groups, *others)

    monkeypatch.setattr(curves, "_figure", counted)
    runs = [run_with(tmp_path, f"seed-{seed}", seed, seed=seed) for seed in (1, 2, 3)]
    curves.draw(runs, tmp_path / "one.svg")
    curves.draw(runs, tmp_path / "each.svg", each=True)
    assert drawn == [1, 3]
    panels = curves._panels([curves._Curves(runs, [run.metrics() for run in runs], 0, True)])
    assert {"entropy", "approx_kl", "clip_fraction", "explained_variance", "episode_length"} <= panels.keys()


def test_elo_is_the_logarithm_of_the_odds_beside_those_of_equals() -> None:
    assert curves.elo(Score(50, 0, 50))[0] == pytest.approx(0)
    assert curves.elo(Score(100, 0, 10))[0] == pytest.approx(400)
    assert curves.elo(Score(25, 0, 75, sides=4))[0] == pytest.approx(0)
    best, low, high = curves.elo(Score(30, 20, 50))
    assert low < best < high


def test_elo_stays_finite_where_all_games_were_won_or_lost() -> None:
    best, low, high = curves.elo(Score(100, 0, 0))
    assert low < best == high < 1000
    assert curves.elo(Score(0, 0, 100))[0] == pytest.approx(-best)


@pytest.mark.parametrize("over", ["steps", "seconds"])
def test_curves_are_drawn_over_steps_or_seconds(cli: Cli, tmp_path: Path, over: str) -> None:
    scores = [Score(8, 0, 2).to_json(), Score(3, 0, 7).to_json()]
    for seed in (1, 2):
        run = run_with(tmp_path, f"seed-{seed}", 1, seed=seed)
        for update in (4, 5):
            when = {"update": update, "steps": 100 * update, "seconds": 2.0 * update}
            run.append_metrics(when | {"anchors": {"random": scores, "greedy": scores}})
    out = tmp_path / "curves.svg"
    assert cli("plot", "seed-1", "seed-2", "--runs-dir", str(tmp_path), "--out", str(out), "--over", over)[0] == 0
    picture = out.read_text()
    assert f"<!-- {over} -->" in picture
    assert "<!-- Elo above greedy -->" in picture
    assert "<!-- Elo above random -->" not in picture


def test_figures_of_a_former_best_are_no_part_of_the_learners_curve(tmp_path: Path) -> None:
    scores = [Score(8, 0, 2).to_json(), Score(3, 0, 7).to_json()]
    for model, points in (("final", [500]), ("best", [])):
        run = run_with(tmp_path, model, 1)
        run.write_result({"steps": 500, "seconds": 9.0, "model": model, "anchors": {"greedy": scores}})
        (of_run,) = curves._Curves([run], [run.metrics()], 0, True).anchors("greedy")
        assert [steps for steps, _ in of_run] == points


def test_panels_are_chosen_by_a_word_of_their_title(cli: Cli, tmp_path: Path) -> None:
    run_with(tmp_path, "a", 1)
    out = tmp_path / "curves.svg"
    plot = ("plot", "a", "--runs-dir", str(tmp_path), "--out", str(out), "--panel")
    assert cli(*plot, "KL", "--panel", "entropy")[0] == 0
    assert [title in out.read_text() for title in ("approx_kl", "entropy", "steps per second")] == [True, True, False]
    code, _, message = cli(*plot, "nothing")
    assert code == 2
    assert message.startswith("spielwerk: no panel is called like that; there are: mean return while learning; ")


def test_without_matplotlib_one_line_says_what_brings_it(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_with(tmp_path, "a", 1)
    monkeypatch.delitem(sys.modules, "spielwerk.training.curves", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert cli("plot", "a", "--runs-dir", str(tmp_path)) == (2, "", BRINGS.format("matplotlib", "arena"))


# -- what those who watch are told -----------------------------------------------------------------


def test_numbers_have_the_names_of_the_field() -> None:
    named = scalars(ROW, SEATS)
    assert {f"loss/{name}" for name in LOSSES} | {"episode_length", "score/learning"} <= named.keys()
    assert named["against random/White"] == 0.75
    assert ROW.to_json()["episode_length"] == 12.5


def test_episode_lengths_are_those_of_the_games_that_ended() -> None:
    group = HostGames(sw.make("pferdeaepfel/trail", size=4), slice(0, 8), 1, torch.device("cpu"), None, None, seed=1)
    group.begin(3)
    lengths, ended = [0] * 8, []
    for step in range(40):
        group.plan(1)
        group.receive(torch.from_numpy(group.env.random_actions(step)).long())
        _, _, done = group.step(None)
        lengths = [length + 1 for length in lengths]
        ended += [length for length, over in zip(lengths, done, strict=True) if over]
        lengths = [0 if over else length for length, over in zip(lengths, done, strict=True)]
        if step == 20:  # a restored group goes on counting
            group.restore(group.facts())
    assert group.totals[2] == len(ended) > 8
    assert group.totals[1] == sum(ended)


class FakeWandb:
    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def init(self, **arguments: Any) -> "FakeWandb":
        self.calls.append(("init", arguments))
        return self

    def log(self, numbers: dict[str, float], step: int) -> None:
        self.calls.append(("log", (numbers, step)))

    def finish(self) -> None:
        self.calls.append(("finish", None))


def test_weights_and_biases_hears_the_same_numbers(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeWandb()
    monkeypatch.setitem(sys.modules, "wandb", fake)
    monkeypatch.delenv("WANDB_PROJECT", raising=False)
    monkeypatch.setattr("spielwerk.training.loop.FINAL_GAMES", 4)
    words = "train ppo pferdeaepfel/trail --rule size=3 --steps 64 --n-envs 8 --minibatch 16 --channels 8 --wandb"
    assert cli(*words.split(), "--run", "a", "--runs-dir", str(tmp_path)).code == 0
    (first, begun), *logged, (last, _) = fake.calls
    assert (first, last) == ("init", "finish") and logged
    assert begun["project"] == "spielwerk" and begun["id"] == "a" and begun["resume"] == "allow"
    assert begun["config"]["ruleset"] == "pferdeaepfel/trail"
    assert all("loss/approx_kl" in numbers and step > 0 for _, (numbers, step) in logged)


def test_without_the_package_or_an_account_one_line_says_so(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    words = ("train", "ppo", "--wandb", "--runs-dir", str(tmp_path / "runs"))
    assert cli(*words) == (2, "", BRINGS.format("wandb", "wandb"))
    assert not (tmp_path / "runs").exists()

    def refuse(**_: Any) -> None:
        raise RuntimeError("no API key\nconfigured")

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=refuse))
    with pytest.raises(ValueError, match=r"^Weights & Biases: no API key.*; WANDB_MODE=offline needs no account$"):
        WeightsAndBiases(Run(tmp_path), FACTS | {"config": {}})
