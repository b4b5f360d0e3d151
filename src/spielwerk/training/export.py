"""A trained network as ONNX, with a card that says where it comes from; and back."""

import copy
import hashlib
import io
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import Tensor, nn

from spielwerk.agents.network import model_bytes, model_card
from spielwerk.durable import write_durably
from spielwerk.games import Game
from spielwerk.training.networks import Network


class _Played(nn.Module):
    """What an agent needs of a network: no forecasts, and every cell where it plays boards of any size."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        logits, value, _ = self.network.answers(planes)
        return logits, value


def onnx_bytes(network: Network) -> bytes:
    """uint8 planes in, logits (of actions, or of all cells) and value out; any batch size."""
    shape = network.shape
    example = torch.zeros((2, shape.planes, shape.height, shape.width), dtype=torch.uint8)
    size = {2: "height", 3: "width"} if shape.any_size else {}
    logits = "cells" if shape.any_size else "logits"
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's exporter speaks of its own future, and of what tracing fixes
        torch.onnx.export(
            _Played(copy.deepcopy(network).cpu().float().eval()),
            (example,),
            buffer,  # type: ignore[arg-type]
            input_names=["planes"],
            output_names=[logits, "value"],
            dynamic_axes={"planes": {0: "batch", **size}, logits: {0: "batch"}, "value": {0: "batch"}},
            dynamo=False,
        )
    return buffer.getvalue()


def shipped_weights(name: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The weights of a model that comes with this release, under the names that a run gives them, and its card."""
    graph = onnx.load_model_from_string(model_bytes(name)).graph
    stored = {entry.name: torch.from_numpy(onnx.numpy_helper.to_array(entry).copy()) for entry in graph.initializer}
    weights = {key: value for key, value in stored.items() if key.startswith("network.")}
    for layer, matrix in _layers_over_rows(graph):
        weights[f"{layer}.weight"] = stored[matrix].T.contiguous()
    return weights, model_card(name)


def _layers_over_rows(graph: onnx.GraphProto) -> Iterator[tuple[str, str]]:
    """Linear layers that read several rows at once, which the exporter stores turned and under a name of its own."""
    matrices = {node.output[0]: node.input[1] for node in graph.node if node.op_type == "MatMul"}
    for node in graph.node:
        names = list(node.input)
        bias = next((name for name in names if node.op_type == "Add" and name.endswith(".bias")), "")
        product = next((name for name in names if name in matrices), "")
        if bias and product:
            yield bias.removesuffix(".bias"), matrices[product]


def export_model(path: Path, network: Network, game: Game, facts: dict[str, Any]) -> None:
    """Writes PATH.onnx and PATH.json."""
    model = onnx_bytes(network)
    card = {
        "sha256": hashlib.sha256(model).hexdigest(),
        "game": game.name,
        "rules": game.rules,
        "rules_version": game.rules_version,
        "network": network.shape.to_json(),
        **facts,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_durably(path.with_suffix(".onnx"), model)
    write_durably(path.with_suffix(".json"), card_text(card))


def card_text(card: dict[str, Any]) -> bytes:
    """A model's card as it is written beside it."""
    return (json.dumps(card, indent=1, ensure_ascii=False) + "\n").encode()
