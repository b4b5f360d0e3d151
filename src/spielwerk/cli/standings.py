"""Reports of the arena as tables at the terminal, and the arguments of commands that make them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from spielwerk.arena.workers import usual_count
from spielwerk.border import quoted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from spielwerk.arena.report import Encounter, Report
    from spielwerk.arena.scores import Score
    from spielwerk.arena.tournament import Tournament
    from spielwerk.arena.workers import Workers

MOST_WORKERS = 256


def add_workers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers",
        type=count_up_to(MOST_WORKERS),
        default=usual_count(),
        metavar="N",
        help="processes that play at the same time (otherwise one for each core)",
    )


def count_up_to(most: int) -> Callable[[str], int]:
    """Reads a whole number from 1 to `most`."""

    def read(text: str) -> int:
        if text.isdecimal() and len(text) < 20 and 1 <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to {most}, not '{quoted(text, 40)}'")

    return read


positive = count_up_to(1_000_000)


Hire = Callable[[], "Workers"]


@contextmanager
def hiring(arguments: argparse.Namespace) -> Iterator[Hire]:
    """The workers that --workers and --ray ask for, once somebody needs them."""
    from spielwerk.arena.workers import workers_for

    hired: list[Workers] = []

    def hire() -> Workers:
        if not hired:
            hired.append(workers_for(arguments.workers, arguments.ray))
        return hired[0]

    try:
        yield hire
    finally:
        for workers in hired:
            workers.close()


def run_with_progress(tournament: Tournament, hire: Hire, title: str) -> None:
    """Plays a tournament with a progress bar on stderr."""
    if tournament.finished < tournament.games:
        workers = hire()
        with _progress(title, tournament) as advance:
            tournament.run(workers, lambda _: advance())


@contextmanager
def _progress(title: str, tournament: Tournament) -> Iterator[Callable[[], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from spielwerk.cli.output import console

    err = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=tournament.games, completed=tournament.finished)
        yield lambda: bar.advance(task)


def print_reports(out: Console, reports: Sequence[Report]) -> None:
    """For each ruleset the encounters by side, then the ratings."""
    for report in reports:
        _print_report(out, report)


def _print_report(out: Console, report: Report) -> None:
    from rich.text import Text

    out.print(Text(report.ruleset.game, "bold"))
    out.print()
    for encounter in report.encounters:
        against = encounter.opponent if len(report.sides) == 2 else f"{len(report.sides) - 1} × {encounter.opponent}"
        out.print(Text.assemble((f"{encounter.player} – {against}", "bold"), (f"  {_facts(encounter)}", "dim")))
        out.print(_by_side(report, encounter))
        out.print()
    out.print(*_ratings(report, out.width), sep="\n")
    for line in _remarks(report):
        out.print(Text(line, "dim"))
    out.print()


def _facts(encounter: Encounter) -> str:
    times = " / ".join(f"{value:.2g}" if value < 10 else f"{value:.0f}" for value in encounter.milliseconds)
    return f"{encounter.distinct} distinct, {encounter.plies:.1f} plies, {times} ms per action"


def _by_side(report: Report, encounter: Encounter) -> Table:
    table = _table(f"  score of {encounter.player} as")
    for heading in ("games", "score", "95 %", "draws"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_row("  any side", *_figures(encounter.score))
    for side, score in zip(report.sides, encounter.by_side, strict=True):
        if score.games:
            table.add_row(f"  {side}", *_figures(score))
    return table


def _figures(score: Score) -> tuple[str, ...]:
    low, high = score.interval
    return str(score.games), f"{100 * score.rate:.1f} %", f"{100 * low:.1f}–{100 * high:.1f}", str(score.draws)


def _ratings(report: Report, width: int) -> Iterator[Table]:
    """The ranking, then each player's score in % against each of the others, by their places: side by side or below."""
    ranking, scores = _ranking(report), _scores(report)
    joint = [[*rated, *scored[1:]] for rated, scored in zip(ranking, scores, strict=True)]
    if sum(2 + max(map(len, column)) for column in zip(*joint, strict=True)) <= width:
        yield _filled(joint, names=2)
    else:
        yield _filled(ranking, names=2)
        yield _filled(scores, names=1)


def _ranking(report: Report) -> list[list[str]]:
    skills = {skill.player: skill for skill in report.skills}
    rows = [["", "rating", "Elo", "95 %", "games", "points", *(["OpenSkill"] if skills else [])]]
    for place, rating in enumerate(report.ratings.players, start=1):
        row = [str(place), rating.player]
        row += ["–", ""] if rating.elo is None else [_elo(rating.elo), f"{_elo(rating.low)} to {_elo(rating.high)}"]
        row += [str(rating.games), f"{rating.points:.1f}"]
        if skills:
            row.append(f"{skills[rating.player].mu:.1f} ± {skills[rating.player].sigma:.1f}")
        rows.append(row)
    return rows


def _scores(report: Report) -> list[list[str]]:
    players = [rating.player for rating in report.ratings.players]
    rows = [["score %", *(str(place) for place, _ in enumerate(players, start=1))]]
    for place, player in enumerate(players, start=1):
        scores = [report.score(player, other) for other in players]
        rows.append([str(place), *("·" if score is None else f"{100 * score.rate:.0f}" for score in scores)])
    return rows


def _filled(rows: Sequence[Sequence[str]], names: int) -> Table:
    """A table with the first row as its heading; only the first `names` columns may be folded."""
    table = _table(*rows[0][:names])
    for heading in rows[0][names:]:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows[1:]:
        table.add_row(*row)
    return table


def _elo(value: float | None) -> str:
    return str(round(value or 0.0))  # as a whole number, since -0 looks odd


def _remarks(report: Report) -> Iterator[str]:
    ratings = report.ratings
    yield f"Elo with {ratings.anchor} = 0" if ratings.anchor else "Elo with a mean of 0, since random did not play"
    if len(ratings.seats) == 2:
        first, (mine, other) = ratings.seats[0], report.sides
        worth = f"{_elo(2 * first.elo)} ({_elo(2 * first.low)} to {_elo(2 * first.high)})"
        yield f"{mine}'s seat against {other}'s: {worth}"
    else:
        for seat in ratings.seats:
            worth = f"{_elo(seat.elo)} ({_elo(seat.low)} to {_elo(seat.high)})"
            yield f"{report.sides[seat.side]}'s seat against the mean: {worth}"
    for encounter in report.encounters:
        if encounter.forfeits:
            yield f"{len(encounter.forfeits)} lost by forfeit, {encounter.forfeits[0]}"


def _table(*headings: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def check_folder(file: Path | None) -> None:
    """ValueError before hours of play when what they lead to could not be written."""
    if file is not None and not file.resolve().parent.is_dir():
        raise ValueError(f"there is no folder {file.resolve().parent}")


def add_picture(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--picture", type=Path, metavar="FILE", help="paint scores and ratings, as .png, .svg or .pdf")


def write_picture(file: Path, reports: list[Report]) -> bool:
    """Paints the reports; a hint and False where matplotlib is not installed."""
    try:
        from spielwerk.arena.plots import paint
    except ImportError:
        print("spielwerk: no picture, since matplotlib is not there; pip install 'spielwerk[arena]'", file=sys.stderr)
        return False
    paint(reports, file)
    return True
