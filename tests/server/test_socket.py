"""Playing over the socket."""

import json
import random
import threading
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame
from websockets.sync.client import ClientConnection, connect

import spielwerk as sw
from spielwerk.render.scene import apply_difference
from tests.server.client import PATIENT, Player, Running, a_free_seat, agent, human


def two_people(server: Running, game: str = "pferdeaepfel/trail") -> tuple[str, str, str]:
    opened = server.open(game, human("Ada"), a_free_seat())
    table = opened["id"]
    joined = server.http.post(f"/api/tables/{table}/seats", json={"invite": opened["invites"]["1"], "name": "Bob"})
    return table, opened["tokens"]["0"], joined.json()["token"]


def test_a_move_is_acknowledged_and_told_to_all(server: Running) -> None:
    table, ada, bob = two_people(server)
    with server.player(table, ada) as white, server.player(table, bob) as black, server.player(table) as watcher:
        assert white.snapshot["you"] == [0] and watcher.snapshot["you"] == []
        assert white.snapshot["can"] == ["play", "resign"] and watcher.snapshot["can"] == []
        seq = white.play("b6")["seq"]
        for other in (black, watcher):
            event = other.until("event", kind="play")
            assert (event["seq"], event["text"], event["seat"], event["turn"]) == (seq, "b6", 0, 1)
        assert black.events[-1]["can"] == ["play", "resign"]
        assert server.get(f"/api/tables/{table}")["actions"] == [{"text": "b6", "seat": 0, "turn": 1, "words": None}]


def test_differences_of_scenes_add_up_to_the_snapshot(server: Running) -> None:
    source = random.Random(5)
    with server.hotseat("pferdeaepfel/classic", seed=1) as player:
        scene = player.snapshot["scene"]
        while player.events[-1:] == [] or player.events[-1]["status"] == "running":
            seen = len(player.events)
            player.play(source.choice(scene["hits"])["action"])
            for event in player.events[seen:]:
                scene = apply_difference(scene, event["scene"]) if "scene" in event else scene
        assert scene == server.get(f"/api/tables/{player.table}")["scene"]


def test_a_known_static_part_is_not_sent_again(server: Running) -> None:
    with server.hotseat() as player:
        key = player.snapshot["scene"]["static"]["key"]
        with server.player(player.table, static=key) as again:
            assert again.snapshot["scene"]["static"] == key


def test_large_messages_are_compressed_and_small_ones_are_not(server: Running) -> None:
    opened = server.open("diavolo/standard", human(), human(), hotseat=True, rules={"side": 30})
    address = f"ws://127.0.0.1:{server.port}/api/tables/{opened['id']}/socket"
    with connect(address, max_size=None, compression="deflate") as socket:
        heard = heard_lengths(socket)
        socket.send(json.dumps({"type": "hello", "protocol": 1, "tokens": list(opened["tokens"].values())}))
        snapshot = socket.recv(timeout=PATIENT)
        assert json.loads(snapshot)["type"] == "snapshot"
        assert len(snapshot) > 300_000 > 60_000 > heard[0]
        presence = socket.recv(timeout=PATIENT)
        assert json.loads(presence)["type"] == "presence" and len(presence) == heard[1]


def heard_lengths(socket: ClientConnection) -> list[int]:
    """Grows by the bytes of each frame as it comes over the line."""
    lengths: list[int] = []
    (deflate,) = socket.protocol.extensions
    decode = deflate.decode

    def listening(frame: Frame, *, max_size: int | None = None) -> Frame:
        lengths.append(len(frame.data))
        return decode(frame, max_size=max_size)

    deflate.decode = listening  # type: ignore[method-assign]
    return lengths


def test_a_message_that_unfolds_beyond_the_cap_ends_the_connection(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), human(), hotseat=True)
    address = f"ws://127.0.0.1:{server.port}/api/tables/{opened['id']}/socket"
    with connect(address, max_size=None, compression="deflate") as socket:
        socket.send(" " * 5_000_000)
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=PATIENT)
        assert socket.protocol.close_code == 1009
    assert server.get("/api/info")["protocol"] == 1


def test_a_whole_turn_is_one_commit_of_single_actions(server: Running) -> None:
    with server.hotseat("pferdeaepfel/classic") as player:
        assert player.play("b6@d4")["seq"] == 2
        assert [(event["text"], event["turn"]) for event in player.events] == [("b6", 1), ("@d4", 1)]


def test_an_illegal_move_is_told_with_its_reason_and_changes_nothing(server: Running) -> None:
    with server.hotseat() as player:
        answer = player.ask("play", action="h8")
        assert answer["code"] == "illegal" and answer["reason_code"] == "no-knight-jump"
        assert answer["message"] == {
            "en": "h8 is no knight's jump from a8",
            "de": "„h8“: Dorthin führt kein Rösselsprung.",
        }
        assert server.get(f"/api/tables/{player.table}")["seq"] == 0


def test_nobody_plays_for_someone_else(server: Running) -> None:
    table, ada, bob = two_people(server)
    other, _, _ = two_people(server)
    with server.player(table, bob) as black, server.player(table) as watcher, server.player(other, ada) as stranger:
        assert black.refused("play", action="b6") == "not_yours"
        assert watcher.refused("play", action="b6") == "not_yours"
        assert stranger.snapshot["you"] == [] and stranger.refused("play", action="b6") == "not_yours"
        assert black.refused("resign", seat=0) == "not_yours"
        assert watcher.refused("resign") == "not_yours"
    with server.player(table, "x" * 43, ada[:-1] + ("A" if ada[-1] != "A" else "B")) as guesser:
        assert guesser.snapshot["you"] == []


def test_of_two_tabs_the_first_move_counts_and_the_second_is_stale(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), human(), hotseat=True)
    tokens = opened["tokens"].values()
    with server.player(opened["id"], *tokens) as one, server.player(opened["id"], *tokens) as two:
        answers: dict[str, Any] = {}
        barrier = threading.Barrier(2)

        def race(player: Player, action: str) -> None:
            barrier.wait()
            answers[action] = player.ask("play", action=action, seq=0)

        threads = [threading.Thread(target=race, args=each) for each in ((one, "b6"), (two, "c7"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer["type"] for answer in answers.values()) == ["ack", "error"]
        assert {answer.get("code") for answer in answers.values()} == {None, "stale"}
        assert server.get(f"/api/tables/{opened['id']}")["ply"] == 1


def test_an_offer_or_a_guest_in_between_does_not_make_a_move_stale(server: Running) -> None:
    table, ada, bob = two_people(server)
    with server.player(table, ada) as white, server.player(table, bob) as black:
        white.play("b6")
        seen = white.seq
        assert white.ask("takeback")["type"] == "ack"
        black.until("event", kind="offer")
        assert black.ask("play", action="g3", seq=seen)["type"] == "ack"


def test_an_agent_answers_and_its_turn_is_taken_back_with_mine(server: Running) -> None:
    opened = server.open("pferdeaepfel/classic", human(), agent("greedy"))
    with server.player(opened["id"], *opened["tokens"].values()) as player:
        player.play("b6")
        player.play("@d4")
        while player.events[-1]["player"] != 0:
            player.receive()
        assert player.ask("takeback")["type"] == "ack"
        assert player.events[-1]["kind"] == "takeback" and player.events[-1]["ply"] == 0
        player.play("c7")
        assert player.ask("takeback")["type"] == "ack", "half a turn"
        assert player.events[-1]["ply"] == 0


def test_people_take_back_by_consent(server: Running) -> None:
    table, ada, bob = two_people(server)
    with server.player(table, ada) as white, server.player(table, bob) as black:
        white.play("b6")
        white.ask("takeback")
        assert white.events[-1]["offers"] == [{"kind": "takeback", "seat": 0}]
        offer = black.until("event", kind="offer")
        assert "answer" in offer["can"]
        assert white.refused("answer", offer="takeback", accept=True) == "not_now"
        assert black.ask("answer", offer="takeback", accept=False)["type"] == "ack"
        assert white.until("event", declined=True)["offers"] == []
        white.ask("takeback")
        black.until("event", kind="offer", declined=None)
        black.ask("answer", offer="takeback", accept=True)
        assert white.until("event", kind="takeback")["ply"] == 0


def test_resigning_loses(server: Running) -> None:
    table, ada, bob = two_people(server)
    with server.player(table, ada) as white, server.player(table, bob) as black:
        assert white.ask("resign")["type"] == "ack"
        over = black.until("event", kind="over")
        assert over["result"]["winner"] == [1] and over["result"]["reason"] == "resigned"
        assert over["result"]["text"]["de"] == "Schwarz gewinnt durch Aufgabe"
        assert black.refused("play", action="b6") == "not_now"


def test_resigning_is_never_stale(server: Running) -> None:
    table, ada, bob = two_people(server)
    with server.player(table, ada) as white, server.player(table, bob):
        before = white.seq
        white.play("b6")
        assert white.ask("resign", seq=before)["type"] == "ack"
        assert server.get(f"/api/tables/{table}")["result"]["winner"] == [1]


def test_a_rematch_exchanges_the_seats_and_the_tokens_go_along(server: Running) -> None:
    table, ada, bob = two_people(server)
    with server.player(table, ada) as white, server.player(table, bob) as black:
        assert white.refused("rematch") == "not_now"
        white.ask("resign")
        black.until("event", kind="over")
        assert black.ask("rematch")["type"] == "ack"
        white.until("event", kind="offer")
        white.ask("answer", offer="rematch", accept=True)
        event = white.events[-1]
        assert event["tokens"] == {"1": ada}
        assert black.until("event", kind="rematch")["tokens"] == {"0": bob}
        assert server.get(f"/api/tables/{table}")["next"] == event["table"]
        with server.player(event["table"], ada) as next_black:
            assert next_black.snapshot["you"] == [1]
            assert [seat["name"] for seat in next_black.snapshot["seats"]] == ["Bob", "Ada"]
        with server.player(event["table"], bob) as next_white:
            next_white.play("b6")


def test_a_rematch_against_an_agent_begins_at_once(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), agent())
    with server.player(opened["id"], *opened["tokens"].values()) as player:
        player.ask("resign")
        player.ask("rematch")
        follower = player.events[-1]["table"]
    with server.player(follower, *opened["tokens"].values()) as player:
        assert player.until("event", kind="play")["seat"] == 0, "the agent begins now"


def test_agents_play_each_other_while_someone_watches(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", agent(), agent("beginner"), rules={"size": 4}, pace_ms=0)
    with server.player(opened["id"], scenes=False) as watcher:
        assert watcher.until("event", kind="over")["result"]["winner"]
        record = server.get(f"/api/tables/{opened['id']}/record")
    assert sw.Record.from_json(record).replay().over


def test_presence_is_told(server: Running) -> None:
    table, ada, bob = two_people(server)
    with server.player(table, ada) as white:
        assert white.until("presence")["connected"] == [True, False]
        with server.player(table, bob):
            assert white.until("presence")["connected"] == [True, True]
        assert white.until("presence")["connected"] == [True, False]


def test_a_waiting_table_begins_with_its_last_seat_and_can_be_given_up(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", human(), a_free_seat(), public=True)
    table = opened["id"]
    with server.player(table, opened["tokens"]["0"]) as white:
        assert white.snapshot["status"] == "waiting" and white.snapshot["scene"]["hits"] == []
        assert white.refused("play", action="b6") == "not_now"
        server.http.post(f"/api/tables/{table}/seats", json={})
        event = white.until("event", kind="join")
        assert (
            event["status"] == "running" and event["can"] == ["play", "resign"] and event["scene"]["hit_changes"]["put"]
        )
    given_up = server.open("pferdeaepfel/trail", human(), a_free_seat(), public=True)
    with server.player(given_up["id"], given_up["tokens"]["0"]) as white:
        white.ask("resign")
        assert white.events[-1]["result"]["reason"] == "cancelled"
    assert server.http.post(f"/api/tables/{given_up['id']}/seats", json={}).status_code == 409


def test_an_unknown_table_is_told_apart(server: Running) -> None:
    from websockets.exceptions import ConnectionClosedError

    with pytest.raises(ConnectionClosedError) as closed, server.player("nosuchtable"):
        pass
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4404


@pytest.mark.parametrize("game", sw.games())
def test_every_ruleset_is_played_to_its_end_by_its_hits(server: Running, game: str) -> None:
    source = random.Random(game)
    seats = sw.make(game).num_players
    opened = server.open(game, *[human()] * seats, hotseat=True, seed=3)
    with server.player(opened["id"], *opened["tokens"].values(), scenes=False) as player:
        legal = player.snapshot["legal"]
        while not player.events or player.events[-1]["status"] == "running":
            player.play(source.choice(legal))
            legal = player.events[-1]["legal"]
        record = sw.Record.from_json(server.get(f"/api/tables/{opened['id']}/record"))
        assert record.actions == player.actions
        assert record.replay().over
