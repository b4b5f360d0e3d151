"""Setting up positions by clicking: every start can be built from any other position, and whatever is wrong is said."""

import random

import pytest

import spielwerk as sw
from spielwerk.render import scene_of
from spielwerk.render.description import description_of
from spielwerk.render.editing import Draft, Editor, violation_words
from spielwerk.render.scene import shapes_of

EDITED = [name for name in sw.games() if description_of(name).editor]  # a game may do without an editor


def editor_of(name: str) -> Editor:
    editor = description_of(name).editor
    assert editor is not None
    return editor


def places(game: sw.Game) -> list[str]:
    return [shape.id for shape in shapes_of(game.start(seed=0).scene().static.layers) if shape.id and shape.label]


@pytest.mark.parametrize("name", EDITED)
def test_every_editors_clicks_all_lead_to_pictures(name: str) -> None:
    game, draw = sw.make(name), random.Random(name)
    editor, start = editor_of(name), game.start(seed=1)
    text, everywhere, tools = start.to_text(), places(game), editor.tools(game)
    assert len({tool.id for tool in tools}) == len(tools)
    refused = 0
    for _ in range(150):
        tool = draw.choice(tools)
        try:
            text = editor.apply(game, text, tool.id, "" if tool.at_once else draw.choice(everywhere))
        except ValueError:
            refused += 1
            continue
        broken = game.check(text)
        for violation in broken:
            said = violation_words(violation, description_of(name).violations, {})
            assert said.de != said.en and "unter diesen Regeln" not in said.de, violation
        position = game.from_text(text).position if not broken else editor.draft(game, text)
        scene = scene_of(Draft(start, position, 0), legal=False)
        if editor.hits:
            editor.hits(game, text, tool.id, scene)
    assert refused < 120


@pytest.mark.parametrize("name", EDITED)
def test_strict_violations_are_said_in_german(name: str) -> None:
    """All that a random walk of clicks runs into."""
    game, draw, editor = sw.make(name), random.Random(name), editor_of(name)
    for _ in range(40):
        text = game.start(seed=1).to_text()
        for _ in range(12):
            tool = draw.choice(editor.tools(game))
            try:
                text = editor.apply(game, text, tool.id, "" if tool.at_once else draw.choice(places(game)))
            except ValueError:
                continue
        for violation in game.check(text, strict=True):
            said = violation_words(violation, description_of(name).violations, {"White": "Weiß"})
            assert "unter diesen Regeln" not in said.de, violation


def test_a_position_of_pferdeaepfel_is_built_click_by_click() -> None:
    game, editor = sw.make("pferdeaepfel/classic"), editor_of("pferdeaepfel/classic")
    text = game.start().to_text()
    for tool, place in [
        ("horse-white", "cell-b6"), ("apple-brown", "cell-a8"), ("apple-brown", "cell-d4"), ("turn-b", ""),
        ("apple-brown", "cell-c1"), ("apple-brown", "cell-c1"),
    ]:  # fmt: skip
        text = editor.apply(game, text, tool, place)
    assert text == "o7/8/1W6/8/3o4/8/8/7B b jump"
    assert game.check(text) == []
    assert game.check(editor.apply(game, text, "apple-golden", "cell-e4")) == [
        "a golden apple is out while brown ones are left"
    ]


def test_a_horse_in_original_stands_on_its_apple() -> None:
    game, editor = sw.make("pferdeaepfel/original"), editor_of("pferdeaepfel/original")
    text = editor.apply(game, game.start().to_text(), "horse-white", "cell-c3")
    assert text == "o7/8/8/8/8/2w5/8/7b w jump bb"
    assert game.check(text) == []


def test_a_position_of_ludo_is_built_click_by_click() -> None:
    game, editor = sw.make("ludo/ffa"), editor_of("ludo/ffa")
    text = game.start(seed=1, chance="explicit").to_text()
    for tool, place in [
        ("piece-B", "square-4"), ("piece-B", "goal-blue"), ("piece-G", "square-7"), ("yard", "square-7"),
        ("turn-B", ""), ("die-6", ""),
    ]:  # fmt: skip
        text = editor.apply(game, text, tool, place)
    assert text == "G=y,y,y,y Y=y,y,y,y B!=4,f,y,y R=y,y,y,y turn=B die=6 sixes=0010 plies=0"
    assert game.check(text) == []
    with pytest.raises(ValueError, match="cannot stand there"):
        editor.apply(game, text, "piece-B", "goal-red")


def test_lands_and_bridges_are_put_down_and_taken_away() -> None:
    game, editor = sw.make("diavolo/standard", side=4), editor_of("diavolo/standard")
    text = game.start().to_text()
    for tool, place in [("land-white", "1,1+1,2+2,1"), ("land-red", "4,1+4,2+5,1"), ("flag-swap open", "")]:
        text = editor.apply(game, text, tool, f"field-{place}" if place else "")
    assert text == "white 1,1+1,2+2,1; red 4,1+4,2+5,1; white to move"
    text = editor.apply(game, text, "land-white", "field-4,1+4,2+5,1")
    assert text == "white 1,1+1,2+2,1 4,1+4,2+5,1; red; white to move"
    text = editor.apply(game, text, "land-white", "field-1,1+1,2+2,1")
    assert text == "white 4,1+4,2+5,1; red; white to move"
    two = "white 1,1+1,2+2,1 3,1+3,2+4,1; red; red to move"
    scene = editor.hits and editor.hits(game, two, "bridge-white", game.from_text(two).scene())
    assert scene and [hit.action for hit in scene.hits] == ["2,1-3,1"]
    built = editor.apply(game, two, "bridge-white", "2,1-3,1")
    assert built == "white 1,1+1,2+2,1 3,1+3,2+4,1 2,1-3,1; red; red to move"
    shown = editor.hits and editor.hits(game, built, "bridge-white", game.from_text(built).scene())
    assert shown and [hit.action for hit in shown.hits] == ["2,1-3,1"], "a click takes it away again"


@pytest.mark.parametrize("name", EDITED)
@pytest.mark.parametrize("text", ["", "x", "8/8 w", "a=b c", ";;;", "9" * 200 + " w jump"])
def test_texts_that_are_no_positions_are_refused(name: str, text: str) -> None:
    game, editor = sw.make(name), editor_of(name)
    tool = editor.tools(game)[0].id
    with pytest.raises((ValueError, LookupError)):
        editor.draft(game, editor.apply(game, text, tool, places(game)[-1]))
