"""What clients get to see of games, tables and results."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from spielwerk import catalogue
from spielwerk.games import Game, make, sides_of
from spielwerk.outcome import TABLE_ENDINGS, How, Outcome
from spielwerk.play import TimeControl
from spielwerk.positions import ending_in, scene_at
from spielwerk.render import seat_labels
from spielwerk.render.scene import Label, Scene
from spielwerk.server.levels import Level
from spielwerk.server.log import Log, Seat
from spielwerk.server.protocol import (
    ActionView,
    ClockSetting,
    ClockView,
    MatchView,
    OfferView,
    Origin,
    ParameterView,
    ResultView,
    SeatView,
    Words,
)


def iso_time(milliseconds: int) -> str:
    """A moment as clients read it: ISO 8601, UTC."""
    moment = datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def words(label: Label) -> Words:
    """A label as clients read it."""
    return label.en if label.en == label.de else label


def team_of(game: Game, seat: int) -> int | None:
    """The number of a seat's team, None where everyone plays alone."""
    return None if len(sides_of(game)) == game.num_players else game.sides[seat]


def seat_views(game: Game, seats: Sequence[Seat], connected: Sequence[bool], levels: Sequence[Level]) -> list[SeatView]:
    labels = seat_labels(game)
    titles = {level.id: level.title for level in levels}
    return [
        SeatView.model_construct(
            kind=seat.kind,
            name=seat.name,
            label=words(labels[number]),
            level=seat.level,
            level_title=titles.get(seat.level or ""),
            team=team_of(game, number),
            connected=connected[number],
        )
        for number, seat in enumerate(seats)
    ]


def action_views(log: Log) -> list[ActionView]:
    """All actions so far."""
    return [
        ActionView.model_construct(text=action.text, seat=action.seat, turn=action.turn, words=words_of(log, index))
        for index, action in enumerate(log.actions)
    ]


def words_of(log: Log, index: int) -> Words | None:
    """What an action did, where the game says so."""
    return words(log.words[index]) if log.words else None


def offer_views(log: Log) -> list[OfferView]:
    """What is proposed and not yet answered."""
    return [OfferView.model_construct(kind=offer.kind, seat=offer.seat) for offer in log.offers]


def origin_view(log: Log) -> Origin | None:
    """Where a continued game comes from."""
    origin = log.setup.origin
    return Origin(table=origin[0], ply=origin[1]) if origin else None


def clock_setting(control: TimeControl | None) -> ClockSetting | None:
    """What was agreed about time."""
    if control is None:
        return None
    return ClockSetting.model_construct(pace=control.pace, amount=control.amount, increment=control.increment)


def clock_view(log: Log, now_ms: int) -> ClockView | None:
    """The time that is left."""
    clock = log.clock
    if clock is None:
        return None
    control = clock.control
    return ClockView.model_construct(
        pace=control.pace,
        amount=control.amount,
        increment=control.increment,
        left_ms=[max(0, left) for left in clock.left_at(now_ms)],
        running=clock.running,
    )


def match_view(log: Log) -> MatchView | None:
    """The match this game is a round of."""
    before, now = log.setup.rounds, log.rounds
    if before is None or now is None:
        return None
    players = [before.player_on(seat) for seat in (0, 1)]
    return MatchView.model_construct(
        rounds=now.total,
        round=before.played + 1,
        points=[now.sums[player] for player in players],
        over=now.over,
        winner=[seat for seat in (0, 1) if now.over and players[seat] == now.winner],
    )


def result_view(log: Log, scene: Scene | None = None) -> ResultView | None:
    outcome = log.outcome
    if outcome is None:
        return None
    if outcome.how in (*TABLE_ENDINGS, How.CANCELLED):
        said = _said_of(log.game, outcome)
    else:
        said = ending_in(scene or scene_at(log.state, log.texts, legal=False))
    return ResultView(**outcome.to_json(), text=words(said))


def brief_result_view(name: str, rules: dict[str, Any], result: dict[str, Any] | None) -> ResultView | None:
    """The result of a table in a list, where its last position is not at hand."""
    if result is None:
        return None
    outcome = Outcome.from_json(result)
    return ResultView(**outcome.to_json(), text=words(_said_of(game_named(name, rules), outcome)))


def game_named(name: str, rules: dict[str, Any]) -> Game:
    """A game from a stored name and rules; many tables share one."""
    return _game(name, tuple(sorted(rules.items())))


@lru_cache(maxsize=256)
def _game(name: str, rules: tuple[tuple[str, Any], ...]) -> Game:
    return make(name, **dict(rules))


def parameter_views(game: Game) -> list[ParameterView]:
    """What may be varied."""
    return [
        ParameterView(
            name=parameter.name,
            label=words(catalogue.parameter_label(game.name, parameter)),
            kind=parameter.kind,  # type: ignore[arg-type]
            default=parameter.default,
            minimum=parameter.minimum,
            maximum=parameter.maximum,
            choices=parameter.choices,
            choice_labels=[words(catalogue.choice_label(game.name, parameter, choice)) for choice in parameter.choices],
            help=words(catalogue.parameter_help(game.name, parameter)),
        )
        for parameter in game.parameters
    ]


def side_words(game: Game) -> list[Words]:
    """What the sides are called; teams by all of their seats."""
    labels = seat_labels(game)
    return [
        words(Label("+".join(labels[seat].en for seat in side), "+".join(labels[seat].de for seat in side)))
        for side in sides_of(game)
    ]


_AT_THE_TABLE = {
    How.RESIGNED: Label(" by resignation", " durch Aufgabe"),
    How.FORFEITED: Label(" by forfeit", " kampflos"),
    How.TIMED_OUT: Label(" on time", " durch Zeitüberschreitung"),
    How.AGREED: Label(" by agreement", " durch Übereinkunft"),
}


def _said_of(game: Game, outcome: Outcome) -> Label:
    """The outcome without its last position."""
    if outcome.how is How.CANCELLED:
        return Label("The table was given up", "Der Tisch wurde aufgegeben")
    won, how = _who_won(game, outcome), _AT_THE_TABLE.get(outcome.how, Label("", ""))
    return Label(won.en + how.en, won.de + how.de)


def _who_won(game: Game, outcome: Outcome) -> Label:
    labels = seat_labels(game)
    winners = [labels[seat] for seat in outcome.winner]
    if not winners:
        return Label("Draw", "Unentschieden")
    english = " and ".join(label.en for label in winners)
    german = " und ".join(label.de for label in winners)
    one = len(winners) == 1
    return Label(f"{english} {'wins' if one else 'win'}", f"{german} {'gewinnt' if one else 'gewinnen'}")
