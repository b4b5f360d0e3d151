"""The picture of Ludo: every piece on its square, every legal action to be clicked, nothing hidden."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import pytest

import spielwerk as sw
from spielwerk.records import Recorder
from spielwerk.render import rgb_of, scene_of, svg_of
from spielwerk.render.description import description_of
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


def test_the_capture_marker_is_a_circle_in_the_yard_above_the_die() -> None:
    text = "G=y,y,y,y Y!=4,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=- sixes=0000 plies=0"
    shapes = by_id(scene_of(sw.make("ludo/ffa").from_text(text, chance="explicit")))
    assert [name for name in shapes if name.startswith("captured-")] == ["captured-yellow"]
    marker, yard = shapes["captured-yellow"], shapes["yard-yellow"]
    assert marker.x == yard.x + yard.width / 2
    die = scene_of(sw.make("ludo/ffa").from_text(text.replace("turn=G", "turn=Y").replace("=-", "=3"))).shapes()
    [top] = [shape.y - shape.size / 2 for shape in die if isinstance(shape, Use) and shape.id == "die"]
    assert yard.y < marker.y + marker.radius < top


def test_actions_that_do_not_lead_here_from_the_start_mark_nothing() -> None:
    text = "G!=f,f,f,h4 Y=y,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=1 sixes=0000 plies=0"
    state = sw.make("ludo/ffa").from_text(text, chance="explicit")
    state.play("3")
    shapes = by_id(scene_of(state, actions=["3"]))
    assert "last-to" not in shapes
    assert not any(getattr(shape, "path", ()) for shape in shapes.values())


def test_a_token_walks_square_by_square_and_into_its_home() -> None:
    actions: list[str] = []
    state = sw.make("ludo/ffa", exact_finish=True).start(seed=3, chance="explicit")
    chance, ways = random.Random(1), 0
    while not state.over:
        options = [action for action, _ in state.outcomes] if state.player == sw.CHANCE else state.legal_actions
        action = chance.choice(options)
        before, die = state.position["pieces"], state.position["die"]
        actions.append(state.text(action))
        state.play(action)
        if not actions[-1].isdecimal():
            continue
        paths = [shape for shape in by_id(scene_of(state, actions=actions)).values() if getattr(shape, "path", ())]
        for piece in paths:
            ways += 1
            assert len(piece.path) == die + 1
            steps = [abs(x1 - x2) + abs(y1 - y2) for (x1, y1), (x2, y2) in pairwise(piece.path)]
            assert all(length <= 125 for length in steps), "each step leads to a neighbour"
        moved = [old for old, new in zip(before, state.position["pieces"], strict=True) if new not in (old, -1)]
        assert len(paths) == sum(old >= 0 for old in moved)
    assert ways > 100


@pytest.mark.parametrize(
    ("text", "action", "words"),
    [
        ("G=y,y,y,y Y=y,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=6 sixes=1000 plies=0", "2", "leaves the yard"),
        (
            "G=1,y,y,y Y=4,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=3 sixes=0000 plies=20",
            "0",
            "to square 4, captures Yellow",
        ),
        ("G!=f,f,f,h4 Y=y,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=1 sixes=0000 plies=0", "3", "finishes"),
        ("G=y,y,y,y Y=y,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=3 sixes=0000 plies=0", "pass", "cannot move"),
        ("G=y,y,y,y Y=y,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=- sixes=0000 plies=0", "d5", "5"),
    ],
)
def test_moves_are_told_in_words(text: str, action: str, words: str) -> None:
    before = sw.make("ludo/ffa").from_text(text, chance="explicit")
    after = before.clone()
    after.play(action)
    tell = description_of("ludo").move_words
    assert tell is not None
    assert tell(before, action, after).en == words


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
