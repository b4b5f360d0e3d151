"""The environments are found under their names, and nothing is loaded before it is used."""

import subprocess
import sys

import gymnasium
import pettingzoo
import pytest

import spielwerk as sw
from spielwerk.envs.aec import GameEnv
from spielwerk.envs.registration import game_modules
from spielwerk.envs.single_seat import SingleSeat

# A game need not have a PettingZoo module.
GAMES = sorted(game_modules().values())


@pytest.mark.parametrize("game", GAMES)
def test_pettingzoo_modules_are_named_after_games(game: str) -> None:
    assert any(ruleset.startswith(f"{game}/") for ruleset in sw.games())
    module = getattr(sw.envs, f"{game}_v0")
    assert f"{game}_v0" in dir(sw.envs)
    assert str(module.env()) == str(module.raw_env()) == f"{game}_v0"
    assert module.env().metadata["is_parallelizable"] is False
    assert not hasattr(module, "parallel_env")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("version", ["_v0", "-v0"])
def test_pettingzoo_finds_every_game(game: str, version: str) -> None:
    assert f"spielwerk/{game}-v0" in pettingzoo.aec_registry
    assert isinstance(pettingzoo.make("aec", f"spielwerk/{game}{version}"), GameEnv)


def test_pettingzoo_passes_ruleset_and_rules_on() -> None:
    env = pettingzoo.make("aec", "spielwerk/pferdeaepfel_v0", ruleset="trail", size=5)
    assert isinstance(env, GameEnv)
    assert env.game == sw.make("pferdeaepfel/trail", size=5)


@pytest.mark.parametrize("ruleset", sw.games())
def test_gymnasium_finds_every_ruleset(ruleset: str) -> None:
    env = gymnasium.make(f"spielwerk/{ruleset.replace('/', '-')}-v0").unwrapped
    assert isinstance(env, SingleSeat)
    assert env.game == sw.make(ruleset)


def test_gymnasium_passes_arguments_on() -> None:
    env = gymnasium.make("spielwerk/pferdeaepfel-trail-v0", seat=1, opponent="greedy", size=4).unwrapped
    assert isinstance(env, SingleSeat)
    assert env.game == sw.make("pferdeaepfel/trail", size=4)
    assert env.reset()[1]["seat"] == 1


def test_what_is_not_there_is_named() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'chess_v0'; there are: .*pferdeaepfel_v0"):
        sw.envs.chess_v0  # noqa: B018


@pytest.mark.parametrize(
    ("code", "loaded"),
    [
        ("import spielwerk", False),
        ("import spielwerk as sw; sw.envs.pferdeaepfel_v0.env()", True),
        ("import gymnasium; gymnasium.make('spielwerk.envs:spielwerk/pferdeaepfel-trail-v0')", True),
    ],
)
def test_libraries_are_loaded_when_used(code: str, loaded: bool) -> None:
    check = f"{code}; import sys; print('pettingzoo' in sys.modules, 'gymnasium' in sys.modules)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", check], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == [str(loaded)] * 2, done.stderr
