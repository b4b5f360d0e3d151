"""Fixtures of other rooms that are used here, too."""

from tests.cli.conftest import cli

__all__ = ["cli"]
