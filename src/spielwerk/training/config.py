"""What shapes a run. Here rather than beside the learners, since the command line must know it without PyTorch.

Every setting says what it is for and what it may be; flags, files and Python all read their limits here. Settings that
had another name in an earlier release are still understood by it.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar, get_type_hints

from spielwerk.border import quoted
from spielwerk.hints import did_you_mean

REFERENCE_BATCH = 512 * 32  # decisions of an update that suits the usual learning rates
SHORTEST_ROLLOUT = 32
KIND_NAMES: dict[type, str] = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


@dataclass(frozen=True)
class Range:
    """Which numbers a setting may be; the ends count unless they are `open`."""

    low: float = -math.inf
    high: float = math.inf
    open: bool = False

    def __contains__(self, value: float) -> bool:
        if self.open:
            return self.low < value < self.high
        return self.low <= value <= self.high and math.isfinite(value)

    def wanted_instead_of(self, value: float) -> str:
        """What is wrong about a value outside, in words."""
        if self.open:
            return f"above {self.low:g} and below {self.high:g}"
        if math.isnan(value):
            return f"a number from {self.low:g} to {self.high:g}"
        return f"at least {self.low:.16g}" if value < self.low else f"at most {self.high:.16g}"


def _setting(
    default: Any, help: str, allowed: Range | tuple[str, ...] | None = None, formerly: str = "",
    plain: Callable[[Any], Any] | None = None,
) -> Any:  # fmt: skip
    """`plain` turns what Python and files may give as well into the setting's own type."""
    metadata = {"help": help, "allowed": allowed, "formerly": formerly, "plain": plain}
    return field(default=default, metadata=metadata)


# Width and number of layers. Residual networks of this size were the strongest after equal seconds on a large GPU.
USUAL_SIZES = {"mlp": (256, 2), "residual": (64, 3)}


def _usual(part: int) -> str:
    return ", ".join(f"{size[part]} ({kind})" for kind, size in USUAL_SIZES.items())


_COUNT = Range(1, 2**53)
_WEIGHT = Range(0, 1000)
GATES = ("pool", "sprt", "threshold")
GATES_HELP = (
    "pool: the threshold, 5 %% error at most, and a higher rating in the pool; sprt: the same by a sequential test that"
    " stops early; threshold: the score alone"
)


@dataclass(frozen=True)
class RunConfig:
    """What every method has; two runs with equal configs on one thread are equal bit for bit."""

    usual_learning_rate: ClassVar[float] = 1e-3

    steps: int = _setting(
        10_000_000, "decisions of the learner to play; forced ones and those of opponents are not counted", _COUNT
    )
    seconds: float = _setting(0.0, "stop after this time, if the steps are not done by then", Range(0, 1e9))
    network: str = _setting("mlp", "mlp or residual", ("mlp", "residual"))
    channels: int = _setting(0, f"width of hidden layers; 0: {_usual(0)}", Range(0, 16_384))
    blocks: int = _setting(0, f"hidden layers, or residual blocks; 0: {_usual(1)}", Range(0, 256))
    n_envs: int = _setting(512, "games played at once", Range(1, 2**24))
    minibatch: int = _setting(1024, "decisions per gradient step", Range(2, 2**24))
    learning_rate: float = _setting(
        0.0,
        f"at the start; falls to zero. 0 follows the batch: 1e-3 (selfplay 5e-4) for {REFERENCE_BATCH} decisions"
        " an update or more, less for fewer, by the square root",
        Range(0, 1),
    )
    value_weight: float = _setting(0.5, "of the value's loss", _WEIGHT)
    points_scale: float = _setting(20.0, "a margin that counts in full", Range(0.001, 1e6))
    forecast_weight: float = _setting(0.1, "of the loss of the auxiliary head", _WEIGHT)
    max_grad_norm: float = _setting(
        0.5, "norm at which gradients are cut", Range(1e-6, 1e6), formerly="max_gradient"
    )  # fmt: skip
    ema_share: float = _setting(
        0.0,
        "average the weights (exponential moving average) over about this share of the gradient steps so far; the"
        " average is what is measured, gated and exported; 0: none",
        Range(0, 1),
    )
    threads: int = _setting(1, "threads of the environment, and of PyTorch on a processor", Range(1, 1024))
    device: str = _setting("cpu", "cpu or cuda; on the command line also auto")
    compile: bool = _setting(False, "compile the network; pays on a GPU after a minute")
    seed: int = _setting(0, "of everything random", Range(0, 2**63 - 1))

    def __post_init__(self) -> None:
        for entry in fields(self):
            _require_allowed(entry, getattr(self, entry.name))

    def remaining(self, steps: int, seconds: float) -> float:
        """How much of a run is left after so many steps and seconds, from 1 to 0."""
        done = steps / self.steps
        if self.seconds > 0:
            done = max(done, seconds / self.seconds)
        return max(0.0, 1.0 - done)

    @property
    def network_size(self) -> tuple[int, int]:
        """Channels and blocks: those that were set, or the usual ones of this kind of network."""
        channels, blocks = USUAL_SIZES[self.network]
        return self.channels or channels, self.blocks or blocks


@dataclass(frozen=True)
class GateConfig(RunConfig):
    """What decides whether the current network becomes the best."""

    eval_freq: int = _setting(200_000, "steps between two evaluations", _COUNT)
    n_eval_games: int = _setting(
        1000, "games against the best in an evaluation, at most; as many against the pool", Range(2, 1_000_000)
    )
    win_threshold: float = _setting(
        0.55, "score at which the current network becomes the best", Range(0.5, 1, open=True)
    )  # fmt: skip
    gate: str = _setting("pool", GATES_HELP, GATES)
    pool: int = _setting(
        4, "former bests that the learner and the gate meet, the start always among them", Range(1, 64)
    )


@dataclass(frozen=True)
class PpoConfig(RunConfig):
    """Against an opponent."""

    games: str = _setting(
        "auto", "where the games are played: auto, on the GPU where that can be; cpu; or cuda", ("auto", "cpu", "cuda")
    )
    opponent: str = _setting("random", "any agent's spec, or self: the learner plays every seat")
    reward: str = _setting("result", "result, or points: half of it for the margin in points", ("result", "points"))
    shaping: float = _setting(
        0.0,
        "weight of the game's heuristic as a guide (potential-based shaping); falls to zero, changes no optimum",
        _WEIGHT,
    )
    rollout: int = _setting(
        0,
        f"steps of each game between two updates; 0: as many as make {REFERENCE_BATCH} decisions,"
        f" {SHORTEST_ROLLOUT} at least",
        Range(0, 65_536),
    )
    epochs: int = _setting(2, "passes over each rollout", Range(1, 1000))
    discount: float = _setting(0.999, "of later rewards (gamma)", Range(0, 1))
    gae_lambda: float = _setting(0.95, "lambda of generalised advantage estimation", Range(0, 1), formerly="trace")
    clip: float = _setting(0.2, "how far one update may move a probability ratio (epsilon)", Range(0.001, 10))
    entropy: float = _setting(0.01, "weight of the entropy bonus; falls to zero", _WEIGHT)

    @property
    def rollout_steps(self) -> int:
        """The rollout that was set, or the one that suits the number of games."""
        return self.rollout or max(SHORTEST_ROLLOUT, REFERENCE_BATCH // self.n_envs)

    @property
    def initial_learning_rate(self) -> float:
        """The learning rate before it falls: the one that was set, or the one that suits the batch."""
        share = math.sqrt(self.n_envs * self.rollout_steps / REFERENCE_BATCH)
        return self.learning_rate or self.usual_learning_rate * min(1.0, share)


def mix_text(mix: Any) -> Any:
    """Tables like ``{"side": [5, 6]}`` as they are written on the command line; anything else as it is."""
    if not isinstance(mix, Mapping):
        return mix
    return " ".join(f"{rule}={','.join(map(str, _listed(values)))}" for rule, values in mix.items())


def _listed(values: Any) -> Iterable[Any]:
    return values if isinstance(values, Iterable) and not isinstance(values, str) else [values]


def _mix_setting() -> Any:
    return _setting(
        "",
        "play and learn on several boards in turn with one network: a rule and its values, like side=5,8,12; n_envs"
        " games of each",
        plain=mix_text,
    )


@dataclass(frozen=True)
class PpoRunConfig(PpoConfig):
    """What the method ppo has, and self-play, which learns in the same way, has not."""

    mix: str = _mix_setting()


@dataclass(frozen=True)
class SelfPlayConfig(PpoConfig, GateConfig):
    """PPO against the best network so far and a pool of former ones; `opponent` plays no part."""

    usual_learning_rate: ClassVar[float] = 5e-4

    steps: int = _setting(
        100_000_000, "decisions of the learner to play; forced ones and those of opponents are not counted", _COUNT
    )
    pool_share: float = _setting(
        0.5, "of the games against networks that are played against the pool, the others against the best", Range(0, 1)
    )
    anchor_share: float = _setting(0.25, "of all games that are played against random and greedy", Range(0, 0.9))


@dataclass(frozen=True)
class AlphaZeroConfig(GateConfig):
    """Self-play under Gumbel search; the network learns what the search found and how the games ended."""

    steps: int = _setting(500_000, "decisions to search", _COUNT)
    n_envs: int = _setting(128, "games played at once", Range(2, 2**20))
    learning_rate: float = _setting(1e-3, "until half of the run is over; then it falls to zero", Range(1e-9, 1))
    value_weight: float = _setting(1.0, "of the value's loss", _WEIGHT)
    max_grad_norm: float = _setting(
        1.0, "norm at which gradients are cut", Range(1e-6, 1e6), formerly="max_gradient"
    )  # fmt: skip
    eval_freq: int = _setting(100_000, "steps between two evaluations", _COUNT)
    gate: str = _setting("sprt", GATES_HELP, GATES)
    sims: int = _setting(32, "simulations of a full search, whose result is learnt", Range(1, 65_536))
    fast_sims: int = _setting(8, "simulations of the other searches, which only move games on", Range(1, 65_536))
    full_share: float = _setting(0.25, "of the searches that are full (playout cap randomisation)", Range(0.001, 1))
    considered: int = _setting(16, "actions that sequential halving starts with, at most", Range(1, 1024))
    value_scale: float = _setting(
        0.25, "how much the search's values count against the policy (c_scale of Gumbel search)", Range(0, 100)
    )
    opening: int = _setting(8, "random decisions that a game begins with, at most", Range(0, 1000))
    play_out: float = _setting(0.25, "of the games that go on to the end once their result is proved", Range(0, 1))
    search_value: float = _setting(0.25, "of the value's target that is the search's, the rest the result", Range(0, 1))
    rollout: int = _setting(128, "evaluations of each game between two updates", Range(1, 65_536))
    window: int = _setting(100_000, "positions that are kept to learn from", Range(2, 2**30))
    reuse: float = _setting(4.0, "how often a position is learnt from, on average", Range(0.01, 1000))
    weight_decay: float = _setting(1e-4, "of AdamW", Range(0, 1))
    occupancy_weight: float = _setting(
        0.05, "of the loss of the auxiliary head that foretells the last position", _WEIGHT
    )
    gate_data: bool = _setting(False, "let the best network play, not the current one")
    groups: int = _setting(
        0, "parts that the games are played in, on a cluster by as many workers; 0: one, on a GPU two", Range(0, 2**16)
    )


@dataclass(frozen=True)
class ImitationConfig(RunConfig):
    """Learning what a teacher plays, and how its games end."""

    steps: int = _setting(1_000_000, "decisions of the teacher to learn from", _COUNT)
    teacher: str = _setting(
        "", "any agent's spec; otherwise alphabeta:nodes=10000, and expectimax:depth=2 where there are dice"
    )
    mix: str = _mix_setting()
    n_envs: int = _setting(16, "games of the teacher in an update", Range(1, 2**20))
    minibatch: int = _setting(256, "decisions per gradient step", Range(2, 2**24))
    learning_rate: float = _setting(1e-3, "until half of the run is over; then it falls to zero", Range(1e-9, 1))
    max_grad_norm: float = _setting(
        1.0, "norm at which gradients are cut", Range(1e-6, 1e6), formerly="max_gradient"
    )  # fmt: skip
    opening: int = _setting(8, "random actions that a game begins with, at most", Range(0, 1000))
    errs: float = _setting(0.1, "of the later actions that are random instead of the teacher's", Range(0, 1))
    window: int = _setting(500_000, "positions of each board that are kept to learn from", Range(2, 2**30))
    reuse: float = _setting(4.0, "how often a position is learnt from, on average", Range(0.01, 1000))
    weight_decay: float = _setting(1e-4, "of AdamW", Range(0, 1))


_LARGE_GPU: dict[str, Any] = {"n_envs": 8192, "minibatch": 8192, "threads": 8}
_LARGE_GPU_SEARCH: dict[str, Any] = {
    "steps": 10_000_000, "network": "residual", "channels": 64, "blocks": 6, "n_envs": 16_384, "minibatch": 4096,
    "compile": True, "threads": 16, "sims": 64, "fast_sims": 16, "rollout": 256, "window": 1_000_000,
    "eval_freq": 3_000_000,
}  # fmt: skip

# What suits a large GPU, by method; the plain defaults suit a processor.
CUDA_DEFAULTS: dict[str, dict[str, Any]] = {
    "ppo": _LARGE_GPU,
    "selfplay": _LARGE_GPU | {"eval_freq": 20_000_000},
    "alphazero": _LARGE_GPU_SEARCH,
    "imitation": {"n_envs": 128, "minibatch": 1024, "threads": 16},
}

CONFIGS: dict[str, type[RunConfig]] = {
    "ppo": PpoRunConfig,
    "selfplay": SelfPlayConfig,
    "alphazero": AlphaZeroConfig,
    "imitation": ImitationConfig,
}


def settings_of(config: type[RunConfig]) -> dict[str, Field[Any]]:
    return {entry.name: entry for entry in fields(config)}


def kind_of(config: type[RunConfig], name: str) -> type:
    kind: type = get_type_hints(config)[name]
    return kind


def checked_settings(source: str, values: Mapping[str, Any], config: type[RunConfig]) -> dict[str, Any]:
    """Values from outside under the names and with the types of the config; - and _ are the same in names."""
    known = settings_of(config)
    former = {entry.metadata["formerly"]: name for name, entry in known.items() if entry.metadata["formerly"]}
    checked = {}
    for key, value in values.items():
        name = key.replace("-", "_")
        name = former.get(name, name)
        if name not in known:
            hint = did_you_mean(name, known) or f"; there are: {', '.join(known)}"
            raise ValueError(f"{source} has no setting '{quoted(key, 40)}'{hint}")
        plain = known[name].metadata["plain"]
        checked[name] = _checked(source, name, plain(value) if plain else value, kind_of(config, name))
    return checked


def config_words(config: RunConfig, always: Collection[str] = ()) -> list[str]:
    """The words on the command line that make this config: what differs from the defaults."""
    words = []
    for entry in fields(config):
        value = getattr(config, entry.name)
        if value == entry.default and entry.name not in always:
            continue
        if isinstance(value, bool):
            words.append(flag(entry.name) if value else f"--no-{flag(entry.name)[2:]}")
        else:
            words += [flag(entry.name), str(value)]
    return words


def flag(name: str) -> str:
    """How a setting is called on the command line."""
    return f"--{name.replace('_', '-')}"


def _checked(source: str, name: str, value: Any, kind: type) -> Any:
    if kind is float and type(value) is int:
        return float(value)
    if kind is int and type(value) is float and value.is_integer():
        return int(value)
    if type(value) is not kind:
        raise ValueError(f"{source}: {name} must be {KIND_NAMES[kind]}, not {value!r:.40}")
    return value


def _require_allowed(entry: Field[Any], value: Any) -> None:
    allowed = entry.metadata["allowed"]
    if isinstance(allowed, Range) and value not in allowed:
        raise ValueError(f"{entry.name} must be {allowed.wanted_instead_of(value)}, not {value}")
    if isinstance(allowed, tuple) and value not in allowed:
        raise ValueError(f"{entry.name} must be {' or '.join(allowed)}, not {quoted(value, 40)}")
