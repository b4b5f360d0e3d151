"""A report on balance in the browser: explored, and a variant of it played."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.test_balance import write_report
from tests.web.conftest import NewPerson
from tests.web.person import Person
from tests.web.serving import RunningServer
from tests.web.test_german import check, reader
from tests.web.test_looking import serious, sideways

__all__ = ["reader"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("balance")
    (folder / "reports").mkdir()
    write_report(folder / "reports" / "report.json")
    with RunningServer(folder, balance_report=folder / "reports") as running:
        yield running


def look(person: Person) -> None:
    person.visit("/balance")
    person.page.locator("#variants").wait_for()


def test_variants_are_sorted_and_chosen_and_one_is_played(person: Person) -> None:
    look(person)
    rows = person.page.locator("section[aria-labelledby=variants] li")
    assert rows.count() == 4
    person.page.get_by_label("Order").select_option("rules")
    assert "as the rules stand" in rows.first.inner_text()
    person.page.get_by_label("What differs").select_option("size")
    person.page.get_by_text("1 of 4 variants").wait_for()
    assert rows.first.locator(".rules strong").inner_text() == "4"
    rows.first.get_by_role("button", name="Play it").focus()
    person.page.keyboard.press("Enter")
    person.page.wait_for_url("**/t/*")
    assert person.table(person.page.url.rpartition("/")[2])["rules"]["size"] == 4


def test_another_report_is_chosen(person: Person) -> None:
    look(person)
    person.page.get_by_label("Report").select_option(label="Ludo, Each for itself")
    person.page.get_by_label("Only those played in full").check()
    person.page.get_by_text("2 of 3 variants").wait_for()


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_axe_finds_nothing_serious(new_person: NewPerson, theme: str) -> None:
    person = new_person()
    person.prefer(theme=theme)
    look(person)
    assert serious(person) == []
    person.keep_screenshot(f"balance-{theme}")


def test_the_report_is_german_and_fits_a_phone(reader: Person) -> None:
    reader.page.set_viewport_size({"width": 360, "height": 740})
    look(reader)
    check(reader, "balance")
    reader.page.get_by_label("Bericht").select_option(index=1)
    reader.page.get_by_text("3 von 3 Varianten").wait_for()
    check(reader, "balance of Ludo")
    assert sideways(reader) <= 0
    reader.keep_screenshot("balance-phone")
