"""Search in the visitor's browser: the worker answers and the server is not asked; without the core's file, it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.web.person import Person

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
