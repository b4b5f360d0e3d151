"""How games end: one formula for a loss at the table, one definition of a win."""

import json
import math
import random

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.outcome import How, Outcome, winners_in
from spielwerk.records import result_of

LOSSES = [How.RESIGNED, How.FORFEITED, How.TIMED_OUT]


def finished(name: str, seed: int = 1, **rules: bool | int | str) -> sw.State:
    state, source = sw.make(name, **rules).start(seed=seed), random.Random(seed)
    while not state.over:
        state.play(source.choice(state.legal_actions))
    return state


@pytest.mark.parametrize("name", sw.games())
def test_a_state_has_its_outcome_once_it_is_over(name: str) -> None:
    assert sw.make(name).start(seed=1).outcome is None
    for seed in range(5):
        state = finished(name, seed)
        outcome = state.outcome
        assert outcome is not None and outcome == Outcome.by_rules(state)
        assert outcome.winner == state.winner
        assert outcome.returns == state.returns
        assert outcome.points == state.points
        assert outcome.reason == state.reason
        assert outcome.truncated == state.truncated
        assert outcome.how is (How.TRUNCATED if state.truncated else How.RULES)


def test_a_ply_limit_truncates() -> None:
    outcome = finished("ludo/ffa", max_plies=20).outcome
    assert outcome is not None
    assert (outcome.how, outcome.winner, outcome.returns) == (How.TRUNCATED, (), (0.0,) * 4)


@pytest.mark.parametrize("name", sw.games())
def test_outcomes_are_written_as_records_write_results(name: str) -> None:
    state = finished(name)
    outcome = state.outcome
    assert outcome is not None
    written = outcome.to_json()
    assert written == result_of(state)
    assert list(written) == ["winner", "returns", "points", "reason", "truncated"]
    assert Outcome.from_json(json.loads(json.dumps(written))) == outcome


def test_zero_has_no_sign() -> None:
    outcome = Outcome((), (-0.0, 0.0), (0, 0), "agreed", How.AGREED)
    assert all(math.copysign(1, value) == 1 for value in outcome.returns)
    for name in sw.games():
        ended = finished(name).outcome
        assert ended is not None and not any(value == 0 and math.copysign(1, value) < 0 for value in ended.returns)


@pytest.mark.parametrize("how", LOSSES)
def test_the_partner_loses_too(how: How) -> None:
    teams = sw.make("ludo/teams")
    for seat in (0, 2):
        outcome = Outcome.lost_by(teams, seat, how)
        assert outcome == Outcome((1, 3), (-1.0, 1.0, -1.0, 1.0), (0, 0, 0, 0), how.value, how)
    assert Outcome.lost_by(teams, 3, how).winner == (0, 2)


@pytest.mark.parametrize("how", LOSSES)
def test_several_remaining_sides_share_the_win(how: How) -> None:
    outcome = Outcome.lost_by(sw.make("ludo/ffa"), 1, how)
    assert outcome.winner == (0, 2, 3)
    assert outcome.returns == (1 / 3, -1.0, 1 / 3, 1 / 3)


@pytest.mark.parametrize("name", sw.games())
@pytest.mark.parametrize("how", LOSSES)
def test_a_loss_at_the_table_follows_the_sides(name: str, how: How) -> None:
    game = sw.make(name)
    for seat, side in enumerate(game.sides):
        outcome = Outcome.lost_by(game, seat, how)
        lost = [other for other, theirs in enumerate(game.sides) if theirs == side]
        assert sorted([*outcome.winner, *lost]) == list(range(game.num_players))
        assert all(outcome.won(other) == (other not in lost) for other in range(game.num_players))
        assert side not in outcome.winning_sides(game)
        assert sum(outcome.returns) == pytest.approx(0)
        assert Outcome.from_json(outcome.to_json()) == outcome
        outcome.check_table_ending(game)


def test_nobody_wins_what_was_agreed_a_draw() -> None:
    game = sw.make("pferdeaepfel/trail")
    outcome = Outcome.nobody_won(game, How.AGREED)
    assert (outcome.winner, outcome.returns, outcome.reason) == ((), (0.0, 0.0), "agreed")
    outcome.check_table_ending(game)


def test_an_outcome_cannot_be_changed() -> None:
    outcome = Outcome.nobody_won(sw.make("pferdeaepfel/trail"), How.AGREED)
    with pytest.raises(AttributeError):
        outcome.reason = "resigned"  # type: ignore[misc]


def test_second_place_is_no_win() -> None:
    state = finished("ludo/ffa", ranking=True)
    outcome = state.outcome
    assert outcome is not None and sorted(outcome.returns) == pytest.approx([-1, -1 / 3, 1 / 3, 1])
    second = outcome.returns.index(sorted(outcome.returns)[2])
    assert not outcome.won(second) and len(outcome.winner) == 1
    assert len(outcome.winning_sides(state.game)) == 1


@pytest.mark.parametrize("name", sw.games())
def test_many_games_at_once_know_the_same_winners(name: str) -> None:
    rules: dict[str, bool | int | str] = {"ranking": True} if name == "ludo/ffa" else {}
    ends = [finished(name, seed, **rules) for seed in range(6)]
    won = winners_in(np.array([state.returns for state in ends]))
    assert [tuple(np.flatnonzero(row)) for row in won] == [state.winner for state in ends]


def test_nobody_wins_a_draw_among_many_games() -> None:
    assert not winners_in(np.zeros((3, 4))).any()
