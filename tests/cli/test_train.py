"""Training from the command line: killed and continued, interrupted, configured, refused; runs listed and drawn."""

import importlib.util
import json
import multiprocessing
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import spielwerk as sw
from spielwerk.cli import main
from spielwerk.training import loop
from spielwerk.training.checkpoints import load_checkpoint
from spielwerk.training.ppo import Ppo
from spielwerk.training.runs import Run
from spielwerk.training.watching import Metrics

Cli = Callable[..., Any]

SMALL = shlex.split("pferdeaepfel/trail --rule size=4 --n-envs 16 --rollout 16 --minibatch 64 --channels 16")
SEARCHED = [*SMALL, *shlex.split("--sims 6 --fast-sims 3 --window 300")]
TAUGHT = shlex.split("pferdeaepfel/trail --rule size=4 --n-envs 4 --minibatch 64 --channels 16 --window 300")
TAUGHT += ["--teacher", "alphabeta:nodes=50"]
SETTINGS = {
    "ppo": [*SMALL, "--steps", "15_000", "--seed", "3", "--ema-share", "0.1"],
    "selfplay": [*SMALL, "--steps", "10_000", "--seed", "4", "--eval-freq", "1000", "--n-eval-games", "40"],
    "alphazero": [*SEARCHED, *shlex.split("--steps 8000 --seed 4 --eval-freq 3000 --n-eval-games 20 --ema-share 0.1")],
    "imitation": [*TAUGHT, "--steps", "5000", "--seed", "4"],
}
METHODS = tuple(SETTINGS)

# One process loads PyTorch; the trainings are its children, begun in an instant and killed for real.
processes = multiprocessing.get_context("forkserver")
processes.set_forkserver_preload(["spielwerk.training.loop", "spielwerk.cli.commands.train", "torch._dynamo", "onnx"])


@pytest.fixture(autouse=True)
def few_games_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "FINAL_GAMES", 20)


@pytest.fixture
def disk() -> Iterator[Path]:
    """A folder, in memory where that is possible: thousands of checkpoints would otherwise wait for the disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


def begin(*words: str) -> Any:
    process = processes.Process(target=main, args=(["train", *words, "--no-tensorboard"],))
    process.start()
    return process


def finish(*words: str) -> None:
    process = begin(*words)
    process.join()
    assert process.exitcode == 0


def result_of(folder: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return result


def metrics_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def evaluations_of(folder: Path) -> list[Any]:
    return [(line["update"], line["evaluation"]) for line in metrics_of(folder) if "evaluation" in line]


def kill_after_some_checkpoints(process: Any, folder: Path, source: random.Random) -> None:
    """Waits until the run has got further, and a moment more."""
    known = set(folder.glob("checkpoints/*.sha256"))
    begun = folder / "config.json"  # follows the first checkpoint, and makes the folder a run
    while process.is_alive() and not (begun.exists() and set(folder.glob("checkpoints/*.sha256")) - known):
        time.sleep(0.005)
    time.sleep(0.15 * source.random())
    os.kill(process.pid, signal.SIGKILL)
    process.join()


@pytest.mark.parametrize("method", METHODS)
def test_a_run_killed_again_and_again_ends_as_if_nothing_had_happened(disk: Path, method: str) -> None:
    source = random.Random(method)
    whole, broken = disk / "whole", disk / "broken"
    finish(method, *SETTINGS[method], "--run", str(whole))
    begun = begin(method, *SETTINGS[method], "--run", str(broken), "--checkpoint-seconds", "0")
    kill_after_some_checkpoints(begun, broken, source)
    for _ in range(3):
        again = begin(method, "--continue", str(broken), "--checkpoint-seconds", "0")
        kill_after_some_checkpoints(again, broken, source)
    if not (broken / "result.json").exists():
        finish(method, "--continue", str(broken))
    assert result_of(whole)["weights"] == result_of(broken)["weights"]
    assert evaluations_of(whole) == evaluations_of(broken)
    ends = [load_checkpoint(folder / "checkpoints") for folder in (whole, broken)]
    for name, value in ends[0].tensors.items():
        assert torch.equal(value, ends[1].tensors[name]), name
    if method == "selfplay":
        assert len(evaluations_of(whole)) == 10, "the last at the very end"


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_checkpoint_is_named_and_the_one_before_it_continued(cli: Cli, disk: Path, method: str) -> None:
    words = [*{"alphazero": SEARCHED, "imitation": TAUGHT}.get(method, SMALL), "--steps", "3000"]
    words += ["--eval-freq", "1000", "--n-eval-games", "20"] if method in ("selfplay", "alphazero") else []
    assert cli("train", method, *words, "--run", f"{disk}/mine", "--checkpoint-seconds", "0").code == 0
    whole = result_of(disk / "mine")
    (disk / "mine/result.json").unlink()
    newest = max(disk.glob("mine/checkpoints/*.safetensors"))
    newest.write_bytes(newest.read_bytes()[:-100])
    code, _, err = cli("train", method, "--continue", f"{disk}/mine")
    assert code == 0
    assert f"{newest} is damaged: its checksum does not match" in err
    before = int(newest.stem) - 1
    assert f"going on after update {before}, from {before:09}.safetensors" in err
    assert result_of(disk / "mine")["weights"] == whole["weights"]
    assert [line["update"] for line in metrics_of(disk / "mine")] == sorted(
        {line["update"] for line in metrics_of(disk / "mine")}
    )


def test_an_interrupt_saves_and_tells_how_to_continue(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(loop, "SECONDS_BETWEEN_ROWS", 0.0)
        patch.setattr(Metrics, "see", lambda _, row: signal.raise_signal(signal.SIGINT) if row.update == 3 else None)
        code, out, _ = cli("train", "ppo", *SMALL, "--steps", "2000", "--no-tensorboard")
    assert code == 130
    advice = re.fullmatch(
        r"saved after update 3 \((\d+) steps\); go on with:\n  spielwerk (train ppo --continue .*)\n", out
    )
    assert advice
    (checkpoints,) = tmp_path.glob("runs/*/checkpoints")
    assert int(advice[1]) == load_checkpoint(checkpoints).facts["learner"]["steps"]
    assert "stopped" in cli("runs").out
    code, _, err = cli(*shlex.split(advice[2]))
    assert code == 0 and "going on after update 3, from 000000003.safetensors" in err
    assert "finished" in cli("runs").out


# -- settings ------------------------------------------------------------------------------------

QUICK = [*SMALL, "--steps", "512"]


@pytest.fixture(scope="module")
def runs_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ppo run and a selfplay run that are done."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "FINAL_GAMES", 20)
        assert main(["train", "ppo", *QUICK, "--runs-dir", str(folder), "--run", "first"]) == 0
        words = ["--eval-freq", "200", "--n-eval-games", "10", "--seed", "9", "--no-tensorboard"]
        assert main(["train", "selfplay", *QUICK, *words, "--runs-dir", str(folder), "--run", "second"]) == 0
    return folder


def made(steps: int) -> range:
    """What a run of so many steps may have made when its last update ended."""
    return range(steps, steps + 16 * 16)


def facts_of(folder: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((folder / "config.json").read_text())
    return facts


def test_a_run_folder_holds_everything(runs_dir: Path) -> None:
    facts = facts_of(runs_dir / "first")
    assert (facts["method"], facts["ruleset"], facts["rules"]["size"]) == ("ppo", "pferdeaepfel/trail", 4)
    assert facts["config"]["n_envs"] == 16 and facts["config"]["steps"] == 512 and facts["config"]["seed"] == 0
    assert {"spielwerk", "core", "python", "torch", "numpy"} <= facts["versions"].keys()
    assert metrics_of(runs_dir / "first")[-1]["steps"] in made(512)
    assert list(runs_dir.glob("first/tensorboard/events.out.tfevents.*"))
    for run, model in (("first", "final"), ("second", "best"), ("second", "final")):
        assert {path.name for path in (runs_dir / run / model).iterdir()} == {
            "model.onnx", "model.json", "weights.safetensors",
        }  # fmt: skip
    card = json.loads((runs_dir / "first/final/model.json").read_text())
    assert card["command"] == facts["command"] and card["steps"] in made(512) and card["figures"]["greedy"]


def test_the_command_in_the_folder_repeats_the_run(cli: Cli, runs_dir: Path, tmp_path: Path) -> None:
    command = shlex.split(facts_of(runs_dir / "second")["command"])
    assert command[:4] == ["spielwerk", "train", "selfplay", "pferdeaepfel/trail"]
    assert command.count("--rule") == 1
    code, out, _ = cli(*command[1:], "--run", str(tmp_path / "again"), "--no-tensorboard", "--json")
    report = json.loads(out)
    assert code == 0 and report["finished"] and report["run"] == str(tmp_path / "again")
    assert report["weights"] == result_of(runs_dir / "second")["weights"]


@pytest.mark.parametrize("form", ["json", "toml", "run"])
def test_settings_from_a_file_and_flags_that_win(cli: Cli, runs_dir: Path, tmp_path: Path, form: str) -> None:
    file = tmp_path / f"settings.{form}"
    if form == "json":
        settings = {"ruleset": "pferdeaepfel/trail", "rules": {"size": 4}, "n-envs": 16, "rollout": 16, "channels": 16}
        file.write_text(json.dumps(settings | {"minibatch": 64, "steps": 1e6, "entropy": 0}))
    elif form == "toml":
        file.write_text(
            'ruleset = "pferdeaepfel/trail"\nn_envs = 16\nrollout = 16\nchannels = 16\nminibatch = 64\n'
            "steps = 10_000\nentropy = 0.0\n[rules]\nsize = 4\n"
        )
    else:
        file = runs_dir / "first" / "config.json"
    words = ("--config", str(file), "--steps", "256", "--run", str(tmp_path / "mine"), "--no-tensorboard")
    assert cli("train", "ppo", *words)[0] == 0
    facts = facts_of(tmp_path / "mine")
    assert facts["rules"]["size"] == 4 and facts["config"]["n_envs"] == 16 and facts["config"]["steps"] == 256
    assert facts["config"]["entropy"] == (0.01 if form == "run" else 0.0)


def test_training_starts_from_other_runs(cli: Cli, runs_dir: Path, tmp_path: Path) -> None:
    words = ("train", "selfplay", "pferdeaepfel/trail", "--rule", "size=4", "--n-envs", "16", "--steps", "512")
    for source in (str(runs_dir / "first"), str(runs_dir / "first/final/weights.safetensors")):
        folder = tmp_path / str(len(source))
        assert cli(*words, "--from-pretrained", source, "--run", str(folder), "--no-tensorboard")[0] == 0
        facts = facts_of(folder)
        assert facts["config"]["channels"] == 16
        assert f"--from-pretrained {source}" in facts["command"]
        (first,) = folder.glob("checkpoints/000000000.safetensors")
        assert first  # holds the pretrained weights as the best so far; no promotion has happened
        assert result_of(folder)["weights"] == result_of(runs_dir / "first")["weights"]


def test_a_finished_run_goes_further_with_more_steps(cli: Cli, tmp_path: Path) -> None:
    folder = str(tmp_path / "mine")
    cli("train", "ppo", *QUICK, "--run", folder, "--no-tensorboard")
    code, _, err = cli("train", "ppo", "--continue", folder)
    assert code == 2 and "has made its 512 steps; --steps N, with a larger N, goes further" in err
    assert cli("train", "ppo", "--continue", folder, "--steps", "1024", "--no-tensorboard")[0] == 0
    assert result_of(tmp_path / "mine")["steps"] in made(1024)
    assert facts_of(tmp_path / "mine")["config"]["steps"] == 1024


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train", "the following arguments are required: method"),
        ("train dqn", "argument method: invalid choice: 'dqn'"),
        ("train ppo trail", "unknown ruleset 'trail'; did you mean 'pferdeaepfel/trail'?"),
        ("train ppo --rule size=99", "size"),
        ("train ppo --steps many", "argument --steps: must be a whole number, not 'many'"),
        ("train ppo --stpes 3", "unknown argument '--stpes'; did you mean '--steps'?"),
        ("train ppo --steps 0", "steps must be at least 1, not 0"),
        ("train ppo --gate sprt", "--gate belongs to selfplay"),
        ("train alphazero --opponent greedy", "--opponent belongs to ppo"),
        ("train ppo --sims 8", "--sims belongs to alphazero"),
        ("train alphazero --sims 0", "sims must be at least 1, not 0"),
        ("train alphazero --full-share 2", "full_share must be at most 1, not 2.0"),
        ("train alphazero --n-envs 1048576 --sims 65536", "need trees of about"),
        ("train alphazero --window 1073741824", "GiB of memory"),
        ("train alphazero --device tpu", "device must be auto, cpu or cuda, not 'tpu'"),
        ("train alphazero --from-pretrained RUNS/first", "from pretrained RUNS/first: the weights are of another"),
        ("train alphazero --continue RUNS/first", "was begun by 'spielwerk train ppo', not alphazero"),
        ("train selfplay --gate none", "gate must be pool or sprt or threshold, not none"),
        ("train ppo --device tpu", "device must be auto, cpu or cuda, not 'tpu'"),
        ("train ppo --seed -1", "seed must be at least 0, not -1"),
        ("train ppo --checkpoint-seconds nan", "argument --checkpoint-seconds: must be from 0 to 86400 seconds"),
        ("train ppo --discount 2", "discount must be at most 1, not 2.0"),
        ("train ppo --clip -1", "clip must be at least 0.001, not -1.0"),
        ("train ppo --learning-rate inf", "learning_rate must be at most 1, not inf"),
        ("train ppo --entropy nan", "entropy must be a number from 0 to 1000, not nan"),
        ("train ppo --seconds nan", "seconds must be a number from 0 to 1e+09, not nan"),
        ("train ppo --gae-lambda -0.1", "gae_lambda must be at least 0, not -0.1"),
        ("train ppo --trace 1.5", "gae_lambda must be at most 1, not 1.5"),
        ("train ppo --ema-share 2", "ema_share must be at most 1, not 2.0"),
        ("train imitation --ema-share -0.1", "ema_share must be at least 0, not -0.1"),
        ("train alphazero --ema-share nan", "ema_share must be a number from 0 to 1, not nan"),
        ("train selfplay --ema-share often", "argument --ema-share: must be a number, not 'often'"),
        ("train ppo --steps 1.5", "argument --steps: must be a whole number, not '1.5'"),
        ("train ppo --steps 1e400", "argument --steps: must be a whole number, not '1e400'"),
        ("train ppo --n-envs 100000000", "n_envs must be at most 16777216, not 100000000"),
        ("train ppo --n-envs 16777216 --rollout 65536", "GiB of memory"),
        ("train ppo --channels 16384 --blocks 256", "GiB of memory"),
        ("train ppo ludo/ffa --opponent network:pferdeaepfel/classic", "does not play"),
        ("train selfplay --opponent greedy", "--opponent belongs to ppo"),
        ("train ppo --opponent nobody", "unknown agent 'nobody'"),
        ("train ppo --continue", "there is no ppo run under runs to continue"),
        ("train selfplay ludo/ffa --continue", "there is no selfplay run of ludo/ffa under runs to continue"),
        ("train ppo --continue nowhere", "there is no run 'nowhere' under runs"),
        ("train ppo --continue RUNS/second", "was begun by 'spielwerk train selfplay', not ppo"),
        ("train ppo ludo/ffa --continue RUNS/first", "trains spielwerk.make('pferdeaepfel/trail'"),
        ("train ppo --rule size=5 --continue RUNS/first", "trains spielwerk.make('pferdeaepfel/trail'"),
        ("train ppo --n-envs 32 --continue RUNS/first", "n_envs is 16 in RUNS/first; only --steps"),
        ("train ppo --ema-share 0.1 --continue RUNS/first", "ema_share is 0.0 in RUNS/first; only --steps"),
        ("train ppo --run x --continue RUNS/first", "--run is for new runs"),
        ("train ppo --runs-dir RUNS --run first", "holds a run already; --continue RUNS/first goes on with it"),
        ("train ppo --config RUNS/nothing.json", "RUNS/nothing.json: No such file"),
        ("train ppo --config RUNS/first/result.json", "has no setting 'updates'"),
        ("train ppo --config RUNS/first/final/model.onnx", "cannot be read as JSON"),
        ("train ppo --from-pretrained RUNS/first", "from pretrained RUNS/first: the weights are of another network"),
        ("train ppo --from-pretrained RUNS/first/final/model.onnx", "read from .safetensors files only"),
        ("train ppo --from-pretrained nothing.safetensors", "nothing.safetensors cannot be read: No such file"),
        ("runs nowhere", "there is no run 'nowhere' under runs"),
        ("plot RUNS/first --out curves.gif", "--out must end in .png, .svg, .pdf, not 'curves.gif'"),
    ],
)
def test_bad_input_gets_one_line(
    cli: Cli, runs_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = cli(*(word.replace("RUNS", str(runs_dir)) for word in words.split()))
    assert (code, out) == (2, "")
    assert message.replace("RUNS", str(runs_dir)) in err
    assert err.count("\n") == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rules": {"size": []}}, "describes no game"),
        ({"ruleset": "chess"}, "describes no game"),
        ({"seats": None}, "'seats' is missing"),
        ({"rules_version": 0}, "follows other rules of pferdeaepfel/trail than this release"),
        ({"config": {"steps": "many"}}, "steps must be a whole number, not 'many'"),
        ({"config": {"stpes": 3}}, "has no setting 'stpes'; did you mean 'steps'?"),
    ],
)
def test_a_tampered_config_gets_one_line(
    cli: Cli, runs_dir: Path, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(facts_of(runs_dir / "first") | change))
    code, _, err = cli("train", "ppo", "--continue", str(tmp_path))
    assert code == 2 and message in err and err.count("\n") == 1


def test_options_may_stand_before_the_ruleset_and_numbers_be_powers_of_ten(cli: Cli, tmp_path: Path) -> None:
    words = ["--steps", "1e2", "--trace", "0.9", "ppo", *SMALL[1:], "--no-tensorboard", SMALL[0]]
    assert cli("train", *words, "--run", str(tmp_path / "mine")).code == 0
    facts = facts_of(tmp_path / "mine")
    assert facts["ruleset"] == "pferdeaepfel/trail" and facts["config"]["steps"] == 100
    assert facts["config"]["gae_lambda"] == 0.9 and "--gae-lambda 0.9" in facts["command"]


def test_a_run_that_is_refused_leaves_no_folder(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ppo, "_play", lambda self: (_ for _ in ()).throw(ValueError("no way to play")))
    code, _, err = cli("train", "ppo", *QUICK, "--runs-dir", str(tmp_path / "runs"))
    assert (code, err.splitlines()[-1]) == (2, "spielwerk: no way to play")
    assert not list((tmp_path / "runs").iterdir())


def test_losses_that_are_no_numbers_end_the_run_in_one_line(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ppo, "_learn", lambda self: {"value_loss": float("nan")})
    code, _, err = cli("train", "ppo", *QUICK, "--run", str(tmp_path / "mine"))
    assert code == 2 and "value_loss no longer finite; a smaller learning rate may help" in err.splitlines()[-1]


# -- programs that files name --------------------------------------------------------------------


@pytest.fixture
def program(tmp_path: Path) -> tuple[str, Path]:
    """An opponent that leaves a trace when it is started."""
    trace = tmp_path / "started"
    return f'engine:"/bin/sh -c ""touch {trace}"""', trace


def test_a_config_file_cannot_start_a_program(cli: Cli, tmp_path: Path, program: tuple[str, Path]) -> None:
    opponent, trace = program
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"opponent": opponent}))
    words = ("train", "ppo", *QUICK, "--config", str(file), "--runs-dir", str(tmp_path / "runs"))
    code, _, err = cli(*words)
    assert code == 2 and err.count("\n") == 1
    assert f"{file} names a program as opponent; to start it, name it with --opponent" in err
    assert not trace.exists() and not (tmp_path / "runs").exists()
    assert cli(*words, "--allow-engines").code == 2, "it starts, and is no engine"
    assert trace.exists()


def test_a_run_folder_cannot_start_a_program(
    cli: Cli, tmp_path: Path, runs_dir: Path, program: tuple[str, Path]
) -> None:
    opponent, trace = program
    shared = tmp_path / "shared"
    shutil.copytree(runs_dir / "first", shared)
    facts = facts_of(shared)
    (shared / "config.json").write_text(json.dumps(facts | {"config": facts["config"] | {"opponent": opponent}}))
    words = ("train", "ppo", "--continue", str(shared), "--steps", "9999")
    code, _, err = cli(*words)
    assert code == 2 and err.count("\n") == 1 and "names a program as opponent" in err
    assert not trace.exists()
    assert cli(*words, "--opponent", opponent).code == 2, "named in this very call it starts, and is no engine"
    assert trace.exists()


# -- other doors ---------------------------------------------------------------------------------


def test_training_from_python_is_the_same_run(runs_dir: Path, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"n_envs": 16, "rollout": 16, "minibatch": 64, "channels": 16, "steps": 512}
    run = sw.train("pferdeaepfel/trail", rules={"size": 4}, run=str(tmp_path / "mine"), quiet=True, **settings)
    assert run.result is not None and run.result["weights"] == result_of(runs_dir / "first")["weights"]
    assert run.model == tmp_path / "mine/final/model.onnx"
    assert facts_of(run.folder)["command"] == facts_of(runs_dir / "first")["command"]
    further = sw.train(method="ppo", resume=run.folder, steps=1024, quiet=True)
    assert further.result is not None and further.result["steps"] in made(1024)
    with pytest.raises(ValueError, match="train has no setting 'stepps'; did you mean 'steps'"):
        sw.train("pferdeaepfel/trail", stepps=3)
    with pytest.raises(ValueError, match="method must be ppo or selfplay or alphazero or imitation, not 'dqn'"):
        sw.train("pferdeaepfel/trail", method="dqn")


def test_a_run_plays_by_its_name(runs_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = sw.make("pferdeaepfel/trail", size=4).start()
    assert sw.agent(f"network:{runs_dir / 'first'}").act(state) in state.legal_actions
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").symlink_to(runs_dir)
    assert sw.agent("network:second,temperature=1").act(state) in state.legal_actions


def test_runs_of_earlier_releases_are_read_under_todays_names(tmp_path: Path, runs_dir: Path, cli: Cli) -> None:
    old = tmp_path / "old"
    shutil.copytree(runs_dir / "first", old)
    facts = facts_of(old)
    config = facts["config"]
    config["trace"], config["max_gradient"] = config.pop("gae_lambda"), config.pop("max_grad_norm")
    del config["ema_share"]
    (old / "config.json").write_text(json.dumps(facts))
    line = {"update": 1, "steps": 5, "losses": {"policy": 1.0, "value": 2.0, "drift": 3.0}}
    (old / "metrics.jsonl").write_text(json.dumps(line) + "\n")
    assert Run(old).metrics()[0]["losses"] == {"policy_loss": 1.0, "value_loss": 2.0, "approx_kl": 3.0}
    assert cli("train", "ppo", "--continue", str(old), "--steps", "1024", "--no-tensorboard").code == 0


def test_two_processes_do_not_train_in_one_folder(cli: Cli, runs_dir: Path) -> None:
    with Run(runs_dir / "first").locked():
        code, _, err = cli("train", "ppo", "--continue", str(runs_dir / "first"), "--steps", "9999")
        assert "running" in cli("runs", "--runs-dir", str(runs_dir)).out
    assert (code, err) == (2, f"spielwerk: another process is training in {runs_dir / 'first'}\n")


def test_weights_without_a_size_start_boards_of_other_sizes(cli: Cli, tmp_path: Path) -> None:
    words = ("--network", "residual", "--channels", "8", "--steps", "256", "--no-tensorboard", "--n-envs", "8")
    assert cli("train", "ppo", *SMALL, *words, "--run", str(tmp_path / "small"))[0] == 0
    larger = ("pferdeaepfel/trail", "--rule", "size=5", "--from-pretrained", str(tmp_path / "small"))
    assert cli("train", "ppo", *larger, *words, "--run", str(tmp_path / "larger"))[0] == 0


def test_asking_for_a_gpu_that_is_not_there(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    code, _, err = cli("train", "ppo", "--device", "cuda")
    assert code == 2
    assert err == (
        "spielwerk: device cuda: there is no GPU that PyTorch can use here; auto or cpu takes the processor\n"
    )


@pytest.mark.parametrize(
    ("package", "words", "message"),
    [
        ("torch", "train ppo", "training needs torch; pip install 'spielwerk[train]' brings what is missing"),
    ],
)
def test_what_is_not_installed_is_named(
    cli: Cli, runs_dir: Path, monkeypatch: pytest.MonkeyPatch, package: str, words: str, message: str
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else find(name))
    code, _, err = cli(*(word.replace("RUNS", str(runs_dir)) for word in words.split()))
    assert (code, err) == (2, f"spielwerk: {message}\n")


def test_help_and_lists_need_no_pytorch() -> None:
    program = (
        "import sys; sys.modules['torch'] = None; from spielwerk.cli import main;"
        "sys.exit(main(['train', '--help']) or main(['runs']) or main(['runs', '--help']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--win-threshold X" in done.stdout and "ppo 10_000_000, selfplay 100_000_000" in " ".join(
        done.stdout.split()
    )


# -- looking at runs -----------------------------------------------------------------------------


def test_runs_are_listed_and_compared(cli: Cli, runs_dir: Path) -> None:
    code, out, _ = cli("runs", "--runs-dir", str(runs_dir), width=120)
    assert code == 0
    rows = [line.split() for line in out.splitlines()[1:]]
    assert [row[:2] for row in rows] == [["first", "finished"], ["second", "finished"]]
    assert all(int(row[2]) in made(512) for row in rows)
    code, out, _ = cli("runs", "first", "second", "--runs-dir", str(runs_dir), width=120)
    report = {line.split("  ")[0]: line.split()[-1] for line in out.splitlines()}
    assert report["method"] == "selfplay" and report["seed"] == "9" and report["n_eval_games"] == "10"
    assert "n_envs" not in report and "Black against greedy" in report


def test_runs_as_json(cli: Cli, runs_dir: Path) -> None:
    first, second = json.loads(cli("runs", "--runs-dir", str(runs_dir), "--json").out)
    assert first["status"] == "finished" and first["steps"] == first["result"]["steps"] in made(512)
    assert (
        second["evaluations"] == len(evaluations_of(runs_dir / "second")) >= 2
        and second["config"]["win_threshold"] == 0.55
    )


def test_without_runs_the_way_to_one_is_told(cli: Cli, tmp_path: Path) -> None:
    out = cli("runs", "--runs-dir", str(tmp_path)).out
    assert out == f"there are no runs under {tmp_path}; 'spielwerk train ppo' begins one\n"


def test_curves_are_drawn(cli: Cli, runs_dir: Path) -> None:
    file = runs_dir / "first" / "curves.png"
    code, out, _ = cli("plot", "first", "second", "--runs-dir", str(runs_dir))
    assert (code, out) == (0, f"{file}\n")
    assert file.read_bytes().startswith(b"\x89PNG")
