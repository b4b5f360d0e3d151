"""Ludo for PettingZoo.

The first version.
"""

from spielwerk.envs.aec import GameEnv, game_env
from spielwerk.envs.single_game import Rule


def env(
    ruleset: str = "ffa",
    render_mode: str | None = None,
    illegal: str = "lose",
    observation: str = "dict",
    **rules: Rule,
) -> GameEnv:
    """A ruleset of Ludo, with the rule parameters of ``sw.make``. Forced moves and passes are asked for too."""
    return game_env(__name__, ruleset, render_mode, illegal, observation, rules)


raw_env = env  # there are no wrappers to leave out
