"""The Gymnasium view: the library's checker, opponents and seats, and MaskablePPO as it comes."""

import pickle
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils.env_checker import check_env

import spielwerk as sw
from spielwerk.envs.single_seat import SingleSeat

TRAIL = "pferdeaepfel/trail"


class Witness:
    """Plays the first legal action and remembers where it was asked."""

    def __init__(self) -> None:
        self.seats: list[int | None] = []

    def act(self, state: sw.State) -> int:
        self.seats.append(state.player)
        return state.legal_actions[0]


def play_out(env: SingleSeat, seed: int | None = None, **options: Any) -> list[Any]:
    """A random episode from the seat's side, as a list to compare."""
    source = random.Random(7)
    observation, info = env.reset(seed=seed, options=options)
    story: list[Any] = [info["seat"], observation.tobytes()]
    ended = False
    while not ended:
        np.testing.assert_array_equal(info["action_mask"], env.action_masks())
        action = int(source.choice(np.flatnonzero(env.action_masks())))
        observation, reward, terminated, truncated, info = env.step(action)
        ended = terminated or truncated
        story += [action, observation.tobytes(), reward, terminated, truncated]
    return story


@pytest.mark.parametrize("ruleset", sw.games())
def test_gymnasiums_checker_finds_nothing(ruleset: str) -> None:
    check_env(gymnasium.make(f"spielwerk/{ruleset.replace('/', '-')}-v0").unwrapped)


FORMS = ["planes", "float", "flat", "dict", "dict-float", "dict-flat"]


@pytest.mark.parametrize("form", FORMS)
def test_gymnasiums_checker_finds_nothing_in_any_form(form: str) -> None:
    check_env(gymnasium.make("spielwerk/ludo-ffa-v0", observation=form).unwrapped)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_shows_the_same_planes(form: str) -> None:
    env = SingleSeat("ludo/ffa", observation=form)
    observation, info = env.reset(seed=3)
    assert env.observation_space.contains(observation)
    if form.startswith("dict"):
        np.testing.assert_array_equal(observation["action_mask"], info["action_mask"])
        observation = observation["observation"]
    planes = env.game_state.observation(0)
    if form.removeprefix("dict").removeprefix("-") in ("float", "flat"):
        assert observation.dtype == np.float32 and observation.max() <= 1
        maxima = np.array([plane.maximum for plane in env.game.planes])
        observation = observation.reshape(planes.shape) * maxima[:, None, None]
    np.testing.assert_allclose(observation, planes, rtol=1e-6)


def test_infos_have_the_same_keys_in_every_step() -> None:
    env = SingleSeat(TRAIL)
    _, info = env.reset(seed=0)
    keys = {"action_mask", "seat", "reason", "refusal"}
    assert info.keys() == keys and info["reason"] == info["refusal"] == ""
    while not env.game_state.over:
        *_, info = env.step(env.game_state.legal_actions[0])
        assert info.keys() == keys
    assert info["reason"] and info["refusal"] == ""


def test_an_unknown_keyword_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'sise'; rule parameters of .* are: size"):
        SingleSeat(TRAIL, sise=5)
    with pytest.raises(ValueError, match="size must be"):
        SingleSeat(TRAIL, size=99)


@pytest.mark.parametrize("form", ["flat", "dict-flat"])  # it takes every array of three dimensions for an image
def test_stable_baselines_checker_finds_nothing(form: str) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(SingleSeat(TRAIL, observation=form))


@pytest.mark.parametrize("seat", [0, 1, "random"])
@pytest.mark.parametrize("ruleset", sw.games())
def test_the_reward_is_the_seats_own_return(ruleset: str, seat: int | str) -> None:
    env = SingleSeat(ruleset, seat=seat)
    for episode in range(4):
        *_, reward, terminated, truncated = play_out(env, seed=episode)
        state = env.game_state
        own = env.reset(seed=episode)[1]["seat"]
        assert state.over and (terminated, truncated) == (not state.truncated, state.truncated)
        assert reward == state.returns[own]


@pytest.mark.parametrize("ruleset", sw.games())
def test_the_seat_sees_and_may_do_what_the_state_says(ruleset: str) -> None:
    env = SingleSeat(ruleset, seat=1, opponent="greedy")
    observation, info = env.reset(seed=2)
    while (state := env.game_state).player is not None:
        assert state.player == 1
        np.testing.assert_array_equal(observation, state.observation(1))
        np.testing.assert_array_equal(info["action_mask"], state.mask)
        assert env.action_masks().dtype == bool
        assert env.observation_space.contains(observation)
        observation, *_, info = env.step(state.legal_actions[-1])
    np.testing.assert_array_equal(observation, state.observation(1))
    assert info["action_mask"].all() and env.action_masks().all()
    assert info["reason"] == state.reason


@pytest.mark.parametrize("opponent", ["random", "greedy", "random:seed=5"])
def test_a_seed_repeats_the_episodes(opponent: str) -> None:
    one, other = (SingleSeat("pferdeaepfel/carry", seat="random", opponent=opponent) for _ in range(2))
    play_out(one)
    for seed in (0, 1):
        assert play_out(one, seed) == play_out(other, seed)
        assert [play_out(one) for _ in range(3)] == [play_out(other) for _ in range(3)]
        assert play_out(one, opponent="random") == play_out(other, opponent="random")


def test_a_random_seat_is_drawn_for_every_episode() -> None:
    env = SingleSeat(TRAIL, seat="random")
    env.reset(seed=0)
    assert min(Counter(env.reset()[1]["seat"] for _ in range(60)).values()) > 15


@pytest.mark.parametrize("opponents", [lambda one: one, lambda one: [one]])
@pytest.mark.parametrize("seat", [0, 1])
def test_an_agent_object_plays_the_other_seat(seat: int, opponents: Callable[[Witness], Any]) -> None:
    witness = Witness()
    play_out(SingleSeat(TRAIL, seat=seat, opponent=opponents(witness)))
    assert set(witness.seats) == {1 - seat}


def test_a_new_opponent_sits_down_at_the_next_reset() -> None:
    first, second, guest = Witness(), Witness(), Witness()
    env = SingleSeat(TRAIL, opponent=first)
    env.reset()
    env.set_opponent(second)
    env.step(env.game_state.legal_actions[0])
    assert (len(first.seats), len(second.seats)) == (1, 0)
    play_out(env, opponent=guest, seat=1)
    assert guest.seats and set(guest.seats) == {0} and not second.seats
    play_out(env)
    assert set(second.seats) == {1}


def test_an_episode_can_begin_in_a_set_up_position() -> None:
    env = SingleSeat(TRAIL, opponent=Witness())
    text = "W7/8/8/8/8/8/8/7B b"
    env.reset(options={"position": text})
    expected = sw.make(TRAIL).from_text(text)
    expected.play(expected.legal_actions[0])
    assert env.game_state == expected


def test_a_seat_that_never_acts_is_no_episode() -> None:
    env = SingleSeat(TRAIL, seat=0, opponent="greedy")
    black_captures_at_once = "8/8/2W5/8/3B4/8/8/8 b"
    with pytest.raises(ValueError, match="seat 0 of pferdeaepfel/trail never acts"):
        env.reset(options={"position": black_captures_at_once})
    assert env.reset(options={"position": black_captures_at_once, "seat": 1})[1]["seat"] == 1


def test_an_illegal_action_loses() -> None:
    env = SingleSeat(TRAIL)
    env.reset()
    before = env.game_state
    _, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, info["reason"]) == (-1.0, True, False, "illegal")
    assert info["refusal"] and env.game_state == before
    with pytest.raises(sw.IllegalAction, match=r"reset\(\) starts a new one"):
        env.step(0)


def test_an_illegal_action_can_raise_instead() -> None:
    env = SingleSeat(TRAIL, illegal="raise")
    env.reset()
    before = env.game_state
    with pytest.raises(sw.IllegalAction):
        env.step(0)
    assert env.game_state == before
    assert not env.step(before.legal_actions[0])[2]


def test_an_opponent_that_cheats_is_called_out() -> None:
    class Cheat:
        def act(self, state: sw.State) -> int:
            return -1

    env = SingleSeat(TRAIL, opponent=Cheat())
    env.reset()
    with pytest.raises(RuntimeError, match=r"the opponent on seat 1 plays an illegal action: .*no action -1"):
        env.step(env.game_state.legal_actions[0])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"game": "chess"}, "unknown ruleset"),
        ({"seat": 2}, "from 0 to 1 or 'random', not 2"),
        ({"seat": "white"}, "from 0 to 1 or 'random', not 'white'"),
        ({"opponent": "wizard"}, "unknown agent 'wizard'"),
        ({"opponent": 3}, "an agent or a spec like 'greedy', not int"),
        ({"opponent": ["random", "random"]}, r"1 other seat\(s\), but 2 opponents"),
        ({"render_mode": "hologram"}, "one of ansi, human"),
        ({"observation": "sound"}, "one of planes, float, flat, dict, dict-float, dict-flat, not 'sound'"),
        ({"illegal": "ignore"}, "one of lose, raise"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        SingleSeat(**{"game": TRAIL, **arguments})


def test_a_game_has_its_rules_already() -> None:
    with pytest.raises(ValueError, match="not wanted: size"):
        SingleSeat(sw.make(TRAIL), size=4)


CALLS: list[Callable[[SingleSeat], object]] = [
    lambda env: env.step(0),
    lambda env: env.action_masks(),
    lambda env: env.render(),
    lambda env: env.game_state,
]


@pytest.mark.parametrize("call", CALLS)
def test_calls_come_after_reset_and_before_close(call: Callable[[SingleSeat], object]) -> None:
    env = SingleSeat(sw.make(TRAIL))
    with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
        call(env)
    env.reset()
    env.close()
    for late in (call, SingleSeat.reset):
        with pytest.raises(ClosedEnvironmentError, match="make a new environment"):
            late(env)


def test_copies_go_on_alike() -> None:
    env = SingleSeat("pferdeaepfel/carry", seat="random")
    env.reset(seed=1)
    twin = pickle.loads(pickle.dumps(env))
    assert [play_out(env) for _ in range(3)] == [play_out(twin) for _ in range(3)]


def test_maskable_ppo_trains_on_it_as_it_comes() -> None:
    torch = pytest.importorskip("torch")
    sb3_contrib = pytest.importorskip("sb3_contrib")
    torch.set_num_threads(1)
    env = gymnasium.make("spielwerk/pferdeaepfel-trail-v0", seat="random", illegal="raise")
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=256, batch_size=128, seed=0, device="cpu")
    model.learn(512)  # an unmasked choice would raise
    observation, info = env.reset(seed=1)
    action, _ = model.predict(observation, action_masks=info["action_mask"])
    assert info["action_mask"][action]
    assert model.policy.features_dim == observation.size
