"""Studies of balance as one page of HTML that needs nothing from outside."""

from collections.abc import Iterable, Sequence
from html import escape

from spielwerk.arena.report import side_names
from spielwerk.balance import charts
from spielwerk.balance.findings import findings
from spielwerk.balance.study import Cell, Study
from spielwerk.games import rules_text
from spielwerk.render.theme import preferred_colours

_STYLE = """
*{box-sizing:border-box}
body{margin:0 auto;padding:24px 16px 64px;max-width:1080px;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:28px;margin:0 0 8px}
h2{font-size:22px;margin:48px 0 0;border-top:1px solid var(--hairline);padding-top:24px}
h3{font-size:16px;margin:32px 0 8px}
p,li{max-width:72ch}.quiet,figcaption,th{color:var(--muted);font-size:14px;font-weight:400}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{text-align:right;padding:4px 8px;border-bottom:1px solid var(--hairline);white-space:nowrap;vertical-align:middle}
th:first-child,td:first-child{text-align:left;padding-left:0}th.chart,td.chart{text-align:left}
tr.standing td{font-weight:600}code{font:14px ui-monospace,monospace}
figure{margin:0}.row{display:flex;flex-wrap:wrap;gap:24px;margin:24px 0}
svg{display:block}svg text{fill:var(--muted);font-size:11px}
.interval{width:192px;height:18px}.track{stroke:var(--hairline)}.even{stroke:var(--muted);stroke-dasharray:2 2}
.spread{fill:var(--accent);fill-opacity:.35}.dot{fill:var(--accent)}
.histogram{width:200px}.bar{fill:var(--accent);fill-opacity:.75}
.shares{width:100%;min-width:240px;height:14px}
.kind-0{fill:var(--accent)}.kind-1{fill:var(--brown-body)}.kind-2{fill:var(--golden-body)}.kind-3{fill:var(--green-body)}
.kind-4{fill:var(--red-body)}.kind-5{fill:var(--blue-body)}.kind-6{fill:var(--muted)}.kind-7{fill:var(--hairline)}
.legend{list-style:none;padding:0;margin:8px 0;display:flex;flex-wrap:wrap;gap:4px 16px;font-size:14px}
.legend svg{display:inline-block;width:12px;height:12px;margin-right:6px}
.board{width:min(360px,90vw)}.board text{fill:var(--ink);text-anchor:middle;font-size:12px}
.empty{fill:var(--cell-light);stroke:var(--hairline)}.more{fill:var(--accent)}.less{fill:var(--brown-body)}
details{margin:16px 0}summary{cursor:pointer;color:var(--accent)}
"""
_KINDS_SHOWN = 8
_ANY_SIDE = "score"


def page(studies: Sequence[Study], command: str, version: str) -> str:
    names = ", ".join(study.game.name for study in studies)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>Balance of {escape(names)}</title><style>{preferred_colours()}{_STYLE}</style></head><body>"
        f"<h1>How fair are the rules?</h1><p class='quiet'>The same player sits on every seat, so that only the rules"
        f" make a difference. A draw is a point shared. Intervals are Wilson's, of 95 %, in which equal games"
        f" count once; those of lengths come from resampling (bootstrap). Written by spielwerk {escape(version)}:"
        f" <code>{escape(command)}</code></p>" + "".join(map(_section, studies)) + "</body></html>\n"
    )


def _section(study: Study) -> str:
    rules = rules_text(study.game.rules)
    found = "".join(f"<li>{escape(text)}</li>" for text in findings(study))
    opening = f" Games open with {study.plan.opening} random turns." if study.plan.opening else ""
    return (
        f"<section><h2>{escape(study.game.name)}</h2><p class='quiet'><code>{escape(rules)}</code></p><ul>{found}</ul>"
        f"<h3>At several strengths</h3><p class='quiet'>Seed {study.plan.seed}.{opening}</p>{_levels(study)}"
        f"{_endings(study)}{_lengths(study)}{_variants(study)}</section>"
    )


# -- strengths --------------------------------------------------------------------------------------


def _levels(study: Study) -> str:
    rows, score = [], _score_heading(study.levels)
    for cell in study.levels:
        mean, low, high = cell.length
        first = [f"<code>{escape(cell.level)}</code>", f"{len(cell.samples):,}", f"{cell.distinct:,}"]
        last = [f"{100 * cell.drawn:.1f} %", f"{mean:.1f} ({low:.1f}–{high:.1f})", f"{cell.choices:.1f}"]
        for number, row in enumerate(_sides(cell, named=score == _ANY_SIDE)):
            rows.append([*first, *row, *last] if number == 0 else [*[""] * len(first), *row, *[""] * len(last)])
    return _table(["player", "games", "distinct", score, ".chart", "draws", "decisions", "choices"], rows)


def _score_heading(cells: Sequence[Cell]) -> str:
    """Of two sides the first is enough."""
    names = {side_names(cell.variant.game) for cell in cells}
    only = names.pop() if len(names) == 1 else ()
    return f"{escape(only[0])}'s score" if len(only) == 2 else _ANY_SIDE


def _sides(cell: Cell, *, named: bool) -> Iterable[list[str]]:
    names, scores = side_names(cell.variant.game), cell.scores
    for name, score in zip(names, scores[:1] if len(scores) == 2 else scores, strict=False):
        yield [f"{escape(name)} {score}" if named else str(score), charts.interval(score, len(scores))]


def _endings(study: Study) -> str:
    names = side_names(study.game)
    totals = sum((cell.endings for cell in study.levels), start=study.levels[0].endings - study.levels[0].endings)
    kinds = [_ending(key, names) for key, _ in totals.most_common(_KINDS_SHOWN)]
    rows = []
    for cell in study.levels:
        parts = [(_ending(key, names), count) for key, count in sorted(cell.endings.items())]
        shown = [(kind, count) for kind, count in parts if kind in kinds]
        rows.append([f"<code>{escape(cell.level)}</code>", charts.shares(shown, kinds)])
    legend = "".join(
        f'<li><svg viewBox="0 0 10 10"><rect class="kind-{number}" width="10" height="10"/></svg>{escape(kind)}</li>'
        for number, kind in enumerate(kinds)
    )
    return f'<h3>What ends the games</h3><ul class="legend">{legend}</ul>' + _table(["player", ".chart"], rows)


def _ending(key: tuple[str, int], names: Sequence[str]) -> str:
    reason, side = key
    return f"{reason}, after {names[side]}'s action"


def _lengths(study: Study) -> str:
    drawn = "".join(charts.histogram(cell.lengths, cell.level) for cell in study.levels)
    return f'<h3>Length in decisions</h3><div class="row">{drawn}</div>'


# -- other rules ------------------------------------------------------------------------------------


def _variants(study: Study) -> str:
    if not study.screened:
        return ""
    return (
        f"<h3>Under other rules</h3><p class='quiet'>{len(study.screened)} variants were screened by"
        f" <code>{escape(study.strongest.level)}</code> in up to {study.plan.screening} games each. The fairest of them"
        " were played again in full, and stand here in the order of their fairness beside the rules as they stand.</p>"
        + _ranking(study.ranking, study)
        + _boards(study)
        + f"<details><summary>All {len(study.screened)} as screened</summary>"
        + _ranking(sorted(study.screened, key=lambda cell: abs(cell.advantage.value)), study)
        + "</details>"
    )


def _ranking(cells: Sequence[Cell], study: Study) -> str:
    with_captures = any(reason == "capture" for cell in cells for reason, _ in cell.endings)
    score = _score_heading(cells)
    head = ["rules", "games", "distinct", score, ".chart", "draws", "decisions", "choices", "proved"]
    head += ["captures"] if with_captures else []
    rows = [_ranked(cell, study, named=score == _ANY_SIDE, with_captures=with_captures) for cell in cells]
    return _table(head, rows, _standing_row(cells))


def _ranked(cell: Cell, study: Study, *, named: bool, with_captures: bool) -> list[str]:
    names, proof = side_names(cell.variant.game), study.proofs.get(cell.variant.label)
    proved = "" if proof is None else "draw" if proof.side is None else names[proof.side]
    row = [
        f"<code>{escape(cell.variant.label)}</code>",
        f"{len(cell.samples)}",
        f"{cell.distinct}",
        *list(_sides(cell, named=named))[cell.advantage.side],
        f"{100 * cell.drawn:.1f} %",
        f"{cell.length[0]:.1f}",
        f"{cell.choices:.1f}",
        escape(proved),
    ]
    captures = " – ".join(str(cell.captures(number)) for number in range(len(names)))
    return [*row, captures] if with_captures else row


def _standing_row(cells: Sequence[Cell]) -> int | None:
    return next((number for number, cell in enumerate(cells) if not cell.variant.changes), None)


def _boards(study: Study) -> str:
    """The first squares as a map, where they were varied one at a time."""
    drawn = []
    for name, other in (("white_start", "black_start"), ("black_start", "white_start")):
        values = {
            str(change[name]): cell.scores[0].rate
            for cell in study.screened
            for change in cell.variant.alike
            if set(change) == {name}
        }
        if len(values) > 1:
            values[str(study.game.rules[name])] = study.strongest.scores[0].rate
            size, square = int(study.game.rules["size"]), str(study.game.rules[other])
            moved, rests = name.partition("_")[0].capitalize(), other.partition("_")[0].capitalize()
            title = f"White's score in % when {moved} starts there; {rests} starts on {square}"
            drawn.append(charts.board(size, values, square, title))
    return f'<div class="row">{"".join(drawn)}</div>' if drawn else ""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], standing: int | None = None) -> str:
    """Columns whose heading begins with a point hold charts."""
    chart = [heading.startswith(".") for heading in head]
    cells = "".join(
        f'<th class="chart"><span hidden>{heading[1:]}</span></th>' if is_chart else f"<th>{heading}</th>"
        for heading, is_chart in zip(head, chart, strict=True)
    )
    opening = {True: '<td class="chart">', False: "<td>"}
    body = "".join(
        ('<tr class="standing">' if number == standing else "<tr>")
        + "".join(f"{opening[is_chart]}{cell}</td>" for cell, is_chart in zip(row, chart, strict=True))
        + "</tr>"
        for number, row in enumerate(rows)
    )
    return f'<div class="wide"><table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>'
