"""All tables: opens them, finds them in memory or in the store, and lets idle ones go."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import spielwerk as sw
from spielwerk.border import readable
from spielwerk.games import CHANCE, Game, State
from spielwerk.outcome import Outcome
from spielwerk.play import TimeControl
from spielwerk.play.rounds import Rounds
from spielwerk.positions import scene_at
from spielwerk.records import Record, Recorder, RecordError
from spielwerk.server import protocol, views
from spielwerk.server.clocks import Alarms
from spielwerk.server.levels import Level, adviser_for, level_named
from spielwerk.server.limits import EVENT_BYTES, Budgets
from spielwerk.server.log import Draft, Log, Seat, Setup, consequences, exchanged, numbered, opening_drafts
from spielwerk.server.protocol import Refused
from spielwerk.server.rows import stored_record
from spielwerk.server.settings import Settings
from spielwerk.server.store import Listed, Store, StoreError, Unreadable, Write, list_tables, load_log, newest_ms
from spielwerk.server.table import NO_TABLE, Table
from spielwerk.server.thinking import NoAnswer, Question, ThinkingPool
from spielwerk.server.tokens import hash_of, matches, new_dice_key, new_id, new_seed, new_token

MAX_RECORD_ACTIONS = 4000  # the longest of 30 random games of Ludo had 1080
PACE_OF_AGENTS_MS = 600
HINT_SECONDS = 6.0
TABLE_BYTES = 1000  # on the disk, with its seats
_PLIES_AT_ONCE = 200
_TABLE_MEMORY = 20_000
_ACTION_MEMORY = 400

_LOG = logging.getLogger("spielwerk.server")
T = TypeVar("T")


class Tables:
    def __init__(
        self, settings: Settings, store: Store, pool: ThinkingPool, levels: Sequence[Level], budgets: Budgets
    ) -> None:
        self.levels = levels
        self._settings = settings
        self._budgets = budgets
        self._store = store
        self._pool = pool
        self._live: dict[str, Table] = {}
        self._loading: dict[str, asyncio.Task[Log | None]] = {}
        self._newest_ms = 0
        self._alarms = Alarms(store, self._look_at_clock)
        self._replays = ThreadPoolExecutor(1, "replays")
        self.closing = False
        self.storage_full = False

    async def start(self) -> None:
        """Learns where the numbering by time goes on, and lets clocks run."""
        self._newest_ms = await self._store.read(newest_ms)
        await self._alarms.start()

    @property
    def live(self) -> list[Table]:
        return list(self._live.values())

    # Opening

    async def open(self, request: protocol.OpenRequest, client: str = "") -> protocol.Opened:
        """A new table from its first position or a position that was set up."""
        self._check_storage()
        game = _game(request)
        if request.seed is not None and any(seat.kind == "open" for seat in request.seats):
            raise Refused("malformed", "a seed foretells the dice: it is taken only where no seat is open")
        seed, dice_key = (new_seed(), new_dice_key()) if request.seed is None else (request.seed, None)
        try:
            start = Recorder(game, start=request.start, seed=seed).record.start
        except ValueError as error:
            raise Refused("malformed", f"start: {error}") from None
        setup = replace(
            self._setup(game, request, start=start, seed=seed, dice_key=dice_key),
            control=_control(request),
            rounds=_rounds(game, request),
        )
        return await self._open(setup, request.seats, opening_drafts(setup), client)

    async def continue_from(
        self, origin_id: str, request: protocol.ContinueRequest, client: str = ""
    ) -> protocol.Opened:
        """A new table that plays on from a ply of another."""
        self._check_storage()
        origin = (await self.get(origin_id)).log
        if request.ply > len(origin.actions):
            raise Refused("malformed", f"the game has {len(origin.actions)} plies, not {request.ply}")
        self._budgets.charge_plies(client, 4 * request.ply)  # played through, stored, read
        setup = self._setup(
            origin.game,
            request,
            start=origin.setup.start,
            seed=new_seed(),
            dice_key=new_dice_key(),
            origin=(origin_id, request.ply),
        )
        played = [_action_draft(action.text, action.seat) for action in origin.actions[: request.ply]]
        drafts = await self._aside(len(played), partial(_continued, setup, origin.setup, played))
        return await self._open(setup, request.seats, drafts, client)

    async def upload(self, body: bytes, client: str = "") -> protocol.Uploaded:
        """A record as a finished table to look at."""
        self._check_storage()
        owner = new_token()
        try:
            log, drafts = await self._aside(len(body), partial(_uploaded, body, self._stamp(), hash_of(owner)))
        except ValueError as error:
            raise Refused("malformed", str(error)[:500]) from None
        self._budgets.charge_plies(client, 4 * len(drafts))  # played through, stored, read
        await self._store_new(log, drafts, client)
        return protocol.Uploaded(id=log.setup.id, owner=owner)

    def open_rematch(self, old: Log, write: Write, client: str) -> Table:
        """The table for the next game, in the same write as the event that names it."""
        setup = Setup(
            id=new_id(),
            created_ms=self._stamp(),
            game=old.game,
            start=Recorder(old.game, seed=(seed := new_seed())).record.start,
            seed=seed,
            dice_key=new_dice_key(),
            public=old.setup.public,
            hotseat=old.setup.hotseat,
            pace_ms=old.setup.pace_ms,
            owner_hash=old.setup.owner_hash,
            control=old.setup.control,
            rounds=_next_round(old.rounds),
        )
        log = Log(setup, exchanged(old.seats))
        for event in _add(write, log, opening_drafts(setup)):
            log.apply(event)
        follower = self._table(log)
        self._alarms.set(log)
        follower.client = client
        return follower

    def _setup(
        self,
        game: Game,
        request: protocol.OpenRequest | protocol.ContinueRequest,
        *,
        start: str | None,
        seed: int,
        dice_key: str | None,
        origin: tuple[str, int] | None = None,
    ) -> Setup:
        only_agents = all(seat.kind == "agent" for seat in request.seats)
        pace = request.pace_ms if request.pace_ms is not None else PACE_OF_AGENTS_MS if only_agents else 0
        return Setup(
            id=new_id(),
            created_ms=self._stamp(),
            game=game,
            start=start,
            seed=seed,
            dice_key=dice_key,
            public=request.public,
            hotseat=request.hotseat,
            pace_ms=pace,
            origin=origin,
        )

    async def _open(
        self, setup: Setup, requests: Sequence[protocol.SeatRequest], drafts: list[Draft], client: str
    ) -> protocol.Opened:
        seats, tokens, invites = self._seated(setup, requests)
        owner = new_token()
        log = Log(replace(setup, owner_hash=hash_of(owner)), seats)
        await self._store_new(log, drafts, client)
        self._keep(log).client = client
        return protocol.Opened(id=setup.id, tokens=tokens, invites=invites, owner=owner)

    def _seated(
        self, setup: Setup, requests: Sequence[protocol.SeatRequest]
    ) -> tuple[list[Seat], dict[str, str], dict[str, str]]:
        if len(requests) != setup.game.num_players:
            raise Refused("malformed", f"{setup.game.name} has {setup.game.num_players} seats, not {len(requests)}")
        if sum(seat.kind == "human" for seat in requests) > 1 and not setup.hotseat:
            raise Refused("malformed", "several seats of kind 'human' need \"hotseat\": true; for others use 'open'")
        seats: list[Seat] = []
        tokens: dict[str, str] = {}
        invites: dict[str, str] = {}
        for number, request in enumerate(requests):
            if (request.level is not None) != (request.kind == "agent"):
                raise Refused("malformed", "a level belongs to a seat of kind 'agent', and only there")
            if request.kind == "agent":
                level = level_named(request.level or "", setup.game, self.levels)
                seats.append(Seat("agent", request.name or None, level.id))
            elif request.kind == "human":
                tokens[str(number)] = new_token()
                seats.append(Seat("human", request.name or None, None, 0, hash_of(tokens[str(number)])))
            else:
                invites[str(number)] = new_token()
                seats.append(Seat("open", None, invite_hash=hash_of(invites[str(number)])))
        return seats, tokens, invites

    async def _store_new(self, log: Log, drafts: list[Draft], client: str) -> None:
        write = await self._aside(len(drafts), partial(_first_write, log, drafts))
        self._budgets.stored.charge(client, TABLE_BYTES + EVENT_BYTES / 2 * len(drafts))
        try:
            await self._store.write(write)
        except StoreError:
            raise Refused("internal", "the server could not store the table") from None

    def _stamp(self) -> int:
        """Now, and later than any stamp before: lists are paged by it."""
        self._newest_ms = max(time.time_ns() // 1_000_000, self._newest_ms + 1)
        return self._newest_ms

    def _check_storage(self) -> None:
        if self.storage_full:
            raise Refused("too_many", "the server's storage is full; its operator has to make room")

    async def _aside(self, size: int, work: Callable[[], T]) -> T:
        """Small work is done at once; large work in a thread of its own, one after the other."""
        if size <= _PLIES_AT_ONCE:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._replays, work)

    # Deleting

    async def delete(self, table_id: str, token: str) -> None:
        """Deletes a table for whoever opened it."""
        table = await self.get(table_id)
        if not matches(token, table.log.setup.owner_hash):
            raise Refused("forbidden", "a table is deleted by its owner, with the token that opening it gave")
        await self.remove([table_id])

    def in_use(self, table_id: str) -> bool:
        """Whether someone is connected to it, or something is going on there."""
        return table_id in self._live and not self._live[table_id].idle

    async def remove(self, table_ids: Sequence[str]) -> None:
        """Deletes tables from memory and store; whoever is connected is sent away."""
        for table_id in table_ids:
            self._alarms.drop(table_id)
        for table in [self._live[table_id] for table_id in table_ids if table_id in self._live]:
            await table.stop_thinking()
            self._forget(table)
            for client in list(table.clients):
                client.cut(NO_TABLE)
        try:
            await self._store.write(Write(deletions=list(table_ids)))
        except StoreError:
            raise Refused("internal", "the server could not delete the table") from None

    # Finding

    async def position(self, log: Log, ply: int) -> State:
        """The position after so many actions of a table."""
        return await self._aside(ply, partial(_played, log.setup, log.texts[:ply]))

    async def get(self, table_id: str) -> Table:
        """The table of this id, read from the store if it is not in memory."""
        if table_id not in self._live:
            try:
                log = await self._loaded(table_id)
            except Unreadable as unreadable:
                raise Refused("not_now", str(unreadable)) from None
            if log is None:
                raise Refused("not_found", "there is no table of this name")
            if table_id not in self._live:
                self._keep(log)
        table = self._live[table_id]
        table.used = time.monotonic()
        return table

    async def record(self, table_id: str) -> dict[str, Any]:
        """The game at a table; where this release cannot play it, as it was stored."""
        try:
            return (await self.get(table_id)).log.record().to_json()
        except Refused as refused:
            stored = await self._store.read(partial(stored_record, table_id=table_id))
            if refused.code != "not_now" or stored is None:
                raise
            return stored

    async def _look_at_clock(self, table_id: str) -> None:
        await (await self.get(table_id)).look_at_clock()

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
        return [item for item in map(self._readable_item, found) if item is not None]

    def _readable_item(self, listed: Listed) -> protocol.TableItem | None:
        """A table that this release cannot read is left out of the list, and named in the server's log."""
        try:
            return self._item(listed)
        except Exception as error:  # whatever is wrong with one table, the others are listed
            _LOG.warning("table %s cannot be listed: %s", listed.id, error)
            return None

    async def named(self, ids: Sequence[str]) -> list[protocol.TableItem]:
        """The tables of these ids, public or not, newest first: whoever knows an id may look at the table anyway."""
        found = await self._store.read(partial(list_tables, ids=ids, limit=len(ids)))
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
            clock=views.clock_setting(TimeControl.from_text(listed.clock) if listed.clock else None),
        )

    async def hint(self, table_id: str, request: protocol.HintRequest, client: str = "") -> protocol.Hint:
        log = (await self.get(table_id)).log
        if log.status != "over" and len(log.holders()) > 1:
            raise Refused("not_now", "no hints while people play each other")
        ply = len(log.actions) if request.ply is None else request.ply
        if ply > len(log.actions):
            raise Refused("malformed", f"the game has {len(log.actions)} plies, not {ply}")
        self._budgets.charge_plies(client, ply)
        state = await self.position(log, ply)
        if state.player is None or state.player == CHANCE:
            raise Refused("not_now", "nobody is to act there")
        level = level_named(request.level, log.game, self.levels)
        level, said = await self._advice(level, state, f"hint {table_id}", client)
        hit = next((hit for hit in scene_at(state, log.texts[:ply]).hits if hit.action == said["action"]), None)
        return protocol.Hint(text=views.words(hit.label) if hit else said["action"], level=level.id, **said)

    async def _advice(self, level: Level, state: State, key: str, client: str) -> tuple[Level, dict[str, Any]]:
        """What a level says; where it takes too long, the strongest one says that has a time limit of its own."""
        choice = level.choice(state.game)
        assert choice is not None
        seconds = min(level.seconds, HINT_SECONDS)
        try:
            return level, await self._pool.ask(
                Question.about(state, key=key, spec=choice.spec, seconds=seconds, ask="hint", client=client)
            )
        except NoAnswer as failure:
            quick = adviser_for(state.game, [other for other in self.levels if other.seconds < level.seconds])
            if failure.why != "overtime" or quick is None:
                raise Refused("internal", f"{level.title.en} found no answer ({failure.why})") from None
        return await self._advice(quick, state, key, client)

    # Memory

    async def close(self) -> None:
        """Stops all agents; everything is stored already."""
        self.closing = True
        await self._alarms.stop()
        await asyncio.gather(*(table.stop_thinking() for table in self.live))
        self._live.clear()
        self._replays.shutdown(wait=False, cancel_futures=True)

    @property
    def bytes(self) -> int:
        """About how much memory the tables take."""
        return sum(_bytes_of(table.log) for table in self._live.values())

    def _keep(self, log: Log) -> Table:
        self._make_room(_bytes_of(log))
        table = self._table(log)
        self._live[log.setup.id] = table
        self._alarms.set(log)
        return table

    def _make_room(self, wanted: int) -> None:
        """Lets the tables go that were not used for longest, a tenth more than needed at a time."""
        most, most_bytes = self._settings.tables_in_memory, self._settings.table_bytes_in_memory
        count, size = len(self._live), self.bytes + wanted
        if count < most and size <= most_bytes:
            return
        for table in sorted((table for table in self.live if table.idle), key=lambda table: table.used):
            if count < 0.9 * most and size <= 0.9 * most_bytes:
                return
            self._forget(table)
            count, size = count - 1, size - _bytes_of(table.log)

    def _table(self, log: Log) -> Table:
        table = Table(log, self._store, self._pool, self.levels)
        table.open_rematch = self.open_rematch
        table.forget = self._forget
        table.set_alarm = self._alarms.set
        table.most_events = self._settings.events_per_table
        table.browser_seconds = self._settings.browser_seconds
        table.charge_storage = lambda events: self._budgets.stored.charge(table.client, EVENT_BYTES / 2 * events)
        return table

    def _forget(self, table: Table) -> None:
        if self._live.get(table.log.setup.id) is table:
            del self._live[table.log.setup.id]


def _bytes_of(log: Log) -> int:
    """An estimate on the safe side: a table with its seats, and what each action adds."""
    return _TABLE_MEMORY + _ACTION_MEMORY * len(log.actions)


def _first_write(log: Log, drafts: list[Draft]) -> Write:
    """What stores a new table, whose log then has the drafts applied."""
    write = Write()
    for event in _add(write, log, drafts):
        log.apply(event)
    return write


def _played(setup: Setup, texts: Sequence[str]) -> State:
    state = setup.first_position()
    for text in texts:
        state.play(text)
    return state


def _continued(setup: Setup, origin: Setup, played: list[Draft]) -> list[Draft]:
    """The events of a table that takes up another one's actions and plays on."""
    if setup.start is None and setup.first_position() != origin.first_position():
        raise Refused("not_now", "the first position of that game is not known")
    state = _played(setup, [draft.data["text"] for draft in played])
    if state.over:
        raise Refused("not_now", "the game is over there")
    return played + consequences(setup, state, after=len(played))


def _add(write: Write, log: Log, drafts: list[Draft]) -> list[Any]:
    events = numbered(log, drafts, log.setup.created_ms)
    write.add_table(log)
    write.add_events(log.setup.id, events)
    return events


def _game(request: protocol.OpenRequest) -> Game:
    try:
        return sw.make(request.game, **request.rules)
    except (ValueError, TypeError) as error:
        raise Refused("malformed", str(error)[:500]) from None


def _control(request: protocol.OpenRequest) -> TimeControl | None:
    if request.clock is None:
        return None
    if all(seat.kind == "agent" for seat in request.seats):
        raise Refused("malformed", "a clock is for people: agents among themselves play without")
    try:
        return TimeControl(request.clock.pace, request.clock.amount, request.clock.increment)
    except ValueError as error:
        raise Refused("malformed", str(error)) from None


def _rounds(game: Game, request: protocol.OpenRequest) -> Rounds | None:
    if request.rounds is None:
        return None
    if game.num_players != 2:
        raise Refused("malformed", f"rounds are for two players; {game.name} has {game.num_players} seats")
    return Rounds(request.rounds)


def _next_round(rounds: Rounds | None) -> Rounds | None:
    """The match that goes on, or another one of the same length."""
    return rounds if rounds is None or not rounds.over else Rounds(rounds.total)


def _action_draft(text: str, seat: int | None) -> Draft:
    return Draft("dice" if seat is None else "play", seat, {"text": text})


def finished_table(data: Any) -> Write:
    """What stores a record as a finished table; RecordError where it is none."""
    return _first_write(*_table_of(data, time.time_ns() // 1_000_000, None))


def _uploaded(body: bytes, created_ms: int, owner_hash: str) -> tuple[Log, list[Draft]]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise RecordError("a record is a JSON object") from None
    return _table_of(data, created_ms, owner_hash)


def _table_of(data: Any, created_ms: int, owner_hash: str | None) -> tuple[Log, list[Draft]]:
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
    setup = Setup(
        id=new_id(),
        created_ms=created_ms,
        game=game,
        start=record.start,
        seed=0,
        uploaded=True,
        owner_hash=owner_hash,
    )
    return Log(setup, _names(record, game)), drafts


def _names(record: Record, game: Game) -> list[Seat]:
    names = [*map(readable, record.seats), *[""] * game.num_players]
    return [Seat("human", name[: protocol.MAX_NAME] or None) for name in names[: game.num_players]]
