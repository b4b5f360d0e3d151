"""What agents choose in proved positions, and how often that gives a result away."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from spielwerk.agents import Agent, agent
from spielwerk.arena.scores import wilson
from spielwerk.mistakes.positions import PositionSet, ProvedPosition


@dataclass
class Tally:
    """Positions and the mistakes made in them."""

    positions: int = 0
    mistakes: int = 0

    def add(self, mistaken: bool) -> None:
        self.positions += 1
        self.mistakes += mistaken

    @property
    def rate(self) -> float:
        return self.mistakes / self.positions if self.positions else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the rate."""
        return wilson(self.rate, self.positions) if self.positions else (0.0, 1.0)

    def to_json(self) -> dict[str, Any]:
        return {"positions": self.positions, "mistakes": self.mistakes, "rate": self.rate, "interval": [*self.interval]}


@dataclass
class Mistakes:
    """How an agent did: in won positions, in critical ones, and in critical ones by seat and by kind of game.

    A mistake is an action worth less than the best one: a win that becomes a draw or a loss, a draw that becomes a
    loss. In positions that are not critical none can be made.
    """

    agent: str
    won: Tally = field(default_factory=Tally)
    critical: Tally = field(default_factory=Tally)
    by_seat: dict[int, Tally] = field(default_factory=lambda: {0: Tally(), 1: Tally()})
    by_source: dict[str, Tally] = field(default_factory=dict)

    def add(self, position: ProvedPosition, action: str) -> None:
        """Counts what the agent chose."""
        mistaken = position.actions[action] < position.value
        if position.won:
            self.won.add(mistaken)
        if position.critical:
            for tally in (self.critical, self.by_seat[position.player]):
                tally.add(mistaken)
            self.by_source.setdefault(position.source, Tally()).add(mistaken)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "agent": self.agent,
            "won": self.won.to_json(),
            "critical": self.critical.to_json(),
            "by_seat": {str(seat): tally.to_json() for seat, tally in self.by_seat.items()},
            "by_source": {source: tally.to_json() for source, tally in self.by_source.items()},
        }


def measure(
    spec: str,
    positions: PositionSet,
    *,
    seed: int = 0,
    answers: dict[str, str] | None = None,
    heard: Callable[[ProvedPosition, str], None] = lambda position, action: None,
) -> Mistakes:
    """Asks an agent in every position; `answers` by position spares questions that were asked before.

    The agent forgets between two positions, so that their order does not matter. An agent that names no seed gets this
    one.
    """
    player = seeded(spec, seed)
    game = positions.card.made
    if not player.plays(game):
        raise ValueError(f"{spec} cannot play {game.name}")
    result = Mistakes(spec)
    for position in positions.positions:
        action = (answers or {}).get(position.position)
        if action is None:
            action = _answer(player, positions, position)
            heard(position, action)
        result.add(position, action)
    return result


def _answer(player: Agent, positions: PositionSet, position: ProvedPosition) -> str:
    state = positions.card.made.from_text(position.position)
    if not position.critical:  # whatever is played keeps the result
        return next(iter(position.actions))
    player.forget()
    return state.text(player.act(state))


def seeded(spec: str, seed: int) -> Agent:
    """The agent, with a seed if it takes one and names none."""
    player = agent(spec)
    if getattr(player, "seed", 0) is None:
        separator = "," if ":" in spec else ":"
        return agent(f"{spec}{separator}seed={seed}")
    return player


def shown(tally: Tally) -> str:
    """`12.0 % (8.1–17.3) of 200`."""
    low, high = tally.interval
    return f"{100 * tally.rate:.1f} % ({100 * low:.1f}–{100 * high:.1f}) of {tally.positions}"
