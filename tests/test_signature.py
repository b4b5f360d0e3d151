"""The signature is pinned, and every build that can run here has it."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from spielwerk import _core
from spielwerk import signature as signing


def signature_of(build: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "spielwerk", "signature", "--json"]
    environment = os.environ | {"SPIELWERK_CORE": build}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


@pytest.mark.parametrize("build", _core.available_builds())
def test_every_build_has_the_pinned_signature(build: str) -> None:
    facts = signature_of(build)
    assert facts["build"] == build
    assert facts["parts"] == json.loads(signing.PINNED.read_text())
    assert facts["differing"] == []


def test_without_onnxruntime_the_networks_are_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing, "_has_networks", lambda: False)
    monkeypatch.setattr(signing, "_PARTS", {"counts": signing._PARTS["counts"], "networks": signing._PARTS["networks"]})
    found = signing.signature()
    assert list(found.parts) == ["counts"]
    assert found.missing == {"networks": "onnxruntime is not installed"}
    assert found.differences() == []


def test_a_part_that_changed_is_named() -> None:
    pinned = json.loads(signing.PINNED.read_text())
    changed = signing.Signature(pinned | {"searches": "0"}, {})
    assert changed.differences() == ["searches"]
    assert changed.digest != signing.Signature(pinned, {}).digest
