"""The same seed plays the same game on every build of the core: in random play, heuristics, searches and agents."""

import os
import subprocess
import sys

import pytest

from spielwerk import _core

RANDOM_PLAY = """
for name in sw.games():
    env = sw.vector(name, num_envs=64)
    env.reset(seed=1)
    for step in range(200):
        for array in env.step(env.random_actions(seed=step)):
            tell(array.tobytes())
"""

HEURISTICS = """
for name in sw.games():
    env = sw.vector(name, num_envs=64)
    env.reset(seed=2)
    for step in range(60):
        tell(env.evaluate().tobytes())
        env.step(env.greedy_actions(seed=step) if step % 2 else env.random_actions(seed=step))
    for index in range(64):
        state = env.state(index)
        tell(*(state.evaluate(seat).hex() for seat in range(state.game.num_players)))
"""

SEARCHES = """
for name in sw.games():
    game = sw.make(name)
    searches = [_core.mcts(game), _core.expectimax(game)]
    searches += [_core.alphabeta(game)] if game.num_players == 2 and not game.has_chance else []
    env = sw.vector(game, num_envs=3)
    env.reset(seed=3)
    for step in range(12):
        env.step(env.random_actions(seed=step))
    for state in [env.state(index) for index in range(3)]:
        for search in searches:
            report = search.search(state, nodes=300, seed=4)
            tell(report.nodes, report.depth, *((line.actions, line.value.hex(), line.visits) for line in report.lines))
        if game.num_players == 2 and not game.has_chance:
            solution = Solver(game).solve(state, nodes=2000)
            tell(solution.verdict, solution.at_least, solution.line, solution.nodes)
"""

AGENTS = """
for name in sw.games():
    game = sw.make(name)
    two_seats = game.num_players == 2 and not game.has_chance
    for kind in ["greedy:", "mcts:sims=40,"] + (["alphabeta:nodes=200,"] if two_seats else []):
        for seed in range(6 if kind == "greedy:" else 1):
            player, state = sw.agent(f"{kind}seed={seed}"), game.start(seed=seed)
            for _ in range(150):
                if not state.over:
                    state.play(player.act(state))
            tell(state.to_text(), state.returns)
"""

FRAME = """
import hashlib, spielwerk as sw
from spielwerk import _core
from spielwerk.solver import Solver
digest = hashlib.sha256()
def tell(*facts):
    for fact in facts:
        digest.update(fact if isinstance(fact, bytes) else repr(fact).encode())
{program}
print(_core.build, digest.hexdigest())
"""


def digest_of(program: str, build: str) -> str:
    command = [sys.executable, "-c", FRAME.format(program=program)]
    environment = os.environ | {"SPIELWERK_CORE": build}
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stderr
    used, digest = done.stdout.split()
    assert used == build
    return digest


@pytest.mark.parametrize(
    "program", [RANDOM_PLAY, HEURISTICS, SEARCHES, AGENTS], ids=["random-play", "heuristics", "searches", "agents"]
)
def test_every_build_of_the_core_plays_the_same_games(program: str) -> None:
    builds = _core.available_builds()
    if len(builds) == 1:
        pytest.skip(f"this processor runs the {builds[0]} build only")
    assert len({digest_of(program, build) for build in builds}) == 1
