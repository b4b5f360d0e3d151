"""Openings for matches: a book of positions to begin from, and how contested ones are found.

Where a ruleset favours a seat, nearly every opening by lot is won for it: both games of a pair then have the same
winner whoever plays, and a match shows nothing. A contested opening is one whose result depends on how well it is
played: searches of different power, each playing both seats, do not agree on it. Candidates come from players of
unequal care, so that the seat which is not favoured gets its chances.

A book is a text file with one position a line; what follows a # is for people.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from spielwerk.agents.search import AlphaBetaAgent
from spielwerk.agents.simple import GreedyAgent
from spielwerk.arena.workers import Workers, in_order
from spielwerk.border import lines_in, quoted
from spielwerk.games import Game, State, make, rules_text

NODES = 400_000  # of the most thorough search
CANDIDATES = 100_000
MOST_BYTES = 16_000_000

_COMMENT = "#"
_CANDIDATES_PER_JOB = 16
_SHORTEST = 2
# Divisors of the nodes. A quick look first: most candidates are decided even for the weak.
_QUICK, _THOROUGH = (256, 64, 16), (8, 4, 2, 1)


# -- books -------------------------------------------------------------------------------------------


def read_openings(path: Path, game: Game) -> tuple[str, ...]:
    """The positions of a book, each once; ValueError naming the line that is wrong."""
    openings: dict[str, None] = {}
    for number, line in enumerate(lines_in(path, MOST_BYTES), 1):
        if text := line.partition(_COMMENT)[0].strip():
            openings[_opening(text, game, f"{path}, line {number}")] = None
    if not openings:
        raise ValueError(f"{path} holds no openings")
    return tuple(openings)


def _opening(text: str, game: Game, place: str) -> str:
    try:
        state = game.from_text(text, chance="explicit")
    except ValueError as error:
        raise ValueError(f"{place}: {quoted(str(error), 200)}") from None
    if state.over:
        raise ValueError(f"{place}: this game is over")
    return state.to_text()


def book_text(game: Game, openings: Sequence[str], remarks: Sequence[str]) -> str:
    """A book as it is written to a file."""
    comments = (f"{game.name} {rules_text(game.rules)}".rstrip(), *remarks)
    return "".join(f"{line}\n" for line in (*(f"{_COMMENT} {comment}" for comment in comments), *openings))


# -- contested openings --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """Candidates to be drawn and judged somewhere, by number."""

    game: str
    rules: dict[str, Any]
    nodes: int
    longest: int
    seed: int
    first: int


@dataclass(frozen=True)
class Contested:
    """Openings, and how many candidates there were for them."""

    openings: tuple[str, ...]
    candidates: int


def contested_openings(
    game: Game,
    count: int,
    workers: Workers,
    *,
    nodes: int = NODES,
    seed: int = 0,
    candidates: int = CANDIDATES,
    heard: Callable[[Contested], None] = lambda found: None,
) -> Contested:
    """`count` different openings, the same with any workers; fewer if `candidates` do not hold so many.

    `heard` is told again and again what was found so far.
    """
    if game.num_players != 2 or game.has_chance:
        raise ValueError(f"contested openings are found by alpha-beta: {game.name} is not for two seats without dice")
    if nodes < _QUICK[0]:
        raise ValueError(f"the most thorough search needs {_QUICK[0]} nodes or more, not {nodes}")
    longest = max(_SHORTEST, _greedy_plies(game) // 2)
    firsts = range(0, candidates, _CANDIDATES_PER_JOB)
    jobs = (Job(game.name, game.rules, nodes, longest, seed, first) for first in firsts)
    found: dict[str, None] = {}
    contested = Contested((), 0)
    for openings in in_order(workers, judged, jobs):
        found |= dict.fromkeys(openings)
        contested = Contested(tuple(islice(found, count)), contested.candidates + _CANDIDATES_PER_JOB)
        heard(contested)
        if len(found) >= count:
            break
    return contested


def judged(job: Job) -> list[str]:
    """Those of the job's candidates that are contested."""
    game = make(job.game, **job.rules)
    found = []
    for number in range(job.first, job.first + _CANDIDATES_PER_JOB):
        state = _candidate(game, job.longest, random.Random(f"{job.seed} {number}"))
        if state is not None and is_contested(state, job.nodes):
            found.append(state.to_text())
    return found


def is_contested(state: State, nodes: int = NODES) -> bool:
    """Whether searches of up to so many nodes disagree on the result."""
    return all(_disagree(state, [nodes // share for share in shares]) for shares in (_QUICK, _THOROUGH))


def _disagree(state: State, powers: Sequence[int]) -> bool:
    first = _result(state, powers[0])
    return any(_result(state, nodes) != first for nodes in powers[1:])


def _result(state: State, nodes: int) -> float:
    """Seat 0's, when a search with so many nodes plays both seats."""
    state, player = state.clone(), AlphaBetaAgent(nodes=nodes, memory=4, seed=0)
    while not state.over:
        action, analysis = player.decide(state)
        best = analysis.lines[0]
        if best.proved:
            return best.value if state.player == 0 else -best.value
        state.play(action)
    return state.returns[0]


def _candidate(game: Game, longest: int, draw: random.Random) -> State | None:
    """A position after some actions of two players, each of a care of its own; None if the game ended before."""
    state = game.start(seed=draw.getrandbits(32))
    players = [GreedyAgent(seed=draw.getrandbits(32), errs=draw.random()) for _ in range(2)]
    for _ in range(draw.randint(_SHORTEST, longest)):
        if state.over:
            return None
        state.play(players[state.player or 0].act(state))
    return None if state.over else state


def _greedy_plies(game: Game) -> int:
    state, greedy, plies = game.start(seed=0), GreedyAgent(seed=0), 0
    while not state.over:
        state.play(greedy.act(state))
        plies += 1
    return plies
