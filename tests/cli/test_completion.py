"""Completion of commands, options and rulesets, tried out in every shell that is installed."""

import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.cli.command import command_names

Cli = Callable[..., Any]


def completed(script: str, *words: str) -> list[str]:
    """What bash offers for the last of the words."""
    typed = " ".join(f"'{word}'" for word in words)
    program = (
        f"{script}\nCOMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _spielwerk\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, timeout=20)
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="BASH IS NOT TESTED: it is not installed")
def test_bash_completes_commands_options_and_rulesets(cli: Cli) -> None:
    script = cli("completion", "bash").out
    assert set(completed(script, "spielwerk", "")) == {"--help", "--version", *command_names()}
    assert completed(script, "spielwerk", "doc") == ["doctor"]
    assert completed(script, "spielwerk", "play", "--wat") == ["--watch"]
    assert completed(script, "spielwerk", "play", "pferdeaepfel/") == [
        name for name in sw.games() if name.startswith("pferdeaepfel/")
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_script_is_a_script(cli: Cli, shell: str) -> None:
    code, script, err = cli("completion", shell)
    assert (code, err) == (0, "")
    assert all(name in script for name in [*command_names(), *sw.games()])
    if shutil.which(shell) is None:
        pytest.skip(f"THE SCRIPT FOR {shell.upper()} IS NOT RUN: {shell} is not installed")
    subprocess.run([shell, "-n"], input=script, text=True, check=True, timeout=20)
