"""Let agents meet each other many times and say who is better, how sure that is, and how strong all are.

Games come in pairs: the same opening, drawn by lot or from --openings, with the seats exchanged (every rotation where
there are more sides, and the same dice). With --store every game is kept as it finishes; the same command again goes
on where it stopped, and more --games only play the further ones. An agent that fails, plays illegally or exceeds
--patience loses that game.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from spielwerk.border import quoted
from spielwerk.cli.options import add_json, add_ray, add_rules, add_seed, make_game
from spielwerk.cli.standings import add_picture, add_workers, check_folder, count_up_to, positive
from spielwerk.play.rounds import MOST_ROUNDS, check_rounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spielwerk.arena.report import Report
    from spielwerk.arena.rounds import MatchScore
    from spielwerk.arena.sprt import Sprt
    from spielwerk.arena.store import GameStore
    from spielwerk.arena.tournament import Meeting
    from spielwerk.games import Game

EXAMPLES = """
spielwerk arena random greedy alphabeta:ms=20 --game pferdeaepfel/classic --games 100 --store classic.db
spielwerk arena mcts:sims=2000 mcts:sims=1000 --game diavolo/standard --games 2000 --sprt
spielwerk arena mcts:ms=50 alphabeta:ms=50 --game pferdeaepfel/free --openings free.openings
spielwerk arena greedy alphabeta:nodes=1000 --game pferdeaepfel/original --rounds 4 --games 40
spielwerk arena expectimax greedy --game ludo/ffa --gauntlet --games 400
spielwerk arena mcts:sims=2000 greedy --game diavolo/standard --games 10000 --store games.db --ray head:6379
spielwerk arena --store classic.db --show --csv classic.csv --picture classic.png
"""

USUAL_GAMES = 100


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("players", nargs="*", metavar="SPEC", help="an agent ('spielwerk agents' lists them)")
    parser.add_argument("--game", metavar="RULESET", help="what they play, as 'spielwerk games' lists it")
    add_rules(parser)
    parser.add_argument(
        "--games", type=positive, metavar="N", help="for every two who meet, in whole pairs (100; all of --openings)"
    )
    parser.add_argument(
        "--rounds",
        type=count_up_to(MOST_ROUNDS),
        metavar="N",
        help="also score matches of N games: colours exchanged after each, points added, the higher sum wins",
    )
    parser.add_argument("--gauntlet", action="store_true", help="only the first SPEC meets each of the others")
    beginning = parser.add_mutually_exclusive_group()
    beginning.add_argument(
        "--opening", type=_turns, metavar="N", help="random turns at the start (2; 0 in games with dice)"
    )
    beginning.add_argument(
        "--openings", type=Path, metavar="FILE", help="begin from these positions, as 'spielwerk openings' finds them"
    )
    parser.add_argument(
        "--sprt",
        nargs="?",
        const="",
        metavar="S0,S1",
        help="stop a meeting once it is clear whether the first scores S1 or S0 (0.5,0.55; errors of 5 %%)",
    )
    parser.add_argument("--patience", type=_seconds, default=60.0, metavar="SECONDS", help="for one action (60)")
    parser.add_argument("--store", metavar="FILE|URL", help="keep games in this SQLite file or database")
    parser.add_argument("--show", action="store_true", help="play nothing, report what is in the store")
    parser.add_argument("--records", type=Path, metavar="FILE", help="write the store's games as records")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the scores as CSV")
    add_picture(parser)
    add_workers(parser)
    add_ray(parser)
    add_seed(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from spielwerk.arena.store import GameStore

    for file in (arguments.csv, arguments.picture, arguments.records):
        check_folder(file)
    if arguments.show:
        _check_show(arguments)
    with GameStore(arguments.store) as store:
        if arguments.show:
            _tell(arguments, _reports_of_store(store, arguments.game), [], [])
        else:
            reports, meetings = _played(arguments, store)
            _tell(arguments, reports, meetings, _match_scores(arguments, store, meetings))
        if arguments.records is not None:
            from spielwerk.records import write_records

            write_records(arguments.records, store.records(arguments.game))
    return 0


def _check_show(arguments: argparse.Namespace) -> None:
    if arguments.store is None:
        raise ValueError("--show needs --store: which games?")
    if arguments.players:
        raise ValueError("with --show nobody plays; leave out the agents")
    if arguments.rounds is not None:
        raise ValueError("--rounds scores what is played now; leave out --show")
    if "://" not in arguments.store and not Path(arguments.store).expanduser().is_file():
        raise ValueError(f"there is no store {arguments.store}")


def _played(arguments: argparse.Namespace, store: GameStore) -> tuple[list[Report], list[Meeting]]:
    from spielwerk.arena.openings import read_openings
    from spielwerk.arena.players import check_player, player_name
    from spielwerk.arena.report import report
    from spielwerk.arena.store import Ruleset
    from spielwerk.arena.tournament import tournament_of
    from spielwerk.cli.standings import hiring, run_with_progress
    from spielwerk.games import sides_of

    if arguments.game is None:
        raise ValueError("--game is missing: what do they play? ('spielwerk games' lists the rulesets)")
    game = make_game(arguments.game, arguments.rule)
    _check_distinct(arguments.players)
    if arguments.rounds is not None:
        check_rounds(game)
    for spec in arguments.players:
        check_player(spec, game)
    players = [player_name(spec, game) for spec in arguments.players]
    book = read_openings(arguments.openings, game) if arguments.openings is not None else ()
    games = arguments.games or len(book) * len(sides_of(game)) or USUAL_GAMES
    tournament = tournament_of(
        game,
        players,
        store,
        games=_whole_matches(games, arguments.rounds),
        seed=arguments.seed or 0,
        opening=arguments.opening,
        book=book,
        gauntlet=arguments.gauntlet,
        sprt=_sprt(arguments.sprt, game),
        patience=arguments.patience,
    )
    with hiring(arguments) as hire:
        run_with_progress(tournament, hire, game.name)
    return [report(Ruleset.of(game), tournament.results, players)], tournament.meetings


def _whole_matches(games: int, rounds: int | None) -> int:
    """So many games, and as many more as the last match needs."""
    return games if rounds is None else -(-games // rounds) * rounds


def _match_scores(arguments: argparse.Namespace, store: GameStore, meetings: Sequence[Meeting]) -> list[MatchScore]:
    from spielwerk.arena.rounds import match_score

    return [] if arguments.rounds is None else [match_score(meeting, store, arguments.rounds) for meeting in meetings]


def _check_distinct(specs: Sequence[str]) -> None:
    if len(specs) < 2:
        raise ValueError("the arena needs two agents or more, like: spielwerk arena random greedy --game …")
    for spec in specs:
        if specs.count(spec) > 1:
            raise ValueError(f"'{spec}' is named twice; nobody can be better than himself")


def _sprt(text: str | None, game: Game) -> Sprt | None:
    from spielwerk.arena.sprt import Sprt
    from spielwerk.games import sides_of

    if text is None:
        return None
    if not text:
        even = 1 / len(sides_of(game))
        return Sprt(even, even + 0.05)
    try:
        score0, score1 = map(float, text.split(","))
    except ValueError:
        raise ValueError(f"--sprt is written like 0.5,0.55, not '{quoted(text, 40)}'") from None
    return Sprt(score0, score1)


def _reports_of_store(store: GameStore, game: str | None) -> list[Report]:
    from spielwerk.arena.report import report

    try:
        reports = [report(ruleset, results) for ruleset, results in store.all_results(game)]
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError):
        raise ValueError("the store holds games that no arena wrote") from None
    if not reports:
        raise ValueError("the store holds no such games")
    return reports


def _tell(
    arguments: argparse.Namespace, reports: list[Report], meetings: Sequence[Meeting], matches: Sequence[MatchScore]
) -> None:
    from spielwerk.arena.report import csv_text
    from spielwerk.cli.output import console, print_json
    from spielwerk.cli.standings import print_reports, write_picture

    if arguments.json:
        report = {"reports": [item.to_json() for item in reports], "sprt": _sprt_json(meetings)}
        print_json(report | ({"matches": [match.to_json() for match in matches]} if matches else {}))
    else:
        out = console()
        print_reports(out, reports)
        for line in map(_sprt_line, meetings):
            if line:
                out.print(line)
        for match in matches:
            out.print(match.line())
    if arguments.csv is not None:
        from spielwerk.durable import write_durably

        write_durably(arguments.csv, csv_text(reports).encode())
    if arguments.picture is not None:
        write_picture(arguments.picture, reports)


def _sprt_json(meetings: Sequence[Meeting]) -> list[dict[str, object]]:
    return [
        {
            "player": meeting.schedule.lineup[0],
            "opponent": meeting.schedule.lineup[1],
            "score0": meeting.sprt.score0,
            "score1": meeting.sprt.score1,
            "llr": meeting.llr,
            "bounds": list(meeting.sprt.bounds),
            "verdict": meeting.verdict,
        }
        for meeting in meetings
        if meeting.sprt is not None
    ]


def _sprt_line(meeting: Meeting) -> str:
    if meeting.sprt is None or meeting.llr is None:
        return ""
    player, opponent = meeting.schedule.lineup[:2]
    low, high = meeting.sprt.bounds
    verdict = {
        "accept": f"scores {meeting.sprt.score1:g} or more",
        "reject": f"scores {meeting.sprt.score0:g} or less",
        None: "is undecided",
    }[meeting.verdict]
    return f"{player} against {opponent} {verdict} (log-likelihood ratio {meeting.llr:.2f} in {low:.2f} to {high:.2f})"


def _turns(text: str) -> int:
    if text.isdecimal() and int(text) <= 1000:
        return int(text)
    raise argparse.ArgumentTypeError(f"must be from 0 to 1000 turns, not '{quoted(text, 40)}'")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if 0 < seconds <= 86_400:
        return seconds
    raise argparse.ArgumentTypeError(f"must be more than 0 and at most 86400 seconds, not '{quoted(text, 40)}'")
