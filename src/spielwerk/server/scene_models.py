"""Models of what scenes send, made from the dataclasses of `spielwerk.render.scene`, which alone say what a scene is.

Nothing is validated with them while games run: scenes are plain data already. They describe it to JSON Schema, from
which the page's types are generated.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from spielwerk.render import scene as shapes
from spielwerk.render.scene import Label

Words = str | Label


def _without_defaults(schema: dict[str, Any]) -> None:
    """A field with a default may be missing; a default in the schema would make generators think that it never is."""
    for field in schema["properties"].values():
        field.pop("default", None)


_CONFIG = ConfigDict(extra="forbid", json_schema_extra=_without_defaults)


def _model(name: str, fields: Mapping[str, Any]) -> type[BaseModel]:
    return create_model(name, __config__=_CONFIG, **fields)


@cache
def _model_of(kind: type) -> type[BaseModel]:
    """The JSON form of a dataclass: its public fields, and for shapes their kind."""
    name = kind.__name__
    tag = {"kind": (Literal[kind.kind], ...)} if issubclass(kind, shapes.Shape) else {}
    return _model(f"Scene{name}", tag | _fields_of(kind))


def _fields_of(kind: type) -> dict[str, Any]:
    types = get_type_hints(kind)
    public = [field for field in dataclasses.fields(kind) if not field.name.startswith("_")]
    return {field.name: (_json_type(types[field.name]), _default(field)) for field in public}


def _default(field: dataclasses.Field[Any]) -> Any:
    return ... if field.default is dataclasses.MISSING else field.default


def _json_type(annotation: Any) -> Any:
    """What JSON holds where the dataclass holds this."""
    if annotation is Label:
        return Words
    if annotation is shapes.Shape:
        return SceneShape
    if dataclasses.is_dataclass(annotation):
        return _model_of(annotation)  # type: ignore[arg-type]
    origin, parameters = get_origin(annotation), get_args(annotation)
    if origin is tuple and parameters[-1] is Ellipsis:
        return list[_json_type(parameters[0])]  # type: ignore[misc]
    if origin in (Union, UnionType):
        return reduce(or_, [_json_type(each) for each in parameters if each is not NoneType])
    return annotation


_SHAPES: list[Any] = [_model_of(kind) for kind in get_args(shapes.AnyShape)]
SceneShape: Any = Annotated[reduce(or_, _SHAPES), Field(discriminator="kind")]
SceneHit: Any = _model_of(shapes.Hit)

_WORDS = {name: field for name, field in _fields_of(shapes.Scene).items() if name in shapes.WORDS}
_VERSION = {"version": (int, ...)}
_DYNAMIC = _VERSION | {
    name: (annotation, ...) for name, (annotation, _) in _fields_of(shapes.Scene).items() if name != "static"
}
SceneStatic: Any = _model("SceneStatic", {"key": (str, ...)} | _fields_of(shapes.Static))
WholeScene: Any = _model("Scene", _DYNAMIC | {"static": (SceneStatic, ...)})
SceneByKey: Any = _model("SceneByKey", _DYNAMIC | {"static": (str, ...)})


def _list_change(name: str, item: Any) -> Any:
    return _model(name, {"drop": (list[str], []), "put": (list[item], []), "order": (list[str], [])})


_ShapesChange: Any = _list_change("SceneShapesChange", SceneShape)
_HitsChange: Any = _list_change("SceneHitsChange", SceneHit)
SceneDifference: Any = _model(
    "SceneDifference",
    _VERSION
    | {name: (annotation, ...) for name, (annotation, _) in _WORDS.items()}
    | {
        "static": (str, ...),
        "changes": (dict[str, _ShapesChange], ...),
        "hit_changes": (_HitsChange, ...),
    },
)
