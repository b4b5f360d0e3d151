"""A trained network as ONNX, with a card that says where it comes from."""

import io
import json
from pathlib import Path
from typing import Any

import torch

from spielwerk.durable import write_durably
from spielwerk.games import Game
from spielwerk.training.networks import Network


def onnx_bytes(network: Network) -> bytes:
    """uint8 planes in, logits and value out; any batch size."""
    network = network.cpu().eval()
    shape = network.shape
    example = torch.zeros((2, shape.planes, shape.height, shape.width), dtype=torch.uint8)
    buffer = io.BytesIO()
    torch.onnx.export(
        network,
        (example,),
        buffer,  # type: ignore[arg-type]
        input_names=["planes"],
        output_names=["logits", "value"],
        dynamic_axes={"planes": {0: "batch"}, "logits": {0: "batch"}, "value": {0: "batch"}},
        dynamo=False,
    )
    return buffer.getvalue()


def export_model(path: Path, network: Network, game: Game, facts: dict[str, Any]) -> None:
    """Writes PATH.onnx and PATH.json."""
    card = {
        "game": game.name,
        "rules": game.rules,
        "rules_version": game.rules_version,
        "network": network.shape.to_json(),
        **facts,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_durably(path.with_suffix(".onnx"), onnx_bytes(network))
    write_durably(path.with_suffix(".json"), (json.dumps(card, indent=1, ensure_ascii=False) + "\n").encode())
