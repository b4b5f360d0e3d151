"""Matches, tournaments, ratings: results in, statistics out."""
