"""`spielwerk solve`: what it proves, what it says when it is stopped, and what it refuses."""

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

Cli = Callable[..., Any]


def test_it_tells_winner_distance_and_best_play(cli: Cli) -> None:
    code, out, err = cli("solve", "pferdeaepfel/trail", "--size", "4")
    assert (code, err) == (0, "")
    words = out.split()
    assert words[words.index("winner") + 1] == "Black"
    assert "2 actions" in out
    assert "best play" in out
    assert "positions in" in out


def test_as_json(cli: Cli) -> None:
    report = json.loads(cli("solve", "pferdeaepfel/trail", "--rule", "size=5", "--json").out)
    assert (report["solved"], report["winner"], report["distance"], len(report["line"])) == (True, 1, 14, 14)
    assert (report["ruleset"], report["rules"]["size"], report["interrupted"]) == ("pferdeaepfel/trail", 5, False)
    assert report["position"] == "W4/5/5/5/4B w"
    assert report["nodes"] > 0 and report["milliseconds"] > 0


def test_any_position(cli: Cli) -> None:
    words = ("solve", "pferdeaepfel/trail", "--size", "5", "--json")
    report = json.loads(cli(*words, "--position", "W4/2B2/5/5/5 b").out)
    assert (report["winner"], report["distance"], report["line"]) == (1, 1, ["a5"])
    after = json.loads(cli(*words, "--actions", "b3").out)
    assert (after["winner"], after["distance"]) == (1, 13)


def test_a_draw(cli: Cli) -> None:
    start = "white; red; white to move"
    code, out, _ = cli("solve", "diavolo/standard", "--size", "3", "--position", start)
    assert code == 0
    assert "nobody, a draw" in out
    assert "distance" not in out


def test_limits_tell_what_is_known(cli: Cli) -> None:
    code, out, _ = cli("solve", "pferdeaepfel/trail", "--nodes", "2000")
    assert code == 0
    assert "Black" in out and "at least" in out
    code, out, _ = cli("solve", "pferdeaepfel/free", "--seconds", "0.01")
    assert code == 1
    assert "not known yet" in out


def test_the_winner_alone(cli: Cli) -> None:
    report = json.loads(cli("solve", "pferdeaepfel/trail", "--winner-only", "--json").out)
    assert (report["winner"], report["distance"], len(report["line"])) == (1, None, 1)


def test_an_interrupt_tells_what_is_known(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from spielwerk.cli.commands import solve

    @contextmanager
    def interrupting(_: Any) -> Iterator[Callable[[Any], None]]:
        yield lambda solution: signal.raise_signal(signal.SIGINT) if solution.at_least >= 10 else None

    monkeypatch.setattr(solve, "_display", interrupting)
    before = signal.getsignal(signal.SIGINT)
    code, out, err = cli("solve", "pferdeaepfel/trail")
    assert (code, err) == (130, "")
    assert "Black" in out and "at least 10 actions" in out and "known so far" in out
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ludo/ffa"], "ludo/ffa has dice: only games of two seats without dice can be solved"),
        (["pferdeaepfel/trial"], "did you mean 'pferdeaepfel/trail'?"),
        (["pferdeaepfel/trail", "--size", "9"], "size must be a whole number from 3 to 8, not 9"),
        (["diavolo/standard", "--size", "2"], "side must be a whole number from 3 to 30, not 2"),
        (["ludo/ffa", "--size", "2"], "ludo/ffa has no --size; it has: "),
        (["pferdeaepfel/trail", "--position", "hello"], "impossible position"),
        (["pferdeaepfel/trail", "--actions", "b6 b6"], "--actions: number 2, 'b6', cannot be played"),
        (["pferdeaepfel/trail", "--seconds", "-1"], "--seconds: must be a number above 0, not '-1'"),
        (["pferdeaepfel/trail", "--nodes", "x"], "--nodes: must be a whole number above 0, not 'x'"),
        (["pferdeaepfel/trail", "--memory", "0"], "--memory: must be a whole number above 0, not '0'"),
        (["pferdeaepfel/trail", "--memory", "9999999999"], "megabytes must be from 1 to 1048576"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(cli: Cli, words: list[str], message: str) -> None:
    code, _, err = cli("solve", *words)
    assert code == 2
    assert err.startswith("spielwerk: ")
    assert message in err
    assert err.count("\n") == 1
