"""How strong the searching agents are: a table of scores against greedy, on every ruleset, by side.

Two seats: `alphabeta`, `mcts`, and `puct` with the ruleset's shipped network, 20 ms for an action. Ludo: `expectimax`
alone against three `greedy`, and as a team against a team. With --store games are kept, and the same command with more
--games adds to them.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from results_page import write_results

import spielwerk as sw
from spielwerk import _core, machine
from spielwerk.arena.report import Encounter, Report, report
from spielwerk.arena.schedule import Schedule, usual_opening
from spielwerk.arena.scores import Score
from spielwerk.arena.store import GameStore, Ruleset
from spielwerk.arena.tournament import Meeting, Tournament
from spielwerk.cli.standings import hiring, run_with_progress
from spielwerk.games import Game, sides_of

OPPONENT = "greedy"
SEARCHERS = ("alphabeta:ms=20", "mcts:ms=20", "puct:ms=20")
WITH_DICE = ("expectimax:depth=3",)

# Random turns at the start, for variety. In trail only White's first jump: Black wins from the start position by
# answering every jump with its reflection, and a random answer would give that away.
SHORT_OPENING = {"pferdeaepfel/trail": 1}


def opening_of(game: Game) -> int:
    return SHORT_OPENING.get(game.name, usual_opening(game))


def meetings(game: Game, games: int, seed: int) -> list[Meeting]:
    opening = opening_of(game)
    others = [OPPONENT] * (len(sides_of(game)) - 1)
    players = WITH_DICE if game.has_chance else SEARCHERS
    able = [player for player in players if sw.agent(player).plays(game)]  # not every game has a network
    schedules = [Schedule(game, (player, *others), seed, opening) for player in able]
    return [Meeting(schedule, schedule.pairings_for(games)) for schedule in schedules]


def measured(game: Game, options: argparse.Namespace, store: GameStore) -> Report:
    playing = meetings(game, options.games, options.seed)
    tournament = Tournament(playing, store)
    with hiring(options) as hire:
        run_with_progress(tournament, hire, game.name)
    players = [meeting.schedule.lineup[0] for meeting in playing]
    return report(Ruleset.of(game), tournament.results, [*players, OPPONENT])


# The table


def results(reports: Sequence[Report], options: argparse.Namespace) -> str:
    foot = (
        f"{machine.processor()}, core {_core.build}, {options.workers} at a time{options.note and f'; {options.note}'}."
    )
    return "\n".join([*table(reports), "", foot])


def table(reports: Sequence[Report]) -> Iterator[str]:
    yield "| ruleset | opening | favours | player | games | distinct | any side | by side |"
    yield "|---|---:|---|---|---:|---:|---:|---|"
    for item in reports:
        opening = opening_of(sw.make(item.ruleset.game))
        for encounter in item.encounters:
            cells = [item.ruleset.game, str(opening), favoured(item), *figures(item, encounter)]
            yield f"| {' | '.join(cells)} |"


def favoured(item: Report) -> str:
    if len(item.sides) > 2:
        return "–"
    best = max(item.ratings.seats, key=lambda seat: seat.elo)
    return item.sides[best.side] if best.low > 0 else "nobody"


def figures(item: Report, encounter: Encounter) -> list[str]:
    sides = [f"{side} {shown(score)}" for side, score in zip(item.sides, encounter.by_side, strict=True)]
    head = [f"`{encounter.player}`", str(encounter.score.games), str(encounter.distinct)]
    return [*head, shown(encounter.score), ", ".join(sides)]


def shown(score: Score) -> str:
    low, high = score.interval
    return f"{100 * score.rate:.1f} ({100 * low:.1f}–{100 * high:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesets", nargs="*", default=sw.games(), metavar="RULESET")
    parser.add_argument("--games", type=int, default=200, help="of every player on every ruleset")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="more disturb each other where cores are shared")
    parser.add_argument("--store", help="keep the games here")
    parser.add_argument("--note", default="", help="what else to know about the machine")
    parser.add_argument("--markdown", type=Path, help="also write the table into this page")
    parser.set_defaults(ray=None)
    options = parser.parse_args()
    with GameStore(options.store) as store:
        reports = [measured(sw.make(name), options, store) for name in options.rulesets]
    text = results(reports, options)
    print(text)
    if options.markdown is not None:
        write_results(options.markdown, "strength.py", text)


if __name__ == "__main__":
    main()
