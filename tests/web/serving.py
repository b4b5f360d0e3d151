"""A real server in a process of its own, which a test may kill and start again."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any, Self

_START_SECONDS = 30
_PROGRAM = """
import json
import sys
from pathlib import Path
from spielwerk.server.run import listening_socket, serve
from spielwerk.server.settings import Rate, Settings
many = Rate(burst=1000, per_second=1000)
is_path = lambda name: name.endswith(("_folder", "_report"))
more = {name: Path(text) if is_path(name) else text for name, text in json.loads(sys.argv[3]).items()}
settings = Settings(
    port=int(sys.argv[1]), database=sys.argv[2], openings=many, hints=many, thinking=many, requests=many, messages=many,
    **more,
)
serve(settings, listening_socket(settings))
"""


class RunningServer:
    """Keeps its port and its database over restarts."""

    def __init__(self, folder: Path, page: Path | None = None, **more: Path) -> None:
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._database = folder / "games.db"
        self._log = folder / "server.log"
        given = {**more, **({} if page is None else {"page_folder": page})}
        self._more = json.dumps({name: str(path) for name, path in given.items()})
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        with self._log.open("ab") as log:
            command = [sys.executable, "-c", _PROGRAM, str(self.port), str(self._database), self._more]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            try:
                self.get("/api/info")
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError(f"the server did not start:\n{self._log.read_text()}")

    def kill(self) -> None:
        """Without a warning, as a power cut would."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return json.load(answer)

    def figure(self, name: str) -> float:
        """One of those that an operator sees."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=10) as answer:
            found = re.search(rf"^spielwerk_{name} (\S+)$", answer.read().decode(), re.MULTILINE)
        assert found
        return float(found[1])

    def post(self, path: str, body: Any) -> Any:
        data = json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
