"""Every door that OpenAPI describes, tried with what fits its schema and with what nearly does: no answer is a 500."""

import json
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.server.client import Running, agent, human
from tests.server.test_attacks import LONG_RECORD

FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
METHODS = ("get", "post", "put", "patch", "delete")

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
moments = st.sampled_from(
    ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-02-30", "x", "-1", "1e400", "2026-01-01T00:00:00+99:99"]
)
awkward = st.sampled_from(
    ["", "\x00", "\ud800".encode("utf-8", "surrogatepass").decode("latin1"), "..", "%", "٣", "-1"]
)


def fitting(schema: dict[str, Any], document: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values as a schema asks for them, and now and then something else."""
    if "$ref" in schema:
        return fitting(document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], document)
    if "enum" in schema:
        return st.sampled_from(schema["enum"]) | anything
    if "const" in schema:
        return st.just(schema["const"])
    if "anyOf" in schema:
        return st.one_of([fitting(each, document) for each in schema["anyOf"]])
    kind = schema.get("type")
    if kind == "object":
        properties = {name: fitting(each, document) for name, each in schema.get("properties", {}).items()}
        required = {name: properties[name] for name in schema.get("required", ())}
        others = {name: each for name, each in properties.items() if name not in required}
        return st.fixed_dictionaries(required, optional=others) | anything
    if kind == "array":
        return st.lists(fitting(schema.get("items", {}), document), max_size=4)
    simple: dict[str | None, st.SearchStrategy[Any]] = {
        "integer": st.integers(-3, 6) | st.integers(),
        "number": st.floats(),
        "boolean": st.booleans(),
        "string": st.text(max_size=30) | moments | awkward,
    }
    return simple.get(kind, anything)


def likely(name: str, known: dict[str, list[str]]) -> st.SearchStrategy[str]:
    """A parameter of a path: one that exists, or an awkward one."""
    return st.sampled_from(known.get(name, ["x"])) | awkward | st.text(max_size=12)


@pytest.fixture(scope="module")
def known(server: Running) -> dict[str, list[str]]:
    opened = server.open("pferdeaepfel/trail", human(), agent())
    uploaded = server.http.post("/api/records", json=LONG_RECORD | {"actions": ["d1", "pass"] * 5}).json()
    return {
        "table_id": [opened["id"], uploaded["id"]],
        "game": ["pferdeaepfel", "ludo"],
        "ruleset": ["trail", "ffa", "index"],
        "lang": ["en", "de"],
        "file": ["pferdeaepfel-trail.svg"],
        "ply": ["0", "3", "99", "999999999999999999999999"],
    }


def doors(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if method in METHODS
    ]


def test_every_door_answers_what_it_says(server: Running, known: dict[str, list[str]]) -> None:
    document = server.get("/api/openapi.json")
    found = doors(document)
    assert len(found) >= 15
    for path, method, operation in found:
        _try(server.http, document, known, path, method, operation)


def _try(
    http: httpx.Client,
    document: dict[str, Any],
    known: dict[str, list[str]],
    path: str,
    method: str,
    operation: dict[str, Any],
) -> None:
    parameters = operation.get("parameters", [])
    inside = {each["name"]: likely(each["name"], known) for each in parameters if each["in"] == "path"}
    query = {
        each["name"]: fitting(each.get("schema", {}), document).map(str) for each in parameters if each["in"] == "query"
    }
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    body = fitting(content, document) if content else anything

    @FEW
    @given(st.fixed_dictionaries(inside), st.fixed_dictionaries({}, optional=query), body)
    def ask(names: dict[str, str], asked: dict[str, str], sent: Any) -> None:
        where = path
        for name, value in names.items():
            where = where.replace(f"{{{name}}}", quote(value, safe="", errors="replace") or "-")
        texts = {name: value.encode("utf-8", "replace") for name, value in asked.items()}
        answer = http.request(
            method, where, params=texts or None, content=json.dumps(sent) if method != "get" else None
        )
        assert answer.status_code < 500, (method, where, asked, sent, answer.text)
        if answer.status_code >= 400:
            assert answer.json()["error"]["message"]["en"], answer.text

    ask()
