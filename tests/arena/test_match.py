"""One game: recorded as it was played, repeatable, and finite whatever an agent does."""

from collections.abc import Callable
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.arena.match import Played, play
from spielwerk.arena.schedule import Schedule
from spielwerk.games import State, sides_of
from spielwerk.records import Record
from tests.arena.conftest import sleeps_for_ever

Misbehave = Callable[[Callable[[State], Any]], str]
TRAIL = sw.make("pferdeaepfel/trail")


def lineup(game: sw.Game, one: str, other: str) -> tuple[str, ...]:
    return (one, *[other] * (len(sides_of(game)) - 1))


def played(game: sw.Game, one: str, other: str, turn: int = 0, patience: float = 60.0) -> Played:
    return play(Schedule(game, lineup(game, one, other), opening=0, patience=patience).pairing(0)[turn])


@pytest.mark.parametrize("name", sw.games())
def test_records_replay_and_agree_with_the_result(name: str) -> None:
    game = sw.make(name)
    one = played(game, "greedy", "random")
    record = Record.from_json(one.record)
    state = record.replay()
    assert state.over and record.result is not None
    assert sum(one.result.scores) == pytest.approx(1)
    assert one.result.players == one.fixture.players
    assert len(record.seats) == game.num_players
    winners = {record.seats[seat] for seat in state.winner}
    share = 1 / len({game.sides[seat] for seat in state.winner} or {0})
    assert winners == {
        player for player, score in zip(one.result.players, one.result.scores, strict=True) if score == share
    }
    assert one.result.ranks[one.result.scores.index(max(one.result.scores))] == 1


def test_the_same_game_again_is_the_same() -> None:
    game = sw.make("pferdeaepfel/free")
    first, second = (played(game, "mcts:sims=30", "greedy") for _ in range(2))
    assert first.record == second.record
    assert first.result.line == second.result.line


def test_seeds_differ_from_game_to_game_unless_the_spec_says_otherwise() -> None:
    schedule = Schedule(TRAIL, ("random", "greedy"), opening=0)
    lines = {play(schedule.pairing(number)[0]).result.line for number in range(10)}
    assert len(lines) == 10
    same = Schedule(TRAIL, ("random:seed=1", "greedy:seed=1"), opening=0)
    assert len({play(same.pairing(number)[0]).result.line for number in range(4)}) == 1


def raises(_: State) -> int:
    raise RuntimeError("out of\nluck")


def plays_nonsense(state: State) -> int:
    return next(action for action in range(state.game.num_actions) if action not in state.legal_actions)


@pytest.mark.parametrize(
    ("does", "reason"),
    [
        (raises, "bad: RuntimeError: out of luck"),
        (plays_nonsense, "bad: illegal action: "),
        (lambda _: "b6", "bad: TypeError: "),
        (lambda _: None, "bad: TypeError: "),
        (lambda _: -7, "bad: "),
        (lambda _: 10**30, "bad: "),
        (sleeps_for_ever, "bad: took more than 0.05 seconds"),
    ],
)
@pytest.mark.parametrize("turn", [0, 1])
def test_who_misbehaves_loses_with_the_reason(
    misbehave: Misbehave, does: Callable[[State], Any], reason: str, turn: int
) -> None:
    game = played(TRAIL, misbehave(does), "random", turn, patience=0.05)
    assert game.result.scores[turn] == 0 and sum(game.result.scores) == 1
    assert game.result.forfeit.startswith(reason) and "\n" not in game.result.forfeit
    record = Record.from_json(game.record)
    record.replay()
    assert record.result is not None and record.result["reason"] == "forfeit"
    assert record.result["winner"] == [1 - turn]
    assert game.result.forfeit in record.comments.values()


def test_at_a_larger_table_the_others_share_the_point(misbehave: Misbehave) -> None:
    game = played(sw.make("ludo/ffa"), misbehave(raises), "random")
    assert list(game.result.scores) == [0, 1 / 3, 1 / 3, 1 / 3]
    assert list(game.result.ranks) == [4, 1, 1, 1]
    assert game.record["result"]["winner"] == [1, 2, 3]
    assert game.record["result"]["returns"] == [-1.0, 1 / 3, 1 / 3, 1 / 3]
    Record.from_json(game.record).replay()


def test_a_team_loses_as_a_team(misbehave: Misbehave) -> None:
    game = played(sw.make("ludo/teams"), "random", misbehave(raises))
    assert list(game.result.scores) == [1, 0]
    assert game.record["result"]["winner"] == [0, 2]
    assert game.record["result"]["returns"] == [1.0, -1.0, 1.0, -1.0]
    Record.from_json(game.record).replay()


def test_an_agent_cannot_change_the_game_it_is_shown(misbehave: Misbehave) -> None:
    def plays_on_the_board(state: State) -> int:
        action = state.legal_actions[0]
        while not state.over:
            state.play(state.legal_actions[0])
        return action

    game = played(TRAIL, misbehave(plays_on_the_board), "random")
    assert not game.result.forfeit
    Record.from_json(game.record).replay()


def test_agents_cannot_look_at_the_dice_to_come(misbehave: Misbehave) -> None:
    seen = []

    def looks(state: State) -> int:
        after = state.clone()
        after.play(state.legal_actions[0])
        seen.append(after.player)
        return state.legal_actions[0]

    played(sw.make("ludo/ffa"), misbehave(looks), "random")
    assert len(seen) > 10 and set(seen) <= {sw.CHANCE, None}


def test_nobody_is_asked_where_there_is_no_choice(misbehave: Misbehave) -> None:
    choices = []

    def counts(state: State) -> int:
        choices.append(len(state.legal_actions))
        return state.legal_actions[-1]

    game = played(TRAIL, misbehave(counts), "random")
    assert choices and min(choices) > 1
    assert game.result.decisions[0] == len(choices)
    assert game.result.plies == len(game.record["actions"])
