"""Training runs in the browser: curves that grow, runs compared, a network as an opponent with one click."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from spielwerk.training.runs import Run
from tests.server.test_training import begin_run, give_model, line_of
from tests.web.conftest import NewPerson
from tests.web.person import Person
from tests.web.serving import RunningServer
from tests.web.test_german import check, reader
from tests.web.test_looking import serious, sideways

__all__ = ["reader"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("training") / "runs"
    made = [begin_run(folder, name, lines=20) for name in ("earlier", "a-run-with-a-name-that-is-quite-a-bit-longer")]
    give_model(made[0])
    made[0].write_result({"steps": 20_000, "seconds": 60.0, "anchors": {"random": [{"rate": 0.9}, {"rate": 0.8}]}})
    return made


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, runs: list[Run]) -> Iterator[RunningServer]:
    folder: Path = runs[0].folder.parent
    with RunningServer(tmp_path_factory.mktemp("server"), runs_folder=folder) as running:
        yield running


def look(person: Person) -> None:
    person.visit("/training")
    person.page.locator("figure").first.wait_for()


def test_curves_grow_while_a_run_goes_on(person: Person, runs: list[Run]) -> None:
    look(person)
    newest = person.page.locator("li.card").first
    newest.get_by_text("20K steps").wait_for()
    chart = person.page.locator("figure", has_text="Score against random")
    assert "White 50 %" in chart.inner_text().replace("\n", " ") and "Black 20 %" in chart.inner_text().replace(
        "\n", " "
    )
    runs[1].append_metrics(line_of(40))
    newest.get_by_text("40K steps").wait_for()
    chart.get_by_text("40 %").wait_for()


def test_runs_are_compared_in_the_same_charts_by_keyboard(person: Person) -> None:
    look(person)
    box = person.page.get_by_role("checkbox", name="earlier")
    box.focus()
    person.page.keyboard.press("Space")
    chart = person.page.locator("figure", has_text="policy_loss")
    chart.get_by_text("earlier").wait_for()
    assert chart.locator("li").count() == 2
    assert person.page.locator("figure", has_text="Score against random").locator("li").count() == 4


def test_a_network_is_an_opponent_with_one_click(person: Person) -> None:
    look(person)
    assert person.page.locator("li.card").first.get_by_text("no network to play against yet").count() == 1
    person.page.get_by_role("button", name="Play against it").click()
    person.page.wait_for_selector(".board.playable")
    person.page.get_by_text("earlier").first.wait_for()


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_axe_finds_nothing_serious(new_person: NewPerson, theme: str) -> None:
    person = new_person()
    person.prefer(theme=theme)
    look(person)
    assert serious(person) == []
    person.keep_screenshot(f"training-{theme}")


def test_training_is_german_and_fits_a_phone(reader: Person) -> None:
    reader.page.set_viewport_size({"width": 360, "height": 740})
    look(reader)
    reader.page.get_by_role("checkbox", name="earlier").click()
    reader.page.locator("figure").get_by_text("earlier").first.wait_for()
    check(reader, "training")
    assert sideways(reader) <= 0
    reader.keep_screenshot("training-phone")
