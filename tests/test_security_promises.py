"""SECURITY.md promises nothing without a test."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_promise_names_a_test_that_exists() -> None:
    promised = (ROOT / "SECURITY.md").read_text(encoding="utf-8").partition("## Promises")[2]
    rows = [line for line in promised.splitlines() if line.startswith("| ") and not line.startswith("| promise")]
    assert len(rows) > 20
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", row)
        assert named, row
        for file, test in named:
            assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{test}"
