"""Flags from the fields of configs: a setting is described once, where it is defined."""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field
from pathlib import Path
from typing import Any

from spielwerk.border import quoted
from spielwerk.training.config import KIND_NAMES, RunConfig, flag, kind_of, settings_of

MAX_FILE_BYTES = 1_000_000
Configs = Mapping[str, type[RunConfig]]


def add_config(parser: argparse.ArgumentParser, configs: Configs) -> None:
    """A flag for every setting of any of the configs, under its former name too; `given_flags` reads them."""
    for name in _names(configs):
        owners = {title: settings_of(config)[name] for title, config in configs.items() if name in settings_of(config)}
        kind = kind_of(configs[next(iter(owners))], name)
        settings: dict[str, Any] = {"dest": name, "default": argparse.SUPPRESS, "help": _help(owners, configs)}
        if kind is bool:
            settings["action"] = argparse.BooleanOptionalAction
        else:
            settings |= {"type": _reader(kind), "metavar": {int: "N", float: "X"}.get(kind, name.upper())}
        former = next(iter(owners.values())).metadata["formerly"]
        parser.add_argument(*map(flag, filter(None, (name, former))), **settings)


def given_flags(arguments: argparse.Namespace, config: type[RunConfig], configs: Configs) -> dict[str, Any]:
    """The settings from the command line; ValueError for those of another config."""
    given = {name: getattr(arguments, name) for name in _names(configs) if hasattr(arguments, name)}
    for name in given:
        if name not in settings_of(config):
            owner = next(title for title, other in configs.items() if name in settings_of(other))
            raise ValueError(f"{flag(name)} belongs to {owner}")
    return given


def read_config_file(path: Path) -> dict[str, Any]:
    """A JSON or TOML file as a dict."""
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES)
    try:
        document = tomllib.loads(data.decode()) if path.suffix == ".toml" else json.loads(data)
    except (ValueError, RecursionError) as error:
        kind = "TOML" if path.suffix == ".toml" else "JSON"
        raise ValueError(f"{path} cannot be read as {kind}: {error}") from None
    if not isinstance(document, dict):
        raise ValueError(f"{path} must hold names and values")
    return document


def _names(configs: Configs) -> list[str]:
    return list(dict.fromkeys(name for config in configs.values() for name in settings_of(config)))


def _help(owners: Mapping[str, Field[Any]], configs: Configs) -> str:
    first = next(iter(owners.values()))
    only = f"{', '.join(owners)} only: " if len(owners) < len(configs) else ""
    defaults = {title: _shown(entry.default) for title, entry in owners.items() if entry.default is not MISSING}
    different = len(set(defaults.values())) > 1
    shown = ", ".join(f"{title} {value}" for title, value in defaults.items()) if different else _shown(first.default)
    return f"{only}{first.metadata['help']} ({shown})"


def _shown(default: Any) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    return f"{default:_}" if isinstance(default, int) else str(default) or "none"


def _reader(kind: type) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            return _whole_number(text) if kind is int else kind(text)
        except (ValueError, OverflowError):
            raise argparse.ArgumentTypeError(f"must be {KIND_NAMES[kind]}, not '{quoted(text, 40)}'") from None

    return read


def _whole_number(text: str) -> int:
    """Digits, or a power of ten as people write large numbers: 1e6."""
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if not number.is_integer():
            raise
        return int(number)
