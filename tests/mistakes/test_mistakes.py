"""Mistakes are counted against the truth: proved values equal those of playing everything out."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.agents.simple import GreedyAgent
from spielwerk.cli import main
from spielwerk.mistakes import Collector, Mistakes, PositionSet, ProvedPosition, collect, measure, shipped_set
from spielwerk.mistakes.collect import collecting
from spielwerk.mistakes.folder import MistakesFolder
from spielwerk.mistakes.positions import SHIPPED

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("pferdeaepfel/trail", {"size": 5}),
    ("pferdeaepfel/classic", {"size": 3}),
    ("diavolo/standard", {"side": 3}),
]


@cache
def naive(state: sw.State, seat: int) -> float:
    """The value for a seat by playing everything out."""
    if state.over:
        return state.returns[seat]
    values = []
    for action in state.legal_actions:
        after = state.clone()
        after.play(action)
        values.append(naive(after, seat))
    return max(values) if state.player == seat else min(values)


@pytest.mark.parametrize(("name", "rules"), SMALL)
def test_values_are_those_of_playing_everything_out(name: str, rules: dict[str, Any]) -> None:
    game = sw.make(name, **rules)
    found = collect(game, 12, seed=1)
    assert found.positions
    for position in found.positions:
        state = game.from_text(position.position)
        assert state.player == position.player
        for text, value in position.actions.items():
            after = state.clone()
            after.play(text)
            assert naive(after, position.player) == value


def test_every_position_leaves_a_choice_and_is_won_or_critical() -> None:
    found = collect(sw.make("pferdeaepfel/trail", size=5), 40, seed=2)
    assert len({position.position for position in found.positions}) == len(found.positions) == 40
    assert {position.source for position in found.positions} == {"random", "greedy", "self-play"}
    for position in found.positions:
        assert len(position.actions) > 1
        assert position.won or position.critical


def test_the_same_seed_finds_the_same_positions() -> None:
    game = sw.make("pferdeaepfel/trail", size=5)
    assert collect(game, 20, seed=3).positions == collect(game, 20, seed=3).positions
    assert collect(game, 20, seed=3).positions != collect(game, 20, seed=4).positions


def test_a_collection_goes_on_as_if_it_had_not_been_interrupted() -> None:
    game = sw.make("pferdeaepfel/trail", size=5)
    first, second = Collector.of(game, seed=5), Collector.of(game, seed=5)
    for _ in collecting(first, 9):
        pass
    second.resume(first.found)
    for _ in collecting(second, 20):
        pass
    assert second.found.positions == collect(game, 20, seed=5).positions


def test_a_mistake_is_an_action_worth_less_than_the_best() -> None:
    result = Mistakes("somebody")
    result.add(ProvedPosition("p", 0, {"a": 1, "b": 0, "c": -1}, "random", 0), "b")
    result.add(ProvedPosition("q", 1, {"a": 0, "b": -1}, "random", 0), "a")
    result.add(ProvedPosition("r", 1, {"a": 1, "b": 1}, "random", 0), "b")
    assert (result.won.positions, result.won.mistakes) == (2, 1)
    assert (result.critical.positions, result.critical.mistakes) == (2, 1)
    assert result.by_seat[0].mistakes == 1 and result.by_seat[1].mistakes == 0
    low, high = result.critical.interval
    assert 0 < low < 0.5 < high < 1


def test_the_solver_makes_no_mistakes_and_random_play_does() -> None:
    found = collect(sw.make("pferdeaepfel/trail", size=5), 40, seed=6)
    assert measure("solver:ms=2000", found).critical.mistakes == 0
    assert measure("random", found, seed=1).critical.mistakes > 0


def chosen(spec: str, positions: PositionSet) -> dict[str, str]:
    answers: dict[str, str] = {}

    def note(position: ProvedPosition, action: str) -> None:
        answers[position.position] = action

    measure(spec, positions, heard=note)
    return answers


@pytest.mark.parametrize("spec", ["greedy", "mcts:sims=50", "alphabeta:nodes=200"])
def test_the_order_of_positions_does_not_matter(spec: str) -> None:
    found = collect(sw.make("pferdeaepfel/classic", size=4), 30, seed=7)
    reverse = PositionSet(found.card, found.positions[::-1])
    assert chosen(spec, found) == chosen(spec, reverse)


def test_games_that_cannot_be_solved_are_refused() -> None:
    with pytest.raises(ValueError, match="only games of two seats without dice"):
        collect(sw.make("ludo/ffa"), 1)


# -- files -------------------------------------------------------------------------------------------


def saved(folder: Path, positions: PositionSet) -> Path:
    path = folder / "set.jsonl"
    path.write_text("".join(positions.lines()), encoding="utf-8")
    return path


def test_a_file_holds_the_whole_set(tmp_path: Path) -> None:
    found = collect(sw.make("diavolo/standard", side=3), 10, seed=8)
    assert PositionSet.read(saved(tmp_path, found)) == found


@pytest.mark.parametrize(
    ("line", "change", "reason"),
    [
        (0, {"spielwerk_positions": 9}, "is no set of positions"),
        (0, {"game": "pferdeaepfel/chess"}, "the card is not valid"),
        (0, {"rules_version": 77}, "version 77"),
        (1, {"position": "nonsense"}, "line 2: the position is not valid"),
        (1, {"actions": {"a1": 1}}, "not those of the position"),
        (1, {"player": 5}, "not those of the position"),
    ],
)
def test_files_that_are_wrong_are_refused_by_line(
    tmp_path: Path, line: int, change: dict[str, Any], reason: str
) -> None:
    path = saved(tmp_path, collect(sw.make("pferdeaepfel/trail", size=5), 3, seed=9))
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[line] = json.dumps(json.loads(lines[line]) | change)
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ValueError, match=reason):
        PositionSet.read(path)


def test_shipped_sets_are_whole_small_and_found_by_their_rules() -> None:
    paths = sorted(SHIPPED.glob("*.jsonl"))
    assert sum(path.stat().st_size for path in paths) <= 200_000
    for path in paths:
        found = PositionSet.read(path)
        assert found.positions
        shipped = shipped_set(found.card.made)
        assert shipped is not None and shipped.card == found.card


def test_answers_with_other_weights_are_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = sw.make("pferdeaepfel/trail", size=5)
    folder = MistakesFolder(tmp_path)
    asked = folder.collected(game, 5)

    def answers(weights: bytes) -> int:
        monkeypatch.setattr(GreedyAgent, "weights", lambda self, game: weights)
        folder.measured("greedy", asked)
        return len((tmp_path / "answers.jsonl").read_text().splitlines())

    first = answers(b"some")
    assert answers(b"some") == first
    assert answers(b"others") == 2 * first


# -- the command -------------------------------------------------------------------------------------


def test_the_command_reports_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["mistakes", "pferdeaepfel/trail", "--rule", "size=5", "--count", "15", "--out", str(tmp_path), "--json"]
    assert main([*command, "--agent", "greedy"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["positions"] == 15
    assert report["agents"][0]["agent"] == "greedy"
    before = (tmp_path / "positions.jsonl").read_bytes(), (tmp_path / "answers.jsonl").read_bytes()
    assert main([*command, "--agent", "greedy"]) == 0
    assert json.loads(capsys.readouterr().out)["agents"] == report["agents"]
    assert before == ((tmp_path / "positions.jsonl").read_bytes(), (tmp_path / "answers.jsonl").read_bytes())


def test_the_command_prints_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["mistakes", "pferdeaepfel/trail", "--rule", "size=5", "--count", "5", "--out", str(tmp_path)]
    assert main([*command, "--agent", "random"]) == 0
    out = capsys.readouterr().out
    assert "5 proved positions" in out and "random" in out and "White" in out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["ludo/ffa"], "two seats without dice"),
        (["pferdeaepfel/trail", "--agent", "nobody"], "unknown agent"),
        (["pferdeaepfel/trail", "--count", "0"], "--count"),
        (["pferdeaepfel/trail", "--positions", "no-such-file"], "no-such-file"),
        (["pferdeaepfel/trail", "--agent", "expectimax", "--rule", "size=99"], "size must be"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if arguments[0] == "ludo/ffa":
        arguments = [*arguments, "--agent", "random"]
    assert main(["mistakes", *arguments, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err.strip()
    assert reason in error and "\n" not in error
