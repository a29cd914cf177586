"""Build an ONNX graph from the weights of a BERT encoder, from token ids to unit vectors.

The graph is the encoder of Devlin et al. (NAACL 2019), masked mean pooling and L2 normalisation.
In int8 every linear layer takes one scale per activation row and per weight column, so that
a text's vector does not depend on the texts it shares a batch with. Weights are named as in the
checkpoints of BERT, `encoder.layer.0.attention.self.query.weight` and so on. Graphs with other
outputs are built from the same parts: `GraphBuilder`, `encoder`, then their own heads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from footnote.models.encoder_shape import BertShape, Precision, QuantisedWords
from footnote.models.injection_screen import SCREEN_OUTPUT, InjectionScreen
from footnote.models.question_kind import STATES_OUTPUT

Weights = Mapping[str, npt.NDArray[np.float32]]

WORDS = "embeddings.word_embeddings.weight"
WEIGHT_LEVELS = 64
"""Largest int8 weight: 2 · 255 · 64 fits the 16-bit sums of processors without VNNI, so integer
products are exact and equal everywhere."""
ACTIVATION_LEVELS = 127
ACTIVATION_ZERO = 128
OPSET = 20
IR_VERSION = 9
CONTRIB = "com.microsoft"
_TOKENS = {"input_ids": TensorProto.INT32, "attention_mask": TensorProto.INT32}


class GraphBuilder:
    """Nodes and initializers under construction; every operator returns its output's name."""

    def __init__(self, weights: Weights, shape: BertShape, precision: Precision) -> None:
        self.weights = weights
        self.shape = shape
        self.precision = precision
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, value: npt.NDArray[np.generic]) -> str:
        """Add an initializer, stored once under its name."""
        if name not in self.initializers:
            contiguous = np.ascontiguousarray(value)
            self.initializers[name] = numpy_helper.from_array(contiguous, name)
        return name

    def external(self, name: str, kind: int, shape: tuple[int, ...], file: str, at: int) -> str:
        """Add an initializer whose data is in an external file, from byte `at` on."""
        tensor = onnx.TensorProto(name=name, data_type=kind, dims=shape)
        tensor.data_location = onnx.TensorProto.EXTERNAL
        item_bytes = helper.tensor_dtype_to_np_dtype(kind).itemsize
        length = math.prod(shape) * item_bytes
        for key, value in (("location", file), ("offset", at), ("length", length)):
            tensor.external_data.add(key=key, value=str(value))
        self.initializers[name] = tensor
        return name

    def integers(self, *values: int) -> str:
        """Add a one-dimensional int64 constant."""
        name = "int_" + "_".join(str(value) for value in values)
        return self.constant(name, np.array(values, dtype=np.int64))

    def parameter(self, name: str) -> str:
        """Add a tensor of the weights unchanged as an initializer."""
        return self.constant(name, self.weights[name])

    def apply(
        self,
        operator: str,
        inputs: list[str],
        *,
        domain: str = "",
        output: str | None = None,
        **attributes: float | list[int] | onnx.TensorProto,
    ) -> str:
        """Add one operator with one output."""
        name = output or f"{operator}_{len(self.nodes)}"
        node = helper.make_node(operator, inputs, [name], name=name, domain=domain)
        node.attribute.extend(helper.make_attribute(*pair) for pair in attributes.items())
        self.nodes.append(node)
        return name

    def norm(self, prefix: str) -> list[str]:
        """Add the scale and shift of a layer normalisation."""
        return [self.parameter(f"{prefix}.weight"), self.parameter(f"{prefix}.bias")]

    def linear(self, rows: Rows, prefix: str) -> str:
        """Multiply rows by a weight matrix; the bias is added by the next operator, fused."""
        if self.precision == "fp32":
            matrix = self.constant(f"{prefix}.weight", self.weights[f"{prefix}.weight"].T)
            return self.apply("MatMul", [rows.values, matrix])
        quantised, scales = self.quantised(prefix)
        product = self.apply(
            "MatMulIntegerToFloat",
            [
                rows.values,
                self.constant(f"{prefix}.int8", quantised),
                self.constant("one", np.array(1, dtype=np.float32)),
                self.constant(f"{prefix}.scales", scales),
                self.constant("activation_zero", np.array(ACTIVATION_ZERO, dtype=np.uint8)),
            ],
            domain=CONTRIB,
        )
        return self.apply("Mul", [product, rows.scales])

    def quantised(self, prefix: str) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
        """Quantise a weight matrix of shape (in, out) to 7 bits, with a scale for each column."""
        matrix = self.weights[f"{prefix}.weight"].T
        scales = np.abs(matrix).max(axis=0) / WEIGHT_LEVELS
        return np.rint(matrix / scales).astype(np.int8), scales.astype(np.float32)

    def rows(self, values: str) -> Rows:
        """Prepare activations of shape (tokens, width) for `linear`: quantised, except in fp32."""
        if self.precision == "fp32":
            return Rows(values=values, scales="")
        largest = self.apply("ReduceMax", [self.apply("Abs", [values]), self.integers(-1)])
        floor = self.constant("tiny", np.array(1e-9, dtype=np.float32))
        step = self.constant("step", np.array(1 / ACTIVATION_LEVELS, dtype=np.float32))
        scales = self.apply("Mul", [self.apply("Max", [largest, floor]), step])
        flat = self.apply("Squeeze", [scales, self.integers(-1)])
        zero = helper.make_tensor("value", TensorProto.UINT8, [1], [ACTIVATION_ZERO])
        zeros = self.apply("ConstantOfShape", [self.apply("Shape", [flat])], value=zero)
        return Rows(
            values=self.apply("QuantizeLinear", [values, flat, zeros], axis=0), scales=scales
        )

    def words(self, ids: str, table: QuantisedWords | None) -> str:
        """Look up the word embeddings of token ids, in the table or else in the weights."""
        if table is None:
            return self.apply("Gather", [self.parameter(WORDS), ids])
        packed = (table.rows, table.width // 2)
        scales = (table.rows, table.width // table.block)
        return self.apply(
            "GatherBlockQuantized",
            [
                self.external("words", TensorProto.UINT8, packed, table.file, 0),
                ids,
                self.external(
                    "words.scales", TensorProto.FLOAT, scales, table.file, table.scales_at
                ),
            ],
            domain=CONTRIB,
            gather_axis=0,
            quantize_axis=1,
            block_size=table.block,
            bits=4,
        )

    def model(
        self,
        name: str,
        outputs: Mapping[str, tuple[str | int, ...]],
        inputs: Mapping[str, int] = _TOKENS,
    ) -> onnx.ModelProto:
        """Return the graph as a model with these float outputs and inputs of these types.

        An input has one number for each token, or a row of `width` numbers if it is of floats.
        """
        input_infos = [
            helper.make_tensor_value_info(
                input_name,
                kind,
                ["batch", "length", *([self.shape.width] if kind == TensorProto.FLOAT else [])],
            )
            for input_name, kind in inputs.items()
        ]
        output_infos = [
            helper.make_tensor_value_info(output_name, TensorProto.FLOAT, list(shape))
            for output_name, shape in outputs.items()
        ]
        body = helper.make_graph(
            self.nodes, name, input_infos, output_infos, list(self.initializers.values())
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(body, opset_imports=opsets, ir_version=IR_VERSION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Names of an activation matrix and, when quantised, of its scales of shape (tokens, 1)."""

    values: str
    scales: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """Names of the encoder's outputs."""

    hidden: str
    """Shape (batch · length, width)."""
    shape: str
    """Of the inputs: batch and length."""
    layers: tuple[str, ...]
    """The hidden states after each layer; the last is `hidden`."""


def build_graph(
    weights: Weights,
    shape: BertShape,
    precision: Precision,
    words: QuantisedWords | None = None,
    centre: npt.NDArray[np.float32] | None = None,
    *,
    screen: InjectionScreen | None = None,
    states_of: int | None = None,
) -> onnx.ModelProto:
    """Build a sentence encoder as a graph for ONNX Runtime.

    Inputs `input_ids` and `attention_mask`, int32 of shape (batch, length), padding on the right.
    Output `embedding`, float32 of shape (batch, width), unit length. `centre`, the mean vector of
    unrelated texts, is subtracted first, so that the cosine of unrelated texts is near 0.
    With a screen there is a second output, `orders`, float32 of shape (batch,). With `states_of`, a
    layer counted from 1, there is another, `states`, the hidden states after that layer: float32 of
    shape (tokens, width).
    """
    graph = GraphBuilder(weights, shape, precision)
    encoded = encoder(graph, words)
    # The normalised sum over the tokens that are not padding, which is the normalised mean.
    by_text = graph.apply("Concat", [encoded.shape, graph.integers(graph.shape.width)], axis=0)
    tokens = graph.apply("Reshape", [encoded.hidden, by_text])
    mask = graph.apply("Cast", ["attention_mask"], to=TensorProto.FLOAT)
    mask = graph.apply("Unsqueeze", [mask, graph.integers(1)])
    total = graph.apply("Squeeze", [graph.apply("MatMul", [mask, tokens]), graph.integers(1)])
    if centre is not None:
        unit = graph.apply("LpNormalization", [total], axis=-1, p=2)
        total = graph.apply("Sub", [unit, graph.constant("centre", centre)])
    graph.apply("LpNormalization", [total], output="embedding", axis=-1, p=2)
    outputs: dict[str, tuple[str | int, ...]] = {"embedding": ("batch", shape.width)}
    if screen is not None:
        _screen(graph, encoded, screen)
        outputs[SCREEN_OUTPUT] = ("batch",)
    if states_of is not None:
        graph.apply("Identity", [encoded.layers[states_of - 1]], output=STATES_OUTPUT)
        outputs[STATES_OUTPUT] = ("tokens", shape.width)
    return graph.model("sentence-encoder", outputs)


def encoder(
    graph: GraphBuilder, words: QuantisedWords | None, layers: range | None = None
) -> Encoded:
    """Add layers of the encoder, by default all, with padding masked by `attention_mask`.

    The lowest layer starts from the word embeddings of `input_ids`, any other from `states`, the
    output of the layer below.
    """
    layers = range(graph.shape.layers) if layers is None else layers
    shape = graph.apply("Shape", ["attention_mask"])
    if layers.start == 0:
        hidden = _embeddings(graph, shape, words)
    else:
        hidden = graph.apply("Reshape", ["states", graph.integers(-1, graph.shape.width)])
    layer_outputs = []
    for layer in layers:
        hidden = _layer(graph, hidden, shape, f"encoder.layer.{layer}")
        layer_outputs.append(hidden)
    return Encoded(hidden=hidden, shape=shape, layers=tuple(layer_outputs))


def _embeddings(graph: GraphBuilder, shape: str, table: QuantisedWords | None) -> str:
    """Word plus position plus segment 0, normalised, of shape (batch · length, width)."""
    words = graph.words("input_ids", table)
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
        epsilon=graph.shape.epsilon,
    )
    return graph.apply("Reshape", [normed, graph.integers(-1, graph.shape.width)])


def _layer(graph: GraphBuilder, hidden: str, shape: str, prefix: str) -> str:
    """One encoder layer: attention, then the feed-forward net, each added and normalised."""
    attended = _attention(graph, hidden, shape, prefix)
    output = graph.linear(graph.rows(attended), f"{prefix}.attention.output.dense")
    hidden = _add_and_norm(graph, output, hidden, f"{prefix}.attention.output")
    inner = graph.linear(graph.rows(hidden), f"{prefix}.intermediate.dense")
    bias = graph.parameter(f"{prefix}.intermediate.dense.bias")
    inner = graph.apply("BiasGelu", [inner, bias], domain=CONTRIB)
    output = graph.linear(graph.rows(inner), f"{prefix}.output.dense")
    return _add_and_norm(graph, output, hidden, f"{prefix}.output")


def _attention(graph: GraphBuilder, hidden: str, shape: str, prefix: str) -> str:
    rows = graph.rows(hidden)
    parts = [f"{prefix}.attention.self.{part}" for part in ("query", "key", "value")]
    by_text = graph.apply("Concat", [shape, graph.integers(graph.shape.width)], axis=0)
    projected = [graph.apply("Reshape", [graph.linear(rows, part), by_text]) for part in parts]
    bias = np.concatenate([graph.weights[f"{part}.bias"] for part in parts])
    attended = graph.apply(
        "MultiHeadAttention",
        [*projected, graph.constant(f"{prefix}.attention.self.bias", bias), "attention_mask"],
        domain=CONTRIB,
        num_heads=graph.shape.heads,
    )
    return graph.apply("Reshape", [attended, graph.integers(-1, graph.shape.width)])


def _add_and_norm(graph: GraphBuilder, output: str, skipped: str, prefix: str) -> str:
    """Add bias and residual connection to the output, and normalise.

    They are added by one operator: the runtime would fuse separate additions with the normalisation
    to one that takes five times as long as these two.
    """
    added = graph.apply("Sum", [output, skipped, graph.parameter(f"{prefix}.dense.bias")])
    return graph.apply(
        "LayerNormalization",
        [added, *graph.norm(f"{prefix}.LayerNorm")],
        axis=-1,
        epsilon=graph.shape.epsilon,
    )


def _screen(graph: GraphBuilder, encoded: Encoded, screen: InjectionScreen) -> None:
    """Add the screen's output: the highest log-odds of a text's tokens."""

    def constant(name: str) -> str:
        return graph.constant(f"screen.{name}", getattr(screen, name))

    hidden = graph.apply("MatMul", [encoded.layers[screen.layer - 1], constant("hidden")])
    hidden = graph.apply("BiasGelu", [hidden, constant("hidden_bias")], domain=CONTRIB)
    size = graph.integers(screen.hidden.shape[1])
    by_text = graph.apply("Concat", [encoded.shape, size], axis=0)
    tokens = graph.apply("Transpose", [graph.apply("Reshape", [hidden, by_text])], perm=[0, 2, 1])
    mask = graph.apply("Cast", ["attention_mask"], to=TensorProto.FLOAT)
    mask = graph.apply("Unsqueeze", [mask, graph.integers(1)])
    # A text's result does not depend on its padding.
    inside = graph.apply("Mul", [tokens, mask])
    margin = screen.around.shape[2] // 2
    weights = [constant("around"), constant("around_bias")]
    context = graph.apply("Gelu", [graph.apply("Conv", [inside, *weights], pads=[margin, margin])])
    odds = graph.apply("Conv", [context, constant("odds"), constant("odds_bias")])
    lowest = graph.constant("screen.least", np.array(-1e4, dtype=np.float32))
    is_token = graph.apply("Cast", [mask], to=TensorProto.BOOL)
    odds = graph.apply("Where", [is_token, odds, lowest])
    graph.apply("ReduceMax", [odds, graph.integers(1, 2)], output=SCREEN_OUTPUT, keepdims=0)
