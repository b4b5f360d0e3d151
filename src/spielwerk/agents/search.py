"""Agents that look ahead, each over a search of the core."""

import random
from dataclasses import dataclass, field
from typing import ClassVar

from spielwerk import _core
from spielwerk.agents.specs import Agent, Analysis, analysis_of, option
from spielwerk.games import Game, State


@dataclass
class SearchAgent(Agent):
    """What searching agents share: limits, a seed, and one search per ruleset that remembers."""

    ms: float = option(0.0, "milliseconds per action; 0 for no limit of time")
    seed: int | None = option(None, "repeats the same choices where no time limit cuts in")
    _source: random.Random = field(init=False, repr=False)
    _search: _core.Search | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        self._source = random.Random(self.seed)
        if self.ms < 0:
            raise ValueError(f"agent {self.kind}: ms must not be negative")

    def act(self, state: State) -> int:
        return self._report(state).lines[0].actions[0]

    def analyse(self, state: State) -> Analysis:
        return analysis_of(state, self._report(state))

    def decide(self, state: State) -> tuple[int, Analysis]:
        report = self._report(state)
        return report.lines[0].actions[0], analysis_of(state, report)

    def stop(self) -> None:
        if self._search is not None:
            self._search.stop()

    def _report(self, state: State) -> _core.Report:
        if self._search is None or self._search.game != state.game:
            self._search = self._new_search(state.game)
        return self._limited(self._search, state, self._source.getrandbits(64))

    def _new_search(self, game: Game) -> _core.Search:
        raise NotImplementedError

    def _limited(self, search: _core.Search, state: State, seed: int) -> _core.Report:
        raise NotImplementedError


@dataclass
class AlphaBetaAgent(SearchAgent):
    """Alpha-beta with the game's heuristic, ever deeper until a limit: two seats, no dice."""

    kind: ClassVar[str] = "alphabeta"
    summary: ClassVar[str] = "alpha-beta search for games of two seats without dice"
    depth: int = option(0, "actions to look ahead; 0 for no limit")
    nodes: int = option(0, "positions to look at; 0 for no limit")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.depth or self.nodes or self.ms):
            self.ms = 200.0

    def plays(self, game: Game) -> bool:
        return game.num_players == 2 and not game.has_chance

    def _new_search(self, game: Game) -> _core.Search:
        return _core.alphabeta(game)

    def _limited(self, search: _core.Search, state: State, seed: int) -> _core.Report:
        return search.search(state, depth=self.depth, nodes=self.nodes, milliseconds=self.ms, seed=seed)


@dataclass
class ExpectimaxAgent(SearchAgent):
    """Every die and every answer, a few decisions deep; each seat follows its own heuristic."""

    kind: ClassVar[str] = "expectimax"
    summary: ClassVar[str] = "looks at every die and answer; for games with dice"
    depth: int = option(0, "decisions to look ahead; 0 for no limit")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.depth or self.ms):
            self.depth = 2

    def _new_search(self, game: Game) -> _core.Search:
        return _core.expectimax(game)

    def _limited(self, search: _core.Search, state: State, seed: int) -> _core.Report:
        return search.search(state, depth=self.depth, milliseconds=self.ms, seed=seed)


@dataclass
class MctsAgent(SearchAgent):
    """Monte Carlo tree search with random playouts, for any game; certain results are proved on the way."""

    kind: ClassVar[str] = "mcts"
    summary: ClassVar[str] = "Monte Carlo tree search for any game"
    sims: int = option(0, "simulations per action; 0 for no limit")
    exploration: float = option(1.0, "how curious it is")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.sims or self.ms):
            self.sims = 1000

    def _new_search(self, game: Game) -> _core.Search:
        return _core.mcts(game, exploration=self.exploration)

    def _limited(self, search: _core.Search, state: State, seed: int) -> _core.Report:
        return search.search(state, nodes=self.sims, milliseconds=self.ms, seed=seed)
