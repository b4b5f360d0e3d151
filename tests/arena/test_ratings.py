"""Ratings find the strengths that results were drawn from, and say how sure they are."""

import ast
import inspect
from math import isfinite

import numpy as np
import pytest

from spielwerk.arena import ratings as ratings_module
from spielwerk.arena.ratings import Rating, Ratings, rate, skills
from spielwerk.arena.results import Result, ranks_of

STRENGTHS = {"random": 0.0, "weak": 150.0, "strong": 400.0, "stronger": 450.0}


def drawn(
    strengths: dict[str, float], pairings: int, *, seed: int, seats: tuple[float, ...] = (0.0, 0.0), draws: float = 0.0
) -> list[Result]:
    """Results of everybody against everybody, in whole pairings, from the model itself."""
    source, results = np.random.default_rng(seed), []
    for one in strengths:
        for other in strengths:
            if one == other or (len(seats) == 2 and one > other):
                continue
            lineup = (one, *[other] * (len(seats) - 1))
            for number in range(pairings):
                for turn in range(len(seats)):
                    players = lineup[turn:] + lineup[:turn]
                    scores = one_game([strengths[name] for name in players], seats, draws, source)
                    results.append(Result(f"{one}{other}{number}", players, scores, ranks_of(scores)))
    return results


def one_game(
    strengths: list[float], seats: tuple[float, ...], draws: float, source: np.random.Generator
) -> tuple[float, ...]:
    if source.random() < draws:
        return (1 / len(seats),) * len(seats)
    odds = 10 ** ((np.array(strengths) + np.array(seats)) / 400)
    winner = source.choice(len(seats), p=odds / odds.sum())
    return tuple(float(side == winner) for side in range(len(seats)))


def by_name(found: Ratings) -> dict[str, Rating]:
    return {rating.player: rating for rating in found.players}


def test_ratings_know_no_game() -> None:
    tree = ast.parse(inspect.getsource(ratings_module))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    assert {name for name in imported if name.startswith("spielwerk")} == {"spielwerk.arena.results"}


def test_strengths_and_seats_are_found() -> None:
    found = rate(drawn(STRENGTHS, 800, seed=1, seats=(60.0, -60.0)))
    assert found.anchor == "random"
    assert [rating.player for rating in found.players][-2:] == ["weak", "random"]
    for name, rating in by_name(found).items():
        assert rating.elo == pytest.approx(STRENGTHS[name], abs=35)
        assert rating.games == 3 * 1600
    assert found.seats[0].elo == pytest.approx(60, abs=12) and found.seats[1].elo == pytest.approx(-60, abs=12)


@pytest.mark.parametrize("sides", [3, 4])
def test_strengths_are_found_at_larger_tables(sides: int) -> None:
    found = rate(drawn(STRENGTHS, 150, seed=2, seats=(0.0,) * sides))
    for name, rating in by_name(found).items():
        assert rating.elo == pytest.approx(STRENGTHS[name], abs=50)
    assert len(found.seats) == sides


def test_random_is_worth_nothing_and_without_it_the_mean_is() -> None:
    results = drawn(STRENGTHS, 20, seed=3)
    assert by_name(rate(results))["random"].elo == 0
    without = rate([result for result in results if "random" not in result.players])
    assert without.anchor is None
    assert sum(rating.elo or 0 for rating in without.players) == pytest.approx(0, abs=1e-6)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    truth = {"random": 0.0, "a": 120.0, "b": 240.0}
    inside = []
    for seed in range(30):
        for rating in rate(drawn(truth, 30, seed=seed), samples=100, seed=seed).players:
            if rating.player != "random":
                assert rating.low is not None and rating.high is not None
                inside.append(rating.low <= truth[rating.player] <= rating.high)
    assert np.mean(inside) >= 0.85


def test_pairings_are_one_sample_each() -> None:
    """The same games count as less where they hang together."""
    results = drawn({"random": 0.0, "a": 100.0}, 100, seed=4)
    single = [Result(f"{number}", *_rest(result)) for number, result in enumerate(results)]
    copies = [
        Result(f"{number}", *_rest(result)) for number, result in enumerate(results) for _ in range(8)
    ]  # eight times the same game in one pairing
    apart, together = by_name(rate(single))["a"], by_name(rate(copies))["a"]
    assert width(apart) == pytest.approx(width(together), rel=0.3)


def _rest(result: Result) -> tuple[tuple[str, ...], tuple[float, ...], tuple[int, ...]]:
    return result.players, result.scores, result.ranks


def width(rating: Rating) -> float:
    assert rating.low is not None and rating.high is not None
    return rating.high - rating.low


def test_who_wins_every_game_is_rated_all_the_same() -> None:
    results = [Result(str(n), ("a", "random"), (1.0, 0.0), (1, 2)) for n in range(50)]
    results += [Result(str(n), ("random", "a"), (0.0, 1.0), (2, 1)) for n in range(50)]
    best = by_name(rate(results))["a"]
    assert best.elo is not None and best.low is not None and best.high is not None
    assert 600 < best.low < best.elo < best.high and isfinite(best.high)


def test_seats_that_decide_every_game_are_rated_all_the_same() -> None:
    results = [Result(str(n), players, (0.0, 1.0), (2, 1)) for n in range(50) for players in (("a", "b"), ("b", "a"))]
    found = rate(results)
    assert by_name(found)["a"].elo == pytest.approx(0, abs=1e-6)
    assert found.seats[1].elo > 200 and isfinite(found.seats[1].elo)


def test_draws_bring_players_together() -> None:
    sharp = by_name(rate(drawn({"random": 0.0, "a": 200.0}, 300, seed=5)))["a"]
    dull = by_name(rate(drawn({"random": 0.0, "a": 200.0}, 300, seed=5, draws=0.8)))["a"]
    assert sharp.elo is not None and dull.elo is not None and 0 < dull.elo < sharp.elo


def test_who_met_nobody_of_the_others_has_no_rating() -> None:
    results = drawn({"random": 0.0, "a": 100.0}, 10, seed=6) + drawn({"x": 0.0, "y": 50.0}, 10, seed=6)
    found = by_name(rate(results))
    assert found["a"].elo is not None
    assert found["x"].elo is None and found["x"].games == 20


def test_no_results_no_ratings() -> None:
    assert rate([]) == Ratings([], [], None)


def test_the_same_results_are_rated_the_same() -> None:
    results = drawn(STRENGTHS, 10, seed=7)
    assert rate(results) == rate(results)


def test_openskill_ranks_tables_of_four() -> None:
    listed = skills(drawn({"random": 0.0, "a": 300.0, "b": 600.0}, 25, seed=8, seats=(0.0,) * 4))
    assert [skill.player for skill in listed] == ["b", "a", "random"]
    assert listed[-1].above_anchor == 0 and (listed[0].above_anchor or 0) > 5
    assert all(skill.sigma < 8 for skill in listed)


def test_openskill_reads_the_whole_ranking() -> None:
    """Who always comes last is less than who always comes third."""
    results = [Result(str(n), ("a", "b", "c", "d"), (1.0, 0.0, 0.0, 0.0), (1, 2, 3, 4)) for n in range(20)]
    assert [skill.player for skill in skills(results)] == ["a", "b", "c", "d"]


def test_ranks() -> None:
    assert ranks_of((1.0, -1.0, -1.0, -1.0)) == (1, 2, 2, 2)
    assert ranks_of((0.0, 0.0)) == (1, 1)
    assert ranks_of((-1.0, 1 / 3, 1.0)) == (3, 2, 1)
