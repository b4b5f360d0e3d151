"""Results as people and programs read them: who met whom, by side, with intervals; ratings."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from spielwerk.arena.players import shown_names
from spielwerk.arena.ratings import Ratings, Skill, rate, skills
from spielwerk.arena.results import Result
from spielwerk.arena.scores import Score
from spielwerk.arena.store import Ruleset
from spielwerk.games import Game, make, rules_text, sides_of
from spielwerk.render import seat_labels


@dataclass(frozen=True)
class Encounter:
    """All games of one player against another, or against a table of another where there are more sides."""

    player: str
    opponent: str
    by_side: tuple[Score, ...]  # of the player
    distinct: int  # games that went different ways
    plies: float  # on average
    milliseconds: tuple[float, float]  # for an action, of the player and of the opponent
    forfeits: tuple[str, ...]

    @property
    def score(self) -> Score:
        """Of the player, on all sides."""
        first, *others = self.by_side
        return sum(others, start=first)


@dataclass(frozen=True)
class Report:
    """What the results of one ruleset say."""

    ruleset: Ruleset
    sides: tuple[str, ...]
    encounters: list[Encounter]
    ratings: Ratings
    skills: list[Skill]  # only where there are more than two sides

    def score(self, player: str, opponent: str) -> Score | None:
        """How a player did against another, None if they did not meet."""
        for encounter in self.encounters:
            if (encounter.player, encounter.opponent) == (player, opponent):
                return encounter.score
            if (encounter.opponent, encounter.player) == (player, opponent) and len(self.sides) == 2:
                return encounter.score.reversed
        return None

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.ruleset.game,
            "rules": self.ruleset.rules,
            "rules_version": self.ruleset.rules_version,
            "sides": list(self.sides),
            "encounters": [self._encounter_json(encounter) for encounter in self.encounters],
            "ratings": {
                "unit": "Elo",
                "anchor": self.ratings.anchor,
                "players": [asdict(rating) for rating in self.ratings.players],
                "sides": [asdict(seat) | {"side": self.sides[seat.side]} for seat in self.ratings.seats],
            },
            "openskill": [asdict(skill) for skill in self.skills],
        }

    def _encounter_json(self, encounter: Encounter) -> dict[str, Any]:
        by_side = zip(self.sides, encounter.by_side, strict=True)
        return {
            "player": encounter.player,
            "opponent": encounter.opponent,
            "score": encounter.score.to_json(),
            "by_side": {side: score.to_json() for side, score in by_side if score.games},
            "distinct_games": encounter.distinct,
            "mean_plies": encounter.plies,
            "ms_per_action": list(encounter.milliseconds),
            "forfeits": list(encounter.forfeits),
        }


def report(ruleset: Ruleset, results: Sequence[Result], players: Sequence[str] = ()) -> Report:
    """The report of results under one ruleset; `players` fixes their order, otherwise the strongest comes first."""
    game = make(ruleset.game, **ruleset.rules)
    names = shown_names(sorted({player for result in results for player in result.players}))
    results = [_renamed(result, names) for result in results]
    ratings = rate(results)
    order = [names.get(player, player) for player in players] or [rating.player for rating in ratings.players]
    sides = side_names(game)
    return Report(
        ruleset=ruleset,
        sides=sides,
        encounters=list(_encounters(results, order, len(sides))),
        ratings=ratings,
        skills=skills(results) if len(sides) > 2 else [],
    )


def side_names(game: Game) -> tuple[str, ...]:
    """What the sides are called; teams by all of their seats."""
    labels = [label.en for label in seat_labels(game)]
    return tuple("+".join(labels[seat] for seat in side) for side in sides_of(game))


CSV_COLUMNS = (
    "game", "rules", "player", "opponent", "side", "games", "wins", "draws", "losses", "score", "low", "high",
    "distinct_games", "mean_plies", "player_ms_per_action", "opponent_ms_per_action", "forfeits",
)  # fmt: skip


def csv_text(reports: Iterable[Report]) -> str:
    """One line for each player, opponent and side, and one for all sides together."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for item in reports:
        rules = rules_text(item.ruleset.rules)
        for encounter in item.encounters:
            scores = [("all", encounter.score), *zip(item.sides, encounter.by_side, strict=True)]
            for side, score in scores:
                if score.games:
                    writer.writerow([item.ruleset.game, rules, *_csv_row(encounter, side, score)])
    return text.getvalue()


def _csv_row(encounter: Encounter, side: str, score: Score) -> list[Any]:
    low, high = score.interval
    shares = [f"{value:.4f}" for value in (score.rate, low, high)]
    times = [f"{value:.3f}" for value in encounter.milliseconds]
    head = [encounter.player, encounter.opponent, side, score.games, score.wins, score.draws, score.losses, *shares]
    return [*head, encounter.distinct, f"{encounter.plies:.1f}", *times, len(encounter.forfeits)]


def _renamed(result: Result, names: dict[str, str]) -> Result:
    values = {name: getattr(result, name) for name in Result.__dataclass_fields__}
    return Result(**values | {"players": tuple(names[player] for player in result.players)})


def _encounters(results: Sequence[Result], order: Sequence[str], sides: int) -> Iterable[Encounter]:
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if (key := _who_met(result, order)) is not None:
            groups.setdefault(key, []).append(result)
    for player in order:
        for opponent in order:
            if (player, opponent) in groups:
                yield _encounter(player, opponent, groups[player, opponent], sides)


def _who_met(result: Result, order: Sequence[str]) -> tuple[str, str] | None:
    """The player and the opponent; None for tables of other kinds. Of two, the first in the order is the player."""
    met = sorted(set(result.players), key=order.index)
    if len(met) != 2:
        return None
    if result.players.count(met[0]) > result.players.count(met[1]):
        met.reverse()
    return met[0], met[1]


def _encounter(player: str, opponent: str, results: list[Result], sides: int) -> Encounter:
    by_side = [Score(0, 0, 0, sides)] * sides
    for result in results:
        side = result.players.index(player)
        share = result.scores[side]
        by_side[side] += Score(share == 1, 0 < share < 1, share == 0, sides)
    return Encounter(
        player,
        opponent,
        tuple(by_side),
        distinct=len({result.line for result in results}),
        plies=sum(result.plies for result in results) / len(results),
        milliseconds=(_per_action(results, player), _per_action(results, opponent)),
        forfeits=tuple(result.forfeit for result in results if result.forfeit),
    )


def _per_action(results: list[Result], player: str) -> float:
    sides = [(result, side) for result in results for side, name in enumerate(result.players) if name == player]
    decisions = sum(result.decisions[side] for result, side in sides)
    return sum(result.milliseconds[side] for result, side in sides) / max(1, decisions)
