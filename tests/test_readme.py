"""The README's Python runs as it is printed, from top to bottom."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
SNIPPETS = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)


def test_the_readme_starts_with_the_two_commands() -> None:
    text = README.read_text()
    assert text.index("make play") < text.index("make test") < text.index("```python")


def test_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert SNIPPETS
    names: dict[str, object] = {}
    for number, snippet in enumerate(SNIPPETS, start=1):
        exec(compile(snippet, f"README snippet {number}", "exec"), names)
