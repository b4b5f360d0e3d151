"""Books of openings: read line by line, played by every pairing, and contested where the finder says so."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.arena.match import play
from spielwerk.arena.openings import book_text, contested_openings, is_contested, read_openings
from spielwerk.arena.schedule import Schedule
from spielwerk.arena.workers import InProcess, Processes
from spielwerk.games import State

Cli = Callable[..., Any]
TRAIL = sw.make("pferdeaepfel/trail", size=5)
NODES = 512


def after(game: sw.Game, *actions: int) -> State:
    """The position after the legal actions of these numbers."""
    state = game.start(seed=0)
    for number in actions:
        state.play(state.legal_actions[number])
    return state


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "trail.openings"
    openings = [after(TRAIL).to_text(), after(TRAIL, 0).to_text(), after(TRAIL, 1, 0).to_text()]
    path.write_text(book_text(TRAIL, openings, ["by hand"]), encoding="utf-8")
    return path


def test_a_book_is_one_position_a_line_with_comments(book: Path) -> None:
    first, second, *_ = read_openings(book, TRAIL)
    assert first == after(TRAIL).to_text() and second == after(TRAIL, 0).to_text()
    book.write_text(f"\n# nothing here\n{second}  # the second\n{second}\n  {first}\n", encoding="utf-8")
    assert read_openings(book, TRAIL) == (second, first)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", "holds no openings"),
        ("# nothing\n\n", "holds no openings"),
        ("# hm\nnonsense\n", "line 2: "),
    ],
)
def test_a_book_that_is_none_is_refused_by_its_line(tmp_path: Path, text: str, refusal: str) -> None:
    path = tmp_path / "book"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=refusal):
        read_openings(path, TRAIL)


def test_a_position_of_another_size_and_a_game_that_is_over_are_refused(tmp_path: Path, book: Path) -> None:
    with pytest.raises(ValueError, match="line 3: "):
        read_openings(book, sw.make("pferdeaepfel/trail"))
    state = after(TRAIL)
    while not state.over:
        state.play(state.legal_actions[0])
    book.write_text(state.to_text(), encoding="utf-8")
    with pytest.raises(ValueError, match="line 1: this game is over"):
        read_openings(book, TRAIL)


def test_pairings_begin_from_the_positions_of_the_book(book: Path) -> None:
    openings = read_openings(book, TRAIL)
    schedule = Schedule(TRAIL, ("random", "greedy"), book=openings)
    for number, opening in enumerate(openings):
        for fixture in schedule.pairing(number):
            record = play(fixture).record
            assert record["start"] == opening
    with pytest.raises(ValueError, match="3 openings are enough for 6 games, not for 8"):
        schedule.pairings_for(8)


def test_a_position_is_the_same_opening_wherever_it_stands_in_a_book(book: Path) -> None:
    openings = read_openings(book, TRAIL)
    there = Schedule(TRAIL, ("random", "greedy"), book=openings).pairing(2)
    elsewhere = Schedule(TRAIL, ("random", "greedy"), opening=7, book=openings[::-1]).pairing(0)
    assert there == elsewhere
    assert there != Schedule(TRAIL, ("random", "greedy"), book=openings).pairing(1)
    assert there != Schedule(TRAIL, ("random", "greedy")).pairing(2)


def test_contested_openings_are_those_whose_result_depends_on_the_search() -> None:
    game = sw.make("pferdeaepfel/original", size=6)
    found = contested_openings(game, 3, InProcess(), nodes=NODES, seed=1)
    assert len(set(found.openings)) == 3 <= found.candidates
    assert all(is_contested(game.from_text(text), NODES) for text in found.openings)


def test_a_decided_position_is_not_contested() -> None:
    """On a 3×3 board every search sees the end."""
    assert not is_contested(after(sw.make("pferdeaepfel/trail", size=3)), NODES)
    found = contested_openings(sw.make("pferdeaepfel/trail", size=3), 1, InProcess(), nodes=NODES, candidates=64)
    assert (found.openings, found.candidates) == ((), 64)


def test_contested_openings_do_not_depend_on_the_workers() -> None:
    game = sw.make("pferdeaepfel/original", size=6)
    workers = Processes(2)
    try:
        together = contested_openings(game, 3, workers, nodes=NODES, seed=2)
    finally:
        workers.close()
    assert together == contested_openings(game, 3, InProcess(), nodes=NODES, seed=2)


@pytest.mark.parametrize("name", ["ludo/ffa", "ludo/teams"])
def test_games_with_dice_have_no_contested_openings(name: str) -> None:
    with pytest.raises(ValueError, match="not for two seats without dice"):
        contested_openings(sw.make(name), 1, InProcess())


ORIGINAL = ("pferdeaepfel/original", "--rule", "size=6", "--nodes", str(NODES), "--workers", "1")


def test_the_commands_find_openings_and_play_them(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "original.openings"
    told = json.loads(cli("openings", *ORIGINAL, "--count", "2", "--out", str(file), "--json").out)
    assert told["openings"] == 2 and told["file"] == str(file)
    words = ("arena", "random", "greedy", "--game", "pferdeaepfel/original", "--rule", "size=6", "--workers", "1")
    (report,) = json.loads(cli(*words, "--openings", str(file), "--json").out)["reports"]
    assert report["encounters"][0]["score"]["games"] == 4
    code, _, err = cli(*words, "--openings", str(file), "--games", "100")
    assert code == 2 and "2 openings are enough for 4 games, not for 100" in err
    code, _, err = cli(*words, "--openings", str(tmp_path / "none"))
    assert code == 2 and "none" in err and len(err.splitlines()) == 1


def test_no_contested_opening_is_said_and_nothing_written(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "trail.openings"
    words = ("openings", "pferdeaepfel/trail", "--rule", "size=3", "--candidates", "16", "--workers", "1")
    code, out, _ = cli(*words, "--out", str(file))
    assert code == 1 and "0 contested openings among 16 candidates; nothing was written" in out
    assert not file.exists()
    assert json.loads(cli(*words, "--out", str(file), "--json").out)["file"] is None


def test_openings_refuse_what_cannot_be(cli: Cli, tmp_path: Path) -> None:
    for words, refusal in (
        (("ludo/ffa",), "not for two seats without dice"),
        (("pferdeaepfel/trail", "--nodes", "10"), "needs 256 nodes or more, not 10"),
        (("pferdeaepfel/trail", "--out", str(tmp_path / "no" / "file")), "there is no folder"),
        (("pferdeaepfel/trail", "--count", "0"), "must be a whole number"),
    ):
        code, _, err = cli("openings", *words, "--workers", "1")
        assert code == 2 and refusal in err
