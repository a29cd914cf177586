"""Says from the states of a stretch's tokens whether it gives orders to a model.

Attention pooling (Yang et al., NAACL 2016): each token becomes a few numbers, heads choose among
the tokens by weights that sum to one, and a small network judges what they chose. Several are
fitted alike but for their seed, and the mean of their log-odds counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderProbe:
    """The weights, the first dimension of each being those that are fitted alike."""

    inner: _Floats
    """Of shape (fits, width, inner), with its biases (fits, 1, inner)."""
    inner_bias: _Floats
    heads: _Floats
    """Of shape (fits, inner, heads)."""
    hidden: _Floats
    """Of shape (fits, heads · inner, hidden), with its biases (fits, 1, hidden)."""
    hidden_bias: _Floats
    odds: _Floats
    """Of shape (fits, hidden, 1)."""
    bias: float
    """What is added to their mean, so that it is above nought from the threshold on."""

    def __call__(self, states: _Floats, units: Sequence[tuple[int, int]]) -> _Floats:
        """Log-odds of each stretch, first and one past the last token, that it gives orders."""
        inner = np.maximum(states @ self.inner + self.inner_bias, 0)
        scores = inner @ self.heads
        chosen = []
        for first, last in units:
            shares = np.exp(scores[:, first:last] - scores[:, first:last].max(1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            pooled = shares.transpose(0, 2, 1) @ inner[:, first:last]
            chosen.append(pooled.reshape(len(pooled), 1, -1))
        # Of shape (fits, stretches, hidden).
        hidden = np.maximum(np.concatenate(chosen, axis=1) @ self.hidden + self.hidden_bias, 0)
        found: _Floats = (hidden @ self.odds).mean(axis=0)[:, 0] + np.float32(self.bias)
        return found

    def tensors(self) -> dict[str, _Floats]:
        """The parts as a file has them."""
        parts = {name: getattr(self, name) for name in self.__slots__ if name != "bias"}
        parts["bias"] = np.array([self.bias], np.float32)
        return {f"orders.{name}": value for name, value in parts.items()}

    @classmethod
    def of(cls, tensors: Mapping[str, npt.NDArray[np.generic]]) -> OrderProbe:
        """The one whose parts are named `orders.inner` and so on. Raises KeyError."""
        parts = {
            name: tensors[f"orders.{name}"].astype(np.float32)
            for name in cls.__slots__
            if name != "bias"
        }
        return cls(**parts, bias=float(tensors["orders.bias"][0]))
