"""Boards with hundreds of cells stay usable: zoom, pan, a cursor that is followed."""

from __future__ import annotations

from typing import Any

import pytest

import spielwerk as sw
from tests.web.conftest import NewPerson
from tests.web.person import Person


def large_boards() -> list[tuple[str, dict[str, Any]]]:
    """Every ruleset whose board can be made that large, at its largest."""
    found = []
    for name in sw.games():
        sides = [rule for rule in sw.make(name).parameters if rule.name == "side" and rule.maximum >= 20]
        found += [(name, {rule.name: rule.maximum}) for rule in sides]
    return found


def _window(person: Person) -> list[float]:
    box = person.page.locator("[data-part=focus]").first.get_attribute("viewBox")
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
