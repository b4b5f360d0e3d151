"""Optional packages: which extra brings each, and one clear line where it is missing.

`pip install spielwerk` brings what environments need; the extras in pyproject.toml bring the rest. They are read from
the installed metadata, so that they are written down once.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType

# Packages whose module has another name than they have.
_MODULES = {"markdown-it-py": "markdown_it", "pillow": "PIL"}


class MissingExtraError(ImportError, ValueError):
    """A package that an extra would bring is not installed."""


@dataclass(frozen=True)
class Requirement:
    """A package that spielwerk asks for: always, or for one of its extras."""

    name: str
    oldest: str
    extra: str | None

    @property
    def module(self) -> str:
        """What `import` calls it."""
        return _MODULES.get(self.name, self.name.replace("-", "_"))


@cache
def requirements() -> list[Requirement]:
    """Everything that the metadata asks for, except for what builds, tests and describes spielwerk."""
    from importlib.metadata import requires  # takes longer to load than all the rest here

    return [entry for entry in _read(requires("spielwerk") or []) if entry.extra not in ("dev", "docs")]


def need(module: str) -> ModuleType:
    """The module, or MissingExtraError with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise explained(error) from None


def explained(error: ModuleNotFoundError) -> ImportError:
    """The error with the extra that brings the missing package; the error itself where there is none."""
    missing = (error.name or "").partition(".")[0]
    extra = next((entry.extra for entry in requirements() if entry.module == missing and entry.extra), None)
    if extra is None:
        return error
    return MissingExtraError(
        f"this needs {missing}, which is not installed; pip install 'spielwerk[{extra}]' brings it"
    )


def _read(lines: list[str]) -> Iterator[Requirement]:
    for line in lines:
        package = re.match(r"([\w.-]+)(?:\[[\w,.-]*\])?\s*(?:>=([\w.]+))?", line)
        extra = re.search(r"""extra == ["']([\w-]+)""", line)
        if package and package[1] != "spielwerk":
            yield Requirement(package[1].lower(), package[2] or "0", extra[1] if extra else None)
