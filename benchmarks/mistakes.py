"""Mistakes of agents in proved positions, on every board that the solver can manage: the table in docs/mistakes.md.

Each board's positions are collected first and kept, then every agent is asked; both resume. Boards and agents are
shared out among processes. Needs nothing but NumPy (onnxruntime for networks), so that it also runs where nothing can
be installed.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results_page import write_results

import spielwerk as sw
from spielwerk import _core
from spielwerk.arena.workers import workers_for
from spielwerk.machine import processor
from spielwerk.mistakes import Mistakes, PositionSet
from spielwerk.mistakes.folder import MistakesFolder
from spielwerk.mistakes.measure import shown


@dataclass(frozen=True)
class Board:
    """Rules, and how many positions of them are wanted."""

    name: str
    rules: tuple[tuple[str, Any], ...]
    count: int

    @property
    def game(self) -> sw.Game:
        return sw.make(self.name, **dict(self.rules))

    @property
    def title(self) -> str:
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.rules)])


BOARDS = (
    Board("pferdeaepfel/trail", (), 1000),
    Board("pferdeaepfel/trail", (("size", 6),), 400),
    Board("pferdeaepfel/classic", (("size", 5),), 600),
    Board("pferdeaepfel/original", (("size", 5),), 400),
    Board("pferdeaepfel/free", (("size", 5),), 400),
    Board("pferdeaepfel/free-place-first", (("size", 5),), 400),
    Board("pferdeaepfel/carry", (("size", 5), ("starter", "white")), 300),
    Board("diavolo/standard", (("side", 4),), 300),
)
AGENTS = ("random", "greedy", "mcts:sims=100000", "alphabeta:nodes=500000", "solver:ms=100")


@dataclass(frozen=True)
class Task:
    """A board, and who is asked; nobody: its positions are collected."""

    board: Board
    agent: str
    folder: Path
    share: float


def work(task: Task) -> Mistakes | None:
    folder = MistakesFolder(task.folder / task.board.title.replace("/", "-").replace(" ", "-"))
    count = max(1, round(task.share * task.board.count))
    positions = folder.collected(task.board.game, count)
    return folder.measured(task.agent, positions) if task.agent else None


def agents_of(board: Board, agents: tuple[str, ...]) -> list[str]:
    """Shipped networks are asked on boards they can play."""
    shipped = f"network:{board.name}"
    try:
        plays = sw.agent(shipped).plays(board.game)
    except (ValueError, ImportError):
        plays = False
    return [*agents, *([shipped] if plays else [])]


def table(boards: list[Board], results: dict[tuple[Board, str], Mistakes], sets: dict[Board, PositionSet]) -> str:
    head = ["board", "positions", "critical", "agent", "mistakes, won", "mistakes, critical", "seat 0", "seat 1"]
    rows = [head, ["---", "---:", "---:", "---", "---:", "---:", "---:", "---:"]]
    for board in boards:
        found = sets[board].positions
        for (of, agent), result in results.items():
            if of == board:
                tallies = (result.won, result.critical, result.by_seat[0], result.by_seat[1])
                counts = [str(len(found)), str(sum(position.critical for position in found))]
                rows.append([board.title, *counts, f"`{agent}`", *map(shown, tallies)])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("mistakes"), help="for positions and answers")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="of the positions; 0.1 for a look")
    parser.add_argument("--board", action="append", help="only boards whose title begins so")
    parser.add_argument("--agent", action="append", help=f"instead of {', '.join(AGENTS)}")
    parser.add_argument("--markdown", type=Path, help="also write the table into this page")
    options = parser.parse_args()
    wanted = tuple(options.board or [""])
    boards = [board for board in BOARDS if board.title.startswith(wanted)]
    agents = tuple(options.agent or AGENTS)
    workers = workers_for(options.workers)
    try:
        collecting = [workers.submit(work, Task(board, "", options.folder, options.share)) for board in boards]
        for future in collecting:
            future.result()
        tasks = [
            Task(board, agent, options.folder, options.share) for board in boards for agent in agents_of(board, agents)
        ]
        asked = [(task, workers.submit(work, task)) for task in tasks]
        results = {(task.board, task.agent): future.result() for task, future in asked}
    finally:
        workers.close()
    sets = {board: _set(Task(board, "", options.folder, options.share)) for board in boards}
    text = table(boards, {key: result for key, result in results.items() if result is not None}, sets)
    text += f"\n\nMeasured by `python benchmarks/mistakes.py` ({processor()}, core {_core.build}).\n"
    print(text)
    if options.markdown is not None:
        write_results(options.markdown, "mistakes.py", text)


def _set(task: Task) -> PositionSet:
    folder = MistakesFolder(task.folder / task.board.title.replace("/", "-").replace(" ", "-"))
    return folder.collected(task.board.game, max(1, round(task.share * task.board.count)))


if __name__ == "__main__":
    main()
