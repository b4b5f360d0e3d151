"""Choosing a game: the Enter key, levels that suit the rules, refusals."""

from __future__ import annotations

import pytest

from tests.web.conftest import NewPerson
from tests.web.person import Person
from tests.web.test_looking import sideways


def _open_settings(person: Person, family: str, ruleset: str | None = None) -> None:
    person.visit("/new")
    person.page.get_by_role("radio", name=family).check()
    if ruleset:
        person.page.get_by_role("radio", name=ruleset, exact=True).check()
    person.page.locator("details summary").click()


def test_enter_in_a_rule_setting_starts_the_game_with_it(person: Person) -> None:
    _open_settings(person, "DiavoloPP")
    field = person.page.locator("details input[type=number]").first
    field.fill("5")
    field.press("Enter")
    person.page.wait_for_url("**/t/*")
    table = person.page.url.rpartition("/")[2]
    assert person.table(table)["rules"]["side"] == 5


def test_enter_waits_for_seats_that_depend_on_the_setting(person: Person) -> None:
    """Fewer players are fewer seats; the game begins with as many as there are now."""
    _begin_for_two(person)


def test_enter_waits_for_what_the_server_has_not_said_yet(person: Person) -> None:
    """Browsers do nothing on Enter where the button is disabled, as it once was until the levels were known."""
    person.page.route("**/api/levels?*", lambda route: (person.page.wait_for_timeout(1000), route.continue_()))
    _begin_for_two(person)


def _begin_for_two(person: Person) -> None:
    person.visit("/new#game=ludo/ffa")
    person.page.locator("details summary").click()
    players = person.page.locator("details input[type=number]").first
    players.fill("2")
    players.press("Enter")
    person.page.wait_for_url("**/t/*")
    table = person.page.url.rpartition("/")[2]
    assert len(person.table(table)["seats"]) == 2


def test_levels_depend_on_the_rules(person: Person) -> None:
    usual = {level["id"] for level in person.server.get("/api/levels?game=ludo/ffa")}
    other = {level["id"] for level in person.server.get("/api/levels?game=ludo/ffa&players=2")}
    assert "network" in usual
    assert "network" not in other


def test_a_remembered_level_that_does_not_suit_is_replaced_and_that_is_said(person: Person) -> None:
    person.visit("/new#game=ludo/ffa")
    person.page.locator("fieldset select").nth(1).select_option("agent:network")
    person.page.locator("details summary").click()
    person.page.locator("details input[type=number]").first.fill("2")
    person.page.locator("details input[type=number]").first.blur()
    person.page.get_by_text("does not play these rules").wait_for()
    assert person.page.locator("fieldset select").nth(1).input_value() != "agent:network"
    person.page.locator("button.big:enabled").click()
    person.page.wait_for_url("**/t/*")


@pytest.mark.parametrize("address", ["/new#game=pferdeaepfel/free", "/watch#game=pferdeaepfel/carry", "/new"])
def test_the_ruleset_that_is_chosen_is_in_view_on_a_small_screen(new_person: NewPerson, address: str) -> None:
    person = new_person(viewport={"width": 360, "height": 740})
    person.visit(address)
    chosen = person.page.locator("label:has(input[name=ruleset]:checked)")
    for game in (None, "DiavoloPP", "Pferdeäpfel"):
        if game:
            person.page.get_by_role("radio", name=game, exact=True).check()
        box = chosen.bounding_box()
        assert box is not None and 0 <= box["x"] <= 360 - box["width"]


def test_levels_show_what_was_measured_of_them(new_person: NewPerson) -> None:
    for locale, range_of in (("en-GB", "({low} to {high})"), ("de-DE", "({low} bis {high})")):
        person = new_person(locale=locale, viewport={"width": 360, "height": 740})
        levels = person.server.get("/api/levels?game=pferdeaepfel/classic")
        person.visit("/new#game=pferdeaepfel/classic")
        options = person.page.locator("fieldset select").nth(1)
        options.wait_for()
        rated = {level["id"]: level["rating"] for level in levels}
        for level in ("greedy", "master"):
            shown = options.locator(f"option[value='agent:{level}']").inner_text()
            assert shown.endswith(f" · {rated[level]['elo']} {range_of.format(**rated[level])}")
        assert sideways(person) <= 0


def test_levels_show_no_figure_under_rules_that_were_not_measured(person: Person) -> None:
    person.visit("/new#game=diavolo/standard")
    options = person.page.locator("fieldset select").nth(1)
    greedy = options.locator("option[value='agent:greedy']")
    greedy.filter(has_text="·").wait_for(state="attached")
    person.page.locator("details summary").click()
    person.page.locator("details input[type=number]").first.fill("4")
    person.page.locator("details input[type=number]").first.blur()
    greedy.filter(has_not_text="·").wait_for(state="attached")


def test_a_network_of_any_size_is_offered_with_what_it_has_learnt(new_person: NewPerson) -> None:
    for locale, said in (("en-GB", "trained (Side 5 to 12)"), ("de-DE", "trainiert (Seitenlänge 5 bis 12)")):
        person = new_person(locale=locale, viewport={"width": 360, "height": 740})
        person.visit("/new#game=diavolo/standard")
        opponent = person.page.locator("fieldset select").nth(1)
        opponent.select_option("agent:network")
        person.page.locator("details summary").click()
        person.page.locator("details input[type=number]").first.fill("12")
        person.page.locator("details input[type=number]").first.blur()
        person.page.get_by_text(said).wait_for()
        assert opponent.input_value() == "agent:network"
        assert "·" not in opponent.locator("option[value='agent:network']").inner_text()
        assert sideways(person) <= 0
        person.page.locator("button.big:enabled").click()
        person.page.wait_for_url("**/t/*")


def test_hints_go_on_after_a_level_that_does_not_suit(person: Person) -> None:
    person.prefer(hintLevel="perfect")
    person.open_table("diavolo/standard", {"side": 4})
    person.wait_for_turn()
    person.page.get_by_text("Whom you asked before does not know these rules").wait_for()
    person.page.get_by_role("button", name="Hint").click()
    person.page.get_by_text("would play").wait_for()
