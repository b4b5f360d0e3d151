"""Train a network: against an opponent (ppo), or against its own best version through a gate (selfplay).

Each run has a folder of its own with settings, metrics, checkpoints and, in the end, a model that plays everywhere.
Ctrl-C saves and says how to continue. Needs PyTorch: pip install 'spielwerk[train]'.
"""

from __future__ import annotations

import argparse
import importlib.util
import shlex
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import spielwerk as sw
from spielwerk.cli.config_flags import add_config, checked_values, flags_for, given_flags, read_config_file
from spielwerk.cli.options import add_json, add_rules, add_runs_dir, make_game
from spielwerk.training.config import CUDA_DEFAULTS, PpoConfig, SelfPlayConfig

if TYPE_CHECKING:
    from torch import Tensor

    from spielwerk.games import Game
    from spielwerk.training.loop import Learner, Training
    from spielwerk.training.networks import Network
    from spielwerk.training.runs import Run
    from spielwerk.training.watching import Watcher

EXAMPLES = """
spielwerk train ppo --steps 10_000_000
spielwerk train ppo ludo/ffa --opponent greedy --network residual --channels 48
spielwerk train selfplay --from-pretrained runs/NAME
spielwerk train selfplay pferdeaepfel/trail --eval-freq 200_000 --n-eval-games 1000 --win-threshold 0.55
spielwerk train selfplay --continue
"""

TRAINED_RULESET = "pferdeaepfel/classic"
CONFIGS: dict[str, type[PpoConfig]] = {"ppo": PpoConfig, "selfplay": SelfPlayConfig}
CHANGEABLE = ("steps", "seconds", "device", "threads")  # by those who continue a run
INTERRUPTED = 130


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument("method", choices=tuple(CONFIGS), help="ppo: against --opponent; selfplay: against its best")
    parser.add_argument("ruleset", nargs="?", metavar="RULESET", help=f"{TRAINED_RULESET} if not given")
    add_rules(parser)
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings as JSON or TOML; flags win over them")
    parser.add_argument(
        "--from-pretrained", metavar="FILE|RUN", help="start from these weights: a .safetensors file or a run"
    )
    parser.add_argument(
        "--continue",
        dest="resumed",
        nargs="?",
        const="",
        metavar="RUN",
        help="go on with this run, or with the newest of this method (and RULESET)",
    )
    parser.add_argument("--run", metavar="DIR", help="the new run's folder, or its name under --runs-dir")
    add_runs_dir(parser)
    parser.add_argument(
        "--checkpoint-seconds", type=_seconds, default=60.0, metavar="X", help="time between two checkpoints (60)"
    )
    parser.add_argument(
        "--tensorboard",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="write event files for TensorBoard, if it is installed (on)",
    )
    add_config(parser, CONFIGS)
    add_json(parser)


def _seconds(text: str) -> float:
    with suppress(ValueError):
        if 0 <= float(text) <= 86_400:
            return float(text)
    raise argparse.ArgumentTypeError(f"must be from 0 to 86400 seconds, not '{text[:40]}'")


def run(arguments: argparse.Namespace) -> int:
    """Trains, and tells what came out."""
    _require_pytorch()
    plan = _new_run(arguments) if arguments.resumed is None else _resumed_run(arguments)
    with plan.run.locked():
        return _trained(plan, arguments)


def _require_pytorch() -> None:
    missing = [name for name in ("torch", "safetensors", "onnx") if importlib.util.find_spec(name) is None]
    if missing:
        raise ValueError(f"training needs {', '.join(missing)}; pip install 'spielwerk[train]' brings what is missing")


@dataclass(frozen=True)
class _Plan:
    """A run to begin, or to go on with; `facts` are for its config.json."""

    run: Run
    learner: Learner
    facts: dict[str, Any]
    resumed: bool

    @property
    def command(self) -> str:
        """What continues this run."""
        return shlex.join(["spielwerk", "train", self.facts["method"], "--continue", str(self.run.folder)])


# -- beginning ---------------------------------------------------------------------------------


def _new_run(arguments: argparse.Namespace) -> _Plan:
    from spielwerk.training.runs import new_run

    document = {} if arguments.config is None else read_config_file(arguments.config)
    game = _game(arguments, document)
    weights, shape = _pretrained(arguments)
    config = _config(arguments, document, shape)
    network = _network(game, config, weights, arguments) if weights else None
    learner = _learner(game, config, network)
    facts = {
        "method": arguments.method,
        "ruleset": game.name,
        "rules": game.rules,
        "rules_version": game.rules_version,
        "seats": _seats(game),
        "config": asdict(config),
        "command": _command(arguments, game, config),
        "versions": _versions(config),
    }
    run = new_run(arguments.runs_dir, arguments.run or "", f"{arguments.method}-{game.name.replace('/', '-')}")
    return _Plan(run, learner, facts, resumed=False)


def _game(arguments: argparse.Namespace, document: dict[str, Any]) -> Game:
    named = document.get("ruleset", TRAINED_RULESET)
    ruleset = arguments.ruleset or named
    rules = document.get("rules", {}) if ruleset == named else {}
    if not isinstance(ruleset, str) or not isinstance(rules, dict):
        raise ValueError(f"{arguments.config}: ruleset must be a name, and rules names with values")
    return make_game(ruleset, [*(f"{name}={value}" for name, value in rules.items()), *arguments.rule])


def _config(arguments: argparse.Namespace, document: dict[str, Any], shape: dict[str, Any]) -> PpoConfig:
    """From the plainest to the strongest: defaults, the pretrained network's, the file's, the flags."""
    config = CONFIGS[arguments.method]
    told = document.get("config", {name: value for name, value in document.items() if name not in ("ruleset", "rules")})
    if not isinstance(told, dict):
        raise ValueError(f"{arguments.config}: config must hold names and values")
    given = given_flags(arguments, config, CONFIGS)
    if arguments.method == "selfplay" and "opponent" in given:
        raise ValueError("--opponent belongs to ppo; selfplay plays against its own best version")
    settings = checked_values(str(arguments.config), told, config) | given
    settings["device"] = _device(settings.get("device", "auto"))
    defaults = CUDA_DEFAULTS[arguments.method] if settings["device"] == "cuda" else {}
    return config(**(defaults | shape | settings))


def _device(name: str) -> str:
    from torch import cuda

    if name not in ("auto", "cpu", "cuda"):
        raise ValueError(f"--device must be auto, cpu or cuda, not '{name[:40]}'")
    if name == "cuda" and not cuda.is_available():
        raise ValueError("--device cuda: there is no GPU that PyTorch can use here; auto or cpu takes the processor")
    return ("cuda" if cuda.is_available() else "cpu") if name == "auto" else name


def _pretrained(arguments: argparse.Namespace) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Weights to start from, and the settings of the network they belong to; nothing when none are asked for."""
    from spielwerk.training.loop import pretrained_weights

    if arguments.from_pretrained is None:
        return {}, {}
    path = Path(arguments.from_pretrained)
    if not path.exists():
        path = arguments.runs_dir / arguments.from_pretrained
    weights, about = pretrained_weights(path)
    shape = about.get("network")
    if not isinstance(shape, dict) or not {"kind", "channels", "blocks"} <= shape.keys():
        raise ValueError(f"{path} does not say which network its weights belong to")
    settings = {"network": shape["kind"], "channels": shape["channels"], "blocks": shape["blocks"]}
    return weights, checked_values(str(path), settings, PpoConfig)


def _network(game: Game, config: PpoConfig, weights: dict[str, Tensor], arguments: argparse.Namespace) -> Network:
    from spielwerk.training.networks import network_for
    from spielwerk.training.snapshot import restore_network

    network = network_for(game, config.network, config.channels, config.blocks)
    try:
        restore_network("network", network, weights)
    except ValueError as error:
        raise ValueError(f"--from-pretrained {arguments.from_pretrained}: {error}") from None
    return network


def _learner(game: Game, config: PpoConfig, network: Network | None = None) -> Learner:
    import torch

    from spielwerk.training.ppo import Ppo
    from spielwerk.training.selfplay import SelfPlay

    torch.set_num_threads(config.threads if config.device == "cpu" else 1)
    return SelfPlay(game, config, network) if isinstance(config, SelfPlayConfig) else Ppo(game, config, network)


def _command(arguments: argparse.Namespace, game: Game, config: PpoConfig) -> str:
    """What makes this run again, config files included."""
    words = ["spielwerk", "train", arguments.method, game.name]
    for name, value in _telling_rules(game).items():
        words += ["--rule", f"{name}={value}"]
    if arguments.from_pretrained is not None:
        words += ["--from-pretrained", arguments.from_pretrained]
    return shlex.join([*words, *flags_for(config, always=("device", "seed"))])


def _telling_rules(game: Game) -> dict[str, bool | int | str]:
    """The rules that make this game without those that follow from the others."""
    rules = dict(game.rules)
    for name in game.rules:
        others = {other: value for other, value in rules.items() if other != name}
        with suppress(ValueError):
            if sw.make(game.name, **others) == game:
                rules = others
    return rules


def _seats(game: Game) -> list[str]:
    from spielwerk.render import seat_labels

    try:
        return [label.in_language("en") for label in seat_labels(game)]
    except NotImplementedError:  # a game without a scene
        return [f"seat {seat + 1}" for seat in range(game.num_players)]


def _versions(config: PpoConfig) -> dict[str, str]:
    from importlib.metadata import version

    from spielwerk.cli import machine

    libraries = {name: version(name) for name in ("torch", "numpy", "safetensors")}
    return machine.describe() | libraries | {"device": _device_name(config.device)}


def _device_name(device: str) -> str:
    from torch import cuda

    return cuda.get_device_name() if device == "cuda" else device


# -- going on ----------------------------------------------------------------------------------


def _resumed_run(arguments: argparse.Namespace) -> _Plan:
    from spielwerk.training.runs import find_run, newest_run

    for name in ("run", "config", "from_pretrained"):
        if getattr(arguments, name) is not None:
            raise ValueError(f"--{name.replace('_', '-')} is for new runs; --continue goes on with what the run has")
    if arguments.resumed:
        run = find_run(arguments.resumed, arguments.runs_dir)
    else:
        run = newest_run(arguments.runs_dir, arguments.method, arguments.ruleset)
    facts = run.facts
    _require_same(run, arguments)
    game = _stored_game(run)
    config = _continued_config(run, arguments)
    if run.result is not None and run.result.get("steps", 0) >= config.steps:
        raise ValueError(f"{run.folder} has made its {config.steps} steps; --steps N, with a larger N, goes further")
    return _Plan(run, _learner(game, config), facts | {"config": asdict(config)}, resumed=True)


def _require_same(run: Run, arguments: argparse.Namespace) -> None:
    facts, stored = run.facts, _stored_game(run)
    if facts["method"] != arguments.method:
        raise ValueError(f"{run.folder} was begun by 'spielwerk train {facts['method']}', not {arguments.method}")
    if facts.get("rules_version") != stored.rules_version:
        raise ValueError(f"{run.folder} follows other rules of {stored.name} than this release")
    asked = make_game(arguments.ruleset or stored.name, arguments.rule)
    if asked.name != stored.name or (arguments.rule and asked != stored):
        raise ValueError(f"{run.folder} trains {stored!r}, not {asked!r}")


def _stored_game(run: Run) -> Game:
    try:
        return sw.make(run.facts["ruleset"], **run.facts["rules"])
    except (ValueError, TypeError) as error:
        raise ValueError(f"{run.folder / 'config.json'} describes no game: {error}") from None


def _continued_config(run: Run, arguments: argparse.Namespace) -> PpoConfig:
    config = CONFIGS[arguments.method]
    stored = checked_values(str(run.folder / "config.json"), run.facts["config"], config)
    given = given_flags(arguments, config, CONFIGS)
    for name, value in given.items():
        if name not in CHANGEABLE and value != stored.get(name):
            allowed = ", ".join(f"--{other}" for other in CHANGEABLE)
            raise ValueError(f"{name} is {stored.get(name)} in {run.folder}; only {allowed} may change")
    if "device" in given:
        given["device"] = _device(given["device"])
    return config(**(stored | given))


# -- the run -----------------------------------------------------------------------------------


def _trained(plan: _Plan, arguments: argparse.Namespace) -> int:
    from spielwerk.training.checkpoints import CheckpointError
    from spielwerk.training.loop import Training
    from spielwerk.training.runs import RunError

    training = Training(plan.learner, plan.run, checkpoint_seconds=arguments.checkpoint_seconds)
    try:
        notes = _set_up(training, plan)
        training.watchers = _watchers(plan, arguments)
        training.say(f"{plan.run.folder}: {plan.learner.game!r}, {plan.learner.config.device}", *notes)
        result = training.finish() if training.learn() else None
    except (CheckpointError, RunError) as error:
        raise ValueError(f"{error}{_remedy(plan)}") from None
    except OSError as error:
        raise ValueError(f"{error.filename or plan.run.folder}: {error.strerror}{_remedy(plan)}") from None
    finally:
        training.close()
    _report(plan, training, result, as_json=arguments.json)
    return INTERRUPTED if result is None else 0


def _remedy(plan: _Plan) -> str:
    return f"; once that is mended: {plan.command}" if plan.run.exists else ""


def _set_up(training: Training, plan: _Plan) -> list[str]:
    """From here on the run can be continued, whatever happens."""
    if not plan.resumed:
        training.save()
        plan.run.write_facts(plan.facts)
        return []
    checkpoint = training.restore()
    plan.run.write_facts(plan.facts)
    plan.run.write_result(None)
    return [*checkpoint.skipped, f"going on after update {training.learner.update}, from {checkpoint.path.name}"]


def _watchers(plan: _Plan, arguments: argparse.Namespace) -> list[Watcher]:
    from rich.console import Console

    from spielwerk.training.watching import Bar, Board, Goal, Lines, Metrics

    config, seats = plan.learner.config, plan.facts["seats"]
    goal = Goal(config.steps, config.seconds)
    console = Console(stderr=True, emoji=False)
    watchers: list[Watcher] = [Metrics(plan.run)]
    if arguments.tensorboard and importlib.util.find_spec("tensorboard") is not None:
        watchers.append(Board(plan.run.folder / "tensorboard", seats, plan.learner.steps + 1))
    watchers.append(Bar(goal, seats, console) if console.is_terminal else Lines(goal, seats, console))
    return watchers


def _report(plan: _Plan, training: Training, result: dict[str, Any] | None, *, as_json: bool) -> None:
    from spielwerk.cli.output import console, print_json
    from spielwerk.training.watching import by_seat, span

    folder, learner = plan.run.folder, training.learner
    if as_json:
        stopped = {"steps": learner.steps, "updates": learner.update, "continue": plan.command}
        print_json({"run": str(folder), "finished": result is not None, **(result or stopped)})
        return
    out = console()
    if result is None:
        out.print(f"saved after update {learner.update} ({learner.steps:,} steps); go on with:", soft_wrap=True)
        out.print(f"  {plan.command}", soft_wrap=True)
        return
    out.print(f"{learner.steps:,} steps in {span(training.seconds)}; {folder}", soft_wrap=True)
    for opponent, scores in result["anchors"].items():
        out.print(f"against {opponent}: {by_seat(scores, plan.facts['seats'])}", soft_wrap=True)
    out.print(f"the model plays as network:{folder / result['model'] / 'model.onnx'}", soft_wrap=True)
