"""Positions to look at and to set up, records with variations, and live thinking about them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

import spielwerk as sw
from spielwerk.records import Recorder
from spielwerk.server.lab_protocol import ANALYSIS_MESSAGE
from spielwerk.server.settings import Rate
from tests.server.client import PATIENT, Running, running, settings

Json = dict[str, Any]
TRAIL = {"game": "pferdeaepfel/trail", "rules": {"size": 5}}


def position(server: Running, **body: Any) -> Json:
    answer = server.http.post("/api/positions", json=body)
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def edit(server: Running, **body: Any) -> Json:
    answer = server.http.post("/api/positions/edit", json=body)
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


@contextmanager
def analysis(server: Running) -> Iterator[ClientConnection]:
    with connect(f"ws://127.0.0.1:{server.port}/api/analysis", open_timeout=PATIENT) as socket:
        yield socket


def say(socket: ClientConnection, **message: Any) -> None:
    socket.send(json.dumps(message))


def hear(socket: ClientConnection) -> Json:
    text = socket.recv(timeout=PATIENT)
    ANALYSIS_MESSAGE.validate_json(text)
    message: Json = json.loads(text)
    return message


def start_text(name: str, **rules: Any) -> str:
    return sw.make(name, **rules).start(seed=1).to_text()


@pytest.mark.parametrize("name", sw.games())
def test_a_position_shows_what_can_be_played_there(server: Running, name: str) -> None:
    found = position(server, game=name)
    assert found["legal"] or found["outcomes"]
    action = (found["legal"] or found["outcomes"])[0]
    after = position(server, game=name, start=found["start"], actions=[action], static=found["scene"]["static"]["key"])
    assert [move["text"] for move in after["moves"]] == [action]
    assert after["scene"]["static"] == found["scene"]["static"]["key"]
    state = sw.make(name).from_text(found["position"], chance="explicit")
    state.play(action)
    assert after["position"] == state.to_text()


def test_dice_are_the_callers_to_choose(server: Running) -> None:
    found = position(server, game="ludo/ffa")
    assert found["outcomes"] == ["d1", "d2", "d3", "d4", "d5", "d6"] and found["player"] is None
    found = position(server, game="ludo/ffa", actions=["d6"])
    assert found["player"] == 0 and found["moves"] == [{"text": "d6", "seat": None}]


def test_whole_turns_are_taken_apart(server: Running) -> None:
    found = position(server, game="pferdeaepfel/classic", actions=["b6@d4", "g3"])
    assert [(move["text"], move["seat"]) for move in found["moves"]] == [("b6", 0), ("@d4", 0), ("g3", 1)]


def test_the_end_of_a_game_is_told(server: Running) -> None:
    found = position(server, game="pferdeaepfel/trail", rules={"size": 3}, actions=["b1", "b3", "c3", "a1"])
    assert found["result"] is None or found["result"]["text"]
    line = sw.solve(sw.make("pferdeaepfel/trail", size=3).start()).line
    state, texts = sw.make("pferdeaepfel/trail", size=3).start(), []
    for action in line:
        texts.append(state.text(action))
        state.play(action)
    assert position(server, game="pferdeaepfel/trail", rules={"size": 3}, actions=texts)["result"]["winner"] == [1]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"game": "nothing"}, "malformed"),
        ({"game": "pferdeaepfel/trail", "rules": {"size": 99}}, "malformed"),
        ({"game": "pferdeaepfel/trail", "start": "x"}, "malformed"),
        ({"game": "pferdeaepfel/trail", "actions": ["h8"]}, "illegal"),
        ({"game": "pferdeaepfel/trail", "actions": ["b6"] * 5000}, "malformed"),
        ({"game": "ludo/ffa", "actions": ["d7"]}, "illegal"),
        ({"game": "pferdeaepfel/trail", "more": 1}, "malformed"),
    ],
)
def test_what_is_no_position_is_refused(server: Running, body: Json, code: str) -> None:
    answer = server.http.post("/api/positions", json=body)
    assert answer.status_code == 400 and answer.json()["error"]["code"] == code


def test_a_position_is_set_up_by_clicking(server: Running) -> None:
    began = edit(server, game="pferdeaepfel/classic")
    assert began["violations"] == [] and len(began["scene"]["hits"]) == 64
    moved = edit(server, game="pferdeaepfel/classic", text=began["text"], tool="horse-white", place="cell-b6")
    assert moved["text"] == "8/8/1W6/8/8/8/8/7B w jump" and moved["doubts"]
    golden = edit(server, game="pferdeaepfel/classic", text=moved["text"], tool="apple-golden", place="cell-d4")
    assert golden["violations"] == [
        {
            "en": "a golden apple is out while brown ones are left",
            "de": "Ein goldener Apfel liegt, obwohl noch braune übrig sind.",
        }
    ]
    assert any(
        shape.get("symbol") == "apple-golden" for layer in golden["scene"]["layers"] for shape in layer["shapes"]
    )


def test_a_typed_position_is_looked_at(server: Running) -> None:
    found = edit(server, game="pferdeaepfel/classic", text=start_text("pferdeaepfel/classic"))
    assert found["violations"] == []
    answer = server.http.post("/api/positions/edit", json={"game": "pferdeaepfel/classic", "text": "nonsense"})
    assert answer.status_code == 400


def test_a_record_with_variations_is_checked(server: Running) -> None:
    good = {
        "spielwerk": 1, "game": "pferdeaepfel/trail", "rules": {"size": 3}, "actions": ["b1", "b3"], "result": None,
        "variations": {"1": [{"actions": ["c2", "b3"], "comments": {"2": "so"}}]},
    }  # fmt: skip
    answer = server.http.post("/api/records/check", json=good)
    assert answer.status_code == 200 and answer.json()["variations"] == good["variations"]
    bad = good | {"variations": {"1": [{"actions": ["c2", "c2"]}]}}
    answer = server.http.post("/api/records/check", json=bad)
    assert answer.status_code == 400 and "ply 2" in answer.json()["error"]["message"]["en"]
    assert server.http.post("/api/records/check", content=b"[" * 100_000).status_code == 400
    many = good | {"variations": {"1": [{"actions": ["c2"] * 3000}, {"actions": ["c2"] * 3000}]}}
    assert "at most" in server.http.post("/api/records/check", json=many).text


def test_puzzles_are_listed_easy_ones_first_and_shown_with_their_solution(server: Running) -> None:
    listed = server.get("/api/puzzles")
    ranks = [("easy", "medium", "hard").index(one["difficulty"]) for one in listed]
    assert len(listed) >= 200 and ranks == sorted(ranks)
    one = server.get(f"/api/puzzles/{listed[0]['id']}")
    state = sw.make(one["game"], **one["rules"]).from_text(one["position"])
    assert state.player == one["player"] and one["line"][0] in [state.text(action) for action in state.legal_actions]
    assert server.http.get("/api/puzzles/nothing").status_code == 404


def test_thoughts_come_while_it_thinks(server: Running) -> None:
    with analysis(server) as socket:
        say(socket, type="think", id=1, position=start_text("pferdeaepfel/classic"), game="pferdeaepfel/classic",
            levels=["expert"])  # fmt: skip
        first, second = hear(socket), hear(socket)
        assert first["type"] == second["type"] == "thought" and first["id"] == 1 and first["slot"] == "first"
        assert {line["actions"][0] for line in first["lines"]} == {"b6", "c7"}
        assert second["milliseconds"] > first["milliseconds"] > 0 and second["nodes"] > first["nodes"]
        assert not first["done"]


def test_two_levels_and_the_solver_answer_side_by_side(server: Running) -> None:
    with analysis(server) as socket:
        text = start_text("pferdeaepfel/trail", size=5)
        say(socket, type="think", id="a", position=text, levels=["greedy", "expert"], proof=True, **TRAIL)
        heard: dict[str, Json] = {}
        while len(heard) < 3 or not all(one["done"] for one in heard.values()):
            message = hear(socket)
            heard[message["slot"]] = message
        assert set(heard) == {"first", "second", "proof"}
        best = heard["proof"]["lines"][0]
        assert best["proved"] and best["value"] == -1 and best["distance"] == 14
        assert all(line["proved"] for line in heard["proof"]["lines"])


def test_another_question_ends_the_one_before(server: Running) -> None:
    with analysis(server) as socket:
        for id, position in enumerate([start_text("pferdeaepfel/classic"), start_text("pferdeaepfel/classic")]):
            say(socket, type="think", id=id, position=position, game="pferdeaepfel/classic", levels=["master"])
        say(socket, type="ping", id="p")
        while (message := hear(socket))["type"] != "pong":
            pass
        assert hear(socket)["id"] == 1
        say(socket, type="stop")
        assert message["id"] == "p"


def test_thinking_ends_with_the_connection(server: Running) -> None:
    """Nobody thinks for a page that is gone: the processes are free at once, though seconds were asked for."""
    with analysis(server) as socket:
        say(socket, type="think", id=1, position=start_text("pferdeaepfel/classic"), game="pferdeaepfel/classic",
            levels=["master", "expert"], proof=True)  # fmt: skip
        for _ in range(4):
            hear(socket)
        assert server.app.pool.thinking + server.app.pool.waiting > 0
    deadline = time.monotonic() + PATIENT
    while server.app.pool.thinking + server.app.pool.waiting > 0:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    spent = server.app.pool.seconds
    time.sleep(0.5)
    assert server.app.pool.seconds == spent, "and nothing begins again"


@pytest.mark.parametrize(
    "message",
    [
        {"type": "think", "id": 1, "game": "pferdeaepfel/trail", "position": "x", "levels": ["expert"]},
        {"type": "think", "id": 1, "game": "nothing", "position": "x", "levels": ["expert"]},
        {"type": "think", "id": 1, "game": "pferdeaepfel/trail", "position": "x" * 9000, "levels": []},
        {"type": "think", "id": 1, "game": "pferdeaepfel/trail", "position": "x" * 20_000, "levels": []},
        {"type": "think", "id": 1, "position": start_text("pferdeaepfel/trail"), "levels": ["greedy"] * 3, **TRAIL},
        {"type": "think", "id": 1, "game": "pferdeaepfel/trail", "position": start_text("pferdeaepfel/trail"),
         "levels": ["alphabeta:ms=100000"]},
        {"type": "hello"},
        {"type": "think"},
    ],
)  # fmt: skip
def test_nonsense_is_refused_and_the_connection_goes_on(server: Running, message: Json) -> None:
    with analysis(server) as socket:
        say(socket, **message)
        assert hear(socket)["type"] == "error"
        say(socket, type="ping", id=7)
        assert hear(socket) == {"type": "pong", "id": 7}


def test_who_only_talks_nonsense_is_cut_off(server: Running) -> None:
    with analysis(server) as socket, pytest.raises(ConnectionClosed):  # noqa: PT012, it may be noticed at either
        for _ in range(60):
            socket.send("{}")
            hear(socket)


def test_seconds_of_thinking_are_rationed(tmp_path: Path) -> None:
    with running(settings(tmp_path, thinking=Rate(0.25, 0.001))) as server, analysis(server) as socket:
        say(socket, type="think", id=1, position=start_text("pferdeaepfel/classic"), game="pferdeaepfel/classic",
            levels=["expert"])  # fmt: skip
        kinds = [hear(socket)["type"] for _ in range(3)]
        assert kinds == ["thought", "thought", "error"]
        say(socket, type="think", id=2, position=start_text("pferdeaepfel/classic"), game="pferdeaepfel/classic",
            levels=["expert"])  # fmt: skip
        refused = hear(socket)
        assert refused["code"] == "too_many" and refused["message"]["de"].startswith("Das war viel Analyse")


@pytest.mark.parametrize("name", ["pferdeaepfel/trail", "ludo/ffa"])
def test_a_game_is_reviewed_ply_by_ply(server: Running, name: str) -> None:
    rules = {"size": 5} if name.startswith("pf") else {"players": 2}
    recorder, agent = Recorder(sw.make(name, **rules), seed=2), sw.agent("random:seed=2")
    while recorder.state.player is not None:
        recorder.play(agent.act(recorder.state))
    actions = recorder.record.actions
    with analysis(server) as socket:
        say(socket, type="review", id=5, game=name, rules=rules, actions=actions, level="greedy")
        plies: list[Json] = []
        while True:
            heard = hear(socket)
            assert heard["type"] == "reviewed", heard
            plies += heard["plies"]
            if heard["done"]:
                break
        assert sorted(one["ply"] for one in plies) == list(range(1, len(actions) + 1))
        assert len(heard["accuracy"]) == 2 and all(one is None or 0 <= one <= 100 for one in heard["accuracy"])
        assert bool(heard["luck"]) == (name == "ludo/ffa")
        say(socket, type="review", id=6, game=name, rules=rules, actions=["h8"], level="greedy")
        assert hear(socket)["code"] == "illegal"
        say(socket, type="review", id=7, game=name, rules=rules, actions=[], level="greedy")
        assert hear(socket)["code"] == "not_now"
