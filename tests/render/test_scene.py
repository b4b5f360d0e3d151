"""The pictures: one scene per position, the same in every painter."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise
from typing import Any, Literal
from xml.etree import ElementTree

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.render import rgb_of, scene_of, svg_of
from spielwerk.render.description import descriptions
from spielwerk.render.glyphs import text_path, text_width
from spielwerk.render.scene import (
    Circle,
    Hit,
    Label,
    Layer,
    Polygon,
    Rect,
    Scene,
    Static,
    Text,
    Use,
    apply_difference,
    same,
)
from spielwerk.render.svg import paint
from spielwerk.render.theme import SHARED_COLOURS, SHARED_STYLE, THEMES, colour, colours, styles, web_css

RULESETS = ["free", "free-place-first", "trail", "classic", "classic-24", "original", "carry"]
SVG = "{http://www.w3.org/2000/svg}"


def playthrough(ruleset: str, seed: int, **rules: int | str) -> list[tuple[sw.State, list[str]]]:
    """Every position of a random game, with the actions that led there."""
    chance = random.Random(seed)
    state = sw.make(f"pferdeaepfel/{ruleset}", **rules).start(seed=seed)
    actions: list[str] = []
    positions = [(state.clone(), actions.copy())]
    while not state.over:
        action = chance.choice(state.legal_actions)
        actions.append(state.text(action))
        state.play(action)
        positions.append((state.clone(), actions.copy()))
    return positions


def by_id(scene: Scene) -> dict[str, Any]:
    """All shapes that have an id, the cells first and in the order of the squares."""
    return {shape.id: shape for shape in scene.shapes() if shape.id}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_hits_are_the_legal_actions(ruleset: str) -> None:
    for state, actions in playthrough(ruleset, seed=1):
        scene = scene_of(state, actions=actions)
        assert [hit.action for hit in scene.hits] == [state.text(action) for action in state.legal_actions]
        shapes = by_id(scene)
        assert all(isinstance(shapes[hit.area], Rect) for hit in scene.hits)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_pieces_stand_where_the_position_says(ruleset: str) -> None:
    for state, _ in playthrough(ruleset, seed=2, size=5):
        shapes, position = by_id(scene_of(state)), state.position
        apples = {name for name in shapes if name.startswith("apple-")}
        assert len(apples) == len(position["brown"]) + len(position["golden"])
        golden = [shapes[name].symbol for name in apples if "golden" in shapes[name].classes]
        assert golden == ["apple-golden"] * len(position["golden"])
        captured = position["white"] == position["black"]
        for seat, name in enumerate(("white", "black")):
            cell, horse = list(shapes.values())[position[name]], shapes[f"horse-{seat}"]
            assert cell.x < horse.x < cell.x + cell.width
            assert cell.y < horse.y < cell.y + cell.height
            assert ("captured" in horse.classes) == (captured and seat != position["to_move"])


def test_without_legal_moves_nothing_is_clickable() -> None:
    scene = scene_of(sw.make("pferdeaepfel/classic").start(), legal=False)
    assert scene.hits == ()
    assert not any("legal" in shape.classes for shape in scene.shapes())


def test_ids_are_stable_so_that_pieces_can_move() -> None:
    state = sw.make("pferdeaepfel/trail").start()
    before = by_id(scene_of(state))
    state.play("b6")
    after = by_id(scene_of(state, actions=["b6"]))
    assert (before["horse-0"].x, before["horse-0"].y) == (
        before["cell-a8"].x + 52.5,
        before["cell-a8"].y + 52.5,
    )
    assert (after["horse-0"].x, after["horse-0"].y) == (
        before["cell-b6"].x + 52.5,
        before["cell-b6"].y + 52.5,
    )
    assert before["horse-1"] == after["horse-1"]
    assert "apple-a8" not in before
    assert after["apple-a8"].symbol == "apple-brown"


@pytest.mark.parametrize(
    ("ruleset", "actions", "marks"),
    [
        ("trail", [], {}),
        ("trail", ["b6"], {"last-from": "a8", "last-to": "b6"}),
        ("trail", ["b6", "g3"], {"last-from": "h1", "last-to": "g3"}),
        ("trail", ["b6", "g3", "d5"], {"last-from": "b6", "last-to": "d5"}),
        ("classic", ["b6", "@d4"], {"last-from": "a8", "last-to": "b6", "last-place": "d4"}),
        ("classic", ["b6@d4", "g3"], {"last-from": "h1", "last-to": "g3"}),
        ("free-place-first", ["@d4", "b6"], {"last-from": "a8", "last-to": "b6", "last-place": "d4"}),
        ("free-place-first", ["@d4"], {"last-place": "d4"}),
    ],
)
def test_the_last_move_is_marked(ruleset: str, actions: list[str], marks: dict[str, str]) -> None:
    state = sw.make(f"pferdeaepfel/{ruleset}").start()
    for action in actions:
        state.play(action)
    shapes = by_id(scene_of(state, actions=actions))
    places = {name: shape for name, shape in shapes.items() if name.startswith("last-")}
    assert places.keys() == marks.keys()
    for name, square in marks.items():
        assert (places[name].x, places[name].y) == (shapes[f"cell-{square}"].x, shapes[f"cell-{square}"].y)


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("seed", range(5))
def test_every_jump_is_marked_from_where_it_came(ruleset: str, seed: int) -> None:
    for (before, _), (state, actions) in pairwise(playthrough(ruleset, seed, size=4)):
        if before.player is None or not re.fullmatch(r"[a-h]\d", actions[-1]):
            continue
        shapes = by_id(scene_of(state, actions=actions))
        left = list(shapes.values())[before.position[("white", "black")[before.player]]]
        assert (shapes["last-from"].x, shapes["last-from"].y) == (left.x, left.y)
        assert (shapes["last-to"].x, shapes["last-to"].y) == (
            shapes[f"cell-{actions[-1]}"].x,
            shapes[f"cell-{actions[-1]}"].y,
        )


def test_a_jump_out_of_a_set_up_position_is_marked_at_its_target() -> None:
    state = sw.make("pferdeaepfel/trail").from_text("8/8/3W4/8/8/8/8/7B w")
    state.play("e4")
    assert {name for name in by_id(scene_of(state, actions=["e4"])) if name.startswith("last-")} == {"last-to"}


def test_actions_of_another_game_are_refused() -> None:
    state = sw.make("pferdeaepfel/trail", size=4).start()
    with pytest.raises(ValueError, match="the actions do not lead here: no horse stands on b2"):
        scene_of(state, actions=["b2"])
    with pytest.raises(ValueError, match="g6 is not on a board of side 4"):
        scene_of(state, actions=["g6"])


@pytest.mark.parametrize("ruleset", RULESETS)
def test_everything_is_said_in_both_languages(ruleset: str) -> None:
    for state, actions in playthrough(ruleset, seed=3, size=4):
        scene = scene_of(state, actions=actions)
        labels: list[Label | None] = [scene.title, scene.headline, scene.detail, scene.summary, *scene.notes]
        labels += [hit.label for hit in scene.hits]
        pieces = [shape for shape in scene.shapes() if isinstance(shape, Use) or "cell" in shape.classes]
        labels += [piece.label for piece in pieces]
        labels += [shape.content for shape in scene.shapes() if isinstance(shape, Text)]
        assert all(label is not None and label.en and label.de for label in labels)


def test_the_end_is_said() -> None:
    for ruleset in RULESETS:
        state, actions = playthrough(ruleset, seed=4)[-1]
        scene = scene_of(state, actions=actions)
        winner = {(): "Draw", (0,): "White wins", (1,): "Black wins"}[state.winner]
        assert scene.summary.en.startswith(winner)
        assert scene.headline.en.startswith(winner)
        assert scene.detail.en != state.reason
        assert scene.hits == ()


def test_what_lies_beside_the_board_is_said() -> None:
    notes = scene_of(sw.make("pferdeaepfel/carry").start(seed=0)).notes
    assert [note.de for note in notes] == [
        "Weiß trägt: brauner Apfel",
        "Schwarz trägt: brauner Apfel",
        "noch 18 braune",
        "noch 20 goldene",
    ]


def test_a_capture_is_said() -> None:
    state = sw.make("pferdeaepfel/trail").from_text("7W/8/6B1/8/8/8/8/8 b")
    state.play("h8")
    scene = scene_of(state, actions=["h8"])
    assert (scene.headline.en, scene.detail.en) == ("Black wins", "Black captured the horse")


def test_a_summary_is_made_of_the_other_words_where_there_is_none() -> None:
    static = Static(game="x", view=(0, 0, 9, 9), focus=(0, 0, 9, 9), layers=(), symbols=())
    words = {"headline": same("Anna to move"), "detail": same("jump"), "notes": (same("2 left"), same("1 lost"))}
    scene = Scene(static=static, title=same("t"), layers=(), **words)  # type: ignore[arg-type]
    assert scene.summary == same("Anna to move, jump. 2 left. 1 lost.")


@pytest.mark.parametrize("size", range(3, 9))
@pytest.mark.parametrize("theme", THEMES)
def test_svg_is_valid_and_stands_alone(size: int, theme: str) -> None:
    state, actions = playthrough("trail", seed=5, size=size)[-2]
    languages: tuple[tuple[Literal["en", "de"], str], ...] = (("en", "White"), ("de", "Weiß"))
    for lang, seat in languages:
        svg = svg_of(state, actions=actions, theme=theme, size=300, lang=lang)
        root = ElementTree.fromstring(svg)
        assert root.tag == f"{SVG}svg"
        assert (root.get("width"), root.get("height"), root.get("lang")) == ("276", "300", lang)
        assert seat in (root.findtext(f"{SVG}desc") or "")
        symbols = {f"#{symbol.get('id')}" for symbol in root.iter(f"{SVG}symbol")}
        assert {use.get("href") for use in root.iter(f"{SVG}use")} <= symbols
        assert len(list(root.iter(f"{SVG}text"))) == 0
        assert "var(" not in svg
        assert re.findall(r"url\(|https?://(?!www\.w3\.org/2000/svg)", svg) == []


def test_text_in_labels_is_escaped() -> None:
    label = same("\"<&>'")
    static = Static(game="x", view=(0, 0, 9, 9), focus=(0, 0, 9, 9), layers=(), symbols=())
    dot = Circle(id="dot", label=label, x=1, y=1, radius=1)
    scene = Scene(static=static, title=label, headline=label, layers=(Layer("dots", (dot,)),))
    root = ElementTree.fromstring(paint(scene))
    assert root.findtext(f"{SVG}title") == label.en
    assert [circle.get("aria-label") for circle in root.iter(f"{SVG}circle")] == [label.en]


def test_the_same_position_paints_the_same_picture() -> None:
    first, second = (playthrough("classic-24", seed=6)[-3] for _ in range(2))
    assert svg_of(first[0], actions=first[1]) == svg_of(second[0], actions=second[1])
    assert np.array_equal(rgb_of(first[0], size=90), rgb_of(second[0], size=90))


@pytest.mark.parametrize("size", [50, 301])
def test_pixels(size: int) -> None:
    state = sw.make("pferdeaepfel/trail").start()
    pixels = rgb_of(state, size=size)
    assert pixels.shape == (size, round(size * 0.92), 3)
    assert pixels.dtype == np.uint8
    assert pixels.flags.c_contiguous
    assert pixels[0, 0].tobytes() == pixels[-1, -1].tobytes() == bytes.fromhex(colour("paper", "light")[1:])
    middle_of_e4 = round(0.5125 * size)
    cell = np.array(list(bytes.fromhex(colour("cell-light", "light")[1:])))
    assert np.abs(pixels[middle_of_e4, middle_of_e4] - cell).max() <= 1


def test_pixels_of_all_themes_differ() -> None:
    state = sw.make("pferdeaepfel/classic-24").start()
    pictures = {rgb_of(state, theme=theme, size=100).tobytes() for theme in THEMES}
    assert len(pictures) == len(THEMES)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_differences_reproduce_every_scene(ruleset: str) -> None:
    scenes = [scene_of(state, actions=actions) for state, actions in playthrough(ruleset, seed=7)]
    shown = json.loads(json.dumps(scenes[0].to_json()))
    for previous, scene in pairwise(scenes):
        difference = json.loads(json.dumps(scene.difference(previous)))
        assert difference["static"] == scene.static.key
        shown = apply_difference(shown, difference)
        assert shown == scene.to_json()


def test_another_board_is_sent_whole() -> None:
    small, large = (scene_of(sw.make("pferdeaepfel/trail", size=size).start()) for size in (4, 5))
    assert large.difference(small) == large.to_json()
    assert apply_difference(small.to_json(), large.difference(small)) == large.to_json()


def test_equal_rules_share_the_static_part() -> None:
    states = [state for state, _ in playthrough("classic", seed=8)]
    assert len({scene_of(state).static.key for state in states}) == 1
    dynamic = scene_of(states[-1]).dynamic_json()
    assert dynamic | {"static": scene_of(states[0]).static.to_json()} == scene_of(states[-1]).to_json()


def triangles(side: int, taken: int) -> Scene:
    """A board of side² cells, of which the first few are taken: the largest kind of scene we expect."""
    cells = tuple(
        Polygon(
            id=f"cell-{column}-{row}",
            classes="cell",
            label=same(f"{column},{row}"),
            points=((column, row), (column + 1, row), (column, row + 1)),
        )
        for column in range(side)
        for row in range(side)
    )
    static = Static(
        game="triangles",
        view=(0, 0, side, side),
        focus=(0, 0, side, side),
        layers=(Layer("cells", cells),),
        symbols=(),
    )
    lands = tuple(Polygon(id=f"land-{cell.id}", points=cell.points) for cell in cells[:taken])
    hits = tuple(Hit(area=cell.id, action=cell.id, label=same(cell.id)) for cell in cells[taken:])
    layers = (Layer("lands", lands),)
    return Scene(static=static, title=same("t"), headline=same("h"), layers=layers, hits=hits)


def test_a_scene_is_short_in_words() -> None:
    assert repr(scene_of(sw.make("pferdeaepfel/trail").start())) == (
        "<Scene 'Pferdeäpfel, Trail, 8×8': White to move, jump. White on a8, Black on h1. "
        "Apples on the board: 0 brown, 0 golden.>"
    )


def test_a_move_on_a_large_board_is_a_small_message() -> None:
    before, after = triangles(30, 100), triangles(30, 101)
    difference = after.difference(before)
    assert len(json.dumps(after.to_json())) > 50_000
    assert len(json.dumps(difference)) < 500
    assert apply_difference(before.to_json(), difference) == after.to_json()


def test_differences_keep_the_painting_order() -> None:
    static = Static(game="x", view=(0, 0, 9, 9), focus=(0, 0, 9, 9), layers=(), symbols=())
    dots = {name: Circle(id=name, x=1, y=1, radius=1) for name in "abc"}

    def scene(order: str) -> Scene:
        layers = (Layer("dots", tuple(dots[name] for name in order)),)
        return Scene(static=static, title=same("t"), headline=same("h"), layers=layers)

    for before in ("abc", "ca", "b", ""):
        for after in ("abc", "bca", "cb", "a", ""):
            difference = scene(after).difference(scene(before))
            assert apply_difference(scene(before).to_json(), difference) == scene(after).to_json()


@pytest.mark.parametrize(
    ("layers", "hits", "message"),
    [
        ((Circle(id="a", x=0, y=0, radius=1), Circle(id="a", x=1, y=0, radius=1)), (), "repeated: a"),
        ((Circle(x=0, y=0, radius=1),), (), "needs an id"),
        ((Use(id="a", symbol="unicorn", x=0, y=0, size=1),), (), "unknown symbols in the scene: unicorn"),
        ((), (Hit(area="b", action="b6", label=same("b6")),), "unknown hit areas in the scene: b"),
    ],
)
def test_broken_scenes_are_refused(layers: tuple[Circle, ...], hits: tuple[Hit, ...], message: str) -> None:
    static = Static(game="x", view=(0, 0, 9, 9), focus=(0, 0, 9, 9), layers=(), symbols=())
    with pytest.raises(ValueError, match=message):
        Scene(static=static, title=same("t"), headline=same("h"), layers=(Layer("all", layers),), hits=hits)


def test_wrong_words_get_the_right_ones() -> None:
    state = sw.make("pferdeaepfel/trail").start()
    with pytest.raises(ValueError, match="unknown theme 'pink'; themes are light, dark, contrast"):
        svg_of(state, theme="pink")
    with pytest.raises(ValueError, match="unknown language 'fr'; languages are en, de"):
        svg_of(state, lang="fr")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="size must be at least 1 pixel, not 0"):
        rgb_of(state, size=0)


def test_the_theme_names_only_colours_it_has() -> None:
    used = set(re.findall(r"var\(--([a-z-]+)\)", "".join(styles().values())))
    assert used == set(colours()) - {"ground"}  # that is below the board: pages have it, pictures do not
    assert all(f"--{name}:" in web_css() for name in colours())


def test_no_two_games_style_the_same_class_or_name_the_same_colour() -> None:
    """Pictures of several games stand on one page, where the last rule would win."""
    described = descriptions().values()
    selectors = [selector for game in described for selector in game.style]
    names = [name for game in described for name in game.colours]
    assert len({*selectors, *SHARED_STYLE}) == len(selectors) + len(SHARED_STYLE)
    assert len({*names, *SHARED_COLOURS}) == len(names) + len(SHARED_COLOURS)


def test_glyphs() -> None:
    written = "0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ ,+-@.: äöüßÄÖÜ"
    missing = text_path("\N{SNOWMAN}", 0, 10, 10)
    assert all(text_path(character, 0, 10, 10) != missing for character in written)
    assert {text_width(digit, 7) for digit in "0123456789"} == {text_width("0", 7)}
    assert re.fullmatch(r"[MLC\d. -]+", text_path(written, 3, 10, 10))
    assert text_width("Weiß", 14) == pytest.approx(2 * text_width("Weiß", 7))


def test_labels_are_short_where_languages_agree() -> None:
    assert same("a8").to_json() == "a8"
    assert Label("White", "Weiß").to_json() == {"en": "White", "de": "Weiß"}
