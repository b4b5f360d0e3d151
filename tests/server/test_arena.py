"""A store of the arena over HTTP: cross-table, ratings, games."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

import spielwerk as sw
from spielwerk.arena.store import GameStore
from spielwerk.arena.tournament import tournament_of
from spielwerk.arena.workers import workers_for
from spielwerk.server import arena
from tests.server.client import Running, running, settings

GAME = "pferdeaepfel/trail"


def play(place: Path, games: int, *players: str, name: str = GAME) -> None:
    with GameStore(str(place)) as store:
        tournament_of(sw.make(name), list(players or ("random", "greedy")), store, games=games, seed=0).run(
            workers_for(1)
        )


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept between two questions."""
    monkeypatch.setattr(arena, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr(arena, "RESTING", 0)


def test_a_server_without_a_store_says_so(server: Running) -> None:
    found = server.get("/api/arena")
    assert (found["shown"], found["tournaments"], found["left_out"]) == (False, [], 0)
    assert (found["may_start"], found["limits"], found["started"]) == (False, None, None)
    assert server.http.get("/api/arena/any/games?player=a&opponent=b").status_code == 404
    assert server.http.get("/api/arena/games/any").status_code == 404


@pytest.mark.usefixtures("fresh")
def test_the_table_grows_with_the_tournament(tmp_path: Path) -> None:
    store = tmp_path / "trail.db"
    play(store, 4)
    with running(settings(tmp_path, arena_store=str(store))) as server:
        (found,) = server.get("/api/arena")["tournaments"]
        assert found["games"] == 4 and found["anchor"] == "random"
        assert [one["name"] for one in found["players"]] == ["greedy", "random"]
        assert all(one["low"] <= one["elo"] <= one["high"] for one in found["players"])
        cells = {(one["player"], one["opponent"]): one for one in found["cells"]}
        assert cells["greedy", "random"]["wins"] == cells["random", "greedy"]["losses"]
        play(store, 6)
        assert server.get("/api/arena")["tournaments"][0]["games"] == 6


@pytest.mark.usefixtures("fresh")
def test_a_cell_opens_its_games(tmp_path: Path) -> None:
    store = tmp_path / "trail.db"
    play(store, 4, "random", "greedy", "random:seed=3")
    with running(settings(tmp_path, arena_store=str(store))) as server:
        (found,) = server.get("/api/arena")["tournaments"]
        games = server.get(f"/api/arena/{found['id']}/games?player=greedy&opponent=random")
        assert len(games) == 4 and all(sorted(one["players"]) == ["greedy", "random"] for one in games)
        record = server.get(f"/api/arena/games/{games[0]['id']}")
        checked = server.http.post("/api/records/check", json=record)
        assert checked.status_code == 200 and len(checked.json()["actions"]) > 1
        assert server.get(f"/api/arena/{found['id']}/games?player=greedy&opponent=nobody") == []


@pytest.mark.usefixtures("fresh")
def test_games_that_no_arena_wrote_are_left_out(tmp_path: Path) -> None:
    store = tmp_path / "trail.db"
    play(store, 2)
    play(store, 2, name="pferdeaepfel/classic")
    with create_engine(f"sqlite:///{store}").begin() as connection:
        connection.execute(
            text("update arena_games set rules = '[1]', scores = '3' where game = 'pferdeaepfel/classic'")
        )
        connection.execute(text(f"update arena_games set record = '7', forfeit = 'x' where game = '{GAME}'"))
    with running(settings(tmp_path, arena_store=str(store))) as server:
        found = server.get("/api/arena")
        assert [one["game"] for one in found["tournaments"]] == [GAME] and found["left_out"] == 2
        id = found["tournaments"][0]["id"]
        games = server.get(f"/api/arena/{id}/games?player=greedy&opponent=random")
        assert server.http.get(f"/api/arena/games/{games[0]['id']}").status_code == 404


def test_a_store_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no store"):
        arena.Arena(str(tmp_path / "nowhere.db"))
