"""The table as lovers of board games want it: clocks, matches, plans, arrows, dice to throw, an ending, sounds."""

from __future__ import annotations

from typing import Any

import pytest

import spielwerk as sw
from spielwerk.server.log import Log, Seat, Setup, numbered, opening_drafts, play_drafts
from tests.web.conftest import NewPerson
from tests.web.person import Person
from tests.web.serving import RunningServer

# All pieces of Green are home but one, which a one brings there: the next decision wins.
_NEARLY_WON = "G!=f,f,f,h4 Y=y,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=1 sixes=0000 plies=0"


# Which buttons there are and where, looked at after every change of the page.
_WATCH_PLACES = """
() => {
  window.places = new Set()
  const placed = (one) => [one.classList.contains('icon') ? '' : one.textContent, one.offsetTop]
  const look = () => window.places.add(JSON.stringify([...document.querySelectorAll('.side button')].map(placed)))
  look()
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true })
}
"""


_WATCH_BOARD = """
() => {
  window.tops = new Set()
  const look = () => window.tops.add(document.querySelector('.stage svg.scene').getBoundingClientRect().top + scrollY)
  look()
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true })
}
"""


def open_table(person: Person, game: str, *others: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A table this browser has opened, with the person in the first seat."""
    seats = [{"kind": "human"}, *others]
    opened: dict[str, Any] = person.server.post("/api/tables", {"game": game, "seats": seats, **more})
    person.take(opened["id"], opened["tokens"])
    return opened


AGENT = {"kind": "agent", "level": "random"}


# Clocks and matches


def test_a_clock_and_a_match_are_chosen_and_shown(person: Person) -> None:
    person.visit("/new#game=pferdeaepfel/trail")
    person.page.get_by_label("Thinking time").select_option(label="5 min + 3 s per move")
    person.page.get_by_label("Match").select_option(label="2 rounds, colours exchanged")
    person.page.get_by_role("button", name="Play", exact=True).click()
    person.wait_for_turn()
    table = person.table(person.page.url.rpartition("/")[2])
    assert (table["clock"]["amount"], table["match"]["rounds"]) == (300, 2)
    running = person.page.locator(".clock.running")
    first = running.inner_text()
    changed = "before => document.querySelector('.clock.running').textContent !== before"
    person.page.wait_for_function(changed, arg=first)
    assert running.inner_text().startswith("4:5")
    person.page.get_by_text("Round 1 of 2").wait_for()


def test_short_time_is_warned_of_and_a_flag_ends_the_game(person: Person) -> None:
    open_table(person, "pferdeaepfel/trail", AGENT, clock={"pace": "move", "amount": 3})
    person.page.locator(".clock.running.low").wait_for()
    person.page.locator(".ending").get_by_text("Black wins on time").wait_for()


def test_a_running_clock_is_still_there_after_the_server_was_killed(person: Person, server: RunningServer) -> None:
    open_table(person, "pferdeaepfel/trail", AGENT, clock={"pace": "game", "amount": 600})
    # What ran since the server's last sign of life is given back, so wait for more than the second between two.
    person.page.locator(".clock.running", has_text="9:56").wait_for()
    person.page.wait_for_load_state("networkidle")  # else the browser complains of what it had only half of
    server.kill()
    person.page.get_by_text("Connection lost").wait_for()
    server.start()
    person.wait_for_turn()
    assert "9:00" <= person.page.locator(".clock.running").inner_text() <= "9:58"


def test_the_next_round_leads_on_with_colours_exchanged(person: Person) -> None:
    opened = open_table(person, "pferdeaepfel/trail", AGENT, rounds=2, rules={"size": 3})
    while True:
        person.page.wait_for_selector(".board.playable, .ending")
        if not person.may_play:
            break
        now = person.table(opened["id"])
        person.click_hit(now["scene"]["hits"][0])
        person.wait_for_ply(now["ply"] + 1)
    person.page.get_by_text("After round 1 of 2").wait_for()
    person.page.get_by_role("button", name="Next round").click()
    person.page.get_by_text("Round 2 of 2").wait_for()
    table = person.table(person.page.url.rpartition("/")[2])
    assert [seat["kind"] for seat in table["seats"]] == ["agent", "human"]
    assert sum(table["match"]["points"]) == 1


# The board


@pytest.mark.parametrize("game", ["pferdeaepfel/classic", "ludo/ffa", "diavolo/standard"])
def test_the_board_takes_the_short_side_of_the_window(new_person: NewPerson, game: str) -> None:
    for width, height, least in ((1440, 900, 0.8), (360, 740, 0.95)):
        person = new_person(viewport={"width": width, "height": height})
        person.open_table(game)
        person.wait_for_turn()
        box = person.page.locator(".stage svg.scene").bounding_box()
        assert box is not None
        assert max(box["width"], box["height"]) > least * min(width, height)


def test_seats_show_pieces_and_what_is_left(person: Person) -> None:
    person.open_table("pferdeaepfel/classic")
    person.wait_for_turn()
    assert person.page.locator(".head li svg.scene use").count() == 2
    assert person.page.locator(".tally .visually-hidden").all_inner_texts() == ["28 brown left", "12 golden left"]


def test_buttons_keep_their_places_from_turn_to_turn(person: Person) -> None:
    opened = open_table(person, "pferdeaepfel/trail", AGENT)
    person.wait_for_turn()
    person.page.mouse.click(*person.middle("cell-b6"))
    person.wait_for_ply(2)
    person.wait_for_turn()
    person.page.evaluate(_WATCH_PLACES)
    person.click_hit(person.table(opened["id"])["scene"]["hits"][0])
    person.wait_for_ply(4)
    person.wait_for_turn()
    assert len(person.page.evaluate("[...window.places]")) == 1


@pytest.mark.parametrize(("game", "locale"), [("ludo/ffa", "de-DE"), ("pferdeaepfel/trail", "en-GB")])
def test_the_board_of_a_phone_stays_where_it_is_from_turn_to_turn(
    new_person: NewPerson, game: str, locale: str
) -> None:
    person = new_person(viewport={"width": 360, "height": 740}, locale=locale)
    table = person.open_table(game)
    person.page.wait_for_selector(".board.playable")
    person.page.evaluate(_WATCH_BOARD)
    for _ in range(2):  # A game of `trail` can be over after three turns of each, and its result moves the board.
        now = person.table(table)
        person.page.locator("input[list]").fill(now["scene"]["hits"][0]["action"])
        person.page.keyboard.press("Enter")
        person.wait_for_ply(now["ply"] + 1)
        person.page.wait_for_selector(".board.playable")
    assert len(person.page.evaluate("[...window.tops]")) == 1


# Plans, arrows, marks


def after_the_first_jump(new_person: NewPerson) -> tuple[Person, Person, str]:
    """Two people, White having jumped, and their table."""
    host, guest = new_person(), new_person()
    opened = open_table(host, "pferdeaepfel/trail", {"kind": "open"})
    seat = guest.server.post(f"/api/tables/{opened['id']}/seats", {"invite": opened["invites"]["1"]})
    guest.take(opened["id"], {"1": seat["token"]})
    host.wait_for_turn()
    host.page.mouse.click(*host.middle("cell-b6"))
    host.wait_for_ply(1)
    return host, guest, opened["id"]


def test_a_planned_move_is_played_when_the_turn_comes(new_person: NewPerson) -> None:
    host, guest, table = after_the_first_jump(new_person)
    host.page.mouse.click(*host.middle("cell-d5"))
    host.page.get_by_text("This is played as soon as it is your turn").wait_for()
    host.page.locator(".planned").wait_for(state="attached")
    guest.wait_for_turn()
    guest.page.mouse.click(*guest.middle("cell-g3"))
    host.wait_for_ply(3)
    assert [action["text"] for action in host.table(table)["actions"]] == ["b6", "g3", "d5"]


def test_a_plan_is_cancelled_by_another_click_and_told_when_impossible(new_person: NewPerson) -> None:
    host, guest, _ = after_the_first_jump(new_person)
    host.page.mouse.click(*host.middle("cell-d5"))
    host.page.mouse.click(*host.middle("cell-d5"))
    host.page.get_by_text("Nothing is planned any more.").wait_for()
    host.page.mouse.click(*host.middle("cell-h8"))
    guest.wait_for_turn()
    guest.page.mouse.click(*guest.middle("cell-g3"))
    host.page.get_by_text("What was planned is not possible now.").wait_for()
    host.wait_for_turn()


def test_arrows_and_marks_are_drawn_with_the_right_button_and_go_with_the_left(person: Person) -> None:
    person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    mouse, drawn = person.page.mouse, person.page.locator(".drawn")
    mouse.move(*person.middle("cell-b2"))
    mouse.down(button="right")
    mouse.move(*person.middle("cell-e5"), steps=4)
    mouse.up(button="right")
    assert drawn.count() == 2, "a line and its head"
    mouse.click(*person.middle("cell-c3"), button="right")
    assert drawn.count() == 3
    mouse.click(*person.middle("cell-c3"), button="right")
    assert drawn.count() == 2, "the same again takes it away"
    mouse.click(*person.middle("cell-g7"))
    assert drawn.count() == 0
    assert person.page.locator(".board.playable").count() == 1


def test_a_place_is_marked_by_key(person: Person) -> None:
    person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    person.page.locator(".stage svg.scene").focus()
    person.page.keyboard.press("ArrowDown")
    person.page.keyboard.press("m")
    assert person.page.locator(".drawn").count() == 1
    person.page.keyboard.press("Escape")
    assert person.page.locator(".drawn").count() == 0


# Dice and tokens


def a_seed_with_six_and_five() -> int:
    """Of a game in which the first piece leaves its yard at once and goes on by five."""
    for seed in range(1000):
        setup = Setup(id="", created_ms=0, game=sw.make("ludo/ffa"), start=None, seed=seed)
        log = Log(setup, [Seat("human", holder=0)] * 4)
        for event in numbered(log, opening_drafts(setup)):
            log.apply(event)
        if log.texts == ["d6"] and play_drafts(log, "0")[-1].data["text"] == "d5":
            return seed
    raise AssertionError("no such seed")


def two_steps_at_ludo(person: Person) -> None:
    """Six, leaves the yard; five, goes on."""
    open_table(person, "ludo/ffa", AGENT, AGENT, AGENT, seed=a_seed_with_six_and_five())
    for ply in (2, 4):
        person.page.wait_for_selector(".board.playable")
        person.page.mouse.click(*person.middle("piece-green-0"))
        person.wait_for_ply(ply)


@pytest.mark.parametrize("way", ["click", "key"])
def test_the_die_is_thrown_by_click_or_key(new_person: NewPerson, way: str) -> None:
    person = new_person()
    seats = [{"kind": "human"}, {"kind": "human"}]
    body = {"game": "ludo/ffa", "rules": {"players": 2}, "seats": seats, "hotseat": True}
    opened = person.server.post("/api/tables", body)
    person.take(opened["id"], opened["tokens"])
    person.prefer(throwsDice=True)
    person.visit(f"/t/{opened['id']}")
    person.wait_for_turn()
    person.click_hit(person.table(opened["id"])["scene"]["hits"][0])
    person.page.locator(".status").get_by_text("Throw the die").wait_for()
    assert not person.may_play
    if way == "click":
        person.page.mouse.click(*person.middle("die"))
    else:
        person.page.keyboard.press(" ")
    person.wait_for_turn()
    person.page.locator("[data-id=die][aria-label^='the die shows']").wait_for(state="attached")


def test_tokens_walk_square_by_square(new_person: NewPerson) -> None:
    person = new_person(reduced_motion="no-preference")
    person.context.add_init_script(
        "window.walks = []; const animate = Element.prototype.animate;"
        "Element.prototype.animate = function (frames, ...all) {"
        " if (this.dataset.id?.startsWith('piece-')) window.walks.push(frames.length);"
        " return animate.call(this, frames, ...all) }"
    )
    two_steps_at_ludo(person)
    assert 6 in person.page.evaluate("window.walks"), "where it stood, and five steps"


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("en-GB", ["Green: 6, leaves the yard", "Green: 5, to square 5"]),
        ("de-DE", ["Grün: 6, verlässt den Hof", "Grün: 5, auf Feld 5"]),
    ],
)
def test_the_list_of_moves_can_be_read_aloud(new_person: NewPerson, locale: str, words: list[str]) -> None:
    person = new_person(locale=locale)
    two_steps_at_ludo(person)
    turns = person.page.locator(".turn").all_inner_texts()
    assert [" ".join(turn.split()).replace(" ,", ",") for turn in turns[:2]] == words


# The ending


def test_an_ending_says_who_won_and_why_and_leads_on(person: Person) -> None:
    opened = open_table(person, "ludo/ffa", AGENT, AGENT, AGENT, start=_NEARLY_WON)
    person.wait_for_turn()
    person.click_hit(person.table(opened["id"])["scene"]["hits"][0])
    ending = person.page.locator(".ending")
    ending.get_by_role("heading", name="You win").wait_for()
    ending.get_by_text("Green wins: all pieces have finished").wait_for()
    for name in ("Rematch", "Look back"):
        assert ending.get_by_role("button", name=name).count() == 1
    ending.get_by_role("button", name="Look back").click()
    person.page.wait_for_url(f"**/t/{opened['id']}/0")


# Sounds


def test_sounds_wait_for_the_first_deed_and_are_off_by_one_tap_for_good(new_person: NewPerson) -> None:
    person = new_person()
    person.context.add_init_script(
        "window.heard = 0; const start = AudioScheduledSourceNode.prototype.start;"
        "AudioBufferSourceNode.prototype.start = function (...all) { window.heard++; return start.apply(this, all) }"
    )
    opened = open_table(person, "pferdeaepfel/trail", AGENT)
    person.wait_for_turn()
    assert person.page.evaluate("window.heard") == 0
    person.page.mouse.click(*person.middle("cell-b6"))
    person.wait_for_ply(2)
    person.wait_for_turn()
    heard = person.page.evaluate("window.heard")
    assert heard > 0
    person.page.get_by_role("button", name="Turn sounds off").click()
    person.click_hit(person.table(opened["id"])["scene"]["hits"][0])
    person.wait_for_ply(4)
    person.wait_for_turn()
    assert person.page.evaluate("window.heard") == heard
    person.visit("/about")
    person.visit(f"/t/{opened['id']}")
    person.page.get_by_role("button", name="Turn sounds on").wait_for()


# Deleting


def test_whoever_opened_a_game_deletes_it_after_a_question(person: Person) -> None:
    person.visit("/new#game=pferdeaepfel/trail")
    person.page.get_by_role("button", name="Play", exact=True).click()
    person.wait_for_turn()
    table = person.page.url.rpartition("/")[2]
    person.page.get_by_role("button", name="Delete").click()
    person.page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    person.visit("/games")
    person.page.get_by_role("button", name="Delete").click()
    person.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    person.page.get_by_text("No games yet.").wait_for()
    person.visit(f"/t/{table}")
    person.page.get_by_text("This game does not exist.").wait_for()


def test_nobody_else_is_offered_to_delete_a_game(person: Person) -> None:
    person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    assert person.page.get_by_role("button", name="Delete").count() == 0
