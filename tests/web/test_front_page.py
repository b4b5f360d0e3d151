"""The front page: one click leads into a game."""

from __future__ import annotations

import pytest

import spielwerk as sw
from tests.web.person import Person

_FAMILIES = {"Pferdeäpfel": "pferdeaepfel", "Ludo": "ludo", "DiavoloPP": "diavolo"}


@pytest.mark.parametrize("family", _FAMILIES)
def test_one_click_leads_into_a_game(person: Person, family: str) -> None:
    person.visit("/")
    card = person.page.locator(".cards li", has=person.page.get_by_role("heading", name=family, exact=True))
    card.locator("svg.scene [data-part=position] *").first.wait_for(state="attached")
    card.get_by_role("button", name="Play now").click()
    person.page.wait_for_url("**/t/*")
    now = person.table(person.page.url.rpartition("/")[2])
    assert now["game"].startswith(_FAMILIES[family])
    assert [seat["kind"] for seat in now["seats"]].count("human") == 1


def test_nobody_is_given_a_seat_that_is_proved_to_lose(person: Person) -> None:
    person.visit("/")
    person.page.get_by_role("button", name="Play now: Pferdeäpfel").click()
    person.page.wait_for_url("**/t/*")
    now = person.table(person.page.url.rpartition("/")[2])
    assert now["game"] == "pferdeaepfel/trail"
    assert [seat["kind"] for seat in now["seats"]] == ["agent", "human"], "Black wins trail"


def test_after_a_loss_colours_change(person: Person) -> None:
    seats = []
    for _ in range(2):
        person.visit("/")
        person.page.get_by_role("button", name="Play now: DiavoloPP").click()
        person.page.wait_for_url("**/t/*")
        person.wait_for_turn()
        kinds = [seat["kind"] for seat in person.table(person.page.url.rpartition("/")[2])["seats"]]
        seats.append(kinds.index("human"))
        person.page.get_by_role("button", name="Resign").click()
        person.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
        person.page.get_by_text("You lose").first.wait_for()
    assert seats == [0, 1]


def test_rulesets_are_shown_by_a_picture_and_a_line_the_recommended_one_first(person: Person) -> None:
    person.visit("/new#game=pferdeaepfel/classic")
    cards = person.page.locator(".rulesets label")
    cards.first.get_by_text("to begin with").wait_for()
    assert cards.count() == len([name for name in sw.games() if name.startswith("pferdeaepfel/")])
    for card in cards.all():
        card.scroll_into_view_if_needed()
        card.locator("svg.scene [data-part=position] *").first.wait_for(state="attached")
        assert len(card.locator(".line").inner_text()) > 20
    assert person.page.get_by_role("radio", name="Classic", exact=True).is_checked()


def test_a_friend_is_invited_with_one_click(person: Person) -> None:
    person.visit("/")
    person.page.get_by_role("button", name="Play a friend: DiavoloPP").click()
    person.page.get_by_label("Link to this seat").wait_for()


def test_a_running_game_is_offered_first(person: Person) -> None:
    table = person.open_table("pferdeaepfel/classic")
    person.visit("/")
    person.page.get_by_role("link", name="Continue").click()
    person.page.wait_for_url(f"**/t/{table}")


def test_every_family_has_one_recommended_ruleset(person: Person) -> None:
    games = person.server.get("/api/games")
    recommended = [game["name"].partition("/")[0] for game in games if game["recommended"]]
    assert sorted(recommended) == sorted({name.partition("/")[0] for name in sw.games()})
    assert all(game["family_summary"]["de"] for game in games if game["lesson"])


@pytest.mark.parametrize("family", _FAMILIES.values())
def test_a_lesson_is_clicked_through(person: Person, family: str) -> None:
    lesson = person.server.get(f"/api/lessons/{family}")
    person.visit(f"/learn/{family}")
    for number, step in enumerate(lesson["steps"], 1):
        person.page.get_by_text(f"Step {number} of {len(lesson['steps'])}").wait_for()
        person.page.get_by_text(step["say"]["en"]).wait_for()
        hits = step["scene"]["hits"]
        other = next((hit for hit in hits if hit["action"] not in step["after"]), None)
        if other is not None:
            person.click_hit(other)
            person.page.get_by_text("Not this one.").wait_for()
        person.click_hit(next(hit for hit in hits if hit["action"] in step["after"]))
        person.page.get_by_text(step["done"]["en"]).wait_for()
        if number < len(lesson["steps"]):
            person.page.get_by_role("button", name="Next").click()
    person.page.get_by_role("link", name="Play now").click()
    person.page.get_by_role("heading", name="What would you like to play?").wait_for()
