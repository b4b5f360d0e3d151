"""Several boards in one run: one network learns on all of them, and a run goes on exactly."""

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch

import spielwerk as sw
from spielwerk.training import loop, ppo
from spielwerk.training.boards import mixed_boards
from spielwerk.training.config import PpoRunConfig
from spielwerk.training.evaluation import score_by_seat
from spielwerk.training.loop import Training
from spielwerk.training.mixed import MixedPpo
from spielwerk.training.networks import network_for
from spielwerk.training.players import network_player, random_player
from spielwerk.training.ppo import Ppo
from spielwerk.training.runs import Run
from spielwerk.training.snapshot import fingerprint

Cli = Callable[..., Any]

GAME = sw.make("diavolo/standard")
SETTINGS: dict[str, Any] = {
    "network": "residual", "channels": 8, "blocks": 2, "n_envs": 16, "rollout": 16, "minibatch": 64, "opponent": "self",
    "steps": 1792, "seed": 3,
}  # fmt: skip
CONFIG = PpoRunConfig(**SETTINGS, mix="side=3,4")
WORDS = ["train", "ppo", "diavolo/standard", "--no-tensorboard"]
WORDS += [word for name, value in SETTINGS.items() for word in (f"--{name.replace('_', '-')}", str(value))]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(loop, "FINAL_GAMES", 10)


def finished(config: PpoRunConfig, stops: tuple[int, ...] = ()) -> MixedPpo:
    """A run to its end, continued by another learner after the updates in `stops`."""
    run = MixedPpo(GAME, config)
    updates = run.updates()
    while next(updates, None) is not None:
        if run.update in stops:
            tensors, facts = run.state()
            run = MixedPpo(GAME, config)
            run.restore(tensors, json.loads(json.dumps(facts)))
            updates = run.updates()
    return run


# -- learning ------------------------------------------------------------------------------------


def test_it_gets_better_on_every_board_of_the_mix() -> None:
    changes = {"n_envs": 64, "minibatch": 256, "channels": 16, "blocks": 1, "epochs": 4, "steps": 30_000, "seed": 1}
    config = PpoRunConfig(**SETTINGS | changes, learning_rate=0.002, mix="side=3,4")
    learner = MixedPpo(GAME, config)

    def rates() -> list[float]:
        return [
            sum(score.rate for score in score_by_seat(board, network_player(network), random_player, 150, seed=1)) / 2
            for board, network in learner.boards.values()
        ]

    before = rates()
    for _ in learner.updates():
        pass
    assert all(after > start + 0.15 for start, after in zip(before, rates(), strict=True)), (before, rates())


def test_the_boards_take_turns_and_have_equal_shares_of_the_steps() -> None:
    learner = MixedPpo(GAME, CONFIG)
    played = [learner.steps]
    for progress in learner.updates():
        played.append(progress.steps)
        assert progress.update == learner.update == len(played) - 1
    assert played == list(range(0, 1793, 256)), "each update is of one board, and all count"


def test_what_is_learnt_on_one_board_is_known_on_all() -> None:
    learner = MixedPpo(GAME, CONFIG)
    before = fingerprint(learner.network)
    next(learner.updates())
    after = {fingerprint(network) for network in (learner.network, *(each for _, each in learner.boards.values()))}
    assert len(after) == 1 and before not in after


def test_it_starts_where_a_run_on_one_board_starts() -> None:
    for config in (CONFIG, PpoRunConfig(network="residual", n_envs=2, mix="side=3,4")):
        assert fingerprint(MixedPpo(GAME, config).network) == fingerprint(Ppo(GAME, config).network)


@pytest.mark.parametrize("channels", [1, 8])
def test_gradients_of_all_boards_are_cut_at_their_common_norm(channels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU, where every learner lays the weights out anew, which for one channel copies them."""
    monkeypatch.setattr(ppo, "moved", lambda network, _: network.to(memory_format=torch.channels_last))
    learner = MixedPpo(GAME, replace(CONFIG, max_grad_norm=1e-4, channels=channels))
    updates = learner.updates()
    for _ in learner.boards:
        next(updates)
        gradients = [parameter.grad for parameter in learner.network.parameters() if parameter.grad is not None]
        assert float(torch.cat([one.flatten() for one in gradients]).norm()) == pytest.approx(1e-4, rel=0.01)


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # PyTorch does, not we
def test_the_network_is_compiled_for_every_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch._dynamo.config, "cache_size_limit", 1)
    compiled: list[Any] = []

    def as_it_is(graph: Any, _: Any) -> Any:
        compiled.append(graph)
        return graph.forward

    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend=as_it_is))
    learner = MixedPpo(GAME, replace(CONFIG, compile=True))
    for _ in learner.updates():
        pass
    assert len(compiled) == 2 * len(learner.boards), "to decide and to learn, on each"


# -- stopping and going on -----------------------------------------------------------------------


def test_a_run_goes_on_as_if_it_had_never_stopped() -> None:
    assert fingerprint(finished(CONFIG, stops=(1, 4)).network) == fingerprint(finished(CONFIG).network)


def test_a_run_goes_on_from_its_files(tmp_path: Path) -> None:
    folder = Run(tmp_path)
    stopped = Training(MixedPpo(GAME, CONFIG), folder)
    for _ in zip(range(3), stopped.learner.updates(), strict=False):
        pass
    stopped.save()
    resumed = Training(MixedPpo(GAME, CONFIG), folder)
    resumed.restore()
    assert resumed.learner.update == 3 and resumed.learn()
    assert fingerprint(resumed.learner.network) == fingerprint(finished(CONFIG).network)


def test_a_state_after_every_update_changes_nothing_and_stays_true() -> None:
    """The boards that were not played on since are not asked again."""
    learner, noted = MixedPpo(GAME, CONFIG), []
    for _ in learner.updates():
        noted.append(json.loads(json.dumps(learner.state()[1]["boards"])))
    for earlier, later in pairwise(noted):
        assert sum(earlier[name] != later[name] for name in earlier) == 1
    fresh = MixedPpo(GAME, CONFIG)
    for _ in fresh.updates():
        pass
    assert noted[-1] == json.loads(json.dumps(fresh.state()[1]["boards"]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mix": "side=3,5"}, "the checkpoint is of side=3, side=5, not of side=3,4"),
        ({"n_envs": 8}, "the checkpoint holds 8 games at once, not 16"),
        ({"channels": 16}, "another network"),
    ],
)
def test_a_checkpoint_of_another_mix_is_refused(change: dict[str, Any], message: str) -> None:
    other = MixedPpo(GAME, replace(CONFIG, **change))
    with pytest.raises(ValueError, match=message):
        MixedPpo(GAME, CONFIG).restore(*other.state())


def test_a_checkpoint_of_one_board_is_refused() -> None:
    with pytest.raises(ValueError, match="the checkpoint is of one board, not of side=3,4"):
        MixedPpo(GAME, CONFIG).restore(*Ppo(GAME, CONFIG).state())


# -- the boards ----------------------------------------------------------------------------------


def test_rules_that_follow_from_the_mixed_one_follow_its_values() -> None:
    """The corner in which a horse starts is another one on a larger board."""
    game = sw.make("pferdeaepfel/classic", golden=2)
    boards = mixed_boards(game, "size=4, 6")
    assert boards == {f"size={size}": sw.make("pferdeaepfel/classic", golden=2, size=size) for size in (4, 6)}


def test_a_network_is_not_put_on_a_board_that_it_does_not_fit() -> None:
    small = network_for(GAME, "residual", 8, 1)
    assert small.on_board(sw.make("diavolo/standard", side=4)).body is small.body
    with pytest.raises(ValueError, match="do not fit"):
        small.on_board(sw.make("pferdeaepfel/classic"))
    with pytest.raises(ValueError, match="do not fit"):
        network_for(GAME, "mlp").on_board(sw.make("diavolo/standard", side=4))


# -- runs ----------------------------------------------------------------------------------------


def test_a_run_from_the_command_line_and_from_python_is_the_same(cli: Cli, tmp_path: Path) -> None:
    code, out, _ = cli(*WORDS, "--mix", "side=3,4", "--run", str(tmp_path / "one"))
    assert code == 0 and "side=3, against random: " in out and "side=4, against greedy: " in out
    run = sw.train(
        "diavolo/standard", "ppo", mix={"side": [3, 4]}, run=str(tmp_path / "two"), quiet=True, **SETTINGS
    )  # fmt: skip
    first = json.loads((tmp_path / "one/result.json").read_text())
    facts = json.loads((tmp_path / "one/config.json").read_text())
    assert run.result is not None and run.result["weights"] == first["weights"]
    assert first["boards"].keys() == {"side=3", "side=4"}
    assert run.facts["config"] == facts["config"] and facts["config"]["mix"] == "side=3,4"
    assert run.facts["command"] == facts["command"]
    again = cli(*shlex.split(facts["command"])[1:], "--run", str(tmp_path / "again"), "--no-tensorboard", "--json")
    assert json.loads(again.out)["weights"] == first["weights"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "FINAL_GAMES", 10)
        folder = str(tmp_path_factory.mktemp("runs") / "mixed")
        return sw.train("diavolo/standard", "ppo", mix={"side": (3, 4)}, run=folder, quiet=True, **SETTINGS)


def test_the_model_plays_sides_inside_and_outside_the_mix(run: Run) -> None:
    player = sw.agent(f"network:{run.folder}")
    for side in (3, 4, 6, 8):
        state = sw.make("diavolo/standard", side=side).start()
        assert player.act(state) in state.legal_actions


def test_a_run_is_continued_with_its_mix_and_no_other(run: Run, cli: Cli, tmp_path: Path) -> None:
    steps = str(2 * SETTINGS["steps"])
    code, _, err = cli("train", "ppo", "--continue", str(run.folder), "--mix", "side=3,5", "--steps", steps)
    assert code == 2 and f"mix is side=3,4 in {run.folder}; only --steps" in err and err.count("\n") == 1
    assert cli("train", "ppo", "--continue", str(run.folder), "--steps", steps, "--no-tensorboard").code == 0
    assert json.loads((run.folder / "result.json").read_text())["steps"] == 2 * SETTINGS["steps"]
    cli(*WORDS, "--run", str(tmp_path / "plain"))
    code, _, err = cli("train", "ppo", "--continue", str(tmp_path / "plain"), "--mix", "side=3,4")
    assert code == 2 and "mix is none in " in err
    assert "side=3,4" in cli("runs", str(run.folder), str(tmp_path / "plain"), width=120).out


def test_a_file_has_the_mix_as_a_table(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mix.toml"
    file.write_text("[mix]\nside = [3, 4]\n")
    assert cli(*WORDS, "--config", str(file), "--run", str(tmp_path / "mine")).code == 0
    assert json.loads((tmp_path / "mine/config.json").read_text())["config"]["mix"] == "side=3,4"


def test_weights_of_one_board_start_a_mix(run: Run, cli: Cli, tmp_path: Path) -> None:
    words = ("--rule", "side=5", "--mix", "side=3,4", "--from-pretrained", str(run.folder))
    assert cli(*WORDS, *words, "--run", str(tmp_path / "mine")).code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("ppo diavolo/standard --network residual --mix sdie=5,6", "no parameter 'sdie'; did you mean 'side'?"),
        ("ppo diavolo/standard --network residual --mix size=5,6", "diavolo/standard has no parameter 'size'"),
        ("ppo diavolo/standard --network residual --mix side=5,31", "side must be a whole number from 3 to 30, not 31"),
        ("ppo diavolo/standard --network residual --mix side=5,,6", "side must be a whole number from 3 to 30, not ''"),
        ("ppo diavolo/standard --network residual --mix side=5,6,5", "mix names side 5 twice"),
        ("ppo diavolo/standard --network residual --mix side=5", "several values of side; --rule side=5 sets one"),
        ("ppo diavolo/standard --network residual --mix side", "mix takes one rule and its values, like side=5,8,12"),
        ("ppo diavolo/standard --network residual --mix side=5,x=6", "mix takes one rule and its values"),
        ("ppo diavolo/standard --mix side=5,6", "a network that fits every board; mlp is bound to one; residual fits"),
        ("ppo ludo/ffa --network residual --mix players=2,3", "fits every board; residual is bound to one\n"),
        ("ppo diavolo/standard --network residual --mix side=5,30 --n-envs 9999999", "9999999 for each of side=5,30"),
        ("selfplay diavolo/standard --network residual --mix side=5,6", "--mix belongs to ppo"),
        ("alphazero diavolo/standard --network residual --mix side=5,6", "--mix belongs to ppo"),
    ],
)
def test_a_bad_mix_gets_one_line(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = cli("train", *words.split())
    assert (code, out) == (2, "") and message in err and err.count("\n") == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("mix", [{"side": [3, 4], "size": [5, 6]}, {"side": 3}, {"side": [3, 3]}, ["side"], 7])
def test_a_bad_mix_from_python_is_a_value_error(mix: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="mix"):
        sw.train("diavolo/standard", "ppo", mix=mix, runs_dir=tmp_path / "runs", **SETTINGS)
    assert not (tmp_path / "runs").exists()
