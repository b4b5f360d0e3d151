"""Rule pages as HTML that is safe to show: no markup of its own, no scripts, no outside resources."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

_PACKAGE = Path(__file__).parents[1]
# Installed with the package, or beside it in a clone.
_FOLDERS = (_PACKAGE / "rules", _PACKAGE.parents[1] / "docs" / "rules")
_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PICTURE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\.svg")

LANGUAGES = ("en", "de")


@lru_cache(maxsize=64)
def rule_page(lang: str, game: str, ruleset: str) -> tuple[str, str] | None:
    """Title and HTML of a page, None where there is none; `index` is a game's own page."""
    text = _read(lang, game, ruleset)
    if text is None:
        return None
    return _head(text)[0], _renderer().render(text, {"game": game})


def title_and_summary(lang: str, name: str) -> tuple[str, str]:
    """The head of a ruleset's page: its title and its summary; its name where it has no page."""
    game, _, ruleset = name.partition("/")
    head = _head(_read(lang, game, ruleset) or "")
    return head[0] or name, head[1]


def picture(file: str) -> bytes | None:
    """A picture of a rule page."""
    if not _PICTURE.fullmatch(file):
        return None
    path = next((path for folder in _FOLDERS if (path := folder / "img" / file).is_file()), None)
    return path.read_bytes() if path else None


def _read(lang: str, game: str, ruleset: str) -> str | None:
    if lang not in LANGUAGES or not _WORD.fullmatch(game) or not _WORD.fullmatch(ruleset):
        return None
    for folder in _FOLDERS:
        path = folder / lang / game / f"{ruleset}.md"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    return None


def _head(text: str) -> tuple[str, str]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    title, summary, *_ = [*lines, "", ""]
    return title.removeprefix("# "), summary


@lru_cache(maxsize=1)
def _renderer() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.core.ruler.push("our_addresses", _use_our_addresses)
    return markdown


def _use_our_addresses(state: Any) -> None:
    """Links between pages lead to the page's routes, pictures to the server's; styles in markup are dropped."""
    game = state.env.get("game", "")
    for token in _all_tokens(state.tokens):
        token.attrs.pop("style", None)
        if token.type == "link_open":
            token.attrs["href"] = _route(str(token.attrs.get("href", "")), game)
        if token.type == "image":
            token.attrs["src"] = f"/api/rules/img/{Path(str(token.attrs.get('src', ''))).name}"
            token.attrs["loading"] = "lazy"


def _route(address: str, game: str) -> str:
    """`trail.md` and `../ludo/ffa.md` become routes of the page; other addresses stay as they are."""
    path, mark, fragment = address.partition("#")
    if "://" in address or not path.endswith(".md"):
        return address
    parts = path.removesuffix(".md").split("/")
    ruleset = parts[-1]
    other = parts[-2] if len(parts) > 1 and parts[-2] not in ("..", ".") else game
    return f"/rules/{other}/{ruleset}{mark}{fragment}"


def _all_tokens(tokens: list[Any]) -> list[Any]:
    return [each for token in tokens for each in (token, *(token.children or ()))]
