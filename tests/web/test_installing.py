"""The page as an app: manifest, icons, a front page without a server, and new versions that replace old ones."""

from __future__ import annotations

import re
import struct
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import NewPerson
from tests.web.person import Person
from tests.web.serving import RunningServer

# The policy of the page forbids what Playwright's own waiting does.
UNTIL_KEPT = """
() => new Promise((done) => {
  if (navigator.serviceWorker.controller) done()
  else navigator.serviceWorker.addEventListener('controllerchange', () => done())
})
"""
_UNTIL_ONLY_NEW = """
async (old) => {
  for (let tries = 0; tries < 100; tries++) {
    const names = await caches.keys()
    if (names.length === 1 && !old.includes(names[0])) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error('the old version is still kept')
}
"""


@contextmanager
def visitor(chromium: Any, server: RunningServer, locale: str, path: str) -> Iterator[Person]:
    """Somebody whose browser has a service worker, once that is at work."""
    context = chromium.new_context(locale=locale, reduced_motion="reduce")
    try:
        person = Person(context, server)
        person.visit(path)
        person.page.evaluate(UNTIL_KEPT)
        yield person
    finally:
        context.close()


def fetched(server: RunningServer, path: str) -> bytes:
    with urllib.request.urlopen(server.url + path, timeout=10) as answer:
        content: bytes = answer.read()
        return content


def test_the_manifest_names_icons_that_are_there(person: Person) -> None:
    person.visit("/about")
    assert person.page.locator("link[rel=manifest]").get_attribute("href") == "/manifest.webmanifest"
    manifest = person.server.get("/manifest.webmanifest")
    assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")
    purposes = {icon.get("purpose", "any") for icon in manifest["icons"]}
    assert purposes == {"any", "maskable"}
    for icon in manifest["icons"]:
        content = fetched(person.server, icon["src"])
        if icon["type"] == "image/png":
            width, height = struct.unpack(">II", content[16:24])
            assert f"{width}x{height}" == icon["sizes"]


def test_chromium_finds_nothing_that_keeps_it_from_being_installed(new_person: NewPerson) -> None:
    person = new_person(service_workers="allow")
    person.visit("/")
    session = person.context.new_cdp_session(person.page)
    errors = [error["errorId"] for error in session.send("Page.getInstallabilityErrors")["installabilityErrors"]]
    assert [error for error in errors if error != "in-incognito"] == []


@pytest.fixture
def installed(chromium: Any, own_server: RunningServer) -> Iterator[Person]:
    with visitor(chromium, own_server, "de-DE", "/") as person:
        yield person


def test_without_a_server_the_front_page_says_so_and_goes_on_when_it_is_back(
    installed: Person, own_server: RunningServer
) -> None:
    own_server.kill()
    installed.page.reload()
    installed.page.get_by_role("heading", name="Was möchtest du spielen?").wait_for()
    installed.page.get_by_role("heading", name="Der Server ist nicht erreichbar.").wait_for()
    installed.page.get_by_text("nichts ist verloren").wait_for()
    assert installed.page.evaluate("document.fonts.check('16px Figtree')")
    installed.page.goto(own_server.url + "/t/some-table")
    installed.page.locator("main h1, main p").first.wait_for()
    own_server.start()
    installed.page.goto(own_server.url + "/")
    installed.page.get_by_role("button", name="Jetzt spielen: Pferdeäpfel").wait_for()


def test_an_upgrade_is_there_at_the_next_load_and_leaves_nothing_old(
    installed: Person, own_server: RunningServer, tmp_path: Path
) -> None:
    old = installed.page.evaluate("caches.keys()")
    own_server.stop()
    upgrade(tmp_path / "page")
    own_server.start()
    installed.page.reload()
    installed.page.get_by_role("heading", name="Neue Fassung").wait_for()
    installed.page.evaluate(_UNTIL_ONLY_NEW, old)
    own_server.kill()
    installed.page.reload()
    installed.page.get_by_role("heading", name="Neue Fassung").wait_for()


def upgrade(folder: Path) -> None:
    """Another build: other words, and so another name for every file with a hash in its name."""
    scripts = list((folder / "assets").glob("*.js"))
    lists = [folder / "offline.json"] if (folder / "offline.json").exists() else []
    for path in [folder / "index.html", folder / "worker.js", *lists, *scripts]:
        text = path.read_text(encoding="utf-8").replace("Was möchtest du spielen?", "Neue Fassung")
        for script in scripts:
            text = text.replace(script.name, f"neu-{script.name}")
        text = re.sub(r"spielwerk-\$\{\"\w+\"\}", "spielwerk-neu", text)
        path.write_text(re.sub(r'"version":"\w+"', '"version":"neu"', text), encoding="utf-8")
    for script in scripts:
        script.rename(script.with_name(f"neu-{script.name}"))
