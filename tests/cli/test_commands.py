"""Each command: what it prints for people and for programs, and how it refuses bad input."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.agents import KINDS
from spielwerk.agents.network import shipped_models
from spielwerk.cli.command import command_names, load_command, summary

Cli = Callable[..., Any]


def test_the_commands_of_this_release_are_there() -> None:
    assert {"agents", "doctor", "games", "play", "replay", "show", "speed"} <= set(command_names())


@pytest.mark.parametrize("name", command_names())
def test_every_command_explains_itself_with_examples(cli: Cli, name: str) -> None:
    code, out, err = cli(name, "--help")
    assert (code, err) == (0, "")
    assert summary(load_command(name)) in out
    assert f"  spielwerk {name}" in out


def test_without_words_the_commands_are_listed(cli: Cli) -> None:
    code, out, _ = cli()
    assert code == 0
    for name in command_names():
        assert f"  {name} " in out


def test_version(cli: Cli) -> None:
    code, out, _ = cli("--version")
    assert code == 0
    assert re.fullmatch(
        r"spielwerk \d+\.\d+\.\d+ \(core (portable|avx2) by .+, C\+\+20; processor \w+; CPython [\d.]+\)\n", out
    )


def test_games_lists_every_ruleset_with_its_parameters(cli: Cli) -> None:
    code, out, _ = cli("games")
    assert code == 0
    for name in sw.games():
        assert name in out
    assert "starter=random" in out
    assert "3–8" in out


def test_games_as_json(cli: Cli) -> None:
    listed = json.loads(cli("games", "--json").out)
    assert [entry["name"] for entry in listed] == sw.games()
    trail = next(entry for entry in listed if entry["name"] == "pferdeaepfel/trail")
    size = next(entry for entry in trail["parameters"] if entry["name"] == "size")
    assert (size["kind"], size["default"], size["minimum"], size["maximum"]) == ("int", 8, 3, 8)


def test_games_tells_about_one_ruleset(cli: Cli) -> None:
    listed = json.loads(cli("games", "pferdeaepfel/trail", "--json").out)
    assert [entry["name"] for entry in listed] == ["pferdeaepfel/trail"]


def test_agents_lists_kinds_and_options(cli: Cli) -> None:
    code, out, _ = cli("agents")
    assert code == 0
    for kind in KINDS:
        assert kind in out
    listed = json.loads(cli("agents", "--json").out)
    assert {entry["kind"] for entry in listed} == set(KINDS)
    greedy = next(entry for entry in listed if entry["kind"] == "greedy")
    assert greedy["options"][0]["name"] == "seed"


def test_doctor_finds_this_installation_healthy(cli: Cli) -> None:
    code, out, _ = cli("doctor")
    assert code == 0
    assert "in use" in out
    assert f"{len(shipped_models())} load" in out


def test_doctor_tells_needed_packages_from_those_that_may_be_absent(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from spielwerk import extras
    from spielwerk.cli.commands import doctor

    monkeypatch.setattr(doctor, "_core_builds", lambda: [])
    cases = [
        (extras.Requirement("no-such", "1.0", "play"), "absent", 0),
        (extras.Requirement("no-such", "1.0", None), "broken", 1),
        (extras.Requirement("numpy", "999.0", None), "broken", 1),
        (extras.Requirement("numpy", "1.26", None), "ok", 0),
    ]
    for wanted, state, exit_code in cases:
        monkeypatch.setattr(extras, "requirements", lambda wanted=wanted: [wanted])
        code, out, _ = cli("doctor", "--json")
        report = json.loads(out)
        assert (code, report["healthy"]) == (exit_code, exit_code == 0)
        assert state in [finding["state"] for finding in report["findings"] if finding["name"] == wanted.name]


def test_doctor_notices_a_server_that_does_not_load(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "spielwerk.server.run", raising=False)
    monkeypatch.setitem(sys.modules, "spielwerk.server.app", None)
    code, out, _ = cli("doctor", "--json")
    assert code == 1
    assert {"name": "server", "state": "broken"}.items() <= next(
        finding for finding in json.loads(out)["findings"] if finding["name"] == "server"
    ).items()


def test_speed_reports_every_measure(cli: Cli) -> None:
    code, out, _ = cli("speed", "--quick", "--json")
    report = json.loads(out)
    assert code == 0
    assert report["machine"]["core"] in ("portable", "avx2")
    figures = {figure["measure"]: figure for figure in report["figures"]}
    assert figures["playouts in the core"]["median"] > 100_000
    for figure in figures.values():
        assert figure["absent"] or figure["lowest"] <= figure["median"] <= figure["highest"]


def test_show_paints_the_position_and_tells_about_it(cli: Cli) -> None:
    code, out, _ = cli("show", "pferdeaepfel/classic", "--actions", "b6@d4 g3-", "--lang", "de")
    assert code == 0
    assert "‹♞›" in out
    assert "Weiß am Zug" in out
    assert "o7/8/1W6/8/3o4/6B1/8/7o w jump" in out
    assert "golden apples" in out


def test_show_as_json(cli: Cli) -> None:
    words = ("show", "pferdeaepfel/trail", "--rule", "size=4", "--position", "Wo2/4/4/3B w", "--json")
    shown = json.loads(cli(*words, "--observation", "1").out)
    state = sw.make("pferdeaepfel/trail", size=4).from_text("Wo2/4/4/3B w")
    assert shown["text"] == "Wo2/4/4/3B w"
    assert [entry["action"] for entry in shown["legal_actions"]] == state.legal_actions
    assert shown["position"]["brown"] == [1]
    assert shown["observation"] == state.observation(1).tolist()
    assert len(shown["planes"]) == len(shown["observation"])


def test_show_prints_observations(cli: Cli) -> None:
    out = cli("show", "pferdeaepfel/trail", "--rule", "size=3", "--observation", "0").out
    assert out.rstrip().endswith("to act\n1 1 1\n1 1 1\n1 1 1")


def test_show_writes_pictures(cli: Cli, tmp_path: Path) -> None:
    svg, png = tmp_path / "board.svg", tmp_path / "board.png"
    code, _, err = cli("show", "pferdeaepfel/trail", "--actions", "b6", "--svg", str(svg), "--png", str(png))
    assert (code, err) == (0, "")
    assert "last-move" in svg.read_text(encoding="utf-8")
    assert png.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gmaes"], "unknown command 'gmaes'; did you mean 'games'?"),
        (["xyzzy"], "unknown command 'xyzzy'; there are: agents"),
        (["--verison"], "unknown argument '--verison'; did you mean '--version'?"),
        (["games", "--jsn"], "unknown argument '--jsn'; did you mean '--json'?"),
        (["games", "one", "two"], "unknown argument 'two'"),
        (["show"], "the following arguments are required: RULESET"),
        (["show", "trail"], "unknown ruleset 'trail'; did you mean 'pferdeaepfel/trail'?"),
        (["show", "pferdeaepfel/trial"], "did you mean 'pferdeaepfel/trail'?"),
        (["show", "go/19"], "unknown ruleset 'go/19'; there are: diavolo/standard"),
        (["show", "pferdeaepfel/trail", "--rule", "siez=4"], "no parameter 'siez'; did you mean 'size'?"),
        (["show", "pferdeaepfel/trail", "--rule", "xyz=4"], "it has: size, white_start, black_start"),
        (["show", "pferdeaepfel/trail", "--rule", "size"], "a rule is written name=value"),
        (["show", "pferdeaepfel/trail", "--rule", "size=big"], "size must be a whole number from 3 to 8, not 'big'"),
        (["show", "pferdeaepfel/trail", "--rule", "size=9"], "size must be a whole number from 3 to 8, not 9"),
        (["show", "pferdeaepfel/trail", "--position", "hello"], "impossible position"),
        (["show", "pferdeaepfel/trail", "--actions", "b6 b6"], "number 2, 'b6', cannot be played: b6 is no knight's"),
        (["show", "pferdeaepfel/trail", "--observation", "7"], "seat must be from 0 to 1, not 7"),
        (["show", "pferdeaepfel/trail", "--svg", "/no/such/folder/x.svg"], "/no/such/folder/x.svg: No such file"),
        (["show", "pferdeaepfel/trail", "--seed", "x"], "argument --seed: invalid int value: 'x'"),
        (["play", "pferdeaepfel/trail", "--seat", "gredy"], "unknown agent 'gredy'; there are: alphabeta"),
        (["play", "pferdeaepfel/trail", "--seat", "greedy:depth=3"], "no option 'depth=3'"),
        (["play", "pferdeaepfel/trail", *["--seat", "greedy"] * 3], "has 2 seats, not 3"),
        (["play", "pferdeaepfel/trail", "--watch", "--seat", "human"], "with --watch only agents play"),
        (["play", "pferdeaepfel/trail", "--position", "8/8 w"], "impossible position"),
        (["play", "pferdeaepfel/trail", "--lang", "fr"], "argument --lang: invalid choice: 'fr'"),
        (["play", "pferdeaepfel/trail", "--watch", "--save", "/no/such/folder/x"], "no folder /no/such/folder"),
        (["play", "pferdeaepfel/trail", "--delay", "inf"], "--delay: must be from 0 to 60 seconds, not 'inf'"),
        (["play", "pferdeaepfel/trail", "--position", "\udcff"], "--position: must be written in ASCII"),
        (["show", "pferdeaepfel/trail", "--actions", "ü" * 99], "--actions: must be written in ASCII"),
        (["replay", "/no/such/file"], "/no/such/file: No such file or directory"),
        (["speed", "--ruleset", "trial"], "did you mean 'pferdeaepfel/trail'?"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(cli: Cli, words: list[str], message: str) -> None:
    code, _, err = cli(*words)
    assert code == 2
    assert err.startswith("spielwerk: ")
    assert message in err
    assert err.count("\n") == 1


def test_an_interrupt_is_quiet(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    code, _, err = cli("play", "pferdeaepfel/trail")
    assert (code, err) == (130, "")


def test_a_new_module_is_a_new_command(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from spielwerk.cli import commands

    source = '''"""Greet somebody."""
EXAMPLES = "spielwerk say-hello you"


def configure(parser):
    parser.add_argument("name")


def run(arguments):
    print(f"hello {arguments.name}")
    return 0
'''
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "say_hello.py").write_text(source)
    monkeypatch.setattr(commands, "__file__", str(tmp_path / "__init__.py"))
    monkeypatch.setattr(commands, "__path__", [str(tmp_path)])
    assert cli("say-hello", "world").out == "hello world\n"
    assert "Greet somebody." in cli("--help").out


@pytest.mark.parametrize("name", ["games", "agents"])
def test_narrow_terminals_lose_nothing(cli: Cli, name: str) -> None:
    out = cli(name, width=40).out
    assert all(len(line) <= 40 for line in out.splitlines())
    assert "…" not in out.replace("=…", "")
