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
from spielwerk.arena.players import seat_agent
from spielwerk.arena.results import Result, ranks_of, shared_point
from spielwerk.arena.schedule import Fixture, digest, sides_of
from spielwerk.border import quoted
from spielwerk.errors import EngineError, IllegalAction
from spielwerk.games import CHANCE, Game, State, make
from spielwerk.records import Recorder

_OPENINGS_TRIED = 100


@dataclass(frozen=True)
class Played:
    """A finished game: what statistics need, and the whole record."""

    fixture: Fixture
    result: Result
    record: dict[str, Any]


def play(fixture: Fixture) -> Played:
    """Plays a game to its end."""
    game = make(fixture.game, **fixture.rules)
    table = _Table(fixture, game)
    table.open()
    while not table.over:
        table.step()
    return Played(fixture, table.result(), table.recorder.record.to_json())


@dataclass
class _Table:
    fixture: Fixture
    game: Game
    forfeit: str = ""
    loser: int | None = None  # the side that forfeited
    plies: int = 0
    recorder: Recorder = field(init=False)
    dice: dict[int | None, random.Random] = field(init=False)  # by the seat they fall for

    def __post_init__(self) -> None:
        self.sides = sides_of(self.game)
        self.side_of = {seat: number for number, side in enumerate(self.sides) for seat in side}
        self.decisions = [0] * len(self.sides)
        self.milliseconds = [0.0] * len(self.sides)
        self.agents: dict[int, Agent] = {}

    @property
    def state(self) -> State:
        return self.recorder.state

    @property
    def over(self) -> bool:
        return self.loser is not None or self.state.over

    # The opening

    def open(self) -> None:
        """Plays random turns; those that would end the game are drawn anew."""
        for attempt in range(_OPENINGS_TRIED):
            seats = [self.fixture.players[self.side_of[seat]] for seat in range(self.game.num_players)]
            self.recorder = Recorder(self.game, seed=self.fixture.seed, seats=seats, chance="explicit")
            self.dice = {}
            self.plies = 0
            self._play_at_random(random.Random(f"{self.fixture.seed} opening {attempt}"))
            if not self.state.over:
                return
        raise ValueError(f"{self.game.name} does not last {self.fixture.opening} random turns; open with fewer")

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
            self._play(source.choice(self.state.legal_actions))

    # The game

    def step(self) -> None:
        """One die, or one action of whoever is to act."""
        choices = self.state.legal_actions
        if self.state.player == CHANCE:
            self._roll()
        elif len(choices) == 1:
            self._play(choices[0])
        else:
            self._ask(self.state.player or 0)

    def _roll(self) -> None:
        actions, chances = zip(*self.state.outcomes, strict=True)
        seat = _acting_after(self.state, actions[0])
        dice = self.dice.setdefault(seat, random.Random(f"{self.fixture.seed} dice {seat}"))
        self.recorder.play(dice.choices(actions, chances)[0])

    def _play(self, action: int) -> None:
        self.recorder.play(action)
        self.plies += 1

    def _ask(self, seat: int) -> None:
        side, began = self.side_of[seat], time.perf_counter()
        try:
            with patience(self.fixture.patience):
                action = operator.index(self._agent(seat).act(self.state.clone()))
            self._play(action)
        except (Exception, Overtime) as error:
            self._lose(side, _reason(error, self.fixture.patience))
        self.milliseconds[side] += 1000 * (time.perf_counter() - began)
        self.decisions[side] += 1

    def _agent(self, seat: int) -> Agent:
        if seat not in self.agents:
            name = self.fixture.players[self.side_of[seat]]
            self.agents[seat] = seat_agent(name, int(digest(self.fixture.id, seat), 16) >> 1)
        return self.agents[seat]

    def _lose(self, side: int, reason: str) -> None:
        self.loser = side
        self.forfeit = f"{self.fixture.players[side]}: {reason}"
        lost = self.sides[side]
        seats = range(self.game.num_players)
        record = self.recorder.record
        record.comments[max(1, len(record.actions))] = self.forfeit
        record.result = {
            "winner": [seat for seat in seats if seat not in lost],
            "returns": [-1.0 if seat in lost else 1.0 for seat in seats],
            "points": [0 for _ in seats],
            "reason": "forfeit",
            "truncated": False,
        }

    # The result

    def result(self) -> Result:
        record = self.recorder.record
        return Result(
            pairing=self.fixture.pairing,
            players=self.fixture.players,
            scores=self._scores(),
            ranks=self._ranks(),
            plies=self.plies,
            line=digest(record.start, record.actions),
            decisions=tuple(self.decisions),
            milliseconds=tuple(round(spent, 3) for spent in self.milliseconds),
            forfeit=self.forfeit,
        )

    def _scores(self) -> tuple[float, ...]:
        """A side that forfeits leaves the point to the others."""
        if self.loser is None:
            winners = [number for number, side in enumerate(self.sides) if side[0] in self.state.winner]
        else:
            winners = [number for number in range(len(self.sides)) if number != self.loser]
        return shared_point(winners, len(self.sides))

    def _ranks(self) -> tuple[int, ...]:
        if self.loser is not None:
            return ranks_of(self._scores())
        return ranks_of(tuple(self.state.returns[side[0]] for side in self.sides))


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
