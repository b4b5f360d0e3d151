"""How strong the levels are that the page offers: the figures beside their names, one tournament per ruleset.

Levels that answer at once all meet, in pairs of games with the seats exchanged, as in `spielwerk arena`. Levels that
think for a time meet those next to them in strength, in fewer games: against the others they would win anyway. Those
that think longer than --slowest stay without a rating.
With --ruleset only these are measured, and the figures of the others stay.
With --store games are kept, and the same command with more of them adds to the figures; several at once share the work.
"""

import argparse
import json
from collections.abc import Iterator, Sequence

import spielwerk as sw
from spielwerk import machine
from spielwerk.arena.players import player_name
from spielwerk.arena.ratings import rate
from spielwerk.arena.schedule import Schedule, lineups, usual_opening
from spielwerk.arena.store import GameStore
from spielwerk.arena.tournament import Meeting, Tournament
from spielwerk.arena.workers import workers_for
from spielwerk.durable import write_durably
from spielwerk.games import Game
from spielwerk.server import ratings
from spielwerk.server.levels import levels_for, usual_levels
from spielwerk.server.ratings import FILE, LevelRating, Measured, RulesetRatings


def thinking_ms(spec: str) -> float:
    return float(getattr(sw.agent(spec), "ms", 0))


def contestants(game: Game, slowest: float) -> dict[str, str]:
    """Specs by level."""
    choices = {level.id: level.choice(game) for level in levels_for(game, usual_levels())}
    specs = {level: choice.spec for level, choice in choices.items() if choice is not None}
    return {level: spec for level, spec in specs.items() if thinking_ms(spec) <= slowest}


def meetings(game: Game, specs: Sequence[str], options: argparse.Namespace) -> Iterator[Meeting]:
    names = {player_name(spec, game): spec for spec in specs}
    ranks = {name: rank for rank, name in enumerate(names)}
    for lineup in lineups(game, list(names)):
        schedule = Schedule(game, lineup, options.seed, usual_opening(game))
        thinks = any(thinking_ms(names[name]) for name in lineup)
        apart = max(ranks[name] for name in lineup) - min(ranks[name] for name in lineup)
        if not thinks or apart <= options.nearest:
            yield Meeting(schedule, schedule.pairings_for(options.thinking_games if thinks else options.games))


def rated(game: Game, options: argparse.Namespace, store: GameStore) -> RulesetRatings:
    specs = contestants(game, options.slowest)
    tournament = Tournament(list(meetings(game, list(specs.values()), options)), store)
    workers = workers_for(options.workers)
    try:
        tournament.run(workers)
    finally:
        workers.close()
    found = {one.player: one for one in rate(tournament.results).players}
    levels = {}
    for level, spec in specs.items():
        one = found[player_name(spec, game)]
        if one.elo is not None and one.low is not None and one.high is not None:
            levels[level] = LevelRating(
                player=one.player, elo=round(one.elo), low=round(one.low), high=round(one.high), games=one.games
            )
    print(game.name, {level: (one.low, one.elo, one.high, one.games) for level, one in levels.items()}, flush=True)
    return RulesetRatings(
        command=command(game, options),
        machine=machine.processor(),
        rules=game.rules,
        rules_version=game.rules_version,
        games=len(tournament.results),
        levels=levels,
    )


def command(game: Game, options: argparse.Namespace) -> str:
    return (
        f"python benchmarks/levels.py --ruleset {game.name} --games {options.games}"
        f" --thinking-games {options.thinking_games} --nearest {options.nearest} --slowest {options.slowest:g}"
        f" --seed {options.seed}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ruleset", action="append", choices=sw.games(), help="all of them unless given")
    parser.add_argument("--games", type=int, default=200, help="of every two levels that answer at once")
    parser.add_argument("--thinking-games", type=int, default=12, help="of every two of which one thinks for a time")
    parser.add_argument("--nearest", type=int, default=2, help="levels above and below that one that thinks meets")
    parser.add_argument("--slowest", type=float, default=2000, help="milliseconds that a level may think")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="more disturb each other where cores are shared")
    parser.add_argument("--store", help="keep the games here")
    options = parser.parse_args()
    with GameStore(options.store) as store:
        rulesets = {name: rated(sw.make(name), options, store) for name in options.ruleset or sw.games()}
    found = Measured(rulesets=ratings.measured().rulesets | rulesets)
    write_durably(FILE, (json.dumps(found.model_dump(), indent=1, ensure_ascii=False) + "\n").encode())


if __name__ == "__main__":
    main()
