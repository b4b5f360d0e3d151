"""Tournaments that visitors start: bounded in players, games, time and number, and only for those who may."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from spielwerk.arena.store import GameStore
from spielwerk.server import tournaments
from spielwerk.server.settings import Rate
from tests.server.client import PATIENT, Running, running, settings
from tests.server.test_arena import GAME, fresh, play

__all__ = ["fresh"]

LONG = ["club", "expert"]  # nobody waits for the end of their games


@pytest.fixture
def store(tmp_path: Path) -> Path:
    file = tmp_path / "trail.db"
    play(file, 2)
    return file


def start(server: Running, *levels: str, games: Any = 2, **more: Any) -> httpx.Response:
    body = {"game": GAME, "levels": list(levels or ("random", "greedy")), "games": games, **more}
    return server.http.post("/api/arena/tournaments", json=body)


def ended(server: Running) -> Any:
    deadline = time.monotonic() + PATIENT
    while time.monotonic() < deadline:
        started = server.get("/api/arena")["started"]
        if started["status"] != "running":
            return started
        time.sleep(0.05)
    raise AssertionError("the tournament goes on")


def refused(answer: httpx.Response, status: int, words: str) -> None:
    assert answer.status_code == status, answer.text
    message = answer.json()["error"]["message"]
    assert words in (message if isinstance(message, str) else message["en"])


@pytest.mark.usefixtures("fresh")
def test_its_games_join_the_table(tmp_path: Path, store: Path) -> None:
    with running(settings(tmp_path, arena_store=str(store))) as server:
        before = server.get("/api/arena")
        assert before["may_start"] and before["limits"] == {"games": 120, "seconds": 300.0}
        answer = start(server, "random", "greedy", "beginner", games=2)
        assert answer.status_code == 202 and answer.json()["games"] == 6
        assert ended(server)["status"] == "finished"
        (found,) = server.get("/api/arena")["tournaments"]
        assert found["games"] == 8 and found["id"] == answer.json()["tournament"]
        assert {one["name"] for one in found["players"]} == {"random", "greedy", "greedy:errs=0.35"}
        assert start(server).status_code == 202
        ended(server)
        assert server.get("/api/arena")["tournaments"][0]["games"] == 10, "the same again are other games"


def test_levels_that_name_files_or_programs_do_not_play(tmp_path: Path, store: Path) -> None:
    words = {"en": "a", "de": "a"}
    specs = {"greedy": "greedy", "ours": "random:seed=1", "file": "network:/secret/model", "program": "engine:cat"}
    levels = [{"id": id, "title": words, "summary": words, "choices": [{"spec": spec}]} for id, spec in specs.items()]
    file = tmp_path / "levels.json"
    file.write_text(json.dumps(levels))
    with running(settings(tmp_path, arena_store=str(store), levels_file=file, allow_engines=True)) as server:
        offered = server.get(f"/api/arena/levels?game={GAME}")
        assert [one["id"] for one in offered] == ["greedy", "ours"]
        refused(start(server, "greedy", "file"), 400, "unknown level 'file'; there are: greedy, ours")
        refused(start(server, "greedy", "program"), 400, "unknown level 'program'")


def test_what_cannot_be_is_refused(tmp_path: Path, store: Path) -> None:
    with running(settings(tmp_path, arena_store=str(store), tournament_games=10)) as server:
        assert start(server, "random").status_code == 400
        assert start(server, *["random"] * 7).status_code == 400
        refused(start(server, "random", "random"), 400, "a tournament has different players")
        refused(start(server, "random", "alphabeta:ms=10"), 400, "unknown level 'alphabeta:ms=10'")
        refused(start(server, "random", "nobody"), 400, "unknown level 'nobody'")
        refused(start(server, games=12), 400, "a tournament here has at most 10 games, not 12")
        refused(start(server, games=10**9), 400, "games")
        refused(start(server, games="2"), 400, "games")
        refused(start(server, game="nothing/here"), 400, "unknown ruleset")
        refused(start(server, spec="random"), 400, "spec")
        assert server.get("/api/arena")["started"] is None


def test_only_one_is_played_at_a_time(tmp_path: Path, store: Path) -> None:
    with running(settings(tmp_path, arena_store=str(store))) as server:
        assert start(server, *LONG).status_code == 202
        refused(start(server), 409, "another tournament is being played")
        assert server.get("/api/arena")["started"]["status"] == "running"


def test_it_ends_when_its_time_is_over(tmp_path: Path, store: Path) -> None:
    with running(settings(tmp_path, arena_store=str(store), tournament_seconds=0.5)) as server:
        assert start(server, *LONG, games=60).status_code == 202
        assert ended(server)["status"] == "out_of_time"
        assert start(server).status_code == 202, "and the next one may begin"


def test_it_ends_with_the_server(tmp_path: Path, store: Path) -> None:
    began = time.monotonic()
    with running(settings(tmp_path, arena_store=str(store))) as server:
        assert start(server, *LONG, games=60).status_code == 202
    assert time.monotonic() - began < PATIENT
    assert server.app.tournaments.offer({"client": None, "headers": []})["started"].status == "stopped"


def test_a_client_starts_so_many(tmp_path: Path, store: Path) -> None:
    with running(settings(tmp_path, arena_store=str(store), tournaments=Rate(1, 0))) as server:
        assert start(server).status_code == 202
        ended(server)
        refused(start(server), 429, "too many tournaments; wait a little")


def test_a_full_store_takes_no_more(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments, "MOST_GAMES", 3)
    with running(settings(tmp_path, arena_store=str(store))) as server:
        refused(start(server), 429, "the arena's store is full")


def test_a_server_without_a_store_starts_none(server: Running) -> None:
    refused(start(server), 404, "no store for tournaments")


def test_others_may_look_but_not_start(tmp_path: Path, store: Path) -> None:
    with running(settings(tmp_path, arena_store=str(store), trusted_proxies="127.0.0.1")) as server:
        server.http.headers["X-Forwarded-For"] = "192.0.2.7"
        assert server.get("/api/arena")["may_start"] is False
        refused(start(server), 403, "--tournaments-for")
    named = settings(tmp_path, arena_store=str(store), trusted_proxies="127.0.0.1", tournaments_for=("192.0.2.0/24",))
    with running(named) as server:
        server.http.headers["X-Forwarded-For"] = "192.0.2.7"
        assert server.get("/api/arena")["may_start"] is True
        assert start(server).status_code == 202


def test_a_store_that_takes_no_games_is_told(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("no room on the disk")

    with running(settings(tmp_path, arena_store=str(store))) as server:
        monkeypatch.setattr(GameStore, "add", full)
        assert start(server).status_code == 202
        assert ended(server)["status"] == "failed"
