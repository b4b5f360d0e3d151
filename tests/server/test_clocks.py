"""Clocks at tables: who is charged, when a flag falls, what a restart changes, and what records say of it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import httpx
import pytest

import spielwerk as sw
from spielwerk.play import How, TimeControl
from spielwerk.records import Record
from spielwerk.server.log import Draft, Log, Seat, Setup, flag_drafts, numbered, opening_drafts, play_drafts
from spielwerk.server.store import StoreError, load_log
from tests.server.client import Running, ServerProcess, a_free_seat, agent, human, play_at

SECOND = 1000
PER_GAME = {"pace": "game", "amount": 60, "increment": 2}
SHORT = {"pace": "move", "amount": 3}


def new_log(control: str, name: str = "pferdeaepfel/trail", seats: list[Seat] | None = None) -> Log:
    game = sw.make(name)
    setup = Setup(id="t", created_ms=0, game=game, start=None, seed=1, control=TimeControl.from_text(control))
    log = Log(setup, seats or [Seat("human", holder=number) for number in range(game.num_players)])
    apply(log, opening_drafts(setup), 0)
    return log


def apply(log: Log, drafts: list[Draft], at_ms: int) -> None:
    for event in numbered(log, drafts, at_ms):
        log.apply(event)


def play(log: Log, at_seconds: int) -> None:
    state = log.state
    apply(log, play_drafts(log, state.text(state.legal_actions[0])), at_seconds * SECOND)


def running_seat(log: Log) -> int | None:
    assert log.clock is not None
    return log.clock.running


def left(log: Log, at_seconds: int) -> list[int]:
    assert log.clock is not None
    return [ms // SECOND for ms in log.clock.left_at(at_seconds * SECOND)]


# Whose time runs


def test_each_seat_is_charged_for_its_own_turns() -> None:
    log = new_log("game:60+2")
    for moment in (5, 9, 19, 39):
        play(log, moment)
    assert left(log, 39) == [60 - 10 + 2, 60 - 20 + 2]
    assert left(log, 49) == [60 - 10 + 2 - 10, 60 - 20 + 2]


def test_a_turn_of_several_actions_is_charged_as_one() -> None:
    log = new_log("move:30", "pferdeaepfel/classic")
    play(log, 5)
    while log.player == 0:
        assert left(log, 6)[0] == 24, "half a turn brings no new time"
        play(log, 6)
    assert left(log, 6) == [30, 30]


def test_another_die_brings_new_time_for_a_move() -> None:
    game = sw.make("ludo/ffa")
    start = "G=0,y,y,y Y=y,y,y,y B=y,y,y,y R=y,y,y,y turn=G die=6 sixes=1000 plies=0"
    setup = Setup(id="t", created_ms=0, game=game, start=start, seed=1, control=TimeControl.from_text("move:30"))
    log = Log(setup, [Seat("human", holder=number) for number in range(4)])
    play(log, 20)
    assert log.player == 0, "a six moves again"
    assert left(log, 20)[0] == 30


def test_the_clock_begins_when_the_last_seat_is_taken() -> None:
    log = new_log("game:60", seats=[Seat("human", holder=0), Seat("open")])
    assert running_seat(log) is None
    apply(log, [Draft("join", 1, {"name": None, "holder": 1, "token_hash": "x"})], 500 * SECOND)
    assert (running_seat(log), left(log, 510)) == (0, [50, 60])


def test_taking_back_gives_no_time_back() -> None:
    log = new_log("game:60")
    for moment in (1, 2, 12, 32):
        play(log, moment)
    apply(log, [Draft("takeback", 0, {"ply": 2})], 40 * SECOND)
    assert log.player == 0
    assert left(log, 40) == [60 - 10 - 8, 60 - 20]


def test_after_taking_back_the_time_for_a_move_is_there_in_full() -> None:
    log = new_log("move:30")
    play(log, 1)
    play(log, 2)
    apply(log, [Draft("takeback", 0, {"ply": 0})], 20 * SECOND)
    assert left(log, 20) == [30, 30]


def test_the_clock_stands_once_the_game_is_over() -> None:
    log = new_log("game:60")
    apply(log, flag_drafts(log, 0, "greedy"), 60 * SECOND)
    assert log.clock is not None
    assert (log.clock.running, left(log, 999)) == (None, [0, 60])


# When a flag falls


def test_a_flag_loses_and_the_record_is_checked_like_others() -> None:
    log = new_log("game:60")
    play(log, 1)
    apply(log, flag_drafts(log, 1, "greedy"), 61 * SECOND)
    assert log.outcome is not None
    assert (log.outcome.how, log.outcome.winner) == (How.TIMED_OUT, (0,))
    record = log.record().to_json()
    assert record["result"]["reason"] == "timeout"
    list(Record.from_json(record).positions())
    with pytest.raises(ValueError, match="timeout"):
        list(Record.from_json(record | {"result": record["result"] | {"winner": []}}).positions())


def test_where_more_than_two_sides_play_a_stand_in_plays_on_for_who_ran_out_of_time() -> None:
    log = new_log("move:30", "ludo/ffa")
    seat = log.player
    assert seat is not None
    apply(log, flag_drafts(log, seat, "greedy"), 30 * SECOND)
    assert (log.status, log.seats[seat].kind) == ("running", "agent")
    assert log.clock is not None
    assert log.clock.running is None, "the stand-in answers at once"
    play(log, 31)
    assert log.clock.running == log.player


def test_whoever_ran_out_of_time_plays_no_more(server: Running) -> None:
    opened = server.open("ludo/ffa", human(), human(), agent(), agent(), hotseat=True, clock=SHORT)
    with server.player(opened["id"], *opened["tokens"].values()) as player:
        flag = player.until("event", kind="flag")
        assert flag["seats"][flag["seat"]]["kind"] == "agent"
        while player.events[-1]["player"] != 1:
            player.receive()
        assert "play" in player.events[-1]["can"], "the other seat of the same person goes on"
        assert player.until("event", kind="flag")["can"] == []


def test_a_flag_falls_by_itself(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), agent(), clock=SHORT)
    with server.player(opened["id"], *opened["tokens"].values()) as player:
        assert player.snapshot["clock"] | {"left_ms": 0} == SHORT | {"increment": 0, "left_ms": 0, "running": 0}
        assert player.until("event", kind="flag")["seat"] == 0
        result = player.until("event", kind="over")["result"]
        assert (result["reason"], result["winner"], result["text"]["en"]) == ("timeout", [1], "Black wins on time")


def test_a_flag_that_could_not_be_stored_falls_later(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    from spielwerk.server import clocks

    monkeypatch.setattr(clocks, "_AFTER_FAILURE_MS", 200)
    failures: list[Any] = []
    write = server.app.store.write

    async def failing(rows: Any) -> None:
        if not failures and any(row["kind"] == "flag" for row in rows.events):
            failures.append(rows)
            raise StoreError("the disk is full")
        await write(rows)

    monkeypatch.setattr(server.app.store, "write", failing)
    opened = server.open("pferdeaepfel/trail", human(), agent(), clock=SHORT)
    for _ in range(100):
        [listed] = server.get(f"/api/tables/named?id={opened['id']}")
        if listed["result"]:
            break
        time.sleep(0.1)
    assert failures
    assert listed["result"]["reason"] == "timeout"


def test_a_flag_falls_though_nobody_is_there(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), agent(), clock=SHORT)
    time.sleep(3.5)
    [listed] = server.get(f"/api/tables/named?id={opened['id']}")
    assert (listed["result"]["reason"], listed["clock"]["pace"]) == ("timeout", "move")


def test_a_move_tells_everyone_the_time_that_is_left(server: Running) -> None:
    with server.hotseat(clock=PER_GAME) as player:
        player.play("b6")
        clock = player.events[-1]["clock"]
        assert clock["running"] == 1
        assert clock["left_ms"][0] == 60_000, "the first turn costs nothing"


def test_agents_are_on_the_clock_too(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), agent("greedy"), clock=PER_GAME)
    with server.player(opened["id"], *opened["tokens"].values()) as player:
        player.play("b6")
        player.until("event", kind="play", seat=1)
        player.play(server.get(f"/api/tables/{opened['id']}")["scene"]["hits"][0]["action"])
        clock = player.until("event", kind="play", seat=1)["clock"]
        assert 55_000 < clock["left_ms"][1] < 62_000
        assert clock["left_ms"][1] != 62_000, "it thought for a moment, then got its increment"


def test_an_agent_short_of_time_plays_at_once_and_the_record_says_so(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), agent("master"), clock={"pace": "move", "amount": 10})
    with server.player(opened["id"], *opened["tokens"].values()) as player:
        player.play("b6")
        assert player.until("event", kind="play", seat=1)["fallback"] == "clock"
    record = server.get(f"/api/tables/{opened['id']}/record")
    assert record["comments"] == {"2": "played by a stand-in: clock"}


@pytest.mark.parametrize(
    ("clock", "seats", "said"),
    [
        ({"pace": "move", "amount": 1}, [human(), agent()], "from 3 to 3600 seconds"),
        ({"pace": "hourglass", "amount": 9}, [human(), agent()], "pace"),
        (SHORT, [agent(), agent()], "a clock is for people"),
    ],
)
def test_a_clock_nobody_can_play_with_is_refused(server: Running, clock: Any, seats: list[Any], said: str) -> None:
    body = {"game": "pferdeaepfel/trail", "seats": seats, "clock": clock}
    answer = server.http.post("/api/tables", json=body)
    assert answer.status_code == 400
    assert said in answer.json()["error"]["message"]["en"]


# What a restart changes


def opened_at(server: ServerProcess, clock: Any, *seats: Any) -> dict[str, Any]:
    body = {"game": "pferdeaepfel/trail", "seats": list(seats or (human(), human())), "clock": clock, "hotseat": True}
    opened: dict[str, Any] = httpx.post(f"http://127.0.0.1:{server.port}/api/tables", json=body).json()
    return opened


def test_a_running_clock_survives_kill_9_and_stands_still_while_the_server_is_down(tmp_path: Path) -> None:
    server = ServerProcess(str(tmp_path / "games.db"))
    server.start()
    opened = opened_at(server, {"pace": "move", "amount": 15})
    tokens = opened["tokens"].values()
    with play_at(server.port, opened["id"], *tokens) as player:
        player.play("b6")
        time.sleep(2.2)
    server.stop()
    time.sleep(5)
    server.start()
    with play_at(server.port, opened["id"], *tokens) as player:
        clock = player.snapshot["clock"]
        assert (player.snapshot["status"], clock["running"]) == ("running", 1)
        # It thought for two seconds before, and none while nobody could move.
        assert 8000 < clock["left_ms"][1] < 14_400
        assert player.until("event", kind="flag")["seat"] == 1
    server.stop()


def test_days_go_by_while_the_server_is_down() -> None:
    log = new_log("days:1")
    play(log, 1)
    assert log.clock is not None
    assert log.clock.control.counts_days
    assert log.clock.has_flagged((86_400 + 1) * SECOND)


def test_a_correspondence_flag_falls_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from spielwerk.server import clocks, table
    from tests.server.client import running, settings

    with running(settings(tmp_path)) as server:
        opened = server.open("pferdeaepfel/trail", human(), agent(), clock={"pace": "days", "amount": 1})
    tomorrow = clocks.now_ms() + 86_400_001
    for module in (clocks, table):
        monkeypatch.setattr(module, "now_ms", lambda: tomorrow)
    with running(settings(tmp_path)) as server:
        for _ in range(50):
            result = server.get(f"/api/tables/{opened['id']}")["result"]
            if result is not None:
                break
            time.sleep(0.1)
        assert result["reason"] == "timeout"


def test_a_clock_reads_back_as_it_was_when_a_guest_joined(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), a_free_seat(), clock=PER_GAME)
    time.sleep(0.2)
    server.http.post(f"/api/tables/{opened['id']}/seats", json={"invite": opened["invites"]["1"]})
    [live] = [table.log for table in server.app.tables.live if table.log.setup.id == opened["id"]]
    with server.app.store.engine.connect() as connection:
        stored = load_log(connection, opened["id"])
    assert stored is not None
    assert stored.clock == live.clock
    assert running_seat(stored) == 0
    assert stored.clock is not None
    assert stored.clock.since_ms >= stored.setup.created_ms + 200, "what went by before the guest came does not count"


# Matches


def test_rounds_lead_on_without_asking_and_points_are_added(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), a_free_seat(), rounds=2, rules={"size": 3})
    guest = server.http.post(f"/api/tables/{opened['id']}/seats", json={"invite": opened["invites"]["1"]}).json()
    table, tokens = opened["id"], [opened["tokens"]["0"], guest["token"]]
    points = []
    for number in (1, 2):
        with server.player(table, *tokens) as player:
            assert player.snapshot["match"]["round"] == number
            while player.snapshot["status"] == "running" and not any(e["kind"] == "over" for e in player.events):
                hits = server.get(f"/api/tables/{table}")["scene"]["hits"]
                player.play(hits[0]["action"])
            [over] = [event for event in player.events if event["kind"] == "over"]
            points.append(over["match"]["points"])
            assert over["match"]["over"] == (number == 2)
            if number == 1:
                assert player.ask("rematch")["type"] == "ack"
                table = next(event["table"] for event in player.events if event["kind"] == "rematch")
    winner = 0 if points[0] == [1, 0] else 1
    assert sum(points[0]) == 1
    assert sum(points[1]) == 2
    assert points[1][1 - winner] >= 1, "the first round's point has gone to the other seat with its player"


def test_giving_up_a_round_ends_the_match_and_a_rematch_is_a_new_one(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), agent(), rounds=5)
    with server.player(opened["id"], *opened["tokens"].values()) as player:
        player.ask("resign")
        match = player.events[-1]["match"]
        assert (match["over"], match["winner"], match["points"]) == (True, [1], [0, 0])
        player.ask("rematch")
        table = next(event["table"] for event in player.events if event["kind"] == "rematch")
    assert server.get(f"/api/tables/{table}")["match"]["round"] == 1


def test_rounds_are_for_two(server: Running) -> None:
    body = {"game": "ludo/ffa", "seats": [human(), agent(), agent(), agent()], "rounds": 2}
    answer = server.http.post("/api/tables", json=body)
    assert "rounds are for two players" in answer.json()["error"]["message"]["en"]
