"""The conformance kit: as the core makes it, as its schema says, and as the naive rule followers see it."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from scripts import write_conformance
from spielwerk.conformance import Case, EngineUnderTest, core_problems, read_kit
from tests.games import naive_diavolo, naive_ludo, naive_pferdeaepfel

FOLDER = write_conformance.FOLDER
NAIVE_LIMIT = 2_000  # sequences that the naive followers count within a moment
ENGINE = [sys.executable, "-m", "spielwerk", "engine", "random:seed=1"]


def cases_of(name: str) -> list[Case]:
    return read_kit((FOLDER / f"{name}.json").read_text(encoding="utf-8"), name)


@pytest.mark.parametrize("name", write_conformance.KITS)
def test_the_kit_is_as_the_core_makes_it(name: str) -> None:
    for case in cases_of(name):
        assert list(core_problems(case)) == []
    assert [(case["game"], case["rules_version"]) for case in cases_of(name)] == [
        (game, sw.make(game, **rules).rules_version) for game, rules in write_conformance.KITS[name]()
    ]


def test_the_files_are_small() -> None:
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 2_000_000


@pytest.mark.parametrize("name", ["check.py", "check.mjs"])
def test_the_checkers_are_short(name: str) -> None:
    assert len((FOLDER / name).read_text().splitlines()) <= 100


# --- The schema -----------------------------------------------------------------------------------

TYPES: dict[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_of_type(value: Any, name: str) -> bool:
    if name in ("integer", "number"):
        return not isinstance(value, bool) and isinstance(value, int if name == "integer" else (int, float))
    return isinstance(value, TYPES[name])


def assert_valid(value: Any, schema: dict[str, Any], whole: dict[str, Any]) -> None:
    """As much of JSON Schema as our schema uses."""
    if "$ref" in schema:
        assert_valid(value, whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
        return
    assert "const" not in schema or value == schema["const"]
    names = schema.get("type", [])
    assert not names or any(is_of_type(value, name) for name in ([names] if isinstance(names, str) else names))
    if isinstance(value, dict) and "properties" in schema:
        assert set(schema["required"]) <= set(value) <= set(schema["properties"])
        for key, entry in value.items():
            assert_valid(entry, schema["properties"][key], whole)
    if isinstance(value, list) and "items" in schema:
        for entry in value:
            assert_valid(entry, schema["items"], whole)


@pytest.mark.parametrize("name", write_conformance.KITS)
def test_the_files_follow_the_schema(name: str) -> None:
    schema = json.loads((FOLDER / "schema.json").read_text())
    assert_valid(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")), schema, schema)


# --- The naive rule followers ---------------------------------------------------------------------


def naive_game(case: Case) -> Any:
    game, _, ruleset = case["game"].partition("/")
    rules = dict(case["rules"])
    if game == "pferdeaepfel":
        return naive_pferdeaepfel.NaiveGame(ruleset, **rules)
    if game == "diavolo":
        return naive_diavolo.NaiveDiavolo(**rules)
    if rules.get("colours"):
        rules["colours"] = tuple(rules["colours"].split(","))
    return naive_ludo.NaiveLudo(ruleset, **rules)


def naive_perft(case: Case, depth: int) -> int:
    modules: dict[str, Any] = {"pferdeaepfel": naive_pferdeaepfel, "diavolo": naive_diavolo, "ludo": naive_ludo}
    count: int = modules[case["game"].partition("/")[0]].perft(naive_game(case), depth)
    return count


def assert_naive_agrees(naive: Any, seen: dict[str, Any], game: str) -> None:
    assert sorted(naive.legal()) == seen["legal"]
    if "result" not in seen:
        assert naive.player == ("die" if seen["player"] == "chance" else seen["player"])
        return
    assert naive.over
    result = seen["result"]
    if game.startswith("ludo"):
        assert list(naive.returns()) == result["returns"]
        assert naive.truncated == result["truncated"]
    else:
        points = naive.points.values() if isinstance(naive.points, dict) else naive.points
        assert (list(naive.winner), list(points)) == (result["winner"], result["points"])


@pytest.mark.parametrize("name", write_conformance.KITS)
def test_the_naive_followers_play_the_games_of_the_kit(name: str) -> None:
    for case in cases_of(name):
        for game in case["games"]:
            naive = naive_game(case)
            for seen, action in zip(game["positions"], [*game["actions"], None], strict=True):
                assert_naive_agrees(naive, seen, case["game"])
                if action is not None:
                    naive.play(action)


@pytest.mark.parametrize("name", write_conformance.KITS)
def test_the_naive_followers_count_as_the_kit_does(name: str) -> None:
    for case in cases_of(name):
        for depth, count in enumerate(case["counts"], start=1):
            if count <= NAIVE_LIMIT:
                assert naive_perft(case, depth) == count


@pytest.mark.parametrize("name", write_conformance.KITS)
def test_the_naive_followers_refuse_what_the_kit_refuses(name: str) -> None:
    for case in cases_of(name):
        for refusal in case["refusals"]:
            naive = naive_game(case)
            for move in refusal["moves"]:
                naive.play(move)
            assert refusal["action"] not in naive.legal()


# --- Engines --------------------------------------------------------------------------------------


@pytest.fixture
def small_kit(tmp_path: Path) -> Path:
    cases = [cases_of("pferdeaepfel")[0], cases_of("diavolo")[0], cases_of("ludo")[-1]]
    path = tmp_path / "small.json"
    path.write_text(json.dumps({"kit": 1, "cases": cases}))
    return path


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300)


def test_our_engine_passes_in_all_three_hosts(small_kit: Path) -> None:
    node = shutil.which("node")
    hosts: list[list[str | Path]] = [[sys.executable, FOLDER / "check.py"]]
    if node:
        hosts.append([node, FOLDER / "check.mjs"])
    for host in hosts:
        done = run(*host, small_kit, *ENGINE)
        assert (done.returncode, done.stdout.strip()) == (0, "3 cases, 0 differences"), done.stdout + done.stderr
    done = run(sys.executable, "-m", "spielwerk", "conformance", small_kit, "--engine", shlex.join(ENGINE))
    assert (done.returncode, done.stdout.strip()) == (0, "3 cases, no differences"), done.stdout + done.stderr


def test_an_engine_that_counts_or_plays_otherwise_is_found_out(small_kit: Path) -> None:
    kit = json.loads(small_kit.read_text())
    kit["cases"][0]["counts"][1] += 1
    kit["cases"][0]["games"][0]["positions"][2]["legal"].append("@a1")
    kit["cases"][0]["refusals"][0] |= {"moves": [], "action": kit["cases"][0]["games"][0]["actions"][0]}
    small_kit.write_text(json.dumps(kit))
    engine = EngineUnderTest(shlex.join(ENGINE))
    problems = list(engine.problems(kit["cases"][0]))
    engine.close()
    assert len(problems) == 3
    done = run(sys.executable, "-m", "spielwerk", "conformance", small_kit)
    assert done.returncode == 1
    assert "3 cases, 3 differences" in done.stdout
    done = run(sys.executable, FOLDER / "check.py", small_kit, *ENGINE)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "3 cases, 3 differences")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kit": 9, "cases": []}', '{"kit": 1, "cases": [{"game": "x"}]}'])
def test_what_is_no_kit_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "kit.json"
    path.write_text(text)
    done = run(sys.executable, "-m", "spielwerk", "conformance", path)
    assert done.returncode == 2
    assert "kit.json" in done.stderr
    assert "Traceback" not in done.stderr
