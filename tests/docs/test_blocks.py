"""Every block of code in the docs runs as it is printed, page by page and from top to bottom.

A block that cannot run here says why, in a comment before it (`<!-- not run: needs a GPU -->`), and is still read:
Python must compile, and a command line must have arguments that exist.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from scripts.docs_site import generated_pages
from spielwerk.cli.parsing import read_arguments

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<why>[^\n]+) -->\n)?^```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
LANGUAGES = {"python", "sh"}
FILES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("conformance/*.md")])
WRITTEN = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in FILES}
PAGES = WRITTEN | {name: text for name, text in generated_pages().items() if name.endswith(".md")}


class Block(NamedTuple):
    language: str
    code: str
    line: int
    why_not_run: str | None


def blocks(text: str) -> list[Block]:
    return [
        Block(match["language"], match["code"], text[: match.start("code")].count("\n") + 1, match["why"])
        for match in BLOCK.finditer(text)
    ]


def pages_with_code() -> list[str]:
    return [name for name, text in PAGES.items() if any(block.language in LANGUAGES for block in blocks(text))]


def command_lines(block: Block) -> Iterator[list[str]]:
    """Words after `spielwerk`, of shell blocks and of transcripts, whose commands stand after a $."""
    start = r"^(?:\$ )?" if block.language == "sh" else r"^\$ "
    for line in block.code.replace("\\\n", " ").splitlines():
        if command := re.match(start + r"(?:PYTHONPATH=src python -m )?spielwerk (.*)", line):
            yield shlex.split(command[1], comments=True)


# PettingZoo's check prefers plain boxes, though its own board games have dicts too.
@pytest.mark.filterwarnings("ignore:Observation (space for each agent|is not a NumPy)")
@pytest.mark.parametrize("page", pages_with_code())
def test_the_blocks_of_a_page_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    names: dict[str, object] = {"__name__": page}
    for block in blocks(PAGES[page]):
        if block.why_not_run is not None or block.language not in LANGUAGES:
            continue
        if block.language == "python":
            exec(compile("\n" * (block.line - 1) + block.code, page, "exec"), names)
        else:
            shell = ["bash", "-euo", "pipefail", "-c", block.code]
            done = subprocess.run(shell, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, f"{page}, line {block.line}:\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", sorted(PAGES))
def test_blocks_that_do_not_run_are_right_as_far_as_one_can_read(page: str) -> None:
    for block in blocks(PAGES[page]):
        if block.language == "python" and block.why_not_run is not None:
            compile(block.code, f"{page}, line {block.line}", "exec")
        for words in command_lines(block):
            read_arguments(words)


def test_every_shell_block_is_marked_as_one() -> None:
    unmarked = [
        f"{page}, line {block.line}"
        for page, text in WRITTEN.items()
        for block in blocks(text)
        if not block.language and block.code.startswith(("spielwerk ", "make ", "pip ", "python "))
    ]
    assert not unmarked
