"""Say what is installed, what works, and what is not there.

Exit code 1 when something that spielwerk needs is broken; what is merely absent is only reported.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from spielwerk.cli.options import add_json

if TYPE_CHECKING:
    from spielwerk.extras import Requirement

EXAMPLES = """
spielwerk doctor
spielwerk doctor --json
"""


# What every package that spielwerk's metadata names is for.
_PURPOSES = {
    "alembic": "the server's database",
    "fastapi": "the server",
    "gymnasium": "environments with one seat",
    "h11": "the server",
    "markdown-it-py": "rule pages on the page",
    "matplotlib": "curves of training, pictures of scores and ratings",
    "numpy": "observations and batches",
    "onnx": "exporting networks",
    "onnxruntime": "playing with networks",
    "onnxscript": "exporting networks",
    "openskill": "ratings at tables of three and four",
    "pettingzoo": "environments with many seats",
    "psycopg": "PostgreSQL",
    "pyarrow": "datasets as Parquet",
    "pydantic": "the server's messages",
    "pillow": "moving pictures",
    "ray": "working on a cluster",
    "resvg-py": "pictures as pixels",
    "rich": "the terminal",
    "safetensors": "checkpoints of training",
    "sqlalchemy": "databases of games",
    "starlette": "the server",
    "tensorboard": "watching training",
    "torch": "training networks",
    "uvicorn": "the server",
    "wandb": "watching training in Weights & Biases",
    "websockets": "the server",
}


@dataclass(frozen=True)
class Finding:
    """`state` is ok, absent (fine without it) or broken."""

    name: str
    state: str
    detail: str


def configure(parser: argparse.ArgumentParser) -> None:
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints the findings; 1 when something needed is broken."""
    from spielwerk import machine
    from spielwerk.cli.output import print_json

    findings = list(_findings())
    healthy = all(finding.state != "broken" for finding in findings)
    if arguments.json:
        report = {"healthy": healthy, "machine": machine.describe()}
        print_json(report | {"findings": [asdict(finding) for finding in findings]})
    else:
        _print(findings, machine.describe(), healthy)
    return 0 if healthy else 1


def _findings() -> Iterator[Finding]:
    yield from _core_builds()
    yield _rulesets()
    yield _signature()
    yield from _packages()
    yield _pictures()
    yield _rule_pages()
    yield _server()
    yield _web_page()
    yield _models()


def _core_builds() -> Iterator[Finding]:
    """Every build that this processor can run plays a game, each in a process of its own."""
    from spielwerk import _core

    for build in _core.available_builds():
        name = f"core {build}"
        chosen = ", in use" if build == _core.build else ""
        problem = _trial(build)
        yield Finding(name, "broken", problem) if problem else Finding(name, "ok", f"plays{chosen}")


def _trial(build: str) -> str:
    program = "import spielwerk as sw; sw._core.random_playouts(sw.make(sw.games()[0]), 10, 0)"
    environment = os.environ | {"SPIELWERK_CORE": build}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    last_words = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
    return last_words[0] if done.returncode else ""


def _rulesets() -> Finding:
    import spielwerk as sw
    from spielwerk import _core

    for name in sw.games():
        try:
            _core.random_playouts(sw.make(name), 10, 0)
        except (RuntimeError, ValueError) as error:
            return Finding("rulesets", "broken", f"{name}: {error}")
    return Finding("rulesets", "ok", f"{len(sw.games())} play")


def _signature() -> Finding:
    from spielwerk.signature import signature

    found = signature()
    differing = found.differences()
    if differing:
        return Finding("signature", "broken", f"{found.digest} is not this release's: {', '.join(differing)} differ")
    without = f", without {' and '.join(found.missing)}" if found.missing else ""
    return Finding("signature", "ok", f"{found.digest}, as on every build{without}")


def _packages() -> Iterator[Finding]:
    """Everything the metadata asks for; what several extras ask for is looked at once."""
    from spielwerk.extras import requirements

    wanted = {entry.name: entry for entry in sorted(requirements(), key=lambda entry: entry.extra is None)}
    for name in sorted(wanted):
        yield _package(wanted[name])


def _package(wanted: Requirement) -> Finding:
    purpose = f"for {_PURPOSES.get(wanted.name, 'something else')}"
    try:
        if importlib.util.find_spec(wanted.module) is None:
            raise PackageNotFoundError
        found = version(wanted.name)
    except (PackageNotFoundError, ValueError):  # find_spec raises a ValueError for modules that are blocked
        if wanted.extra is None:
            return Finding(wanted.name, "broken", f"not installed; {purpose}")
        return Finding(wanted.name, "absent", f"not installed; {purpose}: pip install 'spielwerk[{wanted.extra}]'")
    if _numbers(found) < _numbers(wanted.oldest):
        return Finding(wanted.name, "broken", f"{found} is too old, {wanted.oldest} is the oldest; {purpose}")
    return Finding(wanted.name, "ok", f"{found}, {purpose}")


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.match(r"[\d.]*", version)[0].split(".") if part]  # type: ignore[index]


def _pictures() -> Finding:
    import spielwerk as sw
    from spielwerk.extras import MissingExtraError
    from spielwerk.render import rgb_of

    try:
        pixels = rgb_of(sw.make(sw.games()[-1]).start(), size=64)
    except MissingExtraError as missing:
        return Finding("pictures", "absent", f"SVG only: {missing}")
    except Exception as error:  # whatever the rasteriser throws is the finding
        return Finding("pictures", "broken", f"{type(error).__name__}: {error}")
    return Finding("pictures", "ok", f"SVG and pixels, {pixels.shape[1]}×{pixels.shape[0]} drawn for trial")


def _rule_pages() -> Finding:
    import spielwerk as sw
    from spielwerk.cli.options import LANGUAGES
    from spielwerk.rule_pages import rule_page

    missing = [f"{lang}/{name}" for name in sw.games() for lang in LANGUAGES if rule_page(name, lang) is None]
    if missing:
        return Finding("rule pages", "absent", f"missing: {', '.join(missing)}")
    return Finding("rule pages", "ok", f"all, in {' and '.join(LANGUAGES)}")


def _server() -> Finding:
    """All of its modules load together, which no single package can tell."""
    from spielwerk.extras import MissingExtraError, explained

    try:
        importlib.import_module("spielwerk.server.run")
        importlib.import_module("spielwerk.server.bot")
    except ModuleNotFoundError as error:
        explanation = explained(error)
        absent = isinstance(explanation, MissingExtraError)
        return Finding("server", "absent" if absent else "broken", str(explanation))
    except Exception as error:  # a package of the wrong version may raise anything
        return Finding("server", "broken", f"{type(error).__name__}: {error}")
    return Finding("server", "ok", "loads")


def _web_page() -> Finding:
    import spielwerk.server

    if any((Path(folder) / "page" / "index.html").is_file() for folder in spielwerk.server.__path__):
        return Finding("web page", "ok", "built")
    return Finding("web page", "absent", "not built; make page builds it")


def _models() -> Finding:
    from spielwerk.agents.network import load_model, shipped_models
    from spielwerk.extras import MissingExtraError

    names = shipped_models()
    if not names:
        return Finding("models", "absent", "none are shipped with this release")
    try:
        for name in names:
            load_model(name)
    except MissingExtraError as missing:
        return Finding("models", "absent", str(missing))
    except ValueError as error:
        return Finding("models", "broken", str(error))
    return Finding("models", "ok", f"{len(names)} load")


def _print(findings: list[Finding], facts: dict[str, str], healthy: bool) -> None:
    from rich.text import Text

    from spielwerk.cli.output import columns, console

    out = console()
    out.print(columns(*((Text(name.replace("_", " "), "dim"), Text(value)) for name, value in facts.items())))
    out.print()
    styles = {"ok": "green", "absent": "dim", "broken": "bold red"}
    out.print(
        columns(
            *(
                (Text(finding.state, styles[finding.state]), Text(finding.name, "bold"), Text(finding.detail))
                for finding in findings
            )
        )
    )
    out.print()
    out.print("Everything needed works." if healthy else "Something needed is broken.", style="bold")
