"""How strong a player is: many distinct games at once, openings varied, seats balanced, with an interval.

Games come in families that share an opening and its dice and differ in who sits where alone, so that neither a lucky
start nor a favoured seat counts for anyone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.scores import Score
from spielwerk.batch import VectorEnv
from spielwerk.games import Game
from spielwerk.outcome import winners_in
from spielwerk.training.players import Player

OPENING = 8  # at most so many random decisions come before the players', to tell two players apart
SHORT_OPENING = 2  # enough variety against players who vary by themselves; where it is not, longer ones follow

Progress = Callable[[float], None]  # is given the share of games that have ended, from 0 to 1


def score_of(returns: NDArray[Any]) -> Score:
    return Score(int((returns > 0).sum()), int((returns == 0).sum()), int((returns < 0).sum()))


@dataclass(frozen=True)
class Games:
    """Games that were played: who sat where, what each seat got, and how many courses they took."""

    first: NDArray[np.bool_]  # [games, seats], true where the first player sat
    returns: NDArray[np.float64]  # [games, seats]
    courses: NDArray[np.uint64]  # [games], equal for equal games

    @property
    def gained(self) -> NDArray[np.float64]:
        """By how much the first player's luckiest seat was better off than the second's, game by game."""
        mine = np.where(self.first, self.returns, -np.inf).max(1)
        theirs = np.where(self.first, -np.inf, self.returns).max(1)
        lead: NDArray[np.float64] = mine - theirs
        return lead

    @property
    def distinct(self) -> int:
        return len(np.unique(self.courses))

    def without(self, known: set[bytes]) -> "Games":
        """Those that differ, in course or in who sat where, from one another and from all `known`, which grow."""
        kept = np.zeros(len(self.courses), bool)
        for row, (course, seats) in enumerate(zip(self.courses, self.first, strict=True)):
            key = course.tobytes() + seats.tobytes()
            kept[row] = key not in known
            known.add(key)
        return Games(self.first[kept], self.returns[kept], self.courses[kept])

    def by_seat(self) -> list[Score]:
        """The first player's score, for games in which it held that seat."""
        return [score_of(self.outcomes[held, seat]) for seat, held in enumerate(self.first.T)]

    @property
    def outcomes(self) -> NDArray[np.float64]:
        """By game and seat: 1 for those who won, 0 for a draw, -1 for all others, second places among them."""
        won = winners_in(self.returns)
        return np.where(won.any(axis=1, keepdims=True), np.where(won, 1.0, -1.0), 0.0)


def play_games(
    game: Game,
    first: Player,
    second: Player,
    seating: NDArray[np.bool_],
    games: int,
    seed: int,
    threads: int = 1,
    opening: int = OPENING,
    progress: Progress | None = None,
) -> Games:
    """Families of ``len(seating)`` games: one opening, played once with each row of `seating` ``[family, seats]``.

    The openings are up to `opening` random decisions long.
    """
    families = -(-games // len(seating))
    who = np.tile(seating, (families, 1))
    env = VectorEnv(game, len(who), threads)
    env.reset(seed=seed)
    source = np.random.default_rng([seed, 1])
    courses = _open(env, families, opening, source)
    returns = np.full(who.shape, np.nan)
    running = np.ones(len(who), bool)
    while running.any():
        firsts = who[np.arange(len(who)), env.seat]
        draws = source.integers(2**63, size=2)
        mine = first(env, firsts & running, int(draws[0])).copy()
        theirs = second(env, ~firsts & running, int(draws[1]))
        actions = np.where(firsts, mine, theirs).astype(np.int64)
        actions = np.where(running, actions, env.random_actions(0))
        courses = np.where(running, courses * np.uint64(0x9E3779B97F4A7C15) + actions.astype(np.uint64) + 1, courses)
        env.step(actions)
        ended = (env.terminated | env.truncated) & running
        returns[ended] = env.reward[ended]
        running &= ~ended
        if progress is not None and ended.any():
            progress(1 - float(running.mean()))
    return Games(who, returns, courses)


def _open(env: VectorEnv, families: int, longest: int, source: np.random.Generator) -> NDArray[np.uint64]:
    """Puts each family into an opening of its own; tells the openings apart by number."""
    openings = VectorEnv(env.game, families, 1)
    openings.reset(seed=int(source.integers(2**63)))
    lengths = source.integers(longest + 1, size=families)
    size = len(env) // families
    numbers = np.zeros(len(env), np.uint64)
    for ply in range(longest + 1):
        for family in np.flatnonzero(lengths == ply):
            state = openings.state(int(family))
            rows = range(family * size, (family + 1) * size)
            numbers[rows.start : rows.stop] = hash(state) & (2**64 - 1)
            for row in rows:
                env.place(row, state, with_dice=True)
        openings.step(openings.random_actions(int(source.integers(2**63))))
    return numbers


def score_by_seat(
    game: Game,
    player: Player,
    others: Player,
    games: int,
    seed: int,
    threads: int = 1,
    progress: Progress | None = None,
) -> list[Score]:
    """The score on every seat, alone against the others on all other seats, in about `games` distinct games a seat.

    Two players who never vary play the same game from the same opening. So that equal games do not pass for many, each
    counts once, and longer openings follow until there are enough: then, or after the longest, that is all.
    """
    seating = np.eye(game.num_players, dtype=bool)
    scores = [Score(0, 0, 0)] * game.num_players
    known: set[bytes] = set()
    for opening in range(SHORT_OPENING, OPENING + 1, SHORT_OPENING):
        missing = games - min(score.games for score in scores)
        drawn = int(np.random.default_rng([seed, opening]).integers(2**63)) if known else seed
        played = play_games(
            game, player, others, seating, missing * game.num_players, drawn, threads, opening, progress
        )  # fmt: skip
        scores = [so_far + more for so_far, more in zip(scores, played.without(known).by_seat(), strict=True)]
        if min(score.games for score in scores) >= games:
            break
    return scores


def rival_seatings(game: Game) -> NDArray[np.bool_]:
    """Every way to share the sides evenly between two players, each beside its reverse; partners sit together.

    With three sides each player has two of them in half of the games.
    """
    sides = sorted(set(game.sides))
    half = len(sides) // 2
    shares = {frozenset(share) for share in combinations(sides, half)}
    shares |= {frozenset(sides) - share for share in shares}
    return np.array([np.isin(game.sides, list(share)) for share in sorted(shares, key=sorted)])
