"""`spielwerk arena` and `spielwerk benchmark`: what they print and write, and what they refuse."""

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import spielwerk as sw
from spielwerk.agents.network import shipped_models
from spielwerk.arena import benchmark
from spielwerk.arena.report import CSV_COLUMNS
from spielwerk.games import State
from spielwerk.records import read_records

Cli = Callable[..., Any]
ARENA = ("arena", "random", "greedy", "--game", "pferdeaepfel/trail", "--games", "8", "--workers", "1")


def test_the_arena_prints_scores_by_side_and_ratings(cli: Cli) -> None:
    code, out, err = cli(*ARENA)
    assert (code, err) == (0, "")
    for text in ("random – greedy", "any side", "White", "Black", "distinct", "ms per action", "Elo with random = 0"):
        assert text in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_the_arena_as_json(cli: Cli) -> None:
    (report,) = json.loads(cli(*ARENA, "--json", "--seed", "3").out)["reports"]
    assert (report["game"], report["sides"]) == ("pferdeaepfel/trail", ["White", "Black"])
    (encounter,) = report["encounters"]
    assert (encounter["player"], encounter["opponent"]) == ("random", "greedy")
    assert encounter["score"]["games"] == 8
    assert [encounter["by_side"][side]["games"] for side in report["sides"]] == [4, 4]
    low, high = encounter["score"]["interval"]
    assert low <= encounter["score"]["rate"] <= high
    assert encounter["distinct_games"] <= 8 and encounter["mean_plies"] > 2
    assert report["ratings"]["unit"] == "Elo" and report["ratings"]["anchor"] == "random"
    assert {rating["player"]: rating["elo"] for rating in report["ratings"]["players"]}["random"] == 0


def test_teams_are_rated_as_sides_even_where_no_game_is_decided(cli: Cli) -> None:
    words = ("arena", "random", "greedy", "--game", "ludo/teams", "--rule", "max_plies=100")
    (report,) = json.loads(cli(*words, "--games", "4", "--workers", "1", "--json").out)["reports"]
    assert report["sides"] == ["Green+Blue", "Yellow+Red"]
    (encounter,) = report["encounters"]
    assert encounter["score"]["games"] == 4 == encounter["score"]["draws"]


def test_the_same_seed_gives_the_same_scores(cli: Cli) -> None:
    first, second = (json.loads(cli(*ARENA, "--json", "--seed", "5").out)["reports"][0] for _ in range(2))
    assert first["ratings"] == second["ratings"]
    assert first["encounters"][0]["by_side"] == second["encounters"][0]["by_side"]


def test_a_store_is_added_to_shown_and_exported(cli: Cli, tmp_path: Path) -> None:
    store, table, records = str(tmp_path / "games.db"), tmp_path / "scores.csv", tmp_path / "games.jsonl"
    cli(*ARENA, "--store", store)
    cli(*ARENA[:6], "12", *ARENA[-2:], "--store", store)  # more games
    ludo = ("arena", "random", "greedy", "--game", "ludo/ffa", "--gauntlet", "--games", "4", "--workers", "1")
    cli(*ludo, "--store", store)
    shown = json.loads(
        cli("arena", "--store", store, "--show", "--csv", str(table), "--records", str(records), "--json").out
    )
    assert [report["game"] for report in shown["reports"]] == ["ludo/ffa", "pferdeaepfel/trail"]
    games = [report["encounters"][0]["score"]["games"] for report in shown["reports"]]
    assert games == [4, 12]
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert list(rows[0]) == list(CSV_COLUMNS)
    assert [row["side"] for row in rows] == ["all", "Green", "Yellow", "Blue", "Red", "all", "White", "Black"]
    assert len(list(read_records(records))) == 16
    only = json.loads(cli("arena", "--store", store, "--show", "--game", "ludo/ffa", "--json").out)
    assert [skill["player"] for skill in only["reports"][0]["openskill"]] != []


def test_a_sequential_test_says_its_verdict(cli: Cli) -> None:
    words = ("arena", "greedy", "random", "--game", "pferdeaepfel/classic", "--games", "400", "--workers", "1")
    out = cli(*words, "--sprt", "0.5,0.7").out
    assert "greedy against random scores 0.7 or more" in " ".join(out.split())
    (test,) = json.loads(cli(*words, "--sprt", "0.5,0.7", "--json").out)["sprt"]
    assert test["verdict"] == "accept" and test["llr"] >= test["bounds"][1]


def test_who_fails_loses_and_the_arena_goes_on(cli: Cli, misbehave: Callable[[Callable[[State], Any]], str]) -> None:
    def crashes(_: State) -> int:
        raise RuntimeError("segmentation fault")

    code, out, err = cli(
        *("arena", "random", misbehave(crashes), "--game", "pferdeaepfel/trail", "--games", "4", "--workers", "1")
    )
    assert (code, err) == (0, "")
    assert "4 lost by forfeit, bad: RuntimeError: segmentation fault" in out


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_picture(cli: Cli, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"scores.{ending}"
    code, _, err = cli(*ARENA, "--picture", str(file))
    assert (code, err) == (0, "")
    assert file.stat().st_size > 5000
    if ending == "svg":
        assert "pferdeaepfel/trail" in file.read_text() and "random" in file.read_text()


def test_without_matplotlib_there_is_a_hint_and_all_the_rest(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "spielwerk.arena.plots", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, err = cli(*ARENA, "--picture", str(tmp_path / "scores.png"))
    assert code == 0 and "Elo" in out
    assert "pip install 'spielwerk[arena]'" in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("arena", "--game is missing"),
        ("arena random --game pferdeaepfel/trail", "two agents or more"),
        ("arena random random --game pferdeaepfel/trail", "'random' is named twice"),
        ("arena random gredy --game pferdeaepfel/trail", "unknown agent 'gredy'"),
        ("arena random human --game pferdeaepfel/trail", "people do not play in the arena"),
        ("arena random greedy --game trail", "did you mean 'pferdeaepfel/trail'?"),
        ("arena random greedy --game pferdeaepfel/trail --rule siez=4", "did you mean 'size'?"),
        ("arena random alphabeta --game ludo/ffa", "'alphabeta' cannot play ludo/ffa"),
        ("arena random network:nowhere --game ludo/ffa", "there is no model nowhere"),
        ("arena random greedy --game pferdeaepfel/trail --games 0", "--games: must be a whole number from 1"),
        ("arena random greedy --game pferdeaepfel/trail --workers x", "--workers: must be a whole number from 1"),
        ("arena random greedy --game pferdeaepfel/trail --opening -1", "--opening"),
        ("arena random greedy --game pferdeaepfel/trail --opening 999 --workers 1", "does not last 999 random turns"),
        ("arena random greedy --game pferdeaepfel/trail --patience 0", "--patience: must be more than 0"),
        ("arena random greedy --game pferdeaepfel/trail --sprt x", "--sprt is written like 0.5,0.55"),
        ("arena random greedy --game pferdeaepfel/trail --sprt 0.6,0.5", "score0 < score1"),
        ("arena random greedy --game pferdeaepfel/trail --csv /no/such/folder/x", "there is no folder /no/such/folder"),
        ("arena random greedy --game pferdeaepfel/trail --store nonsense://x", "cannot be used"),
        ("arena --show", "--show needs --store"),
        ("arena --show --store /no/such/file.db", "there is no store /no/such/file.db"),
        ("arena random greedy --show --store x.db", "with --show nobody plays"),
        ("benchmark trial", "did you mean 'pferdeaepfel/trail'?"),
        ("benchmark pferdeaepfel/trail --models /no/such/folder", "there is no folder /no/such/folder"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    cli: Cli, words: str, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = cli(*words.split())
    assert code == 2
    assert err.startswith("spielwerk: ") and message in err and err.count("\n") == 1


def test_a_picture_of_an_unknown_kind_is_refused(cli: Cli, tmp_path: Path) -> None:
    code, _, err = cli(*ARENA, "--picture", str(tmp_path / "scores.xyz"))
    assert code == 2 and "scores.xyz" in err and err.count("\n") == 1


# The benchmark


@pytest.fixture
def quick_contestants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "_SEARCHING", ("alphabeta:depth=2",))
    monkeypatch.setattr(benchmark, "shipped_models", lambda: [])


@pytest.mark.usefixtures("quick_contestants")
def test_the_quick_benchmark_plays_ten_games_for_every_two(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "results"
    words = ("benchmark", "pferdeaepfel/trail", "ludo/teams", "--quick", "--workers", "1", "--out", str(out))
    code, printed, err = cli(*words)
    assert (code, err) == (0, "")
    assert "alphabeta:depth=2" in printed and "expectimax" in printed
    assert {file.name for file in out.iterdir()} >= {"table.txt", "scores.csv", "report.json", "scores.png", "games.db"}
    data = json.loads((out / "report.json").read_text())
    assert [report["game"] for report in data["reports"]] == ["pferdeaepfel/trail", "ludo/teams"]
    for report in data["reports"]:
        assert len(report["encounters"]) == 3
        assert all(encounter["score"]["games"] == 10 for encounter in report["encounters"])
    assert "White" in (out / "table.txt").read_text() and "\x1b" not in (out / "table.txt").read_text()
    before = (out / "scores.csv").read_bytes()
    assert json.loads(cli(*words, "--json").out)["reports"] == data["reports"], "nothing was played again"
    assert (out / "scores.csv").read_bytes() == before


def test_contestants_fit_their_game() -> None:
    assert benchmark.contestants(sw.make("pferdeaepfel/classic"))[:4] == [
        "random",
        "greedy",
        "alphabeta:ms=20",
        "mcts:ms=20",
    ]
    assert benchmark.contestants(sw.make("ludo/ffa"))[:3] == ["random", "greedy", "expectimax"]


def test_every_shipped_model_plays_on_its_ruleset() -> None:
    for name in shipped_models():
        assert f"network:{name}" in benchmark.contestants(sw.make(name))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's exporter speaks of its own future
def test_models_in_a_folder_play_what_they_were_trained_for(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    from spielwerk.training.export import export_model
    from spielwerk.training.networks import network_for

    monkeypatch.setattr(benchmark, "_SEARCHING", ())
    monkeypatch.setattr(benchmark, "shipped_models", lambda: [])
    torch.manual_seed(1)
    game = sw.make("pferdeaepfel/trail")
    network = network_for(game, kind="mlp", channels=8, blocks=1)
    (tmp_path / "models/deep").mkdir(parents=True)
    file = tmp_path / "models/deep/mine.onnx"
    export_model(file, network, game, {})
    assert benchmark.contestants(game, tmp_path / "models") == ["random", "greedy", f"network:{file}"]
    assert benchmark.contestants(sw.make("pferdeaepfel/free"), tmp_path / "models") == ["random", "greedy"]
    words = ("benchmark", "pferdeaepfel/trail", "--models", str(tmp_path / "models"), "--games", "2", "--workers", "1")
    (report,) = json.loads(cli(*words, "--out", str(tmp_path / "out"), "--json").out)["reports"]
    names = {rating["player"] for rating in report["ratings"]["players"]}
    assert names == {"random", "greedy", f"network:{file}"}

    export_model(file, network_for(game, kind="mlp", channels=8, blocks=1), game, {})  # other weights, same name
    (report,) = json.loads(cli(*words, "--out", str(tmp_path / "out"), "--json").out)["reports"]
    shown = json.loads(cli("arena", "--store", str(tmp_path / "out/games.db"), "--show", "--json").out)
    names = {rating["player"].partition("#")[2] for rating in shown["reports"][0]["ratings"]["players"]}
    assert len(names - {""}) == 2, "two models under one name are told apart"


def test_standings_keep_the_names_at_80_columns(cli: Cli) -> None:
    names = ["random", "greedy", "random:seed=11", "greedy:errs=0.25,seed=3", "network:pferdeaepfel/trail"]
    words = ["--game", "pferdeaepfel/trail", "--games", "2", "--workers", "1"]
    out = cli("arena", *names, *words, width=80).out
    ratings = out.partition("rating")[2]
    assert all(name in ratings for name in names)
    assert max(map(len, out.splitlines())) <= 80
    wide = cli("arena", *names, *words, width=120).out
    assert "score %" in ratings
    assert "score %" not in wide


@pytest.mark.parametrize("count", ["0", "-1", "100000", "x"])
def test_workers_have_a_limit(cli: Cli, count: str) -> None:
    code, _, err = cli("arena", "random", "greedy", "--game", "pferdeaepfel/trail", "--workers", count)
    assert code == 2
    assert f"--workers: must be a whole number from 1 to 256, not '{count}'" in err
