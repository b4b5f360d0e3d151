"""Writes what the page's types are generated from: the messages of the socket as JSON Schema, HTTP as OpenAPI."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from spielwerk.server import lab_protocol, protocol
from spielwerk.server.app import App
from spielwerk.server.settings import Settings

WEB = Path(__file__).parents[1] / "web"


def socket_schema() -> dict[str, Any]:
    """One schema with every message, in both directions."""
    adapters: list[tuple[str, Any, TypeAdapter[Any]]] = [
        ("ClientMessage", "validation", protocol.CLIENT_MESSAGE),
        ("ServerMessage", "serialization", protocol.SERVER_MESSAGE),
        ("AnalysisRequest", "validation", lab_protocol.ANALYSIS_REQUEST),
        ("AnalysisMessage", "serialization", lab_protocol.ANALYSIS_MESSAGE),
    ]
    inputs = [(name, mode, adapter) for name, mode, adapter in adapters]
    references, schema = TypeAdapter.json_schemas(inputs, title="spielwerk socket, protocol 1")
    named = {name: references[name, mode] for name, mode, _ in adapters}
    return {
        **schema,
        "$defs": schema["$defs"] | named,
        "type": "object",
        "properties": {name: {"$ref": f"#/$defs/{name}"} for name in named},
    }


def openapi() -> dict[str, Any]:
    """HTTP as FastAPI describes it."""
    with tempfile.TemporaryDirectory() as folder:
        app = App(Settings(database=f"{folder}/games.db"))
        try:
            return app.api.openapi()
        finally:
            app.store.close()


def files() -> dict[Path, str]:
    """Each file with its content."""
    schemas = {WEB / "protocol.schema.json": socket_schema(), WEB / "openapi.json": openapi()}
    return {path: json.dumps(data, indent=2, ensure_ascii=False) + "\n" for path, data in schemas.items()}


if __name__ == "__main__":
    for path, content in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        print(path.relative_to(WEB.parent), file=sys.stderr)
