"""Tree search with a network: PUCT in the core, its leaves judged in small batches through onnxruntime."""

import random
import time
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from spielwerk import _core
from spielwerk.agents.network import Model, load_model, model_bytes, shipped_models
from spielwerk.agents.search import ReportingAgent
from spielwerk.agents.specs import Analysis, option
from spielwerk.games import Game, State

MOST_EDGES = 2**24  # of a tree if every action were legal everywhere, 24 bytes each
SIMULATIONS_PER_LEAF = 8  # a batch has one leaf more for so many simulations: early ones decide where later ones go


@dataclass
class PuctAgent(ReportingAgent):
    """Any network under tree search. What is certain is proved on the way, in games of two seats without dice."""

    kind: ClassVar[str] = "puct"
    summary: ClassVar[str] = "tree search guided by a trained network, for any game"
    model: str = option("", "ruleset of a shipped model, run, or path of an .onnx file; the ruleset's own if not given")
    ms: float = option(0.0, "milliseconds per action; 0 for no limit of time")
    sims: int = option(0, "simulations per action; 0 for no limit")
    batch: int = option(8, "positions that the network judges at once, at most")
    exploration: float = option(1.5, "the constant c of PUCT")
    seed: int | None = option(None, "repeats the same choices where no time limit cuts in")
    _source: random.Random = field(init=False, repr=False)
    _search: _core.Puct | None = field(init=False, repr=False, default=None)
    _stopping: bool = field(init=False, repr=False, default=False)

    def __post_init__(self) -> None:
        self._source = random.Random(self.seed)
        if not 1 <= self.batch <= 4096:
            raise ValueError(f"agent puct: batch must be from 1 to 4096, not {self.batch}")
        if not (self.sims or self.ms):
            self.sims = 400
        if self.model:
            load_model(self.model)

    def weights(self, game: Game) -> bytes:
        return model_bytes(self.model or game.name)

    def plays(self, game: Game) -> bool:
        named = self.model or game.name
        return (bool(self.model) or named in shipped_models()) and load_model(named).plays(game)

    def stop(self) -> None:
        self._stopping = True

    def analyse(self, state: State) -> Analysis:
        """What the search found, and beside it what the network alone would play."""
        found = super().analyse(state)
        actions, weights, _ = self._model(state.game).policy(state)
        shares = {state.text(action): float(weight) for action, weight in zip(actions, weights, strict=True)}
        return replace(found, lines=[replace(line, policy=shares.get(line.actions[0])) for line in found.lines])

    def _report(self, state: State) -> _core.Report:
        begin = time.perf_counter()
        model = self._model(state.game)
        if self._search is None or self._search.game != state.game:
            self._search = _core.puct(state.game, self.batch, self.exploration, max_nodes=most_positions(state.game))
        search = self._search
        search.begin(state, self._source.getrandbits(64))
        self._stopping = False
        while self._simulate(search, model) and 1000 * (time.perf_counter() - begin) < (self.ms or np.inf):
            pass
        return search.report(1000 * (time.perf_counter() - begin))

    def _simulate(self, search: _core.Puct, model: Model) -> bool:
        """A batch of leaves; False once there is nothing more to do."""
        done = search.simulations
        wanted = 1 + done // SIMULATIONS_PER_LEAF
        planes = search.select(min(wanted, self.sims - done) if self.sims else wanted)
        if len(planes):
            logits, values = model.answers(search.game, planes)
            search.judge(np.ascontiguousarray(logits), _by_seat(search.game, values))
        done = search.simulations
        return not (search.finished or self._stopping or (self.sims and done >= self.sims))

    def _model(self, game: Game) -> Model:
        if self.model or game.name in shipped_models():
            return load_model(self.model or game.name)
        raise ValueError(f"agent puct: no model is shipped for {game.name}; name one")


def most_positions(game: Game) -> int:
    """How many positions a tree may hold: large boards have thousands of actions in each."""
    return max(1000, MOST_EDGES // game.num_actions)


def _by_seat(game: Game, values: NDArray[Any]) -> NDArray[Any]:
    """A value for every seat where there are more than two sides. A network that knows one has the others share the
    rest: what is lost to them if returns sum to zero, and else the chance of winning."""
    if values.ndim == 2 or len(set(game.sides)) == 2:
        return np.ascontiguousarray(values)
    others = (-values if game.zero_sum else 1 - values) / (game.num_players - 1) - (not game.zero_sum)
    return np.stack([values, *[others] * (game.num_players - 1)], axis=1).astype(np.float32)
