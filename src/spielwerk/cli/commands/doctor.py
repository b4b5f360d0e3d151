"""Say what is installed, what works, and what is not there.

Exit code 1 when something that spielwerk needs is broken; what is merely absent is only reported.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version

from spielwerk.cli.options import add_json

EXAMPLES = """
spielwerk doctor
spielwerk doctor --json
"""


# What packages are for; those that spielwerk's own metadata requires are needed, the others may be absent.
_PURPOSES = {
    "numpy": "observations and batches",
    "rich": "the terminal",
    "pettingzoo": "environments with many seats",
    "gymnasium": "environments with one seat",
    "resvg-py": "pictures as pixels",
    "torch": "training networks",
    "safetensors": "checkpoints of training",
    "tensorboard": "watching training",
    "onnxruntime": "playing with networks",
    "openskill": "ratings at tables of three and four",
    "matplotlib": "curves of training, pictures of scores and ratings",
}


@dataclass(frozen=True)
class Finding:
    """`state` is ok, absent (fine without it) or broken."""

    name: str
    state: str
    detail: str


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints the findings; 1 when something needed is broken."""
    from spielwerk.cli import machine
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
    for name, purpose in _PURPOSES.items():
        yield _package(name, purpose)
    yield _pictures()
    yield _rule_pages()
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


def _package(name: str, purpose: str) -> Finding:
    try:
        if importlib.util.find_spec(name.replace("-", "_")) is None:
            raise PackageNotFoundError
        return Finding(name, "ok", f"{version(name)}, for {purpose}")
    except PackageNotFoundError:
        return Finding(name, "broken" if name in _needed() else "absent", f"not installed; for {purpose}")


def _needed() -> set[str]:
    named = (re.match(r"[\w.-]+", entry) for entry in requires("spielwerk") or [] if "extra ==" not in entry)
    return {match[0].lower() for match in named if match}


def _pictures() -> Finding:
    import spielwerk as sw
    from spielwerk.render import rgb_of

    try:
        pixels = rgb_of(sw.make(sw.games()[-1]).start(), size=64)
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


def _web_page() -> Finding:
    from spielwerk.server.settings import Settings

    if (Settings().page_folder / "index.html").is_file():
        return Finding("web page", "ok", "built")
    return Finding("web page", "absent", "not built; make page builds it")


def _models() -> Finding:
    from spielwerk.agents.network import load_model, shipped_models

    names = shipped_models()
    if not names:
        return Finding("models", "absent", "none are shipped with this release")
    try:
        for name in names:
            load_model(name)
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
