"""The scripts that make and check the shipped models."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "src" / "spielwerk" / "models"
RULESET = "pferdeaepfel/trail"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A copy of one shipped model."""
    for suffix in (".onnx", ".json"):
        (tmp_path / RULESET).parent.mkdir(exist_ok=True)
        shutil.copy(MODELS / f"{RULESET}{suffix}", tmp_path / f"{RULESET}{suffix}")
    return tmp_path


def measured(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    words: list[str | Path] = [
        sys.executable,
        ROOT / "scripts" / "measure_models.py",
        folder,
        RULESET,
        "--games",
        "60",
        *options,
    ]
    return subprocess.run(words, capture_output=True, text=True, timeout=300)


def test_a_card_is_checked_without_being_changed(models: Path) -> None:
    card = models / f"{RULESET}.json"
    before = card.read_bytes()
    done = measured(models)
    assert done.returncode == 0 and "as on the card" in done.stdout, done.stderr
    assert card.read_bytes() == before


def test_a_card_that_says_too_much_is_noticed_and_can_be_set_right(models: Path) -> None:
    card = models / f"{RULESET}.json"
    facts = json.loads(card.read_text())
    facts["measured"]["random"]["rate"] = 0.1
    card.write_text(json.dumps(facts))
    done = measured(models)
    assert done.returncode == 1 and "the card says 0.1" in done.stdout
    assert measured(models, "--write").returncode == 0
    assert json.loads(card.read_text())["measured"]["random"]["games"] == 60
    assert measured(models).returncode == 0
