"""The PettingZoo environments: the library's own tests, agreement with State, and every kind of misuse."""

import copy
import importlib
import pickle
import random
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from pettingzoo.utils import wrappers

import spielwerk as sw
from spielwerk.envs.aec import GameEnv

zoo_tests: Any = importlib.import_module("pettingzoo.test")  # untyped
# A game need not have a PettingZoo module.
RULESETS = [name for name in sw.games() if f"{name.partition('/')[0]}_v0" in dir(sw.envs)]
TRAIL = "pferdeaepfel/trail"


def make(ruleset: str = TRAIL, **arguments: Any) -> GameEnv:
    game, _, name = ruleset.partition("/")
    env: GameEnv = getattr(sw.envs, f"{game}_v0").env(ruleset=name, **arguments)
    return env


def random_legal(mask: np.ndarray[Any, Any], source: random.Random) -> int:
    return int(source.choice(np.flatnonzero(mask)))


def play_on(env: GameEnv, plies: int) -> None:
    source = random.Random(0)
    for _ in range(plies):
        env.step(random_legal(env.infos[env.agent_selection]["action_mask"], source))


def play_out(env: GameEnv) -> None:
    while not any(env.terminations.values()):
        play_on(env, 1)


# -- PettingZoo's own tests ----------------------------------------------------------------------


@pytest.fixture
def masked_observations_are_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this, `api_test` warns of every dict observation but those of the games it lists by name."""
    api_test = importlib.import_module("pettingzoo.test.api_test")
    names = sorted({f"{ruleset.partition('/')[0]}_v0" for ruleset in RULESETS})
    for listed in ("env_obs_dicts", "env_obs_space"):
        monkeypatch.setattr(api_test, listed, [*getattr(api_test, listed), *names])


@pytest.mark.usefixtures("masked_observations_are_expected")
@pytest.mark.parametrize("ruleset", RULESETS)
def test_api(ruleset: str) -> None:
    zoo_tests.api_test(make(ruleset))


@pytest.mark.usefixtures("masked_observations_are_expected")
def test_api_holds_inside_pettingzoos_wrappers() -> None:
    env = wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(make(), illegal_reward=-1))
    zoo_tests.api_test(wrappers.OrderEnforcingWrapper(env))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_seed(ruleset: str) -> None:
    zoo_tests.seed_test(lambda: make(ruleset))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_render(ruleset: str) -> None:
    zoo_tests.render_test(
        lambda render_mode: make(ruleset, render_mode=render_mode),
        custom_tests={"svg": lambda picture: picture.startswith("<svg"), "ansi": lambda picture: "\n" in picture},
    )


# -- agreement with State ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_step_agrees_with_the_state(ruleset: str, seed: int) -> None:
    env, state, source = make(ruleset), sw.make(ruleset).start(seed), random.Random(seed)
    env.reset(seed=seed)
    while not state.over:
        check_running(env, state)
        action = random_legal(state.mask, source)
        env.step(action)
        state.play(action)
    check_ended(env, state)


def check_running(env: GameEnv, state: sw.State) -> None:
    assert env.game_state == state
    assert env.agents == env.possible_agents
    assert env.agent_selection == f"player_{state.player}"
    for seat, agent in enumerate(env.agents):
        observation = env.observe(agent)
        mask = state.mask if seat == state.player else np.zeros_like(state.mask)
        np.testing.assert_array_equal(observation["observation"], state.observation(seat))
        np.testing.assert_array_equal(observation["action_mask"], mask)
        np.testing.assert_array_equal(env.infos[agent]["action_mask"], mask)
        assert env.observation_space(agent).contains(observation)
        assert env.infos[agent].keys() == {"action_mask", "reason", "refusal"}
    assert not any([*env.rewards.values(), *env.terminations.values(), *env.truncations.values()])


def check_ended(env: GameEnv, state: sw.State) -> None:
    assert tuple(env.rewards.values()) == state.returns
    for seat, agent in enumerate(env.possible_agents):
        assert env.agent_selection == agent
        observation, reward, terminated, truncated, info = env.last()
        np.testing.assert_array_equal(observation["observation"], state.observation(seat))
        assert observation["action_mask"].all() and info["action_mask"].all()
        assert (reward, terminated, truncated) == (state.returns[seat], not state.truncated, state.truncated)
        assert info["reason"] == state.reason
        env.step(None)
        assert env.observe(agent)["action_mask"].all()
    assert env.agents == []


def test_a_ply_limit_truncates() -> None:
    env = GameEnv(sw.make(TRAIL), "trail_v0")
    env.reset(seed=0)
    env._state = LastPly(env.game_state)  # type: ignore[assignment]
    env.step(env.game.start().legal_actions[0])
    assert env.truncations == {"player_0": True, "player_1": True}
    assert env.terminations == {"player_0": False, "player_1": False}
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}


class LastPly:
    """A state that a limit ends with its next action; no ruleset of Pferdeäpfel has one."""

    def __init__(self, state: sw.State) -> None:
        self.state, self.player, self.truncated, self.reason = state, state.player, False, ""
        self.returns = (0.0, 0.0)

    def play(self, action: int) -> None:
        self.state.play(action)
        self.player, self.truncated, self.reason = None, True, "limit"


def test_turns_of_several_actions_are_steps_of_one_agent() -> None:
    env = make("pferdeaepfel/free")
    env.reset()
    assert env.agent_selection == "player_0"
    play_on(env, 1)
    assert env.agent_selection == "player_0"
    play_on(env, 1)
    assert env.agent_selection == "player_1"


@pytest.mark.parametrize("form", ["dict-float", "dict-flat"])
@pytest.mark.parametrize("ruleset", RULESETS)
def test_planes_can_be_numbers_from_0_to_1(ruleset: str, form: str) -> None:
    env = make(ruleset, observation=form)
    env.reset(seed=2)
    play_on(env, 3)
    state = env.game_state
    for seat, agent in enumerate(env.agents):
        observation = env.observe(agent)
        assert env.observation_space(agent).contains(observation)
        np.testing.assert_allclose(observation["observation"].ravel(), scaled(state, seat).ravel(), rtol=1e-6)


def scaled(state: sw.State, seat: int) -> np.ndarray[Any, Any]:
    """Every plane divided by the maximum that the game declares for it."""
    maxima = [plane.maximum for plane in state.game.planes]
    return np.stack([plane / most for plane, most in zip(state.observation(seat), maxima, strict=True)])


# -- how a game begins ---------------------------------------------------------------------------


def starters(env: GameEnv, resets: int) -> list[str]:
    chosen = []
    for _ in range(resets):
        env.reset()
        chosen.append(env.agent_selection)
    return chosen


def test_a_seed_fixes_this_game_and_those_that_follow() -> None:
    one, other = make("pferdeaepfel/carry"), make("pferdeaepfel/carry")
    for seed in range(8):
        one.reset(seed=seed)
        other.reset(seed=np.int64(seed))  # type: ignore[arg-type]
        assert one.agent_selection == other.agent_selection == f"player_{one.game.start(seed).player}"
        assert starters(one, 20) == starters(other, 20)
    assert set(starters(one, 40)) == {"player_0", "player_1"}


def test_a_seed_is_a_whole_number() -> None:
    with pytest.raises(TypeError):
        make().reset(seed=1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_game_can_begin_in_a_set_up_position(ruleset: str) -> None:
    env = make(ruleset)
    env.reset(seed=3)
    play_on(env, 5)
    position = env.game_state
    env.reset(options={"position": position.to_text()})
    check_running(env, position)


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ("W7/8/8/8/8/8/8/8 w", "horse"),
        (7, "must be a text, not int"),
        ("Wooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooo/oooooooB w", "the game is over"),
    ],
)
def test_positions_that_cannot_be_played_are_refused(position: object, reason: str) -> None:
    env = make()
    env.reset()
    play_on(env, 3)
    before = env.game_state
    with pytest.raises(ValueError, match=reason):
        env.reset(options={"position": position})
    assert env.game_state == before


def test_rule_parameters_reach_the_game() -> None:
    env = make(size=5, white_start="b4")
    assert env.game == sw.make(TRAIL, size=5, white_start="b4")
    assert env.action_space("player_0").n == 25  # type: ignore[attr-defined]


# -- misuse --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", RULESETS)
def test_an_illegal_action_names_the_rule_and_changes_nothing(ruleset: str) -> None:
    env = make(ruleset, illegal="raise")
    env.reset(seed=1)
    play_on(env, 2)
    before = copy.deepcopy(env)
    illegal = [int(action) for action in np.flatnonzero(env.game_state.mask == 0)]
    for action in [*illegal, -1, env.game.num_actions, 2**70, "nonsense", 1.5, [1], None]:
        with pytest.raises(sw.IllegalAction) as refusal:
            env.step(action)  # type: ignore[arg-type]
        assert refusal.value.reason and refusal.value.code
    check_running(env, before.game_state)


def test_an_illegal_action_loses_the_game() -> None:
    env = make()
    env.reset()
    play_on(env, 1)
    before = env.game_state
    env.step(-1)
    assert env.rewards == {"player_0": 0.0, "player_1": -1.0}
    assert env.terminations == {"player_0": True, "player_1": True}
    assert "no action -1" in env.infos["player_1"]["refusal"]
    assert env.game_state == before
    for reward in (0.0, -1.0):
        assert env.last()[1:4] == (reward, True, False)
        env.step(None)


def test_finished_agents_step_with_none_and_then_no_more() -> None:
    env = make()
    env.reset()
    play_out(env)
    with pytest.raises(sw.IllegalAction, match="its last step is None"):
        env.step(0)
    env.step(None)
    env.step(None)
    with pytest.raises(sw.IllegalAction, match=r"reset\(\) starts a new one"):
        env.step(None)
    with pytest.raises(ResetNeeded, match=r"reset\(\) starts a new one"):
        env.last()
    env.reset()
    assert env.agents == ["player_0", "player_1"]


CALLS: list[Callable[[GameEnv], object]] = [
    lambda env: env.step(0),
    lambda env: env.observe("player_0"),
    lambda env: env.render(),
    lambda env: env.game_state,
]
KNOWN_AFTER_RESET = ["agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos"]


@pytest.mark.parametrize("call", CALLS)
def test_nothing_works_before_reset(call: Callable[[GameEnv], object]) -> None:
    with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
        call(make())


@pytest.mark.parametrize("name", KNOWN_AFTER_RESET)
def test_nothing_is_known_before_reset(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"{name}|agents is not known before reset"):
        getattr(make(), name)
    with pytest.raises(AttributeError, match="has no attribute 'rewardz'"):
        make().rewardz  # noqa: B018


@pytest.mark.parametrize("call", [*CALLS, lambda env: env.reset()])
def test_nothing_works_after_close(call: Callable[[GameEnv], object]) -> None:
    env = make()
    env.reset()
    env.close()
    env.close()
    with pytest.raises(ClosedEnvironmentError, match="make a new environment"):
        call(env)


def test_agent_iter_notices_a_missing_step() -> None:
    env = make()
    env.reset()
    with pytest.raises(RuntimeError, match=r"player_0 was asked to act, but step\(\) was not called"):
        list(env.agent_iter())
    asked = []
    for agent in env.agent_iter(2):
        asked.append(agent)
        play_on(env, 1)
    assert asked == ["player_0", "player_1"]


@pytest.mark.parametrize("ask", [GameEnv.observe, GameEnv.observation_space, GameEnv.action_space])
def test_unknown_agents_are_named(ask: Callable[[GameEnv, str], object]) -> None:
    env = make()
    env.reset()
    with pytest.raises(ValueError, match="no agent 'white'; there are: player_0, player_1"):
        ask(env, "white")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"ruleset": "chess"}, "unknown ruleset 'pferdeaepfel/chess'"),
        ({"sise": 5}, "unexpected keyword argument 'sise'; rule parameters of pferdeaepfel/classic are: size"),
        ({"observation": "flat"}, "one of dict, dict-float, dict-flat, not 'flat'"),
        ({"size": 99}, "size"),
        ({"render_mode": "hologram"}, "one of ansi, human, rgb_array, svg, not 'hologram'"),
        ({"illegal": "ignore"}, "one of lose, raise, not 'ignore'"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        sw.envs.pferdeaepfel_v0.env(**arguments)


# -- pictures and copies -------------------------------------------------------------------------


def test_human_mode_draws_every_position(capsys: pytest.CaptureFixture[str]) -> None:
    env = make(render_mode="human")
    env.reset()
    first = env.game_state
    play_on(env, 1)
    assert capsys.readouterr().out == f"{first}\n\n{env.game_state}\n\n"


def test_human_mode_shows_the_picture_inside_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[sw.State] = []
    notebook, display = ModuleType("IPython"), ModuleType("IPython.display")
    notebook.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    display.display = shown.append  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    env = make(render_mode="human")
    env.reset()
    assert shown == [env.game_state]


def test_rendering_without_a_mode_warns() -> None:
    env = make()
    env.reset()
    with pytest.warns(UserWarning, match="there are: ansi, human, rgb_array, svg"):
        assert env.render() is None


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_alike(duplicate: Callable[[GameEnv], GameEnv]) -> None:
    duplicate(make())
    env = make("pferdeaepfel/carry")
    env.reset(seed=4)
    play_on(env, 7)
    twin = duplicate(env)
    check_running(twin, env.game_state)
    play_on(env, 1)
    assert twin.game_state != env.game_state
    play_on(twin, 1)
    check_running(twin, env.game_state)
    assert starters(env, 20) == starters(twin, 20)
