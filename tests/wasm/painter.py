"""Positions drawn without a server, under Node, asked from Python."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from scripts.build_page import WEB, node_environment
from scripts.build_wasm import FILE

PYODIDE = WEB / "node_modules" / "pyodide"
_PROGRAM = Path(__file__).with_suffix(".mjs")


class Painter:
    """Python in WebAssembly with the core in WebAssembly."""

    def __init__(self) -> None:
        node = shutil.which("node", path=node_environment()["PATH"])
        assert node is not None, "there is no Node"
        command = [node, str(_PROGRAM), str(FILE)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, game: str, rules: dict[str, Any], start: str | None, actions: list[str]) -> Any:
        assert self._process.stdin and self._process.stdout
        asked = {"game": game, "rules": rules, "start": start, "actions": actions, "static": None}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate(timeout=10)
