"""A page that was kept on a device plays and analyses where no server answers."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

import spielwerk as sw
from spielwerk.games import CHANCE, State, rule_value
from tests.web import german
from tests.web.conftest import BUILT, NewPerson
from tests.web.person import Person
from tests.web.serving import RunningServer
from tests.web.test_german import check
from tests.web.test_installing import UNTIL_KEPT, upgrade, visitor
from tests.web.test_looking import serious, sideways

_PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
_SECONDS_TO_START = 60  # Python, on a busy machine


@pytest.fixture(autouse=True)
def page_for_it() -> None:
    if not (BUILT / "offline.json").exists():
        pytest.skip("NO WEBASSEMBLY, PLAYING WITHOUT A SERVER IS NOT TESTED: run `make wasm` (it needs Emscripten)")


@pytest.fixture
def owner(chromium: Any, own_server: RunningServer) -> Iterator[Person]:
    """Somebody who keeps the page."""
    with visitor(chromium, own_server, "en-GB", "/analysis") as person:
        person.page.get_by_role("button", name=re.compile("Keep on this device")).click()
        person.page.get_by_text("It is kept on this device.").wait_for(timeout=60_000)
        yield person
        # Files that do not come are what these tests are about.
        assert [said for said in person.complaints if not said.startswith("Failed to load resource: net::ERR_")] == []


def begin(person: Person, hash: str) -> None:
    person.visit(f"/analysis{hash}")
    person.page.wait_for_selector(".analysis .stage svg.scene", timeout=1000 * _SECONDS_TO_START)


def shown(person: Person) -> State:
    """The position that the address holds."""
    given = {name: values[0] for name, values in parse_qs(person.page.url.partition("#")[2]).items()}
    game = sw.make(given["game"])
    rules = {rule.name: rule_value(rule, given[rule.name]) for rule in game.parameters if rule.name in given}
    return sw.make(given["game"], **rules).from_text(given["position"], chance="explicit")


def play_once(person: Person, seat: int) -> bool:
    """Plays the first legal action as soon as the seat is to act; False once the game is over."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        state = shown(person)
        if state.over:
            return False
        if state.player == seat:
            before = person.page.url
            person.click_hit(state.scene().to_json()["hits"][0])
            person.page.wait_for_function("before => location.href !== before", arg=before)
            return True
        person.page.wait_for_timeout(50)
    raise AssertionError(f"nobody plays on from {shown(person)!r}")


def test_a_game_against_the_computer_is_played_to_its_end(owner: Person, own_server: RunningServer) -> None:
    own_server.kill()
    begin(owner, "#game=pferdeaepfel/classic&size=5&computer=1")
    while play_once(owner, seat=0):
        pass
    owner.page.get_by_text("The game is over.").wait_for()
    with owner.page.expect_download() as saved:
        owner.page.get_by_role("button", name="Save record").click()
    record = sw.records.Record.from_json(json.loads(saved.value.path().read_bytes()))
    assert record.replay().over


@pytest.mark.parametrize(
    ("hash", "seat"), [("#game=ludo/teams&computer=0,1,3", 2), ("#game=diavolo/standard&side=5&computer=0", 1)]
)
def test_dice_fall_and_others_play_without_a_server(
    owner: Person, own_server: RunningServer, hash: str, seat: int
) -> None:
    own_server.kill()
    begin(owner, hash)
    for _ in range(3):
        assert play_once(owner, seat)
    owner.page.locator(".stage svg.scene").wait_for()


def test_hints_and_proofs_come_without_a_server(owner: Person, own_server: RunningServer) -> None:
    own_server.kill()
    begin(owner, "#game=pferdeaepfel/trail&size=3")
    owner.page.locator(".stamp.proved").wait_for(timeout=20_000)
    owner.page.locator(".opinions .line, .opinions li").first.wait_for()


def test_the_front_page_leads_to_a_game_on_this_device(owner: Person, own_server: RunningServer) -> None:
    owner.visit("/")
    owner.page.get_by_role("button", name="Play now: Pferdeäpfel").wait_for()
    own_server.kill()
    owner.page.reload()
    owner.page.get_by_role("button", name="Play now: Pferdeäpfel").click()
    owner.page.wait_for_selector(".analysis .stage svg.scene", timeout=1000 * _SECONDS_TO_START)
    owner.page.get_by_role("group", name="The computer plays").wait_for()


def test_what_is_kept_follows_a_newer_page(owner: Person, own_server: RunningServer, tmp_path: Path) -> None:
    kept = owner.page.evaluate("localStorage.getItem('spielwerk.kept')")
    own_server.stop()
    upgrade(tmp_path / "page")
    own_server.start()
    owner.visit("/")
    owner.page.wait_for_function("before => localStorage.getItem('spielwerk.kept') !== before", arg=kept)
    own_server.kill()
    begin(owner, "#game=pferdeaepfel/trail&size=4&computer=1")
    assert play_once(owner, seat=0)


def test_what_is_kept_can_be_removed(owner: Person, own_server: RunningServer) -> None:
    owner.page.get_by_role("button", name="Remove it").click()
    owner.page.get_by_role("button", name=re.compile("Keep on this device")).wait_for()
    assert "spielwerk-kept" not in owner.page.evaluate("caches.keys()")
    own_server.kill()
    owner.page.reload()
    owner.page.locator("[role=alert]").first.wait_for()


def test_keeping_that_fails_says_so_and_can_be_tried_again(
    owner: Person, own_server: RunningServer, tmp_path: Path
) -> None:
    owner.page.get_by_role("button", name="Remove it").click()
    (file,) = (tmp_path / "page").rglob("python_stdlib.zip")
    away = file.rename(tmp_path / file.name)
    own_server.stop()
    own_server.start()
    owner.page.get_by_role("button", name=re.compile("Keep on this device")).click()
    owner.page.get_by_text("That did not work.").wait_for()
    away.rename(file)
    own_server.stop()
    own_server.start()
    owner.page.get_by_role("button", name=re.compile("Keep on this device")).click()
    owner.page.get_by_text("It is kept on this device.").wait_for()


def test_a_page_without_the_core_offers_nothing_of_it(chromium: Any, own_server: RunningServer, tmp_path: Path) -> None:
    own_server.stop()
    (tmp_path / "page" / "offline.json").unlink()
    own_server.start()
    with visitor(chromium, own_server, "en-GB", "/analysis") as person:
        person.page.get_by_role("button", name="Analyse from the start").wait_for()
        person.page.wait_for_timeout(500)
        assert person.page.get_by_text("Keep on this device").count() == 0


def test_the_computer_plays_on_where_the_server_draws(person: Person) -> None:
    begin(person, "#game=pferdeaepfel/trail&size=5&computer=1")
    for _ in range(2):
        assert play_once(person, seat=0)


def test_looking_back_does_not_make_the_computer_play_again(person: Person) -> None:
    begin(person, "#game=pferdeaepfel/trail&size=5&computer=1")
    assert play_once(person, seat=0)
    person.page.wait_for_function("() => document.querySelectorAll('.tree button.move').length === 3")
    person.page.locator(".tree button.move").nth(1).click()
    person.page.wait_for_timeout(800)
    assert person.page.locator(".tree button.move").count() == 3
    assert shown(person).player != CHANCE


def test_it_reads_well_on_a_phone_and_in_german(new_person: NewPerson) -> None:
    person = new_person(**_PHONE, locale="de-DE", service_workers="allow")
    person.context.add_init_script(german.LISTENING)
    person.visit("/analysis")
    person.page.evaluate(UNTIL_KEPT)
    person.page.get_by_role("heading", name="Ohne Verbindung").wait_for()
    assert (serious(person), sideways(person)) == ([], 0)
    check(person, "keeping")
    begin(person, "#game=ludo/ffa&computer=1,2,3")
    person.page.get_by_role("group", name="Der Computer spielt").wait_for()
    assert (serious(person), sideways(person)) == ([], 0)
    check(person, "playing")
