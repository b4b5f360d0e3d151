"""Benchmarks start, and write their results into pages without touching what stands around them."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- results: written by benchmarks/strength.py -->", "<!-- end of results -->"


def strength(page: Path) -> subprocess.CompletedProcess[str]:
    words = ["pferdeaepfel/trail", "--games", "2", "--markdown", str(page)]
    command = [sys.executable, str(BENCHMARKS / "strength.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_table_of_strength_is_written_between_its_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{BEGIN}\n\nold\n\n{END}\n\nafter\n")
    done = strength(page)
    assert done.returncode == 0, done.stderr
    before, _, rest = page.read_text().partition(BEGIN)
    results, _, after = rest.partition(END)
    assert (before, after) == ("before\n\n", "\n\nafter\n")
    assert results.count("`alphabeta:ms=20`") == 1 and "old" not in results


def test_a_page_without_marks_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("by hand\n")
    done = strength(page)
    assert done.returncode == 1 and "has no place for results" in done.stderr and "Traceback" not in done.stderr
    assert page.read_text() == "by hand\n"


@pytest.mark.parametrize("script", ["strength", "mistakes", "proofs"])
def test_the_docs_have_a_place_for_every_table(script: str) -> None:
    page = (DOCS / f"{script}.md").read_text()
    begin = f"<!-- results: written by benchmarks/{script}.py -->"
    assert page.count(begin) == page.count(END) == 1 and page.index(begin) < page.index(END)
