"""Generated files in the repository match what generates them."""

import json
import re
from pathlib import Path

import pytest

import spielwerk as sw

ROOT = Path(__file__).parents[1]
RULES = ROOT / "docs/rules"


def test_the_stub_of_the_core_is_current(tmp_path: Path) -> None:
    from scripts.write_stubs import STUB, write_stub

    write_stub(tmp_path / "stub.pyi")
    assert (tmp_path / "stub.pyi").read_text() == STUB.read_text(), "run `make generated`"


def test_the_pictures_of_the_rule_pages_are_current() -> None:
    from scripts.write_pictures import pictures

    for name, svg in pictures().items():
        assert (RULES / "img" / name).read_text() == svg, "run `make generated`"
    assert {path.name for path in (RULES / "img").iterdir()} == set(pictures())


def test_the_page_of_observations_is_current() -> None:
    from scripts.write_observations import PAGE, page_text

    assert PAGE.read_text() == page_text(), "run `make generated`"


def test_the_colours_of_the_web_page_are_current() -> None:
    from scripts.write_theme import TARGET, theme_css

    assert TARGET.read_text() == theme_css(), "run `make generated`"


def test_the_icons_of_the_web_page_are_current() -> None:
    from scripts.write_icons import PUBLIC, pictures
    from spielwerk.render.raster import _decoded

    for name, content in pictures().items():
        kept, painted = (_decoded(one).astype(int) for one in ((PUBLIC / name).read_bytes(), content))
        # Releases of the painter may differ in a pixel's last bit.
        assert kept.shape == painted.shape and abs(kept - painted).mean() < 1, f"{name}: run `make generated`"


def test_the_scenes_the_web_page_is_tested_with_are_current() -> None:
    from scripts.write_web_fixtures import TARGET, fixture_text

    assert TARGET.read_text() == fixture_text(), "run `make generated`"


# A game need not have rule pages; one that does has all of them.
WITH_PAGES = [name for name in sw.games() if any(RULES.glob(f"*/{name.partition('/')[0]}"))]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", WITH_PAGES)
def test_a_game_with_rule_pages_has_them_for_every_ruleset_in_both_languages(name: str, language: str) -> None:
    for page in (RULES / language / f"{name}.md", RULES / language / name.partition("/")[0] / "index.md"):
        lines = page.read_text().splitlines()
        assert lines[0].startswith("# ") and lines[1].strip(), f"{page}: a name, then one sentence"


@pytest.mark.parametrize(("language", "heading"), [("en", "## How to play"), ("de", "## So wird gespielt")])
@pytest.mark.parametrize("name", WITH_PAGES)
def test_a_rule_page_begins_with_how_to_play(name: str, language: str, heading: str) -> None:
    """Before the specification: a few steps that a newcomer reads in half a minute."""
    sections = re.split(r"^(## .*)$", (RULES / language / f"{name}.md").read_text(), flags=re.MULTILINE)
    assert sections[1] == heading
    steps = re.findall(r"^\d\. ", sections[2], re.MULTILINE)
    assert 4 <= len(steps) <= 6 and len(sections[2].split()) < 160


@pytest.mark.parametrize("page", sorted(RULES.glob("*/*/*.md")), ids=lambda page: str(page.relative_to(RULES)))
def test_links_of_rule_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_picture_is_shown_on_a_page() -> None:
    for language, ending in (("en", ".svg"), ("de", ".de.svg")):
        shown = "".join(page.read_text() for page in RULES.glob(f"{language}/*/*.md"))
        for name in json.loads((RULES / "pictures.json").read_text()):
            assert name.replace(".svg", ending) in shown, f"{name} is on no page of language {language}"
