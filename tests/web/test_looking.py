"""How the page presents itself: languages, small screens, accessibility, size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from tests.web.conftest import NewPerson
from tests.web.person import Person

_AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
_PATHS = (
    "/", "/new", "/games", "/watch", "/lobby", "/rules", "/rules/pferdeaepfel/classic", "/about",
    "/analysis", "/puzzles", "/training", "/arena", "/balance",
)  # fmt: skip
_RULE_PATHS = tuple(f"/rules/{game}" for game in sw.games())
_FIRST_LOAD_BYTES = 150_000
_PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
_LOCALES = {"en": "en-GB", "de": "de-DE"}


def open_example(person: Person) -> None:
    """A table in the middle of a turn, where most of the page can be seen."""
    table = person.open_table("pferdeaepfel/classic", opponent="greedy")
    person.page.wait_for_selector(".board.playable")
    for _ in range(3):
        now = person.table(table)
        person.click_hit(now["scene"]["hits"][0])
        person.wait_for_ply(now["ply"] + 1)
        person.page.wait_for_selector(".board.playable")


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_browsers_language_is_spoken(new_person: NewPerson, language: str) -> None:
    person = new_person(locale=_LOCALES[language])
    person.visit("/")
    person.page.get_by_role(
        "heading", name={"en": "What would you like to play?", "de": "Was möchtest du spielen?"}[language]
    ).wait_for()
    assert person.page.locator("html").get_attribute("lang") == language
    other = {"en": "de", "de": "en"}[language]
    person.page.locator(".wishes select").first.select_option(other)
    person.page.get_by_role(
        "heading", name={"en": "What would you like to play?", "de": "Was möchtest du spielen?"}[other]
    ).wait_for()
    person.visit("/about")
    assert person.page.locator("html").get_attribute("lang") == other


def test_boards_and_rules_speak_german(new_person: NewPerson) -> None:
    person = new_person(locale="de-DE")
    person.open_table("pferdeaepfel/trail")
    person.page.get_by_text("Du bist am Zug").wait_for()
    person.page.locator("[aria-label='Weißes Pferd auf a8']").wait_for()
    person.page.locator(".side").get_by_role("button", name="Regeln").click()
    person.page.get_by_role("dialog").get_by_role("heading", name="Spur").wait_for()


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_never_scrollssideways(new_person: NewPerson, language: str, scheme: str) -> None:
    person = new_person(**_PHONE, locale=_LOCALES[language], color_scheme=scheme)
    for path in _PATHS:
        person.visit(path)
        person.page.wait_for_load_state("networkidle")
        assert sideways(person) <= 0, path
        if path == "/":
            person.keep_screenshot(f"phone-{language}-{scheme}-home")
    open_example(person)
    assert sideways(person) <= 0
    board = person.page.locator(".stage svg.scene").bounding_box()
    assert board["width"] >= 336
    person.keep_screenshot(f"phone-{language}-{scheme}-table")


@pytest.mark.parametrize("width", [360, 761, 770, 779, 961, 1181])
def test_no_page_scrolls_sideways_in_german(new_person: NewPerson, width: int) -> None:
    person = new_person(viewport={"width": width, "height": 740}, locale=_LOCALES["de"])
    for path in (*_PATHS, *_RULE_PATHS):
        person.visit(path)
        person.page.wait_for_load_state("networkidle")
        assert sideways(person) <= 0, path
    open_example(person)
    assert sideways(person) <= 0


@pytest.mark.parametrize("game", ["pferdeaepfel/classic", "ludo/ffa", "diavolo/standard"])
def test_a_phone_held_sideways_shows_the_board_and_the_status(new_person: NewPerson, game: str) -> None:
    person = new_person(viewport={"width": 740, "height": 360}, has_touch=True, is_mobile=True)
    person.open_table(game)
    person.wait_for_turn()
    for part in (".stage svg.scene", ".status strong"):
        box = person.page.locator(part).bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 360, part
    assert person.page.locator(".stage svg.scene").bounding_box()["height"] >= 230
    assert sideways(person) <= 0
    person.keep_screenshot(f"sideways-{game.replace('/', '-')}")


def test_names_are_not_cut_off(new_person: NewPerson) -> None:
    person = new_person(viewport={"width": 1440, "height": 900})
    name = "Hieronymus Carl Friedrich von Münchhausen"[:40]
    seats = [{"kind": "human", "name": name}, {"kind": "agent", "level": "random", "name": name[::-1]}]
    opened = person.server.post("/api/tables", {"game": "pferdeaepfel/trail", "seats": seats})
    person.take(opened["id"], opened["tokens"])
    person.wait_for_turn()
    for card in person.page.locator(".person").all():
        assert card.evaluate("one => one.scrollWidth <= one.clientWidth")
    person.page.get_by_text(f"{name} (you)", exact=True).wait_for()


def test_every_button_without_words_has_a_tooltip(person: Person) -> None:
    open_example(person)
    for path in ("", "/lobby"):
        if path:
            person.visit(path)
        for button in person.page.locator("button.icon").all():
            assert button.get_attribute("title") == button.get_attribute("aria-label") != ""


def sideways(person: Person) -> int:
    return int(person.page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_axe_finds_nothingserious(new_person: NewPerson, theme: str) -> None:
    if not _AXE.exists():
        pytest.fail("axe-core is missing: run `npm ci` in web/")
    person = new_person()
    person.visit("/about")
    person.page.locator(".wishes select").nth(1).select_option(theme)
    for path in _PATHS:
        person.visit(path)
        person.page.wait_for_load_state("networkidle")
        assert serious(person) == [], path
    open_example(person)
    person.page.get_by_label("Asked").select_option("greedy")
    person.page.get_by_role("button", name="Hint").click()
    person.page.get_by_text("would play").wait_for()
    assert serious(person) == []
    person.keep_screenshot(f"desk-{theme}-table")
    person.page.locator(".side").get_by_role("button", name="Rules").click()
    person.page.get_by_role("dialog").get_by_role("heading", name="Classic").wait_for()
    assert serious(person) == []


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_axe_finds_nothing_serious_in_clocks_and_endings(new_person: NewPerson, theme: str) -> None:
    person = new_person()
    person.prefer(theme=theme)
    seats = [{"kind": "human"}, {"kind": "agent", "level": "random"}]
    body = {"game": "pferdeaepfel/classic", "seats": seats, "clock": {"pace": "move", "amount": 8}, "rounds": 2}
    opened = person.server.post("/api/tables", body)
    person.take(opened["id"], opened["tokens"])
    person.page.locator(".clock.running.low").wait_for()
    assert serious(person) == []
    person.page.locator(".ending").wait_for()
    assert serious(person) == []


def serious(person: Person) -> list[Any]:
    person.page.evaluate(_AXE.read_text())
    found = person.page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [
        (one["id"], one["help"], [node["html"][:200] for node in one["nodes"][:3]])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def test_the_first_load_is_small_and_comes_from_the_server_alone(person: Person) -> None:
    sizes: list[int] = []
    addresses: list[str] = []
    person.page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    person.page.on("request", lambda request: addresses.append(request.url))
    person.visit("/")
    person.page.wait_for_load_state("networkidle")
    assert sum(sizes) < _FIRST_LOAD_BYTES
    assert all(address.startswith(person.server.url) for address in addresses)
