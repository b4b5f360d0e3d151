"""serve, bot and backup."""

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

import spielwerk as sw
from spielwerk.cli import main
from spielwerk.records import read_records
from spielwerk.server import addresses
from spielwerk.server.settings import Settings
from tests.server.client import Running, a_free_seat, agent, running, settings


def test_serve_prints_its_address_and_ends_when_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "spielwerk", "serve", "--port", "0", "--no-open", "--agents", "1"]
    process = subprocess.Popen(
        [*command, "--database", str(tmp_path / "games.db")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONWARNINGS": "default"},
    )
    assert process.stdout is not None
    assert "http://127.0.0.1:" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=20)
    assert "Traceback" not in complaints and "leaked" not in complaints
    assert process.returncode in (0, 130, -signal.SIGINT)


def _serve(words: list[str], folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "spielwerk", *words]
    home = {"XDG_DATA_HOME": str(folder), "BROWSER": "true"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | home)


def _end(process: subprocess.Popen[str]) -> str:
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=20)[0]


def test_serve_takes_another_port_where_the_usual_one_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from spielwerk.cli.commands import serve

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(serve, "PORT", port)
        usual = Settings(port=port)
        with serve._listener(usual, may_move=True) as listener:
            assert listener.getsockname()[1] not in (0, port)
        with pytest.raises(ValueError, match=str(port)):
            serve._listener(usual, may_move=False)


def test_a_second_play_shows_the_page_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from spielwerk.cli.commands import serve

    shown: list[str] = []
    monkeypatch.setattr(serve, "show_page", lambda address, **_: shown.append(address))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    first = _serve(["serve", "--port", "0", "--no-open", "--agents", "1"], tmp_path)
    assert first.stdout is not None
    port = int(first.stdout.readline().split(":")[2].split("/")[0])
    monkeypatch.setattr(serve, "PORT", port)
    try:
        assert main(["play"]) == 0
    finally:
        _end(first)
    assert shown == [f"http://127.0.0.1:{port}/"]
    assert "already" in capsys.readouterr().out


def test_addresses_for_others_are_those_where_the_server_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "machine_addresses", lambda: ["192.0.2.7"])
    assert addresses.addresses_for_others(Settings(host="0.0.0.0", port=80)) == ["http://192.0.2.7:80/"]
    assert addresses.addresses_for_others(Settings(host="192.0.2.9", port=80)) == ["http://192.0.2.9:80/"]
    assert addresses.addresses_for_others(Settings(host="127.0.0.1")) == []
    assert addresses.address_of("::1", 80) == "http://[::1]:80/"


def test_this_machine_is_not_offered_to_others_as_theirs() -> None:
    assert not [host for host in addresses.machine_addresses() if host.startswith("127.")]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["serve", "--port", "99999"], "port"),
        (["serve", "--port", "0", "--database", "nosuch://x"], "nosuch"),
        (["serve", "--port", "0", "--levels", "/nonexistent.json"], "nonexistent"),
        (["serve", "--port", "0", "--models", "/nonexistent"], "no folder of runs"),
        (["serve", "--host", "256.0.0.1", "--port", "0"], "256.0.0.1"),
        (["bot", "greedy", "--url", "ftp://x"], "link"),
        (["bot", "nobody", "--url", "http://127.0.0.1:1/t/x"], "nobody"),
        (["bot", "greedy", "--url", "http://127.0.0.1:1/t/x"], "does not answer"),
        (["backup", "/nonexistent/x.jsonl"], "folder"),
        (["backup", "x.jsonl", "--database", "/nonexistent/games.db"], "games.db"),
    ],
)
def test_bad_words_are_one_line(words: list[str], part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    said = capsys.readouterr().err
    assert part in said and said.count("\n") == 1


def test_a_file_that_is_no_database_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "letter.db"
    file.write_text("Dear database, " * 500)
    for command in (["serve", "--port", "0", "--no-open"], ["backup", str(tmp_path / "x.jsonl")]):
        assert main([*command, "--database", str(file)]) == 2
        said = capsys.readouterr().err
        assert "file is not a database" in said
        assert said.count("\n") == 1


def test_a_database_of_a_later_release_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute("create table alembic_version (version_num varchar(32) not null)")
        database.execute("insert into alembic_version values ('9999')")
        database.commit()
    assert main(["serve", "--port", "0", "--no-open", "--database", str(file)]) == 2
    said = capsys.readouterr().err
    assert "cannot be used" in said
    assert "9999" in said
    assert said.count("\n") == 1


def test_a_full_disk_at_the_start_is_one_line(tmp_path: Path) -> None:
    """The largest size of a file stands in for a disk: what is written beyond it fails."""
    program = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192));"
    program += "from spielwerk.cli import main; sys.exit(main())"
    words = ["serve", "--port", "0", "--no-open", "--database", str(tmp_path / "games.db")]
    done = subprocess.run(
        [sys.executable, "-B", "-c", program, *words], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "cannot be used" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_bot_plays_a_whole_game(server: Running, capsys: pytest.CaptureFixture[str]) -> None:
    opened = server.open("pferdeaepfel/carry", a_free_seat(), agent("greedy"))
    link = f"{server.url}/t/{opened['id']}?invite={opened['invites']['0']}"
    assert main(["bot", "random:seed=1", "--url", link, "--name", "Rudi"]) == 0
    table = server.get(f"/api/tables/{opened['id']}")
    assert table["status"] == "over" and table["seats"][0]["name"] == "Rudi"
    assert "win" in capsys.readouterr().out.splitlines()[-1]


def test_the_example_bot_plays(server: Running) -> None:
    opened = server.open("pferdeaepfel/trail", a_free_seat(), agent("random"), public=True)
    example = Path(__file__).parents[2] / "examples" / "bot.py"
    done = subprocess.run(
        [sys.executable, str(example), f"{server.url}/t/{opened['id']}"], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    assert server.get(f"/api/tables/{opened['id']}")["status"] == "over"


def test_a_backup_of_a_running_server_has_every_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(settings(tmp_path, agent_processes=1)) as server:
        with server.hotseat() as player:
            player.play("b6")
        with server.hotseat("pferdeaepfel/carry") as other:
            other.ask("resign")
        words = ["--database", str(tmp_path / "games.db")]
        assert main(["backup", str(tmp_path / "all.jsonl"), *words]) == 0
        assert main(["backup", str(tmp_path / "copy.db"), *words]) == 0
    assert capsys.readouterr().out.count("2 games") == 2
    records = list(read_records(tmp_path / "all.jsonl"))
    assert [record.actions for record in records] == [["b6"], []]
    assert records[1].result is not None and records[1].result["reason"] == "resigned"
    for record in records:
        assert isinstance(record.replay(), sw.State)
    # The copy is a database a server takes up.
    second = tmp_path / "second"
    second.mkdir()
    shutil.copy(tmp_path / "copy.db", second / "games.db")
    with running(settings(second, agent_processes=1)) as server:
        assert server.get(f"/api/tables/{player.table}")["ply"] == 1


def test_games_on_postgresql_are_listed_and_backed_up(
    postgresql: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--database", postgresql]
    with running(settings(postgresql, agent_processes=1)) as server:
        with server.hotseat(public=True) as player:
            player.play("b6")
            player.ask("resign")
        listed = server.get("/api/tables?state=over")
        assert [(item["id"], item["ply"], item["result"]["reason"]) for item in listed] == [
            (player.table, 1, "resigned")
        ]
        assert main(["backup", str(tmp_path / "all.jsonl"), *words]) == 0
    assert [record.actions for record in read_records(tmp_path / "all.jsonl")] == [["b6"]]
    capsys.readouterr()
    assert main(["backup", str(tmp_path / "copy.db"), *words]) == 2
    assert "use a name ending in .jsonl" in capsys.readouterr().err


def test_two_bots_play_each_other_through_a_lost_connection(server: Running) -> None:
    from spielwerk.server.bot import Address, Bot, take_seat

    opened = server.open("pferdeaepfel/trail", a_free_seat(), a_free_seat(), public=True)
    address = Address.from_link(f"{server.url}/t/{opened['id']}")
    bots = [Bot(address, take_seat(address, f"bot {seat}", seat), sw.agent("random")) for seat in (0, 1)]
    threads = [threading.Thread(target=bot.run) for bot in bots]
    for thread in threads:
        thread.start()
    table = server.app.tables._live[opened["id"]]
    for client in list(table.clients):
        client.cut(1012)
    for thread in threads:
        thread.join(20)
    assert bots[0].result is not None and bots[0].result == bots[1].result
