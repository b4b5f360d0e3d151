"""A finished game looked at again: what each decision was worth beside the best one, and what the dice did.

docs/review.md defines every figure. Values are from -1, lost, to +1, won, for the seat that is named.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from spielwerk.agents.specs import Agent
from spielwerk.agents.study import study
from spielwerk.games import CHANCE, Game, State
from spielwerk.solver import Solver

Mark = Literal["", "inaccuracy", "mistake", "proved"]

MISTAKE, INACCURACY = 0.4, 0.15  # of value given away, by an engine's opinion
_HOPELESS = 0.01  # where best play has less of a chance than this, nothing can be given away


@dataclass(frozen=True)
class PlyReview:
    """One action: a decision of `seat`, or a die, whose seat is None.

    `value` is what the action was worth and `best_value` what the best one was, for the seat that acted; `evaluation`
    is by seat, before the action. `luck` and `choice` are by seat: how a die, or a decision, changed what was expected.
    """

    ply: int
    seat: int | None
    action: str
    best: str
    value: float
    best_value: float
    proved: bool
    choices: int
    evaluation: list[float]
    luck: list[float]
    choice: list[float]

    @property
    def loss(self) -> float:
        """What was given away, from 0 to 2."""
        return max(0.0, self.best_value - self.value)

    @property
    def mark(self) -> Mark:
        """A proved mistake gives a result away; the others are an engine's opinion."""
        if self.proved:
            return "proved" if self.loss > 0 else ""
        return "mistake" if self.loss >= MISTAKE else "inaccuracy" if self.loss >= INACCURACY else ""

    @property
    def kept(self) -> float | None:
        """The share of the best action's chance that was kept; None where there was nothing to decide or to lose."""
        chance = (self.best_value + 1) / 2
        if self.seat is None or self.choices < 2 or chance < _HOPELESS:
            return None
        return min(1.0, max(0.0, (self.value + 1) / 2 / chance))


def review(
    game: Game,
    start: str | None,
    actions: Sequence[str],
    agent: Agent,
    *,
    milliseconds: float = 100.0,
    proof_ms: float = 60.0,
    plies: range | None = None,
) -> list[PlyReview]:
    """These plies of a game, all if none are named; counted from 1. ValueError for a game that breaks the rules."""
    states = list(_states(game, start, actions))
    wanted = plies or range(1, len(actions) + 1)
    prover = _Prover(game, proof_ms)
    # From the end, where proofs are easy and make those before them easier.
    found = [
        _reviewed(ply, states[ply - 1], actions[ply - 1], agent, milliseconds, prover)
        for ply in reversed(wanted)
        if 1 <= ply <= len(actions)
    ]
    return found[::-1]


def accuracies(game: Game, reviews: Sequence[PlyReview]) -> list[float | None]:
    """By seat: the average share of the best action's chance that was kept, in per cent; None without a decision."""
    shares: list[list[float]] = [[] for _ in range(game.num_players)]
    for one in reviews:
        if one.seat is not None and one.kept is not None:
            shares[one.seat].append(one.kept)
    return [100 * sum(kept) / len(kept) if kept else None for kept in shares]


def shares_of_dice(game: Game, reviews: Sequence[PlyReview]) -> tuple[list[float], list[float]]:
    """By seat: the sum of what all dice changed for it, and of what its own decisions gave away."""
    seats = range(game.num_players)
    luck = [sum(one.luck[seat] for one in reviews if one.luck) for seat in seats]
    choice = [sum(one.choice[seat] for one in reviews if one.choice and one.seat == seat) for seat in seats]
    return luck, choice


def _states(game: Game, start: str | None, actions: Sequence[str]) -> Iterator[State]:
    """The position before each action, and the last one."""
    state = game.start(seed=0, chance="explicit") if start is None else game.from_text(start, chance="explicit")
    yield state.clone()
    for action in actions:
        state.play(action)
        yield state.clone()


def _reviewed(ply: int, state: State, action: str, agent: Agent, milliseconds: float, prover: "_Prover") -> PlyReview:
    with_dice = state.game.has_chance
    evaluation = [round(value, 4) for value in expected(state)] if with_dice else []
    if state.player == CHANCE:
        luck = [round(change, 4) for change in luck_of(state, action)]
        return PlyReview(ply, None, action, "", 0.0, 0.0, False, 0, evaluation, luck, [])
    seat = state.player
    assert seat is not None
    best, value, best_value, proved = _judged(state, action, agent, milliseconds, prover)
    choice = [round(change, 4) for change in choice_of(state, action)] if with_dice else []
    if not with_dice:
        ours = round(best_value, 4)
        evaluation = [ours if one == seat else -ours for one in range(state.game.num_players)]
    values = round(value, 4), round(best_value, 4)
    return PlyReview(ply, seat, action, best, *values, proved, len(state.legal_actions), evaluation, [], choice)


def _judged(
    state: State, action: str, agent: Agent, milliseconds: float, prover: "_Prover"
) -> tuple[str, float, float, bool]:
    """The best action, what the played one and the best one are worth, and whether that is proved."""
    seat, after = state.player, state.clone()
    assert seat is not None
    after.play(action)
    if state.game.has_chance and len(state.legal_actions) == 1:
        value = expected(state)[seat]
        return action, value, value, False
    if (proof := prover.values(state, after)) is not None:
        before, reached, best = proof
        return best or action, reached, before, True
    analysis = study(agent, from_here(state), milliseconds)
    values = {line.actions[0]: line.value for line in analysis.lines}
    best_line = analysis.lines[0]
    played = values.get(action, best_line.value)
    return best_line.actions[0], min(played, best_line.value), best_line.value, False


def from_here(state: State) -> State:
    """The same position with dice that fall by themselves, as agents are asked about it."""
    return state.game.from_text(state.to_text()) if state.game.has_chance else state


class _Prover:
    """Proved values of positions, where the solver finds them in time."""

    def __init__(self, game: Game, milliseconds: float) -> None:
        able = game.num_players == 2 and not game.has_chance
        self._solver = Solver(game, megabytes=64) if able else None
        self._milliseconds = milliseconds

    def values(self, before: State, after: State) -> tuple[float, float, str] | None:
        """What a position and the one after an action are worth to who acted, and an action that keeps the value."""
        seat = before.player
        if self._solver is None or seat is None:
            return None
        reached = after.returns[seat] if after.over else self._value(after, seat)
        if reached is None:
            return None
        solution = self._solver.solve(before, distance=False, milliseconds=self._milliseconds)
        if not solution.solved:
            return None
        value = 0.0 if solution.winner is None else 1.0 if solution.winner == seat else -1.0
        return value, _sign(reached), before.text(solution.line[0]) if solution.line else ""

    def _value(self, state: State, seat: int) -> float | None:
        assert self._solver is not None
        solution = self._solver.solve(state, distance=False, milliseconds=self._milliseconds)
        if not solution.solved:
            return None
        return 0.0 if solution.winner is None else 1.0 if solution.winner == seat else -1.0


def _sign(value: float) -> float:
    return float((value > 0) - (value < 0))


# Dice: what is expected before and after, by the heuristic one decision ahead


def expected(state: State) -> list[float]:
    """By seat, with the heuristic one decision ahead: the mean over the die, then what the seat to act likes best."""
    seats = range(state.game.num_players)
    if state.over:
        return list(state.returns)
    if state.player == CHANCE:
        parts = [(chance, expected(_after(state, state.text(action)))) for action, chance in state.outcomes]
        return [sum(chance * values[seat] for chance, values in parts) for seat in seats]
    mover = state.player
    assert mover is not None
    choices = [_heuristic(_after(state, state.text(action))) for action in state.legal_actions]
    return max(choices, key=lambda values: values[mover])


def luck_of(state: State, outcome: str) -> list[float]:
    """By seat: what is expected after the die, less what was expected before it."""
    return _difference(expected(_after(state, outcome)), expected(state))


def choice_of(state: State, action: str) -> list[float]:
    """By seat: what the played action leaves, less what the best one for its player would have left."""
    return _difference(_heuristic(_after(state, action)), expected(state))


def _heuristic(state: State) -> list[float]:
    return list(state.returns) if state.over else [state.evaluate(seat) for seat in range(state.game.num_players)]


def _after(state: State, action: str) -> State:
    after = state.clone()
    after.play(action)
    return after


def _difference(after: Sequence[float], before: Sequence[float]) -> list[float]:
    return [one - other for one, other in zip(after, before, strict=True)]
