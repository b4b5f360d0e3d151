"""The table of docs/proofs.md: its quick lines are proved again by their commands."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs/proofs.md"
ROW = re.compile(r"^\| [^|]+ \| (?P<result>[^|]+) \| `(?P<words>[^`]+)` \| (?P<nodes>[\d,]+) \|", re.MULTILINE)
QUICK = [row for row in ROW.finditer(PAGE.read_text()) if int(row["nodes"].replace(",", "")) <= 100_000]


def test_the_table_is_there() -> None:
    assert len(QUICK) > 15


@pytest.mark.parametrize(("words", "result"), [(row["words"], row["result"]) for row in QUICK])
def test_a_line_of_the_table(cli: Callable[..., Any], words: str, result: str) -> None:
    report = json.loads(cli("solve", *shlex.split(words), "--json").out)
    seat = {None: "draw", 0: "first seat wins", 1: "second seat wins"}[report["winner"]]
    assert result == seat + (f", {report['distance']} actions" if report["distance"] is not None else "")
