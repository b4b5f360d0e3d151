"""How far agents are from perfect play: positions whose every action is proved, and what agents choose there."""

from spielwerk.mistakes.collect import Collector, collect
from spielwerk.mistakes.measure import Mistakes, Tally, measure
from spielwerk.mistakes.positions import Card, PositionSet, ProvedPosition, shipped_set

__all__ = [
    "Card",
    "Collector",
    "Mistakes",
    "PositionSet",
    "ProvedPosition",
    "Tally",
    "collect",
    "measure",
    "shipped_set",
]
