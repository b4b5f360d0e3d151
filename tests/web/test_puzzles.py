"""Puzzles in the browser."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.conftest import NewPerson
from tests.web.person import Person
from tests.web.serving import RunningServer
from tests.web.test_german import check, reader
from tests.web.test_looking import serious, sideways

__all__ = ["reader"]


def first_of(server: RunningServer, game: str) -> dict[str, Any]:
    item = next(one for one in server.get("/api/puzzles") if one["game"] == game)
    return dict(server.get(f"/api/puzzles/{item['id']}"))


def hits_of(server: RunningServer, puzzle: dict[str, Any]) -> dict[str, Any]:
    body = {"game": puzzle["game"], "rules": puzzle["rules"], "start": puzzle["position"]}
    return {hit["action"]: hit for hit in server.post("/api/positions", body)["scene"]["hits"]}


def open_puzzle(person: Person, puzzle: dict[str, Any]) -> None:
    person.visit(f"/puzzles#{puzzle['id']}")
    person.page.wait_for_selector(".puzzles .board.playable")


def score(person: Person) -> list[str]:
    return list(person.page.locator(".score dd").all_inner_texts())


@pytest.mark.parametrize("game", ["pferdeaepfel/trail", "pferdeaepfel/classic", "diavolo/standard"])
def test_a_puzzle_is_solved_by_its_only_winning_move(person: Person, server: RunningServer, game: str) -> None:
    puzzle = first_of(server, game)
    hits = hits_of(server, puzzle)
    open_puzzle(person, puzzle)
    wrong = next(action for action in hits if action != puzzle["line"][0])
    person.click_hit(hits[wrong])
    person.page.get_by_text("Try again.").wait_for()
    assert score(person)[0] == "0"
    person.click_hit(hits[puzzle["line"][0]])
    person.page.get_by_text(f"Right! {puzzle['line'][0]} wins in {puzzle['distance']} plies.").wait_for()
    assert score(person)[:2] == ["0", "0"], "a mistake ends the row"
    assert score(person)[2].startswith("1 of")
    person.page.get_by_role("button", name="Next puzzle").click()
    person.page.wait_for_selector(".puzzles .board.playable")
    assert puzzle["id"] not in person.page.url


def test_puzzles_in_a_row_are_counted_and_remembered(person: Person, server: RunningServer) -> None:
    person.visit("/puzzles")
    for count in (1, 2):
        person.page.wait_for_selector(".puzzles .board.playable")
        puzzle = server.get(f"/api/puzzles/{person.page.url.rpartition('#')[2]}")
        person.click_hit(hits_of(server, puzzle)[puzzle["line"][0]])
        person.page.get_by_text("Right!").wait_for()
        assert score(person)[:2] == [str(count), str(count)]
        person.page.get_by_role("button", name="Next puzzle").click()
    person.page.reload()
    person.page.wait_for_selector(".puzzles .board.playable")
    assert score(person)[:2] == ["2", "2"]
    person.page.get_by_role("button", name="Hint").click()
    person.page.get_by_text("The win takes").wait_for()
    assert score(person)[:2] == ["0", "2"], "help ends the row"
    person.page.get_by_role("button", name="Hint").click()
    person.page.locator(".stage .best").first.wait_for()
    person.page.get_by_role("button", name="Show the solution").click()
    person.page.get_by_text("was the winning move").wait_for()
    person.page.get_by_role("link", name="Analyse this position").click()
    person.page.wait_for_selector(".analysis .stage svg.scene")


def test_puzzles_are_chosen_by_game_and_difficulty(person: Person, server: RunningServer) -> None:
    person.visit("/puzzles")
    person.page.wait_for_selector(".puzzles .board.playable")
    person.page.get_by_label("Game").select_option("diavolo/standard")
    person.page.locator(".task").get_by_text("DiavoloPP").wait_for()
    person.page.get_by_label("Difficulty").select_option("hard")
    person.page.locator(".task").get_by_text("Hard").wait_for()
    there = [
        one for one in server.get("/api/puzzles") if (one["game"], one["difficulty"]) == ("diavolo/standard", "hard")
    ]
    assert score(person)[2] == f"0 of {len(there)}"


def test_a_puzzle_that_is_none_is_refused(person: Person) -> None:
    person.visit("/puzzles#nothing")
    person.page.get_by_text("There is no such puzzle.").wait_for()


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_axe_finds_nothing_serious(new_person: NewPerson, server: RunningServer, theme: str) -> None:
    person = new_person()
    person.prefer(theme=theme)
    puzzle = first_of(server, "pferdeaepfel/classic")
    open_puzzle(person, puzzle)
    assert serious(person) == []
    person.page.get_by_role("button", name="Show the solution").click()
    person.page.get_by_text("was the winning move").wait_for()
    assert serious(person) == []


@pytest.mark.parametrize("game", ["pferdeaepfel/carry", "diavolo/standard"])
def test_puzzles_are_german_and_fit_a_phone(reader: Person, server: RunningServer, game: str) -> None:
    puzzle = first_of(server, game)
    reader.page.set_viewport_size({"width": 360, "height": 740})
    open_puzzle(reader, puzzle)
    check(reader, f"a puzzle of {game}")
    reader.page.get_by_role("button", name="Tipp").click()
    check(reader, "with a hint")
    hits = hits_of(server, puzzle)
    wrong = next(action for action in hits if action != puzzle["line"][0])
    reader.click_hit(hits[wrong] | {"label": {"en": _german(hits[wrong]["label"])}})
    reader.page.get_by_text("Versuch es noch einmal").wait_for()
    check(reader, "after a mistake")
    reader.page.get_by_role("button", name="Lösung zeigen").click()
    reader.page.get_by_text("war der Gewinnzug").wait_for()
    check(reader, "with its solution")
    assert sideways(reader) <= 0


def _german(label: Any) -> str:
    return str(label if isinstance(label, str) else label["de"])
