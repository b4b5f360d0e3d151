"""Searching agents: legal, repeatable, on time, and right where the truth is known."""

import time

import pytest

import spielwerk as sw
from spielwerk.agents import KINDS, options_of

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
