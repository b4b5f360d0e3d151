"""Positions with exactly one action that wins, proved by the solver."""

from spielwerk.puzzles.make import make_puzzles
from spielwerk.puzzles.puzzle import Card, Puzzle, PuzzleSet, shipped_puzzles

__all__ = ["Card", "Puzzle", "PuzzleSet", "make_puzzles", "shipped_puzzles"]
