"""Reviewing a game that is over."""

from __future__ import annotations

import re
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.records import Recorder
from tests.web.conftest import NewPerson
from tests.web.person import Person
from tests.web.serving import RunningServer
from tests.web.test_german import check, reader
from tests.web.test_looking import serious, sideways

__all__ = ["reader"]

_GAMES: dict[str, dict[str, Any]] = {
    "pferdeaepfel/trail": {"size": 5},
    "diavolo/standard": {"side": 4},
    "ludo/ffa": {"players": 2},
}
_PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def played_out(server: RunningServer, name: str) -> str:
    recorder, agent = Recorder(sw.make(name, **_GAMES[name]), seed=3), sw.agent("random:seed=3")
    while recorder.state.player is not None:
        recorder.play(agent.act(recorder.state))
    return str(server.post("/api/records", recorder.record.to_json())["id"])


def look_again(person: Person, table: str, level: str = "greedy") -> None:
    person.visit(f"/review/{table}")
    person.page.wait_for_selector(".review .stage svg.scene")
    person.page.locator(".head select").select_option(level)
    person.page.wait_for_timeout(200)
    person.page.wait_for_function(
        "() => !document.querySelector('.head [role=status]').innerText.trim()", timeout=60_000
    )


def test_a_game_is_reviewed_from_its_table(person: Person, server: RunningServer) -> None:
    table = played_out(server, "diavolo/standard")
    person.visit(f"/t/{table}")
    person.page.get_by_role("link", name="Review").click()
    person.page.wait_for_selector(".review .stage svg.scene")
    look_again(person, table)
    first = person.page.locator(".moments button").first
    assert "Proved mistake" in first.inner_text()
    ply = int(re.search(r"Ply (\d+)", first.inner_text())[1])  # type: ignore[index]
    first.click()
    card = person.page.locator(".now")
    card.get_by_text(f"Ply {ply}:").wait_for()
    card.get_by_text("was better than").wait_for()
    person.page.locator(".stage .best-1").first.wait_for()
    assert person.page.locator(".people li").count() == 2
    assert re.search(r"\d+ %", person.page.locator(".people").inner_text())
    person.page.get_by_role("button", name="Try again from here").click()
    person.page.wait_for_url(re.compile(r"/t/[^/]+$"))
    person.page.get_by_text("Your turn").wait_for()
    assert person.table(person.page.url.rsplit("/", 1)[1])["ply"] == ply - 1


def test_the_graph_is_walked_by_keys_and_clicks(person: Person, server: RunningServer) -> None:
    table = played_out(server, "pferdeaepfel/trail")
    look_again(person, table)
    slider = person.page.get_by_role("slider", name="Who was better off, ply by ply")
    slider.focus()
    person.page.keyboard.press("ArrowRight")
    person.page.locator(".now").get_by_text("Ply 2:").wait_for()
    box = person.page.locator(".graph > svg").bounding_box()
    person.page.mouse.click(box["x"] + box["width"] - 2, box["y"] + 20)
    plies = person.table(table)["ply"]
    assert slider.input_value() == str(plies)
    person.page.get_by_role("link", name="Analyse this position").click()
    person.page.wait_for_selector(".analysis .stage svg.scene")


def test_the_dice_of_a_game_of_ludo_are_told_apart_from_decisions(person: Person, server: RunningServer) -> None:
    look_again(person, played_out(server, "ludo/ffa"))
    table = person.page.locator("section table")
    assert table.locator("tbody tr").count() == 2
    decisions = [cell.inner_text() for cell in table.locator("tbody td:last-child").all()]
    assert all(text.startswith(("−", "±")) for text in decisions)


def test_a_game_that_runs_is_not_reviewed(person: Person) -> None:
    table = person.open_table("pferdeaepfel/trail")
    person.visit(f"/review/{table}")
    person.page.get_by_text("This game is not over yet").wait_for()


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
@pytest.mark.parametrize("game", list(_GAMES))
def test_axe_finds_nothing_serious(new_person: NewPerson, server: RunningServer, theme: str, game: str) -> None:
    person = new_person()
    person.prefer(theme=theme)
    look_again(person, played_out(server, game))
    assert serious(person) == []


@pytest.mark.parametrize("game", list(_GAMES))
def test_the_review_is_german_and_fits_a_phone(reader: Person, server: RunningServer, game: str) -> None:
    table = played_out(server, game)
    look_again(reader, table)
    check(reader, f"review of {game}")
    moment = reader.page.locator(".moments button").first
    if moment.count():
        moment.click()
        check(reader, f"a moment of {game}")
    reader.page.set_viewport_size({"width": 360, "height": 740})
    assert sideways(reader) <= 0
