"""The schedule: balanced over seats, varied in openings, the same wherever and whenever it is made."""

from collections import Counter
from dataclasses import replace

import pytest

import spielwerk as sw
from spielwerk.arena.match import play
from spielwerk.arena.schedule import Schedule, lineups
from spielwerk.games import sides_of
from spielwerk.records import Record

TRAIL = sw.make("pferdeaepfel/trail")
LUDO = sw.make("ludo/ffa")
TEAMS = sw.make("ludo/teams")


def test_seats_that_win_together_are_one_side() -> None:
    assert sides_of(TRAIL) == ((0,), (1,))
    assert sides_of(LUDO) == ((0,), (1,), (2,), (3,))
    assert sides_of(TEAMS) == ((0, 2), (1, 3))
    assert sides_of(sw.make("ludo/ffa", players=3)) == ((0,), (1,), (2,))


@pytest.mark.parametrize(("game", "lineup"), [(TRAIL, "AB"), (TEAMS, "AB"), (LUDO, "ABBB"), (LUDO, "ABCD")])
def test_everybody_sits_everywhere_equally_often(game: sw.Game, lineup: str) -> None:
    pairing = Schedule(game, tuple(lineup)).pairing(0)
    for side in range(len(lineup)):
        sitting = Counter(fixture.players[side] for fixture in pairing)
        assert sitting == Counter(lineup)


def test_equal_seatings_are_played_once() -> None:
    assert len(Schedule(TRAIL, ("A", "A")).pairing(0)) == 1
    assert len(Schedule(LUDO, ("A", "B", "A", "B")).pairing(0)) == 2


def test_games_come_in_whole_pairings() -> None:
    assert Schedule(TRAIL, ("A", "B")).pairings_for(7) == 4
    assert Schedule(LUDO, ("A", "B", "B", "B")).pairings_for(8) == 2


def test_each_meets_each() -> None:
    assert list(lineups(TRAIL, ["a", "b", "c"])) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert list(lineups(TRAIL, ["a", "b", "c"], gauntlet=True)) == [("a", "b"), ("a", "c")]
    assert list(lineups(LUDO, ["a", "b"])) == [("a", "b", "b", "b"), ("b", "a", "a", "a")]
    assert list(lineups(LUDO, ["a", "b"], gauntlet=True)) == [("a", "b", "b", "b")]
    assert list(lineups(TEAMS, ["a", "b"])) == [("a", "b")]


def test_ids_depend_on_everything_that_matters_and_on_nothing_else() -> None:
    schedule = Schedule(TRAIL, ("random", "greedy"), seed=1, opening=2)
    others = [
        replace(schedule, game=sw.make("pferdeaepfel/trail", size=6)),
        replace(schedule, game=sw.make("pferdeaepfel/free")),
        replace(schedule, lineup=("random", "mcts")),
        replace(schedule, seed=2),
        replace(schedule, opening=3),
    ]
    ids = [fixture.id for each in [schedule, *others] for number in range(5) for fixture in each.pairing(number)]
    assert len(set(ids)) == len(ids)
    assert [fixture.id for fixture in replace(schedule, patience=1.0).pairing(3)] == [
        fixture.id for fixture in schedule.pairing(3)
    ]


def opening_of(schedule: Schedule, number: int, actions: int) -> list[tuple[str, ...]]:
    return [tuple(play(fixture).record["actions"][:actions]) for fixture in schedule.pairing(number)]


def test_the_games_of_a_pairing_share_their_opening_and_so_do_line_ups() -> None:
    game = sw.make("pferdeaepfel/classic")
    schedule = Schedule(game, ("random", "greedy"), opening=2)
    openings = [opening_of(schedule, number, 4) for number in range(12)]
    assert all(first == second for first, second in openings)
    assert len({first for first, _ in openings}) > 9
    other = Schedule(game, ("greedy", "mcts:sims=10"), opening=2)
    assert opening_of(other, 3, 4) == openings[3]


def test_openings_count_turns_not_actions() -> None:
    """In classic a turn is a jump and an apple or none."""
    schedule = Schedule(sw.make("pferdeaepfel/classic"), ("random", "random:seed=1"), opening=1)
    first, second = (play(fixture).record["actions"] for fixture in schedule.pairing(0))
    assert first[:2] == second[:2] and first[2:] != second[2:]


def test_a_starter_by_lot_is_the_same_in_both_games() -> None:
    schedule = Schedule(sw.make("pferdeaepfel/carry"), ("random", "greedy"), opening=0)
    starts = [[play(fixture).record["start"] for fixture in schedule.pairing(number)] for number in range(8)]
    assert all(first == second for first, second in starts)
    assert len({first for first, _ in starts}) == 2


def dice_of(record: dict[str, object]) -> dict[int, list[str]]:
    """By the seat that rolled them."""
    positions = list(Record.from_json(record).positions())
    dice: dict[int, list[str]] = {seat: [] for seat in range(4)}
    for state, action in zip(positions, Record.from_json(record).actions, strict=False):
        if state.player == sw.CHANCE:
            dice[state.position["to_move"]].append(action)
    return dice


def test_the_games_of_a_pairing_share_the_dice_of_every_seat() -> None:
    schedule = Schedule(LUDO, ("greedy", "random", "random", "random"), opening=0)
    games = [dice_of(play(fixture).record) for fixture in schedule.pairing(0)]
    for seat in range(4):
        shortest = min(len(dice[seat]) for dice in games)
        assert shortest > 20 and len({tuple(dice[seat][:shortest]) for dice in games}) == 1
    assert games[0][0][:20] != games[0][1][:20]
    other = dice_of(play(schedule.pairing(1)[0]).record)
    assert other[0][:20] != games[0][0][:20]


def test_openings_that_end_the_game_are_drawn_again() -> None:
    """On a 3×3 board half of the games last four plies, the others six."""
    schedule = Schedule(sw.make("pferdeaepfel/trail", size=3), ("random", "greedy"), opening=4)
    assert all(play(schedule.pairing(number)[0]).result.plies == 6 for number in range(5))
    with pytest.raises(ValueError, match="does not last 6 random turns"):
        play(replace(schedule, opening=6).pairing(0)[0])
