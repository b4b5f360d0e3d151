"""A live table: its log, everyone connected to it, and what each of them may do.

Commands are carried out one at a time, each as a task of the table's own: whoever sent one may vanish while it is
being stored without leaving the table half changed. Order is always: check, store, apply, tell.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from spielwerk.agents import agent
from spielwerk.catalogue import german_refusal
from spielwerk.errors import IllegalAction
from spielwerk.games import State
from spielwerk.positions import scene_at
from spielwerk.render.scene import Scene
from spielwerk.server import protocol, views
from spielwerk.server.borrowing import Borrowing, ThinkingClient
from spielwerk.server.clocks import now_ms
from spielwerk.server.levels import QUICK_SECONDS, STAND_IN, Level, level_named, plain_search
from spielwerk.server.log import (
    Draft,
    Event,
    Log,
    check_fresh,
    flag_drafts,
    numbered,
    play_drafts,
    resign_drafts,
)
from spielwerk.server.protocol import Refused, as_json
from spielwerk.server.store import Store, StoreError, Write
from spielwerk.server.thinking import NoAnswer, Question, ThinkingPool
from spielwerk.server.tokens import hash_of, matches, new_token

_LOG = logging.getLogger("spielwerk.server")
_WAIT_FOR_THINKERS = 0.5
_LONGEST_WAIT_FOR_THINKERS = 8.0
_SECONDS_TO_ANSWER = 0.2
RESTARTING, NO_TABLE = 1012, 4404

T = TypeVar("T")


class Client(ThinkingClient, Protocol):
    """One connection. `tokens` are those of its own that hold a seat here."""

    tokens: dict[int, str]
    scenes: bool

    def send(self, message: str) -> None:
        """Queues a message; a client that does not keep up is cut off instead."""

    def cut(self, code: int) -> None:
        """Ends the connection."""


class Table:
    def __init__(self, log: Log, store: Store, pool: ThinkingPool, levels: Sequence[Level]) -> None:
        self.log = log
        self.clients: set[Client] = set()
        self.used = time.monotonic()
        self.client = ""  # whose limits the agents' thinking counts for
        self._store = store
        self._pool = pool
        self._levels = levels
        self._lock = asyncio.Lock()
        self._scene: Scene | None = None
        self._scene_key: tuple[int, bool] | None = None
        self._thinking: asyncio.Task[None] | None = None
        self._borrowing = Borrowing()
        self._patience = _WAIT_FOR_THINKERS
        self._tasks: set[asyncio.Task[Any]] = set()
        self._broken = False

    @property
    def idle(self) -> bool:
        """Whether it can leave memory; the store has all of it."""
        return not self.clients and not self._tasks and self._thinking is None and not self._lock.locked()

    @property
    def busy(self) -> bool:
        """Whether something is being stored for someone who waits."""
        return bool(self._tasks)

    # Coming and going

    def seats_of(self, tokens: Iterable[str]) -> dict[int, str]:
        """The seats these tokens hold, each with its token."""
        return {
            number: token
            for token in tokens
            for number, seat in enumerate(self.log.seats)
            if seat.kind == "human" and matches(token, seat.token_hash)
        }

    def attach(self, client: Client, known_static: str | None) -> int:
        """Someone comes: a snapshot for them, whose length is returned; the others hear who is present."""
        self.clients.add(client)
        snapshot = self.snapshot(client.tokens, scenes=client.scenes, known_static=known_static).model_dump_json()
        client.send(snapshot)
        self._tell_presence()
        self.wake_agent()
        return len(snapshot)

    def detach(self, client: Client) -> None:
        self.clients.discard(client)
        self._borrowing.leave(client)
        self.used = time.monotonic()
        self._tell_presence()

    def tell(self, message: protocol.Outbound) -> None:
        text = message.model_dump_json()
        for client in list(self.clients):
            client.send(text)

    # What can be seen

    def snapshot(
        self, mine: Iterable[int] = (), *, scenes: bool = True, known_static: str | None = None
    ) -> protocol.Snapshot:
        """The table as whoever holds these seats sees it."""
        log, you = self.log, sorted(mine)
        setup = log.setup
        said = protocol.Snapshot.model_construct(
            type="snapshot",
            id=setup.id,
            protocol=protocol.PROTOCOL,
            game=log.game.name,
            rules=log.game.rules,
            start=setup.start,
            created=views.iso_time(setup.created_ms),
            public=setup.public,
            hotseat=setup.hotseat,
            seq=log.seq,
            ply=len(log.actions),
            status=log.status,
            seats=self.seat_views(),
            you=you,
            player=log.player,
            actions=views.action_views(log),
            result=views.result_view(log),
            offers=views.offer_views(log),
            can=self.permissions(you),
            origin=views.origin_view(log),
            next=log.next,
            clock=views.clock_view(log, now_ms()),
            match=views.match_view(log),
            scene=None,
            legal=None,
        )
        if scenes:
            scene = self._current_scene()
            known = known_static == scene.static.key
            said.scene = scene.dynamic_json() if known else scene.to_json()
        else:
            said.legal = self._legal_texts()
        return said

    def seat_views(self) -> list[protocol.SeatView]:
        return views.seat_views(self.log.game, self.log.seats, self._connected(), self._levels)

    def permissions(self, mine: Sequence[int]) -> list[protocol.Permission]:
        """What the holder of these seats may do now."""
        log = self.log
        if not mine:
            return []
        if log.status == "over":
            return [] if log.next or log.setup.uploaded else [*self._may_answer(mine), "rematch"]
        if log.status == "waiting":
            return ["resign"]
        may: list[protocol.Permission] = ["play"] if log.player in mine else []
        if log.progress.takeback_ply(mine) is not None:
            may.append("takeback")
        return [*may, "resign", *self._may_answer(mine)]

    def _may_answer(self, mine: Iterable[int]) -> list[protocol.Permission]:
        holders = {self.log.seats[seat].holder for seat in mine}
        return ["answer"] if any(holders.intersection(offer.waiting) for offer in self.log.offers) else []

    # What can be done

    async def play(self, mine: Sequence[int], message: protocol.Play) -> int:
        """An action or a whole turn; the number of its last event."""

        async def act() -> int:
            self._check_running()
            if await self._drop_flag_that_is_due():
                raise Refused("not_now", "the time is up")
            check_fresh(self.log, message.seq)
            if self.log.player not in mine:
                raise Refused("not_yours", "it is not your turn" if mine else "you hold no seat at this table")
            try:
                drafts = play_drafts(self.log, message.action)
            except IllegalAction as illegal:
                raise self._refusal_of(illegal, message.action) from None
            return await self._commit(drafts)

        return await self._exclusively(act)

    def _refusal_of(self, illegal: IllegalAction, action: str) -> Refused:
        german = german_refusal(self.log.game.name, illegal.code, action, self._legal_example())
        return Refused("illegal", illegal.reason, illegal.code, german)

    def _legal_example(self) -> str:
        state = self.log.state
        return state.text(state.legal_actions[0])

    async def take_back(self, mine: Sequence[int], message: protocol.Takeback) -> int:
        """At once where nobody else is concerned, else as an offer."""

        async def act() -> int:
            self._check_running()
            check_fresh(self.log, message.seq)
            ply = self._takeback_ply(mine)
            waiting = self.log.others(mine)
            if not waiting or self.log.progress.is_half_made(ply):
                return await self._commit([Draft("takeback", mine[0], {"ply": ply})])
            return await self._commit([_offer("takeback", self._last_seat(mine), waiting)])

        return await self._exclusively(act)

    async def answer(self, mine: Sequence[int], message: protocol.Answer) -> int:
        """Agrees to an offer or turns it down; what all agree to happens."""

        async def act() -> int:
            offer = next((offer for offer in self.log.offers if offer.kind == message.offer), None)
            holders = {self.log.seats[seat].holder for seat in mine}
            if offer is None or not holders.intersection(offer.waiting):
                raise Refused("not_now", f"there is no {message.offer} for you to answer")
            if not message.accept:
                return await self._commit([Draft("offer", offer.seat, {"offer": offer.kind, "declined": True})])
            waiting = set(offer.waiting) - holders
            if waiting:
                return await self._commit([_offer(offer.kind, offer.seat, waiting)])
            if offer.kind == "rematch":
                return await self._rematch(offer.seat)
            seats = self.log.seats
            theirs = [number for number, seat in enumerate(seats) if seat.holder == seats[offer.seat].holder]
            return await self._commit([Draft("takeback", offer.seat, {"ply": self._takeback_ply(theirs)})])

        return await self._exclusively(act)

    async def resign(self, mine: Sequence[int], message: protocol.Resign) -> int:
        """Never stale: whoever gives up means it, whatever quick agents have played meanwhile."""

        async def act() -> int:
            if self.log.over:
                raise Refused("not_now", "the game is over")
            if not mine or (message.seat is not None and message.seat not in mine):
                raise Refused("not_yours", "you can only resign a seat you hold")
            seat = message.seat if message.seat is not None else self._last_seat(mine)
            return await self._commit(resign_drafts(self.log, seat, STAND_IN))

        return await self._exclusively(act)

    async def rematch(self, mine: Sequence[int], message: protocol.Rematch) -> int:
        """Another game with the seats exchanged, once everyone agrees."""

        async def act() -> int:
            if not mine:
                raise Refused("not_yours", "you hold no seat at this table")
            if not self.log.over or self.log.setup.uploaded:
                raise Refused("not_now", "a rematch follows a game that is over")
            if self.log.next is not None:
                raise Refused("not_now", "the rematch is open already")
            waiting = self.log.others(mine)
            if waiting and not self._has_next_round():
                return await self._commit([_offer("rematch", mine[0], waiting)])
            return await self._rematch(mine[0])

        return await self._exclusively(act)

    async def join(self, request: protocol.JoinRequest) -> protocol.Joined:
        """Takes an open seat: by its invitation, or from the lobby at a public table."""

        async def act() -> protocol.Joined:
            number = self._open_seat(request)
            token = new_token()
            data = {"name": request.name or None, "holder": number + 1, "token_hash": hash_of(token)}
            await self._commit([Draft("join", number, data)])
            return protocol.Joined(seat=number, token=token)

        return await self._exclusively(act)

    async def look_at_clock(self) -> None:
        """Drops the flag if the time is up."""

        await self._exclusively(self._drop_flag_that_is_due)

    async def _drop_flag_that_is_due(self) -> bool:
        """Whether it had to fall."""
        seat = self._flagged_seat()
        if seat is not None:
            await self._commit(flag_drafts(self.log, seat, STAND_IN))
        return seat is not None

    def _flagged_seat(self) -> int | None:
        clock = self.log.clock
        return clock.running if clock is not None and clock.has_flagged(now_ms()) else None

    def _has_next_round(self) -> bool:
        """Whether the match goes on, to which everyone agreed before."""
        return self.log.rounds is not None and not self.log.rounds.over

    # To be set by the registry, which opens tables.
    open_rematch: Callable[[Log, Write, str], Table]
    forget: Callable[[Table], None]
    charge_storage: Callable[[int], None]
    set_alarm: Callable[[Log], None]
    most_events: int
    browser_seconds: float

    async def _rematch(self, seat: int) -> int:
        write = Write()
        follower = self.open_rematch(self.log, write, self.client)
        return await self._commit([Draft("rematch", seat, {"table": follower.log.setup.id})], write)

    def _open_seat(self, request: protocol.JoinRequest) -> int:
        seats = self.log.seats
        if self.log.over:
            raise Refused("not_now", "the table was given up")
        if request.invite is not None:
            invited = [
                n for n, seat in enumerate(seats) if seat.kind == "open" and matches(request.invite, seat.invite_hash)
            ]
            if not invited:
                raise Refused("forbidden", "this invitation is for no free seat at this table")
            return invited[0]
        if not self.log.setup.public:
            raise Refused("forbidden", "this table is private: a seat is taken by its invitation")
        free = [n for n, seat in enumerate(seats) if seat.kind == "open" and request.seat in (None, n)]
        if not free:
            raise Refused("not_now", "this seat is not free" if request.seat is not None else "no seat is free")
        return free[0]

    def _check_running(self) -> None:
        if self.log.status == "waiting":
            raise Refused("not_now", "the game begins when all seats are taken")
        if self.log.over:
            raise Refused("not_now", "the game is over")

    def _takeback_ply(self, mine: Sequence[int]) -> int:
        ply = self.log.progress.takeback_ply(mine)
        if ply is None:
            raise Refused("not_now", "there is nothing of yours to take back")
        return ply

    def _last_seat(self, mine: Sequence[int]) -> int:
        """Whose turn it is among one's own, else the one that acted last."""
        if self.log.player in mine:
            return self.log.player  # type: ignore[return-value]
        played = [action.seat for action in self.log.actions if action.seat in mine]
        return played[-1] if played and played[-1] is not None else mine[0]

    # Storing, applying, telling

    def _check_room(self, drafts: Sequence[Draft]) -> None:
        """A game has an end, but taking back and offering have none."""
        endless = any(draft.kind in ("takeback", "offer") for draft in drafts)
        if endless and self.log.seq + len(drafts) > self.most_events:
            raise Refused("not_now", f"this table is full: it holds {self.most_events} events; go on at a new one")

    async def _exclusively(self, act: Callable[[], Awaitable[T]]) -> T:
        """Runs to its end even if the one who asked goes away."""

        async def alone() -> T:
            async with self._lock:
                if self._broken:
                    raise Refused("internal", "the table is being read again; try once more")
                return await act()

        task = asyncio.create_task(alone())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def _commit(self, drafts: Sequence[Draft], write: Write | None = None) -> int:
        self._check_room(drafts)
        events = numbered(self.log, drafts, now_ms())
        write = write or Write()
        write.add_events(self.log.setup.id, events)
        self._add_seatings(write, events)
        try:
            await self._store.write(write)
        except StoreError as error:
            self._give_up(error)
            raise Refused("internal", "the server could not store this; nothing has changed") from None
        for event in events:
            self._apply_and_tell(event)
        self.set_alarm(self.log)
        self.used = time.monotonic()
        self.wake_agent()
        return self.log.seq

    def _add_seatings(self, write: Write, events: Iterable[Event]) -> None:
        """The lobby reads seats from their own rows, so they change with the events that change them."""
        for event in events:
            changes_seat = event.kind == "join" or (event.kind in ("resign", "flag") and "level" in event.data)
            if event.seat is not None and changes_seat:
                after = Log(self.log.setup, list(self.log.seats), seq=event.seq - 1)
                after.apply(event)
                write.add_seating(self.log.setup.id, event.seat, after.seats[event.seat], after.status)

    def _give_up(self, error: StoreError) -> None:
        """Whether the disk has the write or not is for the disk to say: the table is read again."""
        _LOG.error("table %s: %s", self.log.setup.id, error)
        self._broken = True
        self.forget(self)
        for client in list(self.clients):
            asyncio.get_running_loop().call_later(_SECONDS_TO_ANSWER, client.cut, RESTARTING)

    def _apply_and_tell(self, event: Event) -> None:
        watched = any(client.scenes for client in self.clients)
        before = self._current_scene() if watched else None
        self.log.apply(event)
        if event.kind in ("takeback", "resign") and self._thinking is not None:
            self._thinking.cancel()
        if event.seat in self.log.stood_in:
            for client in self.clients:
                client.tokens.pop(event.seat, None)
        if not self.clients:
            return
        shared = self._event_message(event).model_dump_json(exclude_unset=True)[:-1]
        scene = self._scene_difference(before) if before is not None else ""
        legal = f',"legal":{as_json(self._legal_texts())}'
        for client in list(self.clients):
            extra = scene if client.scenes else legal
            client.send(f"{shared}{self._personal(event, client)}{extra}}}")

    def _event_message(self, event: Event) -> protocol.Event:
        log = self.log
        said: dict[str, Any] = {
            "type": "event",
            "seq": event.seq,
            "kind": event.kind,
            "ply": len(log.actions),
            "status": log.status,
            "player": log.player,
            "offers": views.offer_views(log),
            "seat": event.seat,
        }
        if event.kind in ("play", "dice"):
            said |= {"text": event.data["text"], "turn": log.actions[-1].turn}
            said |= {"words": views.words_of(log, -1)} if log.words else {}
        if event.kind in ("join", "resign", "flag"):
            said["seats"] = self.seat_views()
        if log.clock is not None:
            said["clock"] = views.clock_view(log, now_ms())
        if event.kind == "over":
            said |= {"result": views.result_view(log), "match": views.match_view(log)}
        said |= {name: event.data[name] for name in ("fallback", "offer", "declined", "table") if name in event.data}
        return protocol.Event.model_construct(**said)

    def _personal(self, event: Event, client: Client) -> str:
        """What differs from client to client: permissions, and after a rematch the tokens that now hold other seats."""
        can = f',"can":{as_json(self.permissions(sorted(client.tokens)))}'
        if event.kind != "rematch" or not client.tokens:
            return can
        count = len(self.log.seats)
        return f'{can},"tokens":{as_json({str((seat + 1) % count): token for seat, token in client.tokens.items()})}'

    def _scene_difference(self, before: Scene) -> str:
        after = self._current_scene()
        return "" if after is before else f',"scene":{after.difference_text(before)}'

    def _current_scene(self) -> Scene:
        log = self.log
        key = (log.position_seq, log.status == "running")
        if self._scene is None or self._scene_key != key:
            self._scene = scene_at(log.state, log.texts, legal=key[1])
            self._scene_key = key
        return self._scene

    def _legal_texts(self) -> list[str]:
        state = self.log.state
        return [state.text(action) for action in state.legal_actions] if self.log.player is not None else []

    def _connected(self) -> list[bool]:
        held = {seat for client in self.clients for seat in client.tokens}
        return [seat.kind == "agent" or number in held for number, seat in enumerate(self.log.seats)]

    def _tell_presence(self) -> None:
        watchers = sum(not client.tokens for client in self.clients)
        self.tell(protocol.Presence(connected=self._connected(), watchers=watchers))

    # Agents

    def wake_agent(self) -> None:
        """Lets the agent think whose turn it is. Agents among themselves play only while someone watches."""
        seat = self.log.player
        if self._thinking is not None or self._broken or seat is None or self.log.seats[seat].kind != "agent":
            return
        if self.clients or self.log.holders():
            self._thinking = asyncio.create_task(self._think(seat))

    async def stop_thinking(self) -> None:
        """Before the table leaves memory or the server closes."""
        self._broken = True
        if self._thinking is not None:
            self._thinking.cancel()
            await asyncio.gather(self._thinking, return_exceptions=True)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _think(self, seat: int) -> None:
        moved = self.log.moved_seq
        began = time.monotonic()
        try:
            self.tell(protocol.Thinking(seat=seat))
            text, fallback = await self._agents_action(seat)
            await asyncio.sleep(max(0.0, self.log.setup.pace_ms / 1000 - (time.monotonic() - began)))
            await self._exclusively(lambda: self._play_for_agent(moved, text, fallback))
        except Refused as refused:
            if not self._broken:
                _LOG.warning("table %s: %s", self.log.setup.id, refused.message)
                await asyncio.sleep(self._patience)
                self._patience = min(2 * self._patience, _LONGEST_WAIT_FOR_THINKERS)
        else:
            self._patience = _WAIT_FOR_THINKERS
        finally:
            self._thinking = None
            self.wake_agent()

    async def _agents_action(self, seat: int) -> tuple[str | None, protocol.Fallback | None]:
        state = self.log.state
        try:
            level = level_named(self.log.seats[seat].level or "", state.game, self._levels)
        except Refused as gone:  # the operator's list has changed since
            _LOG.warning("table %s: %s", self.log.setup.id, gone.message)
            return None, "failure"
        choice = level.choice(state.game)
        assert choice is not None
        seconds = self._seconds_to_think(level)
        if seconds is None:
            return None, "clock"
        if (action := await self._browsers_action(seat, level, choice.spec)) is not None:
            return action, None
        question = Question.about(state, key=self.log.setup.id, spec=choice.spec, seconds=seconds, client=self.client)
        try:
            said = await self._pool.ask(question)
        except NoAnswer as failure:
            _LOG.warning("table %s: %s", self.log.setup.id, failure)
            return None, failure.why
        return str(said.get("action")), None

    async def _browsers_action(self, seat: int, level: Level, spec: str) -> str | None:
        """What the person's own browser found, where it may be asked and answers."""
        client = self._browser_to_ask()
        search = plain_search(spec) if client is not None else None
        if client is None or search is None:
            return None
        own_seconds = search.settings.get("ms", 1000 * level.seconds) / 1000
        question = protocol.Consult(seq=self.log.seq, seat=seat, search=search)
        return await self._borrowing.ask(client, question, min(level.seconds, own_seconds + self.browser_seconds))

    def _browser_to_ask(self) -> Client | None:
        """One of the only person who ever played here: whatever it says, nobody else is cheated."""
        log = self.log
        if self.browser_seconds <= 0 or log.clock is not None or log.stood_in or len(log.holders()) != 1:
            return None
        return next((client for client in self.clients if client.thinks and client.tokens), None)

    def hear_advice(self, client: Client, message: protocol.Advice) -> int:
        """The answer of a browser that was asked. What the rules do not allow is as good as no answer."""
        answer, action = self._borrowing.awaited(client, message.seq), message.action
        if action is not None:
            try:
                play_drafts(self.log, action)
            except IllegalAction as illegal:
                answer.set_result(None)
                raise self._refusal_of(illegal, action) from None
        answer.set_result(action)
        return self.log.seq

    def _seconds_to_think(self, level: Level) -> float | None:
        """When its answer is given up; None where a level that thinks long has too little time left to try."""
        clock = self.log.clock
        if clock is None or clock.running is None:
            return level.seconds
        left = clock.left_at(now_ms())[clock.running] / 1000
        if level.seconds > QUICK_SECONDS and left < level.seconds:
            return None
        return min(level.seconds, max(_SECONDS_TO_ANSWER, left / 4))

    async def _play_for_agent(self, moved: int, text: str | None, fallback: protocol.Fallback | None) -> None:
        """Where the agent gave no action that can be played, a stand-in plays, and clients and record say so."""
        if self.log.moved_seq != moved or self.log.status != "running" or self._flagged_seat() is not None:
            return
        try:
            drafts = play_drafts(self.log, text) if text is not None else None
        except IllegalAction:
            drafts, fallback = None, "failure"
        if drafts is None:
            drafts = play_drafts(self.log, await asyncio.to_thread(_stand_in_action, self.log.state.clone()), fallback)
        self.charge_storage(len(drafts))
        await self._commit(drafts)


def _stand_in_action(state: State) -> str:
    """What looks best at once, which needs neither a process nor time; failing that, anything allowed."""
    try:
        return state.text(agent(STAND_IN).act(state.clone()))
    except Exception as error:  # the game must go on
        _LOG.warning("the stand-in failed: %s", error)
        return state.text(secrets.choice(state.legal_actions))


def _offer(kind: str, seat: int, waiting: Iterable[int]) -> Draft:
    return Draft("offer", seat, {"offer": kind, "waiting": sorted(waiting)})
