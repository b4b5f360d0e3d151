"""Run folders: what they hold survives crashes, and is found, compared and protected."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from spielwerk.training.runs import Run, RunError, differences, find_run, list_runs, new_run, newest_run


def make_run(runs_dir: Path, name: str, **facts: Any) -> Run:
    run = new_run(runs_dir, name, "")
    whole = {"method": "ppo", "ruleset": "pferdeaepfel/trail", "rules": {"size": 4}, "seats": ["White", "Black"]}
    run.write_facts(whole | {"config": {"steps": 100, "seed": 0}} | facts)
    return Run(run.folder)


def test_a_run_is_found_by_name_and_by_path(tmp_path: Path) -> None:
    run = make_run(tmp_path, "first")
    assert find_run("first", tmp_path).folder == run.folder
    assert find_run(str(run.folder), Path("elsewhere")).folder == run.folder
    with pytest.raises(RunError, match=r"there is no run 'second' under .*; the latest are: first"):
        find_run("second", tmp_path)


def test_names_of_new_runs_do_not_collide(tmp_path: Path) -> None:
    runs = []
    for _ in range(3):
        runs.append(new_run(tmp_path, "", "ppo-pferdeaepfel-trail"))
        runs[-1].write_facts({})
    assert len({run.name for run in runs}) == 3
    assert all(run.name.startswith("ppo-pferdeaepfel-trail-20") for run in runs)
    make_run(tmp_path, "mine")
    with pytest.raises(RunError, match="holds a run already; --continue"):
        new_run(tmp_path, "mine", "")


def test_the_newest_run_of_a_method_and_ruleset(tmp_path: Path) -> None:
    make_run(tmp_path, "b", started="2026-01-01")
    make_run(tmp_path, "a", started="2026-01-02")
    make_run(tmp_path, "c", started="2026-01-03", ruleset="pferdeaepfel/classic")
    make_run(tmp_path, "d", started="2026-01-04", method="selfplay")
    assert [run.name for run in list_runs(tmp_path)] == ["b", "a", "c", "d"]
    assert newest_run(tmp_path, "ppo", "pferdeaepfel/trail").name == "a"
    assert newest_run(tmp_path, "ppo").name == "c"
    with pytest.raises(RunError, match="there is no selfplay run of ludo/ffa under"):
        newest_run(tmp_path, "selfplay", "ludo/ffa")


def test_the_time_of_the_beginning_is_kept(tmp_path: Path) -> None:
    run = make_run(tmp_path, "first")
    run.write_facts(run.facts | {"config": {"steps": 200}})
    assert Run(run.folder).facts == run.facts | {"config": {"steps": 200}}


def test_half_a_line_of_metrics_is_left_out(tmp_path: Path) -> None:
    run = make_run(tmp_path, "first")
    assert run.metrics() == []
    for update in (1, 2, 3):
        run.append_metrics({"update": update, "steps": 10 * update, "score": None})
    path = run.folder / "metrics.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    assert [line["update"] for line in run.metrics()] == [1, 2]
    run.cut_metrics(1)
    run.append_metrics({"update": 2, "steps": 20})
    assert [json.loads(line)["update"] for line in path.read_text().splitlines()] == [1, 2]


def test_looking_at_a_run_does_not_keep_it_from_being_continued(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl", reason="Windows locks nothing")
    run = make_run(tmp_path, "first")
    looker = os.open(run.folder, os.O_RDONLY)
    fcntl.flock(looker, fcntl.LOCK_SH)  # as the status does for a moment
    assert run.status == "stopped", "two may look at once"
    leaving = threading.Timer(0.05, os.close, [looker])
    leaving.start()
    with run.locked():
        leaving.join()
        assert run.status == "running"


def test_a_folder_is_trained_in_by_one_process_at_a_time(tmp_path: Path) -> None:
    run = make_run(tmp_path, "first")
    assert run.status == "stopped"
    with run.locked():
        assert run.status == "running"
        with pytest.raises(RunError, match="another process is training in"), run.locked():
            pass
    run.write_result({"steps": 100})
    assert run.status == "finished"
    run.write_result(None)
    assert run.status == "stopped"


def test_differences_are_told_and_equal_settings_are_not(tmp_path: Path) -> None:
    first = make_run(tmp_path, "first")
    second = make_run(tmp_path, "second", config={"steps": 100, "seed": 1, "gate": "sprt"}, rules={"size": 5})
    assert differences([first, second]) == {"rule size": [4, 5], "seed": [0, 1], "gate": [None, "sprt"]}


@pytest.mark.parametrize("text", ["", "[]", "{", '{"method": 3}', "\x00\xff", "[" * 100_000])
def test_damaged_configs_are_refused_in_one_line_and_not_listed(tmp_path: Path, text: str) -> None:
    make_run(tmp_path, "sound")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "config.json").write_text(text)
    with pytest.raises(RunError, match=r"damaged/config\.json") as refused:
        _ = find_run("damaged", tmp_path).facts
    assert "\n" not in str(refused.value)
    assert [run.name for run in list_runs(tmp_path)] == ["sound"]
