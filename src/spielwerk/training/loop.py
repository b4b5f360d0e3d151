"""Drives a learner in its run folder: rows for the watchers, checkpoints, a way out on Ctrl-C, models at the end."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol, Self

from spielwerk.agents.network import RUN_MODELS
from spielwerk.games import Game
from spielwerk.training.alphazero import AlphaZero
from spielwerk.training.checkpoints import (
    Checkpoint,
    CheckpointError,
    Facts,
    Tensors,
    load_checkpoint,
    load_weights,
    save_checkpoint,
    save_weights,
)
from spielwerk.training.evaluation import score_by_seat
from spielwerk.training.export import export_model
from spielwerk.training.imitation import Imitation
from spielwerk.training.mixed import MixedPpo
from spielwerk.training.networks import Network
from spielwerk.training.players import network_player, player_of
from spielwerk.training.runs import Run
from spielwerk.training.selfplay import ANCHORS, Gated
from spielwerk.training.snapshot import fingerprint, network_tensors
from spielwerk.training.watching import Row, Watcher

if TYPE_CHECKING:
    from spielwerk.training.config import RunConfig
    from spielwerk.training.ppo import Progress

SECONDS_BETWEEN_ROWS = 1.0
SECONDS_BETWEEN_ANCHORS = 20.0
SLOW_UPDATE = 0.25  # seconds; an interrupt does not wait for longer ones but keeps the state before them
ANCHOR_SHARE = 0.05  # of the time, at most, goes into playing the anchors
ANCHOR_GAMES = 200  # on each seat
FINAL_GAMES = 1000
FINAL_MATCH_GAMES = 4000  # of the best against the start, at most
_HAS_ALARM = hasattr(signal, "setitimer")  # Windows has none
Scores = dict[str, list[dict[str, Any]]]  # of each anchor, seat by seat


class Learner(Protocol):
    """What every method is to the loop. Between two updates, and only there, a state may be taken."""

    @property
    def game(self) -> Game: ...

    @property
    def config(self) -> RunConfig: ...

    @property
    def network(self) -> Network: ...

    @property
    def averaged(self) -> Network: ...

    @property
    def steps(self) -> int: ...

    @property
    def update(self) -> int: ...

    @property
    def remarks(self) -> list[str]: ...

    def updates(self) -> Iterator[Progress]: ...

    def state(self) -> tuple[Tensors, Facts]: ...

    def restore(self, tensors: Tensors, facts: Facts) -> None: ...


@dataclass
class Training:
    """One run, from where it stands to its end or an interrupt."""

    learner: Learner
    run: Run
    watchers: Sequence[Watcher] = ()
    checkpoint_seconds: float = 60.0
    seconds: float = 0.0  # that the run has taken so far
    _saved_update: int = field(default=-1, init=False)
    _kept: tuple[int, Tensors, Facts] | None = field(
        default=None, init=False
    )  # after the last update, if they are slow
    _saved_at: float = field(default_factory=time.monotonic, init=False)

    def __post_init__(self) -> None:
        """What is too large for checkpoints lies beside them."""
        if isinstance(self.learner, AlphaZero | Imitation):
            self.learner.keep_in(self.run.folder / "replay")

    def restore(self) -> Checkpoint:
        """Takes up the newest sound checkpoint. What happened after it will happen again."""
        checkpoint = load_checkpoint(self.run.checkpoints)
        try:
            self.learner.restore(checkpoint.tensors, checkpoint.facts["learner"])
            self.seconds = float(checkpoint.facts["seconds"])
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RuntimeError) as error:
            reason = error if isinstance(error, ValueError) else "it is no checkpoint of such a run"
            raise CheckpointError(f"{checkpoint.path} cannot be continued: {reason}") from None
        self.run.cut_metrics(self.learner.update)
        self._saved_update = self.learner.update
        return checkpoint

    def learn(self) -> bool:
        """Learns until the steps are done: True. On Ctrl-C or SIGTERM, until the update is done: False.

        A slow update is given up then, and the state before it is saved: a resumed run repeats it.
        """
        begin = time.monotonic() - self.seconds
        rows = _Rows(self.learner.steps)
        anchors = _Pace()
        self._show_waiting()
        with _Stop(self.say, lambda: self._kept is not None) as stop:
            for progress in stop.unless_slow(self.learner.updates()):
                self._keep(time.monotonic() - begin - self.seconds)
                self.seconds = time.monotonic() - begin
                _require_finite(progress)
                rows.add(progress)
                played = None
                if anchors.due and not stop.asked:
                    played = anchors.timed(lambda: self.anchor_scores(self.learner.averaged, ANCHOR_GAMES))
                if played or rows.due or progress.evaluation:
                    self._show(rows.row(self.seconds, played))
                if progress.evaluation is not None and progress.evaluation.promoted:
                    self._export("best", self.learner.averaged, {"evaluation": progress.evaluation.to_json()})
                if time.monotonic() - self._saved_at >= self.checkpoint_seconds:
                    self.save()
                if stop.asked:
                    break
            if rows.pending:
                self._show(rows.row(self.seconds))
            self.save()
        return not stop.asked

    def finish(self) -> Facts:
        """Measures the network that the run has made, exports it and writes the result."""
        gated = self.learner if isinstance(self.learner, Gated) else None
        made = gated.best if gated else self.learner.averaged
        figures = self.anchor_scores(made, FINAL_GAMES, show=self._show_measuring)
        result: Facts = {
            "steps": self.learner.steps,
            "updates": self.learner.update,
            "seconds": round(self.seconds, 1),
            "model": "best" if gated else "final",
            "weights": fingerprint(made),
            "anchors": figures,
            **({} if gated is None else self._ladder(gated)),
            **self._by_board(),
        }
        if gated:
            self._export("final", gated.averaged, {})
        self._export(result["model"], made, {"figures": figures})
        self.run.write_result(result)
        return result

    def save(self) -> None:
        """Writes a checkpoint, unless the last one is of this very update."""
        update, tensors, facts = self._kept or (self.learner.update, {}, {})
        if update != self._saved_update:
            if self._kept is None:
                tensors, facts = self.learner.state()
            save_checkpoint(self.run.checkpoints, update, tensors, {"learner": facts, "seconds": self.seconds})
            self._saved_update = update
        self._saved_at = time.monotonic()

    def _keep(self, seconds: float) -> None:
        """Where updates are slow, a copy of the state is cheap beside them."""
        self._kept = None
        if seconds > SLOW_UPDATE:
            tensors, facts = self.learner.state()
            self._kept = self.learner.update, {name: tensor.clone() for name, tensor in tensors.items()}, facts

    def anchor_scores(
        self, network: Network, games: int, board: tuple[str, Game] | None = None,
        show: Callable[[str, float], None] | None = None,
    ) -> Scores:  # fmt: skip
        """The network's likeliest actions against each anchor, seat by seat, in distinct games.

        They are games of the learner's, or of another `board`, which has a name.
        """
        name, game = board or ("", self.learner.game)
        config, player = self.learner.config, network_player(network)
        scores: Scores = {}
        for anchor in ANCHORS:
            what = f"measuring{f' {name}' if name else ''}: {games} games a seat against {anchor}"
            progress = None if show is None else partial(show, what)
            by_seat = score_by_seat(
                game, player, player_of(anchor, game), games, config.seed, config.threads, progress
            )  # fmt: skip
            scores[anchor] = [score.to_json() for score in by_seat]
        return scores

    def _by_board(self) -> Facts:
        """The figures on every board of a mix, from fewer games than those of the learner's own."""
        boards = self.learner.boards if isinstance(self.learner, MixedPpo | Imitation) else {}
        games = min(ANCHOR_GAMES, FINAL_GAMES)
        scores = {
            name: self.anchor_scores(network, games, (name, game), self._show_measuring)
            for name, (game, network) in boards.items()
        }
        return {"boards": scores} if scores else {}

    def _ladder(self, gated: Gated) -> Facts:
        """Every best with its rating, and the last of them against the start by a sequential test."""
        self._show_measuring("measuring: the best against the start", 0.0)
        return {
            "promotions": gated.promotions,
            "against_start": gated.against_start(FINAL_MATCH_GAMES),
            "ratings": [asdict(rating) for rating in gated.pool.ratings()],
        }

    def _show_waiting(self) -> None:
        compiling = ", which compiles the network (half a minute or more)" if self.learner.config.compile else ""
        for watcher in self.watchers:
            watcher.waiting(f"the first update{compiling}")

    def _show_measuring(self, what: str, share: float) -> None:
        for watcher in self.watchers:
            watcher.measuring(what, share)

    def say(self, *lines: str) -> None:
        """Passes lines on to people."""
        for line in lines:
            for watcher in self.watchers:
                watcher.say(line)

    def close(self) -> None:
        """Lets the watchers go."""
        for watcher in self.watchers:
            watcher.close()

    def _show(self, row: Row) -> None:
        for watcher in self.watchers:
            watcher.see(row)

    def _export(self, name: str, network: Network, figures: Facts) -> None:
        facts = {
            "method": self.run.facts["method"],
            "command": self.run.facts.get("command"),
            "config": asdict(self.learner.config),
            "seed": self.learner.config.seed,
            "steps": self.learner.steps,
            "seconds": round(self.seconds, 1),
            "versions": self.run.facts.get("versions"),
            **figures,
        }
        folder, game = self.run.folder / name, self.learner.game
        about = {"game": game.name, "rules": game.rules, "network": network.shape.to_json()}
        try:
            export_model(folder / "model", network, game, facts)
            save_weights(folder / "weights.safetensors", network_tensors("network", network), about)
        except OSError as error:
            raise CheckpointError(f"{folder} cannot be written: {error.strerror}") from None


def pretrained_weights(path: Path) -> tuple[Tensors, Facts]:
    """The weights in a file or a run folder, and what network of which game they are."""
    if not path.is_dir():
        return load_weights(path)
    for name in RUN_MODELS:
        if (path / name / "weights.safetensors").is_file():
            return load_weights(path / name / "weights.safetensors")
    raise CheckpointError(f"{path} holds no model yet; a run writes one when it ends or a network is promoted")


def _require_finite(progress: Progress) -> None:
    wrong = [name for name, value in progress.losses.items() if not math.isfinite(value)]
    if wrong:
        raise ValueError(
            f"learning went wrong in update {progress.update}: {', '.join(wrong)} no longer finite;"
            " a smaller learning rate may help"
        )


class _Rows:
    def __init__(self, steps: int) -> None:
        self._last_steps = steps
        self._shown_at = time.monotonic()
        self._gathered: list[Progress] = []

    @property
    def due(self) -> bool:
        return time.monotonic() - self._shown_at >= SECONDS_BETWEEN_ROWS

    @property
    def pending(self) -> bool:
        return bool(self._gathered)

    def add(self, progress: Progress) -> None:
        self._gathered.append(progress)

    def row(self, seconds: float, anchors: Scores | None = None) -> Row:
        """The updates since the row before, the losses of the last of them."""
        last = self._gathered[-1]
        games = sum(progress.games for progress in self._gathered)
        ended = [progress for progress in self._gathered if progress.games]
        returns = sum(progress.score * progress.games for progress in ended)
        decisions = sum(progress.length * progress.games for progress in ended)
        spent = sum(progress.seconds for progress in self._gathered)
        row = Row(
            last.update,
            last.steps,
            seconds,
            (last.steps - self._last_steps) / max(spent, 1e-9),
            returns / games if games else None,
            games,
            decisions / games if games else None,
            last.losses,
            None if last.evaluation is None else last.evaluation.to_json(),
            anchors,
        )
        self._last_steps, self._shown_at = last.steps, time.monotonic()
        self._gathered.clear()
        return row


class _Pace:
    """Lets something happen now and then, and less often the longer it takes."""

    def __init__(self) -> None:
        self._next = time.monotonic() + SECONDS_BETWEEN_ANCHORS

    @property
    def due(self) -> bool:
        return time.monotonic() >= self._next

    def timed(self, work: Callable[[], Scores]) -> Scores:
        begin = time.monotonic()
        result = work()
        end = time.monotonic()
        self._next = end + max(SECONDS_BETWEEN_ANCHORS, (end - begin) / ANCHOR_SHARE)
        return result


class _Stop:
    """Remembers Ctrl-C and SIGTERM until the update is done or found to be slow; the second one acts at once."""

    def __init__(self, say: Callable[[str], None], may_give_up: Callable[[], bool]) -> None:
        self.asked = False
        self._say = say
        self._may_give_up = may_give_up
        self._updating = False

    def __enter__(self) -> Self:
        here = threading.current_thread() is threading.main_thread()  # other threads hear no signals
        numbers = (signal.SIGINT, signal.SIGTERM) if here else ()
        self._before = {number: signal.signal(number, self._ask) for number in numbers}
        return self

    def __exit__(self, *_: object) -> None:
        if _HAS_ALARM:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def unless_slow(self, updates: Iterator[Progress]) -> Iterator[Progress]:
        """The updates; after an interrupt it ends without the one that is being made, if that takes long."""
        while True:
            try:
                self._updating = True
                progress = next(updates, None)
            except _GivenUp:
                return
            finally:
                self._updating = False
            if progress is None:
                return
            yield progress

    def _ask(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.asked = True
        signal.signal(number, self._before[signal.Signals(number)])
        self._say("stopping after this update; Ctrl-C again stops at once")
        if _HAS_ALARM:
            self._before.setdefault(signal.SIGALRM, signal.signal(signal.SIGALRM, self._give_up))
            signal.setitimer(signal.ITIMER_REAL, SLOW_UPDATE)

    def _give_up(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._updating and self._may_give_up():
            raise _GivenUp


class _GivenUp(Exception):
    """The update in progress is not waited for."""
