"""Trains an evaluation network for alpha-beta (NNUE) from games that alpha-beta plays against itself.

1. Games begin with random actions and go on by searches with a limit of nodes, now and then by a random action. The
   searches judge by the heuristic, or by an earlier network (the teacher).
2. Every searched position is kept, seen under a random symmetry: its features, the heuristic, the search's score and
   the game's result. So is the position after a random action, with the score of a search of its own. All of this
   happens in the core (cpp/lessons.hpp).
3. The network learns a correction of the heuristic towards a mix of score and result: both together are a logit, whose
   tanh is what is expected. So positions that are all but lost are still told apart.
4. Weights become whole numbers (agents/evaluation.py), and the search with the network is what is to be measured.

With a mix the games are played on boards of several sizes, and weights belong to planes and regions instead of cells
(agents/regions.py): one network for boards of any size.

Weights of the first layer belong to an anchor's cell and a feature. While training they are sums of three: one for the
pair, one for the feature wherever the anchor stands, one for the distance between the two (a factoriser). So what is
learnt in one corner holds in the others.
"""

import itertools
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from spielwerk import _core
from spielwerk.agents.evaluation import (
    CEILING,
    HALVES,
    HIDDEN,
    MOST_WEIGHT,
    ONE,
    SECOND,
    Evaluation,
    evaluation_for,
)
from spielwerk.agents.regions import REGIONS, places_of
from spielwerk.arena.workers import InProcess, Workers
from spielwerk.games import Game, make
from spielwerk.training.boards import boards_of

MOST_ANCHORS = 2
GAMES_PER_JOB = 8
VALIDATED = 0.05  # of the positions


@dataclass(frozen=True)
class NnueConfig:
    """What shapes a network; the same config and seed give the same one on one thread."""

    positions: int = 200_000
    nodes: int = 2_000
    """Of the search for each action of the games."""
    teacher: str = ""
    """The network that judges in these searches: a file, or `shipped`; the heuristic alone if empty."""
    mix: str = ""
    """Several boards to learn on, such as `side=5,8,12`; the ruleset's own if empty."""
    opening: int = 12
    """Random actions at the beginning of a game, at most."""
    errs: float = 0.1
    """How often a random action is played later on."""
    score_share: float = 0.75
    """Of the search's score in what is learnt; the rest is the result."""
    epochs: int = 8
    batch: int = 1024
    learning_rate: float = 2e-3
    decay: float = 0.3
    """Weight decay of what belongs to an anchor's cell and a feature."""
    heuristic: float = 1.0
    """How much it counts in play beside the network, as a multiple of what was learnt: searches lead to positions where
    the network errs."""
    seed: int = 0


@dataclass
class Positions:
    """Features of positions one after the other, `ends` says where each one's end; all values are seat 0's."""

    features: NDArray[np.int32]
    ends: NDArray[np.int64]
    heuristics: NDArray[np.float32]
    scores: NDArray[np.float32]
    results: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ends)

    @classmethod
    def joined(cls, parts: list["Positions"]) -> "Positions":
        shifts = np.cumsum([0] + [len(part.features) for part in parts[:-1]])
        ends = [part.ends + shift for part, shift in zip(parts, shifts, strict=True)]
        names = ("features", "heuristics", "scores", "results")
        joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return cls(ends=np.concatenate(ends), **joined)


# -- games -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """Games to be played somewhere, by number."""

    game: str
    rules: dict[str, Any]
    config: NnueConfig
    first: int


def play_games(job: Job) -> Positions:
    """The positions of a few games, played in the core (cpp/lessons.hpp)."""
    game, config = make(job.game, **job.rules), job.config
    teacher = evaluation_for(config.teacher, game) if config.teacher else None
    lessons = _core.lessons(
        game,
        games=GAMES_PER_JOB,
        seed=config.seed,
        first_game=job.first,
        nodes=config.nodes,
        opening=config.opening,
        errs=config.errs,
        teacher=teacher,
    )
    positions = Positions(**lessons)
    if config.mix:
        positions.features = _by_region(game, positions.features)
    return positions


def _by_region(game: Game, features: NDArray[np.int32]) -> NDArray[np.int32]:
    """Features of planes and cells as those of planes and regions."""
    places = places_of(game, _core.evaluation_planes(game))
    plane, cell = np.divmod(features, places.shape[1])
    return (plane * REGIONS + places[plane, cell]).astype(np.int32)


def gather(game: Game, config: NnueConfig, workers: Workers, heard: Callable[[int], None]) -> Positions:
    """As many positions as the config asks for; the order of the games does not depend on the workers."""
    parts: list[Positions] = []
    boards = itertools.cycle(boards_of(game, config.mix).values())
    jobs = (Job(game.name, next(boards).rules, config, first) for first in itertools.count(step=GAMES_PER_JOB))
    pending: deque[Future[Positions]] = deque()
    count = 0
    while count < config.positions:
        while len(pending) < 2 * workers.slots:  # nobody waits for the slowest
            pending.append(workers.submit(play_games, next(jobs)))
        parts.append(pending.popleft().result())
        count += len(parts[-1])
        heard(min(count, config.positions))
    return _cut(Positions.joined(parts), config.positions)


def _cut(positions: Positions, count: int) -> Positions:
    count = min(count, len(positions))
    return Positions(
        positions.features[: positions.ends[count - 1]],
        positions.ends[:count],
        positions.heuristics[:count],
        positions.scores[:count],
        positions.results[:count],
    )


# -- the network -------------------------------------------------------------------------------------

Numbers = TypeVar("Numbers", NDArray[Any], Tensor)


@dataclass(frozen=True)
class Layout:
    """Which features have rows, where anchors stand, and how far a feature is from them."""

    anchors: list[int]  # planes
    rows_of: NDArray[np.int16]  # by feature, -1 for those never seen
    cells: int
    width: int

    @property
    def rows(self) -> int:
        return int(self.rows_of.max()) + 1

    @property
    def places(self) -> int:
        return self.cells if self.anchors else 1

    @classmethod
    def of(cls, game: Game, positions: Positions, mix: str = "") -> "Layout":
        planes, (_, height, width) = _core.evaluation_planes(game), game.observation_shape
        if mix:
            height, width = 1, REGIONS
        cells = height * width
        counts = np.bincount(positions.features, minlength=planes * cells)
        rows_of = np.full(planes * cells, -1, np.int16)
        used = np.flatnonzero(counts)
        rows_of[used] = np.arange(len(used))
        starts = np.concatenate([[0], positions.ends[:-1]])
        owner = np.repeat(np.arange(len(positions)), positions.ends - starts)
        anchors: list[int] = []
        for plane in range(planes):
            here = positions.features // cells == plane
            once = np.bincount(owner[here], minlength=len(positions))
            wandering = np.count_nonzero(counts[plane * cells : (plane + 1) * cells]) > cells // 2
            if not mix and len(anchors) < MOST_ANCHORS and (once == 1).all() and wandering:
                anchors.append(plane)
        return cls(anchors, rows_of, cells, width)

    def places_of(self, data: Positions) -> NDArray[np.int64]:
        """Where the anchors stand, ``[halves, positions]``."""
        found = np.zeros((max(1, len(self.anchors)), len(data)), np.int64)
        owner = np.repeat(np.arange(len(data)), np.diff(data.ends, prepend=0))
        for half, plane in enumerate(self.anchors):
            on_plane = data.features // self.cells == plane
            found[half, owner[on_plane]] = data.features[on_plane] % self.cells
        return found

    def offsets(self, place: Numbers, feature: Numbers) -> Numbers:
        """A number for the plane and the distance between an anchor's cell and a feature's."""
        cell, plane = feature % self.cells, feature // self.cells
        rows, columns = cell // self.width - place // self.width, cell % self.width - place % self.width
        height = self.cells // self.width
        span = 2 * self.width - 1
        offsets: Numbers = (plane * (2 * height - 1) + rows + height - 1) * span + columns + self.width - 1
        return offsets

    @property
    def offset_count(self) -> int:
        planes, height = len(self.rows_of) // self.cells, self.cells // self.width
        return planes * (2 * height - 1) * (2 * self.width - 1)


class EvaluationNet(nn.Module):
    """The network while it learns, in real numbers."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.layout = layout
        halves = max(1, len(layout.anchors))
        self.pairs = nn.EmbeddingBag(halves * layout.places * layout.rows, HIDDEN, mode="sum")
        self.features = nn.EmbeddingBag(halves * layout.rows, HIDDEN, mode="sum")
        self.offsets = nn.EmbeddingBag(halves * layout.offset_count, HIDDEN, mode="sum")
        for table, scale in ((self.pairs, 0.0), (self.features, 0.05), (self.offsets, 0.02)):
            nn.init.normal_(table.weight, std=scale)
        self.first_bias = nn.Parameter(torch.full((HALVES * HIDDEN,), 0.3))
        self.second = nn.Linear(HALVES * HIDDEN, SECOND)
        self.last = nn.Linear(SECOND, 1)
        self.heuristic_weight = nn.Parameter(torch.ones(1))
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(self, batch: "Batch") -> Tensor:
        """``[batch]`` logits for seat 0; their tanh are the values."""
        tables = (self.pairs, self.features, self.offsets)
        sums = [
            sum(table(rows, batch.starts) for table, rows in zip(tables, half, strict=True)) for half in batch.halves
        ]
        top = CEILING / ONE
        hidden = torch.cat(sums, 1)
        hidden = (hidden + self.first_bias[: hidden.shape[1]]).clamp(0, top)
        hidden = nn.functional.pad(hidden, (0, HALVES * HIDDEN - hidden.shape[1]))  # a half that is missing is 0
        logits: Tensor = self.last(self.second(hidden).clamp(0, top))[:, 0]
        return logits + self.heuristic_weight * batch.heuristics

    @torch.no_grad()
    def quantised(self, card: dict[str, Any]) -> Evaluation:
        """The network in whole numbers, as the search takes it."""
        layout, halves = self.layout, max(1, len(self.layout.anchors))
        used = np.flatnonzero(layout.rows_of >= 0)
        table = np.zeros((halves, layout.places, layout.rows, HIDDEN))
        self.cpu()
        pairs = self.pairs.weight.numpy().reshape(table.shape)
        features = self.features.weight.numpy().reshape(halves, 1, layout.rows, HIDDEN)
        for half in range(halves):
            for place in range(layout.places):
                offsets = self.offsets.weight.numpy()[
                    half * layout.offset_count + layout.offsets(np.full(len(used), place), used)
                ]
                table[half, place] = pairs[half, place] + features[half, 0] + offsets
        whole = {
            "table": _whole(table, 127),
            "first_bias": _whole(self.first_bias.numpy(), MOST_WEIGHT),
            "second": _whole(self.second.weight.numpy(), MOST_WEIGHT),
            "second_bias": _whole(self.second.bias.numpy() * ONE, 2**29),
            "last": _whole(self.last.weight.numpy(), MOST_WEIGHT),
        }
        last_bias = _whole(self.last.bias.numpy() * ONE, 2**29)[0]
        scalars = np.array([layout.rows, last_bias, _whole(self.heuristic_weight.numpy(), MOST_WEIGHT)[0]])
        return Evaluation(
            {"anchors": np.array(layout.anchors, np.int32), "rows_of": layout.rows_of, "scalars": scalars, **whole},
            card,
        )


def _whole(numbers: NDArray[Any], most: int) -> NDArray[Any]:
    return np.clip(np.round(numbers * ONE), -most, most).astype(np.int64).reshape(-1)


# -- learning ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Batch:
    """Positions as the network takes them."""

    halves: list[tuple[Tensor, Tensor, Tensor]]  # for each the indices of pairs, features and offsets
    starts: Tensor  # where each position's indices begin
    heuristics: Tensor
    targets: Tensor


class Lesson:
    """All positions and what is to be learnt of them, on the device that learns."""

    def __init__(self, data: Positions, layout: Layout, targets: NDArray[np.float32], device: torch.device) -> None:
        def moved(numbers: NDArray[Any]) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(numbers)).to(device)

        self._layout, self._device = layout, device
        self._features, self._rows_of = moved(data.features), moved(layout.rows_of.astype(np.int64))
        self._begins, self._ends = moved(np.concatenate([[0], data.ends[:-1]])), moved(data.ends)
        self._places = moved(layout.places_of(data))
        self._heuristics, self._targets = moved(data.heuristics), moved(targets)

    def batch(self, numbers: NDArray[Any]) -> Batch:
        """The positions with these numbers."""
        layout, which = self._layout, torch.from_numpy(numbers).to(self._device)
        begins = self._begins[which]
        lengths = self._ends[which] - begins
        starts = lengths.cumsum(0) - lengths
        owners = torch.repeat_interleave(lengths)
        within = torch.arange(len(owners), device=self._device) - starts[owners]
        found = self._features[begins[owners] + within].long()
        rows = self._rows_of[found]
        halves = []
        for half, places in enumerate(self._places):
            place = places[which][owners]
            pairs = (half * layout.places + place) * layout.rows + rows
            offsets = half * layout.offset_count + layout.offsets(place, found)
            halves.append((pairs, half * layout.rows + rows, offsets))
        return Batch(halves, starts, self._heuristics[which], self._targets[which])


def learn(
    game: Game, data: Positions, config: NnueConfig, heard: Callable[[int, float, float], None], device: str = "cpu"
) -> tuple[Evaluation, dict[str, float]]:
    """The network, and its mean squared errors beside the heuristic's; `heard` gets epoch, error and held-out error."""
    torch.manual_seed(config.seed)
    torch.set_num_threads(1)
    order = np.random.default_rng(config.seed).permutation(len(data))
    held, rest = np.split(order, [max(1, int(VALIDATED * len(data)))])
    layout = Layout.of(game, data, config.mix)
    net = EvaluationNet(layout).to(device)
    targets = config.score_share * data.scores + (1 - config.score_share) * data.results
    lesson = Lesson(data, layout, targets.astype(np.float32), torch.device(device))
    rare = [net.pairs.weight]  # each is seen in few positions
    common = [parameter for parameter in net.parameters() if parameter is not net.pairs.weight]
    groups = [{"params": rare, "weight_decay": config.decay}, {"params": common, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=config.learning_rate)
    steps = max(1, config.epochs * (-(-len(rest) // config.batch)))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, config.learning_rate, total_steps=steps)
    for epoch in range(config.epochs):
        rest = np.random.default_rng([config.seed, epoch]).permutation(rest)
        total = torch.zeros((), device=device)
        for begin in range(0, len(rest), config.batch):
            batch = rest[begin : begin + config.batch]
            loss, error = _losses(net, lesson.batch(batch))
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            total += error * len(batch)
        heard(epoch + 1, float(total) / len(rest), _error(net, held, lesson))
    figures = {
        "heuristic_error": float(np.mean((data.heuristics[held] - targets[held]) ** 2)),
        "network_error": _error(net, held, lesson),
    }
    card = {"game": game.name, "rules": game.rules, "rules_version": game.rules_version}
    card |= {"mix": config.mix} if config.mix else {}
    card |= {"config": asdict(replace(config, heuristic=1.0)), "positions": len(data), "figures": figures}
    return net.quantised(card).with_heuristic(config.heuristic), figures


def _losses(net: EvaluationNet, batch: Batch) -> tuple[Tensor, Tensor]:
    """The cross entropy, which is learnt by, and the squared error, which is told."""
    logits = net(batch)
    entropy = nn.functional.binary_cross_entropy_with_logits(2 * logits, (batch.targets + 1) / 2)
    return entropy, nn.functional.mse_loss(logits.detach().tanh(), batch.targets)


@torch.no_grad()
def _error(net: EvaluationNet, which: NDArray[Any], lesson: Lesson) -> float:
    parts = [which[begin : begin + 8192] for begin in range(0, len(which), 8192)]
    return sum(float(_losses(net, lesson.batch(part))[1]) * len(part) for part in parts) / max(1, len(which))


def train_evaluation(
    game: Game,
    config: NnueConfig | None = None,
    *,
    workers: Workers | None = None,
    device: str = "cpu",
    gathered: Callable[[int], None] = lambda count: None,
    heard: Callable[[int, float, float], None] = lambda epoch, error, held: None,
) -> Evaluation:
    """A network for a game of two seats without dice: plays the games, then learns on the device."""
    if game.num_players != 2 or game.has_chance:
        raise ValueError(f"{game.name}: alpha-beta plays games of two seats without dice")
    config = config or NnueConfig()
    for board in boards_of(game, config.mix).values():
        if config.teacher:
            evaluation_for(config.teacher, board)  # refused before anything is played
    data = gather(game, config, workers or InProcess(), gathered)
    evaluation, _ = learn(game, data, config, heard, device)
    for board in boards_of(game, config.mix).values():
        _core.alphabeta(board, megabytes=1, network=evaluation.on(board).network())  # refuses what it cannot sum up
    return evaluation
