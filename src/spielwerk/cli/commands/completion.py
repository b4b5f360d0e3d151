"""Print a script that lets your shell complete commands, options and rulesets.

bash: add `eval "$(spielwerk completion bash)"` to ~/.bashrc; zsh: the same with zsh in ~/.zshrc, after compinit;
fish: `spielwerk completion fish > ~/.config/fish/completions/spielwerk.fish`.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable

EXAMPLES = """
spielwerk completion bash
spielwerk completion fish > ~/.config/fish/completions/spielwerk.fish
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=sorted(_WRITERS), help="whose script")


def run(arguments: argparse.Namespace) -> int:
    print(_WRITERS[arguments.shell](_words()), end="")
    return 0


def _words() -> dict[str, list[str]]:
    """What may follow each command: its options, and the rulesets."""
    from spielwerk.cli.command import command_names
    from spielwerk.cli.parsing import parser_of
    from spielwerk.games import games

    return {name: [*parser_of(name).options, *games()] for name in command_names()}


def _bash(words: dict[str, list[str]]) -> str:
    return f"""_spielwerk() {{
  local words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="--help --version {" ".join(words)}"
  else
    case "${{COMP_WORDS[1]}}" in
{_cases(words, lambda after: f'words="{after}"')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _spielwerk spielwerk
"""


def _zsh(words: dict[str, list[str]]) -> str:
    return f"""#compdef spielwerk
_spielwerk() {{
  if (( CURRENT == 2 )); then
    compadd -- --help --version {" ".join(words)}
  else
    case "${{words[2]}}" in
{_cases(words, lambda after: f"compadd -- {after}")}
    esac
    _files
  fi
}}
compdef _spielwerk spielwerk
"""


def _cases(words: dict[str, list[str]], branch: Callable[[str], str]) -> str:
    return "\n".join(f"      {name}) {branch(' '.join(after))} ;;" for name, after in words.items())


def _fish(words: dict[str, list[str]]) -> str:
    from spielwerk.cli.command import load_command, summary

    lines = ["complete -c spielwerk -n __fish_use_subcommand -l help", "complete -c spielwerk -l version"]
    for name, after in words.items():
        summed_up = shlex.quote(summary(load_command(name)))
        lines.append(f"complete -c spielwerk -n __fish_use_subcommand -f -a {name} -d {summed_up}")
        inside = f"complete -c spielwerk -n '__fish_seen_subcommand_from {name}'"
        lines += [f"{inside} -l {word[2:]}" for word in after if word.startswith("--")]
        lines.append(f"{inside} -a '{' '.join(word for word in after if not word.startswith('--'))}'")
    return "\n".join(lines) + "\n"


_WRITERS: dict[str, Callable[[dict[str, list[str]]], str]] = {"bash": _bash, "fish": _fish, "zsh": _zsh}
