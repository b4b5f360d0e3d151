"""The mean of networks that come from one another, weight by weight: a model soup.

What the last steps of training did by chance differs from one network to the next and is averaged out; what all have
learnt stays. That holds for networks one of which was trained on from the other, or all from the same one: others have
nothing to do with each other, and their mean plays at random.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from spielwerk.agents.network import model_bytes, model_card
from spielwerk.durable import write_durably
from spielwerk.training.export import card_text

_OF_ONE_NETWORK = ("figures", "measured", "sha256")  # of a card


def average_models(models: Sequence[str], out: Path) -> dict[str, Any]:
    """Writes OUT.onnx and OUT.json, and answers with the card: the last model's, with all of which it is the mean."""
    if len(models) < 2:
        raise ValueError("a mean needs two networks or more")
    cards = [model_card(model) for model in models]
    for model, card in zip(models, cards, strict=True):
        if any(card.get(fact) != cards[0].get(fact) for fact in ("game", "rules_version")):
            raise ValueError(f"{model} is for another game than {models[0]}")
    files = [model_bytes(model) for model in models]
    mean = _mean([onnx.load_model_from_string(file) for file in files], models)
    of = [
        {"model": model, "sha256": hashlib.sha256(file).hexdigest(), "command": card.get("command", "")}
        for model, file, card in zip(models, files, cards, strict=True)
    ]
    card = {"sha256": hashlib.sha256(mean).hexdigest()}
    card |= {fact: value for fact, value in cards[-1].items() if fact not in _OF_ONE_NETWORK}
    card |= {"mean_of": of}
    write_durably(out.with_suffix(".onnx"), mean)
    write_durably(out.with_suffix(".json"), card_text(card))
    return card


def _mean(graphs: Sequence[onnx.ModelProto], models: Sequence[str]) -> bytes:
    """The first graph with the mean of all weights."""
    weights = [_weights(graph) for graph in graphs]
    for model, one in zip(models, weights, strict=True):
        same = one.keys() == weights[0].keys() and all(one[name].shape == weights[0][name].shape for name in one)
        if not same:
            raise ValueError(f"{model} is another kind of network than {models[0]}")
        if not all(np.isfinite(values).all() for values in one.values()):
            raise ValueError(f"the weights of {model} hold numbers that are not finite")
    mean = graphs[0]
    for entry in mean.graph.initializer:
        values = np.mean([one[entry.name] for one in weights], axis=0, dtype=np.float64)
        values = values.astype(weights[0][entry.name].dtype)
        entry.CopyFrom(onnx.numpy_helper.from_array(values, entry.name))
    return bytes(mean.SerializeToString())


def _weights(model: onnx.ModelProto) -> dict[str, NDArray[Any]]:
    return {entry.name: onnx.numpy_helper.to_array(entry) for entry in model.graph.initializer}
