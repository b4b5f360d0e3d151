"""Makes puzzles: positions of games in which exactly one action wins.

Games and proofs are those by which mistakes are measured. What is kept leaves a choice of three actions or more, is
not won at once, and is the only puzzle of its game.
"""

from collections.abc import Callable

from spielwerk.agents.specs import texts_along
from spielwerk.games import Game, State
from spielwerk.mistakes.collect import NODES, Collector
from spielwerk.mistakes.measure import seeded
from spielwerk.mistakes.positions import ProvedPosition
from spielwerk.puzzles.puzzle import Card, Puzzle, PuzzleSet
from spielwerk.solver import Solution, Solver

AGENTS = ("greedy", "alphabeta:depth=2", "mcts:sims=100", "alphabeta:nodes=2000")
LEAST_CHOICE = 3  # actions
LEAST_DISTANCE = 3  # actions until the win
LONGEST_LINE = 12
_GIVE_UP = 600  # games in a row without a puzzle


def make_puzzles(
    game: Game,
    count: int,
    *,
    seed: int = 0,
    nodes: int = NODES,
    found: Callable[[Puzzle], None] = lambda puzzle: None,
) -> PuzzleSet:
    """So many puzzles of a game, or what hundreds of games in a row without one leave."""
    collector = Collector.of(game, seed=seed, nodes=nodes)
    puzzles = PuzzleSet(Card(game.name, game.rules, game.rules_version, seed, nodes, list(AGENTS)))
    barren = 0
    while len(puzzles.puzzles) < count and barren < _GIVE_UP:
        candidates = (puzzle_of(game, position, nodes) for position in collector.play())
        puzzle = next(filter(None, candidates), None)
        barren = 0 if puzzle else barren + 1
        if puzzle:
            puzzles.puzzles.append(puzzle)
            found(puzzle)
    return puzzles


def puzzle_of(game: Game, position: ProvedPosition, nodes: int = NODES) -> Puzzle | None:
    """The puzzle in a position whose every action is proved, if it is one."""
    winning = [action for action, value in position.actions.items() if value == 1]
    if len(winning) != 1 or len(position.actions) < LEAST_CHOICE:
        return None
    state = game.from_text(position.position)
    solution = win_after(state, winning[0], nodes)
    if solution is None or solution.distance is None or solution.distance + 1 < LEAST_DISTANCE:
        return None
    after = state.clone()
    after.play(winning[0])
    return Puzzle(
        position=position.position,
        player=position.player,
        distance=solution.distance + 1,
        line=[winning[0], *texts_along(after, solution.line)][:LONGEST_LINE],
        draws=[action for action, value in position.actions.items() if value == 0],
        missed=sum(_misses(spec, state, winning[0]) for spec in AGENTS),
    )


def win_after(state: State, action: str, nodes: int) -> Solution | None:
    """The proof, with its length, that an action wins; None where it is won at once or cannot be proved."""
    seat, after = state.player, state.clone()
    after.play(action)
    if after.over:
        return None
    solution = Solver(state.game, megabytes=64).solve(after, nodes=4 * nodes)
    return solution if solution.solved and solution.winner == seat else None


def _misses(spec: str, state: State, action: str) -> bool:
    return state.text(seeded(spec, 0).act(state.clone())) != action
