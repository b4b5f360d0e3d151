"""Puzzles: exactly one action wins, and that is proved; those that travel with the package are proved again."""

import json
from pathlib import Path

import pytest

import spielwerk as sw
from spielwerk.cli import main
from spielwerk.mistakes.collect import value_after
from spielwerk.mistakes.positions import ProvedPosition
from spielwerk.puzzles import Puzzle, PuzzleSet, make_puzzles, shipped_puzzles
from spielwerk.puzzles.make import AGENTS, puzzle_of
from spielwerk.solver import Solver

NODES = 2_000_000
TWO_SEATS = [name for name in sw.games() if sw.make(name).num_players == 2 and not sw.make(name).has_chance]


def puzzle(distance: int, missed: int) -> Puzzle:
    return Puzzle("", 0, distance, ["a"], [], missed)


def prove(found: PuzzleSet, one: Puzzle) -> None:
    """All that a puzzle promises, from its position alone."""
    game = found.card.made
    state, solver = game.from_text(one.position), Solver(game)
    assert state.player == one.player
    values = {state.text(action): value_after(solver, state, action, NODES) for action in state.legal_actions}
    assert [action for action, value in values.items() if value == 1] == [one.solution]
    assert [action for action, value in values.items() if value == 0] == one.draws
    assert None not in values.values()
    solution = solver.solve(state, nodes=10 * NODES)
    assert (solution.winner, solution.distance) == (one.player, one.distance)


def test_there_are_puzzles_for_every_ruleset_of_two_seats() -> None:
    sets = shipped_puzzles()
    families = {found.card.game.partition("/")[0] for found in sets}  # a game has them for all its rulesets or none
    assert families >= {"diavolo", "pferdeaepfel"}
    assert {found.card.game for found in sets} == {name for name in TWO_SEATS if name.partition("/")[0] in families}
    assert sum(len(found.puzzles) for found in sets) >= 200
    for found in sets:
        ids = [found.card.id_of(one) for one in found.puzzles]
        assert len(set(ids)) == len(ids) >= 20, found.card.game


@pytest.mark.parametrize("found", shipped_puzzles(), ids=lambda found: found.card.game)
def test_every_puzzle_is_proved_again(found: PuzzleSet) -> None:
    for one in found.puzzles:
        prove(found, one)


@pytest.mark.parametrize("found", shipped_puzzles(), ids=lambda found: found.card.game)
def test_every_puzzle_leaves_a_choice_and_is_not_won_at_once(found: PuzzleSet) -> None:
    for one in found.puzzles:
        state = found.card.made.from_text(one.position)
        assert len(state.legal_actions) >= 3
        assert one.distance >= 3 and 0 <= one.missed <= len(AGENTS)
        for action in one.line:
            state.play(action)
        if len(one.line) == one.distance:
            assert state.winner == (one.player,)


def test_puzzles_are_few_bytes() -> None:
    from spielwerk.puzzles.puzzle import SHIPPED

    assert sum(path.stat().st_size for path in SHIPPED.glob("*.jsonl")) < 100_000


def test_difficulty_follows_from_length_and_from_who_misses_it() -> None:
    assert puzzle(3, 0).difficulty == "easy"
    assert puzzle(5, 0).difficulty == "easy"
    assert puzzle(5, 1).difficulty == "medium"
    assert puzzle(9, 1).difficulty == "medium"
    assert puzzle(9, 2).difficulty == "hard"
    assert puzzle(3, 4).difficulty == "hard"


def test_positions_with_several_or_no_winning_actions_are_no_puzzles() -> None:
    game = sw.make("pferdeaepfel/trail", size=5)
    state = game.start()
    texts = [state.text(action) for action in state.legal_actions]
    for values in ([1, 1], [-1, -1], [1, -1]):  # the last one leaves too little choice
        actions = dict(zip(texts, values, strict=True))
        assert puzzle_of(game, ProvedPosition(state.to_text(), 0, actions, "random", 0)) is None


def test_the_same_seed_makes_the_same_puzzles() -> None:
    game = sw.make("pferdeaepfel/classic", size=4)
    first, again = (make_puzzles(game, 2, seed=5, nodes=20_000) for _ in range(2))
    assert first == again and len(first.puzzles) == 2
    for one in first.puzzles:
        prove(first, one)


def test_the_command_writes_a_file_that_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "puzzles.jsonl"
    command = [
        "puzzles",
        "make",
        "pferdeaepfel/classic",
        "--rule",
        "size=4",
        "--count",
        "2",
        "--out",
        str(file),
        "--json",
    ]
    assert main(command) == 0
    said = json.loads(capsys.readouterr().out)
    assert sum(said["puzzles"].values()) == 2
    assert len(PuzzleSet.read(file).puzzles) == 2


@pytest.mark.parametrize("arguments", [["make", "ludo/ffa"], ["make", "nothing"], ["solve", "ludo/ffa"], ["make"]])
def test_what_cannot_be_made_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["puzzles", *arguments])
    except SystemExit as ended:
        code = int(ended.code or 0)
    assert code == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"spielwerk_puzzles": 2}', "nonsense", "[" * 10_000])
def test_files_that_are_none_are_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "puzzles.jsonl"
    file.write_text(content)
    with pytest.raises(ValueError, match="is no set of puzzles"):
        PuzzleSet.read(file)


def test_a_line_that_is_no_puzzle_is_named(tmp_path: Path) -> None:
    card, good, *_ = shipped_puzzles()[0].lines()
    for bad in ("{}", good.replace('"player":', '"nobody":'), json.dumps(json.loads(good) | {"line": ["z9"]})):
        file = tmp_path / "puzzles.jsonl"
        file.write_text(card + good + bad + "\n")
        with pytest.raises(ValueError, match="line 3: this is no puzzle"):
            PuzzleSet.read(file)
