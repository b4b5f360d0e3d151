"""A store of the arena in the browser: ratings, the cross-table, and games to replay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.test_arena import play
from tests.web.conftest import NewPerson
from tests.web.person import Person
from tests.web.serving import RunningServer
from tests.web.test_german import check, reader
from tests.web.test_looking import serious, sideways

__all__ = ["reader"]

_PLAYERS = ("random", "greedy", "greedy:errs=0.35")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("arena") / "trail.db"
    play(file, 4, *_PLAYERS)
    return file


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, store: Path) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("server"), arena_store=store) as running:
        yield running


def look(person: Person) -> None:
    person.visit("/arena")
    person.page.locator("table button").first.wait_for()


def test_a_cell_opens_its_games_and_they_are_replayed(person: Person) -> None:
    look(person)
    assert person.page.locator(".ratings li").count() == 3
    assert person.page.locator("table button").count() == 6
    button = person.page.locator("table button").first
    button.focus()
    person.page.keyboard.press("Enter")
    person.page.locator(".games li").first.wait_for()
    assert person.page.locator(".games li").count() == 4
    person.page.get_by_role("link", name="Replay").first.click()
    person.page.wait_for_selector(".analysis .stage svg.scene")


def test_the_table_grows_while_a_tournament_runs(person: Person, store: Path) -> None:
    look(person)
    person.page.get_by_text("12 games").wait_for()
    play(store, 6, *_PLAYERS)
    person.page.get_by_text("18 games").wait_for()


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_axe_finds_nothing_serious(new_person: NewPerson, theme: str) -> None:
    person = new_person()
    person.prefer(theme=theme)
    look(person)
    person.page.locator("table button").first.click()
    person.page.locator(".games li").first.wait_for()
    assert serious(person) == []
    person.keep_screenshot(f"arena-{theme}")


def test_the_arena_is_german_and_fits_a_phone(reader: Person) -> None:
    reader.page.set_viewport_size({"width": 360, "height": 740})
    look(reader)
    reader.page.locator("table button").first.click()
    reader.page.locator(".games li").first.wait_for()
    check(reader, "arena")
    assert sideways(reader) <= 0
    reader.keep_screenshot("arena-phone")
