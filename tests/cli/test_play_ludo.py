"""Ludo at the terminal: four people, agents, dice, refusals in both languages."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.records import read_records

Cli = Callable[..., Any]
FOUR_PEOPLE = ("--seat", "human") * 4


def decisions(ruleset: str, seed: int) -> tuple[list[str], sw.State]:
    """What four people type in a random game, and its end; the dice fall by themselves."""
    choose = random.Random(seed).choice
    state, actions = sw.make(ruleset).start(seed=seed), []
    while not state.over:
        actions.append(state.text(choose(state.legal_actions)))
        state.play(actions[-1])
    return actions, state


@pytest.mark.parametrize("ruleset", ["ludo/ffa", "ludo/teams"])
@pytest.mark.parametrize(("lang", "won"), [("en", " win"), ("de", " gewinn")])
def test_a_whole_game_of_four_people(cli: Cli, ruleset: str, lang: str, won: str) -> None:
    actions, end = decisions(ruleset, seed=1)
    words = ("play", ruleset, *FOUR_PEOPLE, "--seed", "1", "--lang", lang)
    code, out, err = cli(*words, typed="\n".join(actions) + "\n")
    assert (code, err) == (0, "")
    names = {"en": ["Green", "Yellow", "Blue", "Red"], "de": ["Grün", "Gelb", "Blau", "Rot"]}[lang]
    joint = {"en": " and ", "de": " und "}[lang]
    assert joint.join(names[seat] for seat in end.winner) + won in out


def test_a_person_against_three_agents(cli: Cli) -> None:
    tries = ["0", "1", "2", "3", "pass"] * 200
    code, out, err = cli("play", "ludo/ffa", "--seed", "3", typed="\n".join(tries) + "\n")
    assert (code, err) == (0, "")
    assert " wins" in out
    assert "Traceback" not in out


@pytest.mark.parametrize(
    ("lang", "message"),
    [
        ("en", ["Green's piece 1 leaves the yard only with a six.", "a block on square 4 stops Green's piece 0."]),
        ("de", ["Figur 1 kommt nur mit einer Sechs aus dem Hof.", "Figur 0 wird von einer Sperre aufgehalten."]),
    ],
)
def test_refusals_name_the_rule(cli: Cli, lang: str, message: list[str]) -> None:
    position = "G=1,y,y,y Y=4,4,y,y B=y,y,y,y R=y,y,y,y turn=G die=5 sixes=0000 plies=20"
    words = ("play", "ludo/ffa", "--position", position, *FOUR_PEOPLE, "--lang", lang)
    out = " ".join(cli(*words, typed="1\n0\n").out.split())
    assert all(reason in out for reason in message)


def test_the_board_and_every_piece_are_shown(cli: Cli) -> None:
    out = cli(
        "show",
        "ludo/ffa",
        "--position",
        "G!=f,h2,4,4 Y=y,y,13,21 B=y,y,y,y R=8,y,y,33 turn=G die=3 sixes=0000 plies=90",
    ).out
    assert "2G" in out
    assert "Green   0 done 1 h2   2 4    3 4    captured" in out


PERSON_AND_AGENTS = ("--seat", "human", "--seat", "greedy", "--seat", "greedy", "--seat", "greedy", "--seed", "1")


@pytest.mark.parametrize(
    ("ruleset", "winner", "returns"),
    [("ludo/teams", [1, 3], [-1.0, 1.0, -1.0, 1.0]), ("ludo/ffa", [1, 2, 3], [-1.0, 1 / 3, 1 / 3, 1 / 3])],
)
def test_who_resigns_loses_with_the_partner(
    cli: Cli, tmp_path: Path, ruleset: str, winner: list[int], returns: list[float]
) -> None:
    file = tmp_path / "t.jsonl"
    out = cli("play", ruleset, *PERSON_AND_AGENTS, typed=f"resign\nsave {file}\nquit\n", width=200).out
    (record,) = read_records(file)
    assert record.result == {
        "winner": winner,
        "returns": returns,
        "points": [0, 0, 0, 0],
        "reason": "resigned",
        "truncated": False,
    }
    record.replay()
    names = ["Green", "Yellow", "Blue", "Red"]
    assert " and ".join(names[seat] for seat in winner) + " won" in out


def test_undo_leaves_the_die_and_the_next_one_in_the_dark(cli: Cli, tmp_path: Path) -> None:
    def next_die(seed: int, *typed: str) -> tuple[str, str]:
        file = tmp_path / f"{seed}{len(typed)}.jsonl"
        lines = "\n".join([*typed, f"save {file}", "quit"])
        cli("play", "ludo/ffa", *FOUR_PEOPLE, "--seed", str(seed), typed=lines + "\n", width=200)
        (record,) = read_records(file)
        return record.actions[0], record.actions[2]

    seeds = [seed for seed in range(30) if sw.make("ludo/ffa").start(seed=seed).fallen != ["d6"]]
    once = [next_die(seed, "pass") for seed in seeds]
    again = [next_die(seed, "pass", "undo", "pass") for seed in seeds]
    assert [first for first, _ in once] == [first for first, _ in again]
    assert 0 < sum(before == after for before, after in zip(once, again, strict=True)) < len(seeds) / 2
