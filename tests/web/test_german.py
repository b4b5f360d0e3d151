"""The page in German: every page and every kind of table is walked, and no text may come from anywhere else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk import rule_pages
from spielwerk.server import lessons
from tests.web import german
from tests.web.conftest import NewPerson
from tests.web.person import Person
from tests.web.serving import RunningServer

_WITH_RULE_PAGES = [name for name in sw.games() if rule_pages.title(name, "de")]
_PAGES = (
    "/",
    "/games",
    "/lobby",
    "/rules",
    "/about",
    "/analysis",
    "/puzzles",
    "/training",
    "/arena",
    "/balance",
    "/nowhere",
    "/t/nowhere",
    "/rules/ludo/nowhere",
    "/learn/nowhere",
)
_ENGLISH = re.compile(r"\b(the|and|of|is|are|your|you|with|to move|wins|lost|draw|must|apple|horse|land)\b")
_POLITE = re.compile(r"\b(Ihnen|Ihre?[nmrs]?)\b|\bSie (können|müssen|haben|sind|spielen|dürfen)\b")
_SETTLING_MS = 200


@pytest.fixture
def reader(new_person: NewPerson) -> Person:
    person = new_person(locale="de-DE", timezone_id="Europe/Berlin")
    person.context.add_init_script(german.LISTENING)
    person.visit("/about")
    person.page.reload()
    return person


def check(person: Person, where: str) -> None:
    person.page.wait_for_timeout(_SETTLING_MS)
    foreign = german.foreign(person.page)
    assert foreign == [], where
    for text in set(person.page.evaluate(german.VISIBLE)) - german.names_of_games():
        assert not _POLITE.search(text), (where, text)
        assert not _ENGLISH.search(text), (where, text)


@pytest.mark.parametrize("path", _PAGES)
def test_pages(reader: Person, server: RunningServer, path: str) -> None:
    _public_tables(server)
    reader.visit(path)
    check(reader, path)


@pytest.mark.parametrize("name", sw.games())
def test_choosing(reader: Person, name: str) -> None:
    reader.visit(f"/new#game={name}")
    reader.page.locator("button.big:enabled").wait_for()
    for summary in reader.page.locator("details summary").all():
        summary.click()
    for index in range(reader.page.locator("fieldset select").count()):
        reader.page.locator("fieldset select").nth(index).select_option("open")
    check(reader, f"/new of {name}")
    field = reader.page.locator("details input[type=text]").first
    if field.count():
        field.fill("z9")
        field.blur()
        reader.page.get_by_role("alert").wait_for()
        check(reader, f"a setting of {name} that cannot be")
    reader.visit(f"/watch#game={name}")
    reader.page.locator("button.big:enabled").wait_for()
    check(reader, f"/watch of {name}")


@pytest.mark.parametrize("family", sorted(lessons.families()))
def test_lessons(reader: Person, family: str) -> None:
    reader.visit(f"/learn/{family}")
    lesson = reader.server.get(f"/api/lessons/{family}")
    for number, step in enumerate(lesson["steps"], 1):
        reader.page.get_by_text(f"Schritt {number} von").wait_for()
        check(reader, f"step {number} of {family}")
        reader.click_hit(_german(next(hit for hit in step["scene"]["hits"] if hit["action"] in step["after"])))
        reader.page.get_by_text(step["done"]["de"]).wait_for()
        check(reader, f"step {number} of {family}, done")
        if number < len(lesson["steps"]):
            reader.page.get_by_role("button", name="Weiter").click()


@pytest.mark.parametrize("name", _WITH_RULE_PAGES)
def test_rule_pages(reader: Person, name: str) -> None:
    for path in (f"/rules/{name}", f"/rules/{name.partition('/')[0]}/index"):
        reader.visit(path)
        reader.page.locator("article h1").wait_for()
        check(reader, path)
        words = reader.page.locator("article").inner_text()
        assert not re.search(r"\b(the|and|of|is|are|your|with)\b", words), path
        assert reader.page.evaluate("[...document.images].every((one) => one.alt && one.src.includes('.de.svg'))"), path


@pytest.mark.parametrize("name", sw.games())
def test_games_that_are_over(reader: Person, server: RunningServer, name: str) -> None:
    """Replayed: all that scenes, moves and results say on the way."""
    table = server.post("/api/records", _played_out(name, 1))["id"]
    plies = server.get(f"/api/tables/{table}")["ply"]
    for ply in (0, 2, plies // 2, plies):
        reader.visit(f"/t/{table}/{ply}" if ply < plies else f"/t/{table}")
        reader.page.locator(".stage svg.scene").wait_for()
        check(reader, f"{name}, ply {ply} of {plies}")
    for button in ("Regeln", "Bild", "Von hier weiterspielen"):
        reader.page.locator(".side").get_by_role("button", name=button).click()
        reader.page.get_by_role("dialog").wait_for()
        check(reader, f"{name}: {button}")
        reader.page.keyboard.press("Escape")


@pytest.mark.parametrize("name", sw.games())
def test_games_being_played(reader: Person, name: str) -> None:
    table = reader.open_table(name)
    for _ in range(2):
        reader.page.wait_for_selector(".board.playable, .table:has-text('Revanche')")
        check(reader, f"{name}, in turn")
        now = reader.table(table)
        if now["status"] == "over":
            break
        reader.page.get_by_label("Zug eingeben").fill("z9")
        reader.page.get_by_label("Zug eingeben").press("Enter")
        reader.page.locator(".notice:not(:empty)").wait_for()
        check(reader, f"{name}, a refusal")
        reader.click_hit(_german(now["scene"]["hits"][0]))
        reader.wait_for_ply(now["ply"] + 1)
    reader.page.wait_for_selector(".board.playable, .table:has-text('Revanche')")
    reader.page.get_by_role("button", name="Tipp").click()
    reader.page.get_by_text("würde").wait_for()
    check(reader, f"{name}, a hint")
    reader.page.get_by_role("button", name="Aufgeben").click()
    check(reader, f"{name}, giving up?")
    reader.page.get_by_role("dialog").get_by_role("button", name="Aufgeben").click()
    reader.page.wait_for_timeout(1000)  # where several play, an agent takes the seat and the game goes on
    check(reader, f"{name}, given up")
    reader.visit("/games")
    reader.page.locator("main li").first.wait_for()
    check(reader, f"{name} among my games")
    reader.visit("/")
    check(reader, f"after {name}")


def test_people_waiting_asking_and_answering(reader: Person, server: RunningServer) -> None:
    seats = [{"kind": "human", "name": "Kim"}, {"kind": "open"}]
    opened = server.post("/api/tables", {"game": "pferdeaepfel/classic", "seats": seats})
    table, invite = opened["id"], opened["invites"]["1"]
    reader.visit(f"/t/{table}#invite={invite}")
    check(reader, "invited")
    reader.page.get_by_role("button", name="Platz nehmen").click()
    reader.page.get_by_text("am Zug").first.wait_for()
    check(reader, "sat down, the other one is away")
    reader.page.locator(".stage svg.scene").click(position={"x": 100, "y": 100})
    check(reader, "a click out of turn")


def test_the_lobby_and_its_files(reader: Person, server: RunningServer, tmp_path: Path) -> None:
    _public_tables(server)
    reader.visit("/lobby")
    for tab in ("Wird gespielt", "Beendet", "Wartet auf Mitspieler"):
        reader.page.get_by_role("button", name=tab).click()
        check(reader, tab)
    good, broken = (
        _played_out("pferdeaepfel/trail", 3),
        {"spielwerk": 1, "game": "pferdeaepfel/trail", "actions": ["z9"]},
    )
    for name, records in (("two", [good, good]), ("broken", [broken]), ("none", [])):
        file = tmp_path / f"{name}.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in records) or "nothing")
        reader.page.locator("input[type=file]").set_input_files(file)
        reader.page.wait_for_timeout(300)
        check(reader, f"a file: {name}")


def test_texts_that_are_not_german_are_found() -> None:
    """The test of the test: English, half English and English filled into German are foreign."""
    known = german.German(["Weiß", "Schwarz springt"])
    line = "Erwartet: " + " ".join(["g7", "c3", "pass"] * 9)
    for text in ("Weiß am Zug", "Weiß: du – Kim: frei", "Zug 3 von 8", "b6", "Schwarz springt · Spielwerk", line):
        assert known.has(text), text
    for text in ("White to move", "Weiß: you", "Red am Zug", "must pass", "Schwarz jumps", "3 apples", line + " moves"):
        assert not known.has(text), text


def _public_tables(server: RunningServer) -> None:
    for name in sw.games():
        count = sw.make(name).num_players
        for seats in (
            [{"kind": "human", "name": "Kim"}] + [{"kind": "open"}] * (count - 1),
            [{"kind": "agent", "level": "random"}] * count,
        ):
            server.post("/api/tables", {"game": name, "seats": seats, "public": True})


def _played_out(name: str, seed: int) -> dict[str, Any]:
    from spielwerk.records import Recorder

    recorder, agent = Recorder(sw.make(name), seed=seed), sw.agent(f"random:seed={seed}")
    while recorder.state.player is not None:
        recorder.play(agent.act(recorder.state))
    return dict(recorder.record.to_json())


def _german(hit: dict[str, Any]) -> dict[str, Any]:
    """So that the button made of a hit is found by its German name."""
    label = hit["label"]
    return hit | {"label": {"en": label if isinstance(label, str) else label["de"]}}
