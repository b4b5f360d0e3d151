"""The rule pages, in English and German: `<lang>/<game>/<ruleset>.md`, first its title, then its summary."""

from __future__ import annotations

import re
from pathlib import Path

from spielwerk.render.scene import Lang

_PACKAGE = Path(__file__).parent
# Installed with the package, or beside it in a clone.
_FOLDERS = (_PACKAGE / "rules", _PACKAGE.parents[1] / "docs" / "rules")

_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def rule_page(ruleset: str, lang: Lang) -> str | None:
    """The page of a ruleset as Markdown for a terminal: pictures and links become words."""
    text = markdown(ruleset, lang)
    return None if text is None else _LINK.sub(r"\1", _IMAGE.sub(r"*[\1]*", text))


def title(page: str, lang: Lang) -> str | None:
    """The title of a ruleset's page, or with `<game>/index` of a game's."""
    lines = _head(page, lang)
    return lines[0] if lines else None


def one_line_rules(ruleset: str, lang: Lang) -> str | None:
    """The summary of a ruleset's page."""
    lines = _head(ruleset, lang)
    return lines[1] if len(lines) > 1 else None


def _head(page: str, lang: Lang) -> list[str]:
    text = markdown(page, lang) or ""
    return [line.removeprefix("# ").strip() for line in text.splitlines() if line.strip()][:2]


def markdown(page: str, lang: Lang) -> str | None:
    """The page as it is written. A page that does not come from our own list of names must be checked first."""
    for folder in _FOLDERS:
        path = folder / lang / f"{page}.md"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    return None


def lessons() -> str:
    """First steps by game, as JSON; server.lessons knows what it means."""
    path = next(path for folder in _FOLDERS if (path := folder / "lessons.json").is_file())
    return path.read_text(encoding="utf-8")


def picture(file: str) -> bytes | None:
    path = next((path for folder in _FOLDERS if (path := folder / "img" / file).is_file()), None)
    return path.read_bytes() if path else None
