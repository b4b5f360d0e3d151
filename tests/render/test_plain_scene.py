"""A game without a module of its own is drawn, named and played nevertheless."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import spielwerk as sw
from spielwerk.render import rgb_of, scene_of, seat_labels, svg_of
from spielwerk.render.scene import MARGIN, Scene, apply_difference
from spielwerk.render.terminal import paint
from spielwerk.render.theme import THEMES
from tests.server.client import agent, running, settings

Cli = Callable[..., Any]

pytestmark = pytest.mark.usefixtures("without_modules")


def playthrough(name: str, plies: int = 40) -> list[tuple[sw.State, Scene]]:
    state = sw.make(name).start(seed=2, chance="explicit")
    seen = [(state.clone(), scene_of(state))]
    for ply in range(plies):
        if state.over:
            break
        state.play(state.legal_actions[ply * 7 % len(state.legal_actions)])
        seen.append((state.clone(), scene_of(state)))
    return seen


@pytest.mark.parametrize("name", sw.games())
def test_every_legal_action_can_be_clicked(name: str) -> None:
    for state, scene in playthrough(name):
        assert sorted(hit.action for hit in scene.hits) == sorted(map(state.text, state.legal_actions))
        assert not scene_of(state, legal=False).hits


@pytest.mark.parametrize("name", sw.games())
def test_differences_lead_from_scene_to_scene(name: str) -> None:
    for (_, before), (_, after) in pairwise(playthrough(name)):
        assert before.static.key == after.static.key
        assert apply_difference(before.to_json(), after.difference(before)) == after.to_json()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", sorted({name.partition("/")[0]: name for name in sw.games()}.values()))
def test_it_is_painted(name: str, theme: str) -> None:
    state, _ = playthrough(name)[-1]
    assert ElementTree.fromstring(svg_of(state, theme=theme)).get("aria-label") == name
    assert rgb_of(state, size=60).shape[2] == 3
    assert paint(scene_of(state)) is None, "the terminal shows what the core writes"


def test_cells_show_what_the_planes_mark() -> None:
    scene = scene_of(sw.make("pferdeaepfel/trail").start())
    marks = {shape.id: shape.label.en for shape in scene.layers[1].shapes if shape.label}
    assert marks == {"mark-0-0-0": "own horse", "mark-1-7-7": "other horse"}
    assert [note.en for note in scene.notes] == ["A: own horse", "B: other horse"]
    assert {hit.area for hit in scene.hits} == {"cell-1-2", "cell-2-1"}


def test_actions_that_share_a_cell_or_have_none_are_buttons() -> None:
    state = sw.make("pferdeaepfel/classic").start()
    state.play("b6")
    scene = scene_of(state)
    margin = next(layer for layer in scene.layers if layer.name == MARGIN)
    assert "button--" in {shape.id for shape in margin.shapes}


def test_where_there_is_no_board_the_facts_are_shown() -> None:
    scene = scene_of(sw.make("ludo/ffa").start(chance="explicit"))
    assert scene.headline.de == "Der Zufall entscheidet"
    assert "die: 0" in [note.en for note in scene.notes]
    assert {hit.area for hit in scene.hits} == {f"button-d{face}" for face in range(1, 7)}


def test_the_end_is_said_in_both_languages() -> None:
    state = sw.make("pferdeaepfel/trail").from_text("7W/8/6B1/8/8/8/8/8 b")
    state.play("h8")
    scene = scene_of(state)
    assert (scene.headline.en, scene.headline.de) == ("Player 2 wins", "Spieler 2 gewinnt")
    assert scene.detail.en == state.reason


def test_seats_are_numbered() -> None:
    assert [label.de for label in seat_labels(sw.make("ludo/teams"))] == [
        f"Spieler {number}" for number in (1, 2, 3, 4)
    ]


def test_the_server_shows_it(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as server:
        games = server.get("/api/games")
        assert sorted(game["name"] for game in games) == sw.games()
        for name in sw.games():
            assert server.get(f"/api/games/{name}/scene")["scene"]["headline"]
            assert server.get(f"/api/levels?game={name}")
        opened = server.open("pferdeaepfel/trail", agent("random"), agent("random"), seed=1)
        assert server.get(f"/api/tables/{opened['id']}/plies/0")["scene"]["layers"]


def test_the_arena_and_balance_report_it(cli: Cli) -> None:
    words = ("--games", "2", "--seed", "1", "--workers", "1")
    assert "Player 1" in cli("arena", "random", "greedy", "--game", "pferdeaepfel/trail", *words).out
    code, out, err = cli("balance", "pferdeaepfel/trail", "--level", "random", "--no-vary", "--games", "4", "--json")
    assert (code, err) == (0, "")
    assert "Player 1" in out


def test_it_is_played_in_the_terminal(cli: Cli) -> None:
    out = cli("play", "pferdeaepfel/trail", "--watch", "--seat", "random", "--seat", "random", "--seed", "1").out
    assert "8 W . . . . . . ." in out
    assert "Player 1 to move" in out and " wins" in out
