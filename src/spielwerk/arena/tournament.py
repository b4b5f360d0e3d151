"""Plays what a schedule asks for and is not yet in the store."""

import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue
from typing import Literal

from spielwerk.arena.match import Played, play
from spielwerk.arena.patience import PATIENCE
from spielwerk.arena.results import Result
from spielwerk.arena.schedule import Fixture, Schedule, lineups, usual_opening
from spielwerk.arena.sprt import Sprt
from spielwerk.arena.store import GameStore
from spielwerk.arena.workers import TRIES, Workers
from spielwerk.games import Game

# So many of the next games an arena chooses from when others may play from the same store.
_WINDOW = 64


@dataclass
class Meeting:
    """One line-up: its games so far, and whether a sequential test has seen enough of them."""

    schedule: Schedule
    pairings: int
    sprt: Sprt | None = None
    _results: list[dict[str, Result]] = field(init=False)
    _scores: list[float] = field(init=False, default_factory=list)
    verdict: Literal["accept", "reject"] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._results = [{} for _ in range(self.pairings)]

    @property
    def results(self) -> list[Result]:
        """In the order of the schedule; a test's verdict ends them, however many further games were under way."""
        counted = self._results if self.verdict is None else self._results[: len(self._scores)]
        return [result for pairing in counted for _, result in sorted(pairing.items())]

    @property
    def llr(self) -> float | None:
        """Where the sequential test stands."""
        return None if self.sprt is None else self.sprt.llr(self._scores)

    def take(self, number: int, identity: str, result: Result) -> None:
        """A game of pairing `number` is over."""
        self._results[number][identity] = result
        seatings = len(self.schedule.seatings)
        # The test reads pairings in their order, so that its verdict does not depend on which was quicker.
        while (
            self.sprt is not None
            and self.verdict is None
            and (next_one := len(self._scores)) < self.pairings
            and len(self._results[next_one]) == seatings
        ):
            self._scores.append(self._score(next_one))
            self.verdict = self.sprt.verdict(self._scores)

    def knows(self, number: int, identity: str) -> bool:
        """Whether a game of pairing `number` is over."""
        return identity in self._results[number]

    def _score(self, number: int) -> float:
        """The mean score of the line-up's first player in one pairing."""
        player = self.schedule.lineup[0]
        results = self._results[number].values()
        return sum(result.scores[result.players.index(player)] for result in results) / len(results)


Job = tuple[Meeting, int, Fixture]


@dataclass
class Tournament:
    """Meetings side by side; their pairings are played in turn."""

    meetings: list[Meeting]
    store: GameStore
    finished: int = field(init=False, default=0)  # taken from the store or played
    _free: int = field(init=False, default=1)  # games that are handed out at once

    def __post_init__(self) -> None:
        for meeting in self.meetings:
            fixtures = [meeting.schedule.pairing(number) for number in range(meeting.pairings)]
            known = self.store.results([fixture.id for games in fixtures for fixture in games])
            for number, games in enumerate(fixtures):
                for fixture in games:
                    if fixture.id in known:
                        meeting.take(number, fixture.id, known[fixture.id])
                        self.finished += 1

    @property
    def results(self) -> list[Result]:
        """Of all games that are over, in the order of the schedule."""
        return [result for meeting in self.meetings for result in meeting.results]

    @property
    def games(self) -> int:
        """How many there are if no test ends earlier."""
        return sum(len(meeting.schedule.seatings) * meeting.pairings for meeting in self.meetings)

    def run(self, workers: Workers, on_game: Callable[[Result], None] = lambda _: None) -> None:
        """Plays every game that is missing; each is stored as soon as it is over."""
        missing = self._missing(on_game)
        busy: dict[Future[Played], Job] = {}
        done: SimpleQueue[Future[Played]] = SimpleQueue()  # waiting for all of thousands would look at each every time
        again: list[Job] = []
        failures: dict[str, int] = {}
        while True:
            # Games to be repeated are played alone, so that one which kills its worker is found out.
            slots = 1 if again else workers.slots
            self._free = slots - len(busy)
            while len(busy) < slots and (job := again.pop() if again else next(missing, None)):
                future = _submitted(workers, job)
                busy[future] = job
                future.add_done_callback(done.put)
            if not busy:
                return
            ended = [future for future in _arrivals(done) if future in busy]
            self._take([(busy.pop(future), future.result()) for future in ended if not _died(future)], on_game)
            if died := [busy[future] for future in ended if _died(future)]:
                if workers.repeats:
                    raise _given_up(died[0])
                again += _to_repeat(list(busy.values()), failures)
                busy.clear()
                workers.renew()

    def _take(self, played: list[tuple[Job, Played]], on_game: Callable[[Result], None]) -> None:
        self.store.add([game for _, game in played])
        for job, game in played:
            self._note(job, game.result, on_game)

    def _note(self, job: Job, result: Result, on_game: Callable[[Result], None]) -> None:
        meeting, number, fixture = job
        meeting.take(number, fixture.id, result)
        self.finished += 1
        on_game(result)

    def _missing(self, on_game: Callable[[Result], None]) -> Iterator[Job]:
        """What is to be played, in the order of the schedule.

        Arenas that share a store draw among the next games instead, and look first whether another has finished
        them, once for all that is handed out at a time: so they seldom play the same one, without having to know of
        each other.
        """
        scheduled = self._scheduled()
        window: list[Job] = []
        unlooked = 0
        while True:
            window += islice(scheduled, (_WINDOW if self.store.shared else 1) - len(window))
            if self.store.shared and unlooked == 0:
                window, unlooked = self._without_stored(window, on_game), max(1, self._free)
            unlooked -= 1
            window = [job for job in window if job[0].verdict is None]
            if window:
                yield window.pop(random.randrange(len(window)))
            elif (job := next(scheduled, None)) is not None:
                window.append(job)
            else:
                return

    def _without_stored(self, jobs: list[Job], on_game: Callable[[Result], None]) -> list[Job]:
        known = self.store.results([fixture.id for _, _, fixture in jobs])
        for job in jobs:
            if job[2].id in known:
                self._note(job, known[job[2].id], on_game)
        return [job for job in jobs if job[2].id not in known]

    def _scheduled(self) -> Iterator[Job]:
        for number in range(max((meeting.pairings for meeting in self.meetings), default=0)):
            for meeting in self.meetings:
                if number >= meeting.pairings or meeting.verdict is not None:
                    continue
                for fixture in meeting.schedule.pairing(number):
                    if not meeting.knows(number, fixture.id):
                        yield meeting, number, fixture


def tournament_of(
    game: Game,
    players: Sequence[str],
    store: GameStore,
    *,
    games: int,
    seed: int = 0,
    opening: int | None = None,
    book: tuple[str, ...] = (),
    gauntlet: bool = False,
    sprt: Sprt | None = None,
    patience: float = PATIENCE,
) -> Tournament:
    """Each player with each, or the first with each of the others: `games` games for every two who meet.

    They begin with so many random turns (`opening`), or with the positions of a `book`.
    """
    turns = usual_opening(game) if opening is None else opening
    meeting = lineups(game, players, gauntlet=gauntlet)
    schedules = [Schedule(game, lineup, seed, turns, patience, book) for lineup in meeting]
    return Tournament([Meeting(schedule, schedule.pairings_for(games), sprt) for schedule in schedules], store)


def _submitted(workers: Workers, job: Job) -> Future[Played]:
    try:
        return workers.submit(play, job[2])
    except BrokenExecutor as error:
        failed: Future[Played] = Future()
        failed.set_exception(error)
        return failed


def _arrivals(done: "SimpleQueue[Future[Played]]") -> Iterator[Future[Played]]:
    """Waits for a game, and takes along what else is over: a store writes many at once as fast as one."""
    yield done.get()
    while not done.empty():
        yield done.get()


def _died(future: Future[Played]) -> bool:
    return not future.cancelled() and isinstance(future.exception(), BrokenExecutor)


def _to_repeat(jobs: list[Job], failures: dict[str, int]) -> list[Job]:
    """The games that were under way when a worker died; ValueError once that is no longer bad luck."""
    for job in jobs:
        game = job[2].id
        failures[game] = failures.get(game, 0) + 1
        if failures[game] >= TRIES:
            raise _given_up(job)
    return jobs


def _given_up(job: Job) -> ValueError:
    return ValueError(f"processes died {TRIES} times while playing {' – '.join(job[2].players)}")
