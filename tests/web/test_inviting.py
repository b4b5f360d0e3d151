"""Invitations: links that others can open, found again, taken without scrolling."""

from __future__ import annotations

import pytest

from tests.web.conftest import NewPerson
from tests.web.person import Person

_PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def _invite(person: Person) -> str:
    """Opens a game with a free seat by the page."""
    person.visit("/new#game=pferdeaepfel/trail")
    person.page.locator("fieldset select").nth(1).select_option("open")
    person.page.locator("button.big:enabled").click()
    person.page.get_by_text("Send this link").wait_for()
    return str(person.page.url)


def test_the_host_gets_the_link_again_after_closing_the_tab(person: Person) -> None:
    address = _invite(person)
    link = person.page.get_by_label("Link to this seat").input_value()
    person.page.close()
    person.page = person.context.new_page()
    person.page.goto(address)
    assert person.page.get_by_label("Link to this seat").input_value() == link


def test_a_server_for_this_machine_alone_says_so(person: Person) -> None:
    _invite(person)
    person.page.get_by_text("listens to this machine only").wait_for()


def test_links_name_an_address_that_others_reach(person: Person) -> None:
    info = person.server.get("/api/info") | {"addresses": ["http://192.0.2.7:8765/"]}
    person.page.route("**/api/info", lambda route: route.fulfill(json=info))
    _invite(person)
    person.page.wait_for_function(
        "() => document.querySelector('input[readonly]').value.startsWith('http://192.0.2.7:8765/t/')"
    )
    assert person.page.get_by_text("listens to this machine only").count() == 0
    person.page.get_by_text("QR code").click()
    box = person.page.get_by_role("img", name="QR code").bounding_box()
    assert box["width"] == pytest.approx(box["height"]) and box["width"] > 120
    person.keep_screenshot("invitation")


def test_whoever_is_invited_sits_down_without_scrolling(new_person: NewPerson) -> None:
    person = new_person(**_PHONE)
    seats = [{"kind": "human", "name": "Ada"}, {"kind": "open"}]
    opened = person.server.post("/api/tables", {"game": "pferdeaepfel/trail", "seats": seats})
    person.visit(f"/t/{opened['id']}#invite={opened['invites']['1']}")
    button = person.page.get_by_role("button", name="Take the seat")
    box = button.bounding_box()
    assert box["y"] + box["height"] < 600
    button.click()
    person.page.locator(".person").get_by_text("you").wait_for()
