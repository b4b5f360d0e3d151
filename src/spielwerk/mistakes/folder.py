"""A folder that keeps positions and answers, so that work that was interrupted goes on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spielwerk.arena.players import player_name
from spielwerk.durable import append_durably, write_durably
from spielwerk.games import Game
from spielwerk.mistakes.collect import NODES, Collector, collecting
from spielwerk.mistakes.measure import Mistakes, measure
from spielwerk.mistakes.positions import PositionSet, ProvedPosition, line_of

POSITIONS, ANSWERS = "positions.jsonl", "answers.jsonl"
Advance = Callable[[int], None]


class MistakesFolder:
    """What `spielwerk mistakes` writes: one set of positions, and what agents answered."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.path.mkdir(parents=True, exist_ok=True)

    def collected(
        self, game: Game, count: int, *, seed: int = 0, nodes: int = NODES, advance: Advance = lambda found: None
    ) -> PositionSet:
        """So many positions, those in the folder first; `advance` hears how many came with every game."""
        path = self.path / POSITIONS
        collector = Collector.of(game, seed=seed, nodes=nodes)
        if path.exists():
            earlier = PositionSet.read(path)
            if earlier.card != collector.card:
                raise ValueError(f"{path} was made with other rules, seed or nodes; choose another folder")
            if len(earlier.positions) >= count:
                return PositionSet(earlier.card, earlier.positions[:count])
            collector.resume(earlier)
        write_durably(path, "".join(collector.found.lines()).encode())
        advance(len(collector.found.positions))
        for fresh in collecting(collector, count):
            append_durably(path, "".join(line_of(vars(position)) for position in fresh).encode())
            advance(len(fresh))
        if not collector.found.positions:
            raise ValueError(f"no position of {game!r} could be proved; allow more nodes or choose a smaller board")
        return collector.found

    def measured(
        self, spec: str, positions: PositionSet, *, seed: int = 0, advance: Advance = lambda asked: None
    ) -> Mistakes:
        """How an agent does; what it answered before is not asked again."""
        player = player_name(spec, positions.card.made)
        known = self._answers(player, seed, positions)
        advance(len(known))
        with (self.path / ANSWERS).open("a", encoding="utf-8") as file:

            def heard(position: ProvedPosition, action: str) -> None:
                file.write(line_of(_question(player, seed, positions, position.position) | {"action": action}))
                file.flush()
                advance(1)

            return measure(spec, positions, seed=seed, answers=known, heard=heard)

    def _answers(self, player: str, seed: int, positions: PositionSet) -> dict[str, str]:
        """Answers by position. A line that was cut off by a crash is no answer."""
        path = self.path / ANSWERS
        legal = {position.position: position.actions for position in positions.positions}
        known = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            try:
                data = json.loads(line)
                text, action = data["position"], data.pop("action")
                if data == _question(player, seed, positions, text) and action in legal[text]:
                    known[text] = action
            except (ValueError, KeyError, TypeError):
                continue
        return known


def _question(player: str, seed: int, positions: PositionSet, position: str) -> dict[str, Any]:
    card = positions.card
    return {"agent": player, "seed": seed, "game": card.game, "rules": card.rules, "position": position}
