"""Arguments that commands share, and what they stand for."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import get_args

import spielwerk as sw
from spielwerk.border import ascii_line, quoted
from spielwerk.games import Game, Parameter, parameter_of, rule_value
from spielwerk.hints import did_you_mean
from spielwerk.render.scene import Lang

DEFAULT_RULESET = "pferdeaepfel/trail"
LANGUAGES: tuple[Lang, ...] = get_args(Lang)


def add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rule",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="set a rule parameter, as often as needed ('spielwerk games' lists them)",
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, metavar="N", help="whole number; the same one gives the same result")


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for other programs")


def add_runs_dir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--runs-dir", type=Path, default=Path("runs"), metavar="DIR", help="the folder of run folders (./runs)"
    )


def add_language(parser: argparse.ArgumentParser) -> None:
    """Adds --lang; `language_of` reads it."""
    parser.add_argument("--lang", choices=LANGUAGES, help="language of the texts (otherwise LC_ALL or LANG decides)")


def plain_text(text: str) -> str:
    try:
        return ascii_line(text, "it")
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("it ")) from None


def positive_number(text: str) -> float:
    with suppress(ValueError):
        if 0 < (number := float(text)) < math.inf:
            return number
    raise argparse.ArgumentTypeError(f"must be a number above 0, not '{quoted(text, 40)}'")


def whole_number(text: str) -> int:
    """A whole number from 1 to as many as the core can count."""
    with suppress(ValueError):
        if 0 < (number := int(text)) < 2**63:
            return number
    raise argparse.ArgumentTypeError(f"must be a whole number above 0, not '{quoted(text, 40)}'")


def language_of(chosen: Lang | None, environment: Mapping[str, str] = os.environ) -> Lang:
    """The language asked for, else the one the environment names, else English."""
    if chosen is not None:
        return chosen
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(variable):
            return next((lang for lang in LANGUAGES if value.lower().startswith(lang)), "en")
    return "en"


def make_game(ruleset: str, rules: Sequence[str]) -> Game:
    """The game that a ruleset's name and texts like `size=6` describe."""
    if ruleset not in sw.games():
        hint = did_you_mean(ruleset, sw.games())
        raise ValueError(f"unknown ruleset '{quoted(ruleset, 60)}'{hint or '; there are: ' + ', '.join(sw.games())}")
    plain = sw.make(ruleset)
    return sw.make(ruleset, **dict(_rule(plain, text) for text in rules))


def _rule(game: Game, text: str) -> tuple[str, bool | int | str]:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise ValueError(f"a rule is written name=value, like size=6, not '{quoted(text, 40)}'")
    return name, rule_value(parameter_of(game, name), value)


def allowed_values(parameter: Parameter) -> str:
    """What a parameter may be, in a few characters."""
    if parameter.kind == "int":
        return f"{parameter.minimum}–{parameter.maximum}"
    return {"bool": "true or false", "choice": " or ".join(parameter.choices)}.get(parameter.kind, "text")


def add_ray(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ray",
        nargs="?",
        const="",
        metavar="ADDRESS",
        help="work on the Ray cluster at HOST:PORT (auto: the one of this machine); without, on a Ray of its own",
    )
