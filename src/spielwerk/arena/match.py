"""One game of the arena, from its opening to its result.

Whatever an agent does, its game ends: one that raises, plays what the rules forbid or takes longer than the arena's
patience loses, and the reason is recorded. Actions without a choice are played without asking.

Dice are drawn by the arena: a seat's n-th die is the same in all games of a pairing, so that everybody plays with
everybody's luck. Agents see no stream they could look ahead in.
"""

import operator
import random
import time
from dataclasses import dataclass, field
from typing import Any

from spielwerk.agents import Agent
from spielwerk.arena.patience import Overtime, patience
from spielwerk.arena.players import programs_of, require_player, seat_agent
from spielwerk.arena.results import Result, ranks_of, shared_point
from spielwerk.arena.schedule import Fixture, digest
from spielwerk.arena.workers import Needs, needing
from spielwerk.border import quoted
from spielwerk.errors import EngineError, IllegalAction
from spielwerk.games import CHANCE, Game, State, make, sides_of
from spielwerk.play import GameInProgress, How

_OPENINGS_TRIED = 100


@dataclass(frozen=True)
class Played:
    """A finished game: what statistics need, and the whole record."""

    fixture: Fixture
    result: Result
    record: dict[str, Any]


def _needs(fixture: Fixture) -> Needs:
    return Needs(programs=programs_of(fixture.players))


@needing(_needs)
def play(fixture: Fixture) -> Played:
    game = make(fixture.game, **fixture.rules)
    for player in fixture.players:
        require_player(player, game)
    contest = _Contest(fixture, game)
    contest.open()
    while not contest.game.over:
        contest.step()
    return Played(fixture, contest.result(), contest.game.record.to_json())


@dataclass
class _Contest:
    """A game in progress between the players of a fixture, who are asked, timed and seen to forfeit."""

    fixture: Fixture
    rules: Game
    forfeit: str = ""
    game: GameInProgress = field(init=False)
    dice: dict[int | None, random.Random] = field(init=False)  # by the seat they fall for

    def __post_init__(self) -> None:
        self.sides = sides_of(self.rules)
        self.side_of = self.rules.sides
        self.decisions = [0] * len(self.sides)
        self.milliseconds = [0.0] * len(self.sides)
        self.agents: dict[int, Agent] = {}

    @property
    def state(self) -> State:
        return self.game.state

    # The opening

    def open(self) -> None:
        """Begins from the fixture's position, or plays random turns; those that would end the game are drawn again."""
        seats, start = [self.fixture.players[side] for side in self.side_of], self.fixture.start or None
        for attempt in range(_OPENINGS_TRIED):
            self.game = GameInProgress(self.rules, start=start, seed=self.fixture.seed, seats=seats, chance="explicit")
            self.dice = {}
            self._play_at_random(random.Random(f"{self.fixture.seed} opening {attempt}"))
            if not self.state.over:
                return
        raise ValueError(f"{self.rules.name} does not last {self.fixture.opening} random turns; open with fewer")

    def _play_at_random(self, source: random.Random) -> None:
        turns, last = 0, None
        while not self.state.over:
            if self.state.player == CHANCE:
                self._roll()
                continue
            if self.state.player != last:
                if turns == self.fixture.opening:
                    return
                turns, last = turns + 1, self.state.player
            self.game.play(source.choice(self.state.legal_actions))

    # The game

    def step(self) -> None:
        """One die, or one action of whoever is to act."""
        state = self.state
        seat = state.player
        if seat == CHANCE:
            self._roll()
        elif len(choices := state.legal_actions) == 1:
            self.game.play(choices[0])
        else:
            self._ask(seat or 0)

    def _roll(self) -> None:
        actions, chances = zip(*self.state.outcomes, strict=True)
        seat = _acting_after(self.state, actions[0])
        if seat not in self.dice:
            self.dice[seat] = random.Random(f"{self.fixture.seed} dice {seat}")
        self.game.play(self.dice[seat].choices(actions, chances)[0])

    def _ask(self, seat: int) -> None:
        side, began = self.side_of[seat], time.perf_counter()
        try:
            with patience(self.fixture.patience):
                action = operator.index(self._agent(seat).act(self.state.clone()))
            self.game.play(action)
        except (Exception, Overtime) as error:
            self._lose(seat, _reason(error, self.fixture.patience))
        self.milliseconds[side] += 1000 * (time.perf_counter() - began)
        self.decisions[side] += 1

    def _agent(self, seat: int) -> Agent:
        if seat not in self.agents:
            name = self.fixture.players[self.side_of[seat]]
            self.agents[seat] = seat_agent(name, int(digest(self.fixture.id, seat), 16) >> 1)
        return self.agents[seat]

    def _lose(self, seat: int, reason: str) -> None:
        self.game.lose(seat, How.FORFEITED)
        self.forfeit = f"{self.fixture.players[self.side_of[seat]]}: {reason}"
        record = self.game.record
        record.comments[max(1, len(record.actions))] = self.forfeit

    # The result

    def result(self) -> Result:
        record, outcome = self.game.record, self.game.outcome
        assert outcome is not None
        return Result(
            pairing=self.fixture.pairing,
            players=self.fixture.players,
            scores=shared_point(outcome.winning_sides(self.rules), len(self.sides)),
            ranks=ranks_of(tuple(outcome.returns[side[0]] for side in self.sides)),
            plies=self.game.decisions,
            line=digest(record.start, record.actions),
            decisions=tuple(self.decisions),
            milliseconds=tuple(round(spent, 3) for spent in self.milliseconds),
            forfeit=self.forfeit,
        )


def _acting_after(state: State, action: int) -> int | None:
    after = state.clone()
    after.play(action)
    return after.player


def _reason(error: BaseException, seconds: float) -> str:
    """One line that names what happened."""
    if isinstance(error, Overtime):
        return f"took more than {seconds:g} seconds"
    text = quoted(str(error.reason if isinstance(error, EngineError) else error), 200)
    if isinstance(error, IllegalAction):
        return f"illegal action: {text}"
    return text if isinstance(error, ValueError) and text else f"{type(error).__name__}: {text}".rstrip(": ")
