"""The core as WebAssembly under Node, asked from Python."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from scripts.build_page import node_environment
from scripts.build_wasm import FILE

_PROGRAM = Path(__file__).parent / "bridge.mjs"


class Refused(Exception):
    """The core's own words, with the code of the rule where an action was illegal."""

    def __init__(self, message: str, code: str | None) -> None:
        super().__init__(message)
        self.code = code


class WasmCore:
    """One desk: a game, a position, and what searches have learnt. `seconds` of the processor the last answer took."""

    seconds: float

    def __init__(self) -> None:
        node = shutil.which("node", path=node_environment()["PATH"])
        assert node is not None, "there is no Node"
        command = [node, str(_PROGRAM), str(FILE)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, *fields: object) -> Any:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps([str(field) for field in fields]) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise Refused(answer["error"], answer["code"])
        self.seconds = answer["seconds"]
        return answer["answer"]

    def take(self, name: str, rules: dict[str, Any]) -> Any:
        return self("game", name, *(f"{rule}={_shown(value)}" for rule, value in rules.items()))

    def close(self) -> None:
        self._process.communicate(timeout=10)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
