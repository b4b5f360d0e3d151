"""spielwerk analyse: what an agent thinks, in words and as JSON."""

import json
from collections.abc import Callable
from typing import Any

import pytest

Cli = Callable[..., Any]


def test_lines_values_and_speed_are_shown(cli: Cli) -> None:
    code, out, _ = cli("analyse", "pferdeaepfel/trail", "--agent", "alphabeta:depth=4")
    assert code == 0
    assert "value" in out and "b6" in out and "c7" in out
    assert "depth 4" in out and "nodes" in out


def test_proofs_are_told_with_their_length(cli: Cli) -> None:
    out = cli("analyse", "pferdeaepfel/trail", "--size", "4", "--agent", "solver").out
    assert "lost in 2, proved" in out


def test_json_holds_the_whole_analysis(cli: Cli) -> None:
    out = cli("analyse", "pferdeaepfel/classic", "--agent", "mcts:sims=50,seed=1", "--lines", "1", "--json").out
    report = json.loads(out)
    assert len(report["lines"]) == 1
    assert report["agent"] == "mcts:sims=50,seed=1" and report["nodes"] == 50
    assert report["lines"][0]["actions"]


def test_actions_lead_to_the_position(cli: Cli) -> None:
    report = json.loads(cli("analyse", "pferdeaepfel/trail", "--actions", "b6", "--agent", "greedy", "--json").out)
    assert report["player"] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ludo/ffa", "--size", "4"), "ludo/ffa has no --size"),
        (("pferdeaepfel/trail", "--agent", "nobody"), "unknown agent 'nobody'"),
        (("pferdeaepfel/trail", "--actions", "z9"), "--actions: number 1, 'z9', cannot be played"),
        (("ludo/ffa", "--agent", "alphabeta"), "alphabeta plays games of two seats without dice"),
    ],
)
def test_bad_input_gets_one_line(cli: Cli, words: tuple[str, ...], said: str) -> None:
    code, _, err = cli("analyse", *words)
    assert code == 2
    assert said in err and err.count("\n") == 1
