"""Our games inside OpenSpiel: its own tests and its own search."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import spielwerk as sw

pyspiel: Any = pytest.importorskip("pyspiel", reason="OPENSPIEL IS NOT TESTED: make test-adapters installs it")
pytestmark = pytest.mark.filterwarnings("default")

from spielwerk.adapters.openspiel import as_openspiel, beginnings, short_name  # noqa: E402


@pytest.mark.parametrize("ruleset", sw.games())
def test_openspiels_own_test_of_games(ruleset: str) -> None:
    game = pyspiel.load_game(short_name(ruleset))
    pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("ruleset", sw.games())
def test_every_step_agrees_with_the_state(ruleset: str) -> None:
    theirs = pyspiel.load_game(short_name(ruleset)).new_initial_state()
    games, source = beginnings(sw.make(ruleset)), random.Random(3)
    ours = games[-1].start(chance="explicit")
    if len(games) > 1:
        theirs.apply_action(len(games) - 1)
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


def test_who_begins_is_drawn_by_a_chance_node() -> None:
    game = pyspiel.load_game("spielwerk_pferdeaepfel_carry")
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    beginning, firsts = game.new_initial_state(), []
    assert beginning.is_chance_node() and beginning.chance_outcomes() == [(0, 0.5), (1, 0.5)]
    for action, _ in beginning.chance_outcomes():
        firsts.append(beginning.child(action).current_player())
    assert sorted(firsts) == [0, 1]
    assert (
        pyspiel.load_game("spielwerk_pferdeaepfel_carry", {"starter": "black"}).new_initial_state().current_player()
        == 1
    )


def test_rule_parameters_reach_the_game() -> None:
    game = pyspiel.load_game("spielwerk_pferdeaepfel_trail", {"size": 4})
    assert game.num_distinct_actions() == 16
    assert as_openspiel(sw.make("pferdeaepfel/trail", size=4)).num_distinct_actions() == 16


@pytest.mark.parametrize("name", ["spielwerk_pferdeaepfel_trail", "spielwerk_ludo_ffa"])
def test_openspiels_mcts_plays(example: Callable[..., str], name: str) -> None:
    assert "returns: [" in example("openspiel_mcts.py", name, "2")


def reply_value(state: sw.State, seat: int) -> float:
    """What a seat gets at most from an opponent who plays every legal action equally often."""
    if state.over:
        return state.returns[seat]
    values = []
    for action in state.legal_actions:
        after = state.clone()
        after.play(action)
        values.append(reply_value(after, seat))
    return max(values) if state.player == seat else sum(values) / len(values)


def test_openspiels_exploitability_agrees_with_playing_everything_out() -> None:
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    rules = sw.make("pferdeaepfel/trail", size=4)
    game = as_openspiel(rules)
    expected = reply_value(rules.start(), 0) + reply_value(rules.start(), 1)
    assert exploitability.nash_conv(game, policy.UniformRandomPolicy(game)) == pytest.approx(expected)


def test_what_the_solver_plays_cannot_be_exploited() -> None:
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    rules = sw.make("pferdeaepfel/trail", size=4)

    class Perfect(policy.Policy):  # type: ignore[misc]
        def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
            best = sw.solve(state.position).line[0]
            return {action: float(action == best) for action in state.legal_actions()}

    game = as_openspiel(rules)
    assert exploitability.exploitability(game, Perfect(game, [0, 1])) == pytest.approx(0)
