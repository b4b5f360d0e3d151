"""Small charts as inline SVG, coloured by the page they stand in."""

from collections.abc import Sequence
from html import escape

from spielwerk.balance.study import Share

_WIDE, _HIGH = 180, 18
_HISTOGRAM = (200, 64)
_MOST_BARS = 25


def interval(score: Share, sides: int) -> str:
    """A score with its interval between 0 and 100 %, and a mark where all sides would be even."""
    low, high = score.low, score.high
    even = _WIDE / sides
    label = f"{100 * score.rate:.1f} %, from {100 * low:.1f} to {100 * high:.1f}"
    middle = _HIGH / 2
    return (
        f'<svg class="interval" viewBox="-6 0 {_WIDE + 12} {_HIGH}" role="img" aria-label="{label}">'
        f'<line class="track" x1="0" x2="{_WIDE}" y1="{middle}" y2="{middle}"/>'
        f'<line class="even" x1="{even:.1f}" x2="{even:.1f}" y1="1" y2="{_HIGH - 1}"/>'
        f'<rect class="spread" x="{_WIDE * low:.1f}" y="{middle - 4}" width="{_WIDE * (high - low):.1f}"'
        f' height="8" rx="2"/>'
        f'<circle class="dot" cx="{_WIDE * score.rate:.1f}" cy="{middle}" r="4.5"/></svg>'
    )


def histogram(values: Sequence[int], title: str) -> str:
    """How often each length occurred."""
    width, height = _HISTOGRAM
    lowest, highest = min(values), max(values)
    step = max(1, -(-(highest - lowest + 1) // _MOST_BARS))
    counts = [0] * ((highest - lowest) // step + 1)
    for value in values:
        counts[(value - lowest) // step] += 1
    bar, most = width / len(counts), max(counts)
    bars = "".join(
        f'<rect class="bar" x="{number * bar + 0.5:.1f}" y="{height - height * count / most:.1f}"'
        f' width="{max(1.0, bar - 1):.1f}" height="{height * count / most:.1f}"/>'
        for number, count in enumerate(counts)
    )
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><svg class="histogram" viewBox="0 0 {width} {height + 14}"'
        f' role="img" aria-label="{escape(title)}: from {lowest} to {highest}">{bars}'
        f'<line class="track" x1="0" x2="{width}" y1="{height}" y2="{height}"/>'
        f'<text x="0" y="{height + 12}">{lowest}</text>'
        f'<text x="{width}" y="{height + 12}" text-anchor="end">{highest}</text></svg></figure>'
    )


def shares(parts: Sequence[tuple[str, int]], kinds: Sequence[str]) -> str:
    """A bar of parts; `kinds` lists all there are, so that one kind looks the same in every bar."""
    total, x, drawn = sum(count for _, count in parts), 0.0, []
    for name, count in parts:
        width = 100 * count / total
        drawn.append(
            f'<rect class="kind-{kinds.index(name)}" x="{x:.2f}" y="0" width="{width:.2f}" height="10">'
            f"<title>{escape(name)}: {count}</title></rect>"
        )
        x += width
    label = ", ".join(f"{name} {100 * count / total:.0f} %" for name, count in parts)
    return (
        f'<svg class="shares" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
        f"{''.join(drawn)}</svg>"
    )


def board(size: int, values: dict[str, float], marked: str, title: str) -> str:
    """A chequerboard whose squares tell a share from 0 to 1; `marked` is a square that has none."""
    cell = 36
    drawn = []
    for row in range(size):
        for column in range(size):
            name = f"{chr(ord('a') + column)}{size - row}"
            drawn.append(_square(name, column * cell, row * cell, cell, values.get(name), name == marked))
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<svg class="board" viewBox="0 0 {size * cell} {size * cell}" role="img" aria-label="{escape(title)}">'
        f"{''.join(drawn)}</svg></figure>"
    )


def _square(name: str, x: int, y: int, cell: int, value: float | None, marked: bool) -> str:
    box = f'x="{x}" y="{y}" width="{cell}" height="{cell}"'
    if value is None:
        sign = "●" if marked else ""
        return f'<rect class="empty" {box}/><text x="{x + cell / 2}" y="{y + cell / 2 + 5}">{sign}</text>'
    side = "more" if value >= 0.5 else "less"
    strength = abs(value - 0.5) * 2
    return (
        f'<rect class="empty" {box}/><rect class="{side}" {box} fill-opacity="{0.7 * strength:.2f}">'
        f"<title>{name}: {100 * value:.0f} %</title></rect>"
        f'<text x="{x + cell / 2}" y="{y + cell / 2 + 4}">{100 * value:.0f}</text>'
    )
