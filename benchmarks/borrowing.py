"""What an opponent's move costs the server: CPU seconds where it thinks itself, and where a browser does.

    python -m benchmarks.borrowing [--moves 100] [--level club]

The client stands for a browser: it answers at once with any legal action, which costs the server as much as a good one.
What a server needs without any move is measured first and taken off.
"""

from __future__ import annotations

import argparse
import resource
import signal
import tempfile
import time
from collections.abc import Callable
from functools import partial

import httpx

import spielwerk as sw
from spielwerk.games import State
from spielwerk.machine import processor
from tests.server.client import Player, ServerProcess, agent, human, play_at

GAME = "pferdeaepfel/trail"
IDLE_SECONDS = 3.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=100, help="of the opponent")
    parser.add_argument("--level", default="club")
    given = parser.parse_args()
    idle = cpu_seconds(lambda _: time.sleep(IDLE_SECONDS))
    print(f"{processor()}, {GAME}, level {given.level}, {given.moves} moves\n")
    print("| who thinks | CPU of the server per move |\n|---|---:|")
    for who, thinks in (("the server", False), ("the browser", True)):
        spent = cpu_seconds(partial(play, level=given.level, moves=given.moves, thinks=thinks))
        print(f"| {who} | {1000 * (spent - idle) / given.moves:.1f} ms |")


def cpu_seconds(use: Callable[[int], None]) -> float:
    """Of a server and its thinking processes, from their start to their end."""
    with tempfile.TemporaryDirectory() as folder:
        server = ServerProcess(f"{folder}/games.db")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        server.start()
        use(server.port)
        server.stop(signal.SIGTERM)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def play(port: int, level: str, moves: int, *, thinks: bool) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as http:
        while moves > 0:
            opened = http.post("/api/tables", json={"game": GAME, "seats": [human(), agent(level)]}).json()
            with play_at(port, opened["id"], *opened["tokens"].values(), thinks=thinks) as player:
                moves -= play_game(player, moves)


def play_game(player: Player, most: int) -> int:
    """To its end, or until the opponent has made so many moves; how many it made."""
    state, made = sw.make(GAME).start(), 0
    while made < most and not state.over:
        if state.player == 0:
            text = state.text(state.legal_actions[0])
            player.play(text)
        else:
            text = opponents_action(player, state)
            made += 1
        state.play(text)
    return made


def opponents_action(player: Player, state: State) -> str:
    ply = len(player.actions)
    while len(player.actions) == ply:
        if player.questions:
            player.ask("advice", seq=player.questions.pop()["seq"], action=state.text(state.legal_actions[0]))
        else:
            player.receive()
    return player.actions[ply]


if __name__ == "__main__":
    main()
