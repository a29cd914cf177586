"""Turns the reader's weights into an ONNX graph, from pairs of texts to what its heads say."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto

from footnote.models.bert_graph import GraphBuilder, encoder
from footnote.models.encoder_shape import Precision, QuantisedWords
from footnote.models.reader_weights import ReaderWeights


class _ReaderGraph(GraphBuilder):
    """Takes the matrices as they were quantised when they were trained."""

    def __init__(self, weights: ReaderWeights, precision: Precision) -> None:
        super().__init__(weights.named, weights.shape, precision)
        self.stored = weights.quantised

    def quantised(self, prefix: str) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
        return self.stored[prefix]


def reader_graph(
    weights: ReaderWeights,
    precision: Precision,
    words: QuantisedWords | None,
    layers: range | None = None,
) -> onnx.ModelProto:
    """The reader as a graph for ONNX Runtime, or the part of it with these layers.

    Inputs `attention_mask` and `input_ids`, int32 of shape (batch, length), padding on the right;
    for a part above the lowest layer `states` instead of `input_ids`, float32 of shape (batch,
    length, width). Outputs float32: `span` of shape (batch, length, 2), log-odds of first and last
    tokens; `relevance` of shape (batch, 1); `support` of shape (batch, 3). Of a part below the
    highest layer `states` are what it gives, under the name `left`.
    """
    layers = range(weights.shape.layers) if layers is None else layers
    graph = _ReaderGraph(weights, precision)
    encoded = encoder(graph, words, layers)
    by_text = graph.apply("Concat", [encoded.shape, graph.integers(weights.shape.width)], axis=0)
    lowest, highest = layers.start == 0, layers.stop == weights.shape.layers
    inputs = {"attention_mask": TensorProto.INT32} | (
        {"input_ids": TensorProto.INT32} if lowest else {"states": TensorProto.FLOAT}
    )
    if not highest:
        graph.apply("Reshape", [encoded.hidden, by_text], output="left")
        return graph.model(
            "reader-part", {"left": ("batch", "length", weights.shape.width)}, inputs
        )
    tokens = graph.apply("Reshape", [encoded.hidden, by_text])
    _linear(graph, weights, tokens, "span", output="span")
    first = graph.apply("Squeeze", [_first(graph, tokens), graph.integers(1)])
    for head in ("relevance", "support"):
        inner = graph.apply("Tanh", [_linear(graph, weights, first, f"{head}.0")])
        _linear(graph, weights, inner, f"{head}.2", output=head)
    return graph.model(
        "reader",
        {
            "span": ("batch", "length", 2),
            "relevance": ("batch", 1),
            "support": ("batch", 3),
        },
        inputs,
    )


def _first(graph: GraphBuilder, tokens: str) -> str:
    return graph.apply("Slice", [tokens, graph.integers(0), graph.integers(1), graph.integers(1)])


def _linear(
    graph: GraphBuilder, weights: ReaderWeights, rows: str, name: str, output: str | None = None
) -> str:
    """A head's layer, which is small enough for float32."""
    matrix = graph.constant(f"{name}.weight", weights.head(f"{name}.weight").T)
    bias = graph.constant(f"{name}.bias", weights.head(f"{name}.bias"))
    return graph.apply("Add", [graph.apply("MatMul", [rows, matrix]), bias], output=output)
