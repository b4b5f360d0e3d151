"""The files in deploy/ say what the server understands, and proxies understand them where they are installed."""

import argparse
import json
import re
import shlex
import shutil
import socket
import subprocess
import time
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from spielwerk.cli.commands import serve
from tests.server.client import human, running, settings

DEPLOY = Path(__file__).parents[2] / "deploy"


def options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(exit_on_error=False)
    serve.configure(parser)
    return parser.parse_args(words)


def test_the_unit_starts_the_server_for_this_machine_only() -> None:
    unit = (DEPLOY / "spielwerk.service").read_text().replace("\\\n", " ")
    [command] = re.findall(r"^ExecStart=(.*)$", unit, re.M)
    program, name, *words = shlex.split(command)
    assert program.endswith("/spielwerk") and name == "serve"
    assert options(words).host == "127.0.0.1" and options(words).trust_proxy == "127.0.0.1"
    for line in ("NoNewPrivileges=yes", "ProtectSystem=strict", "DynamicUser=yes", "UMask=0077"):
        assert line in unit


def test_the_container_runs_as_nobody_in_particular() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    [command] = re.findall(r"^ENTRYPOINT (\[.*\])", text.replace("\\\n", " "), re.M)
    words = json.loads(command)
    assert words[1] == "serve" and options(words[2:]).database == "/data/games.db"
    assert text.rindex("USER spielwerk") < text.rindex("ENTRYPOINT") and "HEALTHCHECK" in text


def a_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def plays_through(base: str, port: int) -> None:
    """A table opened and a socket used through a proxy."""
    with httpx.Client(base_url=base, verify=False, timeout=20) as client:
        deadline = time.monotonic() + 20
        while True:
            try:
                client.get("/healthz")
                break
            except httpx.TransportError:
                assert time.monotonic() < deadline
                time.sleep(0.1)
        assert client.get("/healthz").text == "ok\n" and client.get("/metrics").status_code == 404
        body = {"game": "pferdeaepfel/trail", "seats": [human(), human()], "hotseat": True}
        opened = client.post("/api/tables", json=body).json()
    with connect(f"ws://127.0.0.1:{port}/api/tables/{opened['id']}/socket") as player:
        hello = {"type": "hello", "protocol": 1, "tokens": list(opened["tokens"].values())}
        player.send(json.dumps(hello))
        assert json.loads(player.recv(timeout=10))["you"] == [0, 1]


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_nginx_passes_everything_on(tmp_path: Path) -> None:
    port = a_free_port()
    text = (DEPLOY / "nginx.conf").read_text()
    _, _, secure = text.rpartition("server {")
    secure = re.sub(r"^ *(listen|ssl_).*$", "", secure, flags=re.M)
    with running(settings(tmp_path, trusted_proxies="127.0.0.1", agent_processes=1)) as server:
        shared = text.partition("server {")[0]
        body = secure.replace("127.0.0.1:8765", f"127.0.0.1:{server.port}")
        (tmp_path / "nginx.conf").write_text(
            f"daemon off; master_process off; pid {tmp_path}/pid; error_log {tmp_path}/error.log;\n"
            f"events {{}}\nhttp {{\n{shared}\n{_temporary_folders(tmp_path)}\n"
            f"server {{ listen 127.0.0.1:{port}; {body}\n}}\n"
        )
        process = subprocess.Popen(["nginx", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")])
        try:
            plays_through(f"http://127.0.0.1:{port}", port)
        finally:
            process.terminate()
            process.wait(10)


def _temporary_folders(folder: Path) -> str:
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)


@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not installed")
def test_caddy_passes_everything_on(tmp_path: Path) -> None:
    port = a_free_port()
    with running(settings(tmp_path, trusted_proxies="127.0.0.1", agent_processes=1)) as server:
        text = (DEPLOY / "Caddyfile").read_text()
        text = text.replace("play.example.org {", f"http://127.0.0.1:{port} {{\n\tbind 127.0.0.1")
        text = text.replace("{\n\tservers {", "{\n\tadmin off\n\tauto_https off\n\tservers {", 1)
        (tmp_path / "Caddyfile").write_text(text.replace("reverse_proxy 127.0.0.1:8765", f"reverse_proxy {server.url}"))
        process = subprocess.Popen(
            ["caddy", "run", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")],
            env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
            stderr=subprocess.DEVNULL,
        )
        try:
            plays_through(f"http://127.0.0.1:{port}", port)
        finally:
            process.terminate()
            process.wait(10)
