"""Searching agents: legal, repeatable, on time, and right where the truth is known."""

import copy
import pickle
import random
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import spielwerk as sw
from spielwerk import _core
from spielwerk.agents import KINDS, Analysis, options_of

SEARCHES = ["alphabeta:depth=2", "mcts:sims=60", "expectimax:depth=1"]


def plays(spec: str, name: str) -> bool:
    game = sw.make(name)
    return not spec.startswith("alphabeta") or (game.num_players == 2 and not game.has_chance)


@pytest.mark.parametrize("name", sw.games())
@pytest.mark.parametrize("spec", SEARCHES)
def test_searches_play_legally(name: str, spec: str) -> None:
    if not plays(spec, name):
        with pytest.raises(ValueError, match="two seats without dice"):
            sw.agent(spec).act(sw.make(name).start(seed=1))
        return
    agent, state = sw.agent(spec), sw.make(name).start(seed=1)
    for _ in range(12):
        if state.over:
            break
        before = state.clone()
        action = agent.act(state)
        assert state == before
        assert action in state.legal_actions
        state.play(action)


@pytest.mark.parametrize("spec", ["alphabeta:nodes=3000,seed=4", "mcts:sims=300,seed=4", "expectimax:depth=2,seed=4"])
def test_the_same_seed_thinks_the_same(spec: str) -> None:
    state = sw.make("pferdeaepfel/classic").start()
    first, second = sw.agent(spec).analyse(state), sw.agent(spec).analyse(state)
    assert first.lines == second.lines and first.nodes == second.nodes


@pytest.mark.parametrize("spec", ["alphabeta:ms=40", "mcts:ms=40", "expectimax:ms=40"])
def test_searches_stop_on_time(spec: str) -> None:
    state = sw.make("pferdeaepfel/free").start()
    agent = sw.agent(spec)
    agent.act(state)
    start = time.process_time()
    agent.act(state)
    assert time.process_time() - start < 0.4


def max_n(state: sw.State, depth: int) -> list[float]:
    """What every seat can expect, each doing what is best for itself; the first of equals is taken."""
    if state.over or depth == 0:
        return [state.evaluate(seat) for seat in range(state.game.num_players)]
    after = []
    for action in state.legal_actions:
        after.append(state.clone())
        after[-1].play(action)
    if state.player == sw.CHANCE:
        values = [max_n(next_state, depth) for next_state in after]
        return [sum(by_seat) / len(values) for by_seat in zip(*values, strict=True)]
    seat = state.player or 0
    return max((max_n(next_state, depth - 1) for next_state in after), key=lambda values: values[seat])


@pytest.mark.parametrize("rules", [{"players": 2}, {"players": 3, "ranking": True}, {}, None])
def test_expectimax_finds_the_values_of_plain_max_n(rules: dict[str, Any] | None) -> None:
    game = sw.make("ludo/teams") if rules is None else sw.make("ludo/ffa", **rules)
    search, state, source = _core.expectimax(game), game.start(seed=4, chance="explicit"), random.Random(4)
    compared = 0
    while compared < 12:
        if state.player != sw.CHANCE and len(state.legal_actions) > 1 and source.random() < 0.2:
            for depth in (1, 2, 3):
                found = {line.actions[0]: line.value for line in search.search(state, depth=depth, seed=1).lines}
                for action in state.legal_actions:
                    after = state.clone()
                    after.play(action)
                    assert found[action] == pytest.approx(max_n(after, depth - 1)[state.player or 0], abs=1e-12)
            compared += 1
        state.play(source.choice(state.legal_actions))
        if state.over:
            state = game.start(seed=compared, chance="explicit")


@pytest.mark.parametrize(("size", "plies"), [(3, 4), (4, 2), (5, 14)])
def test_alphabeta_proves_small_trails_for_black(size: int, plies: int) -> None:
    game = sw.make("pferdeaepfel/trail", size=size)
    agent, state, played = sw.agent("alphabeta:depth=14,seed=1"), game.start(), 0
    while not state.over:
        analysis = agent.analyse(state)
        if len(state.legal_actions) > 1:  # it does not think about the only action
            assert analysis.proved
            assert analysis.lines[0].value == (1.0 if state.player == 1 else -1.0)
        state.play(agent.act(state))
        played += 1
    assert state.winner == (1,)
    assert played == plies


@pytest.mark.parametrize("size", [3, 4, 5])
def test_mcts_proves_small_trails_for_black(size: int) -> None:
    state = sw.make("pferdeaepfel/trail", size=size).start()
    analysis = sw.agent("mcts:sims=20000,seed=1").analyse(state)
    assert analysis.proved and all(line.value == -1 for line in analysis.lines)
    assert analysis.nodes < 20000


def test_mcts_takes_a_capture() -> None:
    state = sw.make("pferdeaepfel/trail", size=5).from_text("W4/2B2/5/5/5 b")
    analysis = sw.agent("mcts:sims=50,seed=1").analyse(state)
    assert analysis.lines[0].actions[0] == "a5" and analysis.lines[0].proved


def test_mcts_keeps_its_tree_between_moves() -> None:
    agent, state = sw.agent("mcts:sims=2000,seed=1"), sw.make("pferdeaepfel/trail").start()
    agent.analyse(state)
    state.play(agent.act(state))
    state.play(state.legal_actions[0])
    assert agent.analyse(state).nodes > 2000


def test_lines_are_playable_and_values_in_bounds() -> None:
    state = sw.make("pferdeaepfel/classic").start()
    for spec in [*SEARCHES, "greedy"]:
        analysis = sw.agent(spec).analyse(state)
        assert len(analysis.lines) == len(state.legal_actions)
        for line in analysis.lines:
            assert -1 <= line.value <= 1
            after = state.clone()
            for action in line.actions:
                after.play(action)


def test_a_search_is_bound_to_its_rules() -> None:
    from spielwerk import _core

    search = _core.mcts(sw.make("pferdeaepfel/trail"))
    with pytest.raises(ValueError, match="other rules"):
        search.search(sw.make("pferdeaepfel/trail", size=5).start(), nodes=10)
    agent = sw.agent("mcts:sims=10")
    agent.act(sw.make("pferdeaepfel/trail").start())
    agent.act(sw.make("pferdeaepfel/free").start())


def test_nobody_thinks_where_nobody_acts() -> None:
    state = sw.make("pferdeaepfel/trail", size=4).start()
    while not state.over:
        state.play(state.legal_actions[0])
    for spec in SEARCHES:
        with pytest.raises(ValueError, match="no seat is to act"):
            sw.agent(spec).act(state)


@pytest.mark.parametrize("spec", ["alphabeta:ms=-1", "mcts:exploration=-1", "mcts:sims=x", "alphabeta:plies=3"])
def test_bad_options_are_refused(spec: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        sw.agent(spec).act(sw.make("pferdeaepfel/trail").start())


def test_every_option_of_every_kind_is_explained() -> None:
    for kind in KINDS.values():
        assert kind.summary
        for entry in options_of(kind):
            assert entry.help and entry.type in ("int", "float", "str")


def test_alphabeta_as_black_beats_greedy_in_trail() -> None:
    game = sw.make("pferdeaepfel/trail")
    for seed in range(4):
        agents, state = [sw.agent(f"greedy:seed={seed}"), sw.agent(f"alphabeta:depth=6,seed={seed}")], game.start()
        while not state.over:
            state.play(agents[state.player or 0].act(state))
        assert state.winner == (1,)


@pytest.mark.parametrize("name", ["pferdeaepfel/free", "diavolo/standard"])
def test_alphabeta_uses_its_time(name: str) -> None:
    analysis = sw.agent("alphabeta:ms=60,seed=1").analyse(sw.make(name).start())
    assert not analysis.proved
    assert analysis.milliseconds >= 59


def test_an_iteration_that_was_cut_short_still_counts() -> None:
    state = sw.make("pferdeaepfel/classic").start()
    for nodes in (1, 2, 50, 3000):
        analysis = sw.agent(f"alphabeta:nodes={nodes},seed=1").analyse(state)
        assert len(analysis.lines) == len(state.legal_actions)
        assert analysis.nodes <= nodes


def answers(agent: sw.agents.Agent, plies: int = 6) -> list[Analysis]:
    state, found = sw.make("pferdeaepfel/classic").start(), []
    for _ in range(plies):
        action, analysis = agent.decide(state)
        found.append(replace(analysis, milliseconds=0))
        state.play(action)
    return found


def test_one_thread_with_a_limit_of_nodes_repeats_itself_move_after_move() -> None:
    spec = "alphabeta:nodes=2000,seed=4"
    assert answers(sw.agent(spec)) == answers(sw.agent(spec))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))])
@pytest.mark.parametrize("spec", ["alphabeta:nodes=2000,seed=4", "mcts:sims=200,seed=4", "solver:ms=50"])
def test_copies_of_a_player_in_the_middle_of_a_game_begin_with_an_empty_memory(
    spec: str, duplicate: Callable[[Any], Any]
) -> None:
    agent, state = sw.agent(spec), sw.make("pferdeaepfel/trail", size=5).start()
    agent.act(state)
    twin = duplicate(agent)
    assert twin.spec == agent.spec
    if not spec.startswith("solver"):
        other = duplicate(agent)
        assert other.analyse(state).lines == twin.analyse(state).lines
    assert twin.act(state) in state.legal_actions


def test_an_agent_that_forgets_answers_as_if_it_were_new() -> None:
    agent = sw.agent("alphabeta:nodes=2000,seed=4")
    first = answers(agent)
    agent.forget()
    assert answers(agent) == first


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_search_together(threads: int) -> None:
    state = sw.make("pferdeaepfel/trail", size=5).start()
    agent = sw.agent(f"alphabeta:depth=14,threads={threads}")
    analysis = agent.analyse(state)
    assert analysis.proved and analysis.lines[0].value == -1
    limited = sw.agent(f"alphabeta:nodes=1000,threads={threads}").analyse(sw.make("pferdeaepfel/free").start())
    assert 0 < limited.nodes <= 1000


@pytest.mark.parametrize("spec", ["alphabeta:threads=0", "alphabeta:threads=257", "alphabeta:memory=0"])
def test_threads_and_memory_have_limits(spec: str) -> None:
    with pytest.raises(ValueError, match="must be from 1 to"):
        sw.agent(spec)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers")
@pytest.mark.parametrize("spec", ["alphabeta:ms=60000", "alphabeta:ms=60000,threads=2", "mcts:ms=60000"])
def test_an_interrupt_ends_a_search(spec: str) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            sw.agent(spec).act(sw.make("pferdeaepfel/free").start())
    finally:
        signal.signal(signal.SIGALRM, before)


def test_mcts_without_the_heuristic_plays_out_at_random() -> None:
    state = sw.make("pferdeaepfel/classic").start()
    guided, blind = (sw.agent(f"mcts:sims=300,playouts={n},seed=1").analyse(state) for n in (0, 1))
    assert guided.lines != blind.lines
    with pytest.raises(ValueError, match="playouts must be 0 or 1"):
        sw.agent("mcts:playouts=2")


@pytest.mark.parametrize("name", ["pferdeaepfel/classic", "pferdeaepfel/free", "diavolo/standard"])
def test_mcts_does_not_lose_to_greedy(name: str) -> None:
    game, points = sw.make(name), 0.0
    for seed in range(4):
        for seat in range(2):
            pair = [sw.agent(f"greedy:seed={seed}"), sw.agent(f"mcts:sims=1500,seed={seed}")]
            state = game.start()
            while not state.over:
                state.play(pair[state.player == seat].act(state))
            points += (state.returns[seat] + 1) / 2
    assert points >= 4


@pytest.mark.parametrize("spec", ["alphabeta:depth=6", "mcts:sims=4000"])
def test_searches_know_that_a_golden_apple_has_won(spec: str) -> None:
    """In `classic` White has won with the first golden apple; the search need not see the end of the game."""
    game = sw.make("pferdeaepfel/classic", brown=2, golden=12)
    state = game.start()
    state.play(state.legal_actions[0])
    assert state.settled is None
    best = sw.agent(spec).analyse(state).lines[0]
    assert best.value == 1 and best.proved and len(best.actions) < 6
