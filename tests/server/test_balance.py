"""Reports on balance over HTTP: what `spielwerk balance --json` wrote, in words, and bounded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.arena.workers import workers_for
from spielwerk.balance.study import Plan, Study
from spielwerk.balance.variants import combined, one_at_a_time
from spielwerk.server.balance import Balance
from tests.server.client import Running, running, settings

GAME = "pferdeaepfel/classic"


def write_report(file: Path) -> Any:
    """Classic with more and fewer brown apples and on a small board, by random players; Ludo among two and more."""
    plan = Plan(levels=("random",), games=4, screening=20, finalists=1, seconds=60)
    classic = Study(sw.make(GAME), plan, combined(GAME, {}, ["brown=20,35"]) + combined(GAME, {}, ["size=4"]))
    ludo = Study(sw.make("ludo/ffa"), plan, combined("ludo/ffa", {}, ["colours=green,red;green,blue"]))
    for study in (classic, ludo):
        study.run(workers_for(1))
    report = [classic.to_json(), ludo.to_json()]
    file.write_text(json.dumps(report))
    return report


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("balance") / "report.json"
    write_report(file)
    return file


def test_a_server_without_a_report_says_so(server: Running) -> None:
    assert server.get("/api/balance") == {"shown": False, "studies": []}
    assert server.http.get("/api/balance/any").status_code == 404


def test_variants_say_whom_they_favour_and_can_be_played(tmp_path: Path, report: Path) -> None:
    (written, _) = json.loads(report.read_text())
    with running(settings(tmp_path, balance_report=report)) as server:
        first, second = server.get("/api/balance")["studies"]
        assert (first["game"], second["game"]) == (GAME, "ludo/ffa")
        study = server.get(f"/api/balance/{first['id']}")
        standing, *others = study["variants"]
        assert standing["changes"] == [] and standing["rules"] == {}
        assert [one["screened"] for one in others] == [False, True, True], "one finalist"
        cell = written["levels"][-1]["scores"]["White"]
        assert standing["scores"][0] == {"rate": cell["score"], "low": cell["low"], "high": cell["high"]}
        assert standing["favoured"] == (0 if cell["low"] > 0.5 else 1 if cell["high"] < 0.5 else None)
        for one in others:
            opened = server.open(GAME, {"kind": "human"}, {"kind": "agent", "level": "greedy"}, rules=one["rules"])
            assert opened["id"]
        assert {one["changes"][0]["name"] for one in others} == {"brown", "size"}
        ludo = server.get(f"/api/balance/{second['id']}")["variants"]
        assert [len(one["sides"]) for one in ludo] == [4, 2, 2] and [one["seats"] for one in ludo] == [4, 2, 2]
        values = {one["changes"][0]["value"]["de"] for one in ludo[1:]}
        assert values == {"Grün, Rot", "Grün, Blau"}


def test_every_ruleset_can_be_shown(tmp_path: Path) -> None:
    plan = Plan(levels=("random",), games=1, screening=1, finalists=1, seconds=60)
    studies = [Study(sw.make(name), plan, one_at_a_time(name, {})[:3]) for name in sw.games()]
    for study in studies:
        study.run(workers_for(1))
    (tmp_path / "all.json").write_text(json.dumps([study.to_json() for study in studies]))
    assert [one.game for one in Balance(tmp_path).view().studies] == sw.games()


def test_rules_that_were_given_stay_given(tmp_path: Path) -> None:
    plan = Plan(levels=("random",), games=1, screening=1, finalists=1, seconds=60)
    study = Study(sw.make(GAME, golden=6), plan, combined(GAME, {"golden": 6}, ["brown=20"]))
    study.run(workers_for(1))
    (tmp_path / "golden.json").write_text(json.dumps([study.to_json()]))
    balance = Balance(tmp_path)
    shown = balance.study(balance.view().studies[0].id)
    assert [one.rules for one in shown.variants] == [{"golden": 6}, {"golden": 6, "brown": 20}]


@pytest.mark.parametrize(
    "text",
    ["", "[1]", "{}", '[{"game": "x"}]', "[" * 10_000, '["NaN"]'],
)
def test_what_is_no_report_is_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "report.json"
    file.write_text(text)
    with pytest.raises(ValueError, match="is no report of 'spielwerk balance --json'") as refused:
        Balance(file)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "change",
    [{"game": "no/game"}, {"rules": {"brown": -3}}, {"rules": {"nothing": 1}}],
)
def test_rules_that_no_game_has_are_one_line(tmp_path: Path, report: Path, change: dict[str, Any]) -> None:
    study = json.loads(report.read_text())[0] | change
    (tmp_path / "report.json").write_text(json.dumps([study]))
    with pytest.raises(ValueError, match=r"report\.json: ") as refused:
        Balance(tmp_path / "report.json")
    assert "\n" not in str(refused.value)


def test_a_share_of_more_than_everything_is_refused(tmp_path: Path, report: Path) -> None:
    text = report.read_text().replace('"draw_rate": 0', '"draw_rate": 7', 1)
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(ValueError, match="draw_rate"):
        Balance(tmp_path)


def test_a_report_that_is_nowhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no report"):
        Balance(tmp_path / "nowhere.json")
