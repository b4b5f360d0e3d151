"""The scene of DiavoloPP: what is drawn follows the position, at every side."""

from __future__ import annotations

import random
from itertools import pairwise
from xml.etree import ElementTree

import pytest

import spielwerk as sw
from spielwerk.render import rgb_of, scene_of, svg_of
from spielwerk.render.scene import Polygon, Scene, Shape, Text, apply_difference
from spielwerk.render.terminal import paint
from spielwerk.render.theme import THEMES


def playthrough(side: int, seed: int, every: int = 1) -> list[tuple[sw.State, list[str]]]:
    """Positions of a game between quick builders, with the actions that led there."""
    state, actions = sw.make("diavolo/standard", side=side).start(), list[str]()
    agents = [sw.agent(f"greedy:seed={seed}"), sw.agent(f"random:seed={seed}")]
    positions = [(state.clone(), actions.copy())]
    while not state.over:
        assert state.player is not None
        action = agents[state.player].act(state)
        actions.append(state.text(action))
        state.play(action)
        if len(actions) % every == 0 or state.over:
            positions.append((state.clone(), actions.copy()))
    return positions


def shapes(scene: Scene, prefix: str) -> dict[str, Shape]:
    return {shape.id: shape for shape in scene.shapes() if shape.id.startswith(prefix)}


@pytest.mark.parametrize("side", [3, 5, 8])
def test_hits_are_the_legal_actions(side: int) -> None:
    for state, actions in playthrough(side, seed=1):
        scene = scene_of(state, actions=actions)
        assert [hit.action for hit in scene.hits] == [state.text(action) for action in state.legal_actions]


@pytest.mark.parametrize("side", [3, 8, 12])
def test_stones_are_drawn_where_the_position_says(side: int) -> None:
    for state, _ in playthrough(side, seed=2, every=7):
        scene, position = scene_of(state, legal=False), state.position
        stones = {"land-": ("white", "red"), "bridge-": ("white_bridges", "red_bridges"), "blocked-": ("blocked",)}
        for prefix, facts in stones.items():
            names = {prefix + state.text(action) for fact in facts for action in position[fact]}
            assert set(shapes(scene, prefix)) == names


@pytest.mark.parametrize("side", [5, 8, 12, 20])
def test_islands_are_outlined_and_components_carry_their_points(side: int) -> None:
    state, _ = playthrough(side, seed=3)[-1]
    scene, position = scene_of(state), state.position
    lands = len(position["white_islands"]) + len(position["red_islands"])
    assert len(shapes(scene, "coast-")) == lands // 4
    badges = [int(text.content.en) for text in shapes(scene, "points-").values() if isinstance(text, Text)]
    assert sum(badges) == position["white_points"] + position["red_points"]


def test_an_islands_outline_goes_around_its_four_lands() -> None:
    text = "white 1,1+1,2+2,1 1,2+2,1+2,2 2,1+2,2+3,1 1,2+1,3+2,2; red; red to move"
    (coast,) = shapes(scene_of(sw.make("diavolo/standard").from_text(text)), "coast-").values()
    assert isinstance(coast, Polygon)
    assert len(coast.points) == 6  # the corners of the large triangle and the middles of its sides


def test_the_last_turn_is_marked() -> None:
    state = sw.make("diavolo/standard").start()
    first, second = "1,1+1,2+2,1", "3,1+3,2+4,1"
    state.play(first)
    assert set(shapes(scene_of(state, actions=[first]), "last-")) == {f"last-{first}"}
    state.play(second)
    both = {f"last-{first}", f"last-{second}"}
    assert set(shapes(scene_of(state, actions=[first, second]), "last-")) == both
    assert set(shapes(scene_of(state, actions=[f"{first} {second}"]), "last-")) == both
    state.play("swap")
    assert not shapes(scene_of(state, actions=[first, second, "swap"]), "last-")


def test_swap_and_pass_have_buttons() -> None:
    state = sw.make("diavolo/standard").start()
    state.play("1,1+1,2+2,1 3,1+3,2+4,1")
    assert "button-swap" in shapes(scene_of(state), "button-")
    assert not shapes(scene_of(state, legal=False), "button-")


def test_seats_follow_the_colours_after_a_swap() -> None:
    state = sw.make("diavolo/standard").start()
    state.play("1,1+1,2+2,1 3,1+3,2+4,1")
    assert "seat-0" in shapes(scene_of(state), "land-")["land-1,1+1,2+2,1"].classes
    state.play("swap")
    assert "seat-1" in shapes(scene_of(state), "land-")["land-1,1+1,2+2,1"].classes


@pytest.mark.parametrize("side", [3, 8, 30])
def test_differences_lead_from_scene_to_scene(side: int) -> None:
    scenes = [
        scene_of(state, actions=actions) for state, actions in playthrough(side, seed=4, every=1 if side < 30 else 150)
    ]
    shown = scenes[0].to_json()
    for before, after in pairwise(scenes):
        assert after.static is before.static
        shown = apply_difference(shown, after.difference(before))
        assert shown["layers"] == after.to_json()["layers"]
        assert shown["hits"] == after.to_json()["hits"]


def test_one_turn_at_side_30_is_a_small_difference() -> None:
    rng = random.Random(0)
    state = sw.make("diavolo/standard", side=30).start()
    for _ in range(200):
        state.play(rng.choice(state.legal_actions))
    before = scene_of(state)
    state.play(rng.choice(state.legal_actions))
    difference = scene_of(state).difference(before)
    assert len(str(difference)) < len(str(before.dynamic_json())) / 10


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("side", [3, 30])
def test_pictures_can_be_painted(side: int, theme: str) -> None:
    state, actions = playthrough(side, seed=5, every=400)[-1]
    ElementTree.fromstring(svg_of(state, actions=actions, theme=theme))
    assert rgb_of(state, actions=actions, theme=theme, size=300).shape == (259, 300, 3)


def test_labels_are_in_both_languages() -> None:
    for state, actions in playthrough(6, seed=6, every=9):
        scene = scene_of(state, actions=actions)
        assert scene.summary.en != scene.summary.de
        assert all(hit.label.en and hit.label.de for hit in scene.hits)


CHARACTERS = """
       4 .
         △
     3 .   .
       · ▽ ·
   2 .   ○   .
     ▲ ▼ ×╲× △
 1 .   .   ○   .
   1   2   3   4
""".strip("\n")


def test_the_board_can_be_painted_with_characters() -> None:
    white = "1,3+1,4+2,3 1,3+2,2+2,3 3,1+3,2+4,1 2,2-3,1"
    state = sw.make("diavolo/standard", side=3).from_text(f"white {white}; red 1,1+1,2+2,1 1,2+2,1+2,2; red to move")
    scene = scene_of(state)
    painting = paint(scene)
    assert painting is not None
    lines = [line.rstrip() for line in painting.plain.splitlines()]
    assert lines == CHARACTERS.splitlines()
    assert scene.headline.en == "Red to move"
    assert scene.notes[0].en == "White: 0 points, 0 islands, 1 bridge"


def test_level_bridges_are_painted_along_their_row() -> None:
    text = "white 1,1+1,2+2,1 3,1+3,2+4,1 2,1-3,1; red; white to move"
    painting = paint(scene_of(sw.make("diavolo/standard", side=3).from_text(text)))
    assert painting is not None
    assert painting.plain.splitlines()[-2].rstrip() == " 1 .   ○───○   ."


POSSIBLE_BRIDGES = r"""
       4 .
         ·
     3 .   .
      /· ▽ ·\
   2 . - . - .
     △ ·/·\· △
 1 .   . - .   .
   1   2   3   4
""".strip("\n")


def test_possible_bridges_are_painted_as_thin_lines() -> None:
    text = "white 1,1+1,2+2,1 3,1+3,2+4,1 1,3+2,2+2,3; red; white to move"
    painting = paint(scene_of(sw.make("diavolo/standard", side=3).from_text(text)))
    assert painting is not None
    assert [line.rstrip() for line in painting.plain.splitlines()] == POSSIBLE_BRIDGES.splitlines()


@pytest.mark.parametrize("side", [3, 30])
def test_every_position_can_be_painted_with_characters(side: int) -> None:
    for state, actions in playthrough(side, seed=7, every=100):
        painting = paint(scene_of(state, actions=actions))
        assert painting is not None
        assert painting.plain.count("△") + painting.plain.count("▽") == len(state.position["white"])
