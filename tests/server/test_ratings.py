"""The figures beside the levels' names: measured, and only where they belong."""

from __future__ import annotations

import pytest

import spielwerk as sw
from spielwerk.agents.search import AlphaBetaAgent
from spielwerk.server import ratings
from spielwerk.server.levels import levels_for, usual_levels
from spielwerk.server.ratings import measured, rating_of
from tests.server.client import Running


@pytest.mark.parametrize("name", measured().rulesets)  # a new game has no figures until someone measures
def test_every_figure_belongs_to_a_level_as_it_plays_today(name: str) -> None:
    game = sw.make(name)
    levels = {level.id: level for level in levels_for(game, usual_levels())}
    found = measured().rulesets[name]
    assert found.rules_version == game.rules_version and found.levels.keys() <= levels.keys()
    for id, rating in found.levels.items():
        assert rating_of(levels[id], game) == rating, "measure again: python benchmarks/levels.py"
        assert rating.low <= rating.elo <= rating.high and rating.games > 0
    assert found.levels["random"].elo == 0


@pytest.mark.parametrize("name", measured().rulesets)
def test_every_built_in_level_was_measured(name: str) -> None:
    game = sw.make(name)
    assert [level.id for level in levels_for(game, usual_levels()) if rating_of(level, game) is None] == []


@pytest.mark.parametrize("name", measured().rulesets)
def test_the_command_that_measured_is_there(name: str) -> None:
    assert measured().rulesets[name].command.startswith(f"python benchmarks/levels.py --ruleset {name} ")


def test_a_level_has_no_figure_under_other_rules_or_as_another_player() -> None:
    level = next(one for one in usual_levels() if one.id == "greedy")
    game = sw.make("pferdeaepfel/classic")
    assert rating_of(level, game) is not None
    assert rating_of(level, sw.make("pferdeaepfel/classic", size=7)) is None
    other = level.model_copy(update={"choices": (level.choices[0].model_copy(update={"spec": "random:seed=1"}),)})
    assert rating_of(other, game) is None


def test_a_level_has_no_figure_with_other_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    level = next(one for one in usual_levels() if one.id == "master")
    game = sw.make("pferdeaepfel/classic")
    assert rating_of(level, game) is not None
    ratings._player.cache_clear()
    monkeypatch.setattr(AlphaBetaAgent, "weights", lambda self, game: b"those of another release")
    assert rating_of(level, game) is None
    ratings._player.cache_clear()


def test_levels_come_with_their_figures(server: Running) -> None:
    levels = {one["id"]: one for one in server.get("/api/levels?game=pferdeaepfel/classic")}
    assert levels["random"]["rating"]["elo"] == 0
    assert set(levels["greedy"]["rating"]) == {"elo", "low", "high", "games"}
    assert levels["master"]["rating"]["elo"] > levels["greedy"]["rating"]["elo"]
