"""Training and arena call the same games won."""

import numpy as np

import spielwerk as sw
from spielwerk.arena.match import play
from spielwerk.arena.schedule import Schedule
from spielwerk.arena.scores import Score
from spielwerk.training.evaluation import Games, score_by_seat
from spielwerk.training.players import random_player

RANKING = sw.make("ludo/ffa", ranking=True)


def test_second_place_is_a_loss_in_training() -> None:
    places = np.array([[1, 1 / 3, -1 / 3, -1], [1 / 3, 1, -1, -1 / 3], [0, 0, 0, 0]])
    first = np.tile([True, False, False, False], (3, 1))
    scores = Games(first, places, np.arange(3, dtype=np.uint64)).by_seat()
    assert scores == [Score(1, 1, 1), *[Score(0, 0, 0)] * 3]


def test_second_place_is_a_loss_in_the_arena() -> None:
    fixture = Schedule(RANKING, ("random",) * 4, opening=0).pairing(0)[0]
    result = play(fixture).result
    assert sorted(result.ranks) == [1, 2, 3, 4]
    assert [score for _, score in sorted(zip(result.ranks, result.scores, strict=True))] == [1, 0, 0, 0]


def test_among_equal_players_one_of_four_wins() -> None:
    scores = score_by_seat(RANKING, random_player, random_player, games=40, seed=1)
    wins = sum(score.wins for score in scores)
    assert sum(score.draws for score in scores) == 0
    assert 20 <= wins <= 65, "of 160 games a quarter is 40; with second places it would be 80"
