"""Proves every line of the table in docs/proofs.md and writes it again.

python benchmarks/proofs.py            all lines, a few minutes
python benchmarks/proofs.py --quick    without the long ones, printed and not written
"""

from __future__ import annotations

import argparse
import io
import json
import shlex
import time
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from results_page import write_results

from spielwerk import machine
from spielwerk.cli import main

PAGE = Path(__file__).parents[1] / "docs/proofs.md"


@dataclass(frozen=True)
class Claim:
    """What is to be proved, and the words after `spielwerk solve` that prove it."""

    game: str
    words: str
    long: bool = False


def _boards(ruleset: str, sizes: range, rules: str = "", long_from: int = 99) -> list[Claim]:
    named = ", " + rules.replace("--rule ", "") if rules else ""
    return [
        Claim(
            f"`{ruleset}`, {n}×{n}{named}",
            f"pferdeaepfel/{ruleset} --size {n}{' ' + rules if rules else ''}",
            n >= long_from,
        )
        for n in sizes
    ]


WITHOUT_SWAP = '--position "white; red; white to move"'
CLAIMS = [
    *_boards("trail", range(3, 8)),
    Claim("`trail`, 8×8, the winner", "pferdeaepfel/trail --winner-only"),
    Claim("`trail`, 8×8", "pferdeaepfel/trail", long=True),
    *_boards("free", range(3, 6), long_from=5),
    *_boards("free-place-first", range(3, 6), long_from=5),
    *_boards("classic", range(3, 6)),
    *_boards("classic-24", range(3, 6)),
    *_boards("original", range(3, 6)),
    *_boards("classic", range(8, 9), "--rule brown=6 --rule golden=1"),
    *_boards("classic", range(8, 9), "--rule brown=8 --rule golden=1"),
    *_boards("carry", range(3, 6), "--rule starter=white", long_from=5),
    *_boards("carry", range(3, 6), "--rule starter=black"),
    Claim("DiavoloPP, side 3", "diavolo/standard --size 3"),
    Claim("DiavoloPP, side 3, without swap", f"diavolo/standard --size 3 {WITHOUT_SWAP}"),
    Claim("DiavoloPP, side 4", "diavolo/standard --size 4", long=True),
    Claim("DiavoloPP, side 4, without swap", f"diavolo/standard --size 4 {WITHOUT_SWAP}", long=True),
]


def prove(claim: Claim) -> str:
    """The claim's row of the table."""
    printed, began = io.StringIO(), time.process_time()
    with redirect_stdout(printed):
        code = main(["solve", *shlex.split(claim.words), "--json"])
    seconds = time.process_time() - began
    if code != 0:
        raise SystemExit(f"{claim.words} was not solved")
    found = json.loads(printed.getvalue())
    spent = f"{seconds:.1f}" if seconds >= 0.1 else "< 0.1"
    return f"| {claim.game} | {_result(found)} | `{claim.words}` | {found['nodes']:,} | {spent} |\n"


def _result(found: dict[str, Any]) -> str:
    if found["winner"] is None:
        return "draw"
    length = "" if found["distance"] is None else f", {found['distance']} actions"
    return f"{'first' if found['winner'] == 0 else 'second'} seat wins{length}"


def table(claims: list[Claim]) -> str:
    """Every claim, proved now."""
    rows = "".join(map(prove, claims))
    here = ", ".join(f"{name}: {value}" for name, value in machine.describe().items())
    head = "| game | result with best play | `spielwerk solve …` | nodes | CPU seconds |\n|---|---|---|---:|---:|\n"
    return f"{head}{rows}\nMeasured by `python benchmarks/proofs.py` ({here}).\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true")
    if parser.parse_args().quick:
        print(table([claim for claim in CLAIMS if not claim.long]))
    else:
        write_results(PAGE, "proofs.py", table(CLAIMS))
