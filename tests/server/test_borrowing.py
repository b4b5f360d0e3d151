"""Opponents' moves thought out by the browser of the one person who plays."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.server.thinking import Question
from tests.server.client import Json, Player, Running, a_free_seat, agent, human, running, settings

_PATIENCE = 0.3


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(settings(tmp_path_factory.mktemp("impatient"), browser_seconds=_PATIENCE)) as started:
        yield started


@contextmanager
def questions_to_the_pool(server: Running, opened: Json) -> Iterator[list[Question]]:
    """Those of one table; others play on."""
    asked: list[Question] = []
    ask = server.app.pool.ask

    async def listening(question: Question) -> dict[str, Any]:
        if question.key == opened["id"]:
            asked.append(question)
        return await ask(question)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server.app.pool, "ask", listening)
        yield asked


def open_against(server: Running, level: str = "club", **more: Any) -> Json:
    return server.open("pferdeaepfel/trail", human(), agent(level), **more)


@contextmanager
def browser(server: Running, opened: Json, **hello: Any) -> Iterator[Player]:
    """A page that can think, in the seats of whoever opened the table."""
    hello = {"scenes": False, "thinks": True} | hello
    with server.player(opened["id"], *opened["tokens"].values(), **hello) as player:
        yield player


def question_to(player: Player) -> Json:
    """The next one; it may have come before the answer to a command."""
    while not player.questions:
        player.receive()
    return player.questions.pop(0)


def advise(player: Player, question: Json, action: str | None) -> Json:
    return player.ask("advice", seq=question["seq"], action=action)


def latest(player: Player) -> Json:
    return player.events[-1] if player.events else player.snapshot


def legal_actions(player: Player) -> list[str]:
    legal: list[str] = latest(player)["legal"]
    return legal


def wait_for_ply(player: Player, ply: int) -> Json:
    while not player.events or player.events[-1]["ply"] < ply:
        player.receive()
    return player.events[-1]


def test_the_browser_is_asked_and_its_answer_is_played(server: Running) -> None:
    opened = open_against(server)
    with questions_to_the_pool(server, opened) as asked, browser(server, opened) as player:
        player.play("b6")
        question = question_to(player)
        assert question["seq"] == player.seq and question["seat"] == 1
        assert question["search"]["kind"] == "alphabeta" and question["search"]["settings"]["ms"] == 200
        action = legal_actions(player)[-1]
        assert advise(player, question, action)["type"] == "ack"
        played = player.until("event", kind="play", seat=1)
        assert played["text"] == action and "fallback" not in played
        assert server.get(f"/api/tables/{player.table}")["actions"][-1]["text"] == action
        assert asked == []


def test_a_whole_game_leaves_the_servers_processes_alone(server: Running) -> None:
    opened = open_against(server, "greedy", rules={"size": 5})
    with questions_to_the_pool(server, opened) as asked, browser(server, opened) as player:
        while legal := legal_actions(player):
            player.play(legal[0])
            if legal := legal_actions(player):
                ply = player.events[-1]["ply"]
                advise(player, question_to(player), legal[0])
                wait_for_ply(player, ply + 1)
        assert asked == [] and player.questions == []
        record = sw.Record.from_json(server.get(f"/api/tables/{player.table}/record"))
        assert record.replay().over and record.actions == player.actions and not record.comments


def test_an_agent_that_begins_is_thought_out_too(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", agent("club"), human())
    with questions_to_the_pool(server, opened) as asked, browser(server, opened) as player:
        advise(player, question_to(player), legal_actions(player)[0])
        assert player.until("event", kind="play")["seat"] == 0 and asked == []


def test_dice_between_two_moves_stay_the_servers(server: Running) -> None:
    opened = server.open("ludo/ffa", human(), *[agent("club")] * 3)
    with questions_to_the_pool(server, opened) as asked, browser(server, opened) as player:
        while len(player.actions) < 20:
            seat, ply = latest(player)["player"], len(player.actions)
            if seat is None:  # the die is on its way
                player.receive()
            elif seat == 0:
                player.play(legal_actions(player)[0])
            else:
                question = question_to(player)
                assert question["seat"] == seat
                advise(player, question, legal_actions(player)[0])
                wait_for_ply(player, ply + 1)
        assert asked == []
    record = sw.Record.from_json(server.get(f"/api/tables/{opened['id']}/record"))
    record.replay()


@pytest.mark.parametrize("action", ["h1", "nonsense", None], ids=["illegal", "nonsense", "cannot"])
def test_after_a_failure_the_server_thinks_and_does_not_ask_again(server: Running, action: str | None) -> None:
    opened = open_against(server)
    with questions_to_the_pool(server, opened) as asked, browser(server, opened) as player:
        player.play("b6")
        answer = advise(player, question_to(player), action)
        assert answer["type"] == "ack" if action is None else answer["code"] == "illegal"
        assert "fallback" not in wait_for_ply(player, 2) and len(asked) == 1
        player.play(legal_actions(player)[0])
        wait_for_ply(player, 4)
        assert player.questions == [] and len(asked) == 2
    with browser(server, opened) as again:
        again.play(legal_actions(again)[0])
        question_to(again)


def test_silence_ends_with_the_servers_own_move_and_what_comes_later_is_refused(impatient: Running) -> None:
    opened = open_against(impatient)
    with questions_to_the_pool(impatient, opened) as asked, browser(impatient, opened) as player:
        began = time.monotonic()
        player.play("b6")
        question = question_to(player)
        legal = legal_actions(player)
        wait_for_ply(player, 2)
        assert time.monotonic() - began >= 0.2 + _PATIENCE and len(asked) == 1
        assert advise(player, question, legal[0])["code"] == "stale"
        player.play(legal_actions(player)[0])
        wait_for_ply(player, 4)
        assert player.questions == []


def test_only_the_client_that_was_asked_answers_and_only_once(server: Running) -> None:
    opened = open_against(server)
    with browser(server, opened) as one, browser(server, opened) as two, server.player(opened["id"]) as watcher:
        one.play("b6")
        for tab in (one, two):
            catch_up(tab)
        asked, idle = (one, two) if one.questions else (two, one)
        question, (action, *_) = question_to(asked), legal_actions(asked)
        assert idle.questions == [] and question["seq"] == asked.seq == 1
        for stranger in (idle, watcher):
            assert stranger.refused("advice", seq=1, action=action) == "stale"
        for seq in (0, 2):
            assert asked.refused("advice", seq=seq, action=action) == "stale"
        assert advise(asked, question, action)["type"] == "ack"
        assert advise(asked, question, action)["code"] == "stale"
        assert wait_for_ply(asked, 2)["text"] == action and asked.actions == ["b6", action]


def catch_up(player: Player) -> None:
    """Everything said so far has arrived."""
    player.send(type="ping", id="so far")
    player.until("pong", id="so far")


def test_a_message_that_cannot_be_read_is_no_answer_yet(server: Running) -> None:
    with browser(server, open_against(server)) as player:
        player.play("b6")
        question, (action, *_) = question_to(player), legal_actions(player)
        for wrong in ({"action": 7}, {"action": ""}, {"action": "a" * 300}, {"action": action, "spec": "greedy"}, {}):
            player.send(**({"type": "advice", "id": 1, "seq": question["seq"]} | wrong))
            assert player.until("error")["code"] == "malformed"
        advise(player, question, action)
        assert wait_for_ply(player, 2)["text"] == action


def test_nobody_is_asked_where_another_person_plays(server: Running) -> None:
    opened = server.open("ludo/ffa", human(), a_free_seat(), *[agent("greedy")] * 2)
    joined = server.http.post(f"/api/tables/{opened['id']}/seats", json={"invite": opened["invites"]["1"]}).json()
    other = {"id": opened["id"], "tokens": {"1": joined["token"]}}
    with questions_to_the_pool(server, opened) as asked, browser(server, opened) as one, browser(server, other) as two:
        play_own_turns(one, two)
        assert asked
        already = len(asked)
        assert two.ask("resign")["type"] == "ack"
        while len(asked) < already + 2:  # the stand-in plays for a person
            play_own_turns(one)
        assert one.questions == two.questions == []


def play_own_turns(*people: Player) -> None:
    """Until an agent is to move, and its move is played."""
    seats = [person.snapshot["you"][0] for person in people]
    while True:
        catch_up(people[0])
        now = latest(people[0])
        if now["player"] not in seats:
            wait_for_ply(people[0], now["ply"] + 1)
            return
        person = people[seats.index(now["player"])]
        while len(person.actions) < now["ply"]:
            person.receive()
        person.play(legal_actions(person)[0])


@pytest.mark.parametrize("level", ["random", "beginner", "network"])
def test_a_level_that_is_more_than_a_search_is_the_servers(server: Running, level: str) -> None:
    opened = open_against(server, level)
    with questions_to_the_pool(server, opened) as asked, browser(server, opened) as player:
        player.play("b6")
        wait_for_ply(player, 2)
        assert player.questions == [] and len(asked) == 1


def test_nobody_is_asked_while_a_clock_runs(server: Running) -> None:
    opened = open_against(server, clock={"pace": "game", "amount": 300})
    with questions_to_the_pool(server, opened) as asked, browser(server, opened) as player:
        player.play("b6")
        wait_for_ply(player, 2)
        assert player.questions == [] and len(asked) == 1


@pytest.mark.parametrize("hello", [{"thinks": False}, {"tokens": []}], ids=["cannot think", "only watches"])
def test_who_cannot_think_or_only_watches_is_not_asked(server: Running, hello: Json) -> None:
    opened = server.open("pferdeaepfel/trail", agent("club"), human())
    with questions_to_the_pool(server, opened) as asked, browser(server, opened, **hello) as player:
        wait_for_ply(player, 1)
        assert player.questions == [] and len(asked) == 1


def test_agents_among_themselves_are_the_servers(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", agent("greedy"), agent("greedy"), pace_ms=0)
    with questions_to_the_pool(server, opened) as asked, browser(server, opened) as watcher:
        wait_for_ply(watcher, 2)
        assert watcher.questions == [] and len(asked) >= 2


def test_an_operator_can_keep_all_thinking_to_the_server(tmp_path: Path) -> None:
    with running(settings(tmp_path, browser_seconds=0)) as server, browser(server, open_against(server)) as player:
        player.play("b6")
        wait_for_ply(player, 2)
        assert player.questions == []


def test_a_take_back_while_the_browser_thinks_makes_its_answer_stale(server: Running) -> None:
    opened = open_against(server)
    with questions_to_the_pool(server, opened) as asked, browser(server, opened) as player:
        player.play("b6")
        before, (action, *_) = question_to(player), legal_actions(player)
        assert player.ask("takeback")["type"] == "ack"
        assert advise(player, before, action)["code"] == "stale"
        player.play("c7")
        question = question_to(player)
        assert question["seq"] > before["seq"]
        assert advise(player, before, action)["code"] == "stale"
        action = legal_actions(player)[0]
        assert advise(player, question, action)["type"] == "ack"
        wait_for_ply(player, 2)
        assert player.actions == ["c7", action] and asked == []


def test_resigning_while_the_browser_thinks_ends_the_game(server: Running) -> None:
    opened = open_against(server)
    with questions_to_the_pool(server, opened) as asked, browser(server, opened) as player:
        player.play("b6")
        question, (action, *_) = question_to(player), legal_actions(player)
        assert player.ask("resign")["type"] == "ack"
        assert advise(player, question, action)["code"] == "stale"
        assert server.get(f"/api/tables/{player.table}")["status"] == "over" and asked == []


def test_when_the_browser_goes_the_server_thinks(server: Running) -> None:
    opened = open_against(server)
    with questions_to_the_pool(server, opened) as asked, server.player(opened["id"], scenes=False) as watcher:
        with browser(server, opened) as player:
            player.play("b6")
            question_to(player)
        assert wait_for_ply(watcher, 2)["seat"] == 1 and len(asked) == 1
        assert watcher.questions == []


def test_after_a_restart_the_browser_is_asked_again(tmp_path: Path) -> None:
    with running(settings(tmp_path)) as server:
        opened = open_against(server)
        with browser(server, opened) as player:
            player.play("b6")
            before = question_to(player)
    with (
        running(settings(tmp_path)) as server,
        questions_to_the_pool(server, opened) as asked,
        browser(server, opened) as player,
    ):
        question = question_to(player)
        assert question == before
        action = legal_actions(player)[0]
        advise(player, question, action)
        assert wait_for_ply(player, 2)["text"] == action and asked == []


def test_a_quick_answer_keeps_the_pace(server: Running) -> None:
    with browser(server, open_against(server, pace_ms=700)) as player:
        began = time.monotonic()
        player.play("b6")
        advise(player, question_to(player), legal_actions(player)[0])
        wait_for_ply(player, 2)
        assert time.monotonic() - began >= 0.7
