"""Former bests of a self-play run: whom the learner meets beside the best, and how strong all of them are.

A network that meets nobody but its predecessor can go in circles, each step a win and the whole a loss. The pool keeps
the start and the latest former bests; the results of all bests are kept as numbers, so that every one can be rated.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from torch import Tensor

from spielwerk.arena.ratings import Rating, rate
from spielwerk.arena.results import Result
from spielwerk.arena.scores import Score
from spielwerk.training.networks import Network, frozen_copy
from spielwerk.training.snapshot import network_tensors, restore_network

START = "start"


@dataclass(frozen=True)
class Meeting:
    """Games of one entrant against another, as the first sees them."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int


@dataclass
class Pool:
    """The networks that were once the best, oldest first; `limit` of them at most, and the start for ever."""

    limit: int
    members: dict[str, Network] = field(default_factory=dict)
    meetings: list[Meeting] = field(default_factory=list)

    def add(self, name: str, network: Network) -> None:
        """Keeps a copy; the oldest beside the start leaves when there are too many."""
        self.members[name] = frozen_copy(network)
        while len(self.members) > self.limit:
            del self.members[next(name for name in self.members if name != START or self.limit == 0)]

    def note(self, first: str, second: str, score: Score) -> None:
        self.meetings.append(Meeting(first, second, score.wins, score.draws, score.losses))

    def ratings(self) -> list[Rating]:
        """Everybody's Elo, the strongest first; `random` is worth 0 where it played."""
        return rate(
            [result for number, meeting in enumerate(self.meetings) for result in _results(number, meeting)]
        ).players

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """As tensors and JSON."""
        tensors: dict[str, Tensor] = {}
        for number, network in enumerate(self.members.values()):
            tensors |= network_tensors(f"pool{number}", network)
        return tensors, {"members": list(self.members), "meetings": [asdict(meeting) for meeting in self.meetings]}

    def restore(self, like: Network, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        """The inverse of `state`."""
        self.members = {}
        for number, name in enumerate(facts["members"]):
            self.members[str(name)] = frozen_copy(like)
            restore_network(f"pool{number}", self.members[str(name)], tensors)
        self.meetings = [Meeting(**meeting) for meeting in facts["meetings"]]


def _results(number: int, meeting: Meeting) -> list[Result]:
    players = (meeting.first, meeting.second)
    kinds = (
        ((1.0, 0.0), (1, 2), meeting.wins),
        ((0.5, 0.5), (1, 1), meeting.draws),
        ((0.0, 1.0), (2, 1), meeting.losses),
    )
    scores = [(score, ranks) for score, ranks, count in kinds for _ in range(count)]
    return [Result(f"{number}/{place}", players, *score) for place, score in enumerate(scores)]
