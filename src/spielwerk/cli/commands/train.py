"""Train a network: against an opponent (ppo), against its own best versions through a gate (selfplay), against itself
under a search whose findings it learns (alphazero), or from what a teacher plays (imitation).

Each run has a folder of its own with settings, metrics, checkpoints and, in the end, a model that plays everywhere.
Ctrl-C saves and says how to continue. Needs PyTorch: pip install 'spielwerk[train]'. In Python: spielwerk.train(…).
"""

from __future__ import annotations

import argparse
import importlib.util
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielwerk.cli.config_flags import add_config, given_flags, read_config_file
from spielwerk.cli.options import add_json, add_ray, add_rules, add_runs_dir, make_game
from spielwerk.extras import need
from spielwerk.training.config import CONFIGS, checked_settings

if TYPE_CHECKING:
    from spielwerk.arena.workers import Workers
    from spielwerk.games import Game
    from spielwerk.training.launch import Plan
    from spielwerk.training.watching import Watcher

EXAMPLES = """
spielwerk train ppo --steps 10_000_000
spielwerk train ppo ludo/ffa --opponent greedy --network residual --channels 48
spielwerk train ppo diavolo/standard --opponent self --network residual --mix side=5,6,7,8
spielwerk train selfplay --from-pretrained runs/NAME
spielwerk train selfplay pferdeaepfel/trail --eval-freq 200_000 --n-eval-games 1000 --win-threshold 0.55
spielwerk train selfplay --continue
spielwerk train alphazero pferdeaepfel/trail --rule size=6 --seconds 600
spielwerk train alphazero pferdeaepfel/trail --n-envs 1024 --ray head:6379
spielwerk train imitation pferdeaepfel/classic --seconds 360
spielwerk train imitation diavolo/standard --teacher alphabeta:nodes=3000 --network residual --mix side=5,6,7,8
"""

TRAINED_RULESET = "pferdeaepfel/classic"
INTERRUPTED = 130


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "method",
        choices=tuple(CONFIGS),
        help="ppo: against --opponent; selfplay: against its best; alphazero: under search; imitation: from --teacher",
    )
    parser.add_argument("ruleset", nargs="?", metavar="RULESET", help=f"{TRAINED_RULESET} if not given")
    add_rules(parser)
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings as JSON or TOML; flags win over them")
    parser.add_argument(
        "--from-pretrained",
        metavar="FILE|RUN|RULESET",
        help="start from these weights: a .safetensors file, a run, or the model that is shipped for a ruleset",
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
    parser.add_argument(
        "--wandb",
        action="store_true",
        help="log to Weights & Biases as well, under the project $WANDB_PROJECT or 'spielwerk' (needs the wandb extra)",
    )
    parser.add_argument(
        "--allow-engines",
        action="store_true",
        help="start a program that a config file or a run names as opponent or teacher",
    )
    add_ray(parser)
    add_config(parser, CONFIGS)
    add_json(parser)


def _seconds(text: str) -> float:
    with suppress(ValueError):
        if 0 <= float(text) <= 86_400:
            return float(text)
    raise argparse.ArgumentTypeError(f"must be from 0 to 86400 seconds, not '{text[:40]}'")


def run(arguments: argparse.Namespace) -> int:
    from spielwerk.training.launch import drive, hired, require_pytorch

    require_pytorch()
    if arguments.wandb:
        need("wandb")
    with hired(arguments.method, arguments.ray) as workers:
        plan = _new_plan(arguments, workers) if arguments.resumed is None else _resumed_plan(arguments)
        result = drive(plan, lambda: _watchers(plan, arguments), arguments.checkpoint_seconds, workers)
    _report(plan, result, as_json=arguments.json)
    return INTERRUPTED if result is None else 0


# -- beginning and going on --------------------------------------------------------------------


def _new_plan(arguments: argparse.Namespace, workers: Workers | None) -> Plan:
    from spielwerk.training.launch import new_plan

    document = {} if arguments.config is None else read_config_file(arguments.config)
    settings = _settings(arguments, document)
    return new_plan(
        _game(arguments, document),
        arguments.method,
        settings,
        from_pretrained=arguments.from_pretrained,
        run=arguments.run or "",
        runs_dir=arguments.runs_dir,
        workers=workers,
    )


def _game(arguments: argparse.Namespace, document: dict[str, Any]) -> Game:
    named = document.get("ruleset", TRAINED_RULESET)
    ruleset = arguments.ruleset or named
    rules = document.get("rules", {}) if ruleset == named else {}
    if not isinstance(ruleset, str) or not isinstance(rules, dict):
        raise ValueError(f"{arguments.config}: ruleset must be a name, and rules names with values")
    return make_game(ruleset, [*(f"{name}={value}" for name, value in rules.items()), *arguments.rule])


def _settings(arguments: argparse.Namespace, document: dict[str, Any]) -> dict[str, Any]:
    """Those of the file, and the flags, which win."""
    from spielwerk.training.launch import require_no_program

    config, source = CONFIGS[arguments.method], str(arguments.config)
    plain = {name: value for name, value in document.items() if name not in ("ruleset", "rules")}
    named = document.get("config", plain)
    if not isinstance(named, dict):
        raise ValueError(f"{source}: config must hold names and values")
    given = given_flags(arguments, config, CONFIGS)
    if arguments.method == "selfplay" and "opponent" in given:
        raise ValueError("--opponent belongs to ppo; selfplay plays against its own best version")
    settings = checked_settings(source, named, config)
    if not arguments.allow_engines:
        require_no_program(source, settings, given)
    return settings | given


def _resumed_plan(arguments: argparse.Namespace) -> Plan:
    from spielwerk.training.launch import resumed_plan, stored_game
    from spielwerk.training.runs import find_run, newest_run

    for name in ("run", "config", "from_pretrained"):
        if getattr(arguments, name) is not None:
            raise ValueError(f"--{name.replace('_', '-')} is for new runs; --continue goes on with what the run has")
    if arguments.resumed:
        run = find_run(arguments.resumed, arguments.runs_dir)
    else:
        run = newest_run(arguments.runs_dir, arguments.method, arguments.ruleset)
    stored = stored_game(run)
    asked = make_game(arguments.ruleset or stored.name, arguments.rule)
    if asked.name != stored.name or (arguments.rule and asked != stored):
        raise ValueError(f"{run.folder} trains {stored!r}, not {asked!r}")
    given = given_flags(arguments, CONFIGS[arguments.method], CONFIGS)
    return resumed_plan(run, arguments.method, given, allow_engines=arguments.allow_engines)


# -- what people see ---------------------------------------------------------------------------


def _watchers(plan: Plan, arguments: argparse.Namespace) -> list[Watcher]:
    from spielwerk.training.watching import TensorBoard, WeightsAndBiases

    watchers: list[Watcher] = [plan.reporter()]
    if arguments.tensorboard and importlib.util.find_spec("tensorboard") is not None:
        watchers.append(TensorBoard(plan.run.folder / "tensorboard", plan.facts["seats"], plan.learner.steps + 1))
    if arguments.wandb:
        watchers.append(WeightsAndBiases(plan.run, plan.facts))
    return watchers


def _report(plan: Plan, result: dict[str, Any] | None, *, as_json: bool) -> None:
    from spielwerk.cli.output import console, print_json
    from spielwerk.training.watching import result_lines

    folder, learner = plan.run.folder, plan.learner
    if as_json:
        stopped = {"steps": learner.steps, "updates": learner.update, "continue": plan.command}
        print_json({"run": str(folder), "finished": result is not None, **(result or stopped)})
        return
    out = console()
    if result is None:
        out.print(f"saved after update {learner.update} ({learner.steps:,} steps); go on with:", soft_wrap=True)
        out.print(f"  {plan.command}", soft_wrap=True)
        return
    for line in result_lines(result, folder, plan.facts["seats"]):
        out.print(line, soft_wrap=True)
