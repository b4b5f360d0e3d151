"""Learning from a teacher: what is taught, that it is learnt, that a run goes on exactly, and what is refused."""

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import spielwerk as sw
from spielwerk.agents.network import load_model, shipped_models
from spielwerk.training import loop
from spielwerk.training.config import ImitationConfig
from spielwerk.training.export import shipped_weights
from spielwerk.training.imitation import Imitation, Lesson, taught_game, usual_teacher
from spielwerk.training.networks import network_for
from spielwerk.training.ppo import Progress
from spielwerk.training.snapshot import fingerprint, restore_network

Cli = Callable[..., Any]

GAME = sw.make("pferdeaepfel/trail", size=5)
CONFIG = ImitationConfig(
    teacher="greedy", n_envs=8, minibatch=32, channels=32, steps=600, window=500, opening=2, seed=3
)  # fmt: skip
MIXED = replace(CONFIG, network="residual", channels=8, blocks=2, mix="side=3,4", teacher="alphabeta:nodes=50")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(loop, "FINAL_GAMES", 10)


def learner(game: sw.Game, config: ImitationConfig, folder: Path) -> Imitation:
    made = Imitation(game, config)
    made.keep_in(folder)
    return made


# -- what is taught ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sw.games())
def test_a_lesson_holds_what_the_teacher_plays_wherever_there_is_a_choice(name: str) -> None:
    game = sw.make(name)
    lesson = taught_game(game, "random", replace(CONFIG, errs=1.0), 1)
    count = len(lesson.rows["actions"])
    masks = np.unpackbits(lesson.rows["masks"], axis=1)[:, : game.num_actions]
    assert count > 0 and {len(column) for column in lesson.rows.values()} == {count}
    assert lesson.rows["planes"].shape == (count, *game.observation_shape)
    assert masks[np.arange(count), lesson.rows["actions"]].all(), "what is learnt is legal"
    assert (masks.sum(1) > 1).all(), "what is forced teaches nothing"
    assert set(lesson.rows["values"].tolist()) <= set(lesson.returns)
    assert (lesson.rows["forecasts"][:, 0] > 0).all() and (np.abs(lesson.rows["forecasts"][:, 1]) <= 1).all()


def test_a_game_is_shown_from_one_side_and_games_from_several() -> None:
    game = sw.make("pferdeaepfel/trail")
    shown = set()
    for number in range(20):
        lesson = taught_game(game, "greedy", replace(CONFIG, errs=0.0, opening=0), number)
        sides = [k for k in range(game.num_symmetries) if is_played_from(game.start().symmetric(k), lesson)]
        assert sides
        shown.add(sides[0])
    assert len(shown) > 1


def is_played_from(state: sw.State, lesson: Lesson) -> bool:
    """Whether the rows are the positions of the game that begins here and goes on with what is learnt."""
    for planes, action in zip(lesson.rows["planes"], lesson.rows["actions"].tolist(), strict=True):
        while len(state.legal_actions) == 1:
            state.play(state.legal_actions[0])
        if state.player is None or not np.array_equal(state.observation(state.player), planes):
            return False
        state.play(action)
    return True


def test_values_are_those_of_the_seat_that_acts() -> None:
    lesson = taught_game(GAME, "greedy", replace(CONFIG, opening=0, errs=0.0), 1)
    winner, loser = max(lesson.returns), min(lesson.returns)
    assert {winner, loser} == {1.0, -1.0}
    assert set(lesson.rows["values"].tolist()) == {1.0, -1.0}, "both learn from one game"


def test_a_game_follows_from_its_number_and_the_seed_alone() -> None:
    config = replace(CONFIG, teacher="alphabeta:nodes=100")
    lessons = [taught_game(GAME, config.teacher, config, 5).rows for _ in range(2)]
    other = taught_game(GAME, config.teacher, replace(config, seed=4), 5).rows
    assert all(np.array_equal(lessons[0][name], lessons[1][name]) for name in lessons[0])
    assert not np.array_equal(lessons[0]["planes"], other["planes"])


def test_random_actions_take_games_off_the_teachers_path() -> None:
    config = replace(CONFIG, opening=0, errs=0.0)
    paths = {taught_game(GAME, "alphabeta:depth=2,seed=1", config, number).rows["planes"].shape for number in range(8)}
    off = replace(config, errs=0.5)
    others = {taught_game(GAME, "alphabeta:depth=2,seed=1", off, number).rows["planes"].shape for number in range(8)}
    assert len(paths) == 1 < len(others)


# -- learning ------------------------------------------------------------------------------------


def test_it_learns_to_play_as_the_teacher_does(tmp_path: Path) -> None:
    config = replace(CONFIG, steps=12_000, channels=64, window=12_000, learning_rate=0.003)
    run = learner(GAME, config, tmp_path)
    agreement = [progress.losses["agreement"] for progress in run.updates()]
    early, late = np.mean(agreement[:5]), np.mean(agreement[-20:])
    assert late > early + 0.2 and late > 0.6, (early, late)


def test_the_same_config_gives_the_same_network_whatever_the_threads(tmp_path: Path) -> None:
    prints = []
    for threads in (1, 3):
        run = learner(GAME, replace(CONFIG, threads=threads, teacher="alphabeta:nodes=100"), tmp_path / str(threads))
        for _ in run.updates():
            pass
        prints.append(fingerprint(run.network))
    assert prints[0] == prints[1]


@pytest.mark.parametrize(("game", "config"), [(GAME, CONFIG), (sw.make("diavolo/standard"), MIXED)])
def test_a_run_goes_on_exactly(game: sw.Game, config: ImitationConfig, tmp_path: Path) -> None:
    whole = learner(game, config, tmp_path / "whole")
    expected = list(map(told, whole.updates()))
    broken = learner(game, config, tmp_path / "broken")
    rows: list[tuple[Any, ...]] = []
    while len(rows) < len(expected):
        rows.append(told(next(broken.updates())))
        tensors, facts = broken.state()
        broken = learner(game, config, tmp_path / "broken")
        broken.restore({name: value.clone() for name, value in tensors.items()}, json.loads(json.dumps(facts)))
    assert rows == expected
    assert fingerprint(broken.network) == fingerprint(whole.network)


def told(progress: Progress) -> tuple[Any, ...]:
    return progress.update, progress.steps, progress.losses, progress.score, progress.games, progress.length


def test_the_boards_of_a_mix_take_turns_and_share_the_network(tmp_path: Path) -> None:
    run = learner(sw.make("diavolo/standard"), MIXED, tmp_path)
    games = [game.rules["side"] for game, _ in run.boards.values()]
    before = fingerprint(run.network)
    updates = run.updates()
    next(updates), next(updates)
    assert games == [3, 4]
    prints = {fingerprint(network) for network in (run.network, *(each for _, each in run.boards.values()))}
    assert len(prints) == 1 and before not in prints
    run.state()
    assert {path.parent.name for path in tmp_path.glob("*/*.safetensors")} == {"side=3", "side=4"}


def test_the_usual_teacher_plays_every_ruleset() -> None:
    for name in sw.games():
        game = sw.make(name)
        assert sw.agent(usual_teacher(game)).plays(game)


# -- beginning where a shipped model is ----------------------------------------------------------


@pytest.mark.parametrize("name", shipped_models())
def test_the_weights_of_a_shipped_model_are_those_it_answers_with(name: str) -> None:
    weights, card = shipped_weights(name)
    game = sw.make(card["game"], **card["rules"])
    shape = card["network"]
    network = network_for(game, shape["kind"], shape["channels"], shape["blocks"])
    restore_network("network", network, weights)
    state = game.start(seed=1)
    planes = torch.from_numpy(state.observation(state.player or 0)[None])
    with torch.no_grad():
        logits, value, _ = network(planes)
    expected, expected_value = load_model(name).answers(game, planes.numpy())
    legal = state.legal_actions
    assert logits.numpy()[0][legal] == pytest.approx(expected[0][legal], abs=1e-3)
    assert float(value[0]) == pytest.approx(float(expected_value[0]), abs=1e-3)


def test_a_run_begins_with_the_network_that_is_shipped(cli: Cli, tmp_path: Path) -> None:
    line = "train imitation diavolo/standard --from-pretrained diavolo/standard --teacher greedy --n-envs 1 --steps 1"
    code, out, err = cli(*shlex.split(line), "--json", "--no-tensorboard", "--runs-dir", str(tmp_path))
    assert code == 0, err
    facts = json.loads((Path(json.loads(out)["run"]) / "config.json").read_text())
    assert "--from-pretrained diavolo/standard" in facts["command"]
    assert facts["config"]["network"] == "residual" and facts["config"]["channels"] == 32


# -- the command ---------------------------------------------------------------------------------

WORDS = shlex.split(
    "train imitation pferdeaepfel/trail --rule size=4 --n-envs 4 --minibatch 16 --channels 16 --steps 60"
)


def test_the_command_trains_a_model_that_plays(cli: Cli, tmp_path: Path) -> None:
    code, out, err = cli(*WORDS, "--json", "--no-tensorboard", "--runs-dir", str(tmp_path))
    assert code == 0, err
    assert "the teacher is alphabeta:nodes=10000" in err
    run = json.loads(out)
    assert run["finished"] and run["steps"] >= 60
    state = sw.make("pferdeaepfel/trail", size=4).start()
    assert sw.agent(f"network:{run['run']}").act(state) in state.legal_actions


def test_a_mix_is_measured_board_by_board(tmp_path: Path) -> None:
    run = sw.train(
        "diavolo/standard", "imitation", mix={"side": [3, 4]}, teacher="greedy", network="residual", channels=8,
        n_envs=2, minibatch=8, steps=20, runs_dir=tmp_path, quiet=True,
    )  # fmt: skip
    assert run.result is not None and set(run.result["boards"]) == {"side=3", "side=4"}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("train imitation ludo/ffa --teacher alphabeta:nodes=10", "'alphabeta:nodes=10' cannot play ludo/ffa"),
        ("train imitation --teacher nobody", "nobody"),
        ("train imitation --teacher human", "people do not play"),
        ("train imitation diavolo/standard --mix side=4,5", "a mix needs a network that fits every board"),
        ("train imitation --errs 1.5", "errs"),
        ("train imitation --opponent greedy", "opponent"),
        ("train imitation --window 100000000000", "window"),
        ("train imitation --ray auto", "imitation plays all games itself"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(cli: Cli, tmp_path: Path, words: str, reason: str) -> None:
    code, _, err = cli(*shlex.split(words), "--runs-dir", str(tmp_path))
    assert code == 2 and reason in err and "Traceback" not in err
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_a_file_cannot_start_a_program_as_teacher(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"teacher": "engine:/bin/false"}))
    code, _, err = cli("train", "imitation", "--config", str(file), "--runs-dir", str(tmp_path / "runs"))
    assert code == 2 and "names a program as teacher; to start it, name it with --teacher" in err
