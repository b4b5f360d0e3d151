"""One truth about the turn: what the page says can be clicked at that moment, and what it shows is one moment."""

from __future__ import annotations

import pytest

from tests.web.conftest import NewPerson
from tests.web.person import Person

# What is said at any moment, looked at after every change of the page.
_WATCH = """
() => {
  window.seen = []
  const look = () => {
    const status = document.querySelector('.status strong')?.textContent ?? ''
    const playable = !!document.querySelector('.board.playable')
    const active = document.querySelectorAll('li.active').length
    window.seen.push({ status, playable, active })
  }
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
}
"""  # noqa: E501


def test_your_turn_is_said_exactly_while_the_board_can_be_played(new_person: NewPerson) -> None:
    person = new_person(reduced_motion="no-preference")
    table = person.open_table("ludo/ffa", {"max_plies": 24})
    person.wait_for_turn()
    person.page.evaluate(_WATCH)
    while person.may_play:
        now = person.table(table)
        person.click_hit(now["scene"]["hits"][0])
        person.wait_for_ply(now["ply"] + 1)
        person.wait_for_turn()
    seen = person.page.evaluate("window.seen")
    assert {moment["playable"] for moment in seen} == {True, False}
    assert [moment for moment in seen if (moment["status"] == "Your turn") != moment["playable"]] == []
    assert max(moment["active"] for moment in seen) <= 1


@pytest.mark.parametrize("game", ["ludo/ffa", "pferdeaepfel/trail", "diavolo/standard"])
def test_the_board_repeats_nothing_of_the_status_line(person: Person, game: str) -> None:
    person.open_table(game)
    person.wait_for_turn()
    assert person.page.locator("[data-id=headline], [data-id=detail]").count() == 0
    assert person.page.locator(".status strong").inner_text() == "Your turn"


def test_a_click_out_of_turn_is_told_so(new_person: NewPerson) -> None:
    person = new_person()
    seats = [{"kind": "human"}, {"kind": "open"}]
    opened = person.server.post("/api/tables", {"game": "pferdeaepfel/trail", "seats": seats})
    other = person.server.post(f"/api/tables/{opened['id']}/seats", {"invite": opened["invites"]["1"]})
    assert other["seat"] == 1
    person.take(opened["id"], opened["tokens"])
    person.wait_for_turn()
    person.page.mouse.click(*person.middle("cell-b6"))
    person.wait_for_ply(1)
    person.page.mouse.click(*person.middle("cell-d5"))
    person.page.get_by_text("It is not your turn.").wait_for()
    person.page.locator(".remark").get_by_text("to move, away").wait_for()


_NOTHING_TO_MOVE = "G=y,y,y,y Y=y,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=3 sixes=0000 plies=0"


def test_forced_passes_are_played_by_themselves(new_person: NewPerson) -> None:
    person = new_person()
    person.clicks_passes = False
    seats = [{"kind": "human"}, *[{"kind": "agent", "level": "random"}] * 3]
    opened = person.server.post("/api/tables", {"game": "ludo/ffa", "start": _NOTHING_TO_MOVE, "seats": seats})
    person.take(opened["id"], opened["tokens"])
    person.wait_for_ply(1)
    mine = [action["text"] for action in person.table(opened["id"])["actions"] if action["seat"] == 0]
    assert mine and set(mine) == {"pass"}, "only what leaves no choice is played for the person"


def test_forced_passes_wait_for_those_who_want_to_click_them(person: Person) -> None:
    seats = [{"kind": "human"}, *[{"kind": "agent", "level": "random"}] * 3]
    opened = person.server.post("/api/tables", {"game": "ludo/ffa", "start": _NOTHING_TO_MOVE, "seats": seats})
    person.take(opened["id"], opened["tokens"])
    person.wait_for_turn()
    person.page.wait_for_timeout(1500)
    assert person.table(opened["id"])["ply"] == 0
    person.page.locator("summary", has_text="Settings").click()
    person.page.get_by_label("Play passes that leave no choice by themselves").check()
    person.wait_for_ply(1)


def test_whoever_resigns_among_several_looks_on_at_once(new_person: NewPerson) -> None:
    """The game goes on without them: no button, no die and no pass waits for them any longer."""
    person = new_person()
    person.clicks_passes = False
    person.prefer(throwsDice=True, watchPace=100)
    seats = [{"kind": "human"}, *[{"kind": "agent", "level": "random"}] * 3]
    opened = person.server.post("/api/tables", {"game": "ludo/ffa", "start": _NOTHING_TO_MOVE, "seats": seats})
    person.take(opened["id"], opened["tokens"])
    person.wait_for_ply(1)
    person.page.get_by_role("button", name="Resign").click()
    person.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    person.page.get_by_role("button", name="Resign").wait_for(state="detached", timeout=2000)
    assert person.page.locator(".notice:not(:empty)").count() == 0
    ply = person.table(opened["id"])["ply"]
    shown = "ply => [...document.querySelectorAll('[data-ply]')].some((move) => Number(move.dataset.ply) > ply)"
    person.page.wait_for_function(shown, arg=ply + 12, timeout=30_000)  # the stand-in has had its turns
    assert person.page.get_by_role("button", name="Throw").count() == 0


def _swap_table(person: Person) -> tuple[str, str]:
    """A person against a person of the test's own, who swaps colours."""
    seats = [{"kind": "human"}, {"kind": "open"}]
    opened = person.server.post("/api/tables", {"game": "diavolo/standard", "rules": {"side": 5}, "seats": seats})
    person.take(opened["id"], opened["tokens"])
    return str(opened["id"]), str(opened["invites"]["1"])


def test_seat_cards_show_colour_and_piece_after_a_swap_too(new_person: NewPerson) -> None:
    ada, ben = new_person(), new_person()
    table, invite = _swap_table(ada)
    ben.visit(f"/t/{table}#invite={invite}")
    ben.page.get_by_role("button", name="Take the seat").click()
    ada.wait_for_turn()
    cards = ada.page.locator("[aria-label=Players] li")
    assert "White" in cards.nth(0).inner_text()
    assert "Red" in cards.nth(1).inner_text()
    pieces = _symbols(ada)
    for ply in (1, 2):  # both lands of the first turn
        ada.click_hit(ada.table(table)["scene"]["hits"][0])
        ada.wait_for_ply(ply)
        ada.page.wait_for_function("ply => document.querySelectorAll('[data-ply]').length === ply", arg=ply)
    ben.wait_for_turn()
    ben.page.get_by_role("button", name="swap colours").click()
    ada.page.get_by_text("swapped colours: you play Red now.").wait_for()
    cards.nth(0).get_by_text("Red").wait_for()
    assert _symbols(ada) == pieces[::-1]


def _symbols(person: Person) -> list[str]:
    script = "all => all.map(use => use.getAttribute('href').replace(/^#symbol-\\d+-/, ''))"
    return list(person.page.locator("[aria-label=Players] use").evaluate_all(script))


def test_cards_of_ludo_carry_their_colours(person: Person) -> None:
    person.open_table("ludo/ffa")
    person.wait_for_turn()
    assert [name.split("-")[1] for name in _symbols(person)] == ["green", "yellow", "blue", "red"]


def test_nothing_is_printed_across_the_fields_of_a_turned_board(person: Person) -> None:
    person.open_table("diavolo/standard", {"side": 5})
    person.wait_for_turn()
    for _ in range(2):
        person.page.get_by_role("button", name="Rotate the board").click()
        words = person.page.evaluate(_WORDS_ON_FIELDS)
        assert words["looked"] > 8
        assert words["across"] == []
    person.keep_screenshot("diavolo-turned")


def test_a_turned_board_is_remembered(person: Person) -> None:
    table = person.open_table("diavolo/standard", {"side": 5})
    person.wait_for_turn()
    before = person.middle("field-1,1+1,2+2,1")
    person.page.get_by_role("button", name="Rotate the board").click()
    turned = person.middle("field-1,1+1,2+2,1")
    assert turned != before
    person.visit(f"/t/{table}")
    person.wait_for_turn()
    assert person.middle("field-1,1+1,2+2,1") == pytest.approx(turned)


# Texts of which a corner or the middle lies on the board's frame.
_WORDS_ON_FIELDS = """
() => {
  const svg = document.querySelector('.stage svg.scene')
  const frame = svg.querySelector('polygon.frame')
  const inside = (x, y) => frame.isPointInFill(new DOMPoint(x, y).matrixTransform(frame.getScreenCTM().inverse()))
  const words = [...svg.querySelectorAll('text')].filter((text) => text.textContent.trim())
  const across = words.filter((text) => {
    const { left, right, top, bottom } = text.getBoundingClientRect()
    const [x, y] = [(left + right) / 2, (top + bottom) / 2]
    return inside(x, y) || inside(left, y) || inside(right, y)
  })
  return { looked: words.length, across: across.map((text) => text.textContent) }
}
"""
