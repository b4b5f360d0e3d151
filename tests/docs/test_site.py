"""The site builds without a warning, has every page, and fetches nothing from elsewhere."""

import logging
import re
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

import spielwerk as sw
from spielwerk.envs.registration import game_modules

ROOT = Path(__file__).parents[2]
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source)[^>]+src=["']?(?:https?:)?//|<link[^>]+href=["']?(?:https?:)?//"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    heard: list[str] = []
    listener = logging.Handler(logging.WARNING)
    listener.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("mkdocs").addHandler(listener)
    try:
        build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=False))
    finally:
        logging.getLogger("mkdocs").removeHandler(listener)
    assert not heard
    return folder


def html_pages(site: Path) -> list[Path]:
    found = sorted(site.rglob("*.html"))
    assert len(found) > 50
    return found


def test_every_page_has_a_place_and_every_link_a_goal(site: Path) -> None:
    """MkDocs warns of pages that the navigation leaves out, and of links and anchors that lead nowhere."""
    for page in (*(ROOT / "docs").rglob("*.md"),):
        assert (site / page.relative_to(ROOT / "docs")).with_suffix(".html").is_file()


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in html_pages(site):
        assert not FETCHED.search(page.read_text(encoding="utf-8")), page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"@import|url\([\"']?(?:https?:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_links_to_files_of_the_repository_are_pages_or_paths(site: Path) -> None:
    assert 'href="contributing.html' in (site / "index.html").read_text(encoding="utf-8")
    server = (site / "server.html").read_text(encoding="utf-8")
    assert 'href="security.html"' in server
    assert "deploy/nginx.conf" in server and "../deploy" not in server


@pytest.mark.parametrize("name", [name for name in sw.games() if name.partition("/")[0] in game_modules().values()])
def test_each_ruleset_has_a_page_in_the_form_of_the_field(site: Path, name: str) -> None:
    file = site / "environments" / f"{name.replace('/', '-')}.html"
    text = file.read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", "&nbsp;")
    headings = re.findall(r'<h2 id="([\w-]+)"', text)
    assert headings == ["use", "actions", "observations", "rewards", "arguments", "version-history"]
    game = sw.make(name)
    for plane in game.planes:
        assert plane.name in text
    state = game.start(seed=0)
    for action in range(game.num_actions):
        assert f"{action}&nbsp;<code>{state.text(action)}</code>" in text
    for parameter in game.parameters:
        assert f"<code>{parameter.name}</code>" in text


def test_the_reference_knows_the_public_names(site: Path) -> None:
    text = (site / "reference" / "python.html").read_text(encoding="utf-8")
    for name in ("legal_actions", "from_text", "VectorSeat", "IllegalAction", "read_records", "SeatVecEnv"):
        assert name in text
