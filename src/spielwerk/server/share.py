"""What a link shows where it is shared: title, sentence and picture (Open Graph), in the head of the page.

A private table tells nothing but that it is one: whoever forwards an invitation shows no position and no names.
"""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple

from starlette.requests import Request

from spielwerk import catalogue, rule_pages
from spielwerk.games import games
from spielwerk.render.scene import Label, Lang
from spielwerk.server import views
from spielwerk.server.limits import Budgets, client_of
from spielwerk.server.protocol import Refused, Words
from spielwerk.server.settings import Settings
from spielwerk.server.tables import Tables

_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d{1,5})?|\[[0-9a-fA-F:]+\](:\d{1,5})?")
_TABLE = re.compile(r"/t/([A-Za-z0-9_-]{1,40})(?:/(\d{1,6}))?/?")
_RULES = re.compile(r"/rules/([a-z0-9-]{1,40}/[a-z0-9-]{1,40})/?")
_PICTURE = "/share.png"
_SIZE = 1200

_ABOUT = Label(
    "Board games to play with friends or against opponents of every strength.",
    "Brettspiele, mit Freunden oder gegen Gegner jeder Stärke.",
)
_PRIVATE = Label("A game among friends. Come and play!", "Eine Partie unter Freunden. Spiel mit!")
_WAITING = Label("A seat is free. Sit down and play!", "Ein Platz ist frei. Setz dich und spiel mit!")


class Card(NamedTuple):
    """How a link is shown."""

    title: str
    sentence: str
    picture: str = _PICTURE


class Sharing:
    """Makes the cards of a server's pages."""

    def __init__(self, settings: Settings, tables: Tables, budgets: Budgets) -> None:
        self._settings = settings
        self._tables = tables
        self._budgets = budgets

    async def head(self, request: Request) -> str:
        """Elements for the head of the page at the address asked for."""
        lang = _language(request)
        return _elements(await self._card(request, lang), self._origin(request), request.url.path, lang)

    async def _card(self, request: Request, lang: Lang) -> Card:
        path = request.url.path
        if table := _TABLE.fullmatch(path):
            return await self._table(table[1], table[2], client_of(request.scope), lang)
        if (rules := _RULES.fullmatch(path)) and rules[1] in games():
            title = catalogue.full_title(rules[1]).in_language(lang)
            return Card(title, rule_pages.one_line_rules(rules[1], lang) or _ABOUT.in_language(lang))
        return Card("Spielwerk", _ABOUT.in_language(lang))

    async def _table(self, table_id: str, ply: str | None, client: str, lang: Lang) -> Card:
        try:
            log = (await self._tables.get(table_id)).log
        except Refused:
            return Card("Spielwerk", _ABOUT.in_language(lang))
        if not log.setup.public and not log.setup.uploaded:
            return Card("Spielwerk", _PRIVATE.in_language(lang))
        self._budgets.charge_plies(client, len(log.actions))
        shown = min(int(ply), len(log.actions)) if ply else len(log.actions)
        picture = f"/api/tables/{table_id}/plies/{shown}/picture.png?size={_SIZE}&lang={lang}"
        result = views.result_view(log)
        said = result.text if result else _WAITING if log.status == "waiting" else _ABOUT
        return Card(catalogue.full_title(log.game.name).in_language(lang), _said(said, lang), picture)

    def _origin(self, request: Request) -> str:
        """Where pictures are fetched from: what the operator named, or the address the page was asked under."""
        if self._settings.origins:
            return self._settings.origins[0].rstrip("/")
        host = request.headers.get("host", "")
        return f"{request.url.scheme}://{host}" if _HOST.fullmatch(host) else ""


def _said(words: Words, lang: Lang) -> str:
    return words if isinstance(words, str) else words.in_language(lang)


def _language(request: Request) -> Lang:
    """The first of ours that the reader asks for."""
    wanted = re.findall(r"\b(en|de)\b", request.headers.get("accept-language", "")[:200].lower())
    return "de" if wanted[:1] == ["de"] else "en"


def _elements(card: Card, origin: str, path: str, lang: Lang) -> str:
    properties = {
        "og:site_name": "Spielwerk",
        "og:type": "website",
        "og:locale": {"en": "en_GB", "de": "de_DE"}[lang],
        "og:title": card.title,
        "og:description": card.sentence,
        "og:url": origin + path,
        "og:image": origin + card.picture,
    }
    lines = [f'<meta property="{name}" content="{escape(content)}" />' for name, content in properties.items()]
    return "\n    ".join([*lines, '<meta name="twitter:card" content="summary_large_image" />'])
