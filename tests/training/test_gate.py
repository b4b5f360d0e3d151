"""The gate: its error is what it says and at most 5 %, circles are seen through, and equal games count once."""

import json
from math import comb
from typing import Any

import numpy as np
import pytest
import torch

import spielwerk as sw
from spielwerk.arena.scores import Score
from spielwerk.training import selfplay
from spielwerk.training.config import SelfPlayConfig
from spielwerk.training.evaluation import Games, play_games, rival_seatings, score_by_seat
from spielwerk.training.gate import ERROR, chance_of_lead, distinct_families, judged, needed_lead
from spielwerk.training.players import greedy_player
from spielwerk.training.pool import START, Pool
from spielwerk.training.selfplay import Comparison, SelfPlay

SMALL = SelfPlayConfig(
    steps=20_000, n_envs=64, rollout=32, minibatch=256, channels=32, eval_freq=4000, n_eval_games=200, seed=1
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def test_the_error_is_that_of_coins_thrown_for_every_decided_pair() -> None:
    """Twenty decided pairs: eleven won or more happen to equal players in 41 % of all evaluations."""
    pairs = np.array([1.0] * 11 + [0.0] * 9)
    assert chance_of_lead(pairs, 1.0) == pytest.approx(sum(comb(20, k) for k in range(11, 21)) / 2**20)
    with_even_ones = np.concatenate([pairs, np.full(300, 0.5)])
    assert chance_of_lead(with_even_ones, 1.0) == pytest.approx(chance_of_lead(pairs, 1.0))
    needed = needed_lead(pairs, 0.55, ERROR)
    assert chance_of_lead(pairs, needed) == pytest.approx(sum(comb(20, k) for k in range(15, 21)) / 2**20)


def test_four_decided_pairs_can_never_be_enough_and_five_can() -> None:
    assert needed_lead(np.ones(4), 0.55, ERROR) == np.inf
    assert needed_lead(np.ones(5), 0.55, ERROR) <= 2.5


@pytest.mark.parametrize("gate", ["pool", "sprt"])
@pytest.mark.parametrize("decided", [0.05, 0.4, 1.0])
def test_an_equal_network_passes_at_most_as_often_as_stated(gate: str, decided: float) -> None:
    """Simulated evaluations of a network that is as strong as the best, where the seats decide much or little."""
    source = np.random.default_rng(1)
    config = SelfPlayConfig(gate=gate)
    rounds = 400
    verdicts = [judged(_pairs_of_equals(source, 100, decided), 2, config) for _ in range(rounds)]
    passed = sum(verdict.passed for verdict in verdicts) / rounds
    stated = sum(verdict.error for verdict in verdicts) / rounds
    assert max(verdict.error for verdict in verdicts) <= ERROR
    assert passed <= stated + 3 * (ERROR / rounds) ** 0.5


def _pairs_of_equals(source: np.random.Generator, pairs: int, decided: float) -> Games:
    """White wins all games but those of decided pairs, which either player wins twice."""
    first = np.tile([[True, False], [False, True]], (pairs, 1))
    returns = np.tile([[1.0, -1.0], [1.0, -1.0]], (pairs, 1))
    for pair in np.flatnonzero(source.random(pairs) < decided):
        loser = 2 * pair + source.integers(2)
        returns[loser] *= -1
    return Games(first, returns, np.arange(2 * pairs, dtype=np.uint64))


def test_seed_003s_gate_asks_for_the_score_alone_and_says_how_often_it_errs() -> None:
    games = _games_with_rate(110, 200)
    verdict = judged(games, 2, SelfPlayConfig(gate="threshold"))
    assert verdict.passed and verdict.error > ERROR
    assert "an equal network would pass with" in verdict.words
    assert not judged(games, 2, SelfPlayConfig(gate="pool")).passed


def _games_with_rate(wins: int, count: int) -> Games:
    """Pairs that the first player wins or loses as a whole."""
    first = np.tile([[True, False], [False, True]], (count // 2, 1))
    won = np.repeat(np.arange(count // 2) < wins // 2, 2)
    mine = np.where(won, 1.0, -1.0)
    returns = np.where(first, mine[:, None], -mine[:, None])
    return Games(first, returns, np.arange(count, dtype=np.uint64))


def test_the_same_game_twice_is_one_sample() -> None:
    games = _games_with_rate(4, 8)
    games.courses[4:6] = games.courses[0:2]
    assert len(distinct_families(games, 2).courses) == 6
    game = sw.make("pferdeaepfel/trail", size=4)
    played = play_games(game, greedy_player, greedy_player, rival_seatings(game), 400, seed=1)
    scores = score_by_seat(game, greedy_player, greedy_player, 400, seed=1)
    assert played.distinct < 400
    assert all(0 < score.games <= played.distinct * 4 for score in scores)


def test_anchors_that_never_vary_are_met_in_as_many_distinct_games_as_asked_for() -> None:
    scores = score_by_seat(sw.make("pferdeaepfel/trail"), greedy_player, greedy_player, 200, seed=1)
    assert all(score.games >= 200 for score in scores)


# -- circles -------------------------------------------------------------------------------------


def _fixed(run: SelfPlay, monkeypatch: pytest.MonkeyPatch, scores: dict[tuple[str, str], float]) -> None:
    """Lets everybody score as prescribed, whatever their weights are."""
    names = {id(run.network): "current", id(run.best): "best"}
    players: dict[int, str] = {}

    def network_player(network: Any) -> Any:
        def player(*_: Any) -> Any:
            raise AssertionError("nobody plays here")

        players[id(player)] = names.get(id(network), "pool")
        player.keep = network  # type: ignore[attr-defined]
        held.append(player)
        return player

    held: list[Any] = []

    def play(_: Any, first: Any, second: Any, *__: Any, **___: Any) -> Games:
        rate = scores[players[id(first)], players.get(id(second), "anchor")]
        return _games_with_rate(round(200 * rate), 200)

    monkeypatch.setattr(selfplay, "network_player", network_player)
    monkeypatch.setattr(selfplay, "play_games", play)


@pytest.mark.parametrize(("gate", "promoted"), [("pool", False), ("sprt", False), ("threshold", True)])
def test_a_network_that_beats_the_best_and_loses_to_the_start_goes_in_circles(
    monkeypatch: pytest.MonkeyPatch, gate: str, promoted: bool
) -> None:
    run = SelfPlay(sw.make("pferdeaepfel/trail", size=4), SelfPlayConfig(**vars(SMALL) | {"gate": gate}))
    _fixed(run, monkeypatch, {("current", "best"): 0.7, ("current", "anchor"): 0.8, ("pool", "anchor"): 0.8})
    assert run.evaluate().promoted, "the first best is compared with the start alone"
    _fixed(
        run, monkeypatch,
        {
            ("current", "best"): 0.7, ("current", "pool"): 0.37, ("best", "pool"): 0.7,
            ("current", "anchor"): 0.6, ("pool", "anchor"): 0.8,
        },
    )  # fmt: skip
    evaluation = run.evaluate()
    assert evaluation.promoted is promoted
    assert evaluation.against_start.rate == pytest.approx(0.37, abs=0.01)
    assert any("loses to the start" in line for line in evaluation.warnings)
    assert any("against greedy has fallen" in line for line in evaluation.warnings)
    assert evaluation.to_json()["anchors"]["random"]["change"] == pytest.approx(-0.2)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_last_best_beats_the_start_whatever_the_seed(seed: int) -> None:
    settings = {
        "seed": seed,
        "steps": 40_000,
        "eval_freq": 8000,
        "n_eval_games": 400,
        "learning_rate": 2e-3,
        "epochs": 4,
    }
    run = SelfPlay(sw.make("pferdeaepfel/classic", size=6), SelfPlayConfig(**vars(SMALL) | settings))
    evaluations = [progress.evaluation for progress in run.updates() if progress.evaluation]
    assert len(evaluations) == 5 and run.promotions >= 1
    result = run.against_start(4000)
    assert result["better"], result["verdict"]
    rated = {rating.player for rating in run.pool.ratings() if rating.elo is not None}
    assert rated == {START, "random", "greedy", *(f"best {n + 1}" for n in range(run.promotions))}


def test_the_start_stays_in_the_pool_and_is_met_by_the_learner() -> None:
    run = SelfPlay(sw.make("pferdeaepfel/trail", size=4), SelfPlayConfig(**vars(SMALL) | {"pool": 3}))
    for number in range(1, 6):
        run.promotions = number
        run.pool.add(run.best_name, run.best)
        run._opponents_changed()
    assert list(run.pool.members) == [START, "best 4", "best 5"]
    assert [opponent.share for opponent in run.learner.opponents] == [0.5, 0.25, 0.25]
    assert any(opponent.network is run.start for opponent in run.learner.opponents)


def test_a_pool_survives_a_checkpoint() -> None:
    run = SelfPlay(sw.make("pferdeaepfel/trail", size=4), SMALL)
    pool = Pool(3)
    pool.add(START, run.network)
    pool.add("best 1", run.best)
    pool.note("best 1", START, Score(6, 2, 2))
    tensors, facts = pool.state()
    other = Pool(3)
    other.restore(run.best, tensors, json.loads(json.dumps(facts)))
    assert list(other.members) == [START, "best 1"] and other.meetings == pool.meetings
    assert [rating.player for rating in other.ratings()] == ["best 1", START]


def test_a_fall_is_one_that_chance_does_not_explain() -> None:
    assert Comparison(Score(60, 0, 40), Score(80, 0, 20)).has_fallen
    assert not Comparison(Score(78, 0, 22), Score(80, 0, 20)).has_fallen
    assert not Comparison(Score(90, 0, 10), Score(80, 0, 20)).has_fallen
