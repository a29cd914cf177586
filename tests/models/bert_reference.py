"""An independent forward pass of the sentence encoder in float64 numpy, one text at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from footnote.models.encoder_shape import BertShape

Array = npt.NDArray[np.float64]


def reference_vector(
    weights: Mapping[str, npt.NDArray[np.float32]], shape: BertShape, ids: Sequence[int]
) -> Array:
    """The unit vector, shape (width,), of a text given by its token ids, marks included."""
    mean: Array = reference_hidden(weights, shape, ids).mean(axis=0)
    unit: Array = mean / np.linalg.norm(mean)
    return unit


def reference_hidden(
    weights: Mapping[str, npt.NDArray[np.float32]], shape: BertShape, ids: Sequence[int]
) -> Array:
    """What the last layer makes of each token, shape (tokens, width)."""
    heads, size = shape.heads, shape.width // shape.heads

    def take(name: str) -> Array:
        return weights[name].astype(np.float64)

    def dense(x: Array, name: str) -> Array:
        product: Array = x @ take(f"{name}.weight").T
        return product + take(f"{name}.bias")

    def norm(x: Array, name: str) -> Array:
        centred = x - x.mean(axis=1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=1, keepdims=True) + shape.epsilon)
        normed: Array = centred / deviation * take(f"{name}.weight") + take(f"{name}.bias")
        return normed

    # Of a quarter of a million rows only those of the text become float64.
    words = weights["embeddings.word_embeddings.weight"][list(ids)].astype(np.float64)
    positions = take("embeddings.position_embeddings.weight")[: len(ids)]
    segment = take("embeddings.token_type_embeddings.weight")[0]
    hidden = norm(words + positions + segment, "embeddings.LayerNorm")
    for layer in range(shape.layers):
        name = f"encoder.layer.{layer}"
        query, key, value = (
            dense(hidden, f"{name}.attention.self.{part}")
            .reshape(len(ids), heads, size)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(size)
        shares = np.exp(scores - scores.max(axis=2, keepdims=True))
        shares /= shares.sum(axis=2, keepdims=True)
        context = (shares @ value).transpose(1, 0, 2).reshape(len(ids), shape.width)
        attended = dense(context, f"{name}.attention.output.dense")
        hidden = norm(attended + hidden, f"{name}.attention.output.LayerNorm")
        inner = dense(hidden, f"{name}.intermediate.dense")
        inner = inner * 0.5 * (1 + _erf(inner / math.sqrt(2)))
        hidden = norm(dense(inner, f"{name}.output.dense") + hidden, f"{name}.output.LayerNorm")
    return hidden


def _erf(x: Array) -> Array:
    # numpy has none, and `np.vectorize` takes three times as long.
    return np.fromiter(map(math.erf, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)
