"""Turns the weights of a BERT sentence encoder into an ONNX graph from token ids to unit vectors.

The graph is the encoder of Devlin et al. (NAACL 2019), masked mean pooling and L2 normalisation.
In int8 every linear layer takes one scale per activation row and per weight column, so that
a text's vector does not depend on the texts it shares a batch with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Precision = Literal["int8", "fp32"]
Weights = Mapping[str, npt.NDArray[np.float32]]

GRAPH_REVISION = 1
"""Rises whenever the graph's vectors change, so that old caches and old lanes are told apart."""

LAYERS = 6
HEADS = 12
HIDDEN = 384
INNER = 1536
LAYER_NORM_EPSILON = 1e-12
WEIGHT_LEVELS = 64
"""Largest int8 weight: 2 · 255 · 64 fits the 16-bit sums of processors without VNNI, so integer
products are exact and equal everywhere."""
ACTIVATION_LEVELS = 127
ACTIVATION_ZERO = 128
OPSET = 20
IR_VERSION = 9
CONTRIB = "com.microsoft"


class _Graph:
    """Nodes and initializers under construction; every operator returns its output's name."""

    def __init__(self, weights: Weights, precision: Precision) -> None:
        self.weights = weights
        self.precision = precision
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: npt.NDArray[np.generic]) -> str:
        """An initializer, stored once under its name."""
        if name not in self.initializers:
            contiguous = np.ascontiguousarray(value)
            self.initializers[name] = numpy_helper.from_array(contiguous, name)
        return name

    def integers(self, *values: int) -> str:
        """A one-dimensional int64 constant."""
        name = "int_" + "_".join(str(value) for value in values)
        return self.constant(name, np.array(values, dtype=np.int64))

    def parameter(self, name: str) -> str:
        """An initializer taken from the weights unchanged."""
        return self.constant(name, self.weights[name])

    def apply(
        self,
        operator: str,
        inputs: list[str],
        *,
        domain: str = "",
        output: str | None = None,
        **attributes: float | onnx.TensorProto,
    ) -> str:
        """One operator with one output."""
        name = output or f"{operator}_{len(self.nodes)}"
        node = helper.make_node(operator, inputs, [name], name=name, domain=domain)
        node.attribute.extend(helper.make_attribute(*pair) for pair in attributes.items())
        self.nodes.append(node)
        return name

    def norm(self, prefix: str) -> list[str]:
        """Scale and shift of a layer normalisation."""
        return [self.parameter(f"{prefix}.weight"), self.parameter(f"{prefix}.bias")]

    def linear(self, rows: _Rows, prefix: str) -> str:
        """Rows times a weight matrix, without the bias: the next operator is fused with it."""
        matrix = self.weights[f"{prefix}.weight"].T
        if self.precision == "fp32":
            return self.apply("MatMul", [rows.values, self.constant(f"{prefix}.weight", matrix)])
        scales = np.abs(matrix).max(axis=0) / WEIGHT_LEVELS
        quantised = np.rint(matrix / scales).astype(np.int8)
        product = self.apply(
            "MatMulIntegerToFloat",
            [
                rows.values,
                self.constant(f"{prefix}.int8", quantised),
                self.constant("one", np.array(1, dtype=np.float32)),
                self.constant(f"{prefix}.scales", scales.astype(np.float32)),
                self.constant("activation_zero", np.array(ACTIVATION_ZERO, dtype=np.uint8)),
            ],
            domain=CONTRIB,
        )
        return self.apply("Mul", [product, rows.scales])

    def rows(self, values: str) -> _Rows:
        """Activations of shape (tokens, width), ready for `linear`."""
        if self.precision == "fp32":
            return _Rows(values, "")
        largest = self.apply("ReduceMax", [self.apply("Abs", [values]), self.integers(-1)])
        floor = self.constant("tiny", np.array(1e-9, dtype=np.float32))
        step = self.constant("step", np.array(1 / ACTIVATION_LEVELS, dtype=np.float32))
        scales = self.apply("Mul", [self.apply("Max", [largest, floor]), step])
        flat = self.apply("Squeeze", [scales, self.integers(-1)])
        zero = helper.make_tensor("value", TensorProto.UINT8, [1], [ACTIVATION_ZERO])
        zeros = self.apply("ConstantOfShape", [self.apply("Shape", [flat])], value=zero)
        return _Rows(self.apply("QuantizeLinear", [values, flat, zeros], axis=0), scales)


class _Rows:
    """Names of an activation matrix and, when quantised, of its scales of shape (tokens, 1)."""

    def __init__(self, values: str, scales: str) -> None:
        self.values = values
        self.scales = scales


def build_graph(weights: Weights, precision: Precision) -> onnx.ModelProto:
    """The encoder as a graph for ONNX Runtime.

    Inputs `input_ids` and `attention_mask`, int32 of shape (batch, length), 1 ≤ length ≤ 512,
    padding on the right. Output `embedding`, float32 of shape (batch, 384), unit length.
    """
    graph = _Graph(weights, precision)
    shape = graph.apply("Shape", ["input_ids"])
    hidden = _embeddings(graph, shape)
    for layer in range(LAYERS):
        hidden = _layer(graph, hidden, shape, f"encoder.layer.{layer}")
    _pool(graph, hidden, shape)
    tokens = [
        helper.make_tensor_value_info(name, TensorProto.INT32, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    vectors = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", HIDDEN])
    body = helper.make_graph(
        graph.nodes, "minilm", tokens, [vectors], list(graph.initializers.values())
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=IR_VERSION)


def _embeddings(graph: _Graph, shape: str) -> str:
    """Word plus position plus segment 0, normalised, of shape (batch · length, 384)."""
    words = graph.apply(
        "Gather", [graph.parameter("embeddings.word_embeddings.weight"), "input_ids"]
    )
    places = (
        graph.weights["embeddings.position_embeddings.weight"]
        + graph.weights["embeddings.token_type_embeddings.weight"][0]
    )
    length = graph.apply("Slice", [shape, graph.integers(1), graph.integers(2)])
    placed = graph.apply(
        "Slice", [graph.constant("places", places), graph.integers(0), length, graph.integers(0)]
    )
    normed = graph.apply(
        "LayerNormalization",
        [graph.apply("Add", [words, placed]), *graph.norm("embeddings.LayerNorm")],
        axis=-1,
        epsilon=LAYER_NORM_EPSILON,
    )
    return graph.apply("Reshape", [normed, graph.integers(-1, HIDDEN)])


def _layer(graph: _Graph, hidden: str, shape: str, prefix: str) -> str:
    """One encoder layer: attention, then the feed-forward net, each added and normalised."""
    attended = _attention(graph, hidden, shape, prefix)
    output = graph.linear(graph.rows(attended), f"{prefix}.attention.output.dense")
    hidden = _add_and_norm(graph, output, hidden, f"{prefix}.attention.output")
    inner = graph.linear(graph.rows(hidden), f"{prefix}.intermediate.dense")
    bias = graph.parameter(f"{prefix}.intermediate.dense.bias")
    inner = graph.apply("BiasGelu", [inner, bias], domain=CONTRIB)
    output = graph.linear(graph.rows(inner), f"{prefix}.output.dense")
    return _add_and_norm(graph, output, hidden, f"{prefix}.output")


def _attention(graph: _Graph, hidden: str, shape: str, prefix: str) -> str:
    rows = graph.rows(hidden)
    parts = [f"{prefix}.attention.self.{part}" for part in ("query", "key", "value")]
    by_text = graph.apply("Concat", [shape, graph.integers(HIDDEN)], axis=0)
    projected = [graph.apply("Reshape", [graph.linear(rows, part), by_text]) for part in parts]
    bias = np.concatenate([graph.weights[f"{part}.bias"] for part in parts])
    attended = graph.apply(
        "MultiHeadAttention",
        [*projected, graph.constant(f"{prefix}.attention.self.bias", bias), "attention_mask"],
        domain=CONTRIB,
        num_heads=HEADS,
    )
    return graph.apply("Reshape", [attended, graph.integers(-1, HIDDEN)])


def _add_and_norm(graph: _Graph, output: str, skipped: str, prefix: str) -> str:
    return graph.apply(
        "SkipLayerNormalization",
        [
            output,
            skipped,
            *graph.norm(f"{prefix}.LayerNorm"),
            graph.parameter(f"{prefix}.dense.bias"),
        ],
        domain=CONTRIB,
        epsilon=LAYER_NORM_EPSILON,
    )


def _pool(graph: _Graph, hidden: str, shape: str) -> None:
    """The normalised sum over the tokens that are not padding, which is the normalised mean."""
    by_text = graph.apply("Concat", [shape, graph.integers(HIDDEN)], axis=0)
    tokens = graph.apply("Reshape", [hidden, by_text])
    mask = graph.apply("Cast", ["attention_mask"], to=TensorProto.FLOAT)
    mask = graph.apply("Unsqueeze", [mask, graph.integers(1)])
    total = graph.apply("Squeeze", [graph.apply("MatMul", [mask, tokens]), graph.integers(1)])
    graph.apply("LpNormalization", [total], output="embedding", axis=-1, p=2)
