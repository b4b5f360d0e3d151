"""A tournament started from the arena page, and watched there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.test_arena import play
from tests.web.conftest import NewPerson
from tests.web.person import Person
from tests.web.serving import RunningServer
from tests.web.test_german import check, reader
from tests.web.test_looking import serious, sideways

__all__ = ["reader"]

_RULESET = "pferdeaepfel/classic"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder: Path = tmp_path_factory.mktemp("arena")
    play(folder / "arena.db", 2, "random", "greedy", "random:seed=1", "random:seed=2", "greedy:seed=1")
    with RunningServer(folder, arena_store=folder / "arena.db") as running:
        yield running


def open_form(person: Person) -> Any:
    person.visit("/arena")
    form = person.page.locator("details.card form")
    person.page.locator("details.card summary").focus()
    person.page.keyboard.press("Enter")
    form.locator("input[value=greedy]").wait_for()
    return form


def test_a_tournament_is_started_by_keyboard_and_watched(person: Person) -> None:
    form = open_form(person)
    form.get_by_label("Ruleset").select_option(_RULESET)
    button = form.get_by_role("button", name="Start")
    form.locator("input[value=random]").focus()
    person.page.keyboard.press("Space")
    assert button.is_disabled(), "one alone plays no tournament"
    form.locator("input[value=greedy]").focus()
    person.page.keyboard.press("Space")
    form.get_by_label("Games for every two").select_option("4")
    button.focus()
    person.page.keyboard.press("Enter")
    person.page.get_by_text("all 4 games are over").wait_for()
    person.page.locator("p", has_text="Classic · 4 games").wait_for()
    assert person.page.locator(".ratings li").count() == 2


def test_what_is_too_much_is_refused_in_one_line(person: Person) -> None:
    form = open_form(person)
    for level in form.locator("input[type=checkbox]").all()[:6]:
        level.check()
    assert form.locator("input[type=checkbox]:disabled").count() > 0, "six are enough"
    form.get_by_label("Games for every two").select_option("20")
    form.get_by_role("button", name="Start").click()
    form.get_by_role("alert").wait_for()
    assert "at most 120 games, not 300" in form.get_by_role("alert").inner_text()


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_axe_finds_nothing_serious(new_person: NewPerson, theme: str) -> None:
    person = new_person()
    person.prefer(theme=theme)
    open_form(person)
    assert serious(person) == []


def test_it_is_german_and_fits_a_phone(reader: Person) -> None:
    reader.page.set_viewport_size({"width": 360, "height": 740})
    open_form(reader)
    for level in ("random", "greedy"):
        reader.page.locator(f"input[value={level}]").check()
    reader.page.get_by_role("button", name="Starten").click()
    reader.page.get_by_text("Partien sind zu Ende").wait_for()
    check(reader, "a tournament")
    assert sideways(reader) <= 0
    reader.keep_screenshot("tournament-phone")
