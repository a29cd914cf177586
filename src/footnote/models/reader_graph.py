"""Turns the reader's weights into an ONNX graph, from pairs of texts to what its heads say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import onnx

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
    weights: ReaderWeights, precision: Precision, words: QuantisedWords | None
) -> onnx.ModelProto:
    """The reader as a graph for ONNX Runtime.

    Inputs `input_ids` and `attention_mask`, int32 of shape (batch, length), padding on the right.
    Outputs float32: `span` of shape (batch, length, 2), log-odds of first and last tokens;
    `relevance` of shape (batch, 1); `support` of shape (batch, 3).
    """
    graph = _ReaderGraph(weights, precision)
    encoded = encoder(graph, words)
    by_text = graph.apply("Concat", [encoded.shape, graph.integers(weights.shape.width)], axis=0)
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
    )


def states_graph(
    weights: ReaderWeights, precision: Precision, words: QuantisedWords | None, layers: int
) -> onnx.ModelProto:
    """The lowest layers of the reader as a graph, for probes.

    Inputs as of `reader_graph`. Output `states`, float32 of shape (batch, length, width).
    """
    graph = _ReaderGraph(weights, precision)
    graph.shape = replace(weights.shape, layers=layers)
    encoded = encoder(graph, words)
    by_text = graph.apply("Concat", [encoded.shape, graph.integers(weights.shape.width)], axis=0)
    graph.apply("Reshape", [encoded.hidden, by_text], output="states")
    return graph.model("reader-states", {"states": ("batch", "length", weights.shape.width)})


def _first(graph: GraphBuilder, tokens: str) -> str:
    return graph.apply("Slice", [tokens, graph.integers(0), graph.integers(1), graph.integers(1)])


def _linear(
    graph: GraphBuilder, weights: ReaderWeights, rows: str, name: str, output: str | None = None
) -> str:
    """A head's layer, which is small enough for float32."""
    matrix = graph.constant(f"{name}.weight", weights.head(f"{name}.weight").T)
    bias = graph.constant(f"{name}.bias", weights.head(f"{name}.bias"))
    return graph.apply("Add", [graph.apply("MatMul", [rows, matrix]), bias], output=output)
