"""Model files from elsewhere: one file, the one its card names, and answers that are numbers."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.agents.network import SHIPPED, model_card, read_model, shipped_models
from spielwerk.agents.onnx_file import refuse_external_data

onnx = pytest.importorskip("onnx", reason="the extra 'train' is not installed")
GAME = sw.make("pferdeaepfel/trail", size=4)


@pytest.fixture(autouse=True)
def _no_memory() -> Iterator[None]:
    yield
    read_model.cache_clear()


def built(logit: float = 0.0, value: float = 0.0, *, where: str = "initializer", external: str | None = None) -> Any:
    """A model that answers the same to everything; its weights may name another file, in several places."""
    helper, kind = onnx.helper, onnx.TensorProto
    features = int(np.prod(GAME.observation_shape))
    actions = onnx.numpy_helper.from_array(np.zeros((features, GAME.num_actions), np.float32), "actions")
    if external is not None:
        onnx.external_data_helper.set_external_data(actions, external)
        actions.ClearField("raw_data")
        actions.data_location = kind.EXTERNAL
    bias = onnx.numpy_helper.from_array(np.full(GAME.num_actions, logit, np.float32), "bias")
    worth = onnx.numpy_helper.from_array(np.full((features, 1), 0.0, np.float32), "worth")
    shift = onnx.numpy_helper.from_array(np.array([value], np.float32), "shift")
    shape = onnx.numpy_helper.from_array(np.array([-1]), "flat_shape")
    nodes = [
        helper.make_node("Cast", ["planes"], ["numbers"], to=kind.FLOAT),
        helper.make_node("Flatten", ["numbers"], ["flat"]),
        helper.make_node("MatMul", ["flat", "actions"], ["raw"]),
        helper.make_node("Add", ["raw", "bias"], ["logits"]),
        helper.make_node("MatMul", ["flat", "worth"], ["column"]),
        helper.make_node("Add", ["column", "shift"], ["shifted"]),
        helper.make_node("Reshape", ["shifted", "flat_shape"], ["value"]),
    ]
    initializers = [bias, worth, shift, shape]
    if where == "initializer":
        initializers.append(actions)
    else:
        nodes.insert(0, helper.make_node("Constant", [], ["actions"], value=actions))
    graph = helper.make_graph(
        nodes,
        "constant",
        [helper.make_tensor_value_info("planes", kind.UINT8, ["batch", *GAME.observation_shape])],
        [
            helper.make_tensor_value_info("logits", kind.FLOAT, ["batch", GAME.num_actions]),
            helper.make_tensor_value_info("value", kind.FLOAT, None),
        ],
        initializers,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def saved(folder: Path, model: Any, **card: Any) -> str:
    data = model.SerializeToString()
    (folder / "model.onnx").write_bytes(data)
    (folder / "model.json").write_text(json.dumps({"game": GAME.name, "rules": GAME.rules, **card}))
    return str(folder / "model.onnx")


def test_a_plain_model_plays(tmp_path: Path) -> None:
    state = GAME.start(seed=1)
    assert sw.agent(f"network:{saved(tmp_path, built())}").act(state) in state.legal_actions


@pytest.mark.parametrize("where", ["initializer", "constant"])
def test_data_in_other_files_are_refused_wherever_the_model_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    features = int(np.prod(GAME.observation_shape))
    (tmp_path / "weights.bin").write_bytes(np.ones((features, GAME.num_actions), np.float32).tobytes())
    monkeypatch.chdir(tmp_path)  # from here the runtime would read them
    name = saved(tmp_path, built(where=where, external="weights.bin"))
    with pytest.raises(ValueError, match="data in other files"):
        sw.agent(f"network:{name}")


def test_external_data_in_subgraphs_functions_and_sparse_tensors_are_found() -> None:
    tensor = built(external="weights.bin").graph.initializer[-1]
    helper = onnx.helper
    inner = helper.make_graph([helper.make_node("Constant", [], ["x"], value=tensor)], "inner", [], [])
    branch = helper.make_node("If", ["yes"], ["y"], then_branch=inner, else_branch=inner)
    sparse = onnx.SparseTensorProto(values=tensor, dims=[1])
    function = helper.make_function("own", "F", [], ["x"], list(inner.node), [helper.make_opsetid("", 17)])
    changes: tuple[Callable[[Any], Any], ...] = (
        lambda model: model.graph.node.append(branch),
        lambda model: model.graph.sparse_initializer.append(sparse),
        lambda model: model.functions.append(function),
        lambda model: model.training_info.add().initialization.initializer.append(tensor),
    )
    for change in changes:
        model = built()
        refuse_external_data(model.SerializeToString(), "fine")
        change(model)
        with pytest.raises(ValueError, match="other files"):
            refuse_external_data(model.SerializeToString(), "model")


@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"\xff" * 30, b"\x3a\xff\xff\xff\xff\x0f", b"\x80\x04\x95", b"\x3a\x02"]
)
def test_what_is_no_model_is_refused_or_left_to_the_runtime(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "model.onnx").write_bytes(data)
    (tmp_path / "model.json").write_text(json.dumps({"game": GAME.name, "rules": GAME.rules}))
    with pytest.raises(ValueError, match="no ONNX model"):
        sw.agent(f"network:{tmp_path / 'model.onnx'}")


def test_deep_nesting_ends_in_a_refusal() -> None:
    data = b""
    for _ in range(200):
        for tag in (b"\x32", b"\x2a", b"\x0a"):  # a graph in an attribute in a node in a graph …
            data = tag + _varint(len(data)) + data
    with pytest.raises(ValueError, match="no ONNX model"):
        refuse_external_data(b"\x3a" + _varint(len(data)) + data, "model")


def _varint(number: int) -> bytes:
    found = b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


@pytest.mark.parametrize(("logit", "value"), [(np.nan, 0.0), (np.inf, 0.0), (0.0, np.nan)])
def test_a_network_whose_answers_are_no_numbers_is_refused(tmp_path: Path, logit: float, value: float) -> None:
    with pytest.raises(ValueError, match="no number"):
        sw.agent(f"network:{saved(tmp_path, built(logit, value))}")


def test_a_model_is_the_one_its_card_names(tmp_path: Path) -> None:
    model = built()
    digest = hashlib.sha256(model.SerializeToString()).hexdigest()
    sw.agent(f"network:{saved(tmp_path, model, sha256=digest)}")
    read_model.cache_clear()
    with pytest.raises(ValueError, match="sha256"):
        sw.agent(f"network:{saved(tmp_path, built(1.0), sha256=digest)}")


@pytest.mark.parametrize("name", shipped_models())
def test_the_card_of_every_shipped_model_has_its_digest(name: str) -> None:
    assert model_card(name)["sha256"] == hashlib.sha256((SHIPPED / f"{name}.onnx").read_bytes()).hexdigest()


def test_a_name_that_no_folder_can_have_is_no_model() -> None:
    with pytest.raises(ValueError, match="there is no model run:run:"):
        sw.agent("network:" + 300 * "run:")
