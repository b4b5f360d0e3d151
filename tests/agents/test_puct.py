"""PUCT with networks: legal everywhere, repeatable, on time, exact where results are certain, clear on bad models."""

import copy
import pickle
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spielwerk as sw
from spielwerk import _core
from spielwerk.agents.network import SHIPPED, shipped_models
from spielwerk.agents.puct import _by_seat, most_positions
from tests.agents.test_gumbel import answers

pytest.importorskip("onnxruntime")


@pytest.mark.parametrize("name", shipped_models())
def test_it_plays_every_game_legally_with_the_shipped_model(name: str) -> None:
    agent, state = sw.agent("puct:sims=20,seed=1"), sw.make(name).start(seed=1)
    assert agent.plays(state.game)
    for _ in range(12):
        before = state.clone()
        action = agent.act(state)
        assert state == before and action in state.legal_actions
        state.play(action)


def test_the_same_seed_thinks_the_same_and_copies_do_too() -> None:
    state = sw.make("ludo/ffa").start(seed=2)
    agents = [sw.agent("puct:sims=60,seed=4") for _ in range(2)]
    first = agents[0].analyse(state)
    assert first.lines == agents[1].analyse(state).lines and first.nodes >= 60
    for twin in (copy.copy(agents[0]), copy.deepcopy(agents[0]), pickle.loads(pickle.dumps(agents[0]))):
        assert twin.spec == agents[0].spec and twin.act(state) in state.legal_actions


@pytest.mark.parametrize("sims", [1, 2, 17, 200])
def test_simulations_are_counted(sims: int) -> None:
    analysis = sw.agent(f"puct:sims={sims},seed=1").analyse(sw.make("pferdeaepfel/classic").start())
    assert sims <= analysis.nodes <= sims + 16
    assert sum(line.visits for line in analysis.lines) == analysis.nodes - 1, "the root's own evaluation is no visit"


def test_it_stops_on_time_and_when_asked() -> None:
    agent, state = sw.agent("puct:ms=60"), sw.make("pferdeaepfel/free").start()
    agent.act(state)
    start = time.process_time()
    agent.act(state)
    assert time.process_time() - start < 0.5


def searched(search: _core.Puct, state: sw.State, simulations: int) -> _core.Report:
    """With the network that was never trained."""
    search.begin(state, 1)
    while search.simulations < simulations and not search.finished:
        planes = search.select()
        if len(planes):
            search.judge(*answers(state.game, planes))
    return search.report()


@pytest.mark.parametrize(("name", "rules"), [("pferdeaepfel/trail", {"size": 4}), ("diavolo/standard", {"side": 3})])
@pytest.mark.parametrize("batch", [1, 16])
def test_results_are_proved_as_the_solver_proves_them(name: str, rules: dict[str, Any], batch: int) -> None:
    game = sw.make(name, **rules)
    search, solver = _core.puct(game, batch), _core.Solver(game)
    proved = 0
    for seed in range(30):
        state = game.start(seed=seed)
        source = np.random.default_rng(seed)
        for _ in range(8):
            if not state.over:
                state.play(int(source.choice(state.legal_actions)))
        if state.over:
            continue
        report = searched(search, state, 4000)
        if report.proved:
            verdict = solver.solve(state, distance=False).verdict
            assert report.lines[0].value == {"win": 1, "draw": 0, "loss": -1}[verdict]
            assert report.lines[0].proved
            proved += 1
    assert proved >= 10


def test_a_golden_apple_is_a_proof() -> None:
    """The winner is settled by it; that White wins need not be followed to the end of the game."""
    game = sw.make("pferdeaepfel/classic", brown=2, golden=12)
    state = game.start()
    state.play(state.legal_actions[0])
    assert state.settled is None
    best = searched(_core.puct(game, 4), state, 4000).lines[0]
    assert best.proved and best.value == 1 and len(best.actions) < 6


def test_below_a_golden_apple_the_game_is_searched_on() -> None:
    game = sw.make("pferdeaepfel/classic", brown=2, golden=12)
    state = game.start()
    search = _core.puct(game, 1)
    while state.settled is None:
        state.play(searched(search, state, 200).lines[0].actions[0])
    report = searched(search, state, 200)
    assert len(report.lines) == len(state.legal_actions) and report.lines[0].visits > 10


@pytest.mark.parametrize("batch", [1, 7, 64])
def test_virtual_losses_leave_nothing_behind(batch: int) -> None:
    """Visits add up, and no mean value is beyond what the network said."""
    game = sw.make("pferdeaepfel/classic")
    report = searched(_core.puct(game, batch), game.start(), 500)
    assert sum(line.visits for line in report.lines) == report.nodes - 1
    assert all(-1 <= line.value <= 1 for line in report.lines)


def test_what_was_searched_is_kept_for_the_next_position() -> None:
    game = sw.make("pferdeaepfel/trail")
    search, state = _core.puct(game, 4), game.start()
    first = searched(search, state, 400)
    state.play(first.lines[0].actions[0])
    search.begin(state, 1)
    assert sum(line.visits for line in search.report().lines) >= first.lines[0].visits - 1


def test_a_full_tree_answers_with_what_it_has() -> None:
    game = sw.make("pferdeaepfel/classic")
    search = _core.puct(game, 8, max_nodes=50)
    report = searched(search, game.start(), 10**6)
    assert search.finished and report.lines and not report.proved


def test_a_tree_of_a_large_board_is_bounded_by_its_actions() -> None:
    for game in (sw.make("pferdeaepfel/classic"), sw.make("diavolo/standard", side=30)):
        assert most_positions(game) * game.num_actions * 24 < 2**29


def test_networks_with_one_value_share_the_rest_among_the_other_sides() -> None:
    ffa, teams = sw.make("ludo/ffa"), sw.make("ludo/teams")
    values = np.array([0.5, -1.0], np.float32)
    assert _by_seat(teams, values).tolist() == [0.5, -1.0]
    shared = _by_seat(ffa, values)
    chances = (shared + 1) / 2
    assert shared.shape == (2, 4) and chances.sum(1).tolist() == pytest.approx([1, 1])
    assert (shared[:, 0] == values).all()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("puct:nowhere", "there is no model nowhere"),
        ("puct:batch=0", "batch must be from 1 to 4096"),
        ("puct:sims=-3", "sims must be a whole number from 0"),
        ("puct:ms=nan", "ms must be a number from 0"),
    ],
)
def test_bad_specs_are_refused_in_one_line(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        sw.agent(spec)
    assert "\n" not in str(refused.value)


def test_a_model_of_another_game_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent, state = sw.agent("puct:ludo/ffa,sims=5"), sw.make("pferdeaepfel/trail").start()
    assert not agent.plays(state.game)
    with pytest.raises(ValueError, match="the model ludo/ffa plays"):
        agent.act(state)
    monkeypatch.setattr("spielwerk.agents.network.SHIPPED", tmp_path)
    assert SHIPPED.exists() and shipped_models() == []
    plain = sw.agent("puct:sims=5")
    assert not plain.plays(state.game)
    with pytest.raises(ValueError, match="no model is shipped for pferdeaepfel/trail"):
        plain.act(state)
