"""Search in the visitor's browser: the worker answers and the server is not asked; without the core's file, it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.web.person import Person
from tests.web.serving import RunningServer

_ASSETS = Path(__file__).parents[2] / "src/spielwerk/server/page/assets"
_RULESETS = {
    "pferdeaepfel/trail": "expert",
    "pferdeaepfel/classic": "club",
    "ludo/ffa": "club",
    "diavolo/standard": "greedy",
}


@pytest.fixture(autouse=True)
def page_with_the_core() -> None:
    if not list(_ASSETS.glob("spielwerk-*.wasm")):
        pytest.skip("NO WEBASSEMBLY, THINKING IN THE BROWSER IS NOT TESTED: run `make wasm` (it needs Emscripten)")


class Ears:
    """What the page asks the server for."""

    def __init__(self, person: Person) -> None:
        self.paths: list[str] = []
        person.page.on("request", lambda request: self.paths.append(request.url))
        person.page.on("websocket", lambda socket: self.paths.append(socket.url))

    def heard(self, pattern: str) -> list[str]:
        return [path for path in self.paths if re.search(pattern, path)]


def ask_for_a_hint(person: Person, level: str) -> str:
    person.page.get_by_label("Asked").select_option(level)
    person.page.get_by_role("button", name="Hint").click()
    said = person.page.locator(".hint strong")
    said.wait_for()
    return str(said.inner_text())


@pytest.mark.parametrize(("game", "level"), _RULESETS.items())
def test_a_hint_comes_from_the_browser_itself(person: Person, game: str, level: str) -> None:
    ears = Ears(person)
    table = person.open_table(game)
    person.wait_for_turn()
    assert not ears.heard(r"\.wasm|thinker-|engine-"), "nothing of it loads before it is asked"
    action = ask_for_a_hint(person, level).rstrip(".").rpartition(" ")[2]
    assert action in [hit["action"] for hit in person.table(table)["scene"]["hits"]]
    assert ears.heard(r"\.wasm$") and ears.heard("thinker-")
    assert not ears.heard("/hint$"), "the server was asked to think"


def test_a_hint_in_the_course_of_a_game_is_about_that_position(person: Person) -> None:
    ears = Ears(person)
    table = person.open_table("pferdeaepfel/trail", opponent="greedy")
    for _ in range(3):
        person.wait_for_turn()
        action = ask_for_a_hint(person, "greedy").rstrip(".").rpartition(" ")[2]
        now = person.table(table)
        ply, hits = now["ply"], {hit["action"]: hit for hit in now["scene"]["hits"]}
        person.click_hit(hits[action])
        person.wait_for_ply(ply + 2)
    assert not ears.heard("/hint$")


@pytest.mark.parametrize(
    ("status", "body"),
    [(404, "There is no such file."), (200, "no WebAssembly at all")],
    ids=["without the file", "with a broken file"],
)
def test_the_server_answers_where_the_core_cannot(person: Person, status: int, body: str) -> None:
    ears = Ears(person)
    person.page.route("**/*.wasm", lambda route: route.fulfill(status=status, body=body))
    person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    assert "Greedy would play" in ask_for_a_hint(person, "greedy")
    assert ears.heard("/hint$")


def test_a_level_that_is_more_than_a_search_is_the_servers(person: Person) -> None:
    ears = Ears(person)
    person.open_table("pferdeaepfel/trail")
    person.wait_for_turn()
    ask_for_a_hint(person, "network")
    assert ears.heard("/hint$") and not ears.heard(r"\.wasm$")


@pytest.mark.parametrize(
    "hash", ["#game=pferdeaepfel/trail&size=5", "#game=pferdeaepfel/classic", "#game=diavolo/standard&side=4"]
)
def test_the_analysis_is_thought_out_in_the_browser(person: Person, hash: str) -> None:
    ears = Ears(person)
    person.prefer(hintLevel="expert")
    person.visit(f"/analysis{hash}")
    person.page.get_by_label("Asked").select_option("expert")
    person.page.locator(".facts").get_by_text(re.compile(r"Depth \d+")).wait_for()
    person.page.locator(".stage .best-1").first.wait_for()
    if "size=5" in hash:
        person.page.locator(".stamp.proved").wait_for()
    assert ears.heard(r"\.wasm$") and not ears.heard("/api/analysis")


def test_the_analysis_is_the_servers_where_the_file_is_missing(person: Person) -> None:
    ears = Ears(person)
    person.page.route("**/*.wasm", lambda route: route.fulfill(status=404, body="There is no such file."))
    person.prefer(hintLevel="expert")
    person.visit("/analysis#game=pferdeaepfel/trail&size=5")
    person.page.locator(".stamp.proved").wait_for()
    assert ears.heard("/api/analysis")


def play_moves(person: Person, table: str, count: int) -> None:
    """The agents' moves between them are waited for."""
    for _ in range(count):
        person.wait_for_turn()
        now = person.table(table)
        person.click_hit(now["scene"]["hits"][0])
        person.wait_for_ply(now["ply"] + 1)
    person.wait_for_turn()


def moves_of_agents(person: Person, table: str) -> list[str]:
    return [action["text"] for action in person.table(table)["actions"] if action["seat"] not in (None, 0)]


@pytest.mark.parametrize(("game", "level"), _RULESETS.items())
def test_opponents_think_in_the_browser(person: Person, server: RunningServer, game: str, level: str) -> None:
    ears = Ears(person)
    spent = server.figure("thinking_seconds_total")
    table = person.open_table(game, opponent=level)
    person.wait_for_turn()
    assert not ears.heard(r"\.wasm|thinker-|engine-"), "nothing of it loads before it is asked"
    play_moves(person, table, 4)
    assert moves_of_agents(person, table)
    assert len(ears.heard(r"\.wasm$")) == 1, "the worker is kept from move to move"
    assert server.figure("thinking_seconds_total") == spent, "the server was asked to think"


def test_a_move_can_be_taken_back_while_the_opponent_thinks_here(person: Person, server: RunningServer) -> None:
    spent = server.figure("thinking_seconds_total")
    table = person.open_table("pferdeaepfel/trail", opponent="master")
    person.wait_for_turn()
    person.click_hit(person.table(table)["scene"]["hits"][0])
    person.wait_for_ply(1)
    person.page.get_by_role("button", name="Take back").click()
    person.wait_for_turn()
    assert person.table(table)["ply"] == 0
    play_moves(person, table, 1)
    assert len(moves_of_agents(person, table)) == 1
    assert server.figure("thinking_seconds_total") == spent


@pytest.mark.parametrize("broken", ["file", "browser"])
def test_opponents_think_on_the_server_where_the_core_cannot(
    person: Person, server: RunningServer, broken: str
) -> None:
    """A page built without the core says as little as a browser that cannot run it."""
    said: list[str] = []
    person.page.on("websocket", lambda socket: socket.on("framesent", lambda text: said.append(str(text))))
    if broken == "file":
        person.page.route("**/*.wasm", lambda route: route.fulfill(status=404, body="There is no such file."))
    else:
        person.context.add_init_script("delete WebAssembly.Tag")
    spent = server.figure("thinking_seconds_total")
    table = person.open_table("pferdeaepfel/trail", opponent="club")
    play_moves(person, table, 3)
    assert len(moves_of_agents(person, table)) == 3
    assert server.figure("thinking_seconds_total") >= spent + 0.6, "three moves, each a fifth of a second"
    advice = [text for text in said if '"advice"' in text]
    assert len(advice) == (1 if broken == "file" else 0), "whoever failed is not asked again"
    assert person.page.get_by_role("alert").inner_text() == ""
