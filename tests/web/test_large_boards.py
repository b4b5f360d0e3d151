"""Boards with hundreds of cells stay usable: zoom, pan, a cursor that is followed."""

from __future__ import annotations

from typing import Any

import pytest

import spielwerk as sw
from tests.web.conftest import NewPerson
from tests.web.person import Person

_PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def large_boards() -> list[tuple[str, dict[str, Any]]]:
    """Every ruleset whose board can be made that large, at its largest."""
    found = []
    for name in sw.games():
        sides = [rule for rule in sw.make(name).parameters if rule.name == "side" and rule.maximum >= 20]
        found += [(name, {rule.name: rule.maximum}) for rule in sides]
    return found


def _window(person: Person) -> list[float]:
    box = person.page.locator(".stage [data-part=focus]").first.get_attribute("viewBox")
    return [float(number) for number in box.split()]


@pytest.mark.parametrize(("game", "rules"), large_boards())
def test_a_large_board_is_zoomed_panned_and_played(new_person: NewPerson, game: str, rules: dict[str, Any]) -> None:
    person = new_person()
    table = person.open_table(game, rules)
    person.wait_for_turn()
    whole = _window(person)
    hit = person.table(table)["scene"]["hits"][-1]

    person.page.mouse.move(*person.middle(hit["area"]))
    for _ in range(4):
        person.page.mouse.wheel(0, -300)
    zoomed = _window(person)
    assert zoomed[2] < whole[2] / 3
    x, y = person.middle(hit["area"])
    person.page.mouse.down()
    person.page.mouse.move(x - 40, y - 30, steps=4)
    person.page.mouse.up()
    assert _window(person) != zoomed
    assert person.table(table)["ply"] == 0, "panning plays nothing"

    person.click_hit(hit)
    person.wait_for_ply(1)
    person.keep_screenshot(f"large-{game.replace('/', '-')}")
    person.page.get_by_role("button", name="Show the whole board").click()
    assert _window(person) == whole


def _line(start: tuple[float, float], end: tuple[float, float], steps: int = 8) -> list[tuple[float, float]]:
    """From one point to the other, as a finger goes."""
    parts = [number / steps for number in range(steps + 1)]
    return [(start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part) for part in parts]


def _near(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) < 12


@pytest.mark.parametrize(("game", "rules"), large_boards())
def test_two_fingers_zoom_one_finger_pans_and_a_tap_plays(
    new_person: NewPerson, game: str, rules: dict[str, Any]
) -> None:
    person = new_person(**_PHONE)
    table = person.open_table(game, rules)
    person.wait_for_turn()
    whole = _window(person)
    hits = person.table(table)["scene"]["hits"]
    hit = hits[len(hits) // 2]
    x, y = person.middle(hit["area"])

    person.touch(_line((x - 15, y), (x - 90, y + 30)), _line((x + 15, y), (x + 90, y - 30)))
    zoomed = _window(person)
    assert zoomed[2] < whole[2] / 4
    assert _near(person.middle(hit["area"]), (x, y)), "what was between the fingers stays there"

    person.touch(_line((x, y), (x - 50, y - 60)))
    assert _window(person)[2:] == pytest.approx(zoomed[2:]), "one finger does not zoom"
    assert _near(person.middle(hit["area"]), (x - 50, y - 60)), "the board goes with the finger"
    person.touch(_line((100, y), (160, y + 40)), _line((200, y), (260, y + 40)))
    assert _near(person.middle(hit["area"]), (x + 10, y - 20)), "nor do two that go side by side"
    assert person.table(table)["ply"] == 0, "fingers that travel play nothing"

    person.touch([person.middle(hit["area"])])
    person.wait_for_ply(1)
    assert person.table(table)["actions"][0]["text"] == hit["action"]
    person.keep_screenshot(f"phone-large-{game.replace('/', '-')}")


def test_one_finger_scrolls_the_page_while_the_whole_board_is_seen(new_person: NewPerson) -> None:
    person = new_person(**_PHONE)
    table = person.open_table("pferdeaepfel/classic")
    person.wait_for_turn()
    x, y = person.middle("cell-e4")
    person.touch(_line((x, y), (x, y - 200), steps=16))
    person.page.wait_for_function("() => scrollY > 50")
    assert person.table(table)["ply"] == 0


def test_a_piece_is_dragged_by_a_finger(new_person: NewPerson) -> None:
    person = new_person(**_PHONE)
    table = person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    start, end = person.middle("horse-0"), person.middle("cell-b6")
    with person.finger() as finger:
        finger.go(_line(start, end, steps=12))
        assert person.middle("horse-0") == pytest.approx(end, abs=3), "the piece is under the finger"
    person.wait_for_ply(1)
    assert person.table(table)["actions"][0]["text"] == "b6"
    assert person.page.evaluate("scrollY") == 0


@pytest.mark.parametrize(("game", "rules"), large_boards())
def test_words_over_an_enlarged_board_stand_on_plates(new_person: NewPerson, game: str, rules: dict[str, Any]) -> None:
    person = new_person()
    table = person.open_table(game, rules)
    person.wait_for_turn()
    assert person.page.locator(".plate").count() == 0
    person.page.locator(".stage svg.scene").focus()
    for _ in range(3):
        person.page.keyboard.press("+")
    plates = [plate.bounding_box() for plate in person.page.locator(".plate").all()]
    words = person.page.locator("[data-part=margin] text").all()
    assert words
    for word in words:
        box = word.bounding_box()
        assert any(_holds(plate, box) for plate in plates), word.text_content()
    for plate in plates:
        person.page.mouse.click(plate["x"] + plate["width"] / 2, plate["y"] + plate["height"] / 2)
    assert person.table(table)["ply"] == 0, "what lies under a plate is not meant"
    person.keep_screenshot(f"plates-{game.replace('/', '-')}")
    person.page.get_by_role("button", name="Show the whole board").click()
    assert person.page.locator(".plate").count() == 0


def _holds(outer: dict[str, float], inner: dict[str, float]) -> bool:
    return (
        outer["x"] <= inner["x"]
        and outer["y"] <= inner["y"]
        and outer["x"] + outer["width"] >= inner["x"] + inner["width"]
        and outer["y"] + outer["height"] >= inner["y"] + inner["height"]
    )
