"""What people feel of the page, in a real browser: first load, largest paint, jumps, frames a second, axe.

    python benchmarks/page.py [--runs 5] [--axe]

The server runs in a process of its own on loopback. Every load has an empty cache; figures are medians. Frames are
counted while the board of DiavoloPP with side 24 is zoomed and moved; `--axe` counts violations of every kind.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.web.serving import RunningServer  # noqa: E402

PAGES = ("/", "/new", "/watch", "/lobby", "/rules", "/rules/pferdeaepfel/classic", "/rules/ludo/ffa", "/learn/ludo")
THEMES = ("light", "dark", "contrast")
SIDE = 24
FRAMES_SECONDS = 4
_AXE = ROOT / "web/node_modules/axe-core/axe.min.js"

_WATCHING = """
window.seen = { paint: 0, shift: 0 }
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.seen.paint = entry.startTime
}).observe({ type: 'largest-contentful-paint', buffered: true })
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.seen.shift += entry.value
}).observe({ type: 'layout-shift', buffered: true })
"""
_COUNT_FRAMES = """
(seconds) => new Promise((done) => {
  const times = []
  const next = (now) => {
    times.push(now)
    if (now - times[0] < seconds * 1000) requestAnimationFrame(next)
    else done(times.slice(1).map((time, index) => time - times[index]))
  }
  requestAnimationFrame(next)
})
"""


@contextmanager
def browser_and_server() -> Iterator[tuple[Any, RunningServer]]:
    from playwright.sync_api import sync_playwright

    path = os.environ.get("SPIELWERK_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = RunningServer(Path(folder))
        server.start()
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser, server
        finally:
            browser.close()
            server.stop()


def load(browser: Any, server: RunningServer, path: str) -> dict[str, float]:
    """One load with an empty cache: kilobytes over the line, largest paint in ms, sum of layout shifts."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, service_workers="block")
    page = context.new_page()
    page.add_init_script(_WATCHING)
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    page.goto(server.url + path)
    page.wait_for_load_state("networkidle")
    _scroll_through(page)
    seen = page.evaluate("window.seen")
    context.close()
    return {"kB": sum(sizes) / 1000, "LCP ms": seen["paint"], "CLS": seen["shift"]}


def _scroll_through(page: Any) -> None:
    """Pictures further down come when they are near: they must not move anything either."""
    for _ in range(8):
        page.mouse.wheel(0, 600)
        page.wait_for_timeout(60)


def frames(browser: Any, server: RunningServer) -> tuple[float, float]:
    """Frames a second while a large board is zoomed and moved, and the ms that 95 of 100 frames stay below."""
    seats = [{"kind": "human"}, {"kind": "agent", "level": "random"}]
    opened = server.post("/api/tables", {"game": "diavolo/standard", "rules": {"side": SIDE}, "seats": seats})
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(server.url + "/about")
    tokens = {opened["id"]: opened["tokens"]}
    page.evaluate("tokens => localStorage.setItem('spielwerk.tokens', JSON.stringify(tokens))", tokens)
    page.goto(f"{server.url}/t/{opened['id']}")
    page.wait_for_selector(".board.playable")
    box = page.locator(".stage svg.scene").bounding_box()
    counted = page.evaluate_handle(f"() => ({{ frames: ({_COUNT_FRAMES})({FRAMES_SECONDS}) }})")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for turn in range(12):
        page.mouse.move(x + 80 * (turn % 3), y, steps=4)
        page.mouse.wheel(0, -120 if turn % 4 < 2 else 120)
        page.mouse.down()
        page.mouse.move(x + 60, y + 60, steps=6)
        page.mouse.up()
    lengths = sorted(page.evaluate("held => held.frames", counted))
    page.context.close()
    return 1000 / statistics.mean(lengths), lengths[int(len(lengths) * 0.95)]


def violations(browser: Any, server: RunningServer, path: str, theme: str) -> int:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(server.url + "/about")
    page.evaluate("t => localStorage.setItem('spielwerk.preferences', JSON.stringify({ theme: t }))", theme)
    page.goto(server.url + path)
    page.wait_for_load_state("networkidle")
    page.evaluate(_AXE.read_text())
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    for one in found:
        print(f"  {path} {theme}: {one['id']}: {one['nodes'][0]['html'][:120]}")
    context.close()
    return len(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="loads of each page; the median counts")
    parser.add_argument("--axe", action="store_true", help="also count what axe finds, in every theme")
    arguments = parser.parse_args()
    with browser_and_server() as (browser, server):
        print("| page | kB | LCP ms | CLS |\n|---|---|---|---|")
        for path in PAGES:
            loads = [load(browser, server, path) for _ in range(arguments.runs)]
            kilobytes, paint, shift = (statistics.median(one[name] for one in loads) for name in loads[0])
            print(f"| `{path}` | {kilobytes:.0f} | {paint:.0f} | {shift:.3f} |", flush=True)
        rate, slow = frames(browser, server)
        print(f"\nDiavoloPP, side {SIDE}: {rate:.0f} frames/s, 95 % of frames below {slow:.0f} ms")
        if arguments.axe:
            total = sum(violations(browser, server, path, theme) for path in PAGES for theme in THEMES)
            print(f"axe: {total} violations on {len(PAGES)} pages in {len(THEMES)} themes")


if __name__ == "__main__":
    main()
