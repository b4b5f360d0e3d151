"""A browser, a server and a person before them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.person import Person
from tests.web.serving import RunningServer

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
BUILT = Path(__file__).parents[2] / "src/spielwerk/server/page"

NewPerson = Callable[..., Person]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; without one, these tests say so as loudly as a skipped test can."""
    path = os.environ.get("SPIELWERK_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip("NO CHROMIUM, THE PAGE IS NOT TESTED: install it (Debian: chromium) or set SPIELWERK_CHROMIUM")
    if not (BUILT / "index.html").exists():
        pytest.fail("the page is not built: run `make page`")
    sync_api = pytest.importorskip("playwright.sync_api", reason="NO PLAYWRIGHT, THE PAGE IS NOT TESTED")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[RunningServer]:
    """With a copy of the page, which a test may change as an upgrade does."""
    shutil.copytree(BUILT, tmp_path / "page")
    with RunningServer(tmp_path, tmp_path / "page") as running:
        yield running


@pytest.fixture
def new_person(chromium: Any, server: RunningServer) -> Iterator[NewPerson]:
    """Opens browsers with memories of their own; nothing may go wrong in any of them unnoticed."""
    people: list[Person] = []

    def new(**wishes: Any) -> Person:
        usual = {
            "viewport": {"width": 1280, "height": 800},
            "locale": "en-GB",
            "reduced_motion": "reduce",
            "service_workers": "block",  # what it keeps would hide what the server does; its own tests allow it
        }
        context = chromium.new_context(**{**usual, **wishes})
        context.set_default_timeout(10_000)
        people.append(Person(context, server))
        return people[-1]

    yield new
    for person in people:
        complaints = person.complaints
        person.context.close()
        assert complaints == []


@pytest.fixture
def person(new_person: NewPerson) -> Person:
    return new_person()
