"""Training runs over HTTP: curves of what was measured, and networks as opponents."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.agents.network import SHIPPED
from spielwerk.server import training
from spielwerk.training.runs import BLOCK_BYTES, Run
from tests.server.client import Running, running, settings

GAME = "pferdeaepfel/trail"


def begin_run(folder: Path, name: str, lines: int = 3, **facts: Any) -> Run:
    run = Run(folder / name)
    run.folder.mkdir(parents=True)
    rules = sw.make(GAME).rules
    usual = {"method": "ppo", "ruleset": GAME, "rules": rules, "config": {"seed": 1}, "seats": ["White", "Black"]}
    run.write_facts({"started": f"2026-01-01T00:00:{len(list(folder.iterdir())):02}+00:00", **usual, **facts})
    for update in range(1, lines + 1):
        run.append_metrics(line_of(update))
    return run


def line_of(update: int) -> dict[str, Any]:
    anchors = {"random": [{"rate": 0.5}, {"rate": update / 100}]}
    evaluation = {"score": {"rate": 0.6}, "promoted": update == 2}
    losses = {"policy_loss": 1 / update}
    plain = {"update": update, "steps": 1000 * update, "seconds": 2.5 * update, "rate": 400.0, "score": None}
    return {**plain, "losses": losses, "anchors": anchors, "evaluation": evaluation}


def give_model(run: Run) -> None:
    (run.folder / "best").mkdir()
    for ending in (".onnx", ".json"):
        shutil.copy((SHIPPED / GAME).with_suffix(ending), run.folder / "best" / f"model{ending}")


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept between two questions."""
    monkeypatch.setattr(training, "FRESH_SECONDS", 0.0)


def curves_of(server: Running, id: str) -> dict[tuple[str, str, int | None], dict[str, Any]]:
    found = server.get(f"/api/training/{id}")["curves"]
    return {(one["kind"], one["name"], one["seat"]): one for one in found}


def test_a_server_without_runs_says_so(server: Running) -> None:
    assert server.get("/api/training") == {"shown": False, "runs": []}
    assert server.http.get("/api/training/any").status_code == 404


@pytest.mark.usefixtures("fresh")
def test_runs_are_listed_with_their_curves(tmp_path: Path) -> None:
    first, second = begin_run(tmp_path / "runs", "first"), begin_run(tmp_path / "runs", "second", lines=0)
    first.write_result({"steps": 3000, "seconds": 8.0, "anchors": {"greedy": [{"rate": 0.25}, {"rate": 0.75}]}})
    with running(settings(tmp_path, runs_folder=tmp_path / "runs")) as server, second.locked():
        listed = server.get("/api/training")["runs"]
        assert [(one["name"], one["status"], one["steps"]) for one in listed] == [
            ("second", "running", 0),
            ("first", "finished", 3000),
        ]
        assert listed[0]["level"] is None and listed[0]["title"]["de"] == "Pferdeäpfel, Spur"
        curves = curves_of(server, listed[1]["id"])
        assert curves["loss", "policy_loss", None]["values"] == [1.0, 0.5, 0.333333]
        assert curves["anchor", "random", 1]["steps"] == [1000, 2000, 3000]
        assert curves["anchor", "greedy", 1]["values"] == [0.75]
        assert curves["evaluation", "", None]["promoted"] == [False, True, False]
        assert ("score", "", None) not in curves
        second.append_metrics(line_of(1))
        assert server.get("/api/training")["runs"][0]["steps"] == 1000
        assert curves_of(server, listed[0]["id"])["rate", "", None]["values"] == [400.0]


@pytest.mark.usefixtures("fresh")
def test_a_run_becomes_an_opponent_with_its_first_network(tmp_path: Path) -> None:
    run = begin_run(tmp_path / "runs", "Mine & yours")
    with running(settings(tmp_path, runs_folder=tmp_path / "runs")) as server:
        assert server.get("/api/training")["runs"][0]["level"] is None
        give_model(run)
        level = server.get("/api/training")["runs"][0]["level"]
        assert level in [one["id"] for one in server.get(f"/api/levels?game={GAME}")]
        seats = [{"kind": "agent", "level": level}, {"kind": "agent", "level": "random"}]
        assert server.open(GAME, *seats)["id"]
        assert server.get("/api/training")["runs"][0]["level"] == level
    with running(settings(tmp_path, runs_folder=tmp_path / "runs")) as server:
        assert level in [one["id"] for one in server.get(f"/api/levels?game={GAME}")], "also after a restart"


@pytest.mark.usefixtures("fresh")
def test_a_model_that_is_none_is_no_opponent(tmp_path: Path) -> None:
    run = begin_run(tmp_path / "runs", "broken")
    give_model(run)
    (run.folder / "best" / "model.onnx").write_bytes(b"nothing")
    with running(settings(tmp_path, runs_folder=tmp_path / "runs")) as server:
        assert server.get("/api/training")["runs"][0]["level"] is None


@pytest.mark.usefixtures("fresh")
def test_figures_of_foreign_origin_pass_the_border(tmp_path: Path) -> None:
    run = begin_run(tmp_path / "runs", "x\u202e\x1b[31m", lines=1, method="p\x1bpo" * 99, ruleset="no/such")
    begin_run(tmp_path / "runs", "lists", lines=0, rules={"size": [1]})
    lines = [
        '{"update": 2, "steps": 2000, "rate": Infinity, "score": NaN, "losses": {"a\\u001b": 1e999, "b\\u202e": 2}}',
        '{"update": 3, "steps": 1' + "0" * 400 + ', "rate": 1}',
        '{"update": 4, "steps": 4, "losses": [1], "anchors": {"x": [1, {"rate": true}]}, "evaluation": 3}',
        "[" * 100_000,
        json.dumps({"update": 5, "steps": 5000, "losses": {str(name): 1 for name in range(10_000)}}),
        "half a li",
    ]
    with (run.folder / "metrics.jsonl").open("a") as file:
        file.write("\n".join(lines))
    with running(settings(tmp_path, runs_folder=tmp_path / "runs")) as server:
        listed = server.get("/api/training")["runs"]
        assert [one["name"] for one in listed] == ["lists", "x??[31m"] and len(listed[1]["method"]) <= 40
        curves = curves_of(server, listed[1]["id"])
        assert len(curves) <= training.MOST_CURVES and curves["loss", "b?", None]["values"] == [2.0]
        assert curves["rate", "", None]["steps"] == [1000]
        assert all(math.isfinite(value) for one in curves.values() for value in one["values"])


def test_long_runs_are_thinned() -> None:
    points = [(steps, float(steps % 2), steps == 7) for steps in range(10_000)]
    thin = training.thinned(points)
    assert len(thin) == training.MOST_POINTS and thin[-1][0] == 9_999 and thin[0][2]
    assert all(0.4 < value < 0.6 for _, value, _ in thin)


def test_large_metrics_are_read_here_and_there(tmp_path: Path) -> None:
    run = begin_run(tmp_path, "large", lines=0)
    text = "".join(json.dumps({"update": number, "steps": number, "rate": 1.0}) + "\n" for number in range(60_000))
    (run.folder / "metrics.jsonl").write_text(text)
    assert len(text) > 8 * BLOCK_BYTES
    updates = [line["update"] for line in run.some_metrics(8 * BLOCK_BYTES)]
    assert updates == sorted(updates) and updates[0] == 0 and updates[-1] == 59_999
    assert 8 * BLOCK_BYTES / len(text) * 50_000 < len(updates) < 60_000
    assert run.last_metrics()["update"] == 59_999


def test_reading_runs_needs_no_torch() -> None:
    code = "import sys, spielwerk.server.app; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no folder of runs"):
        training.Training(tmp_path / "nowhere", [])
