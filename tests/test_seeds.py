"""What a seed means (docs/seeds.md): one seed, one game, at every door; and no two purposes share random numbers."""

from collections import Counter

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.records import Recorder

DRAWN_BY_LOT = ["ludo/ffa", "ludo/teams", "pferdeaepfel/carry"]
SEEDS = [0, 1, 7, 2**63 + 5]


def dice_of(state: sw.State, plies: int = 40) -> list[str]:
    """The start and the dice of a game in which everybody plays the first legal action."""
    seen = [state.to_text()]
    for _ in range(plies):
        if state.over:
            break
        state.play(state.legal_actions[0])
        seen += [*state.fallen, state.to_text()]
    return seen


@pytest.mark.parametrize("name", DRAWN_BY_LOT)
@pytest.mark.parametrize("seed", SEEDS)
def test_game_i_of_a_batch_is_the_game_of_its_own_seed(name: str, seed: int) -> None:
    game = sw.make(name)
    env = sw.vector(game, num_envs=5)
    env.reset(seed=seed)
    for index in range(5):
        alone = game.start(seed=sw.game_seed(seed, index))
        assert env.state(index).stream == alone.stream
        assert dice_of(env.state(index)) == dice_of(alone)


def test_games_of_one_batch_and_of_neighbouring_seeds_differ() -> None:
    seeds = {sw.game_seed(seed, index) for seed in range(100) for index in range(100)}
    assert len(seeds) == 100 * 100


@pytest.mark.parametrize("name", DRAWN_BY_LOT)
@pytest.mark.parametrize("seed", SEEDS)
def test_pettingzoo_begins_the_game_of_its_seed(name: str, seed: int) -> None:
    family, ruleset = name.split("/")
    env = getattr(sw.envs, f"{family}_v0").env(ruleset=ruleset)
    env.reset(seed=seed)
    assert dice_of(env.unwrapped.game_state) == dice_of(sw.make(name).start(seed=seed))


@pytest.mark.parametrize("name", DRAWN_BY_LOT)
@pytest.mark.parametrize("seed", SEEDS)
def test_gymnasium_begins_the_game_of_its_seed(name: str, seed: int) -> None:
    game = sw.make(name)
    env = sw.envs.SingleSeat(game, seat=game.start(seed=seed).player or 0)
    env.reset(seed=seed)
    assert dice_of(env.game_state) == dice_of(game.start(seed=seed))


@pytest.mark.parametrize("name", DRAWN_BY_LOT)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_record_begins_the_game_of_its_seed(name: str, seed: int) -> None:
    game = sw.make(name)
    recorder = Recorder(game, seed=seed)
    assert recorder.record.seed == seed
    assert dice_of(recorder.state.clone()) == dice_of(game.start(seed=seed))


def chosen_pieces_after_a_six(seed: int, games: int = 4096) -> Counter[int]:
    """Random choices of first pieces, where all four of them may leave the yard, under the seed of the dice."""
    env = sw.vector("ludo/ffa", num_envs=games)
    _, mask, _ = env.reset(seed=seed)
    sixes = mask[:, :4].all(axis=1)
    assert sixes.sum() > games / 10
    return Counter(env.random_actions(seed=seed)[sixes].tolist())


@pytest.mark.parametrize("seed", range(4))
def test_random_actions_do_not_follow_the_dice_of_their_seed(seed: int) -> None:
    chosen = chosen_pieces_after_a_six(seed)
    fair = chosen.total() / 4
    assert all(abs(chosen[piece] - fair) < 5 * np.sqrt(fair) for piece in range(4))


def test_ties_of_greedy_do_not_follow_the_dice_of_their_seed() -> None:
    """Four pieces in the yard and a six: which one comes out is a tie."""
    env = sw.vector("ludo/ffa", num_envs=4096)
    _, mask, _ = env.reset(seed=0)
    chosen = Counter(env.greedy_actions(seed=0)[mask[:, :4].all(axis=1)].tolist())
    assert all(abs(chosen[piece] - chosen.total() / 4) < 5 * np.sqrt(chosen.total() / 4) for piece in range(4))
