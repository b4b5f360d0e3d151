"""Recorded games, shown again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.records import Record, Recorder, write_records

Cli = Callable[..., Any]


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Two games; the second has a comment and a value."""
    records = []
    for ruleset in ("trail", "classic"):
        recorder = Recorder(sw.make(f"pferdeaepfel/{ruleset}"), seed=1, seats=["greedy", "random"])
        for _ in range(3):
            recorder.play(recorder.state.legal_actions[0])
        records.append(recorder.record)
    records[1].comments[2] = "a good apple"
    records[1].evaluations[2] = 0.25
    path = tmp_path / "games.jsonl"
    write_records(path, records)
    return str(path)


def test_all_positions_are_printed_through_pipes(cli: Cli, file: str) -> None:
    code, out, err = cli("replay", file)
    assert (code, err) == (0, "")
    assert out.count("1. pferdeaepfel/trail  greedy – random") == 4
    assert out.count("2. pferdeaepfel/classic") == 4
    assert "a good apple\n+0.25" in out


def test_one_position_of_one_game(cli: Cli, file: str) -> None:
    out = cli("replay", file, "--game", "2", "--ply", "2", "--lang", "de").out
    assert out.count("pferdeaepfel/classic") == 1
    assert "2/3" in out
    assert "Schwarz am Zug" in out


def test_as_json(cli: Cli, file: str) -> None:
    games = json.loads(cli("replay", file, "--json").out)
    assert [len(game["positions"]) for game in games] == [4, 4]
    assert games[0]["positions"][0]["text"] == "W7/8/8/8/8/8/8/7B w"
    assert Record.from_json(games[1]["record"]).comments == {2: "a good apple"}
    (game,) = json.loads(cli("replay", file, "--json", "--game", "1", "--ply", "3").out)
    assert [position["ply"] for position in game["positions"]] == [3]


def test_a_record_that_breaks_the_rules_is_refused_at_its_ply(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "wrong.jsonl"
    write_records(path, [Record("pferdeaepfel/trail", {"size": 8}, ["b6", "b6"])])
    code, _, err = cli("replay", str(path))
    assert code == 2
    assert f"{path}: game 1: ply 2: 'b6' cannot be played" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "3"], "holds games 1 to 2, no --game 3"),
        (["--game", "0"], "holds games 1 to 2, no --game 0"),
        (["--ply", "4"], "game 1 has positions 0 to 3, no --ply 4"),
        (["--ply", "-1"], "game 1 has positions 0 to 3, no --ply -1"),
    ],
)
def test_what_is_not_in_the_file(cli: Cli, file: str, words: list[str], message: str) -> None:
    code, _, err = cli("replay", file, *words)
    assert code == 2
    assert message in err


@pytest.mark.parametrize(
    ("content", "message"), [("", "holds no games"), ("{}\n", "line 1"), ("hello\n", "line 1 is not JSON")]
)
def test_files_that_hold_no_games(cli: Cli, tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "other.txt"
    path.write_text(content)
    code, _, err = cli("replay", str(path))
    assert code == 2
    assert message in err
