"""Positions of self-play as files for learning: observation, policy, value, exact value where proved, result."""

from spielwerk.datasets.files import make_dataset, read_card, read_dataset
from spielwerk.datasets.recipe import Recipe

__all__ = ["Recipe", "make_dataset", "read_card", "read_dataset"]
