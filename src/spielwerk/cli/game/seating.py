"""A game with its players seated: people and agents, taking back, giving up. Knows nothing of screens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spielwerk.agents import Agent, agent
from spielwerk.errors import IllegalAction
from spielwerk.games import Game, State
from spielwerk.play import GameInProgress, How


@dataclass(frozen=True)
class Setting:
    """What a game is played with: the rules, who sits where, and where it begins."""

    game: Game
    agents: tuple[Agent, ...]
    seed: int | None = None
    position: str | None = None

    def is_human(self, seat: int | None) -> bool:
        return seat is not None and seat >= 0 and self.agents[seat].kind == "human"

    @property
    def humans(self) -> list[int]:
        return [*filter(self.is_human, range(len(self.agents)))]


class SeatedGame(GameInProgress):
    """A game in progress between people at the terminal and agents."""

    def __init__(self, setting: Setting) -> None:
        names = [player.spec for player in setting.agents]
        super().__init__(setting.game, start=setting.position, seed=setting.seed, seats=names)
        self.setting = setting

    @property
    def human_to_act(self) -> bool:
        """Whether a person's answer is what the game waits for."""
        return not self.over and self.setting.is_human(self.state.player)

    def play_typed(self, text: str) -> None:
        """Plays an action or a whole turn as people type it, blanks allowed; IllegalAction changes nothing."""
        _require_ascii(text)
        self.play(_without_blanks_if_needed(self.state, text))

    def agent_plays(self) -> None:
        self.play(self.setting.agents[_acting_seat(self.state)].act(self.state.clone()))

    def undo(self) -> bool:
        """Back to where the last human turn began, or before a resignation; False when there is none."""
        if self.loser is not None:
            self.resume()
            return True
        ply = self.takeback_ply(self.setting.humans)
        if ply is None:
            return False
        self.take_back(ply)
        return True

    def resign(self) -> None:
        """The human to act, or else the first human, gives up."""
        self.lose(_acting_seat(self.state) if self.human_to_act else self.setting.humans[0], How.RESIGNED)

    def hint(self) -> tuple[list[str], float]:
        """The turn that greedy would play now, and how it values the position after it."""
        greedy, state, seat = agent("greedy:seed=0"), self.state.clone(), _acting_seat(self.state)
        actions = []
        dice_fell = False
        while state.player == seat and not dice_fell:
            action = greedy.act(state)
            actions.append(state.text(action))
            state.play(action)
            dice_fell = bool(state.fallen)
        return actions, state.evaluate(seat)


def seated(specs: Sequence[str], seed: int | None) -> tuple[Agent, ...]:
    """The agents of these specs, one per seat; with a seed, those that draw lots repeat themselves."""
    return tuple(_seeded(agent(spec), seed, seat) for seat, spec in enumerate(specs))


def _seeded(player: Agent, seed: int | None, seat: int) -> Agent:
    if seed is None or getattr(player, "seed", seed) is not None:
        return player
    joint = "," if ":" in player.spec else ":"
    return agent(f"{player.spec}{joint}seed={seed + seat}")


def _acting_seat(state: State) -> int:
    seat = state.player
    if seat is None or seat < 0:
        raise IllegalAction("the game is over", "over")
    return seat


def _require_ascii(text: str) -> None:
    if not text.isascii():
        raise IllegalAction(f"'{text[:40]}' is no action: all are written in ASCII", "notation")


def _without_blanks_if_needed(state: State, text: str) -> str:
    """'b6 @d4' is read as 'b6@d4' unless the notation itself has the blank."""
    try:
        state.clone().play(text)
    except IllegalAction as illegal:
        return "".join(text.split()) if illegal.code == "notation" else text
    return text
