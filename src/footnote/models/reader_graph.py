"""Build an ONNX graph from the reader's weights, from pairs of texts to the heads' outputs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto

from footnote.models.bert_graph import GraphBuilder, encoder
from footnote.models.encoder_shape import Precision, QuantisedWords
from footnote.models.reader_weights import ReaderWeights


class _ReaderGraph(GraphBuilder):
    """Uses the matrices as they were quantised in training."""

    def __init__(self, weights: ReaderWeights, precision: Precision) -> None:
        super().__init__(weights.named, weights.shape, precision)
        self.stored = weights.quantised

    def quantised(self, prefix: str) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
        return self.stored[prefix]


def reader_graph(
    weights: ReaderWeights, precision: Precision, words: QuantisedWords | None, layers: range
) -> onnx.ModelProto:
    """Build the part of the reader with these layers as a graph for ONNX Runtime.

    Inputs `attention_mask` and `input_ids`, int32 of shape (batch, length), padding on the right;
    for a part above the lowest layer `states` instead of `input_ids`, float32 of shape (batch,
    length, width). Outputs float32: at the end of the reading layers `span` of shape (batch,
    length, 2), log-odds of first and last tokens, and `relevance` of shape (batch, 1); at the end
    of the judging layers `support` of shape (batch, 3); for any other part its states, under the
    name `left`.
    """
    graph = _ReaderGraph(weights, precision)
    encoded = encoder(graph, words, layers)
    by_text = graph.apply("Concat", [encoded.shape, graph.integers(weights.shape.width)], axis=0)
    inputs = {"attention_mask": TensorProto.INT32} | (
        {"input_ids": TensorProto.INT32} if layers.start == 0 else {"states": TensorProto.FLOAT}
    )
    is_reading, is_judging = (
        layers.stop == weights.shape.layers,
        layers.stop == weights.judging.stop,
    )
    if not (is_reading or is_judging):
        graph.apply("Reshape", [encoded.hidden, by_text], output="left")
        return graph.model(
            "reader-part", {"left": ("batch", "length", weights.shape.width)}, inputs
        )
    tokens = graph.apply("Reshape", [encoded.hidden, by_text])
    outputs: dict[str, tuple[int | str, ...]] = {"support": ("batch", 3)}
    if is_reading:
        outputs = {"span": ("batch", "length", 2), "relevance": ("batch", 1)}
        _linear(graph, weights, tokens, "span", output="span")
    head = "relevance" if is_reading else "support"
    first = graph.apply("Squeeze", [_first(graph, tokens), graph.integers(1)])
    inner = graph.apply("Tanh", [_linear(graph, weights, first, f"{head}.0")])
    _linear(graph, weights, inner, f"{head}.2", output=head)
    return graph.model("reader" if is_reading else "judge", outputs, inputs)


def _first(graph: GraphBuilder, tokens: str) -> str:
    return graph.apply("Slice", [tokens, graph.integers(0), graph.integers(1), graph.integers(1)])


def _linear(
    graph: GraphBuilder, weights: ReaderWeights, rows: str, name: str, output: str | None = None
) -> str:
    """Add a linear layer of a head, which is small enough for float32."""
    matrix = graph.constant(f"{name}.weight", weights.head(f"{name}.weight").T)
    bias = graph.constant(f"{name}.bias", weights.head(f"{name}.bias"))
    return graph.apply("Add", [graph.apply("MatMul", [rows, matrix]), bias], output=output)
