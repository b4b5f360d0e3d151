"""All tables: opens them, finds them in memory or in the store, and lets idle ones go."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import spielwerk as sw
from spielwerk.border import readable
from spielwerk.games import CHANCE, Game, State
from spielwerk.outcome import Outcome
from spielwerk.records import Record, Recorder, RecordError
from spielwerk.server import protocol, views
from spielwerk.server.levels import Level, adviser_for, level_named
from spielwerk.server.log import Draft, Log, Seat, Setup, consequences, exchanged, numbered, opening_drafts
from spielwerk.server.protocol import Refused
from spielwerk.server.settings import Settings
from spielwerk.server.store import Listed, Store, StoreError, Write, list_tables, load_log, newest_ms
from spielwerk.server.table import Table
from spielwerk.server.thinking import NoAnswer, Question, ThinkingPool
from spielwerk.server.tokens import hash_of, new_id, new_seed, new_token

MAX_RECORD_ACTIONS = 20_000
PACE_OF_AGENTS_MS = 600
HINT_SECONDS = 6.0


class Tables:
    """The registry."""

    def __init__(self, settings: Settings, store: Store, pool: ThinkingPool, levels: Sequence[Level]) -> None:
        self.levels = levels
        self._most = settings.tables_in_memory
        self._store = store
        self._pool = pool
        self._live: dict[str, Table] = {}
        self._loading: dict[str, asyncio.Task[Log | None]] = {}
        self._newest_ms = 0
        self.closing = False

    async def start(self) -> None:
        """Learns where the numbering by time goes on."""
        self._newest_ms = await self._store.read(newest_ms)

    @property
    def live(self) -> list[Table]:
        """Those in memory."""
        return list(self._live.values())

    # Opening

    async def open(self, asked: protocol.OpenAsked) -> protocol.Opened:
        """A new table from its first position or a position that was set up."""
        game = _game(asked)
        if asked.seed is not None and any(seat.kind == "open" for seat in asked.seats):
            raise Refused("malformed", "a seed foretells the dice: it is taken only where no seat is open")
        seed = new_seed() if asked.seed is None else asked.seed
        try:
            start = Recorder(game, start=asked.start, seed=seed).record.start
        except ValueError as error:
            raise Refused("malformed", f"start: {error}") from None
        setup = self._setup(game, asked, start=start, seed=seed)
        return await self._open(setup, asked.seats, opening_drafts(setup))

    async def continue_from(self, origin_id: str, asked: protocol.ContinueAsked) -> protocol.Opened:
        """A new table that plays on from a ply of another."""
        origin = (await self.get(origin_id)).log
        if asked.ply > len(origin.actions):
            raise Refused("malformed", f"the game has {len(origin.actions)} plies, not {asked.ply}")
        setup = self._setup(
            origin.game, asked, start=origin.setup.start, seed=new_seed(), origin=(origin_id, asked.ply)
        )
        state = origin.position(asked.ply)
        if state.over:
            raise Refused("not_now", "the game is over there")
        played = [_action_draft(action.text, action.seat) for action in origin.actions[: asked.ply]]
        if setup.start is None and setup.first_position() != origin.position(0):
            raise Refused("not_now", "the first position of that game is not known")
        log = Log(setup, [])
        for event in numbered(log, played):
            log.apply(event)
        due = consequences(setup, log.state.clone(), after=log.seq)
        return await self._open(setup, asked.seats, played + due)

    async def upload(self, data: Any) -> protocol.Uploaded:
        """A record as a finished table to look at."""
        try:
            record, game, drafts = await asyncio.to_thread(_read_record, data)
        except ValueError as error:
            raise Refused("malformed", str(error)[:500]) from None
        setup = Setup(id=new_id(), created_ms=self._stamp(), game=game, start=record.start, seed=0, uploaded=True)
        await self._store_new(Log(setup, _names(record, game)), drafts)
        return protocol.Uploaded(id=setup.id)

    def open_rematch(self, old: Log, write: Write) -> Table:
        """The table for the next game, in the same write as the event that names it."""
        setup = Setup(
            id=new_id(),
            created_ms=self._stamp(),
            game=old.game,
            start=Recorder(old.game, seed=(seed := new_seed())).record.start,
            seed=seed,
            public=old.setup.public,
            hotseat=old.setup.hotseat,
            pace_ms=old.setup.pace_ms,
        )
        log = Log(setup, exchanged(old.seats))
        for event in _add(write, log, opening_drafts(setup)):
            log.apply(event)
        return self._table(log)

    def _setup(
        self,
        game: Game,
        asked: protocol.OpenAsked | protocol.ContinueAsked,
        *,
        start: str | None,
        seed: int,
        origin: tuple[str, int] | None = None,
    ) -> Setup:
        only_agents = all(seat.kind == "agent" for seat in asked.seats)
        pace = asked.pace_ms if asked.pace_ms is not None else PACE_OF_AGENTS_MS if only_agents else 0
        return Setup(
            id=new_id(),
            created_ms=self._stamp(),
            game=game,
            start=start,
            seed=seed,
            public=asked.public,
            hotseat=asked.hotseat,
            pace_ms=pace,
            origin=origin,
        )

    async def _open(self, setup: Setup, asked: Sequence[protocol.SeatAsked], drafts: list[Draft]) -> protocol.Opened:
        seats, tokens, invites = self._seated(setup, asked)
        log = Log(setup, seats)
        await self._store_new(log, drafts)
        self._keep(log)
        return protocol.Opened(id=setup.id, tokens=tokens, invites=invites)

    def _seated(
        self, setup: Setup, asked: Sequence[protocol.SeatAsked]
    ) -> tuple[list[Seat], dict[str, str], dict[str, str]]:
        if len(asked) != setup.game.num_players:
            raise Refused("malformed", f"{setup.game.name} has {setup.game.num_players} seats, not {len(asked)}")
        if sum(seat.kind == "human" for seat in asked) > 1 and not setup.hotseat:
            raise Refused("malformed", "several seats of kind 'human' need \"hotseat\": true; for others use 'open'")
        seats: list[Seat] = []
        tokens: dict[str, str] = {}
        invites: dict[str, str] = {}
        for number, wish in enumerate(asked):
            if (wish.level is not None) != (wish.kind == "agent"):
                raise Refused("malformed", "a level belongs to a seat of kind 'agent', and only there")
            if wish.kind == "agent":
                level = level_named(wish.level or "", setup.game, self.levels)
                seats.append(Seat("agent", wish.name or None, level.id))
            elif wish.kind == "human":
                tokens[str(number)] = new_token()
                seats.append(Seat("human", wish.name or None, None, 0, hash_of(tokens[str(number)])))
            else:
                invites[str(number)] = new_token()
                seats.append(Seat("open", None, invite_hash=hash_of(invites[str(number)])))
        return seats, tokens, invites

    async def _store_new(self, log: Log, drafts: list[Draft]) -> None:
        write = Write()
        for event in _add(write, log, drafts):
            log.apply(event)
        try:
            await self._store.write(write)
        except StoreError:
            raise Refused("internal", "the server could not store the table") from None

    def _stamp(self) -> int:
        """Now, and later than any stamp before: lists are paged by it."""
        self._newest_ms = max(time.time_ns() // 1_000_000, self._newest_ms + 1)
        return self._newest_ms

    # Finding

    async def get(self, table_id: str) -> Table:
        """The table of this id, read from the store if it is not in memory."""
        if table_id not in self._live:
            log = await self._loaded(table_id)
            if log is None:
                raise Refused("not_found", "there is no table of this name")
            if table_id not in self._live:
                self._keep(log)
        table = self._live[table_id]
        table.used = time.monotonic()
        return table

    async def _loaded(self, table_id: str) -> Log | None:
        """Many may ask for one table at the same time; it is read once."""
        if table_id not in self._loading:
            task = asyncio.create_task(self._store.read(partial(load_log, table_id=table_id)))
            self._loading[table_id] = task
            task.add_done_callback(lambda _: self._loading.pop(table_id, None))
        return await asyncio.shield(self._loading[table_id])

    async def listed(
        self, *, status: str | None, game: str | None, limit: int, before_ms: int | None
    ) -> list[protocol.TableItem]:
        """Public tables, newest first."""
        found = await self._store.read(partial(list_tables, status=status, game=game, limit=limit, before_ms=before_ms))
        return [self._item(listed) for listed in found]

    def _item(self, listed: Listed) -> protocol.TableItem:
        live = self._live.get(listed.id)
        game = views.game_named(listed.game, listed.rules)
        connected = [seat.kind == "agent" for seat in listed.seats]
        return protocol.TableItem.model_construct(
            id=listed.id,
            game=listed.game,
            rules=listed.rules,
            status=live.log.status if live else listed.status,
            ply=len(live.log.actions) if live else listed.ply,
            seats=live.seat_views() if live else views.seat_views(game, listed.seats, connected, self.levels),
            created=views.iso_time(listed.created_ms),
            result=views.brief_result_view(listed.game, listed.rules, listed.result),
            public=listed.public,
        )

    async def hint(self, table_id: str, asked: protocol.HintAsked) -> protocol.Hint:
        """What a level would play at a ply."""
        log = (await self.get(table_id)).log
        if log.status != "over" and len(log.holders()) > 1:
            raise Refused("not_now", "no hints while people play each other")
        ply = len(log.actions) if asked.ply is None else asked.ply
        if ply > len(log.actions):
            raise Refused("malformed", f"the game has {len(log.actions)} plies, not {ply}")
        state = log.position(ply)
        if state.player is None or state.player == CHANCE:
            raise Refused("not_now", "nobody is to act there")
        level = level_named(asked.level, log.game, self.levels)
        level, said = await self._advice(level, state, key=f"hint {table_id}")
        hit = next((hit for hit in views.scene_at(state, log.texts[:ply]).hits if hit.action == said["action"]), None)
        return protocol.Hint(text=views.words(hit.label) if hit else said["action"], level=level.id, **said)

    async def _advice(self, level: Level, state: State, key: str) -> tuple[Level, dict[str, Any]]:
        """What a level says; where it takes too long, the strongest one says that has a time limit of its own."""
        choice = level.choice(state.game)
        assert choice is not None
        seconds = min(level.seconds, HINT_SECONDS)
        try:
            return level, await self._pool.ask(
                Question.about(state, key=key, spec=choice.spec, seconds=seconds, ask="hint")
            )
        except NoAnswer as failure:
            quick = adviser_for(state.game, [other for other in self.levels if other.seconds < level.seconds])
            if failure.why != "overtime" or quick is None:
                raise Refused("internal", f"{level.title.en} found no answer ({failure.why})") from None
        return await self._advice(quick, state, key)

    # Memory

    async def close(self) -> None:
        """Stops all agents; everything is stored already."""
        self.closing = True
        await asyncio.gather(*(table.stop_thinking() for table in self.live))
        self._live.clear()

    def _keep(self, log: Log) -> Table:
        if len(self._live) >= self._most:
            idle = sorted((table for table in self.live if table.idle), key=lambda table: table.used)
            for table in idle[: max(1, self._most // 10)]:
                self._forget(table)
        table = self._table(log)
        self._live[log.setup.id] = table
        return table

    def _table(self, log: Log) -> Table:
        table = Table(log, self._store, self._pool, self.levels)
        table.open_rematch = self.open_rematch
        table.forget = self._forget
        return table

    def _forget(self, table: Table) -> None:
        if self._live.get(table.log.setup.id) is table:
            del self._live[table.log.setup.id]


def _add(write: Write, log: Log, drafts: list[Draft]) -> list[Any]:
    events = numbered(log, drafts)
    write.add_table(log)
    write.add_events(log.setup.id, events)
    return events


def _game(asked: protocol.OpenAsked) -> Game:
    try:
        return sw.make(asked.game, **asked.rules)
    except (ValueError, TypeError) as error:
        raise Refused("malformed", str(error)[:500]) from None


def _action_draft(text: str, seat: int | None) -> Draft:
    return Draft("dice" if seat is None else "play", seat, {"text": text})


def _read_record(data: Any) -> tuple[Record, Game, list[Draft]]:
    """A record from outside, followed through and taken apart into single actions."""
    record = Record.from_json(data)
    if len(record.actions) > MAX_RECORD_ACTIONS:
        raise RecordError(f"a record here has at most {MAX_RECORD_ACTIONS} actions, not {len(record.actions)}")
    positions = list(record.positions())
    drafts: list[Draft] = []
    for text, before in zip(record.actions, positions, strict=False):
        if before.player == CHANCE:
            drafts.append(_action_draft(before.text(before.parse(text)), None))
        else:
            drafts += [_action_draft(single, before.player) for single in before.split_turn(text)]
    game = positions[0].game
    if record.result is not None:
        drafts.append(Draft("over", None, {"result": Outcome.from_json(record.result).to_json()}))
    return record, game, drafts


def _names(record: Record, game: Game) -> list[Seat]:
    names = [*map(readable, record.seats), *[""] * game.num_players]
    return [Seat("human", name[: protocol.MAX_NAME] or None) for name in names[: game.num_players]]
