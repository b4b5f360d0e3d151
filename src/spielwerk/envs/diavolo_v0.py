"""DiavoloPP for PettingZoo.

The first version.
"""

from spielwerk.envs.aec import GameEnv, game_env
from spielwerk.envs.single_game import Rule


def env(
    ruleset: str = "standard",
    render_mode: str | None = None,
    illegal: str = "lose",
    observation: str = "dict",
    **rules: Rule,
) -> GameEnv:
    """DiavoloPP on a board of any `side`, with the rule parameters of ``sw.make``."""
    return game_env(__name__, ruleset, render_mode, illegal, observation, rules)


raw_env = env  # there are no wrappers to leave out
