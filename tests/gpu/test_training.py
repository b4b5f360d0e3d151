"""Training with games and network on one GPU. Run by `make test-gpu`."""

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import spielwerk as sw
from spielwerk.training.config import PpoConfig, PpoRunConfig, SelfPlayConfig
from spielwerk.training.mixed import MixedPpo
from spielwerk.training.ppo import Ppo
from spielwerk.training.selfplay import SelfPlay
from spielwerk.training.snapshot import fingerprint

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="NO GPU: nothing of this was tested")

SMALL: dict[str, Any] = {"device": "cuda", "n_envs": 256, "rollout": 16, "minibatch": 512, "steps": 10**9, "threads": 4}


def scores(learner: Any, updates: int) -> list[tuple[int, float, int]]:
    run: Iterator[Any] = learner.updates()
    return [(made.steps, made.score, made.games) for made, _ in zip(run, range(updates), strict=False)]


@pytest.mark.parametrize("opponent", ["random", "greedy", "self"])
@pytest.mark.parametrize("name", ["pferdeaepfel/classic", "ludo/teams"])
def test_where_the_games_are_played_changes_nothing(name: str, opponent: str) -> None:
    """Played, drawn and counted alike. Learning sums in another order in a graph, so one update is compared."""
    here = Ppo(sw.make(name), PpoConfig(games="cpu", opponent=opponent, **SMALL))
    expected = scores(here, 1)
    there = Ppo(sw.make(name), PpoConfig(games="cuda", opponent=opponent, **SMALL))
    assert (here.on_device, there.on_device) == (False, True)
    assert scores(there, 1) == expected


def test_shaping_is_the_same_on_both() -> None:
    here = Ppo(sw.make("pferdeaepfel/trail"), PpoConfig(games="cpu", shaping=0.5, **SMALL))
    expected = scores(here, 1)
    there = Ppo(sw.make("pferdeaepfel/trail"), PpoConfig(games="cuda", shaping=0.5, **SMALL))
    assert scores(there, 1) == expected
    torch.testing.assert_close(here._buffers.rewards, there._buffers.rewards)


def test_it_learns_to_beat_random() -> None:
    settings = SMALL | {"n_envs": 2048, "minibatch": 4096}
    learner = Ppo(sw.make("pferdeaepfel/classic", size=5), PpoConfig(opponent="random", **settings))
    played = scores(learner, 60)
    assert played[-1][1] > played[0][1] + 0.3


@pytest.mark.parametrize(
    ("name", "network"),
    [("ludo/ffa", {}), ("pferdeaepfel/classic", {"network": "residual", "channels": 32, "blocks": 2})],
)
def test_a_resumed_run_goes_on(name: str, network: dict[str, Any]) -> None:
    goes_on_when_resumed(lambda: Ppo(sw.make(name), PpoConfig(**SMALL, **network)), updates=3, games="games")


def goes_on_when_resumed(begun: Callable[[], Any], updates: int, games: str) -> None:
    """As the run that was not stopped; `games` is what the state calls those in progress."""
    first = begun()
    scores(first, updates)
    tensors, facts = first.state()
    expected = scores(first, 1)
    again = begun()
    again.restore(tensors, facts)
    assert again.state()[1][games] == facts[games]
    assert scores(again, 1) == expected


def test_selfplay_promotes_and_meets_the_new_best() -> None:
    settings = SMALL | {"n_envs": 512, "eval_freq": 20_000, "n_eval_games": 200}
    run = SelfPlay(sw.make("pferdeaepfel/classic", size=5), SelfPlayConfig(**settings))
    assert run.learner.on_device
    made = scores(run, 12)
    assert made[-1][0] > 12 * 512 * 16 // 4


def test_other_opponents_play_on_the_processor_and_it_is_said() -> None:
    learner = Ppo(sw.make("pferdeaepfel/trail"), PpoConfig(opponent="alphabeta:depth=1", **SMALL))
    assert learner.remarks == ["the games are played on the processor: the opponent alphabeta:depth=1 plays there"]
    with pytest.raises(ValueError, match="the games cannot be played on the GPU"):
        Ppo(sw.make("pferdeaepfel/trail"), PpoConfig(opponent="alphabeta:depth=1", games="cuda", **SMALL))


def test_the_average_of_the_weights_is_taken_in_graphs_too() -> None:
    """A share so small that the average is the weights themselves, after steps one by one and after replays."""
    learner = Ppo(sw.make("pferdeaepfel/classic"), PpoConfig(ema_share=1e-9, **SMALL))
    for _ in range(4):
        scores(learner, 1)
        for value, mean in zip(learner.network.parameters(), learner.averaged.parameters(), strict=True):
            torch.testing.assert_close(value, mean)
    counted = learner.state()[1]["ema_steps"]
    scores(learner, 1)
    assert learner.state()[1]["ema_steps"] > counted > 0


def test_a_resumed_average_goes_on() -> None:
    def begun() -> Ppo:
        return Ppo(sw.make("pferdeaepfel/classic"), PpoConfig(ema_share=0.5, **SMALL))

    first, again = begun(), begun()
    scores(first, 3)
    again.restore(*first.state())
    assert fingerprint(again.averaged) == fingerprint(first.averaged) != fingerprint(first.network)
    for learner in (first, again):
        before = fingerprint(learner.averaged)
        scores(learner, 3)
        assert fingerprint(learner.averaged) != before


def test_what_is_collected_while_a_graph_is_captured_does_not_spoil_it() -> None:
    """Learners that are no longer used wait for Python's garbage collector, and their graphs with them."""
    thresholds = gc.get_threshold()
    try:
        for _ in range(2):
            learner = Ppo(sw.make("pferdeaepfel/trail"), PpoConfig(**SMALL))
            scores(learner, 3)
            gc.set_threshold(20)  # now it comes often
    finally:
        gc.set_threshold(*thresholds)


MIX = PpoRunConfig(
    **SMALL, opponent="self", network="residual", channels=32, blocks=2, max_grad_norm=1e-4, mix="side=4,5,6"
)


def test_every_board_of_a_mix_changes_the_weights_of_all() -> None:
    """In the first round step by step, in the second as graphs are made, in the third by replaying them."""
    learner = MixedPpo(sw.make("diavolo/standard"), MIX)
    updates, before = learner.updates(), fingerprint(learner.network)
    for _ in range(3 * len(learner.boards)):
        next(updates)
        (after,) = {fingerprint(network) for network in (learner.network, *(one for _, one in learner.boards.values()))}
        gradients = [parameter.grad for parameter in learner.network.parameters() if parameter.grad is not None]
        assert float(torch.cat([one.flatten() for one in gradients]).norm()) == pytest.approx(1e-4, rel=0.02)
        assert after != before
        before = after
    assert learner.remarks == ["the boards take turns: side=4, side=5, side=6"], "all are played on the GPU"


def test_a_resumed_mix_goes_on() -> None:
    goes_on_when_resumed(lambda: MixedPpo(sw.make("diavolo/standard"), MIX), updates=4, games="boards")
