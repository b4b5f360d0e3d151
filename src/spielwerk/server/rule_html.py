"""Rule pages as HTML that is safe to show: no markup of its own, no scripts, no outside resources."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from markdown_it import MarkdownIt

from spielwerk import rule_pages
from spielwerk.render.scene import Lang
from spielwerk.render.theme import Theme, standalone_css

_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SIZE = re.compile(r'width="(\d+)" height="(\d+)"')
_PICTURE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*(?:\.de)?\.svg")
_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)

LANGUAGES: tuple[Lang, ...] = get_args(Lang)


@lru_cache(maxsize=64)
def rule_page(lang: str, game: str, ruleset: str) -> tuple[str, str] | None:
    """Title and HTML of a page, None where there is none; `index` is a game's own page."""
    known = next((each for each in LANGUAGES if each == lang), None)
    if known is None or not _WORD.fullmatch(game) or not _WORD.fullmatch(ruleset):
        return None
    name = f"{game}/{ruleset}"
    text = rule_pages.markdown(name, known)
    if text is None:
        return None
    return rule_pages.title(name, known) or name, _renderer().render(text, {"game": game})


@lru_cache(maxsize=256)
def picture(file: str, theme: Theme = "light") -> bytes | None:
    """A picture of a rule page in the colours of a theme; they are kept in those of the light one."""
    found = rule_pages.picture(file) if _PICTURE.fullmatch(file) else None
    return found if found is None or theme == "light" else _in_theme(found.decode(), theme, file).encode()


def _in_theme(svg: str, theme: Theme, file: str) -> str:
    style = f"<style>{standalone_css(theme, file.partition('-')[0])}</style>"
    return _STYLE.sub(lambda _: style, svg.replace("scene-light", f"scene-{theme}"), count=1)


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
            file = Path(str(token.attrs.get("src", ""))).name
            token.attrs |= {"src": f"/api/rules/img/{file}", "loading": "lazy", **_size(file)}


def _size(file: str) -> dict[str, str]:
    """Width and height of a picture: with them the page keeps its room and does not jump when it comes."""
    found = _SIZE.search((picture(file) or b"")[:500].decode(errors="ignore"))
    return {"width": found[1], "height": found[2]} if found else {}


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
