"""Scenes painted with characters."""

from typing import Any

import pytest
from rich.text import Text as Line

import spielwerk as sw
from spielwerk.render import scene_of
from spielwerk.render.scene import Scene
from spielwerk.render.terminal import paint
from spielwerk.render.theme import colour


def scene(ruleset: str, *actions: str, position: str | None = None, **rules: Any) -> Scene:
    game = sw.make(f"pferdeaepfel/{ruleset}", **rules)
    state = game.start(seed=0) if position is None else game.from_text(position)
    for action in actions:
        state.play(action)
    return scene_of(state, actions=actions)


def painted(ruleset: str, *actions: str, coloured: bool = True, **options: Any) -> Line:
    board = paint(scene(ruleset, *actions, **options), coloured=coloured)
    assert board is not None
    return board


def lines(board: Line) -> list[str]:
    return board.plain.splitlines()


@pytest.mark.parametrize("size", range(3, 9))
def test_every_square_has_its_place(size: int) -> None:
    board = lines(painted("trail", size=size))
    assert len(board) == size + 1
    assert board[0].startswith(f"{size}  ♘ ")
    assert board[size - 1].endswith(" ♞ ")
    assert board[size].split() == list("abcdefgh"[:size])


def test_legal_jumps_are_named_and_the_last_move_is_marked() -> None:
    board = lines(painted("trail", "b6"))
    assert board[0].startswith("8  ● ")
    assert board[2].startswith("6    ‹♘›")
    assert board[5].endswith(" g3   ")


def test_placements_are_dots() -> None:
    assert sum(line.count("·") for line in lines(painted("free", "b6"))) == 62


def test_golden_apples_have_a_shape_of_their_own() -> None:
    board = lines(painted("carry", position="W3/ogo1/4/3B w jump gb", size=4, brown=3, golden=4))
    assert board[0].startswith("4  ♘◉")
    assert board[1].startswith("3  ●  ◉  ● ")


def test_a_capture_is_offered_and_shown() -> None:
    offered = painted("trail", position="7W/8/6B1/8/8/8/8/8 b")
    assert lines(offered)[0].endswith("[♘]")
    taken = painted("trail", "h8", position="7W/8/6B1/8/8/8/8/8 b")
    assert "♞♘" in lines(taken)[0]


def test_horses_on_marks_and_with_loads_show_their_apple() -> None:
    assert lines(painted("classic-24"))[0].startswith("8  ♘●")
    assert lines(painted("carry"))[7].endswith("♞●")


def test_without_colours_dark_squares_are_shaded() -> None:
    board = lines(painted("trail", coloured=False))
    assert board[3] == "5 " + "░░░   " * 4
    assert not any("░" in line for line in lines(painted("trail")))


def test_colours_come_from_the_theme() -> None:
    styles = {str(span.style) for span in painted("trail", "b6").spans}
    for name in ("cell-dark", "brown-body"):
        assert any(colour(name, "light") in style for style in styles)
