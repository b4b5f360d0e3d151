"""A store of the arena for the page: cross-tables and ratings that grow while a tournament runs, and its games.

A store may come from elsewhere: what is read of it is bounded, and names pass the border.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import StringConstraints, ValidationError
from sqlalchemy.exc import SQLAlchemyError

from spielwerk import catalogue
from spielwerk.arena.report import Report, report
from spielwerk.arena.store import GameStore, Listed, Ruleset
from spielwerk.border import quoted
from spielwerk.games import make
from spielwerk.records import Record, RecordError
from spielwerk.server import views
from spielwerk.server.lab_protocol import ArenaCell, ArenaGame, ArenaPlayer, ArenaView, TournamentView
from spielwerk.server.protocol import Refused
from spielwerk.server.tournaments import MOST_GAMES, Tournaments, tournament_id

MOST_LISTED = 100
MOST_PLAYERS = 40
FRESH_SECONDS = 3.0  # whoever asks within them gets the same answer
RESTING = 10  # and so many times as long as it took to rate the players: rating never takes a tenth of a core

# What a store that no arena wrote can make of its rows.
_DAMAGED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, ValidationError)

PlayerName = Annotated[str, StringConstraints(max_length=200)]


class Arena:
    """One store of games."""

    def __init__(self, place: str | None) -> None:
        if place is not None and "://" not in place and not Path(place).expanduser().is_file():
            raise ValueError(f"there is no store {place}; 'spielwerk arena … --store {place}' makes it")
        self.store = None if place is None else GameStore(place)
        self._lock = threading.Lock()
        self._again_at = -math.inf
        self._seen = (-1, -1)
        self._rulesets: dict[str, Ruleset] = {}
        self._view = _view(place is not None, [], 0)

    def close(self) -> None:
        if self.store is not None:
            self.store.close()

    def view(self) -> ArenaView:
        with self._lock:
            begin = time.monotonic()
            if self.store is not None and begin >= self._again_at:
                self._look(self.store)
                now = time.monotonic()
                self._again_at = now + max(FRESH_SECONDS, RESTING * (now - begin))
            return self._view

    def games(self, id: str, player: str, opponent: str) -> list[ArenaGame]:
        """The newest games of two players."""
        self.view()
        if self.store is None or id not in self._rulesets:
            raise Refused("not_found", "there is no such tournament")
        try:
            listed = self.store.games(self._rulesets[id], (player, opponent), MOST_LISTED)
            return [_game_view(one) for one in listed]
        except (SQLAlchemyError, *_DAMAGED):
            return []

    def record(self, id: str) -> dict[str, Any]:
        """The record of one game, as it can be replayed."""
        try:
            found = self.store.record(id) if self.store is not None else None
            record = None if found is None else Record.from_json(found)
        except (SQLAlchemyError, RecordError, *_DAMAGED):
            record = None
        if record is None:
            raise Refused("not_found", "there is no such game in the arena")
        return record.to_json()

    def _look(self, store: GameStore) -> None:
        try:
            seen = store.progress()
            if seen == self._seen:
                return
            self._seen = seen
            groups = store.all_results() if seen[0] <= MOST_GAMES else []
        except (SQLAlchemyError, *_DAMAGED):
            return
        self._rulesets, tournaments = {}, []
        for ruleset, results in groups:
            try:
                tournament = _tournament(report(ruleset, results), len(results))
            except _DAMAGED:
                continue
            tournaments.append(tournament)
            self._rulesets[tournament.id] = ruleset
        left_out = seen[0] - sum(tournament.games for tournament in tournaments)
        self._view = _view(True, tournaments, left_out)


def _view(shown: bool, tournaments: list[TournamentView], left_out: int) -> ArenaView:
    """As it is for everybody; who asks adds whether they may start a tournament."""
    return ArenaView(
        shown=shown, tournaments=tournaments, left_out=left_out, may_start=False, limits=None, started=None
    )


def _tournament(found: Report, games: int) -> TournamentView:
    ruleset = found.ruleset
    players = [
        ArenaPlayer(name=_name(one.player), elo=one.elo, low=one.low, high=one.high, games=one.games, points=one.points)
        for one in found.ratings.players[:MOST_PLAYERS]
    ]
    names = [one.player for one in found.ratings.players[:MOST_PLAYERS]]
    return TournamentView(
        id=tournament_id(ruleset),
        game=ruleset.game,
        title=views.words(catalogue.full_title(ruleset.game)),
        rules=ruleset.rules,
        sides=views.side_words(make(ruleset.game, **ruleset.rules)),
        games=games,
        anchor=found.ratings.anchor,
        players=players,
        cells=[cell for one in names for other in names if (cell := _cell(found, one, other)) is not None],
    )


def _cell(found: Report, player: str, opponent: str) -> ArenaCell | None:
    score = found.score(player, opponent)
    if score is None:
        return None
    low, high = score.interval
    return ArenaCell(
        player=_name(player),
        opponent=_name(opponent),
        games=score.games,
        wins=score.wins,
        draws=score.draws,
        losses=score.losses,
        rate=score.rate,
        low=low,
        high=high,
    )


def _game_view(listed: Listed) -> ArenaGame:
    return ArenaGame(
        id=quoted(listed.id, 40),
        players=[_name(player) for player in listed.players],
        scores=[float(score) for score in listed.scores],
        plies=listed.plies,
        forfeit=bool(listed.forfeit),
        finished=datetime.fromtimestamp(listed.finished_ms / 1000, UTC).isoformat(timespec="seconds"),
    )


def _name(player: str) -> str:
    return quoted(player, 200)


def add_arena(router: APIRouter, arena: Arena, tournaments: Tournaments) -> None:
    """The doors of the arena page; the store is read beside the event loop."""

    @router.get("/arena")
    def show_arena(request: Request) -> ArenaView:
        """The tournaments of the store that this server shows."""
        return arena.view().model_copy(update=tournaments.offer(request.scope))

    @router.get("/arena/{id}/games")
    def arena_games(
        id: str, player: Annotated[PlayerName, Query()], opponent: Annotated[PlayerName, Query()]
    ) -> Sequence[ArenaGame]:
        """The newest games of two players in a tournament."""
        return arena.games(id, player, opponent)

    @router.get("/arena/games/{id}")
    def arena_record(id: str) -> Response:
        """One game as a record."""
        content = json.dumps(arena.record(id[:40]), ensure_ascii=False)
        return Response(content, media_type="application/json")
