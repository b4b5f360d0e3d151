"""The picture of Ludo: every piece on its square, every legal action to be clicked, nothing hidden."""

from __future__ import annotations

import random
from typing import Any
from xml.etree import ElementTree

import pytest

import spielwerk as sw
from spielwerk.records import Recorder
from spielwerk.render import rgb_of, scene_of, svg_of
from spielwerk.render.scene import Label, Scene, Text, Use, apply_difference
from spielwerk.render.theme import THEMES

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("ludo/ffa", {}),
    ("ludo/ffa", {"colours": "green,blue"}),
    ("ludo/ffa", {"players": 3, "ranking": True}),
    ("ludo/teams", {}),
]
COLOURS = ["green", "yellow", "blue", "red"]
CROWD = "G!=0,0,0,0 Y=0,0,0,0 B=0,0,0,0 R=0,0,0,0 turn=G die=- sixes=0000 plies=0"


def playthrough(name: str, rules: dict[str, Any], every: int = 25) -> list[tuple[sw.State, list[str]]]:
    """Positions of a random game, the last one among them, with the actions that led there."""
    rng = random.Random(name)
    recorder = Recorder(sw.make(name, **rules), seed=4)
    positions = []
    while not recorder.state.over:
        positions.append((recorder.state.clone(), list(recorder.record.actions)))
        recorder.play(rng.choice(recorder.state.legal_actions))
    return [*positions[::every], (recorder.state, list(recorder.record.actions))]


def by_id(scene: Scene) -> dict[str, Any]:
    return {shape.id: shape for shape in scene.shapes() if shape.id}


def is_inside(shape: Any, cell: Any) -> bool:
    half = shape.size / 2
    return bool(
        cell.x <= shape.x - half + 4
        and shape.x + half - 4 <= cell.x + cell.width
        and cell.y <= shape.y - half + 4
        and shape.y + half - 4 <= cell.y + cell.height
    )


@pytest.mark.parametrize(("name", "rules"), SETTINGS)
def test_hits_are_the_legal_actions(name: str, rules: dict[str, Any]) -> None:
    for state, actions in playthrough(name, rules):
        scene = scene_of(state, actions=actions)
        assert [hit.action for hit in scene.hits] == [state.text(action) for action in state.legal_actions]


def test_a_die_played_by_hand_has_six_faces_to_click() -> None:
    scene = scene_of(sw.make("ludo/ffa").start(chance="explicit"))
    assert [hit.action for hit in scene.hits] == ["d1", "d2", "d3", "d4", "d5", "d6"]
    assert "die" not in by_id(scene)


@pytest.mark.parametrize(("name", "rules"), SETTINGS)
def test_pieces_stand_in_their_cells(name: str, rules: dict[str, Any]) -> None:
    for state, _ in playthrough(name, rules):
        shapes, position = by_id(scene_of(state)), state.position
        for index, place in enumerate(position["pieces"]):
            colour = COLOURS[position["colours"][index // 4]]
            cell = f"yard-{colour}" if place < 0 else f"square-{place}"
            if place >= 52:
                cell = f"home-{colour}-{place - 52}"
            piece = shapes[f"piece-{colour}-{index % 4}"]
            assert piece.symbol == f"token-{colour}-{index % 4}"
            assert place == 57 or is_inside(piece, shapes[cell])


def test_sixteen_pieces_on_one_square_are_all_seen_and_counted() -> None:
    shapes = by_id(scene_of(sw.make("ludo/ffa").from_text(CROWD, chance="explicit")))
    pieces = [shape for name, shape in shapes.items() if name.startswith("piece-")]
    assert len({(piece.x, piece.y) for piece in pieces}) == 16
    assert all(is_inside(piece, shapes["square-0"]) for piece in pieces)
    assert shapes["count-text-piece-green-0"].content.en == "16"


@pytest.mark.parametrize("game", ["ludo/ffa", "ludo/teams"])
def test_blocks_are_framed_where_a_square_is_not_safe(game: str) -> None:
    text = "G=4,4,8,8 Y=30,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=- sixes=0000 plies=0"
    shapes = by_id(scene_of(sw.make(game).from_text(text, chance="explicit")))
    assert [name for name in shapes if name.startswith("block-")] == ["block-4"]


def test_the_capture_marker_is_a_circle_at_the_yards_middle() -> None:
    text = "G=y,y,y,y Y!=4,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=- sixes=0000 plies=0"
    shapes = by_id(scene_of(sw.make("ludo/ffa").from_text(text, chance="explicit")))
    assert [name for name in shapes if name.startswith("captured-")] == ["captured-yellow"]
    marker, yard = shapes["captured-yellow"], shapes["yard-yellow"]
    assert (marker.x, marker.y) == (yard.x + yard.width / 2, yard.y + yard.height / 2)


def test_movable_pieces_are_ringed_and_their_targets_dotted() -> None:
    text = "G=1,4,y,y Y=y,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=3 sixes=0000 plies=0"
    state = sw.make("ludo/ffa").from_text(text)
    shapes = by_id(scene_of(state))
    assert [name for name, shape in shapes.items() if shape.classes == "choice"] == ["choice-0", "choice-1"]
    cell, dot = shapes["square-7"], shapes["target-1"]
    assert (dot.x, dot.y) == (cell.x + cell.width / 2, cell.y + cell.height / 2)
    assert not scene_of(state, legal=False).hits


def test_a_helpers_choices_are_the_partners_pieces() -> None:
    text = "G!=f,f,f,f Y=y,y,y,y B=30,y,y,y R=y,y,y,y turn=G die=3 sixes=0000 plies=0"
    scene = scene_of(sw.make("ludo/teams").from_text(text))
    assert [(hit.action, hit.area) for hit in scene.hits] == [("0", "piece-blue-0")]
    assert by_id(scene)["detail"].content.en == "helps Blue"


def test_the_last_move_is_marked() -> None:
    game, actions = sw.make("ludo/ffa"), ["d6", "0", "d3", "0", "d2"]
    shapes = by_id(scene_of(game.replay(actions), actions=actions))
    assert (shapes["last-from"].x, shapes["last-to"].x) == (shapes["square-0"].x, shapes["square-3"].x)
    passed = ["d1", "pass"]
    assert "last-to" not in by_id(scene_of(game.replay(passed), actions=passed))


@pytest.mark.parametrize(("name", "rules"), SETTINGS)
def test_differences_lead_from_scene_to_scene(name: str, rules: dict[str, Any]) -> None:
    shown: Scene | None = None
    for state, actions in playthrough(name, rules, every=10):
        scene = scene_of(state, actions=actions)
        if shown is not None:
            assert apply_difference(shown.to_json(), scene.difference(shown)) == scene.to_json()
            assert scene.static.key == shown.static.key
        shown = scene


@pytest.mark.parametrize("theme", THEMES)
def test_every_theme_paints_valid_svg_in_both_languages(theme: str) -> None:
    state = playthrough("ludo/teams", {})[5][0]
    english, german = (ElementTree.fromstring(svg_of(state, theme=theme, lang=lang)) for lang in ("en", "de"))
    assert english.get("aria-label") == "Ludo, Teams, 4 players"
    assert german.get("aria-label") == "Ludo, Zwei gegen zwei, 4 Personen"


def test_tokens_carry_letter_and_number_for_those_who_do_not_see_colours() -> None:
    scene = scene_of(sw.make("ludo/ffa").start(seed=1))
    drawn = {symbol.name: symbol for symbol in scene.static.symbols}
    for piece in (shape for shape in scene.shapes() if isinstance(shape, Use) and shape.id.startswith("piece-")):
        letters = drawn[piece.symbol].shapes[-1]
        assert isinstance(letters, Text)
        colour, number = piece.id.split("-")[1:]
        german = {"green": "Gr", "yellow": "Ge", "blue": "B", "red": "R"}[colour]
        assert letters.content == Label(f"{colour[0].upper()}{number}", f"{german}{number}")


def test_pictures_tell_who_won() -> None:
    state, _ = playthrough("ludo/teams", {})[-1]
    headline = scene_of(state).headline
    assert headline.en in ("Green and Blue win", "Yellow and Red win")
    assert headline.de in ("Grün und Blau gewinnen", "Gelb und Rot gewinnen")


def test_the_picture_becomes_pixels() -> None:
    assert rgb_of(sw.make("ludo/ffa").start(seed=1), size=200).shape[2] == 3
