"""Classify a span of tokens by their hidden states, for example as an instruction to a model.

Attention pooling (Yang et al., NAACL 2016): each token's state is projected to a few dimensions,
heads pool the tokens with weights that sum to one, and a small network scores the result. Several
are fitted with different seeds, and the mean of their log-odds is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_PRODUCTS_OF_ONE_THREAD = 2**18
_FEW = 128

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionProbe:
    """The weights of an ensemble; the first dimension of each but `bias` is its members."""

    inner: _Floats
    """Of shape (fits, width, inner), with its biases (fits, 1, inner)."""
    inner_bias: _Floats
    heads: _Floats
    """Of shape (fits, inner, heads)."""
    hidden: _Floats
    """Of shape (fits, heads · inner, hidden), with its biases (fits, 1, hidden)."""
    hidden_bias: _Floats
    odds: _Floats
    """Of shape (fits, hidden, outputs)."""
    bias: _Floats
    """Added to the mean of the members, of shape (outputs,)."""

    def __call__(self, states: _Floats, units: Sequence[tuple[int, int]]) -> _Floats:
        """Return log-odds of shape (units, outputs); a unit is a half-open range of tokens."""
        # For a question's few tokens each product is so small that BLAS does not divide it among
        # threads, which would spin while they wait for each other: 0.1 ms of processor time instead
        # of 1 to 25 on two busy cores.
        _, width, size = self.inner.shape
        step = (
            _PRODUCTS_OF_ONE_THREAD // (width * size) or 1 if len(states) <= _FEW else len(states)
        )
        parts = [states[at : at + step] @ self.inner for at in range(0, len(states), step)]
        inner = np.maximum(np.concatenate(parts, axis=1) + self.inner_bias, 0)
        scores = inner @ self.heads
        pooled_units = []
        for first, last in units:
            shares = np.exp(scores[:, first:last] - scores[:, first:last].max(1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            pooled = shares.transpose(0, 2, 1) @ inner[:, first:last]
            pooled_units.append(pooled.reshape(len(pooled), 1, -1))
        # Of shape (fits, units, hidden).
        hidden = np.maximum(
            np.concatenate(pooled_units, axis=1) @ self.hidden + self.hidden_bias, 0
        )
        log_odds: _Floats = (hidden @ self.odds).mean(axis=0) + self.bias
        return log_odds

    def tensors(self, name: str) -> dict[str, _Floats]:
        """Return the weights by their names in a file, such as `orders.inner`."""
        return {f"{name}.{part}": getattr(self, part) for part in self.__slots__}

    @classmethod
    def of(cls, tensors: Mapping[str, npt.NDArray[np.generic]], name: str) -> AttentionProbe:
        """Build the probe from the tensors with this prefix. Raises KeyError."""
        return cls(**{part: tensors[f"{name}.{part}"].astype(np.float32) for part in cls.__slots__})
