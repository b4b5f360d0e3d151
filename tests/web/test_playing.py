"""Playing in a real browser: clicks, drags, keys, two people, agents among themselves."""

from __future__ import annotations

import random
from typing import Any

import pytest

import spielwerk as sw
from tests.web.conftest import NewPerson
from tests.web.person import Person

# Small boards and short caps: whole games, but not long ones.
_SHORT: dict[str, dict[str, Any]] = {
    "pferdeaepfel": {"size": 5},
    "ludo": {"max_plies": 40},
    "diavolo": {"side": 3},
}
_MOST_ACTIONS = 200


@pytest.mark.parametrize("game", sw.games())
def test_a_whole_game_against_an_agent_by_clicking(person: Person, game: str) -> None:
    chance = random.Random(game)
    table = person.open_table(game, _SHORT.get(game.partition("/")[0], {}))
    for _ in range(_MOST_ACTIONS):
        person.wait_for_turn()
        if not person.may_play:
            break
        now = person.table(table)
        person.click_hit(chance.choice(now["scene"]["hits"]))
        person.wait_for_ply(now["ply"] + 1)
    end = person.table(table)
    assert end["status"] == "over"
    person.page.locator(".ending").get_by_text(end["result"]["text"]["en"], exact=True).wait_for()
    person.keep_screenshot(f"over-{game.replace('/', '-')}")


def test_a_piece_is_dragged_to_its_target(new_person: NewPerson) -> None:
    person = new_person(reduced_motion="no-preference")
    table = person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    person.drag("horse-0", "cell-b6")
    person.wait_for_ply(1)
    assert person.table(table)["actions"][0]["text"] == "b6"


def test_a_dragged_piece_goes_with_the_mouse_and_back_where_it_may_not_go(person: Person) -> None:
    table = person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    home, mouse = person.middle("horse-0"), person.page.mouse
    mouse.move(*home)
    mouse.down()
    for place in ("cell-c5", "cell-e3"):
        mouse.move(*person.middle(place), steps=4)
        assert person.middle("horse-0") == pytest.approx(person.middle(place), abs=3)
    mouse.up()
    person.page.get_by_text("e3 is no knight's jump from a8").wait_for()
    assert person.middle("horse-0") == pytest.approx(home, abs=1)
    assert person.table(table)["ply"] == 0


def test_a_piece_is_chosen_and_then_its_target(person: Person) -> None:
    person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    person.page.mouse.click(*person.middle("horse-0"))
    assert person.page.locator(".chosen").count() == 1
    assert person.page.locator(".target").count() == 2
    person.page.mouse.click(*person.middle("cell-c7"))
    person.wait_for_ply(1)


def test_the_board_is_played_by_keys_alone(person: Person) -> None:
    table = person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    keys = person.page.keyboard
    for _ in range(40):
        if person.page.evaluate("document.activeElement.getAttribute('role')") == "application":
            break
        keys.press("Tab")
    active = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).ariaLabel"
    assert person.page.evaluate(active) == "c7, jump to c7"
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp"):
        keys.press(key)
    assert person.page.evaluate(active) == "a8, White horse on a8"
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "Enter"):
        keys.press(key)
    person.wait_for_ply(1)
    assert person.table(table)["actions"][0]["text"] == "b6"
    person.page.locator("[role=log]").get_by_text("White: jump to b6").wait_for(state="attached")


@pytest.mark.parametrize("game", sorted({name.partition("/")[0]: name for name in sw.games()}.values()))
def test_every_board_is_played_by_keys_alone(person: Person, game: str) -> None:
    chance = random.Random(game)
    table = person.open_table(game, _SHORT.get(game.partition("/")[0], {}))
    for _ in range(6):
        person.wait_for_turn()
        now = person.table(table)
        if now["status"] == "over":
            break
        if any(not hit["area"].startswith("button-") for hit in now["scene"]["hits"]):
            person.page.locator(".stage svg.scene").focus()
            person.page.keyboard.press(chance.choice(("PageDown", "PageUp")))
        else:
            person.page.locator(".board .deeds button").first.focus()
        person.page.keyboard.press("Enter")
        if person.page.locator(".choice button").count():
            person.page.locator(".choice button").first.press("Enter")
        person.wait_for_ply(now["ply"] + 1)
    assert person.table(table)["ply"] > 1


def test_dice_and_moves_are_announced(person: Person) -> None:
    table = person.open_table("ludo/ffa")
    log = person.page.locator("[role=log]")
    for _ in range(3):
        person.wait_for_turn()
        now = person.table(table)
        person.click_hit(now["scene"]["hits"][0])
        person.wait_for_ply(now["ply"] + 1)
    person.wait_for_turn()
    log.get_by_text("Die: ").first.wait_for(state="attached")
    log.get_by_text("Red: ").first.wait_for(state="attached")


def test_an_illegal_attempt_says_why(person: Person) -> None:
    person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    person.page.mouse.click(*person.middle("cell-d4"))
    person.page.get_by_text("d4 is no knight's jump from a8").wait_for()
    person.drag("horse-0", "cell-h8")
    person.page.get_by_text("h8 is no knight's jump from a8").wait_for()
    person.page.get_by_label("Type a move").fill("z9")
    person.page.get_by_label("Type a move").press("Enter")
    person.page.locator(".notice").filter(has_text="z9").wait_for()


def test_a_whole_turn_is_typed_and_half_a_turn_taken_back(person: Person) -> None:
    table = person.open_table("pferdeaepfel/classic")
    person.wait_for_turn()
    person.page.get_by_label("Type a move").fill("b6")
    person.page.get_by_label("Type a move").press("Enter")
    person.page.get_by_role("button", name="Take back this turn").click()
    person.page.get_by_text("No moves yet.").wait_for()
    person.wait_for_turn()
    person.page.get_by_label("Type a move").fill("b6@d4")
    person.page.get_by_label("Type a move").press("Enter")
    person.wait_for_ply(3)
    assert [action["text"] for action in person.table(table)["actions"]][:2] == ["b6", "@d4"]


def test_two_people_play_by_invitation(new_person: NewPerson) -> None:
    ada, ben = new_person(), new_person()
    ada.visit("/new")
    ada.page.get_by_role("radio", name="Trail").check()
    ada.page.locator("fieldset select").nth(1).select_option("open")
    ada.page.get_by_label("Your name").fill("Ada")
    ada.page.locator("button.big").click()
    ada.page.get_by_text("Send this link").wait_for()
    table = ada.page.url.rpartition("/")[2]
    invite = ada.page.get_by_label("Link to this seat").input_value().partition("#invite=")[2]

    ben.visit(f"/t/{table}#invite={invite}")
    ben.page.get_by_label("Your name").fill("Ben")
    ben.page.get_by_role("button", name="Take the seat").click()
    ada.wait_for_turn()
    assert not ben.may_play
    ada.page.mouse.click(*ada.middle("cell-b6"))
    ben.wait_for_ply(1)
    ben.wait_for_turn()
    ben.page.mouse.click(*ben.middle("cell-g3"))
    ada.wait_for_ply(2)

    ben.page.get_by_role("button", name="Ask to take back").click()
    ada.page.get_by_text("Ben asks to take back the last move.").wait_for()
    ada.page.get_by_role("button", name="Accept").click()
    ada.page.wait_for_selector("[data-ply='2']", state="detached")
    ben.wait_for_turn()

    ben.page.get_by_role("button", name="Resign").click()
    ben.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    ada.page.get_by_role("button", name="Rematch").click()
    ben.page.get_by_text("Ada asks for a rematch.").wait_for()
    ben.page.get_by_role("button", name="Accept").click()
    for one in (ada, ben):
        one.page.wait_for_url(lambda url: table not in url)
    ben.wait_for_turn()


def test_two_agents_are_watched(person: Person) -> None:
    person.visit("/watch")
    person.page.locator("button.big:enabled").click()
    person.page.get_by_text("You are watching.").wait_for()
    person.wait_for_ply(2)
    assert not person.may_play


def test_a_hint_shows_a_move_and_an_estimate(person: Person) -> None:
    person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    person.page.get_by_label("Asked").select_option("greedy")
    person.page.get_by_role("button", name="Hint").click()
    person.page.get_by_text("Greedy would play").wait_for()
    assert person.page.get_by_text("Estimate for White").count() == 1
    assert person.page.locator(".hinted").count() == 2


_PROOF = {
    "level": "expert", "action": "b6", "text": "jump to b6", "value": -1, "proved": True, "distance": 12,
    "evaluation": [-1, 1], "lines": [["b6", "g3"]],
}  # fmt: skip


@pytest.mark.parametrize(
    ("locale", "words"),
    [("en-GB", "Proved: Black wins in 12 plies."), ("de-DE", "Bewiesen: Schwarz gewinnt in 12 Halbzügen.")],
)
def test_a_proof_is_told_in_words(new_person: NewPerson, locale: str, words: str) -> None:
    person = new_person(locale=locale)
    person.open_table("pferdeaepfel/trail")
    person.page.wait_for_selector(".board.playable")
    person.page.route("**/*.wasm", lambda route: route.fulfill(status=404))  # so that the server is asked
    person.page.route("**/hint", lambda route: route.fulfill(json=_PROOF))
    person.page.locator(".ask button").click()
    person.page.locator(".hint").get_by_text(words, exact=True).wait_for()
    assert person.page.locator("meter").count() == 0, "a proof is no estimate"


def test_in_trail_the_solver_tells_the_exact_verdict(person: Person) -> None:
    person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    asked = person.page.get_by_label("Asked")
    assert asked.evaluate("select => select.selectedOptions[0].text") == "Perfect"
    person.page.get_by_role("button", name="Hint").click()
    person.page.locator(".hint").get_by_text("Proved: Black wins").wait_for(timeout=40_000)
    person.keep_screenshot("the-exact-verdict")


def test_a_hint_can_be_cancelled_while_its_level_thinks(person: Person) -> None:
    person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    person.page.route("**/*.wasm", lambda route: route.fulfill(status=404))  # so that the server is asked
    person.page.route("**/hint", lambda route: None)  # never answered
    asked = person.page.get_by_label("Asked")
    assert asked.evaluate("select => select.selectedOptions[0].text") in ("Expert", "Perfect"), "quick, or exact"
    person.page.get_by_role("button", name="Hint").click()
    person.page.get_by_text("is thinking …").wait_for()
    assert person.may_play
    person.page.locator(".ask").get_by_role("button", name="Cancel").click()
    person.page.get_by_role("button", name="Hint").wait_for()
    person.page.get_by_role("button", name="Hint").click()
    person.page.mouse.click(*person.middle("cell-b6"))
    person.wait_for_ply(1)
    person.page.get_by_text("Expert is thinking …").wait_for(state="detached")


def test_the_board_turns_and_zooms(person: Person) -> None:
    person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    left, _ = person.middle("cell-a1")
    person.page.get_by_role("button", name="Rotate the board").click()
    assert person.middle("cell-a1")[1] < person.middle("cell-h1")[1]
    person.page.get_by_role("button", name="Rotate the board").click()
    assert person.middle("cell-a1")[0] > left
    person.page.mouse.click(*person.middle("cell-b6"))
    person.wait_for_ply(1)
    person.page.locator(".stage svg.scene").focus()
    person.page.keyboard.press("+")
    person.page.get_by_role("button", name="Show the whole board").click()


def test_no_motion_where_none_is_wanted(new_person: NewPerson) -> None:
    counting = "window.moved = 0; const animate = Element.prototype.animate;" \
        "Element.prototype.animate = function (...all) { window.moved++; return animate.apply(this, all) }"  # fmt: skip
    for wish, is_moving in (("no-preference", True), ("reduce", False)):
        person = new_person(reduced_motion=wish)
        person.context.add_init_script(counting)
        person.open_table("pferdeaepfel/trail")
        person.wait_for_turn()
        person.page.mouse.click(*person.middle("cell-b6"))
        person.wait_for_ply(1)
        person.page.wait_for_timeout(200)
        assert bool(person.page.evaluate("window.moved")) is is_moving
