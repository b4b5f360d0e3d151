"""The build backend: scikit-build-core, with the web page built first where it is missing.

Node is asked for from PyPI only where it is needed: the page is not built yet and the machine has none.
"""

from __future__ import annotations

from typing import Any

import build_page  # beside this file, which is where a backend is looked for
from scikit_build_core import build as backend
from scikit_build_core.build import (
    build_editable,
    get_requires_for_build_editable,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """What a wheel needs to be built, Node included where it is missing."""
    return [*backend.get_requires_for_build_wheel(config_settings), *_node()]


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    """The same for a source archive: it carries the built page, so that those who install it need no Node."""
    return [*backend.get_requires_for_build_sdist(config_settings), *_node()]


def build_wheel(directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """A wheel with the page in it."""
    _ensure_page()
    return backend.build_wheel(directory, config_settings, metadata_directory)


def build_sdist(directory: str, config_settings: Settings = None) -> str:
    """A source archive with the page in it."""
    _ensure_page()
    return backend.build_sdist(directory, config_settings)


def _node() -> list[str]:
    return [] if build_page.is_built() or build_page.is_node_there() else [build_page.NODE_PACKAGE]


def _ensure_page() -> None:
    if not build_page.is_built():
        build_page.build()
