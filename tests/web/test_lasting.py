"""What lasts: reconnecting after the server died, replay, records, links to positions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.web.conftest import NewPerson
from tests.web.person import Person
from tests.web.serving import RunningServer


def test_the_game_goes_on_after_the_server_was_killed(person: Person, server: RunningServer) -> None:
    table = person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    person.page.mouse.click(*person.middle("cell-b6"))
    person.wait_for_ply(2)
    person.wait_for_turn()
    server.kill()
    person.page.get_by_text("Connection lost").wait_for()
    assert not person.may_play
    server.start()
    person.wait_for_turn()
    assert person.table(table)["actions"][0]["text"] == "b6"
    now = person.table(table)
    person.click_hit(now["scene"]["hits"][0])
    person.wait_for_ply(3)


@pytest.fixture
def finished(person: Person, server: RunningServer) -> str:
    """A stored game of four actions."""
    record = {
        "spielwerk": 1,
        "game": "pferdeaepfel/trail",
        "rules": {"size": 8},
        "rules_version": 1,
        "actions": ["b6", "g3", "d5", "e4"],
        "result": None,
    }
    return str(server.post("/api/records", record)["id"])


def test_a_game_is_replayed_by_keys_and_by_itself(person: Person, finished: str) -> None:
    person.visit(f"/t/{finished}/0")
    position = person.page.locator(".replay span")
    position.get_by_text("Move 0 of 2").wait_for()
    keys = person.page.keyboard
    for key, ply in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 4), ("ArrowLeft", 3)):
        keys.press(key)
        person.page.locator(f"[data-ply='{ply}'][aria-current]").wait_for()
        position.get_by_text(f"Move {(ply + 1) // 2} of 2").wait_for()  # as the list of moves counts
    keys.press("Home")
    position.get_by_text("Move 0 of 2").wait_for()
    keys.press(" ")
    position.get_by_text("Move 2 of 2").wait_for()
    keys.press(" ")


def test_a_link_leads_to_a_position(person: Person, finished: str) -> None:
    person.visit(f"/t/{finished}/2")
    person.page.locator("[data-ply='2'][aria-current]").wait_for()
    person.page.locator("[data-id=horse-1][aria-label='Black horse on g3']").wait_for()
    person.page.locator("[data-ply='1']").click()
    person.page.wait_for_url(f"**/t/{finished}/1")
    person.page.locator("[data-id=horse-1][aria-label='Black horse on h1']").wait_for()


def test_a_record_is_saved_and_read_again(person: Person, finished: str, tmp_path: Path) -> None:
    person.visit(f"/t/{finished}")
    with person.page.expect_download() as download:
        person.page.get_by_role("button", name="Save record").click()
    file = tmp_path / "record.json"
    download.value.save_as(file)
    assert json.loads(file.read_text())["actions"] == ["b6", "g3", "d5", "e4"]
    person.visit("/lobby")
    person.page.locator("input[type=file]").set_input_files(file)
    person.page.get_by_text("Move 0 of 2").wait_for()
    broken = tmp_path / "broken.json"
    broken.write_text("no record")
    person.visit("/lobby")
    person.page.locator("input[type=file]").set_input_files(broken)
    person.page.get_by_text("not a game record").wait_for()


def test_a_game_is_played_on_from_an_earlier_position(person: Person, finished: str) -> None:
    person.visit(f"/t/{finished}/2")
    person.page.get_by_role("button", name="Play on from here").click()
    person.page.get_by_role("dialog").get_by_role("button", name="Play").click()
    person.page.wait_for_url(lambda url: finished not in url)
    person.wait_for_turn()
    person.page.locator("[data-id=horse-0][aria-label='White horse on b6']").wait_for(state="attached")


def test_tables_and_pages_that_do_not_exist_say_so(new_person: NewPerson) -> None:
    person = new_person()
    person.visit("/t/nothing")
    person.page.get_by_text("This game does not exist.").wait_for()
    person.visit("/nowhere")
    person.page.get_by_text("This page does not exist.").wait_for()


def test_the_lobby_names_players_and_levels(person: Person, server: RunningServer) -> None:
    seats = [{"kind": "human", "name": "Ada"}, {"kind": "agent", "level": "club"}]
    server.post("/api/tables", {"game": "pferdeaepfel/trail", "seats": seats, "public": True})
    person.visit("/lobby")
    person.page.get_by_role("button", name="Being played").click()
    person.page.get_by_text("White: Ada – Black: Club player", exact=True).wait_for()


def test_a_part_of_the_page_that_cannot_be_loaded_is_tried_again(person: Person) -> None:
    person.visit("/about")
    person.page.route("**/assets/Lobby-*", lambda route: route.abort())
    person.page.get_by_role("link", name="Lobby").click()
    person.page.get_by_role("heading", name="This page could not be loaded.").wait_for()
    person.complaints.clear()  # the browser says so, too
    person.page.unroute("**/assets/Lobby-*")
    person.page.get_by_role("button", name="Try again").click()
    person.page.get_by_role("heading", name="Lobby").wait_for()


def test_without_a_server_the_page_stays_and_says_so(person: Person, server: RunningServer) -> None:
    person.visit("/about")
    server.kill()
    person.page.get_by_role("link", name="Lobby").click()
    person.page.get_by_role("button", name="Try again").click()
    person.page.get_by_text("The server cannot be reached.").wait_for()
    person.complaints.clear()
    server.start()
    person.page.get_by_role("button", name="Try again").click()
    person.page.get_by_role("heading", name="Lobby").wait_for()


def test_a_hint_is_drawn_on_the_board_in_replays_too(person: Person, finished: str) -> None:
    person.visit(f"/t/{finished}/2")
    person.page.get_by_label("Asked").select_option("greedy")
    person.page.get_by_role("button", name="Hint").click()
    person.page.get_by_text("Greedy would play").wait_for()
    person.page.locator(".hinted").first.wait_for(state="attached")
    person.page.locator(".hint-value").wait_for()
    person.page.get_by_text("From −1, certainly lost, to +1, certainly won.").wait_for()


def test_a_file_of_several_records_offers_them_all(person: Person, finished: str, tmp_path: Path) -> None:
    record = person.server.get(f"/api/tables/{finished}/record")
    file = tmp_path / "games.jsonl"
    file.write_text("".join(json.dumps(record | {"actions": record["actions"][:count]}) + "\n" for count in (2, 3, 4)))
    person.visit("/lobby")
    person.page.locator("input[type=file]").set_input_files(file)
    person.page.get_by_text("This file has 3 games. Which one?").wait_for()
    person.page.get_by_role("button", name="2. Pferdeäpfel: Trail, 3 steps").click()
    person.page.get_by_text("Move 0 of 2").wait_for()
    assert person.page.locator("[data-ply]").count() == 3


def test_the_lobby_keeps_up_by_itself(person: Person, server: RunningServer) -> None:
    person.visit("/lobby")
    person.page.get_by_role("button", name="Waiting for players").wait_for()
    seats = [{"kind": "human", "name": "Zoë"}, {"kind": "open"}]
    server.post("/api/tables", {"game": "diavolo/standard", "seats": seats, "public": True})
    row = person.page.locator("li", has_text="Player 1: Zoë – Player 2: free")
    row.wait_for()
    row.locator("svg.scene .field").first.wait_for()


def test_my_games_are_found_again(person: Person) -> None:
    table = person.open_table("pferdeaepfel/trail", {"size": 4})
    person.visit("/games")
    person.page.get_by_text("White: you – Black: Random").wait_for()
    person.page.get_by_role("link", name="Continue").click()
    person.page.wait_for_url(f"**/t/{table}")
    person.wait_for_turn()
    person.page.get_by_role("button", name="Resign").click()
    person.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    person.page.locator(".status").get_by_text("You lose").wait_for()
    person.visit("/games")
    person.page.get_by_text("You lose: Black wins by resignation").wait_for()
    person.page.get_by_role("link", name="Replay").wait_for()
    person.page.get_by_role("button", name="Rematch").click()
    person.page.wait_for_url(lambda url: "/t/" in url and table not in url)
    new = person.table(person.page.url.rpartition("/")[2])
    assert (new["rules"]["size"], [seat["kind"] for seat in new["seats"]]) == (4, ["agent", "human"])
