"""What the README begins with; tests/docs runs its code."""

from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_readme_starts_with_the_two_commands() -> None:
    text = README.read_text()
    assert text.index("make play") < text.index("make test") < text.index("```python")
