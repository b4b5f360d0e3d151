"""Results inside a page that people write: between two comments, so that what stands around them stays."""

from pathlib import Path

from spielwerk.durable import write_durably

END = "<!-- end of results -->"


def write_results(page: Path, script: str, text: str) -> None:
    """Puts the text where the page has the results of this script."""
    begin = f"<!-- results: written by benchmarks/{script} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(END)
    if not (found and ended):
        raise SystemExit(f"{page} has no place for results between {begin} and {END}")
    write_durably(page, f"{before}{begin}\n\n{text.strip()}\n\n{END}{after}".encode())
