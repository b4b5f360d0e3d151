"""Play: on the page in the browser, or at the terminal.

Without arguments the page opens. A ruleset, seats or --terminal start a game at the terminal, against agents, against
each other, or between agents; where no ruleset is given, a short menu asks, and Enter takes its suggestions. During
the game, '?' explains what can be typed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from spielwerk.border import quoted
from spielwerk.cli.options import add_language, add_rules, add_seed, language_of, make_game, plain_text
from spielwerk.cli.standings import count_up_to
from spielwerk.play.rounds import MOST_ROUNDS, Rounds, check_rounds

if TYPE_CHECKING:
    from spielwerk.cli.game.seating import Setting
    from spielwerk.cli.game.terminal import Terminal
    from spielwerk.cli.game.texts import Texts
    from spielwerk.games import Game

EXAMPLES = """
spielwerk play
spielwerk play --terminal
spielwerk play pferdeaepfel/classic --seat human --seat greedy
spielwerk play pferdeaepfel/trail --seat human --seat human --rule size=6 --lang de
spielwerk play pferdeaepfel/original --seat human --seat greedy --rounds 4
spielwerk play pferdeaepfel/carry --watch --delay 1 --seed 3 --save games.jsonl
"""

LONGEST_DELAY = 60


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ruleset", nargs="?", metavar="RULESET", help="as 'spielwerk games' lists them")
    parser.add_argument("--terminal", action="store_true", help="play here, even where nothing else is said")
    parser.add_argument(
        "--seat",
        metavar="AGENT",
        action="append",
        default=[],
        help="who plays the first seat, then the second … ('spielwerk agents' lists them); otherwise you, then greedy",
    )
    parser.add_argument("--watch", action="store_true", help="agents play, greedy where no --seat says otherwise")
    parser.add_argument("--delay", type=_seconds, metavar="SECONDS", help="pause after an agent's turn when watching")
    parser.add_argument(
        "--rounds",
        type=count_up_to(MOST_ROUNDS),
        metavar="N",
        help="a match of N games: colours exchanged after each, points added, the higher sum wins",
    )
    parser.add_argument(
        "--position", type=plain_text, metavar="TEXT", help="begin here, as 'spielwerk show' writes positions"
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="add every finished game to this file")
    add_rules(parser)
    add_seed(parser)
    add_language(parser)


def run(arguments: argparse.Namespace) -> int:
    """Plays until the person leaves or the agents are done."""
    if _wants_page(arguments):
        return _open_page()
    from spielwerk.cli.game.match import Match
    from spielwerk.cli.game.menu import InputEndedError
    from spielwerk.cli.game.terminal import Terminal
    from spielwerk.cli.game.texts import Texts

    terminal, texts = Terminal(), Texts(language_of(arguments.lang))
    try:
        setting = _setting(arguments, terminal, texts)
    except InputEndedError:
        terminal.say(texts("goodbye"))
        return 0
    delay = arguments.delay if arguments.delay is not None else 0.7 if terminal.live else 0
    rounds = None if arguments.rounds is None else Rounds(arguments.rounds)
    Match(setting, terminal, texts, delay=delay, save_to=arguments.save, rounds=rounds).run()
    return 0


def _wants_page(arguments: argparse.Namespace) -> bool:
    said = ("terminal", "ruleset", "seat", "watch", "position", "save", "rounds")
    return not any(getattr(arguments, name) for name in said)


def _open_page() -> int:
    from spielwerk.cli.commands import serve
    from spielwerk.server.possession import InUse

    parser = argparse.ArgumentParser()
    serve.configure(parser)
    try:
        return serve.run(parser.parse_args([]))
    except InUse:
        # Somebody plays already, most likely the same person in another window.
        address = serve.address_here("127.0.0.1", serve.PORT)
        if not _answers(address):
            raise
    print(f"spielwerk is at {address} already")
    serve.show_page(address, wait=True)
    return 0


def _answers(address: str) -> bool:
    from urllib.request import urlopen

    try:
        with urlopen(f"{address}api/info", timeout=3) as answer:
            return b'"protocol"' in answer.read()
    except OSError:
        return False


def _seconds(text: str) -> float:
    with suppress(ValueError):
        seconds = float(text)
        if 0 <= seconds <= LONGEST_DELAY:
            return seconds
    raise argparse.ArgumentTypeError(f"must be from 0 to {LONGEST_DELAY} seconds, not '{quoted(text, 40)}'")


def _setting(arguments: argparse.Namespace, terminal: Terminal, texts: Texts) -> Setting:
    """What the words on the command line say, and the menu for what they leave open."""
    from spielwerk.cli.game.menu import Menu
    from spielwerk.cli.game.seating import Setting, seated

    if arguments.save is not None and not arguments.save.parent.is_dir():
        raise ValueError(f"--save: there is no folder {arguments.save.parent}")
    specs = arguments.seat
    seated(specs, seed=None)  # refuses what is no agent before anything is asked
    if arguments.ruleset is not None:
        game = make_game(arguments.ruleset, arguments.rule)
    else:
        menu = Menu(terminal, texts)
        menu.welcome()
        ruleset = menu.ruleset()
        game = make_game(ruleset, arguments.rule) if arguments.rule else menu.game(ruleset)
        if not specs and not arguments.watch:
            specs = menu.seats(game)
    if arguments.rounds is not None:
        check_rounds(game)
    agents = seated(_all_seats(game, specs, arguments.watch), arguments.seed)
    return Setting(game, agents, arguments.seed, arguments.position)


def _all_seats(game: Game, specs: Sequence[str], watch: bool) -> list[str]:
    from spielwerk.cli.game.menu import default_spec

    if len(specs) > game.num_players:
        raise ValueError(f"{game.name} has {game.num_players} seats, not {len(specs)}")
    if watch and any(spec.partition(":")[0] == "human" for spec in specs):
        raise ValueError("with --watch only agents play; leave out '--seat human'")
    rest = range(len(specs), game.num_players)
    return [*specs, *("greedy" if watch else default_spec(seat) for seat in rest)]
