"""Finished games in a database: SQLite by its file, anything else that SQLAlchemy knows by its URL.

A game is stored once, under its id, in the moment it is over. What is stored survives a crash.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from types import TracebackType
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Executable,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    func,
    insert,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError

from spielwerk.arena.match import Played
from spielwerk.arena.players import spec_of
from spielwerk.arena.results import Result
from spielwerk.database import open_engine, unusable, url_of
from spielwerk.games import Game
from spielwerk.records import Record

_IDS_AT_ONCE = 500

_metadata = MetaData()

_games = Table(
    "arena_games",
    _metadata,
    Column("id", String(40), primary_key=True),
    Column("pairing", String(32), nullable=False),
    Column("finished_ms", BigInteger, nullable=False),
    Column("release", String(40), nullable=False),
    Column("game", String(60), nullable=False),
    Column("rules", JSON, nullable=False),
    Column("rules_version", Integer, nullable=False),
    Column("opening", Integer, nullable=False),
    # By side
    Column("players", JSON, nullable=False),
    Column("scores", JSON, nullable=False),
    Column("ranks", JSON, nullable=False),
    Column("decisions", JSON, nullable=False),
    Column("milliseconds", JSON, nullable=False),
    Column("plies", Integer, nullable=False),
    Column("line", String(32), nullable=False),
    Column("forfeit", Text, nullable=False),
    Column("record", JSON, nullable=False),
    Index("arena_games_by_game", "game"),
)

_RESULT = [_games.c[name] for name in Result.__dataclass_fields__]


@dataclass(frozen=True)
class Ruleset:
    """Rules that games of a store were played by; only such games can be compared."""

    game: str
    rules: dict[str, Any]
    rules_version: int

    @classmethod
    def of(cls, game: Game) -> "Ruleset":
        return cls(game.name, game.rules, game.rules_version)


@dataclass(frozen=True)
class Listed:
    """A finished game in a list; tuples are by side."""

    id: str
    finished_ms: int
    players: tuple[str, ...]
    scores: tuple[float, ...]
    plies: int
    forfeit: str


class GameStore:
    """The games of the arena. Without a place they are kept in memory."""

    def __init__(self, place: str | None = None) -> None:
        self.shared = place is not None  # others may write to it, too
        url = "sqlite://" if place is None else url_of(place)
        self._engine = open_engine(url)
        try:
            self._create_tables()
        except SQLAlchemyError as error:
            self._engine.dispose()
            raise unusable(url, error) from None

    def _create_tables(self) -> None:
        try:
            _metadata.create_all(self._engine)
        except SQLAlchemyError:  # another arena may have been a moment earlier
            _metadata.create_all(self._engine)

    def __enter__(self) -> "GameStore":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._engine.dispose()

    def add(self, played: Sequence[Played]) -> None:
        """Stores games, durably when this returns; what is already there, from another arena or this one, stays."""
        known = self.results([game.fixture.id for game in played])
        rows = [_row(game) for game in played if game.fixture.id not in known]
        if rows:
            with self._engine.begin() as connection:
                connection.execute(self._insert_if_absent(), rows)

    def _insert_if_absent(self) -> Executable:
        dialect = self._engine.dialect.name
        if dialect == "sqlite":
            return sqlite.insert(_games).on_conflict_do_nothing()
        if dialect == "postgresql":
            return postgresql.insert(_games).on_conflict_do_nothing()
        return insert(_games)

    def results(self, ids: Sequence[str]) -> dict[str, Result]:
        """The results of those games that are finished, by id."""
        found = {}
        with self._engine.connect() as connection:
            for start in range(0, len(ids), _IDS_AT_ONCE):
                some = ids[start : start + _IDS_AT_ONCE]
                for row in connection.execute(select(_games.c.id, *_RESULT).where(_games.c.id.in_(some))):
                    found[row.id] = _result(row)
        return found

    def record_results(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """What the records of finished games say about their ends, by id; points are by seat."""
        found = {}
        with self._engine.connect() as connection:
            for start in range(0, len(ids), _IDS_AT_ONCE):
                some = ids[start : start + _IDS_AT_ONCE]
                for row in connection.execute(select(_games.c.id, _games.c.record).where(_games.c.id.in_(some))):
                    found[row.id] = row.record["result"]
        return found

    def all_results(self, game: str | None = None) -> list[tuple[Ruleset, list[Result]]]:
        """Every finished game, by the rules it was played by."""
        query = select(_games.c.game, _games.c.rules, _games.c.rules_version, *_RESULT)
        query = query.order_by(_games.c.game, _games.c.pairing, _games.c.id)
        if game is not None:
            query = query.where(_games.c.game == game)
        groups: dict[str, tuple[Ruleset, list[Result]]] = {}
        with self._engine.connect() as connection:
            for row in connection.execute(query):
                ruleset = Ruleset(row.game, row.rules, row.rules_version)
                key = json.dumps([row.game, row.rules, row.rules_version], sort_keys=True)
                groups.setdefault(key, (ruleset, []))[1].append(_result(row))
        return list(groups.values())

    def progress(self) -> tuple[int, int]:
        """How many games there are, and when the last one was finished: equal while nothing new is there."""
        with self._engine.connect() as connection:
            count, last = connection.execute(select(func.count(), func.max(_games.c.finished_ms))).one()
            return int(count), int(last or 0)

    def games(self, ruleset: Ruleset, players: tuple[str, str], most: int) -> list[Listed]:
        """The newest games in which these two, as reports name them, met and nobody else."""
        columns = [_games.c[name] for name in Listed.__dataclass_fields__]
        query = select(_games.c.rules, *columns).where(_games.c.game == ruleset.game)
        query = query.where(_games.c.rules_version == ruleset.rules_version)
        found: list[Listed] = []
        with self._engine.connect() as connection:
            for row in connection.execute(query.order_by(_games.c.finished_ms.desc(), _games.c.id)):
                if len(found) < most and row.rules == ruleset.rules and _met(row.players, players):
                    found.append(_listed(row))
        return found

    def record(self, id: str) -> dict[str, Any] | None:
        """The record of a finished game; None where there is no such game."""
        with self._engine.connect() as connection:
            return connection.execute(select(_games.c.record).where(_games.c.id == id)).scalar()

    def records(self, game: str | None = None) -> Iterator[Record]:
        """Every game's record, in the order they were finished."""
        query = select(_games.c.record).order_by(_games.c.finished_ms, _games.c.id)
        if game is not None:
            query = query.where(_games.c.game == game)
        with self._engine.connect() as connection:
            yield from (Record.from_json(data) for data in connection.execute(query).scalars())


def _row(played: Played) -> dict[str, Any]:
    fixture, result = played.fixture, played.result
    return {
        "id": fixture.id,
        "finished_ms": time.time_ns() // 1_000_000,
        "release": version("spielwerk"),
        "game": fixture.game,
        "rules": fixture.rules,
        "rules_version": played.record["rules_version"],
        "opening": fixture.opening,
        "record": played.record,
        **{name: _plain(getattr(result, name)) for name in Result.__dataclass_fields__},
    }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _result(row: Any) -> Result:
    return Result(**{name: _tuple(getattr(row, name)) for name in Result.__dataclass_fields__})


def _listed(row: Any) -> Listed:
    return Listed(**{name: _tuple(getattr(row, name)) for name in Listed.__dataclass_fields__})


def _met(names: Sequence[str], players: tuple[str, str]) -> bool:
    """Whether these two played and nobody else; reports may leave a network's fingerprint out."""
    return len(set(names)) == 2 and {*names, *map(spec_of, names)}.issuperset(players)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
