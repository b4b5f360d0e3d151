"""What shapes a run. Here rather than beside the learners, since the command line must know it without PyTorch."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PpoConfig:
    """Everything that shapes a run; two runs with equal configs on one thread are equal bit for bit."""

    steps: int = field(
        default=10_000_000,
        metadata={"help": "decisions of the learner to play; forced ones and those of opponents are not counted"},
    )
    seconds: float = field(default=0.0, metadata={"help": "stop after this time, if the steps are not done by then"})
    opponent: str = field(
        default="random", metadata={"help": "any agent's spec, or self: the learner plays every seat"}
    )
    network: str = field(default="mlp", metadata={"help": "mlp or residual"})
    channels: int = field(default=256, metadata={"help": "width of hidden layers"})
    blocks: int = field(default=2, metadata={"help": "hidden layers, or residual blocks"})
    reward: str = field(default="result", metadata={"help": "result, or points: half of it for the margin in points"})
    points_scale: float = field(default=20.0, metadata={"help": "a margin that counts in full"})
    shaping: float = field(
        default=0.0, metadata={"help": "weight of the game's heuristic as a guide; falls to zero, changes no optimum"}
    )
    n_envs: int = field(default=512, metadata={"help": "games played at once"})
    rollout: int = field(default=32, metadata={"help": "steps between two updates"})
    epochs: int = field(default=2, metadata={"help": "passes over each rollout"})
    minibatch: int = field(default=1024, metadata={"help": "decisions per gradient step"})
    learning_rate: float = field(default=1e-3, metadata={"help": "at the start; falls to zero"})
    discount: float = field(default=0.999, metadata={"help": "of later rewards"})
    trace: float = field(default=0.95, metadata={"help": "lambda of the advantages"})
    clip: float = field(default=0.2, metadata={"help": "how far one update may go"})
    entropy: float = field(default=0.01, metadata={"help": "bonus for undecided policies; falls to zero"})
    value_weight: float = field(default=0.5, metadata={"help": "of the value's loss"})
    forecast_weight: float = field(default=0.1, metadata={"help": "of the loss of the auxiliary head"})
    max_gradient: float = field(default=0.5, metadata={"help": "norm at which gradients are cut"})
    threads: int = field(default=1, metadata={"help": "threads of the environment, and of PyTorch on a processor"})
    device: str = field(default="cpu", metadata={"help": "cpu or cuda; on the command line also auto"})
    compile: bool = field(default=False, metadata={"help": "compile the network; pays on a GPU after a minute"})
    seed: int = field(default=0, metadata={"help": "of everything random"})

    def __post_init__(self) -> None:
        for name in ("steps", "n_envs", "rollout", "epochs", "channels", "blocks", "threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, but it is {self.seed}")
        if self.minibatch < 2:
            raise ValueError(f"minibatch must be at least 2, not {self.minibatch}")
        if self.reward not in ("result", "points"):
            raise ValueError(f"reward must be result or points, not {self.reward}")


@dataclass(frozen=True)
class SelfPlayConfig(PpoConfig):
    """PPO against the best network so far; `opponent` plays no part."""

    steps: int = field(
        default=100_000_000,
        metadata={"help": "decisions of the learner to play; forced ones and those of opponents are not counted"},
    )
    eval_freq: int = field(default=200_000, metadata={"help": "steps between two evaluations"})
    n_eval_games: int = field(default=1000, metadata={"help": "games of one evaluation, at most"})
    win_threshold: float = field(default=0.55, metadata={"help": "score at which the current network becomes the best"})
    gate: str = field(
        default="threshold",
        metadata={"help": "threshold: all games are played; sprt: stops early, 5 %% error of either kind"},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gate not in ("threshold", "sprt"):
            raise ValueError(f"gate must be threshold or sprt, not {self.gate}")
        if not 0.5 < self.win_threshold < 1:
            raise ValueError(f"win_threshold must be above 0.5 and below 1, not {self.win_threshold}")
        if self.eval_freq < 1 or self.n_eval_games < 2:
            raise ValueError("eval_freq must be at least 1 and n_eval_games at least 2")


_LARGE_GPU: dict[str, Any] = {"n_envs": 8192, "minibatch": 8192, "compile": True, "threads": 8}

# What suits a large GPU, by method; the plain defaults suit a processor.
CUDA_DEFAULTS: dict[str, dict[str, Any]] = {"ppo": _LARGE_GPU, "selfplay": _LARGE_GPU | {"eval_freq": 20_000_000}}
