"""How strong a player is: many games at once, openings varied, seats balanced, with an interval.

Games come in families that share an opening and its dice and differ in who sits where alone, so that neither a lucky
start nor a favoured seat counts for anyone.
"""

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
SHORT_OPENING = 2  # enough variety against players who vary by themselves


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

    def by_seat(self) -> list[Score]:
        """The first player's score, for games in which it held that seat; second place is a loss."""
        won = winners_in(self.returns)
        decided = np.asarray(won.any(axis=1))
        scores = []
        for seat, held in enumerate(self.first.T):
            wins, draws = int(won[held, seat].sum()), int((~decided[held]).sum())
            scores.append(Score(wins, draws, int(held.sum()) - wins - draws))
        return scores


def play_games(
    game: Game,
    first: Player,
    second: Player,
    seating: NDArray[np.bool_],
    games: int,
    seed: int,
    threads: int = 1,
    opening: int = OPENING,
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


def score_by_seat(game: Game, player: Player, others: Player, games: int, seed: int, threads: int = 1) -> list[Score]:
    """The score on every seat, alone against the others on all other seats; `games` on each seat."""
    seating = np.eye(game.num_players, dtype=bool)
    rounds = games * game.num_players
    return play_games(game, player, others, seating, rounds, seed, threads, SHORT_OPENING).by_seat()


def rival_seatings(game: Game) -> NDArray[np.bool_]:
    """Every way to share the sides evenly between two players, each beside its reverse; partners sit together.

    With three sides each player has two of them in half of the games.
    """
    sides = sorted(set(game.sides))
    half = len(sides) // 2
    shares = {frozenset(share) for share in combinations(sides, half)}
    shares |= {frozenset(sides) - share for share in shares}
    return np.array([np.isin(game.sides, list(share)) for share in sorted(shares, key=sorted)])
