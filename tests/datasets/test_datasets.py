"""Datasets say what happened: every row follows from its position, and the same recipe gives the same file."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.datasets import Recipe, files, make_dataset, read_card, read_dataset
from spielwerk.datasets.recipe import columns_of, play_game

TRAIL = sw.make("pferdeaepfel/trail", size=5)
RECIPES = {
    "trail": Recipe.of(TRAIL, ("mcts:sims=30",), seed=3),
    "classic": Recipe.of(sw.make("pferdeaepfel/classic", size=4), ("alphabeta:depth=2", "greedy"), nodes=2000),
    "ludo": Recipe.of(sw.make("ludo/teams"), ("greedy",), opening=0),
    "diavolo": Recipe.of(sw.make("diavolo/standard", side=4), ("random",), nodes=200),
}

Cli = Callable[..., Any]


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_every_row_follows_from_its_position(recipe: Recipe) -> None:
    rows, game = play_game(recipe, 5), recipe.made
    assert len(rows["ply"]) > 0 and (np.diff(rows["ply"]) > 0).all() and rows["ply"][0] >= recipe.opening
    for index, text in enumerate(rows["position"].tolist()):
        state = game.from_text(text)
        seat = int(rows["seat"][index])
        assert state.player == seat
        observation, mask = state.observe(seat)
        np.testing.assert_array_equal(rows["observation"][index], observation)
        np.testing.assert_array_equal(rows["mask"][index], mask)
        assert rows["action"][index] in state.legal_actions and len(state.legal_actions) > 1
        assert rows["policy"][index].sum() == pytest.approx(1, abs=1e-5)
        assert not rows["policy"][index][mask == 0].any()
    assert (rows["returns"] == rows["returns"][0]).all() and (np.abs(rows["value"]) <= 1).all()


def test_the_last_decision_leads_to_the_result() -> None:
    rows = play_game(RECIPES["trail"], 0)
    state = TRAIL.from_text(rows["position"][-1])
    state.play(int(rows["action"][-1]))
    while not state.over:  # what is left was forced
        assert len(state.legal_actions) == 1
        state.play(state.legal_actions[0])
    assert state.returns == tuple(rows["returns"][-1]) and state.points == tuple(rows["points"][-1])


def test_exact_values_are_those_of_the_solver() -> None:
    rows = play_game(RECIPES["trail"], 1)
    assert np.isfinite(rows["exact"]).all()  # a board of five is small
    for text, exact in zip(rows["position"].tolist(), rows["exact"], strict=True):
        verdict = sw.solve(TRAIL.from_text(text), distance=False).verdict
        assert exact == {"win": 1, "draw": 0, "loss": -1}[verdict]
    few = play_game(Recipe.of(sw.make("pferdeaepfel/classic"), ("greedy",), nodes=1), 0)
    assert np.isnan(few["exact"]).any()
    assert np.isnan(play_game(RECIPES["ludo"], 0)["exact"]).all()  # dice


def test_agents_cannot_look_at_the_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[sw.State] = []

    class Looking:
        def decide(self, state: sw.State) -> Any:
            seen.append(state)
            return sw.agent("greedy:seed=1").decide(state)

    monkeypatch.setattr("spielwerk.datasets.recipe.seat_agent", lambda spec, seed: Looking())
    play_game(RECIPES["ludo"], 0)
    after = seen[0].clone()
    after.play(after.legal_actions[0])
    assert after.player == sw.CHANCE  # the next die has not fallen


# -- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_both_kinds_of_file_hold_the_same(recipe: Recipe, tmp_path: Path) -> None:
    cards = [make_dataset(tmp_path / name, recipe, 3, command="c") for name in ("games.npz", "games.parquet")]
    assert cards[0]["content"] == cards[1]["content"] and cards[0]["positions"] == cards[1]["positions"]
    one, two = read_dataset(tmp_path / "games.npz"), read_dataset(tmp_path / "games.parquet")
    kinds = columns_of(recipe.made)
    assert list(one) == list(two) == list(kinds) == list(cards[0]["columns"])
    for name, column in kinds.items():
        np.testing.assert_array_equal(one[name], two[name])
        assert one[name].shape == two[name].shape == (cards[0]["positions"], *column.shape)
        assert one[name].dtype.kind == two[name].dtype.kind == np.dtype(column.dtype).kind
    assert set(one["game"].tolist()) == {0, 1, 2}


def test_the_card_tells_how_it_was_made(tmp_path: Path) -> None:
    make_dataset(tmp_path / "games.npz", RECIPES["trail"], 2, command="spielwerk dataset …")
    card = read_card(tmp_path / "games.npz")
    assert (card["game"], card["rules"], card["rules_version"]) == (TRAIL.name, TRAIL.rules, TRAIL.rules_version)
    assert card["agents"] == ["mcts:sims=30"] and card["seed"] == 3 and card["games"] == 2 and card["repeatable"]
    assert card["command"] == "spielwerk dataset …" and card["versions"]["spielwerk"] == sw.__version__
    assert card["proved"] == np.isfinite(read_dataset(tmp_path / "games.npz")["exact"]).sum() > 0
    assert not Recipe.of(TRAIL, ("alphabeta:ms=5",)).repeatable
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.npz", "games.npz.json"]


def test_the_same_recipe_gives_the_same_file(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        make_dataset(tmp_path / name, RECIPES["trail"], 3)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    other = make_dataset(tmp_path / "c.npz", Recipe.of(TRAIL, ("mcts:sims=30",), seed=4), 3)
    assert other["content"] != read_card(tmp_path / "a.npz")["content"]


@pytest.mark.parametrize("suffix", files.SUFFIXES)
def test_an_interrupted_one_goes_on_to_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setattr(files, "PART_BYTES", 5_000)
    make_dataset(tmp_path / f"whole{suffix}", RECIPES["trail"], 9)
    played: list[int] = []

    def interrupt(more: int) -> None:
        played.append(more)
        if sum(played) == 5:
            raise KeyboardInterrupt

    path = tmp_path / f"games{suffix}"
    with pytest.raises(KeyboardInterrupt):
        make_dataset(path, RECIPES["trail"], 9, advance=interrupt)
    assert not path.exists() and list((tmp_path / f"games{suffix}.parts").glob("part-*"))
    steps: list[int] = []
    make_dataset(path, RECIPES["trail"], 9, advance=steps.append)
    assert steps[0] > 0 and sum(steps) == 9
    whole = tmp_path / f"whole{suffix}"
    assert read_card(path) | {"command": ""} == read_card(whole) | {"command": ""}
    assert path.read_bytes() == whole.read_bytes()


def test_parts_of_another_dataset_are_left_alone(tmp_path: Path) -> None:
    def interrupt(more: int) -> None:
        if more:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_dataset(tmp_path / "games.npz", RECIPES["trail"], 9, advance=interrupt)
    with pytest.raises(ValueError, match=r"games\.npz\.parts is the beginning of another dataset"):
        make_dataset(tmp_path / "games.npz", RECIPES["trail"], 10)


def test_a_file_that_is_not_its_cards_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.npz"
    with pytest.raises(ValueError, match=r"games\.npz\.json is no card of a dataset"):
        read_dataset(path)
    make_dataset(path, RECIPES["trail"], 1)
    path.write_bytes(path.read_bytes() + b"!")
    with pytest.raises(ValueError, match="is not the dataset its card describes"):
        read_dataset(path)


# -- the command -----------------------------------------------------------------------------------


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "games.npz"
    line = "dataset pferdeaepfel/trail --rule size=4 --agent greedy --games 3 --out"
    words = [*line.split(), str(path)]
    done = cli(*words, width=200)
    card = read_card(path)
    assert (done.code, done.out) == (
        0,
        f"{path}: {card['positions']} positions of 3 games, {card['proved']} proved\n",
    )
    assert card["command"].startswith("spielwerk dataset pferdeaepfel/trail --rule size=4 --agent greedy --games 3")
    assert json.loads(cli(*words, "--json").out)["content"] == card["content"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--agent greedy --games 1 --out games.csv", "a dataset ends in .npz or .parquet, not 'games.csv'"),
        ("--agent nobody --games 1 --out games.npz", "unknown agent 'nobody'"),
        ("--agent human --games 1 --out games.npz", "people do not play"),
        ("--agent random --agent random --agent random --games 1 --out x.npz", "takes one agent for all seats or 2"),
        ("--agent greedy --games 0 --out games.npz", "must be a whole number above 0"),
        ("--agent greedy --games 1 --nodes -1 --out games.npz", "opening and nodes must not be negative"),
        ("--agent greedy --games 1 --out none/such/games.npz/x.npz", ""),
    ],
)
def test_bad_input_is_refused_in_one_line(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "none").write_text("")
    done = cli("dataset", "pferdeaepfel/trail", *words.split())
    assert done.code == 2 and done.out == "" and message in done.err and done.err.count("\n") == 1


def test_parquet_without_its_package(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "games.parquet"
    done = cli("dataset", "pferdeaepfel/trail", "--agent", "greedy", "--games", "1", "--out", str(path))
    assert done.code == 2 and list(tmp_path.iterdir()) == []
    assert done.err.endswith("this needs pyarrow, which is not installed; pip install 'spielwerk[data]' brings it\n")
