"""Threads: whatever they do to a batch or at the end of the program, the answer is an error and never a crash."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import spielwerk as sw


def test_actions_that_another_thread_rewrites_are_played_as_checked_or_refused() -> None:
    games = 2048
    env = sw.vector("pferdeaepfel/classic", num_envs=games, threads=2)
    env.reset(seed=0)
    actions = np.zeros(games, np.int64)
    done = threading.Event()

    def rewrite() -> None:
        while not done.is_set():
            actions[::3] = 2**40

    vandal = threading.Thread(target=rewrite)
    vandal.start()
    try:
        for step in range(300):
            np.copyto(actions, env.random_actions(seed=step))
            try:
                env.step(actions)
            except ValueError as refusal:
                assert "no game was stepped" in str(refusal)
    finally:
        done.set()
        vandal.join()
    states = [env.state(index) for index in range(games)]
    assert all(
        state.legal_actions == np.flatnonzero(mask).tolist() for state, mask in zip(states, env.mask, strict=True)
    )


def finished(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)


def test_threads_that_cannot_start_are_an_error() -> None:
    pytest.importorskip("resource")
    done = finished("""
import resource
import spielwerk as sw
env = sw.vector("pferdeaepfel/trail", num_envs=300, threads=256)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), used + (64 << 20)))
try:
    env.reset(seed=0)
except RuntimeError as error:
    print(error)
""")
    assert done.returncode == 0, done.stderr
    assert "of 255 further threads could be started" in done.stdout


def test_daemon_threads_inside_the_core_do_not_abort_the_exit() -> None:
    done = finished("""
import threading, time
import spielwerk as sw
from spielwerk import _core
from spielwerk.solver import Solver
game = sw.make("diavolo/standard")
def search():
    while True:
        _core.alphabeta(game).search(game.start(), nodes=100)
def play():
    while True:
        _core.random_playouts(game, 1, 0)
def prove():
    Solver(game).solve(game.start(), progress=lambda _: True)
for target in (search, play, prove):
    threading.Thread(target=target, daemon=True).start()
time.sleep(0.2)
""")
    assert (done.returncode, done.stderr) == (0, "")
