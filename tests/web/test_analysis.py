"""The analysis page: positions from anywhere, thinking along, variations, setting up."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from urllib.parse import quote

import pytest

import spielwerk as sw
from spielwerk.records import Record
from tests.web.conftest import NewPerson
from tests.web.person import Person
from tests.web.serving import RunningServer
from tests.web.test_german import check, reader
from tests.web.test_looking import serious, sideways

__all__ = ["reader"]

_PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
_LOST_IN_4 = "#game=pferdeaepfel/trail&size=3"
_LUDO = "G=4,9,y,y Y=20,y,y,y B=40,y,y,y R=y,y,y,y turn=G die=6 sixes=1000 plies=40"
_POSITIONS = {
    "pferdeaepfel/trail": "&size=5",
    "pferdeaepfel/classic": "",
    "ludo/ffa": f"&position={quote(_LUDO)}",
    "diavolo/standard": "&side=4",
}


def analyse(person: Person, hash: str) -> None:
    person.visit(f"/analysis{hash}")
    person.page.wait_for_selector(".analysis .stage svg.scene")


def moves(person: Person) -> list[str]:
    """The moves of the tree with their numbers, as they stand there."""
    texts = person.page.locator(".tree button.move").all_inner_texts()
    return [re.sub(r"\s+", "", text) for text in texts[1:]]


def test_a_game_is_analysed_from_the_ply_that_is_shown(person: Person, server: RunningServer) -> None:
    record = {
        "spielwerk": 1,
        "game": "pferdeaepfel/trail",
        "rules": {"size": 5},
        "actions": ["b3", "d3"],
        "result": None,
    }
    table = server.post("/api/records", record)["id"]
    person.visit(f"/t/{table}/1")
    person.page.get_by_role("link", name="Analyse").click()
    person.page.wait_for_selector(".analysis .stage svg.scene")
    assert moves(person) == ["1.b3", "2.d3"]
    person.page.locator(".tree [aria-current]", has_text="b3").wait_for()
    person.page.locator(".stamp.proved").wait_for()
    assert re.fullmatch(
        r"Proved: (White|Black) wins in \d+ plies\.", person.page.locator(".stamp").inner_text().strip()
    )


def test_thoughts_are_shown_while_they_grow(person: Person) -> None:
    analyse(person, "#game=pferdeaepfel/classic")
    person.page.get_by_label("Asked").select_option("expert")
    facts = person.page.locator(".facts")
    facts.get_by_text("thinking …").wait_for()
    facts.get_by_text(re.compile(r"Depth \d+")).wait_for()
    early = facts.inner_text()
    person.page.locator(".stage .best-1").first.wait_for()
    person.page.wait_for_function("early => document.querySelector('.facts').innerText !== early", arg=early)
    person.page.get_by_label("Values on the board").check()
    assert person.page.locator(".stage .heat").count() == 2
    assert person.page.locator(".stage .heat-value").count() == 2


def test_a_networks_policy_takes_turns_with_the_values(person: Person) -> None:
    analyse(person, "#game=diavolo/standard")
    person.page.get_by_label("Asked").select_option("greedy")
    person.page.get_by_label("Values on the board").check()
    person.page.locator(".stage .heat-value").first.wait_for()
    assert person.page.get_by_label("Policy on the board").count() == 0, "greedy has none"
    person.page.get_by_label("Asked").select_option("network")
    switch = person.page.get_by_label("Policy on the board")
    switch.focus()
    person.page.keyboard.press("Space")
    assert not person.page.get_by_label("Values on the board").is_checked()
    person.page.locator(".stage .heat-value", has_text="%").first.wait_for()
    shares = person.page.locator(".stage .heat-value").all_text_contents()
    assert all(re.fullmatch(r"\d+ %", share) for share in shares)
    assert person.page.locator(".stage .heat.step-5").count() >= 1, "the likeliest in full colour"
    assert sideways(person) <= 0
    assert serious(person) == []


def test_a_policy_is_told_in_german_on_a_phone(reader: Person) -> None:
    reader.page.set_viewport_size({"width": 360, "height": 740})
    analyse(reader, "#game=pferdeaepfel/classic")
    reader.page.get_by_label("Gefragt wird").select_option("network")
    reader.page.get_by_label("Wahrscheinlichkeiten auf dem Brett").check()
    reader.page.locator(".stage .heat-value", has_text="%").first.wait_for()
    check(reader, "a policy")
    assert sideways(reader) <= 0


def test_what_is_proved_is_stamped_and_refutations_are_shown(person: Person) -> None:
    analyse(person, _LOST_IN_4)
    person.page.get_by_text("Proved: Black wins in 4 plies.").first.wait_for()
    person.page.locator("summary", has_text="All moves").click()
    person.page.locator(".moves button.proved").first.click()
    person.page.locator(".chosen").get_by_text("After").wait_for()
    person.page.get_by_role("button", name="Add this line").click()
    assert len(moves(person)) == 4
    person.page.get_by_text("The game is over.").wait_for()


def test_two_levels_are_compared(person: Person) -> None:
    analyse(person, "#game=pferdeaepfel/trail&size=5")
    person.page.get_by_label("Asked").select_option("greedy")
    person.page.get_by_label("Compare with").select_option("expert")
    person.page.get_by_text(re.compile(r"Both play|They disagree")).wait_for()
    assert person.page.locator(".opinions section").count() == 2


def test_a_link_holds_the_position(person: Person) -> None:
    analyse(person, "#game=pferdeaepfel/trail&size=5")
    person.page.mouse.click(*person.middle("cell-b3"))
    person.page.locator(".tree button.move", has_text="b3").wait_for()
    person.page.wait_for_function("() => document.querySelector('input[readonly]').value.endsWith(' b')")
    shown = person.page.locator("input[readonly]").input_value()
    address = person.page.url
    assert "size=5" in address and "position=" in address
    person.page.goto("about:blank")
    person.page.goto(address)
    person.page.wait_for_selector(".analysis .stage svg.scene")
    assert person.page.locator("input[readonly]").input_value() == shown


def test_variations_are_commented_promoted_deleted_and_kept_in_the_record(person: Person, tmp_path: Path) -> None:
    analyse(person, "#game=pferdeaepfel/trail&size=5")
    page = person.page

    def play(square: str) -> None:
        page.mouse.click(*person.middle(f"cell-{square}"))
        page.locator(".tree [aria-current]", has_text=square).wait_for()
        page.wait_for_timeout(150)

    for square in ("b3", "d3"):
        play(square)
    page.get_by_role("button", name="To the start").click()
    page.wait_for_timeout(150)
    play("c4")
    assert moves(person) == ["1.b3", "1.c4", "2.d3"]
    page.get_by_label("Comment on this position").fill("the other jump")
    page.get_by_label("Comment on this position").press("Enter")
    page.locator(".comment", has_text="the other jump").wait_for()
    page.get_by_role("button", name="Make it the main line").click()
    assert moves(person) == ["1.c4", "1.b3", "2.d3"]
    with page.expect_download() as download:
        page.get_by_role("button", name="Save record").click()
    file = tmp_path / "analysis.json"
    download.value.save_as(file)
    saved = json.loads(file.read_text())
    assert saved["actions"] == ["c4"] and saved["comments"] == {"1": "the other jump"}
    assert saved["variations"] == {"1": [{"actions": ["b3", "d3"]}]}
    Record.from_json(saved).check()

    page.get_by_role("button", name="Another position").click()
    page.locator("input[type=file]").set_input_files(file)
    page.wait_for_selector(".analysis .stage svg.scene")
    assert moves(person) == ["1.c4", "1.b3", "2.d3"]
    page.locator(".tree button.move", has_text="b3").click()
    page.get_by_role("button", name="Delete from here").click()
    assert moves(person) == ["1.c4"]


def test_the_tree_is_walked_by_keyboard(person: Person) -> None:
    analyse(person, "#game=pferdeaepfel/trail&size=5")
    board = person.page.locator(".stage svg.scene")
    board.focus()
    person.page.keyboard.press("PageDown")
    person.page.keyboard.press("Enter")
    person.page.locator(".tree button.move").nth(1).wait_for()
    person.page.locator(".tree").focus()
    person.page.keyboard.press("ArrowLeft")
    person.page.locator(".tree [aria-current]", has_text="Start").wait_for()
    person.page.keyboard.press("End")
    assert person.page.locator(".tree [aria-current]", has_text="1.").count() == 1


def test_dice_are_chosen(person: Person) -> None:
    analyse(person, "#game=ludo/ffa")
    person.page.get_by_text("What does the die show?").wait_for()
    person.page.locator(".dice button", has_text="6").click()
    person.page.locator(".stage .best-1, .board .deeds button").first.wait_for()


@pytest.mark.parametrize(
    ("game", "tool", "place", "wrong"),
    [
        ("pferdeaepfel/classic", "Golden apple", "cell-d4", "a golden apple is out while brown ones are left"),
        ("ludo/ffa", "Green piece", "square-5", None),
        ("diavolo/standard", "White: land", "field-3,1+3,2+4,1", None),
    ],
)
def test_positions_are_set_up_by_clicking(person: Person, game: str, tool: str, place: str, wrong: str | None) -> None:
    person.visit("/analysis")
    page = person.page
    page.get_by_label("Ruleset").select_option(game)
    page.get_by_role("button", name="Set up a position").click()
    page.wait_for_selector(".editor svg.scene")
    before = page.get_by_label("Position as text").input_value()
    page.get_by_role("button", name=tool).click()
    page.mouse.click(*person.middle(place))
    page.wait_for_function("before => document.querySelector('.editor input').value !== before", arg=before)
    if wrong:
        page.get_by_text(wrong).wait_for()
        assert page.get_by_role("button", name="Analyse this position").is_disabled()
        page.mouse.click(*person.middle(place))
        page.wait_for_function("before => document.querySelector('.editor input').value === before", arg=before)
    built = page.get_by_label("Position as text").input_value()
    page.get_by_role("button", name="Analyse this position").click()
    page.wait_for_selector(".analysis .stage svg.scene")
    assert page.locator("input[readonly]").input_value() == built


def test_a_text_that_is_no_position_is_refused_in_a_sentence(person: Person) -> None:
    person.visit("/analysis")
    person.page.get_by_label("Position as text").fill("nonsense")
    person.page.get_by_role("button", name="Show").click()
    person.page.get_by_role("alert").get_by_text("start:").wait_for()
    person.page.get_by_label("Position as text").fill(sw.make("pferdeaepfel/trail").start().to_text())
    person.page.get_by_role("button", name="Show").click()
    person.page.wait_for_selector(".analysis .stage svg.scene")


def test_thinking_stops_when_the_tab_goes(new_person: NewPerson, server: RunningServer) -> None:
    person = new_person()
    person.page.route("**/*.wasm", lambda route: route.fulfill(status=404))  # so that it is the server that thinks
    analyse(person, "#game=pferdeaepfel/classic")
    person.page.get_by_label("Asked").select_option("master")
    person.page.locator(".facts").get_by_text(re.compile(r"Depth \d+")).wait_for()
    assert server.figure("thinking") > 0
    person.page.close()
    deadline = time.monotonic() + 10
    while server.figure("thinking") + server.figure("thinking_waiting") > 0:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    spent = server.figure("thinking_seconds_total")
    time.sleep(0.5)
    assert server.figure("thinking_seconds_total") == spent
    assert server.figure("sockets") == 0


def test_who_does_not_want_it_is_not_thought_for(person: Person, server: RunningServer) -> None:
    analyse(person, "#game=pferdeaepfel/classic")
    person.page.get_by_label("Think along").uncheck()
    person.page.wait_for_timeout(1500)
    spent = server.figure("thinking_seconds_total")
    person.page.mouse.click(*person.middle("cell-b6"))
    person.page.wait_for_timeout(800)
    assert server.figure("thinking_seconds_total") == spent


def test_other_pages_do_not_load_the_laboratory(person: Person) -> None:
    files: list[str] = []
    person.page.on("request", lambda request: files.append(request.url))
    person.visit("/")
    person.page.wait_for_load_state("networkidle")
    assert not any("Analysis" in file for file in files)
    person.page.get_by_role("link", name="Analysis").click()
    person.page.get_by_role("heading", name="Analysis").wait_for()
    assert any("Analysis" in file for file in files)


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
@pytest.mark.parametrize("game", list(_POSITIONS))
def test_axe_finds_nothing_serious(new_person: NewPerson, theme: str, game: str) -> None:
    person = new_person()
    person.prefer(theme=theme)
    analyse(person, f"#game={game}{_POSITIONS[game]}")
    person.page.get_by_label("Asked").select_option("greedy")
    person.page.get_by_label("Compare with").select_option("expert")
    person.page.get_by_label("Values on the board").check()
    person.page.locator(".opinions section").nth(1).locator("li").first.wait_for()
    person.page.locator("summary", has_text="All moves").click()
    person.page.locator(".moves button").first.click()
    assert serious(person) == []
    person.page.get_by_role("button", name="Set up a position").click()
    person.page.wait_for_selector(".editor svg.scene")
    assert serious(person) == []


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
@pytest.mark.parametrize("game", list(_POSITIONS))
def test_a_phone_never_scrolls_sideways(new_person: NewPerson, language: str, game: str) -> None:
    person = new_person(**_PHONE, locale=language)
    analyse(person, f"#game={game}{_POSITIONS[game]}")
    person.page.locator(".opinions li").first.wait_for()
    assert sideways(person) <= 0
    person.keep_screenshot(f"phone-analysis-{game.replace('/', '-')}-{language}")
    person.page.locator(".side > .row").last.locator("button").nth(-2).click()
    person.page.wait_for_selector(".editor svg.scene")
    assert sideways(person) <= 0


@pytest.mark.parametrize("name", sw.games())
def test_the_analysis_is_german(reader: Person, name: str) -> None:
    analyse(reader, f"#game={name}{_POSITIONS.get(name, '')}")
    reader.page.get_by_label("Vergleichen mit").select_option("greedy")
    die = reader.page.locator(".dice button").first
    if die.count():
        check(reader, f"{name}, before the die")
        die.click()
        reader.page.locator(".dice").wait_for(state="detached")
    reader.page.locator(".opinions section").nth(1).locator("li").first.wait_for()
    reader.page.locator("summary", has_text="Alle Züge").click()
    reader.page.locator(".moves button").first.click()
    reader.page.get_by_label("Kommentar zu dieser Stellung").fill("Kim")
    check(reader, f"{name}, analysed")
    reader.page.get_by_role("button", name="Diesen Weg übernehmen").click()
    check(reader, f"{name}, a line")
    reader.page.get_by_role("button", name="Stellung aufbauen").click()
    reader.page.wait_for_selector(".editor svg.scene")
    for tool in reader.page.locator(".editor fieldset button").all():
        tool.click()
        reader.page.wait_for_timeout(60)
    check(reader, f"{name}, set up")
