"""What people do before the page: look, click, drag, press keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.web.serving import RunningServer

_SCREENSHOTS = Path(__file__).parents[2] / "build/screenshots"

# The middle of a shape on the screen; a triangle's is not the middle of its box.
_MIDDLE = """
(id) => {
  const element = document.querySelector(`.stage [data-id="${CSS.escape(id)}"]`)
  if (!element) return null
  const points = element.points ? [...element.points] : []
  if (points.length) {
    const x = points.reduce((sum, p) => sum + p.x, 0) / points.length
    const y = points.reduce((sum, p) => sum + p.y, 0) / points.length
    const { x: cx, y: cy } = new DOMPoint(x, y).matrixTransform(element.getScreenCTM())
    return [cx, cy]
  }
  const box = element.getBoundingClientRect()
  return [box.x + box.width / 2, box.y + box.height / 2]
}
"""


class Finger:
    """On a touch screen."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._is_down = False

    def go(self, path: list[tuple[float, float]]) -> None:
        """Down at the first point, if it is not yet, and along the others."""
        for x, y in path:
            kind = "touchMove" if self._is_down else "touchStart"
            self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y, "id": 0}]})
            self._is_down = True


class Person:
    """One browser with one page."""

    def __init__(self, context: Any, server: RunningServer) -> None:
        self.context = context
        self.server = server
        self.page = context.new_page()
        self.complaints: list[str] = []
        self.clicks_passes = True  # or the page plays those that are forced
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._listen)

    def _listen(self, message: Any) -> None:
        # A server that is away, or a refusal that the page shows, is no fault of the page.
        expected = re.search(
            r"ERR_CONNECTION_REFUSED|WebSocket connection|blocked by Playwright|status of (404|409|400)", message.text
        )
        if message.type in ("error", "warning") and not expected:
            self.complaints.append(message.text)

    def prefer(self, **wishes: Any) -> None:
        """What the page then remembers of this person."""
        if not self.page.url.startswith(self.server.url):
            self.visit("/about")
        script = """wishes => {
          const before = JSON.parse(localStorage.getItem('spielwerk.preferences') ?? '{}')
          localStorage.setItem('spielwerk.preferences', JSON.stringify({...before, ...wishes}))
        }"""
        self.page.evaluate(script, wishes)

    def visit(self, path: str) -> None:
        self.page.goto(self.server.url + path)
        self.page.wait_for_selector("main > *")

    def open_table(self, game: str, rules: dict[str, Any] | None = None, opponent: str = "random") -> str:
        """A table against an agent, in the seat this browser is given."""
        count = len(next(one for one in self.server.get("/api/games") if one["name"] == game)["seats"])
        seats = [{"kind": "human"}] + [{"kind": "agent", "level": opponent}] * (count - 1)
        opened = self.server.post("/api/tables", {"game": game, "rules": rules or {}, "seats": seats})
        self.take(opened["id"], opened["tokens"])
        return str(opened["id"])

    def take(self, table: str, tokens: dict[str, str]) -> None:
        """Sits down with tokens got elsewhere."""
        if not self.page.url.startswith(self.server.url):
            self.visit("/about")
        if self.clicks_passes:
            self.prefer(playsPasses=False, throwsDice=False)
        script = "([id, tokens]) => localStorage.setItem('spielwerk.tokens', JSON.stringify({[id]: tokens}))"
        self.page.evaluate(script, [table, tokens])
        self.visit(f"/t/{table}")

    def table(self, id: str) -> Any:
        return self.server.get(f"/api/tables/{id}")

    def wait_for_turn(self) -> None:
        """Until the board can be played on, or the game is over."""
        self.page.wait_for_selector(".board.playable, .table:has(button:has-text('Rematch'))")

    @property
    def may_play(self) -> bool:
        return bool(self.page.locator(".board.playable").count())

    def middle(self, shape: str) -> tuple[float, float]:
        x, y = self.page.evaluate(_MIDDLE, shape)
        return x, y

    def click_hit(self, hit: dict[str, Any]) -> None:
        """By its area on the board, or by the button the page made of it."""
        if self.page.evaluate(_MIDDLE, hit["area"]) is None:
            label = hit["label"]
            self.page.get_by_role("button", name=label if isinstance(label, str) else label["en"], exact=True).click()
            return
        self.page.mouse.click(*self.middle(hit["area"]))
        choice = self.page.locator(".choice button").first
        if choice.is_visible():
            choice.click()

    def drag(self, source: str, target: str) -> None:
        mouse = self.page.mouse
        mouse.move(*self.middle(source))
        mouse.down()
        mouse.move(*self.middle(target), steps=8)
        mouse.up()

    @contextmanager
    def finger(self) -> Iterator[Finger]:
        """One finger that stays down until it is no longer needed."""
        session = self.context.new_cdp_session(self.page)
        yield Finger(session)
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        session.detach()

    def touch(self, *paths: list[tuple[float, float]]) -> None:
        """Fingers go down at the first points of their paths, along them together, and up at the last ones."""
        session = self.context.new_cdp_session(self.page)

        def tell(kind: str, points: list[tuple[float, float]]) -> None:
            fingers = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

        steps = list(zip(*paths, strict=True))
        for count in range(1, len(paths) + 1):  # one finger after the other
            tell("touchStart", list(steps[0][:count]))
        for points in steps[1:]:
            tell("touchMove", list(points))
        tell("touchEnd", [])
        session.detach()

    def wait_for_ply(self, ply: int) -> None:
        self.page.wait_for_selector(f"[data-ply='{ply}']")

    def keep_screenshot(self, name: str) -> None:
        _SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=_SCREENSHOTS / f"{name}.png")
