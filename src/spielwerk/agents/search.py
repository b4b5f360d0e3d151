"""Agents that look ahead, each over a search of the core."""

import copy
import random
from dataclasses import dataclass, field
from typing import Any, ClassVar

from spielwerk import _core
from spielwerk.agents.afterstates import afterstates_for, afterstates_path, family_of, load_afterstates
from spielwerk.agents.evaluation import evaluation_for, evaluation_path, load_evaluation
from spielwerk.agents.specs import Agent, Analysis, Line, analysis_of, option, texts_along
from spielwerk.games import Game, State
from spielwerk.solver import Solution, Solver


class ReportingAgent(Agent):
    """What agents share that decide by the report of a search which remembers. Their options are their own."""

    seed: int | None
    _source: random.Random
    _search: Any

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles, which begin without what the search remembers."""
        return self.__dict__ | {"_search": None, "_source": copy.deepcopy(self._source)}

    def act(self, state: State) -> int:
        return self._report(state).lines[0].actions[0]

    def analyse(self, state: State) -> Analysis:
        return analysis_of(state, self._report(state))

    def decide(self, state: State) -> tuple[int, Analysis]:
        report = self._report(state)
        return report.lines[0].actions[0], analysis_of(state, report)

    def forget(self) -> None:
        self._search, self._source = None, random.Random(self.seed)

    def _report(self, state: State) -> _core.Report:
        raise NotImplementedError


@dataclass
class SearchAgent(ReportingAgent):
    """Agents over one search of the core per ruleset, which limits itself."""

    ms: float = option(0.0, "milliseconds per action; 0 for no limit of time")
    seed: int | None = option(None, "repeats the same choices where no time limit cuts in")
    _source: random.Random = field(init=False, repr=False)
    _search: _core.Search | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        self._source = random.Random(self.seed)
        if self.ms < 0:
            raise ValueError(f"agent {self.kind}: ms must not be negative")

    def stop(self) -> None:
        if self._search is not None:
            self._search.stop()

    def _report(self, state: State) -> _core.Report:
        return self._limited(self._search_of(state.game), state, self._source.getrandbits(64))

    def _search_of(self, game: Game) -> _core.Search:
        if self._search is None or self._search.game != game:
            self._search = self._new_search(game)
        return self._search

    def _new_search(self, game: Game) -> _core.Search:
        raise NotImplementedError

    def _limited(self, search: _core.Search, state: State, seed: int) -> _core.Report:
        raise NotImplementedError


@dataclass
class AlphaBetaAgent(SearchAgent):
    """Alpha-beta with the game's heuristic, iterative deepening until a limit: two seats, no dice.

    Its transposition table is kept from one position to the next, so an answer may depend on what was asked before.
    With one thread and a limit of nodes or depth, a new agent with the same seed that is asked the same positions in
    the same order gives the same answers, to the bit and on every machine. Copies, unpickled agents and those that
    were asked to `forget` begin with an empty table.
    """

    kind: ClassVar[str] = "alphabeta"
    summary: ClassVar[str] = "alpha-beta search for games of two seats without dice"
    depth: int = option(0, "actions to look ahead; 0 for no limit")
    nodes: int = option(0, "positions to look at; 0 for no limit")
    threads: int = option(1, "threads that search together (lazy SMP); with more than one, answers vary")
    memory: int = option(16, "megabytes for the transposition table")
    model: str = option("", "an evaluation network (NNUE): a file of 'spielwerk train-nnue', or shipped")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.threads <= _MOST_THREADS:
            raise ValueError(f"agent alphabeta: threads must be from 1 to {_MOST_THREADS}, not {self.threads}")
        if not 1 <= self.memory <= _MOST_MEGABYTES:
            raise ValueError(f"agent alphabeta: memory must be from 1 to {_MOST_MEGABYTES}, not {self.memory}")
        if not (self.depth or self.nodes or self.ms):
            self.ms = 200.0

    def plays(self, game: Game) -> bool:
        return game.num_players == 2 and not game.has_chance

    def weights(self, game: Game) -> bytes:
        return load_evaluation(evaluation_path(self.model, game)).weights if self.model else b""

    def _new_search(self, game: Game) -> _core.Search:
        network = evaluation_for(self.model, game) if self.model else None
        return _core.alphabeta(game, threads=self.threads, megabytes=self.memory, network=network)

    def _limited(self, search: _core.Search, state: State, seed: int) -> _core.Report:
        return search.search(state, depth=self.depth, nodes=self.nodes, milliseconds=self.ms, seed=seed)

    def study(self, state: State) -> Analysis:
        """Like `analyse`, but each action is searched, so that values can be compared."""
        limits: dict[str, Any] = {"depth": self.depth, "nodes": self.nodes, "milliseconds": self.ms}
        seed = self._source.getrandbits(64)
        return analysis_of(state, self._search_of(state.game).study(state, **limits, seed=seed))

    def ranked(self, state: State) -> list[int]:
        """The legal actions, the best first."""
        return [line.actions[0] for line in self._report(state).lines]

    def prove(self, solver: Solver, state: State, milliseconds: float) -> _core.ProofReport:
        """What a solver proves of each action in so much time, with this agent's opinion where it does not."""
        seed = self._source.getrandbits(64)
        return solver.study(state, self._search_of(state.game), milliseconds, seed=seed)


@dataclass
class ExpectimaxAgent(SearchAgent):
    """Expectimax: every die and every answer, a few decisions deep; each seat does what is best for itself (max^n)."""

    kind: ClassVar[str] = "expectimax"
    summary: ClassVar[str] = "looks at every die and answer; for games with dice"
    depth: int = option(0, "decisions to look ahead; 0 for no limit")
    model: str = option(
        "", "a network of afterstates in place of the heuristic: a file of 'spielwerk train-td', or shipped"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.depth or self.ms):
            self.depth = 2

    def weights(self, game: Game) -> bytes:
        return load_afterstates(afterstates_path(self.model, family_of(game))).weights if self.model else b""

    def _new_search(self, game: Game) -> _core.Search:
        return _core.expectimax(game, network=afterstates_for(self.model, game) if self.model else None)

    def _limited(self, search: _core.Search, state: State, seed: int) -> _core.Report:
        return search.search(state, depth=self.depth, milliseconds=self.ms, seed=seed)


@dataclass
class MctsAgent(SearchAgent):
    """Monte Carlo tree search (PUCT) for any game; certain results are proved on the way.

    The game's heuristic gives priors and values of new positions; a game without one is played out at random.
    """

    kind: ClassVar[str] = "mcts"
    summary: ClassVar[str] = "Monte Carlo tree search for any game"
    sims: int = option(0, "simulations per action; 0 for no limit")
    exploration: float = option(1.0, "the exploration constant c of PUCT")
    playouts: int = option(0, "1: random playouts and equal priors, as if the game had no heuristic")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.playouts not in (0, 1):
            raise ValueError(f"agent mcts: playouts must be 0 or 1, not {self.playouts}")
        if not (self.sims or self.ms):
            self.sims = 1000

    def _new_search(self, game: Game) -> _core.Search:
        return _core.mcts(game, exploration=self.exploration, playouts=self.playouts == 1)

    def _limited(self, search: _core.Search, state: State, seed: int) -> _core.Report:
        return search.search(state, nodes=self.sims, milliseconds=self.ms, seed=seed)


@dataclass
class SolverAgent(Agent):
    """Plays proved results: the shortest win, the longest defence.

    Where no proof comes in time, alpha-beta decides, but not against what is proved of single actions.
    """

    kind: ClassVar[str] = "solver"
    summary: ClassVar[str] = "proves results; alpha-beta where it cannot; two seats, no dice"
    ms: float = option(1000.0, "milliseconds per action, for proof and alpha-beta together")
    seed: int | None = option(None, "repeats the same choices where no time limit cuts in")
    memory: int = option(64, "megabytes for what it learnt")
    _alphabeta: AlphaBetaAgent = field(init=False, repr=False)
    _solver: Solver | None = field(init=False, repr=False, default=None)
    _stopping: bool = field(init=False, repr=False, default=False)

    def __post_init__(self) -> None:
        if not self.ms > 0 or self.memory < 1:
            raise ValueError("agent solver: ms and memory must be above 0")
        self._alphabeta = AlphaBetaAgent(ms=self.ms * _GUESSING, seed=self.seed)

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles, which begin without what the solver has learnt."""
        return self.__dict__ | {"_solver": None, "_alphabeta": copy.copy(self._alphabeta)}

    def act(self, state: State) -> int:
        self._stopping = False
        solution = self._proof(state, self.ms * (1 - _GUESSING))
        return solution.line[0] if solution.line else self._guess(state, set(solution.promising))

    def analyse(self, state: State) -> Analysis:
        """One line per action: half of the time goes to the position itself, the rest to what each action leads to."""
        self._stopping = False
        report = self._alphabeta.prove(self._solver_of(state.game), state, self.ms)
        lines = [
            Line(texts_along(state, line.actions), line.value, proved=line.proved, distance=line.distance)
            for line in report.lines
        ]
        return Analysis(lines, report.nodes, report.depth, report.milliseconds, report.proved)

    def decide(self, state: State) -> tuple[int, Analysis]:
        analysis = self.analyse(state)
        return state.parse(analysis.lines[0].actions[0]), analysis

    def plays(self, game: Game) -> bool:
        return self._alphabeta.plays(game)

    def stop(self) -> None:
        self._stopping = True
        self._alphabeta.stop()
        if self._solver is not None:
            self._solver.stop()

    def forget(self) -> None:
        self._solver = None
        self._alphabeta.forget()

    def _guess(self, state: State, promising: set[int]) -> int:
        """What alpha-beta likes best of these actions; of all where there are none."""
        ranked = self._alphabeta.ranked(state)
        return next((action for action in ranked if action in promising), ranked[0])

    def _proof(self, state: State, ms: float) -> Solution:
        return self._solver_of(state.game).solve(state, milliseconds=ms, progress=lambda _: not self._stopping)

    def _solver_of(self, game: Game) -> Solver:
        if self._solver is None or self._solver.game != game:
            self._solver = Solver(game, megabytes=self.memory)
        return self._solver


_MOST_THREADS, _MOST_MEGABYTES = 256, 65_536
_GUESSING = 0.25  # the share of the time that is kept for alpha-beta
