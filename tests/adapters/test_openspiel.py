"""Our games inside OpenSpiel: its own tests and its own search."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import spielwerk as sw

pyspiel: Any = pytest.importorskip("pyspiel", reason="OPENSPIEL IS NOT TESTED: make test-adapters installs it")
pytestmark = pytest.mark.filterwarnings("default")

from spielwerk.adapters.openspiel import as_openspiel, short_name  # noqa: E402


@pytest.mark.parametrize("ruleset", sw.games())
def test_openspiels_own_test_of_games(ruleset: str) -> None:
    game = pyspiel.load_game(short_name(ruleset))
    pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("ruleset", sw.games())
def test_every_step_agrees_with_the_state(ruleset: str) -> None:
    theirs = pyspiel.load_game(short_name(ruleset)).new_initial_state()
    ours, source = sw.make(ruleset).start(chance="explicit"), random.Random(3)
    observer = theirs.get_game().make_py_observer()
    while not ours.over:
        assert theirs.is_chance_node() == (ours.player == sw.CHANCE)
        assert theirs.legal_actions() == ours.legal_actions
        if ours.player == sw.CHANCE:
            assert theirs.chance_outcomes() == ours.outcomes
        else:
            assert ours.player is not None and theirs.current_player() == ours.player
            observer.set_from(theirs, ours.player)
            maxima = np.array([plane.maximum for plane in ours.game.planes])[:, None, None]
            np.testing.assert_allclose(observer.dict["planes"] * maxima, ours.observation(ours.player), rtol=1e-6)
        action = source.choice(ours.legal_actions)
        assert theirs.action_to_string(theirs.current_player(), action) == ours.text(action)
        twin = theirs.clone()
        theirs.apply_action(action)
        ours.play(action)
        assert str(theirs) == ours.to_text() != str(twin)
    assert theirs.is_terminal() and tuple(theirs.returns()) == ours.returns


def test_rule_parameters_reach_the_game() -> None:
    game = pyspiel.load_game("spielwerk_pferdeaepfel_trail", {"size": 4})
    assert game.num_distinct_actions() == 16
    assert as_openspiel(sw.make("pferdeaepfel/trail", size=4)).num_distinct_actions() == 16


@pytest.mark.parametrize("name", ["spielwerk_pferdeaepfel_trail", "spielwerk_ludo_ffa"])
def test_openspiels_mcts_plays(example: Callable[..., str], name: str) -> None:
    assert "returns: [" in example("openspiel_mcts.py", name, "2")
