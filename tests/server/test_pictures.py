"""Positions and games as pictures, and what shared links show."""

from __future__ import annotations

import io
import re
import struct
from pathlib import Path

import pytest

import spielwerk as sw
from spielwerk.records import Recorder
from spielwerk.render.animation import MOST_FRAMES, frames_of, gif
from spielwerk.server.settings import Rate
from tests.server.client import Running, a_free_seat, agent, human, running, settings


def played(server: Running, public: bool = True) -> str:
    return str(server.open("pferdeaepfel/trail", human("Ada Secret"), agent(), public=public)["id"])


def test_a_position_is_painted_in_the_size_theme_and_language_asked_for(server: Running) -> None:
    table = played(server)
    picture = server.http.get(f"/api/tables/{table}/plies/0/picture.png?size=200&theme=dark")
    assert picture.status_code == 200 and picture.headers["content-type"] == "image/png"
    assert max(struct.unpack(">II", picture.content[16:24])) == 200
    drawing = server.http.get(f"/api/tables/{table}/plies/0/picture.svg?lang=de")
    assert drawing.headers["content-type"].startswith("image/svg+xml") and "Weiß" in drawing.text
    assert "default-src 'none'" in drawing.headers["content-security-policy"]
    assert drawing.headers["cache-control"] == "no-store", "the game goes on, and a move may be taken back"


@pytest.mark.parametrize(
    "bad", ["plies/99/picture.png", "plies/0/picture.bmp", "plies/0/picture.png?size=9999", "plies/-1/picture.svg"]
)
def test_what_cannot_be_painted_is_refused(server: Running, bad: str) -> None:
    assert server.http.get(f"/api/tables/{played(server)}/{bad}").status_code in (400, 404)


def test_a_game_is_painted_as_a_moving_picture_and_remembered(server: Running) -> None:
    record = {"spielwerk": 1, "game": "pferdeaepfel/trail", "rules": {}, "rules_version": 1, "actions": ["b6", "g3"]}
    table = server.http.post("/api/records", json=record).json()["id"]
    first = server.http.get(f"/api/tables/{table}/game.gif", timeout=120)
    assert first.headers["content-type"] == "image/gif" and first.content[:6] == b"GIF89a"
    assert "immutable" in first.headers["cache-control"]
    pictures = server.app.pictures
    assert first.content in pictures._kept.values()
    assert server.http.get(f"/api/tables/{table}/game.gif").content == first.content


def test_painting_is_rationed(tmp_path: Path) -> None:
    with running(settings(tmp_path, pictures=Rate(2, 0.001), agent_processes=1, refusal_seconds=0)) as server:
        table = played(server)
        for size in (64, 65):
            assert server.http.get(f"/api/tables/{table}/plies/0/picture.png?size={size}").status_code == 200
        answer = server.http.get(f"/api/tables/{table}/plies/0/picture.png?size=66")
        assert answer.status_code == 429 and answer.json()["error"]["message"]["en"].startswith("too many pictures")
        kept = server.http.get(f"/api/tables/{table}/plies/0/picture.png?size=64")
        assert kept.status_code == 200, "what is remembered costs nothing"


def test_a_long_game_has_a_bounded_number_of_frames() -> None:
    assert frames_of(3) == [0, 1, 2, 3]
    long = frames_of(5000)
    assert len(long) == MOST_FRAMES and long[0] == 0 and long[-1] == 5000


def test_the_moving_picture_has_a_frame_per_action_and_rests_at_the_end() -> None:
    from PIL import Image

    recorder = Recorder(sw.make("pferdeaepfel/trail"))
    for action in ("b6", "g3", "d5"):
        recorder.play(action)
    picture = Image.open(io.BytesIO(gif(recorder.record, size=120)))
    assert picture.n_frames == 4 and max(picture.size) == 120  # type: ignore[attr-defined]
    picture.seek(3)
    assert picture.info["duration"] > 2000


def head_of(server: Running, path: str, **headers: str) -> dict[str, str]:
    html = server.http.get(path, headers=headers).text
    return dict(re.findall(r'<meta property="(og:\w+)" content="([^"]*)" />', html))


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    page = tmp_path / "page"
    page.mkdir()
    (page / "index.html").write_text("<html><head><title>x</title></head></html>")
    return page


def test_a_link_to_a_public_table_shows_its_game_and_its_position(tmp_path: Path, shared: Path) -> None:
    with running(settings(tmp_path, page_folder=shared, agent_processes=1)) as server:
        table = played(server)
        head = head_of(server, f"/t/{table}")
        assert head["og:title"] == "Pferdeäpfel, Trail"
        assert head["og:image"].startswith(server.url)
        picture = server.http.get(head["og:image"].removeprefix(server.url).replace("&amp;", "&"))
        assert picture.headers["content-type"] == "image/png"
        german = head_of(server, f"/t/{table}/0", **{"accept-language": "de-DE,de;q=0.9,en;q=0.8"})
        assert german["og:title"] == "Pferdeäpfel, Spur" and "/plies/0/" in german["og:image"]
        assert head_of(server, "/rules/ludo/ffa")["og:title"] == "Ludo, Each for itself"
        assert head_of(server, "/")["og:image"] == f"{server.url}/share.png"
        waiting = server.open("ludo/ffa", human(), *[a_free_seat()] * 3, public=True)["id"]
        assert head_of(server, f"/t/{waiting}")["og:description"] == "A seat is free. Sit down and play!"


def test_a_link_to_a_private_table_tells_nothing(tmp_path: Path, shared: Path) -> None:
    with running(settings(tmp_path, page_folder=shared, agent_processes=1)) as server:
        table = played(server, public=False)
        html = server.http.get(f"/t/{table}").text
        for secret in ("Ada", "Pferd", "picture.png", "Trail"):
            assert secret not in html
        assert head_of(server, f"/t/{table}")["og:image"] == f"{server.url}/share.png"
        nowhere = head_of(server, "/t/nowhere")
        assert nowhere["og:title"] == "Spielwerk"


def test_a_forged_host_does_not_reach_the_page(tmp_path: Path, shared: Path) -> None:
    with running(settings(tmp_path, page_folder=shared, agent_processes=1)) as server:
        html = server.http.get("/", headers={"host": 'evil"><script>'}).text
        assert "evil" not in html
