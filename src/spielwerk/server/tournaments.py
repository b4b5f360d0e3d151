"""Small tournaments that visitors start: one at a time, of so many games and so many seconds, into the server's store.

They are played in one process of their own, which is polite to the processor and ends with the server.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request
from starlette.types import Scope

from spielwerk import catalogue
from spielwerk.agents import KINDS
from spielwerk.agents.network import shipped_models
from spielwerk.agents.specs import read_spec
from spielwerk.arena.players import player_name
from spielwerk.arena.schedule import Schedule, lineups
from spielwerk.arena.store import GameStore, Ruleset
from spielwerk.arena.tournament import Tournament, tournament_of
from spielwerk.arena.workers import Processes
from spielwerk.games import Game, make
from spielwerk.server import views
from spielwerk.server.lab_protocol import (
    ArenaLimits,
    ContestantView,
    StartedTournament,
    TournamentRequest,
    TournamentStatus,
)
from spielwerk.server.levels import Level, level_named, levels_for
from spielwerk.server.limits import Budgets, client_of
from spielwerk.server.protocol import Refused
from spielwerk.server.settings import Settings

_LOG = logging.getLogger("spielwerk.server")
_NICENESS = 10

# Stores with more games are neither shown nor added to.
MOST_GAMES = 100_000

A = TypeVar("A")
R = TypeVar("R")


def tournament_id(ruleset: Ruleset) -> str:
    """What clients call all games of a store under one ruleset."""
    key = json.dumps([ruleset.game, ruleset.rules, ruleset.rules_version], sort_keys=True)
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def contestants(game: Game, levels: Sequence[Level]) -> list[Level]:
    """Levels that may play for visitors, weakest first: their specs are shown, so they name no file and no program."""
    return [level for level in levels_for(game, levels) if _names_nothing(_spec(level, game))]


def _names_nothing(spec: str) -> bool:
    kind, values = read_spec(spec, KINDS)
    texts = [value for value in values.values() if isinstance(value, str)]
    return kind.kind != "engine" and set(texts) <= {"", *shipped_models()}


def _spec(level: Level, game: Game) -> str:
    choice = level.choice(game)
    assert choice is not None
    return choice.spec


class Tournaments:
    """At most one that is being played, and how the last one ended."""

    def __init__(
        self,
        settings: Settings,
        levels: Sequence[Level],
        budgets: Budgets,
        store: GameStore | None,
        may_start: Callable[[Scope], bool],
    ) -> None:
        self._settings = settings
        self._levels = levels
        self._budgets = budgets
        self._store = store
        self._may_start = may_start
        self._lock = threading.Lock()
        self._current: _Running | None = None

    def offer(self, scope: Scope) -> dict[str, Any]:
        """What the arena page says about starting one, by the names of its fields."""
        may_start = self._store is not None and self._may_start(scope)
        limits = ArenaLimits(games=self._settings.tournament_games, seconds=self._settings.tournament_seconds)
        current = self._current
        return {
            "may_start": may_start,
            "limits": limits if may_start else None,
            "started": None if current is None else current.view,
        }

    def contestants(self, game: str) -> list[ContestantView]:
        """Whom a tournament under these rules can have."""
        made = _made(game)
        return [ContestantView(id=level.id, title=level.title) for level in contestants(made, self._levels)]

    def start(self, body: TournamentRequest, scope: Scope) -> StartedTournament:
        """Begins; Refused to those who may not, while another one is played, and beyond the limits."""
        if self._store is None:
            raise Refused("not_found", "this server has no store for tournaments")
        if not self._may_start(scope):
            raise Refused(
                "forbidden", "tournaments are started from this machine and addresses named by --tournaments-for"
            )
        game = _made(body.game)
        levels = self._chosen(body, game)
        games = _count(game, body)
        self._check_size(games, self._store)
        with self._lock:
            if self._current is not None and self._current.view.status == "running":
                raise Refused("not_now", "another tournament is being played; wait for its end")
            self._budgets.check_tournament(client_of(scope))
            planned = _planned(game, levels, body.games, self._store)
            view = _view(game, levels, games)
            self._current = _Running(planned, view, self._settings.tournament_seconds)
            return view

    def close(self) -> None:
        """Ends what is being played; games that are over are stored."""
        with self._lock:
            if self._current is not None:
                self._current.stop()

    def _chosen(self, body: TournamentRequest, game: Game) -> list[Level]:
        allowed = contestants(game, self._levels)
        chosen = [level_named(id, game, allowed) for id in body.levels]
        if len({_spec(level, game) for level in chosen}) < len(chosen):
            raise Refused("malformed", "a tournament has different players")
        return chosen

    def _check_size(self, games: int, store: GameStore) -> None:
        most = self._settings.tournament_games
        if games > most:
            raise Refused("malformed", f"a tournament here has at most {most} games, not {games}")
        if store.progress()[0] + games > MOST_GAMES:
            raise Refused("too_many", "the arena's store is full; its operator has to make room")


def _made(name: str) -> Game:
    try:
        return make(name)
    except ValueError as error:
        raise Refused("malformed", str(error)[:300]) from None


def _count(game: Game, body: TournamentRequest) -> int:
    """How many games that takes, before any of them is planned."""
    schedules = [Schedule(game, lineup) for lineup in lineups(game, body.levels)]
    return sum(len(schedule.seatings) * schedule.pairings_for(body.games) for schedule in schedules)


def _planned(game: Game, levels: Sequence[Level], games: int, store: GameStore) -> Tournament:
    """With a seed of its own: whoever asks for games again wants others."""
    return tournament_of(
        game,
        [player_name(_spec(level, game), game) for level in levels],
        store,
        games=games,
        seed=secrets.randbelow(2**31),
        patience=max(level.seconds for level in levels),
    )


def _view(game: Game, levels: Sequence[Level], games: int) -> StartedTournament:
    return StartedTournament(
        tournament=tournament_id(Ruleset.of(game)),
        game=game.name,
        title=views.words(catalogue.full_title(game.name)),
        levels=[level.title for level in levels],
        games=games,
        finished=0,
        status="running",
    )


class _Running:
    """A tournament in a thread, its games in a process; whatever it does, it ends in time."""

    def __init__(self, tournament: Tournament, view: StartedTournament, seconds: float) -> None:
        self.view = view
        self._tournament = tournament
        self._workers = _PoliteProcess()
        self._ended: TournamentStatus = "finished"
        self._alarm = threading.Timer(seconds, self._end, ("out_of_time",))
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._alarm.daemon = True
        self._alarm.start()
        self._thread.start()

    def stop(self) -> None:
        self._end("stopped")
        self._thread.join()

    def _end(self, why: TournamentStatus) -> None:
        if not self._workers.stopped:
            self._ended = why
            self._workers.stop()

    def _play(self) -> None:
        try:
            self._tournament.run(self._workers, lambda _: self._count())
        except Exception as error:  # a worker that was ended, or a store that takes no games
            if not self._workers.stopped:
                self._ended = "failed"
                _LOG.warning("a tournament ended early: %s: %s", type(error).__name__, error)
        self._alarm.cancel()
        self._workers.stop()
        self.view = self.view.model_copy(update={"status": self._ended})

    def _count(self) -> None:
        self.view = self.view.model_copy(update={"finished": self.view.finished + 1})


class _PoliteProcess(Processes):
    """One process, which is ended whatever it does."""

    def __init__(self) -> None:
        self.stopped = False
        self._lock = threading.Lock()
        super().__init__(1)
        self.slots = 1

    def submit(self, work: Callable[[A], R], about: A) -> Future[R]:
        with self._lock:
            self._refuse_stopped()
            return self._pool.submit(_politely, work, about)

    def renew(self) -> None:
        with self._lock:
            self._refuse_stopped()
            super().renew()

    def stop(self) -> None:
        with self._lock:
            if not self.stopped:
                self.stopped = True
                self.close()

    def _refuse_stopped(self) -> None:
        if self.stopped:
            raise RuntimeError("the tournament was ended")


def _politely(work: Callable[[A], R], about: A) -> R:
    os.nice(max(0, _NICENESS - os.nice(0)))
    return work(about)


def add_tournaments(router: APIRouter, tournaments: Tournaments) -> None:
    """The doors of those who start tournaments; all of it happens beside the event loop."""

    @router.get("/arena/levels")
    def arena_levels(game: Annotated[str, Query(max_length=60)]) -> list[ContestantView]:
        """Whom a tournament under a ruleset can have, weakest first."""
        return tournaments.contestants(game)

    @router.post("/arena/tournaments", status_code=202)
    def start_tournament(body: TournamentRequest, request: Request) -> StartedTournament:
        """Starts a small tournament, for those who may."""
        return tournaments.start(body, request.scope)
