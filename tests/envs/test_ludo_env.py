"""Ludo through every environment: two, three and four players, teams, batches and a single seat."""

from __future__ import annotations

import importlib
import random
from typing import Any

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.envs.aec import GameEnv
from spielwerk.records import Record, Recorder

zoo_tests: Any = importlib.import_module("pettingzoo.test")  # untyped

SETTINGS: list[dict[str, Any]] = [
    {"ruleset": "ffa", "players": 2},
    {"ruleset": "ffa", "players": 3},
    {"ruleset": "ffa", "players": 4},
    {"ruleset": "ffa", "players": 3, "ranking": True},
    {"ruleset": "ffa", "colours": "yellow,red"},
    {"ruleset": "teams"},
]
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: "-".join(map(str, s.values())))


def make(setting: dict[str, Any]) -> GameEnv:
    return sw.envs.ludo_v0.env(**setting)


def game_of(setting: dict[str, Any]) -> sw.Game:
    rules = {name: value for name, value in setting.items() if name != "ruleset"}
    return sw.make(f"ludo/{setting['ruleset']}", **rules)


@pytest.fixture
def masked_observations_are_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this, `api_test` warns of every dict observation but those of the games it lists by name."""
    api_test = importlib.import_module("pettingzoo.test.api_test")
    for listed in ("env_obs_dicts", "env_obs_space"):
        monkeypatch.setattr(api_test, listed, [*getattr(api_test, listed), "ludo_v0"])


# --- PettingZoo -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("masked_observations_are_expected")
@every_setting
def test_pettingzoos_own_test_passes(setting: dict[str, Any]) -> None:
    zoo_tests.api_test(make(setting))


@every_setting
def test_pettingzoos_seed_test_passes(setting: dict[str, Any]) -> None:
    zoo_tests.seed_test(lambda: make(setting))


@every_setting
def test_there_is_one_agent_per_player(setting: dict[str, Any]) -> None:
    env = make(setting)
    assert env.possible_agents == [f"player_{seat}" for seat in range(game_of(setting).num_players)]


def test_pettingzoo_never_skips_a_forced_decision() -> None:
    env = make({"ruleset": "ffa"})
    env.reset(seed=1)
    rng, forced = random.Random(1), 0
    for _ in range(200):
        legal = np.flatnonzero(env.infos[env.agent_selection]["action_mask"])
        forced += len(legal) == 1
        env.step(int(rng.choice(legal)))
    assert forced > 40


def test_max_plies_truncates() -> None:
    env = make({"ruleset": "teams", "max_plies": 5})
    env.reset(seed=1)
    for _ in range(5):
        env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0]))
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    assert not any(env.rewards.values())


def test_teammates_are_rewarded_alike() -> None:
    env = make({"ruleset": "teams"})
    env.reset(
        seed=1,
        options={
            "position": "G!=f,f,f,f Y=y,y,y,y B!=f,f,f,h4 R=y,y,y,y turn=B die=1 sixes=0000 plies=9",
        },
    )
    env.step(3)
    assert list(env.rewards.values()) == [1.0, -1.0, 1.0, -1.0]


# --- Batches --------------------------------------------------------------------------------------------------


@every_setting
def test_skipping_forced_decisions_changes_no_outcome(setting: dict[str, Any]) -> None:
    """The same choices at the same real decisions lead both batches through the same games."""
    game = game_of(setting)
    plain, skipping = (sw.vector(game, num_envs=1, skip_forced=skip) for skip in (False, True))
    plain.reset(seed=7)
    skipping.reset(seed=7)
    rng, games = random.Random(3), 0
    while games < 3:
        reward, over = play_forced(plain)
        games += over
        if over:
            continue
        assert plain.state(0) == skipping.state(0)
        action = np.array([rng.choice(np.flatnonzero(plain.mask[0]))])
        _, _, _, ended, cut, _ = skipping.step(action)
        paid, done = skipping.reward[0].copy(), bool(ended[0] or cut[0])
        plain.step(action)
        if not (plain.terminated[0] or plain.truncated[0]):
            reward, over = play_forced(plain)
        else:
            reward, over = plain.reward[0].copy(), True
        assert (over, reward.tolist()) == (done, paid.tolist())
        games += over


def play_forced(env: Any) -> tuple[Any, bool]:
    """Steps while there is no choice; the rewards and whether a game ended."""
    while env.mask[0].sum() == 1:
        env.step(np.flatnonzero(env.mask[0]))
        if env.terminated[0] or env.truncated[0]:
            return env.reward[0].copy(), True
    return np.zeros(env.game.num_players), False


# --- A single seat --------------------------------------------------------------------------------------------


@every_setting
def test_a_single_seat_plays_to_the_end(setting: dict[str, Any]) -> None:
    game = game_of(setting)
    env = sw.envs.SingleSeat(game, seat=1, opponent="greedy")
    _, info = env.reset(seed=2)
    rng, over, reward = random.Random(2), False, 0.0
    while not over:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        observation, reward, terminated, truncated, info = env.step(action)
        assert observation.shape == game.observation_shape
        over = terminated or truncated
    assert reward in ((1.0, 0.0, -1.0) if game.rules.get("ranking") else (1.0, -1.0))


# --- Records --------------------------------------------------------------------------------------------------


@every_setting
def test_records_keep_the_dice_and_replay_exactly(setting: dict[str, Any]) -> None:
    recorder, rng = Recorder(game_of(setting), seed=5), random.Random(5)
    while not recorder.state.over:
        recorder.play(rng.choice(recorder.state.legal_actions))
    record = Record.from_json(recorder.record.to_json())
    dice = [action for action in record.actions if action.startswith("d")]
    assert set(dice) == {"d1", "d2", "d3", "d4", "d5", "d6"}
    assert len(dice) >= len(record.actions) / 2  # void rolls are followed by no decision
    assert record.replay() == recorder.state
