"""Many seats at once: agreement with single games, Gymnasium's contract, copies."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import spielwerk as sw
from spielwerk.batch import VectorEnv
from spielwerk.envs.vector_seat import VectorSeat

TRAIL = "pferdeaepfel/trail"
RULESETS = sw.games()


def random_steps(env: VectorSeat, steps: int, first: int = 0) -> list[Any]:
    """Legal random play; everything that comes back, to compare."""
    story: list[Any] = []
    for step in range(first, first + steps):
        observation, rewards, terminated, truncated, info = env.step(env.random_actions(seed=step))
        story += [part.tobytes() for part in (observation, rewards, terminated, truncated, info["action_mask"])]
    return story


@pytest.mark.parametrize("opponent", ["random", "greedy", "self"])
@pytest.mark.parametrize("ruleset", RULESETS)
def test_positions_masks_and_spaces_agree_with_the_games(ruleset: str, opponent: str) -> None:
    env = VectorSeat(ruleset, num_envs=8, seat="random", opponent=opponent)
    observation, info = env.reset(seed=5)
    ended = 0
    for step in range(150):
        assert env.observation_space.contains(observation)
        for index in range(env.num_envs):
            state = env._batch.state(index)
            assert state.player is not None and state.player == info["seat"][index]
            np.testing.assert_array_equal(observation[index], state.observation(state.player))
            np.testing.assert_array_equal(info["action_mask"][index], state.mask)
        observation, rewards, terminated, truncated, info = env.step(env.random_actions(seed=step))
        over = terminated | truncated
        assert not rewards[~over].any()
        assert ("final_obs" in info) == over.any()
        ended += int(over.sum())
    assert ended or ruleset.startswith("ludo")


def test_the_seat_is_the_one_that_is_asked_for() -> None:
    for seat in range(4):
        env = VectorSeat("ludo/ffa", num_envs=4, seat=seat)
        _, info = env.reset(seed=1)
        for step in range(100):
            assert (info["seat"] == seat).all()
            *_, info = env.step(env.random_actions(seed=step))
    env = VectorSeat(TRAIL, num_envs=400, seat="random")
    assert 150 < env.reset(seed=0)[1]["seat"].sum() < 250


@pytest.mark.parametrize("ruleset", [TRAIL, "ludo/ffa"])
def test_a_greedy_opponent_plays_what_greedy_plays(ruleset: str) -> None:
    """Every position that follows can be reached from the one before by greedy's moves of the other seats."""
    env = VectorSeat(TRAIL, num_envs=16, opponent="greedy")
    env.reset(seed=2)
    for step in range(30):
        before = [env._batch.state(index) for index in range(16)]
        actions = env.random_actions(seed=step).copy()
        _, _, terminated, truncated, _ = env.step(actions)
        for index in np.flatnonzero(~(terminated | truncated)):
            state = before[index]
            state.play(int(actions[index]))
            best = max(evaluated_after(state, action) for action in state.legal_actions)
            reached = env._batch.state(int(index))
            played = [action for action in state.legal_actions if after(state, action) == reached]
            assert played and evaluated_after(state, played[0]) == best


def after(state: sw.State, action: int) -> sw.State:
    following = state.clone()
    following.play(action)
    return following


def evaluated_after(state: sw.State, action: int) -> float:
    assert state.player is not None
    return after(state, action).evaluate(state.player)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_end_pays_the_seat_and_shows_the_last_position(seat: int) -> None:
    env = VectorSeat(TRAIL, num_envs=32, seat=seat, size=4, observation="dict")
    env.reset(seed=3)
    seen = set()
    for step in range(60):
        observation, rewards, terminated, _, info = env.step(env.random_actions(seed=step))
        for index in np.flatnonzero(terminated):
            assert rewards[index] == info["final_info"]["returns"][index][seat]
            assert info["_final_obs"][index] and info["_final_info"][index]
            final = {name: array[index] for name, array in info["final_obs"].items()}
            assert env.single_observation_space.contains(final)
            assert (final["observation"] != observation["observation"][index]).any()
            seen.add(float(rewards[index]))
    assert seen == {-1.0, 1.0}


@pytest.mark.parametrize("opponent", ["random", "greedy", "self"])
def test_an_illegal_action_loses_its_own_game_only(opponent: str) -> None:
    env, other = (VectorSeat(TRAIL, num_envs=3, opponent=opponent) for _ in range(2))
    env.reset(seed=1)
    other.reset(seed=1)
    legal = env.random_actions(seed=0).astype(np.int64)
    for wrong in (-1, 10**9, int(np.flatnonzero(env.action_masks()[1] == 0)[0])):
        actions = legal.copy()
        actions[1] = wrong
        _, rewards, terminated, truncated, info = copy.deepcopy(env).step(actions)
        assert rewards.tolist() == [0, -1, 0] and terminated.tolist() == [False, True, False] and not truncated.any()
        assert info["final_info"]["returns"][1].tolist() == [-1, 0]
    strict = VectorSeat(TRAIL, num_envs=3, illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(ValueError, match="action -1 is illegal in game 1 of the batch; no game was stepped"):
        strict.step(np.array([legal[0], -1, legal[2]]))


def test_results_depend_on_the_seed_and_not_on_threads() -> None:
    one, two = (VectorSeat("ludo/teams", num_envs=33, threads=threads, opponent="greedy") for threads in (1, 2))
    for env in (one, two):
        env.reset(seed=9)
    assert random_steps(one, 100) == random_steps(two, 100)


@pytest.mark.parametrize("form", ["planes", "float", "flat", "dict", "dict-flat"])
def test_every_form_fits_its_space(form: str) -> None:
    env = VectorSeat(TRAIL, num_envs=4, observation=form)
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation)


def test_make_vec_finds_it_and_declares_the_autoreset_mode() -> None:
    env = gymnasium.make_vec("spielwerk/pferdeaepfel-trail-v0", num_envs=16, opponent="greedy", size=5)
    assert isinstance(env.unwrapped, VectorSeat)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.unwrapped.game == sw.make(TRAIL, size=5)
    counted = RecordEpisodeStatistics(env)
    counted.reset(seed=0)
    for step in range(40):
        counted.step(env.unwrapped.random_actions(seed=step))
    assert len(counted.return_queue) > 0 and set(map(float, counted.return_queue)) <= {-1.0, 1.0}


def test_other_agents_sit_in_single_games_side_by_side() -> None:
    env = gymnasium.make_vec(
        "spielwerk/pferdeaepfel-trail-v0", num_envs=2, vectorization_mode="sync", opponent="alphabeta:depth=1"
    )
    _, info = env.reset(seed=0)
    actions = np.array([np.flatnonzero(mask)[0] for mask in info["action_mask"]])
    env.step(actions)


def test_copies_are_made_unless_views_are_asked_for() -> None:
    for kept in (True, False):
        env = VectorSeat(TRAIL, num_envs=4, copy=kept)
        first, _ = env.reset(seed=0)
        before = first.copy()
        env.step(env.random_actions(seed=0))
        assert np.array_equal(first, before) == kept


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"opponent": "mcts"}, "one of random, greedy, self, network:MODEL here, not 'mcts'"),
        ({"opponent": "network:ludo/ffa"}, "network:ludo/ffa does not play"),
        ({"opponent": "network:no/such"}, "there is no model no/such"),
        ({"opponent": "network:pferdeaepfel/trail", "num_envs": 0}, "num_envs must be from 1"),
        ({"seat": 2}, "from 0 to 1 or 'random', not 2"),
        ({"illegal": "ignore"}, "one of lose, raise"),
        ({"observation": "sound"}, "one of planes"),
        ({"render_mode": "ansi"}, "not rendered"),
        ({"sise": 3}, "unexpected keyword argument 'sise'"),
        ({"num_envs": 0}, "num_envs must be from 1"),
        ({"white_start": "c6", "black_start": "d4", "seat": 1, "opponent": "greedy"}, "seat 1 never acts"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        VectorSeat(**{"game": TRAIL, "num_envs": 2, **arguments})


# -- a network as opponent -----------------------------------------------------------------------

NETWORKS = ["pferdeaepfel/trail", "pferdeaepfel/free", "ludo/ffa", "ludo/teams", "diavolo/standard"]


@pytest.mark.parametrize("ruleset", NETWORKS)
def test_against_a_network_every_position_is_the_seats(ruleset: str) -> None:
    env = VectorSeat(ruleset, num_envs=6, seat="random", opponent=f"network:{ruleset}")
    observation, info = env.reset(seed=5)
    for step in range(40):
        assert env.observation_space.contains(observation)
        for index in range(env.num_envs):
            state = env._batch.state(index)
            assert state.player is not None and state.player == info["seat"][index]
            np.testing.assert_array_equal(observation[index], state.observation(state.player))
            np.testing.assert_array_equal(info["action_mask"][index], state.mask)
        observation, rewards, terminated, truncated, info = env.step(env.random_actions(seed=step))
        over = terminated | truncated
        assert not rewards[~over].any() and ("final_obs" in info) == over.any()


def test_the_network_plays_what_the_agent_plays() -> None:
    """Games against the network, played again by the single agent, action by action."""
    spec = "network:pferdeaepfel/trail"
    env, player = VectorSeat(TRAIL, num_envs=4, seat=1, opponent=spec), sw.agent(spec)
    env.reset(seed=3)
    expected = [sw.make(TRAIL).start(seed=sw.game_seed(3, index)) for index in range(4)]
    for state in expected:
        state.play(player.act(state))
    finished = 0
    for step in range(40):
        actions = env.random_actions(seed=step).copy()
        before = [env._batch.state(index) for index in range(4)]
        _, rewards, terminated, _, info = env.step(actions)
        for index, state in enumerate(before):
            if step == 0:
                assert state == expected[index]
            state.play(int(actions[index]))
            if not state.over:
                state.play(player.act(state))
            assert state.over == terminated[index]
            if state.over:
                finished += 1
                assert rewards[index] == state.returns[1]
                np.testing.assert_array_equal(info["final_obs"][index], state.observation(1))
                np.testing.assert_array_equal(info["final_info"]["returns"][index], state.returns)
            else:
                assert env._batch.state(index) == state
    assert finished > 4


def test_against_a_network_an_illegal_action_loses_its_own_game_only() -> None:
    spec = "network:pferdeaepfel/trail"
    env, strict = (VectorSeat(TRAIL, num_envs=3, opponent=spec, illegal=answer) for answer in ("lose", "raise"))
    for each in (env, strict):
        with pytest.raises(ValueError, match=r"call reset\(\) before stepping"):
            each.step(np.zeros(3, np.int64))
        each.reset(seed=1)
    actions = env.random_actions(seed=0).astype(np.int64)
    actions[1] = -1
    _, rewards, terminated, truncated, info = env.step(actions)
    assert rewards.tolist() == [0, -1, 0] and terminated.tolist() == [False, True, False] and not truncated.any()
    assert info["final_info"]["returns"][1].tolist() == [-1, 0]
    before = [strict._batch.state(index) for index in range(3)]
    with pytest.raises(ValueError, match="action -1 is illegal in game 1 of the batch; no game was stepped"):
        strict.step(actions)
    assert before == [strict._batch.state(index) for index in range(3)]


def test_against_a_network_a_seed_repeats_and_copies_go_on() -> None:
    envs = [VectorSeat("ludo/ffa", 8, seat="random", opponent="network:ludo/ffa,temperature=1") for _ in range(2)]
    for env in envs:
        env.reset(seed=7)
    assert random_steps(envs[0], 20) == random_steps(envs[1], 20)
    for twin in (copy.deepcopy(envs[0]), pickle.loads(pickle.dumps(envs[0]))):
        assert random_steps(twin, 20, first=20) == random_steps(copy.deepcopy(envs[0]), 20, first=20)


def test_forced_decisions_can_be_skipped_against_a_network() -> None:
    env = VectorSeat("ludo/ffa", 8, opponent="network:ludo/ffa", skip_forced=True)
    _, info = env.reset(seed=1)
    for step in range(30):
        assert (info["action_mask"].sum(1) > 1).all()
        *_, info = env.step(env.random_actions(seed=step))


# -- copies --------------------------------------------------------------------------------------

DUPLICATES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]


@pytest.mark.parametrize("duplicate", DUPLICATES)
@pytest.mark.parametrize("opponent", ["random", "greedy", "self"])
def test_a_copy_continues_identically(duplicate: Callable[[Any], Any], opponent: str) -> None:
    env = VectorSeat("ludo/ffa", num_envs=16, opponent=opponent, seat="random")
    if duplicate is copy.copy:
        return  # a shallow copy shares its batch, as shallow copies do
    env.reset(seed=4)
    random_steps(env, 50)
    twin = duplicate(env)
    assert random_steps(env, 100, first=50) == random_steps(twin, 100, first=50)


@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize("duplicate", DUPLICATES)
@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_copied_batch_continues_identically(
    ruleset: str, duplicate: Callable[[VectorEnv], VectorEnv], skip_forced: bool
) -> None:
    env = sw.vector(ruleset, num_envs=8, skip_forced=skip_forced)
    unstarted = duplicate(env)
    with pytest.raises(ValueError, match="reset"):
        unstarted.random_actions()
    env.reset(seed=11)
    for step in range(90):
        env.step(env.random_actions(seed=step))
    twin = duplicate(env)
    for name in ("observation", "mask", "reward", "terminated", "truncated", "seat", "points"):
        np.testing.assert_array_equal(getattr(twin, name), getattr(env, name))
    for step in range(90, 200):
        for ours, theirs in zip(
            env.step(env.random_actions(seed=step)), twin.step(twin.random_actions(seed=step)), strict=True
        ):
            np.testing.assert_array_equal(ours, theirs)
