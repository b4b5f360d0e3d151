"""Tournaments: nothing played twice, nothing lost, whoever dies on the way."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import NullPool, create_engine
from sqlalchemy.exc import DBAPIError

import spielwerk as sw
from spielwerk.arena.match import play
from spielwerk.arena.schedule import Schedule, lineups
from spielwerk.arena.sprt import Sprt
from spielwerk.arena.store import GameStore
from spielwerk.arena.tournament import Meeting, Tournament
from spielwerk.arena.workers import InProcess, Processes, Shared
from spielwerk.database import url_of

TRAIL = sw.make("pferdeaepfel/trail")


def tournament(store: GameStore, pairings: int = 4, sprt: Sprt | None = None, *players: str) -> Tournament:
    names = players or ("random", "greedy", "greedy:errs=0.5")
    return Tournament(
        [Meeting(Schedule(TRAIL, lineup), pairings, sprt) for lineup in lineups(TRAIL, names)],
        store,
    )


class Counting(InProcess):
    """Plays here and counts."""

    def __init__(self) -> None:
        self.played: list[str] = []

    def submit(self, work: Callable[[Any], Any], about: Any) -> Future[Any]:
        self.played.append(about.id)
        return super().submit(work, about)


@pytest.fixture
def store() -> Iterator[GameStore]:
    with GameStore() as opened:
        yield opened


def test_each_game_is_played_once(store: GameStore) -> None:
    workers = Counting()
    tournament(store).run(workers)
    assert len(workers.played) == len(set(workers.played)) == 3 * 4 * 2
    tournament(store).run(workers)
    assert len(workers.played) == 24


def test_more_games_add_to_those_there_are(store: GameStore) -> None:
    workers = Counting()
    tournament(store).run(workers)
    more = tournament(store, pairings=6)
    assert (more.finished, more.games) == (24, 36)
    more.run(workers)
    assert len(workers.played) == len(set(workers.played)) == 36


def test_an_interrupted_tournament_ends_like_an_uninterrupted_one(store: GameStore) -> None:
    stopped = tournament(store)

    class Enough(Exception):
        pass

    def stop(_: Any) -> None:
        if stopped.finished == 7:
            raise Enough

    with pytest.raises(Enough):
        stopped.run(InProcess(), stop)
    resumed = tournament(store)
    assert resumed.finished == 7
    resumed.run(InProcess())
    with GameStore() as other:
        whole = tournament(other)
        whole.run(InProcess())
        assert lines(whole) == lines(resumed)


def lines(played: Tournament) -> list[list[str]]:
    return [[result.line for result in meeting.results] for meeting in played.meetings]


def test_processes_play_the_same_games_as_this_one(store: GameStore) -> None:
    here, elsewhere = tournament(store), tournament(GameStore())
    here.run(InProcess())
    workers = Processes(2)
    elsewhere.run(workers)
    workers.close()
    assert lines(here) == lines(elsewhere)


def test_a_sequential_test_ends_a_meeting_early_and_stays_ended(store: GameStore) -> None:
    workers = Counting()
    clear = tournament(store, 200, Sprt(), "greedy", "random")
    clear.run(workers)
    (meeting,) = clear.meetings
    assert meeting.verdict == "accept" and meeting.llr is not None and meeting.llr >= Sprt().bounds[1]
    assert len(workers.played) < 200
    again = tournament(store, 200, Sprt(), "greedy", "random")
    assert again.meetings[0].verdict == "accept"
    again.run(workers)
    assert len(workers.played) == len(set(workers.played)) == len(meeting.results)


class Dying:
    """Workers of which every third dies with all that they have in hand, and which can be replaced."""

    slots = 4
    repeats = False

    def __init__(self, *, always: str = "") -> None:
        self.submitted = self.renewed = 0
        self._always = always

    def submit(self, work: Callable[[Any], Any], about: Any) -> Future[Any]:
        self.submitted += 1
        if self.submitted % 3 == 0 or about.id == self._always:
            failed: Future[Any] = Future()
            failed.set_exception(BrokenProcessPool("died"))
            return failed
        return InProcess().submit(work, about)

    def share(self, value: Any) -> Shared[Any]:
        return InProcess().share(value)

    def renew(self) -> None:
        self.renewed += 1

    def close(self) -> None:
        pass


def test_the_games_of_a_dead_worker_are_played_again(store: GameStore) -> None:
    workers, playing = Dying(), tournament(store)
    playing.run(workers)
    assert workers.renewed > 3
    assert playing.finished == playing.games == 24
    assert all(len(meeting.results) == 8 for meeting in playing.meetings)


def test_a_game_that_always_kills_its_worker_ends_the_tournament_with_its_players(store: GameStore) -> None:
    playing = tournament(store)
    deadly = playing.meetings[1].schedule.pairing(2)[1]
    with pytest.raises(ValueError, match=r"died 3 times while playing greedy:errs=0\.5 – random"):
        playing.run(Dying(always=deadly.id))


def test_what_is_stored_can_be_read_back(store: GameStore) -> None:
    tournament(store).run(InProcess())
    for record in store.records():
        assert record.replay().over
    ((ruleset, results),) = store.all_results()
    assert (ruleset.game, ruleset.rules) == (TRAIL.name, TRAIL.rules)
    assert len(results) == 24 and all(type(result.players) is tuple for result in results)
    assert store.all_results("pferdeaepfel/free") == []


def test_two_arenas_on_one_store_share_the_work(database: str) -> None:
    def played() -> list[str]:
        workers = Counting()
        with GameStore(database) as opened:
            meeting = tournament(opened, 60, None, "random", "greedy")
            ready.wait()
            meeting.run(workers)
            assert meeting.finished == meeting.games == len(meeting.results)
        return workers.played

    ready = threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        one, other = (future.result() for future in [pool.submit(played), pool.submit(played)])
    assert one
    assert other
    assert len(set(one + other)) == 120
    assert len(one + other) < 1.5 * 120


def test_a_game_that_another_arena_has_stored_meanwhile_stays_as_it_is(database: str) -> None:
    with GameStore(database) as opened, GameStore(database) as another:
        played = play(next(iter(tournament(opened)._scheduled()))[2])
        known = another.results
        another.results = lambda ids: {}  # type: ignore[method-assign] # looked a moment too early
        opened.add([played])
        another.add([played])
        assert list(known([played.fixture.id]).values()) == [played.result]


def test_a_store_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    file = tmp_path / "text.db"
    file.write_text("no database" * 100)
    with pytest.raises(ValueError, match=r"the database '.*text.db' cannot be used: file is not a database"):
        GameStore(str(file))
    with pytest.raises(ValueError, match="cannot be used"):
        GameStore("oracle://nobody")


GAMES = 60
COMMAND = [
    *[sys.executable, "-m", "spielwerk", "arena", "mcts:sims=300", "random", "--game", "pferdeaepfel/classic"],
    *["--games", str(GAMES), "--workers", "2", "--json", "--store"],
]


def stored(database: str) -> int:
    url = url_of(database)
    if url.startswith("sqlite") and not Path(database).exists():
        return 0
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        try:
            return int(connection.exec_driver_sql("select count(*) from arena_games").scalar_one())
        except DBAPIError:  # not yet there, or being made
            return 0


def children_of(process: int) -> set[int]:
    found = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == process:
            found.add(int(entry.parent.name))
    return found


def alive(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_kill_9_loses_at_most_the_games_in_flight(database: str) -> None:
    kept, kills = 0, 0
    while kills < 3:
        process = subprocess.Popen([*COMMAND, database], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wanted = kept + 4
        deadline = time.monotonic() + 60
        while stored(database) < wanted and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        workers = children_of(process.pid)
        process.kill()
        assert process.wait() == -signal.SIGKILL, "it was killed before it was done"
        kills += 1
        assert stored(database) >= wanted
        kept = stored(database)
        while any(map(alive, workers)):
            assert time.monotonic() < deadline, "workers end with the process that started them"
            time.sleep(0.05)
    done = subprocess.run([*COMMAND, database], capture_output=True, text=True, check=True, env=dict(os.environ))
    assert f'"games": {GAMES},' in done.stdout
    with GameStore(database) as store:
        ((_, results),) = store.all_results()
        assert len(results) == GAMES
        assert len({(result.pairing, result.players) for result in results}) == GAMES
    with GameStore() as other:
        game = sw.make("pferdeaepfel/classic")
        whole = Tournament([Meeting(Schedule(game, ("mcts:sims=300", "random")), GAMES // 2)], other)
        whole.run(InProcess())
        assert {result.line for result in results} == {result.line for result in whole.meetings[0].results}
