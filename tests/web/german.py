"""Whether a text belongs to the German page: to its own texts, to what the server said in German, or to no language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import spielwerk as sw
from spielwerk import rule_pages
from spielwerk.render.description import description_of

_TEXTS = [Path(__file__).parents[2] / "web/src" / name for name in ("texts.ts", "lab/texts.ts")]
_ENTRY = re.compile(r"^  '([\w.-]+)':\s*'((?:[^'\\]|\\.)*)',$", re.MULTILINE)
_BETWEEN = re.compile(r"\s+[·–—]\s+|:\s+|;\s+|,\s+|\s+\(|\)$|[.,:;]$|\s+")

# Titles that are the same in both languages, people of the tests, and what an address or a command is made of.
NAMES = {
    "Spielwerk", "Pferdeäpfel", "Ludo", "DiavoloPP", "Original", "Standard", "Figtree", "Bricolage Grotesque",
    "Kim", "Zoë", "Deutsch", "PNG", "SVG", "GIF", "spielwerk serve --host 0.0.0.0",
}  # fmt: skip

# What has no language (nor has a row of such words): numbers, moments, addresses, notation of moves, signs.
_KINDS = re.compile(
    r"[+−±–-]?\d+([.,]\d+)?( ?%| s| Mio\.)?"
    r"|\d{1,2}\.\d{1,2}\.\d{4}(, \d\d:\d\d)?|\d\d:\d\d"
    r"|https?://\S+"
    r"|@?[a-h][1-8]([@-]([a-h][1-8])?)?|-|pass|swap|d[1-6]|\d"
    r"|\d+,\d+([+-]\d+,\d+)*"
    r"|[a-h]|(Gr|Ge|B|R)\d?|\d+×\d+|\d+ : \d+|\d+\.\d+\.\d+"
    r"|[←→↑↓●○▲✓…:·–+=#/(){}\[\].,;|×−]+"
)
_NO_LANGUAGE = re.compile(rf"({_KINDS.pattern})( ({_KINDS.pattern}))*")

# Every {en, de} that reaches the page, by HTTP or by WebSocket, and every rule page.
LISTENING = """
(() => {
  const heard = (window.heardGerman = [])
  const listen = (value) => {
    if (Array.isArray(value)) value.forEach(listen)
    else if (value && typeof value === 'object') {
      if (typeof value.de === 'string' && typeof value.en === 'string') heard.push(value.de)
      else Object.values(value).forEach(listen)
    }
  }
  const read = (text) => { try { listen(JSON.parse(text)) } catch { return } }
  const ask = window.fetch
  window.fetch = async (...given) => {
    const answer = await ask(...given)
    await answer.clone().text().then(read)
    return answer
  }
  const Socket = window.WebSocket
  window.WebSocket = class extends Socket {
    constructor(...given) {
      super(...given)
      this.addEventListener('message', ({ data }) => read(data))
    }
  }
})()
"""

# All that a person sees or a screen reader says. What is in another language on purpose says so (lang).
VISIBLE = """
() => {
  const NAMED = ['aria-label', 'title', 'placeholder', 'alt', 'label', 'aria-description']
  const found = new Set([document.title])
  const add = (text) => text && text.trim() && found.add(text.replace(/\\s+/g, ' ').trim())
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('script, noscript, style, article, [lang="en"]')) continue
    for (const name of NAMED) add(element.getAttribute(name))
    if (element.closest('code')) continue
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) add(node.data)
  }
  return [...found]
}
"""


@cache
def page_texts() -> dict[str, str]:
    """The German texts of the page and of its laboratory, by key."""
    return {key: text for file in _TEXTS for key, text in _texts_in(file).items()}


def _texts_in(file: Path) -> dict[str, str]:
    source = file.read_text(encoding="utf-8")
    german = source[source.index("const de:") :].replace(":\n    '", ": '")
    found = {key: text.replace("\\'", "'") for key, text in _ENTRY.findall(german)}
    keys = set(re.findall(r"^  '([\w.-]+)':", german, re.MULTILINE))
    assert keys == set(found), f"this reading of {file.name} missed some"
    return found


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    texts = [text for text in page_texts().values() if "{" in text]
    return tuple(re.compile(r"(.*?)".join(map(re.escape, re.split(r"\{\w+\}", text)))) for text in texts)


class German:
    """What may be read on one page."""

    def __init__(self, heard: Iterable[str]) -> None:
        self._whole = {*page_texts().values(), *map(_one_line, heard), *NAMES, *_titles(), *names_of_games()}

    def has(self, text: str, depth: int = 4) -> bool:
        """The text as a whole, filled into a text with gaps, or put together from parts."""
        text = text.strip()
        if not text or text in self._whole or _NO_LANGUAGE.fullmatch(text):
            return True
        if depth == 0:
            return False
        for pattern in _patterns():
            if (found := pattern.fullmatch(text)) and all(self.has(part, depth - 1) for part in found.groups()):
                return True
        return any(
            self.has(text[: cut.start()], depth - 1) and self.has(text[cut.end() :], depth - 1)
            for cut in _BETWEEN.finditer(text)
            if (cut.start(), cut.end()) not in ((0, len(text)), (0, 0))
        )


@cache
def _titles() -> set[str]:
    pages = [path.relative_to(folder).with_suffix("") for folder in _german_pages() for path in folder.rglob("*.md")]
    return {title for page in pages if (title := rule_pages.title(page.as_posix(), "de"))}


@cache
def names_of_games() -> set[str]:
    """What games are called. One without rule pages in German shows its ruleset's id and the core's English line."""
    named = {title.de for name in sw.games() if (title := description_of(name).title)}
    plain = [name for name in sw.games() if not rule_pages.title(name, "de")]
    return named | {name.partition("/")[2] for name in plain} | {sw.make(name).summary for name in plain}


def _german_pages() -> list[Path]:
    return [Path(__file__).parents[2] / "docs/rules/de"]


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def foreign(page: Any) -> list[str]:
    """The texts on this page that are not German."""
    visible = page.evaluate(VISIBLE)  # first: what comes later is heard, too
    german = German(page.evaluate("window.heardGerman"))
    return [text for text in visible if not german.has(text)]
