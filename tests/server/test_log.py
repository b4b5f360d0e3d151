"""A table as its events tell it."""

import random
from collections import Counter

import pytest

import spielwerk as sw
from spielwerk.records import Recorder
from spielwerk.server.log import (
    Action,
    Draft,
    Log,
    Seat,
    Setup,
    exchanged,
    next_turn,
    numbered,
    opening_drafts,
    play_drafts,
    resign_drafts,
    sides_of,
    takeback_ply,
)


def new_log(name: str, seed: int = 7, **rules: bool | int | str) -> Log:
    game = sw.make(name, **rules)
    start = Recorder(game, seed=seed).record.start
    setup = Setup(id="t", created_ms=0, game=game, start=start, seed=seed)
    log = Log(setup, [Seat("human", holder=number) for number in range(game.num_players)])
    apply(log, opening_drafts(setup))
    return log


def apply(log: Log, drafts: list[Draft]) -> None:
    for event in numbered(log, drafts):
        log.apply(event)


def play_out(log: Log, seed: int) -> None:
    source = random.Random(seed)
    while not log.over:
        apply(log, play_drafts(log, log.state.text(source.choice(log.state.legal_actions))))


@pytest.mark.parametrize("name", sw.games())
def test_a_game_reads_back_from_its_events_and_its_record(name: str) -> None:
    log = new_log(name)
    play_out(log, 3)
    assert log.state == log.position(len(log.actions)) and log.state.over
    assert log.record().replay() == log.state
    dice = {action.text for action in log.actions if action.seat is None}
    assert bool(dice) == log.game.has_chance
    for before, after in zip(log.actions, log.actions[1:], strict=False):
        assert after.turn - before.turn in (0, 1)
        assert after.turn > before.turn or (after.seat is not None and before.seat in (None, after.seat))


@pytest.mark.parametrize("name", [name for name in sw.games() if sw.make(name).has_chance])
def test_dice_fall_again_as_before_after_a_takeback(name: str) -> None:
    log = new_log(name)
    source = random.Random(1)
    for _ in range(30):
        apply(log, play_drafts(log, log.state.text(source.choice(log.state.legal_actions))))
    texts = log.texts
    seat = next(action.seat for action in reversed(log.actions) if action.seat is not None)
    ply = takeback_ply(log, [seat])
    assert ply is not None and log.actions[ply].seat == seat
    apply(log, [Draft("takeback", seat, {"ply": ply})])
    assert log.texts == texts[:ply] and log.player == seat, "the die that fell before it still lies there"
    while len(log.actions) < len(texts):
        apply(log, play_drafts(log, texts[len(log.actions)]))
    assert log.texts == texts


@pytest.mark.parametrize("name", [name for name in sw.games() if sw.make(name).has_chance])
def test_dice_are_fair_and_differ_from_seed_to_seed(name: str) -> None:
    counts: Counter[str] = Counter()
    for seed in range(600):
        counts[new_log(name, seed).actions[0].text] += 1
    outcomes = sw.make(name).start(chance="explicit").outcomes
    assert len(counts) == len(outcomes)
    for share in counts.values():
        assert abs(share - 600 / len(outcomes)) < 50


def test_turns_are_counted_over_steps_and_dice() -> None:
    actions: list[Action] = []
    for seat in (None, 0, None, 0, 0, 1, None, None, 2):
        actions.append(Action("x", seat, next_turn(actions, seat)))
    assert [action.turn for action in actions] == [1, 1, 2, 2, 2, 3, 4, 5, 5]


def test_teams_are_those_who_win_together() -> None:
    assert sides_of(sw.make("pferdeaepfel/trail")) == ((0,), (1,))
    if "ludo/teams" in sw.games():
        assert sides_of(sw.make("ludo/teams")) == ((0, 2), (1, 3))
        assert sides_of(sw.make("ludo/ffa", players=4)) == ((0,), (1,), (2,), (3,))


@pytest.mark.skipif("ludo/teams" not in sw.games(), reason="needs a game of four")
def test_resigning_in_teams_loses_for_both_and_alone_leaves_the_seat_to_an_agent() -> None:
    teams = new_log("ludo/teams")
    apply(teams, resign_drafts(teams, 2, "greedy"))
    assert teams.result is not None and teams.result["winner"] == [1, 3]
    alone = new_log("ludo/ffa", players=4)
    apply(alone, resign_drafts(alone, 2, "greedy"))
    assert alone.status == "running" and alone.seats[2] == Seat("agent", level="greedy")


def test_a_rematch_moves_everyone_on_by_one() -> None:
    seats = [Seat("human", name) for name in "abcd"]
    assert [seat.name for seat in exchanged(seats)] == ["d", "a", "b", "c"]


def test_a_gap_in_the_events_is_noticed() -> None:
    log = new_log("pferdeaepfel/trail")
    with pytest.raises(ValueError, match="cannot follow"):
        log.apply(numbered(Log(log.setup, log.seats, seq=4), [Draft("offer", 0, {"offer": "takeback"})])[0])
