"""Single games as balance sees them: who won, how long it took, how much choice there was, and what ended it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.match import play
from spielwerk.arena.players import programs_of
from spielwerk.arena.results import shared_point
from spielwerk.arena.schedule import Fixture, digest
from spielwerk.arena.workers import Needs, needing
from spielwerk.batch import vector
from spielwerk.games import CHANCE, Game, State, sides_of
from spielwerk.outcome import Outcome
from spielwerk.records import Record

FORFEIT = "forfeit"
_MOST_AT_ONCE = 1024


@dataclass(frozen=True)
class Sample:
    """One finished game; sides are seats, or the seats of a team."""

    scores: tuple[float, ...]  # parts of one point, by side
    plies: int  # decisions
    choices: float  # legal actions for a decision, on average
    reason: str  # why it ended
    closer: int  # the side whose action ended it
    line: str  # equal for games that went the same way


def _needs(fixtures: Sequence[Fixture]) -> Needs:
    return Needs(programs=programs_of(player for fixture in fixtures for player in fixture.players))


@needing(_needs)
def played_samples(fixtures: Sequence[Fixture]) -> list[Sample]:
    return [_played_sample(fixture) for fixture in fixtures]


def random_samples(game: Game, games: int, seed: int) -> list[Sample]:
    """Games of random players, many at a time."""
    samples: list[Sample] = []
    while len(samples) < games:
        count = min(_MOST_AT_ONCE, games - len(samples))
        samples += _random_batch(game, count, int(digest(game.name, game.rules, seed, len(samples)), 16) >> 2)
    return samples


def _played_sample(fixture: Fixture) -> Sample:
    played = play(fixture)
    choices, closer = [], 0
    *before, last = Record.from_json(played.record).positions()
    for position in before:
        if position.player is not None and position.player != CHANCE:
            choices.append(len(position.legal_actions))
            closer = position.player
    reason = FORFEIT if played.result.forfeit else last.reason
    return Sample(
        scores=played.result.scores,
        plies=len(choices),
        choices=sum(choices) / max(1, len(choices)),
        reason=reason,
        closer=last.game.sides[closer],
        line=played.result.line,
    )


def _random_batch(game: Game, games: int, seed: int) -> list[Sample]:
    """The first game of every place in a batch; then each is gone through again for how it ended."""
    batch = vector(game, num_envs=games)
    batch.reset(seed=seed)
    starts = [batch.state(place) for place in range(games)]
    lengths = np.zeros(games, dtype=np.int64)
    choices = np.zeros(games, dtype=np.int64)
    running = np.ones(games, dtype=np.bool_)
    taken: list[NDArray[np.int32]] = []
    while running.any():
        choices += running * batch.mask.sum(axis=1, dtype=np.int64)
        taken.append(batch.random_actions(seed + len(taken)).copy())
        batch.step(taken[-1])
        lengths += running
        running &= ~(batch.terminated | batch.truncated)
    actions = np.array(taken)
    return [
        _replayed_sample(start, actions[: lengths[place], place].tolist(), choices[place] / lengths[place])
        for place, start in enumerate(starts)
    ]


def _replayed_sample(state: State, actions: list[int], choices: float) -> Sample:
    dice = list(state.fallen)
    for action in actions[:-1]:
        state.play(action)
        dice += state.fallen
    closer = state.player or 0
    state.play(actions[-1])
    game, outcome = state.game, Outcome.by_rules(state)
    assert outcome is not None
    return Sample(
        scores=shared_point(outcome.winning_sides(game), len(sides_of(game))),
        plies=len(actions),
        choices=float(choices),
        reason=state.reason,
        closer=game.sides[closer],
        line=digest(actions, dice),
    )
