"""The files in deploy/ say what the server understands, and proxies understand them where they are installed."""

import argparse
import json
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect
from websockets.typing import Origin

from spielwerk.cli.commands import serve
from tests.server.client import Running, human, running, settings

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


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """One for localhost that we have signed ourselves, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    files = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-out", files[0], "-keyout", files[1]],
        check=True, capture_output=True,
    )  # fmt: skip
    return files


def plays_through_tls(port: int, certificate: Path) -> None:
    """A table opened and a socket used through a proxy whose certificate is checked, as a page there would."""
    trusted = ssl.create_default_context(cafile=certificate)
    page = f"https://localhost:{port}"
    with httpx.Client(base_url=page, verify=trusted, timeout=20) as client:
        deadline = time.monotonic() + 20
        while True:
            try:
                client.get("/healthz")
                break
            except httpx.TransportError:
                assert time.monotonic() < deadline
                time.sleep(0.1)
        health = client.get("/healthz")
        assert health.text == "ok\n" and "max-age" in health.headers["strict-transport-security"]
        assert client.get("/metrics").status_code == 404
        body = {"game": "pferdeaepfel/trail", "seats": [human(), human()], "hotseat": True}
        assert client.post("/api/tables", json=body, headers={"Origin": "https://elsewhere.example"}).status_code == 403
        opened = client.post("/api/tables", json=body, headers={"Origin": page}).json()
    address = f"wss://localhost:{port}/api/tables/{opened['id']}/socket"
    with connect(address, ssl=trusted, origin=Origin(page)) as player:
        player.send(json.dumps({"type": "hello", "protocol": 1, "tokens": list(opened["tokens"].values())}))
        assert json.loads(player.recv(timeout=10))["you"] == [0, 1]
        player.send(json.dumps({"type": "play", "id": 1, "seq": 0, "action": "b6"}))
        answers = [json.loads(player.recv(timeout=10)) for _ in range(3)]
        assert any(answer["type"] == "ack" for answer in answers), answers


@contextmanager
def behind_proxy(folder: Path, port: int) -> Iterator[Running]:
    origins = (f"https://localhost:{port}",)
    with running(settings(folder, trusted_proxies="127.0.0.1", origins=origins, agent_processes=1)) as server:
        yield server


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_nginx_passes_everything_on(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    port = a_free_port()
    text = (DEPLOY / "nginx.conf").read_text()
    shared, _, _ = text.partition("server {")
    _, _, secure = text.rpartition("server {")
    secure = re.sub(r"listen \[::\].*", "", secure).replace("listen 443", f"listen 127.0.0.1:{port}")
    secure = re.sub(r"/etc/\S+/fullchain.pem", str(certificate[0]), secure)
    secure = re.sub(r"/etc/\S+/privkey.pem", str(certificate[1]), secure)
    secure = secure.replace("proxy_set_header Host $host", "proxy_set_header Host $http_host")  # the port is not 443
    with behind_proxy(tmp_path, port) as server:
        (tmp_path / "nginx.conf").write_text(
            f"daemon off; master_process off; pid {tmp_path}/pid; error_log {tmp_path}/error.log;\n"
            f"events {{}}\nhttp {{\n{shared}\n{_temporary_folders(tmp_path)}\n"
            f"server {{ {secure.replace('127.0.0.1:8765', f'127.0.0.1:{server.port}')}\n}}\n"
        )
        process = subprocess.Popen(["nginx", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")])
        try:
            plays_through_tls(port, certificate[0])
        finally:
            process.terminate()
            process.wait(10)


def _temporary_folders(folder: Path) -> str:
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    return " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)


@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not installed")
def test_caddy_passes_everything_on(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    port = a_free_port()
    with behind_proxy(tmp_path, port) as server:
        text = (DEPLOY / "Caddyfile").read_text()
        files = " ".join(map(str, certificate))
        text = text.replace("play.example.org {", f"https://localhost:{port} {{\n\tbind 127.0.0.1\n\ttls {files}")
        text = text.replace("{\n\tservers {", "{\n\tadmin off\n\tauto_https disable_redirects\n\tservers {", 1)
        (tmp_path / "Caddyfile").write_text(text.replace("reverse_proxy 127.0.0.1:8765", f"reverse_proxy {server.url}"))
        process = subprocess.Popen(
            ["caddy", "run", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")],
            env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
            stderr=subprocess.DEVNULL,
        )
        try:
            plays_through_tls(port, certificate[0])
        finally:
            process.terminate()
            process.wait(10)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    program = tmp_path / "spielwerk"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / "spielwerk.service"
    unit.write_text((DEPLOY / "spielwerk.service").read_text().replace("/opt/spielwerk/bin/spielwerk", str(program)))
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
