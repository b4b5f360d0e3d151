"""A table as its events tell it."""

import random
from collections import Counter
from dataclasses import replace

import pytest

import spielwerk as sw
from spielwerk.records import Recorder
from spielwerk.server.log import (
    Draft,
    Log,
    Seat,
    Setup,
    exchanged,
    numbered,
    opening_drafts,
    play_drafts,
    resign_drafts,
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


def after_a_while(name: str, seed: int) -> Log:
    log, source = new_log(name, seed), random.Random(1)
    for _ in range(12):
        apply(log, play_drafts(log, log.state.text(source.choice(log.state.legal_actions))))
    return log


@pytest.mark.parametrize("name", [name for name in sw.games() if sw.make(name).has_chance])
def test_a_takeback_tells_nothing_about_the_next_die(name: str) -> None:
    pairs: Counter[tuple[str, str]] = Counter()
    for seed in range(400):
        log = after_a_while(name, seed)
        texts = log.texts
        seat = next(action.seat for action in reversed(log.actions) if action.seat is not None)
        ply = log.progress.takeback_ply([seat])
        assert ply is not None and log.actions[ply].seat == seat
        apply(log, [Draft("takeback", seat, {"ply": ply})])
        assert log.texts == texts[:ply] and log.player == seat, "the die that fell before it still lies there"
        apply(log, play_drafts(log, texts[ply]))
        pairs[texts[ply + 1], log.texts[ply + 1]] += 1
    same = sum(count for (seen, fallen), count in pairs.items() if seen == fallen)
    assert 30 < same < 110, "of 400 dice that are drawn independently about a sixth agree"


@pytest.mark.parametrize("name", [name for name in sw.games() if sw.make(name).has_chance])
def test_the_events_of_a_game_with_takebacks_read_back_exactly(name: str) -> None:
    log, source = new_log(name), random.Random(2)
    events = numbered(Log(log.setup, log.seats), opening_drafts(log.setup))
    for step in range(60):
        ply = log.progress.takeback_ply(range(log.game.num_players)) if step % 5 == 4 else None
        text = log.state.text(source.choice(log.state.legal_actions))
        drafts = play_drafts(log, text) if ply is None else [Draft("takeback", 0, {"ply": ply})]
        events += numbered(log, drafts)
        apply(log, drafts)
    again = Log(log.setup, log.seats)
    for event in events:
        again.apply(event)
    assert (again.state, again.actions, again.result) == (log.state, log.actions, log.result)


@pytest.mark.parametrize("name", [name for name in sw.games() if sw.make(name).has_chance])
def test_dice_are_fair_and_differ_from_seed_to_seed(name: str) -> None:
    counts: Counter[str] = Counter()
    for seed in range(600):
        counts[new_log(name, seed).actions[0].text] += 1
    outcomes = sw.make(name).start(chance="explicit").outcomes
    assert len(counts) == len(outcomes)
    for share in counts.values():
        assert abs(share - 600 / len(outcomes)) < 50


@pytest.mark.parametrize("name", [name for name in sw.games() if sw.make(name).has_chance])
def test_dice_follow_the_key_of_the_table_and_nothing_that_players_see(name: str) -> None:
    setup = new_log(name).setup
    keys = [f"{number:064x}" for number in range(60)]
    dice = [opening_drafts(replace(setup, dice_key=key))[0].data["text"] for key in keys]
    assert len(set(dice)) > 1, "id, seed, rules and event are equal; only the keys differ"
    again = [opening_drafts(replace(setup, dice_key=key, seed=99, id="other"))[0].data["text"] for key in keys]
    assert again == dice


@pytest.mark.parametrize("name", sw.games())
def test_the_record_of_a_game_with_secret_dice_replays_exactly(name: str) -> None:
    setup = replace(new_log(name).setup, dice_key="ab" * 32)
    log = Log(setup, [Seat("human", holder=0)] * setup.game.num_players)
    apply(log, opening_drafts(setup))
    play_out(log, seed=3)
    assert list(log.record().positions())[-1].to_text() == log.state.to_text()


@pytest.mark.skipif("ludo/teams" not in sw.games(), reason="needs a game of four")
def test_resigning_in_teams_loses_for_both_and_alone_leaves_the_seat_to_an_agent() -> None:
    teams = new_log("ludo/teams")
    apply(teams, resign_drafts(teams, 2, "greedy"))
    assert teams.result == {
        "winner": [1, 3],
        "returns": [-1.0, 1.0, -1.0, 1.0],
        "points": [0, 0, 0, 0],
        "reason": "resigned",
        "truncated": False,
    }
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


def test_the_record_of_a_table_does_not_tell_its_seed() -> None:
    assert "seed" not in new_log("ludo/ffa").record().to_json()


def test_a_table_given_up_before_it_began_has_no_result_in_its_record() -> None:
    log = new_log("pferdeaepfel/trail")
    log.seats[1] = Seat("open")
    apply(log, resign_drafts(log, 0, "greedy"))
    assert log.result is not None and log.result["reason"] == "cancelled"
    assert log.record().result is None
