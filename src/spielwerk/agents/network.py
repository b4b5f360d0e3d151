"""Trained networks as agents, played through onnxruntime: PyTorch is not needed."""

import hashlib
import json
import random
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from spielwerk.agents.onnx_file import refuse_external_data
from spielwerk.agents.specs import Agent, Analysis, Line, option
from spielwerk.border import quoted
from spielwerk.extras import need
from spielwerk.games import Game, State, make
from spielwerk.observations import action_index
from spielwerk.sampling import draw_actions

MAX_MODEL_BYTES = 64_000_000
SHIPPED = Path(__file__).parent.parent / "models"
RUNS = Path("runs")  # where 'spielwerk train' puts its folders
RUN_MODELS = ("best", "final")  # folders of a run, the one to play with first


@dataclass
class NetworkAgent(Agent):
    """A policy network. Named by a shipped model's ruleset, a run, or the path of an .onnx file with its card."""

    kind: ClassVar[str] = "network"
    summary: ClassVar[str] = "a trained network: a shipped model's name, a run, or a path"
    model: str = option("", "ruleset of a shipped model, run of 'spielwerk train', or path of an .onnx file")
    temperature: float = option(0.0, "0 plays the likeliest action, 1 draws by probability")
    seed: int | None = option(None, "repeats the same choices")
    _source: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._source = random.Random(self.seed)
        if not self.model:
            raise ValueError(f"agent network: name a model; shipped are: {', '.join(shipped_models()) or 'none'}")
        if self.temperature < 0:
            raise ValueError("agent network: temperature must not be negative")
        self._model = load_model(self.model)

    def act(self, state: State) -> int:
        actions, weights, _ = self._policy(state)
        if self.temperature == 0:
            return actions[int(np.argmax(weights))]
        uniform = np.array([[1 - self._source.random()]])
        return actions[int(draw_actions(weights[None], np.ones((1, len(actions)), np.uint8), uniform)[0])]

    def weights(self, game: Game) -> bytes:
        return model_bytes(self.model)

    def forget(self) -> None:
        self._source = random.Random(self.seed)

    def analyse(self, state: State) -> Analysis:
        actions, weights, value = self._policy(state)
        order = np.argsort(-weights)
        shares = [float(weight) for weight in weights]
        lines = [Line([state.text(actions[i])], value, round(1000 * shares[i]), policy=shares[i]) for i in order]
        return Analysis(lines, nodes=1, depth=0)

    def plays(self, game: Game) -> bool:
        return self._model.plays(game)

    def _policy(self, state: State) -> tuple[list[int], NDArray[np.float64], float]:
        return self._model.policy(state, self.temperature or 1.0)

    def act_many(self, game: Game, observations: NDArray[Any], masks: NDArray[Any], seed: int) -> NDArray[Any]:
        """Actions ``[n]`` for positions of one game, seen by the seats that act."""
        if len(observations) == 0:
            return np.zeros(0, np.int64)
        logits, _ = self._model.answers(game, observations)
        logits = np.where(masks, logits / (self.temperature or 1.0), -np.inf)
        if self.temperature == 0:
            return np.asarray(logits.argmax(1))
        weights = np.exp(logits - logits.max(1, keepdims=True))
        uniform = 1 - np.random.default_rng(seed).random((len(logits), 1))
        return np.asarray(draw_actions(weights, masks, uniform))


def shipped_models() -> list[str]:
    """The rulesets that a model is shipped for."""
    return sorted(str(path.relative_to(SHIPPED).with_suffix("")) for path in SHIPPED.glob("*/*.onnx"))


def model_card(name: str) -> dict[str, Any]:
    """What is known about a model: rules, training, figures."""
    path = _model_path(name).with_suffix(".json")
    try:
        card: dict[str, Any] = json.loads(path.read_text())
        if not isinstance(card["game"], str) or not isinstance(card["rules"], dict):
            raise TypeError
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(f"{path} is no model card with a game and its rules") from None
    return card


@dataclass(frozen=True)
class Model:
    """A network ready to answer, and the game it was trained for.

    Where it answers for every cell of the board instead of for every action, it plays boards of any size.
    """

    name: str
    session: Any
    game: Game
    any_size: bool

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """The name stands for the model: a copy loads the same file, once per process."""
        return load_model, (self.name,)

    def answers(self, game: Game, observations: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Logits ``[n, actions]`` and values ``[n]``, or ``[n, seats]`` with the seat to act first."""
        if not self.plays(game):
            raise ValueError(f"the model {self.name} plays {self.game!r}, not {game!r}")
        logits, values = self.session.run(None, {"planes": observations})
        if not (np.isfinite(logits).all() and np.isfinite(values).all()):
            raise ValueError(f"the model {self.name} answers with something that is no number")
        return (logits[:, _action_index(game)] if self.any_size else logits), values

    def policy(self, state: State, temperature: float = 1.0) -> tuple[list[int], NDArray[np.float64], float]:
        """Legal actions, their probabilities, and the value for the seat to act."""
        if state.player is None or state.player < 0:
            raise ValueError("no seat is to act in this position")
        logits, value = self.answers(state.game, state.observation(state.player)[None])
        actions = state.legal_actions
        legal = logits[0][actions].astype(np.float64) / temperature
        weights = np.exp(legal - legal.max())
        return actions, weights / weights.sum(), float(value.flat[0])

    def plays(self, game: Game) -> bool:
        """Whether the model can play a game: its own ruleset, on another board only if it holds no size."""
        sizes = [(each.observation_shape, each.num_actions) for each in (game, self.game)]
        return seen_alike(game, self.game) and (self.any_size or sizes[0] == sizes[1])


def seen_alike(game: Game, other: Game) -> bool:
    """Whether a network that holds no size and plays one of the games plays the other, too."""
    maxima = [[plane.maximum for plane in each.planes] for each in (game, other)]  # networks divide by them
    return game.name == other.name and maxima[0] == maxima[1]


@cache
def _action_index(game: Game) -> NDArray[np.int64]:
    return np.array(action_index(game))


def load_model(name: str) -> Model:
    """A model by name or path; of a run that goes on, the newest that it has made."""
    try:
        written = _model_path(name).with_suffix(".json").stat().st_mtime_ns  # the card is written last
    except OSError:
        written = 0
    return read_model(name, written)


@lru_cache(maxsize=64)
def read_model(name: str, written: int) -> Model:
    """A single file that is the one its card names, and that answers with numbers."""
    onnxruntime = need("onnxruntime")
    data = model_bytes(name)
    card = model_card(name)
    _check_digest(name, data, card)
    refuse_external_data(data, str(_model_path(name)))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception:  # onnxruntime's own errors share no base class of their own
        raise ValueError(f"{_model_path(name)} is no ONNX model that can be loaded") from None
    game = make(card["game"], **card["rules"])
    model = Model(name, session, game, _any_size(_model_path(name), session, game.observation_shape))
    model.answers(game, game.start(seed=0).observation(0)[None])
    return model


def _check_digest(name: str, data: bytes, card: dict[str, Any]) -> None:
    """Cards of models exported before there were digests have none."""
    digest = card.get("sha256")
    if digest is not None and digest != hashlib.sha256(data).hexdigest():
        raise ValueError(f"{_model_path(name)} is not the model its card describes: their sha256 differ")


def model_bytes(name: str) -> bytes:
    """The file of a model, as it is."""
    path = _model_path(name)
    try:
        if path.stat().st_size > MAX_MODEL_BYTES:
            raise ValueError(f"{path} is larger than {MAX_MODEL_BYTES} bytes")
        return path.read_bytes()
    except OSError:
        raise ValueError(
            f"there is no model {quoted(name, 200)}; shipped are: {', '.join(shipped_models()) or 'none'}"
        ) from None


def _any_size(path: Path, session: Any, shape: tuple[int, int, int]) -> bool:
    """Whether the model reads boards of any size; ValueError when it does not read this game's planes."""
    inputs, outputs = session.get_inputs(), [output.name for output in session.get_outputs()]
    named = len(inputs) == 1 and inputs[0].name == "planes" and len(inputs[0].shape) == 4
    if named and outputs == ["logits", "value"] and tuple(inputs[0].shape[1:]) == shape:
        return False
    if named and outputs == ["cells", "value"] and inputs[0].shape[1] == shape[0]:
        return True
    raise ValueError(f"{path} does not read the planes of its game")


def _model_path(name: str) -> Path:
    if name in shipped_models():
        return SHIPPED / f"{name}.onnx"
    for folder in (Path(name), RUNS / name):
        if model := run_model(folder):
            return model
    return Path(name).with_suffix(".onnx")


def run_model(folder: Path) -> Path | None:
    """The model that a training run has made: its best, or else its last; None where there is no such folder."""
    models = (folder / part / "model.onnx" for part in RUN_MODELS)
    with suppress(OSError):  # a name that no folder can have
        return next((model for model in models if model.is_file()), None)
    return None
