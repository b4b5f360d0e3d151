"""One rule for texts from outside, at every door."""

import argparse
import io
import json
import shutil
import sqlite3
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from rich.text import Text

import spielwerk as sw
from spielwerk.border import ascii_line, plain_line, printable, printable_json, quoted, readable
from spielwerk.console import SafeConsole
from spielwerk.records import Record, Recorder, RecordError, append_record
from tests.fuzz.texts import BARRED, is_harmless_line

Cli = Callable[..., Any]

WELCOME = ["", "Anna", "Jean-Luc É.", "中文", "نمی\u200cخواهم", "👩\u200d👩\u200d👧", "a\xa0b", "x" * 1000]


@pytest.mark.parametrize("text", WELCOME)
def test_ordinary_texts_of_every_script_pass(text: str) -> None:
    assert plain_line(text, "a name") == text


@pytest.mark.parametrize("letter", BARRED)
def test_what_could_do_harm_is_refused_by_its_number(letter: str) -> None:
    with pytest.raises(ValueError, match=rf"^a name must be one line .* U\+{ord(letter):04X}$"):
        plain_line(f"a{letter}b", "a name")


def test_a_text_has_a_length() -> None:
    with pytest.raises(ValueError, match=r"^a name has 41 characters; 40 is the most$"):
        plain_line("x" * 41, "a name", 40)


def test_positions_and_actions_are_ascii() -> None:
    assert ascii_line("W7/8 w", "it") == "W7/8 w"
    for text in ("é", "b6\n", "b6\x00"):
        with pytest.raises(ValueError, match=r"^it must be"):
            ascii_line(text, "it")


def test_a_quotation_is_one_short_line() -> None:
    assert quoted("two\n lines") == "two lines"
    assert quoted("\x1b[31mred\u202e") == "?[31mred?"
    assert quoted("x" * 100, 10) == "xxxxxxxxx…"
    assert quoted("x" * 10, 10) == "x" * 10
    assert quoted("\ud800") == "?"


def test_a_name_is_shown_without_what_is_barred() -> None:
    assert readable(" a\u202eb\x00\x00c ") == "a b c"
    assert readable("e\u0301") == "é"


# The core


@pytest.mark.parametrize("letter", ["\x00", "\n", "\x1b", "\ud800"])
@pytest.mark.parametrize("many", [1, 10_000])
def test_messages_of_the_core_are_one_whole_line(letter: str, many: int) -> None:
    text = many * f"a{letter}b"
    game = sw.make("pferdeaepfel/trail")
    doors: list[Callable[[], object]] = [
        lambda: sw.make(text),
        lambda: sw.make("pferdeaepfel/trail", **{text: 1}),
        lambda: sw.make("pferdeaepfel/trail", size=text),
        lambda: sw.make("pferdeaepfel/trail", white_start=text),
        lambda: sw.make("pferdeaepfel/carry", starter=text),
        lambda: sw.make("ludo/ffa", colours=text),
        lambda: sw.make("ludo/ffa", colours=[text]),  # type: ignore[arg-type]
        lambda: game.from_text(text),
        lambda: game.start().play(text),
        lambda: game.start().parse(text),
    ]
    for door in doors:
        with pytest.raises(ValueError) as refused:  # noqa: PT011, the words are looked at below
            door()
        assert is_harmless_line(str(refused.value), 500), str(refused.value)


# Records


def record(**fields: Any) -> dict[str, Any]:
    played = Recorder(sw.make("pferdeaepfel/trail"), seed=1, seats=["A", "B"])
    played.play("b6")
    return played.record.to_json() | fields


BAD_RECORDS: dict[str, dict[str, Any]] = {
    "rule name": {"rules": {"\ud800": 1}},
    "rule value": {"rules": {"white_start": "a8\x00"}},
    "seat": {"seats": ["\x1b]0;title\x07", "B"]},
    "comment": {"comments": {"1": "\u202eback"}},
    "game": {"game": "pferdeaepfel/trail\x00"},
    "action": {"actions": ["b6\n"]},
    "start": {"start": "W7/8/8/8/8/8/8/7B w\x1b"},
    "reason": {"result": {"reason": "\x1b[2J"}},
    "field": {"\x1b[2J": 1},
}


@pytest.mark.parametrize("fields", BAD_RECORDS.values(), ids=BAD_RECORDS.keys())
def test_a_record_with_a_barred_text_is_refused_in_one_line(cli: Cli, tmp_path: Path, fields: dict[str, Any]) -> None:
    with pytest.raises(RecordError) as refused:
        Record.from_json(record(**fields))
    assert is_harmless_line(str(refused.value), 300)
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(record(**fields)) + "\n")
    code, out, err = cli("replay", str(file))
    assert (code, out) == (2, "")
    assert is_harmless_line(err.removesuffix("\n"), 400)


def test_a_record_nested_too_deeply_is_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RecordError, match="nested too deeply"):
        Record.from_json(record(seats=deep))


def test_names_of_every_script_survive_a_record(cli: Cli, tmp_path: Path) -> None:
    played = Recorder(sw.make("pferdeaepfel/trail"), seed=1, seats=["نمی\u200cخواهم", "👩\u200d👧"])
    append_record(tmp_path / "games.jsonl", played.record)
    code, out, _ = cli("replay", str(tmp_path / "games.jsonl"))
    assert code == 0
    assert "👩\u200d👧" in out


# The command line


@pytest.mark.parametrize("letter", ["\x1b[31m", "\x00", "\n", "\u202e", "\udcff"])
@pytest.mark.parametrize(
    "words",
    [
        ["{}"],
        ["--{}"],
        ["show", "{}"],
        ["show", "pferdeaepfel/trail", "--{}"],
        ["show", "pferdeaepfel/trail", "--rule", "{}=1"],
        ["show", "pferdeaepfel/trail", "--position", "{}"],
        ["show", "pferdeaepfel/trail", "--actions", "b6 {}"],
        ["show", "pferdeaepfel/trail", "--lang", "{}"],
        ["show", "pferdeaepfel/trail", "--seed", "{}"],
        ["replay", "/nowhere{}"],
        ["play", "pferdeaepfel/trail", "--seat", "{}"],
        ["arena", "random", "{}", "--game", "pferdeaepfel/trail"],
        ["bot", "greedy", "--url", "{}"],
    ],
    ids=" ".join,
)
def test_errors_of_the_command_line_quote_safely(cli: Cli, words: list[str], letter: str) -> None:
    text = f"a{letter}b" * 2000
    code, out, err = cli(*(word.format(text) for word in words))
    assert (code, out) == (2, "")
    assert err.endswith("\n")
    assert is_harmless_line(err[:-1], 2100), err[:300]


# The bot


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b"{}", b'{"error": {"message": "\\u001b[31mred\\nline"}}', b'{"error": {"message": 7}}'],
)
def test_refusals_of_a_foreign_server_are_one_line(monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    from spielwerk.server import bot

    def refuse(*_: object, **__: object) -> None:
        raise HTTPError("http://127.0.0.1/", 400, "Bad Request", Message(), io.BytesIO(body))

    monkeypatch.setattr("urllib.request.urlopen", refuse)
    with pytest.raises(ValueError) as refused:  # noqa: PT011, the words are the server's
        bot.call("http://127.0.0.1", "tables", {})
    assert is_harmless_line(str(refused.value), 500)


def test_a_server_that_does_not_keep_to_the_protocol_ends_the_bot() -> None:
    from spielwerk.server.bot import Address, Bot

    class Socket:
        def __init__(self, message: str) -> None:
            self.message = message

        def send(self, _: str) -> None:
            pass

        def recv(self, **_: float) -> str:
            return self.message

    for message in ("", "[]", "7", "{}", '{"type": "event"}', '{"type": "snapshot", "you": 1}'):
        player = Bot(Address("http://127.0.0.1", "table"), "token", sw.agent("random"))
        with pytest.raises(ValueError, match="does not keep to the protocol"):
            player._play(Socket(message))  # type: ignore[arg-type]


def test_positions_and_actions_on_the_command_line_are_one_argument_type() -> None:
    from spielwerk.cli.options import plain_text

    with pytest.raises(argparse.ArgumentTypeError, match="ASCII"):
        plain_text("é")


# Files of others: what they name is printed, and only that


HOSTILE = "$\\bad$\x1b]0;owned\x07\x1b[2J\x9b31mred\u202eback\ud800\r\x00"


def assert_harmless(*texts: str) -> None:
    for text in texts:
        assert all(is_harmless_line(line, 10_000) for line in text.split("\n")), repr(text)


def test_what_a_terminal_shows() -> None:
    assert printable("two\nlines") == "two\nlines"
    assert printable("\x1b[31mred\u202e\ud800\r") == "?[31mred???"
    assert printable("👩\u200d👧 a\xa0b") == "👩\u200d👧 a\xa0b"
    assert json.loads(printable_json(json.dumps([HOSTILE, "É\n"], ensure_ascii=False))) == [HOSTILE, "É\n"]
    assert_harmless(printable(HOSTILE), printable_json(json.dumps(HOSTILE, ensure_ascii=False)))


def test_styles_may_steer_a_terminal_and_texts_may_not() -> None:
    shown = io.StringIO()
    SafeConsole(file=shown, force_terminal=True, color_system="standard").print(Text(f"a{HOSTILE}b", "bold"))
    assert shown.getvalue().startswith("\x1b[1ma") and shown.getvalue().count("\x1b") == 2
    assert "\x9b" not in shown.getvalue() and "\x07" not in shown.getvalue()


@pytest.fixture
def hostile_store(cli: Cli, tmp_path: Path) -> Path:
    store = tmp_path / "games.db"
    words = ["random", "random:seed=1", "--game", "pferdeaepfel/trail", "--rule", "size=4", "--games", "2"]
    assert cli("arena", *words, "--store", str(store), "--workers", "1").code == 0
    with sqlite3.connect(store) as database:
        database.execute("UPDATE arena_games SET players = ?", [json.dumps([f"a{HOSTILE}", f"b{HOSTILE}"])])
        database.execute("UPDATE arena_games SET forfeit = ?", [f"a{HOSTILE.replace(chr(0xD800), '')}"])
    database.close()
    return store


def test_a_store_cannot_steer_the_terminal(cli: Cli, hostile_store: Path, tmp_path: Path) -> None:
    picture = tmp_path / "scores.svg"
    for words in ([], ["--json"], ["--picture", str(picture)]):
        code, out, err = cli("arena", "--store", str(hostile_store), "--show", *words)
        assert (code, err) == (0, "") and "owned" in out
        assert_harmless(out)


@pytest.fixture
def hostile_run(tmp_path: Path) -> Path:
    folder = tmp_path / "runs" / f"run{HOSTILE.translate({0: None, 0xD800: None, ord('/'): None})}"
    folder.mkdir(parents=True)
    config = {
        "method": HOSTILE, "ruleset": HOSTILE, "started": HOSTILE, "seats": [HOSTILE, HOSTILE],
        "rules": {HOSTILE: HOSTILE}, "config": {HOSTILE: HOSTILE}, "versions": {HOSTILE: HOSTILE},
    }  # fmt: skip
    score = {"rate": 0.5, "games": 2, "wins": 1, "draws": 0, "interval": [0.1, 0.9]}
    line = {"update": 1, "steps": 5, "seconds": 1.0, "anchors": {HOSTILE: [score, score]}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "metrics.jsonl").write_text(json.dumps(line) + "\n")
    return folder


def test_a_run_folder_cannot_steer_the_terminal(cli: Cli, hostile_run: Path, tmp_path: Path) -> None:
    other = tmp_path / "runs" / "other"
    shutil.copytree(hostile_run, other)
    (other / "config.json").write_text((other / "config.json").read_text().replace("owned", "other"))
    for words in ([], ["--json"], [hostile_run.name, "other"], [hostile_run.name, "other", "--json"]):
        code, out, err = cli("runs", "--runs-dir", str(tmp_path / "runs"), *words)
        assert (code, err) == (0, "") and "owned" in out
        assert_harmless(out)
    code, out, err = cli("plot", hostile_run.name, "--runs-dir", str(tmp_path / "runs"))
    assert code in (0, 2)
    assert_harmless(out, err)


@pytest.mark.parametrize("line", [{"seconds": "x", "anchors": 5}, {"anchors": {"a": [{"rate": "x"}]}}])
def test_figures_that_no_run_writes_are_said_to_be_none(cli: Cli, hostile_run: Path, line: dict[str, Any]) -> None:
    (hostile_run / "metrics.jsonl").write_text(json.dumps({"update": 1, "steps": 5, "seconds": 1.0} | line) + "\n")
    words = ["--runs-dir", str(hostile_run.parent)]
    code, out, err = cli("runs", *words)
    assert (code, err) == (0, "") and "damaged" in out
    for command in (["runs", hostile_run.name], ["runs", "--json", hostile_run.name], ["plot", hostile_run.name]):
        code, out, err = cli(*command, *words)
        assert (code, out) in ((2, ""), (0, out)) and err.count("\n") <= 1
        assert_harmless(out, err)


@pytest.mark.parametrize("change", ["players = '5'", "scores = '[]'", "milliseconds = '{}'", "ranks = 'null'"])
def test_games_that_no_arena_wrote_are_said_to_be_none(cli: Cli, hostile_store: Path, change: str) -> None:
    with sqlite3.connect(hostile_store) as database:
        database.execute(f"UPDATE arena_games SET {change}")
    database.close()
    code, out, err = cli("arena", "--store", str(hostile_store), "--show")
    assert code in (0, 2) and err.count("\n") <= 1
    assert_harmless(out, err)


def test_a_database_cannot_steer_the_terminal(cli: Cli, tmp_path: Path) -> None:
    from spielwerk.server.settings import Settings
    from spielwerk.server.store import Store

    path = tmp_path / "games.db"
    Store(Settings(database=str(path))).close()
    name = HOSTILE.replace("\ud800", "").replace("\x00", "")
    row = {"id": f"t{name}", "created_ms": 1, "game": name, "rules": "{}", "rules_version": 1, "start": "", "seed": 1,
           "public": 1, "hotseat": 0, "uploaded": 0, "pace_ms": 0, "status": name}  # fmt: skip
    with sqlite3.connect(path) as database:
        columns, marks = ", ".join(row), ", ".join("?" * len(row))
        database.execute(f"INSERT INTO tables ({columns}) VALUES ({marks})", list(row.values()))
    database.close()
    for words in (["tables"], ["tables", "--json"], ["backup", str(tmp_path / "backup.jsonl")]):
        code, out, err = cli(*words, "--database", str(path))
        assert code == 0 and "owned" in out + err
        assert_harmless(out, err)
