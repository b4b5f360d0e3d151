"""What MkDocs cannot know by itself: pages that are written from the code, and links that leave docs/.

`make docs` builds the site with this as a hook of mkdocs.yml.
"""

from __future__ import annotations

import ast
import json
import os
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # MkDocs loads hooks as files

from scripts import environment_pages  # noqa: E402
from spielwerk import rule_pages  # noqa: E402
from spielwerk.cli.command import command_names  # noqa: E402
from spielwerk.cli.parsing import parser_of  # noqa: E402
from spielwerk.games import games  # noqa: E402

# Files outside docs/ that are pages of the site; README.md is the front door of the repository instead.
OUTSIDE = {
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "conformance/README.md": "conformance.md",
}
NOTEBOOK = ROOT / "examples" / "solving_small_boards.ipynb"
WIDTH_OF_HELP = "100"


# -- hooks -----------------------------------------------------------------------------------------


def on_config(config: MkDocsConfig) -> None:
    """Fills the parts of the navigation that follow from the games; a page that has no place yet is a guide."""
    lists = {
        "Environments": [f"{environment_pages.FOLDER}/index.md", *_entries(environment_pages.titles())],
        "In English": _entries(_rule_titles("en")),
        "Auf Deutsch": _entries(_rule_titles("de")),
    }
    config.nav = _filled(config.nav, lists)
    guides = next(entry["Guides"] for entry in config.nav if "Guides" in entry)
    guides += sorted(path.name for path in Path(config.docs_dir).glob("*.md") if path.name not in _pages_of(config.nav))


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Adds the generated pages."""
    for place, content in generated_pages().items():
        files.append(File.generated(config, place, content=content))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links between files of the repository become links between pages."""
    del config, files
    return linked(markdown, _source_of(page.file.src_uri), page.file.src_uri)


# -- pages -----------------------------------------------------------------------------------------


def generated_pages() -> dict[str, str]:
    """Every page that is not in docs/, by its place in the site."""
    return {
        **environment_pages.pages(),
        **{page: (ROOT / file).read_text(encoding="utf-8") for file, page in OUTSIDE.items()},
        "reference/command-line.md": command_line(),
        "examples.md": examples(),
        "notebook.md": notebook(),
    }


def command_line() -> str:
    """The help of every command."""
    os.environ["COLUMNS"] = WIDTH_OF_HELP
    parts = [f"## spielwerk {name}\n\n```text\n{parser_of(name).format_help()}```\n" for name in command_names()]
    return "# Command line\n\nWhat `spielwerk COMMAND --help` says.\n\n" + "\n".join(parts)


def examples() -> str:
    """A line for each program in examples/, its first words."""
    rows = [f"| `examples/{path.name}` | {_first_line(path)} |" for path in sorted((ROOT / "examples").glob("*.py"))]
    others = (
        "| `examples/engines/random_engine.js` | an engine in JavaScript ([protocol](engine-protocol.md)) |\n"
        "| `examples/tictactoe/` | a whole game ([start](start/game.md)) |\n"
        "| `examples/solving_small_boards.ipynb` | a notebook ([read it here](notebook.md)) |\n"
    )
    return (
        "# Examples\n\nSmall whole programs. Tests run every one of them; those for other libraries run against the "
        "libraries themselves (`make test-adapters`).\n\n| file | |\n|---|---|\n" + "\n".join(rows) + "\n" + others
    )


def notebook() -> str:
    """The notebook as a page; its code runs in a test."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(_cell(cell["cell_type"], "".join(cell["source"])) for cell in cells) + "\n"


def _cell(kind: str, text: str) -> str:
    return text if kind == "markdown" else f"```python\n{text}\n```"


def _first_line(path: Path) -> str:
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


# -- navigation ------------------------------------------------------------------------------------


def _entries(titles: dict[str, str]) -> list[dict[str, str]]:
    return [{title: page} for page, title in titles.items()]


def _rule_titles(lang: Any) -> dict[str, str]:
    indexes = {f"{name.partition('/')[0]}/index" for name in games()}
    pages = sorted([*games(), *indexes], key=lambda page: (page.partition("/")[0], page not in indexes, page))
    found = {page: rule_pages.title(page, lang) for page in pages}  # a game may do without
    return {f"rules/{lang}/{page}.md": title for page, title in found.items() if title}


def _filled(entry: Any, lists: dict[str, Any]) -> Any:
    if isinstance(entry, list):
        return [_filled(one, lists) for one in entry]
    if isinstance(entry, dict):
        return {title: lists.get(title, _filled(value, lists)) for title, value in entry.items()}
    return entry


def _pages_of(entry: Any) -> set[str]:
    if isinstance(entry, str):
        return {entry}
    return set().union(*map(_pages_of, entry.values() if isinstance(entry, dict) else entry))


# -- links -----------------------------------------------------------------------------------------

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!\w+:|#)([^)#\s]+)(#[^)]*)?\)")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def linked(markdown: str, source: str, place: str) -> str:
    """The text of the file `source` as the page `place`; a link to what is no page becomes its path."""

    def replaced(match: re.Match[str]) -> str:
        text, target, anchor = match[1], match[2], match[3] or ""
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        page = _page_of(file)
        if page is None:
            return text if file in text else f"{text} (`{file}`)"
        return f"[{text}]({posixpath.relpath(page, posixpath.dirname(place) or '.')}{anchor})"

    parts, last = [], 0
    for fence in _FENCE.finditer(markdown):
        parts += [_LINK.sub(replaced, markdown[last : fence.start()]), fence[0]]
        last = fence.end()
    return "".join(parts) + _LINK.sub(replaced, markdown[last:])


def _source_of(place: str) -> str:
    """The file of the repository that a page comes from; generated ones are as if they lay in docs/."""
    return next((file for file, page in OUTSIDE.items() if page == place), f"docs/{place}")


def _page_of(file: str) -> str | None:
    if file in OUTSIDE:
        return OUTSIDE[file]
    if file == "README.md":
        return "index.md"
    return file.removeprefix("docs/") if file.startswith("docs/") else None
