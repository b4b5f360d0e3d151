"""What is measured, and which peer stands beside which of our figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

OURS = "ours"
HEADLINE_GAME = "pferdeaepfel/trail"
BATCH = 4096
BATCH_SIZES = (64, 256, 1024, 4096, 16384, 65536)
THREADS = (1, 2)
BOARD_SIDES = (3, 4, 5, 6, 7, 8)


@dataclass(frozen=True)
class Task:
    """One figure to take; `side` is `ours` or the name of a peer's module."""

    side: str
    measure: str
    game: str
    options: tuple[tuple[str, object], ...] = ()

    def __str__(self) -> str:
        return " ".join([self.side, self.measure, self.game, *(f"{k}={v}" for k, v in self.options)])

    def with_options(self, **more: object) -> Task:
        return Task(self.side, self.measure, self.game, (*self.options, *more.items()))


@dataclass(frozen=True)
class Measure:
    """One row of the comparison: the same kind of work, ours and theirs."""

    title: str
    column: str
    unit: str
    name: str
    options: tuple[tuple[str, object], ...]
    peer: str
    peer_games: tuple[str, ...]
    our_game: str = HEADLINE_GAME

    def ours(self, game: str = "") -> Task:
        return Task(OURS, self.name, game or self.our_game, self.options)

    def theirs(self) -> tuple[Task, ...]:
        return tuple(Task(self.peer, self.name, game, self.options) for game in self.peer_games)


def _aec(name: str, entry: str, sampler: str, sampler_title: str) -> Measure:
    return Measure(
        title=f"PettingZoo `{entry}()`, `last()` and `step()`, {sampler_title}",
        column=f"`{entry}()`, {sampler}",
        unit="steps",
        name=name,
        options=(("sampler", sampler),),
        peer="pettingzoo",
        peer_games=("tictactoe_v3", "connect_four_v3"),
    )


MEASURES = (
    Measure(
        title="random playouts inside the core",
        column="playouts",
        unit="plies",
        name="playouts",
        options=(),
        peer="openspiel",
        peer_games=("amazons", "connect_four", "breakthrough"),
    ),
    Measure(
        title=f"batch of {BATCH}, observation and mask written, actions given",
        column="batch step",
        unit="steps",
        name="batch-step",
        options=(("num_envs", BATCH),),
        peer="pgx",
        peer_games=("connect_four", "othello"),
    ),
    Measure(
        title=f"batch of {BATCH}, random legal actions drawn as well",
        column="batch step, drawn",
        unit="steps",
        name="batch-step-sample",
        options=(("num_envs", BATCH),),
        peer="pgx",
        peer_games=("connect_four", "othello"),
    ),
    Measure(
        title="one game from Python: legal actions, a random pick, play",
        column="state",
        unit="plies",
        name="state",
        options=(),
        peer="openspiel",
        peer_games=("connect_four", "breakthrough"),
    ),
    Measure(
        title="the same with observation and mask as arrays",
        column="state, observed",
        unit="plies",
        name="state-observe",
        options=(),
        peer="openspiel",
        peer_games=("connect_four", "breakthrough"),
    ),
    Measure(
        title="a game of Ludo (`ludo/ffa`) from Python, observation and mask as arrays",
        column="Ludo",
        unit="decisions",
        name="state-observe",
        options=(),
        peer="ludopy",
        peer_games=("ludo",),
        our_game="ludo/ffa",
    ),
    _aec("aec-env", "env", "numpy", "NumPy mask sampler"),
    _aec("aec-raw", "raw_env", "numpy", "NumPy mask sampler"),
    _aec("aec-env", "env", "space", "`space.sample(mask)`"),
    _aec("aec-raw", "raw_env", "space", "`space.sample(mask)`"),
    Measure(
        title="MCTS with one random rollout per simulation",
        column="MCTS",
        unit="simulations",
        name="mcts",
        options=(),
        peer="openspiel",
        peer_games=("connect_four", "breakthrough"),
    ),
)
# The table over the rulesets leaves out what a sampler of another library decides.
RULESET_MEASURES = tuple(m for m in MEASURES if m.our_game == HEADLINE_GAME and ("sampler", "space") not in m.options)
SIDE_MEASURES = tuple(m for m in MEASURES if m.name in ("playouts", "batch-step", "batch-step-sample"))


def headline(peers: Iterable[str]) -> list[Task]:
    """Ours directly before its peers, so that both meet the same moment of the machine."""
    present = set(peers)
    tasks: list[Task] = []
    for measure in MEASURES:
        tasks.append(measure.ours())
        if measure.peer in present:
            tasks += measure.theirs()
    return tasks


def rulesets(games: Iterable[str]) -> list[Task]:
    return [measure.ours(game) for game in games for measure in RULESET_MEASURES]


def batch_growth_task(num_envs: int, threads: int) -> Task:
    return Task(OURS, "batch-step", HEADLINE_GAME, (("num_envs", num_envs), ("threads", threads)))


def batch_growth() -> list[Task]:
    return [batch_growth_task(num_envs, threads) for num_envs in BATCH_SIZES for threads in THREADS]


def side_growth() -> list[Task]:
    return [measure.ours().with_options(size=side) for side in BOARD_SIDES for measure in SIDE_MEASURES]
