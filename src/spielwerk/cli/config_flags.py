"""Flags from the fields of dataclasses: a config is described once, where it is defined."""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, get_type_hints

from spielwerk.border import quoted
from spielwerk.cli.hints import did_you_mean

MAX_FILE_BYTES = 1_000_000

_WANTED = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def add_config(parser: argparse.ArgumentParser, configs: Mapping[str, type]) -> None:
    """A flag for every field of any of the configs; `given_flags` reads them."""
    for name in _names(configs):
        owners = {title: _fields(config)[name] for title, config in configs.items() if name in _fields(config)}
        kind = _kind(next(config for config in configs.values() if name in _fields(config)), name)
        settings: dict[str, Any] = {"dest": name, "default": argparse.SUPPRESS, "help": _help(owners, configs)}
        if kind is bool:
            settings["action"] = argparse.BooleanOptionalAction
        else:
            settings |= {"type": _reader(kind), "metavar": {int: "N", float: "X"}.get(kind, name.upper())}
        parser.add_argument(_flag(name), **settings)


def given_flags(arguments: argparse.Namespace, config: type, configs: Mapping[str, type]) -> dict[str, Any]:
    """The fields that were set on the command line; ValueError for those of another config."""
    given = {name: getattr(arguments, name) for name in _names(configs) if hasattr(arguments, name)}
    for name in given:
        if name not in _fields(config):
            owner = next(title for title, other in configs.items() if name in _fields(other))
            raise ValueError(f"{_flag(name)} belongs to {owner}")
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


def checked_values(source: str, values: Mapping[str, Any], config: type) -> dict[str, Any]:
    """Values from outside with the names and types of the config's fields; - and _ are the same in names."""
    checked = {}
    for key, value in values.items():
        name = key.replace("-", "_")
        if name not in _fields(config):
            hint = did_you_mean(name, _fields(config)) or f"; there are: {', '.join(_fields(config))}"
            raise ValueError(f"{source} has no setting '{quoted(key, 40)}'{hint}")
        checked[name] = _checked(source, name, value, _kind(config, name))
    return checked


def flags_for(config: Any, always: tuple[str, ...] = ()) -> list[str]:
    """The words on the command line that make this config."""
    words = []
    for entry in fields(config):
        value = getattr(config, entry.name)
        if value == entry.default and entry.name not in always:
            continue
        if isinstance(value, bool):
            words.append(_flag(entry.name) if value else f"--no-{_flag(entry.name)[2:]}")
        else:
            words += [_flag(entry.name), str(value)]
    return words


def _names(configs: Mapping[str, type]) -> list[str]:
    return list(dict.fromkeys(name for config in configs.values() for name in _fields(config)))


def _fields(config: type) -> dict[str, Field[Any]]:
    return {entry.name: entry for entry in fields(config)}


def _kind(config: type, name: str) -> type:
    kind: type = get_type_hints(config)[name]
    return kind


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _help(owners: Mapping[str, Field[Any]], configs: Mapping[str, type]) -> str:
    first = next(iter(owners.values()))
    only = f"{', '.join(owners)} only: " if len(owners) < len(configs) else ""
    defaults = {title: _shown(entry.default) for title, entry in owners.items() if entry.default is not MISSING}
    different = len(set(defaults.values())) > 1
    shown = ", ".join(f"{title} {value}" for title, value in defaults.items()) if different else _shown(first.default)
    return f"{only}{first.metadata['help']} ({shown})"


def _shown(default: Any) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    return f"{default:_}" if isinstance(default, int) else str(default)


def _reader(kind: type) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            return kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be {_WANTED[kind]}, not '{quoted(text, 40)}'") from None

    return read


def _checked(source: str, name: str, value: Any, kind: type) -> Any:
    if kind is float and type(value) is int:
        return float(value)
    if kind is int and type(value) is float and value.is_integer():
        return int(value)
    if type(value) is not kind:
        raise ValueError(f"{source}: {name} must be {_WANTED[kind]}, not {value!r:.40}")
    return value
