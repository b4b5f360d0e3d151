"""How a run begins, goes on and ends: `sw.train` in Python, and what the command `spielwerk train` is a layer over."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielwerk.agents import KINDS
from spielwerk.agents.engines.agent import EngineAgent
from spielwerk.agents.network import shipped_models
from spielwerk.agents.specs import read_spec
from spielwerk.arena.workers import Workers, usual_count, workers_for
from spielwerk.games import Game, make
from spielwerk.machine import describe
from spielwerk.training.boards import boards_of, telling_rules
from spielwerk.training.config import (
    CONFIGS,
    CUDA_DEFAULTS,
    AlphaZeroConfig,
    ImitationConfig,
    PpoConfig,
    PpoRunConfig,
    RunConfig,
    SelfPlayConfig,
    checked_settings,
    config_words,
    flag,
)
from spielwerk.training.runs import Run, RunError, find_run, new_run

if TYPE_CHECKING:
    from torch import Tensor

    from spielwerk.training.loop import Learner, Training
    from spielwerk.training.networks import Network
    from spielwerk.training.watching import Watcher

DEFAULT_RULESET = "pferdeaepfel/classic"
CHANGEABLE = ("steps", "seconds", "device", "games", "threads")  # by those who continue a run
EDGE_BYTES = 24  # of an action in a search tree
OVERHEAD = 4  # bytes that learning takes for each byte of weights: gradients, Adam's two moments, copies


def train(
    ruleset: str | Game = DEFAULT_RULESET,
    method: str = "ppo",
    *,
    rules: Mapping[str, Any] | None = None,
    from_pretrained: str | Path | None = None,
    run: str = "",
    runs_dir: str | Path = "runs",
    resume: str | Path | None = None,
    checkpoint_seconds: float = 60.0,
    quiet: bool = False,
    ray: str | None = None,
    **settings: Any,
) -> Run:
    """Trains a network as `spielwerk train` does and returns its run folder: `run.result`, `run.model`.

    `settings` are those of `PpoRunConfig` (method "ppo"; a `mix` may be a dict: `{"side": [5, 8, 12]}`),
    `SelfPlayConfig` ("selfplay"), `AlphaZeroConfig` ("alphazero") or `ImitationConfig` ("imitation"). `resume`
    goes on with a run instead of beginning one. Ctrl-C saves; `run.result` is then None, and `resume=run.folder` goes
    on. `ray` is the address of a cluster that plays the games of `alphazero` and the evaluations of `selfplay`; empty
    for one on this machine.
    """
    require_pytorch()
    if method not in CONFIGS:
        raise ValueError(f"method must be {' or '.join(CONFIGS)}, not {method!r:.40}")
    given = checked_settings("train", settings, CONFIGS[method])
    with hired(method, ray) as workers:
        if resume is not None:
            plan = resumed_plan(find_run(str(resume), Path(runs_dir)), method, given)
        else:
            game = ruleset if isinstance(ruleset, Game) else make(ruleset, **(rules or {}))
            plan = new_plan(
                game, method, given, from_pretrained=from_pretrained, run=run, runs_dir=Path(runs_dir), workers=workers
            )  # fmt: skip
        drive(plan, lambda: [] if quiet else [plan.reporter()], checkpoint_seconds, workers)
    return plan.run


@contextmanager
def hired(method: str, ray: str | None) -> Iterator[Workers | None]:
    """Those who play elsewhere, where a cluster is named."""
    if ray is None:
        yield None
        return
    if method in ("ppo", "imitation"):
        raise ValueError(
            f"a cluster plays for selfplay (its evaluations) and alphazero; {method} plays all games itself"
        )
    workers = workers_for(usual_count(), ray)
    try:
        yield workers
    finally:
        workers.close()


def require_pytorch() -> None:
    """ValueError that names what training needs and is not there."""
    missing = [name for name in ("torch", "safetensors", "onnx") if importlib.util.find_spec(name) is None]
    if missing:
        raise ValueError(f"training needs {', '.join(missing)}; pip install 'spielwerk[train]' brings what is missing")


@dataclass(frozen=True)
class Plan:
    """A run to begin, or to go on with; `facts` are for its config.json."""

    run: Run
    learner: Learner
    facts: dict[str, Any]
    resumed: bool

    @property
    def command(self) -> str:
        return shlex.join(["spielwerk", "train", self.facts["method"], "--continue", str(self.run.folder)])

    def reporter(self) -> Watcher:
        """A bar at a terminal, lines elsewhere."""
        from spielwerk.console import SafeConsole
        from spielwerk.training.watching import Bar, Goal, Lines

        config, seats = self.learner.config, self.facts["seats"]
        goal = Goal(config.steps, config.seconds)
        console = SafeConsole(stderr=True, emoji=False)
        return Bar(goal, seats, console) if console.is_terminal else Lines(goal, seats, console)


# -- beginning ---------------------------------------------------------------------------------


def new_plan(
    game: Game,
    method: str,
    settings: Mapping[str, Any],
    *,
    from_pretrained: str | Path | None = None,
    run: str = "",
    runs_dir: Path = Path("runs"),
    workers: Workers | None = None,
) -> Plan:
    """A new run, from the plainest to the strongest: defaults, the pretrained network's shape, the settings."""
    weights, shape = _pretrained(from_pretrained, runs_dir)
    config = _for_workers(_config(method, shape, settings), workers)
    network = _network(game, config, weights, from_pretrained) if weights else None
    learner = _learner(game, config, network)
    facts = {
        "method": method,
        "ruleset": game.name,
        "rules": game.rules,
        "rules_version": game.rules_version,
        "seats": _seats(game),
        "config": asdict(config),
        "command": _command(method, game, config, from_pretrained),
        "versions": _versions(config),
    }
    return Plan(new_run(runs_dir, run, f"{method}-{game.name.replace('/', '-')}"), learner, facts, resumed=False)


def _config(method: str, shape: Mapping[str, Any], settings: Mapping[str, Any]) -> RunConfig:
    device = chosen_device(settings.get("device", "auto"))
    defaults = CUDA_DEFAULTS[method] if device == "cuda" else {}
    if method == "selfplay" and settings.get("opponent", PpoConfig.opponent) != PpoConfig.opponent:
        raise ValueError("opponent belongs to ppo; selfplay plays against its own best version")
    return CONFIGS[method](**{**defaults, **shape, **settings, "device": device})


def _for_workers(config: RunConfig, workers: Workers | None) -> RunConfig:
    """With as many groups of games as there are workers, unless the settings say how many."""
    if workers is None or not isinstance(config, AlphaZeroConfig) or config.groups:
        return config
    return replace(config, groups=max(1, min(workers.slots // 2, config.n_envs)))


def chosen_device(name: str) -> str:
    """cpu or cuda; auto is the GPU where there is one."""
    from torch import cuda

    if name not in ("auto", "cpu", "cuda"):
        raise ValueError(f"device must be auto, cpu or cuda, not '{name[:40]}'")
    if name == "cuda" and not cuda.is_available():
        raise ValueError("device cuda: there is no GPU that PyTorch can use here; auto or cpu takes the processor")
    return ("cuda" if cuda.is_available() else "cpu") if name == "auto" else name


def starts_program(opponent: str) -> bool:
    """Whether playing against this agent starts a program: a file may not name such a one."""
    with suppress(ValueError):
        return issubclass(read_spec(opponent, KINDS)[0], EngineAgent)
    return False


def require_no_program(source: str, settings: Mapping[str, Any], given: Collection[str]) -> None:
    """Refuses a file's settings that would start a program of the file's choice; what is `given` apart is not its."""
    for role in ("opponent", "teacher"):
        spec = settings.get(role)
        if role not in given and isinstance(spec, str) and starts_program(spec):
            raise ValueError(
                f"{source} names a program as {role}; to start it, name it with --{role}, or give --allow-engines"
            )


def _pretrained(source: str | Path | None, runs_dir: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Weights to start from, and the settings of the network they belong to; nothing when none are asked for."""
    from spielwerk.training.export import shipped_weights
    from spielwerk.training.loop import pretrained_weights

    if source is None:
        return {}, {}
    path = Path(source) if Path(source).exists() else runs_dir / source
    shipped = not path.exists() and str(source) in shipped_models()
    weights, about = shipped_weights(str(source)) if shipped else pretrained_weights(path)
    shape = about.get("network")
    if not isinstance(shape, dict) or not {"kind", "channels", "blocks"} <= shape.keys():
        raise ValueError(f"{path} does not say which network its weights belong to")
    settings = {"network": shape["kind"], "channels": shape["channels"], "blocks": shape["blocks"]}
    return weights, checked_settings(str(path), settings, RunConfig)


def _network(game: Game, config: RunConfig, weights: dict[str, Tensor], source: str | Path | None) -> Network:
    from spielwerk.training.networks import network_for
    from spielwerk.training.snapshot import restore_network

    values = 1
    if isinstance(config, AlphaZeroConfig):
        from spielwerk.training.alphazero import value_count

        values = value_count(game)
    network = network_for(game, config.network, *config.network_size, values)
    try:
        restore_network("network", network, weights)
    except ValueError as error:
        raise ValueError(f"from pretrained {source}: {error}") from None
    return network


def _learner(game: Game, config: RunConfig, network: Network | None = None) -> Learner:
    import torch

    from spielwerk.training.alphazero import AlphaZero
    from spielwerk.training.imitation import Imitation
    from spielwerk.training.mixed import MixedPpo
    from spielwerk.training.ppo import Ppo
    from spielwerk.training.selfplay import SelfPlay

    _require_memory(game, config)
    torch.set_num_threads(config.threads if config.device == "cpu" else 1)
    if isinstance(config, AlphaZeroConfig):
        return AlphaZero(game, config, network)
    if isinstance(config, SelfPlayConfig):
        return SelfPlay(game, config, network)
    if isinstance(config, ImitationConfig):
        return Imitation(game, config, network)
    assert isinstance(config, PpoRunConfig)
    return MixedPpo(game, config, network) if config.mix else Ppo(game, config, network)


def _require_memory(game: Game, config: RunConfig) -> None:
    """Refuses what cannot fit, before anything is allocated. The estimates are lower bounds."""
    planes, height, width = game.observation_shape
    inputs = planes if config.network == "residual" else planes * height * width
    channels, blocks = config.network_size
    wide = channels**2 * (18 if config.network == "residual" else 1)
    weights = 4 * (inputs * channels + blocks * wide)
    if isinstance(config, AlphaZeroConfig):
        _require_trees(game, config)
        data, what = _window_bytes(game, config), f"window {config.window}"
    elif isinstance(config, ImitationConfig):
        boards = boards_of(game, config.mix).values()
        data, what = sum(_window_bytes(board, config) for board in boards), f"window {config.window}"
    else:
        assert isinstance(config, PpoConfig)
        mix = config.mix if isinstance(config, PpoRunConfig) else ""
        boards = boards_of(game, mix).values()
        data = sum(_rollout_bytes(board, config) for board in boards)
        what = f"n_envs {config.n_envs}{f' for each of {mix}' if mix else ''}, rollout {config.rollout_steps}"
    needed, there = data + OVERHEAD * weights, _memory(config.device)
    if needed > there:
        raise ValueError(
            f"{what}, channels {channels} and blocks {blocks} need at least"
            f" {needed / 2**30:,.0f} GiB of memory; {there / 2**30:,.0f} are there"
        )


def _rollout_bytes(game: Game, config: PpoConfig) -> int:
    planes, height, width = game.observation_shape
    seen = planes * height * width + game.num_actions
    return config.n_envs * (config.rollout_steps + 1) * (seen + 32)


def _window_bytes(game: Game, config: AlphaZeroConfig | ImitationConfig) -> int:
    from spielwerk.training import alphazero, imitation

    searched = isinstance(config, AlphaZeroConfig)
    columns = alphazero.columns_of(game) if searched else imitation.columns_of(game)
    return config.window * sum(column.bytes for column in columns.values())


def _require_trees(game: Game, config: AlphaZeroConfig) -> None:
    """The trees are in the processor's memory, whatever the device is."""
    positions = config.n_envs * (max(config.sims, config.fast_sims) + 1)
    actions = len(game.start(seed=0).legal_actions) // 2
    needed, there = positions * (64 + actions * EDGE_BYTES), _memory("cpu")
    if needed > there:
        raise ValueError(
            f"n_envs {config.n_envs} with sims {config.sims} need trees of about {needed / 2**30:,.0f} GiB;"
            f" {there / 2**30:,.0f} are there"
        )


def _memory(device: str) -> int:
    if device == "cuda":
        from torch import cuda

        return int(cuda.mem_get_info()[1])
    if not hasattr(os, "sysconf"):
        return sys.maxsize  # Windows does not say
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _command(method: str, game: Game, config: RunConfig, from_pretrained: str | Path | None) -> str:
    """What makes this run again, config files included."""
    words = ["spielwerk", "train", method, game.name]
    for name, value in telling_rules(game).items():
        words += ["--rule", f"{name}={value}"]
    if from_pretrained is not None:
        words += ["--from-pretrained", str(from_pretrained)]
    return shlex.join([*words, *config_words(config, always=("device", "seed"))])


def _seats(game: Game) -> list[str]:
    from spielwerk.render import seat_labels

    try:
        return [label.in_language("en") for label in seat_labels(game)]
    except NotImplementedError:  # a game without a scene
        return [f"seat {seat + 1}" for seat in range(game.num_players)]


def _versions(config: RunConfig) -> dict[str, str]:
    from importlib.metadata import version

    libraries = {name: version(name) for name in ("torch", "numpy", "safetensors")}
    return describe() | libraries | {"device": _device_name(config.device)}


def _device_name(device: str) -> str:
    from torch import cuda

    return cuda.get_device_name() if device == "cuda" else device


# -- going on ----------------------------------------------------------------------------------


def resumed_plan(run: Run, method: str, given: Mapping[str, Any], *, allow_engines: bool = False) -> Plan:
    """A run that goes on as it was; only some settings may change."""
    facts, game = run.facts, stored_game(run)
    if facts["method"] != method:
        raise ValueError(f"{run.folder} was begun by 'spielwerk train {facts['method']}', not {method}")
    if facts.get("rules_version") != game.rules_version:
        raise ValueError(f"{run.folder} follows other rules of {game.name} than this release")
    config = _continued_config(run, method, given, allow_engines)
    if run.result is not None and run.result.get("steps", 0) >= config.steps:
        raise ValueError(f"{run.folder} has made its {config.steps} steps; --steps N, with a larger N, goes further")
    return Plan(run, _learner(game, config), facts | {"config": asdict(config)}, resumed=True)


def stored_game(run: Run) -> Game:
    try:
        return make(run.facts["ruleset"], **run.facts["rules"])
    except (ValueError, TypeError) as error:
        raise ValueError(f"{run.folder / 'config.json'} describes no game: {error}") from None


def _continued_config(run: Run, method: str, given: Mapping[str, Any], allow_engines: bool) -> RunConfig:
    source = str(run.folder / "config.json")
    stored = checked_settings(source, run.facts["config"], CONFIGS[method])
    for name, value in given.items():
        if name not in CHANGEABLE and value != stored.get(name):
            allowed = ", ".join(map(flag, CHANGEABLE))
            was = "none" if stored.get(name) in (None, "") else stored[name]
            raise ValueError(f"{name} is {was} in {run.folder}; only {allowed} may change")
    if not allow_engines:
        require_no_program(source, stored, given)
    settings = {**stored, **given}
    return CONFIGS[method](**settings | {"device": chosen_device(settings.get("device", "cpu"))})


# -- the run -----------------------------------------------------------------------------------


def drive(
    plan: Plan,
    watchers: Callable[[], Sequence[Watcher]],
    checkpoint_seconds: float = 60.0,
    workers: Workers | None = None,
) -> dict[str, Any] | None:
    """Trains until the end and measures; None after an interrupt. Other processes are kept out meanwhile.

    The watchers are made once the run can be continued, since some of them take hold of the terminal.
    """
    from spielwerk.training.checkpoints import CheckpointError
    from spielwerk.training.loop import Training
    from spielwerk.training.selfplay import Gated

    if workers is not None and isinstance(plan.learner, Gated):
        plan.learner.play_apart(workers)
    training = Training(plan.learner, plan.run, checkpoint_seconds=checkpoint_seconds)
    try:
        with plan.run.locked(), _discarded_if_refused(plan):
            return _trained(training, plan, watchers)
    except (CheckpointError, RunError) as error:
        raise ValueError(f"{error}{_remedy(plan)}") from None
    except OSError as error:
        raise ValueError(f"{error.filename or plan.run.folder}: {error.strerror}{_remedy(plan)}") from None
    finally:
        training.close()


def _trained(training: Training, plan: Plan, watchers: Callable[[], Sequence[Watcher]]) -> dict[str, Any] | None:
    from spielwerk.training.watching import Metrics

    notes = _set_up(training, plan)
    training.watchers = [Metrics(plan.run), *watchers()]
    training.say(f"{plan.run.folder}: {plan.learner.game!r}, {plan.learner.config.device}")
    training.say(*plan.learner.remarks, *notes)
    return training.finish() if training.learn() else None


def _set_up(training: Training, plan: Plan) -> list[str]:
    """From here on the run can be continued, whatever happens."""
    if not plan.resumed:
        training.save()
        plan.run.write_facts(plan.facts)
        return []
    checkpoint = training.restore()
    plan.run.write_facts(plan.facts)
    plan.run.write_result(None)
    return [*checkpoint.skipped, f"going on after update {training.learner.update}, from {checkpoint.path.name}"]


def _remedy(plan: Plan) -> str:
    return f"; once that is mended: {plan.command}" if plan.run.exists and plan.learner.update else ""


@contextmanager
def _discarded_if_refused(plan: Plan) -> Iterator[None]:
    """A new run that ends before it has learnt anything leaves no folder behind."""
    try:
        yield
    finally:
        if not plan.resumed and plan.learner.update == 0:
            _discard(plan.run)


def _discard(run: Run) -> None:
    for part in ("checkpoints", "replay", "tensorboard"):
        shutil.rmtree(run.folder / part, ignore_errors=True)
    for name in ("config.json", "metrics.jsonl"):
        (run.folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        run.folder.rmdir()  # stays when it holds anything that is not ours
