"""Quantise vectors to int8 with error bounds, so that a scan over them stays exact.

A vector v is kept as s·c, with c of whole numbers from -127 to 127. For a query q, kept as t·d,

    |q·v - s·t·(c·d)|  ≤  |q|·|v - s·c| + |q - t·d|·|s·c|

by Cauchy and Schwarz. Vectors whose upper bound is below the best need no full comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from footnote.ports import Vector, Vectors

_cdist: Callable[..., Any] | None
try:
    import simsimd
except ImportError:  # No wheel for this platform: numpy compares, at ten times the time.
    _cdist = None
else:
    _cdist = simsimd.cdist

_STEPS = 127
_ROUNDING = 1e-5  # Relative; above the float32 rounding error of a sum of some thousand products.
_ROWS_TOGETHER = 65_536
"""Rows per kernel call; it holds the GIL, so a call lasts a millisecond or so."""
_ROWS_IN_NUMPY = 4096

Codes = npt.NDArray[np.int8]
HalfVectors = npt.NDArray[np.float16]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuantisedVectors:
    """Vectors in 8 bits a dimension."""

    codes: Codes
    """Shape (vectors, dimensions)."""
    scales: Vector
    """Value of a code of 1, for each vector."""
    errors: Vector
    """Length of the quantisation error of each vector."""
    longest: float
    """Upper bound of the lengths of all vectors, exact and decoded."""

    @classmethod
    def of(cls, rows: Vectors | HalfVectors) -> QuantisedVectors:
        """Quantise rows, each scaled by its own largest value."""
        codes = np.empty(rows.shape, dtype=np.int8)
        scales = np.empty(rows.shape[0], dtype=np.float32)
        errors = np.empty(rows.shape[0], dtype=np.float32)
        longest = 0.0
        for first in range(0, rows.shape[0], _ROWS_IN_NUMPY):
            block = slice(first, first + _ROWS_IN_NUMPY)
            exact = rows[block].astype(np.float32)
            largest = np.abs(exact).max(axis=1, initial=0.0)
            scales[block] = np.where(largest > 0, largest, 1.0) / _STEPS
            codes[block] = np.rint(exact / scales[block, None])
            decoded = codes[block] * scales[block, None]
            errors[block] = np.linalg.norm(exact - decoded, axis=1)
            for vectors in (exact, decoded):
                longest = max(longest, float(np.linalg.norm(vectors, axis=1).max(initial=0.0)))
        return cls(codes=codes, scales=scales, errors=errors, longest=longest)

    @classmethod
    def joined(cls, pieces: Sequence[QuantisedVectors], order: Places) -> QuantisedVectors:
        """Concatenate at least one piece, then reorder the vectors by `order`."""
        return cls(
            codes=np.concatenate([piece.codes for piece in pieces])[order],
            scales=np.concatenate([piece.scales for piece in pieces])[order],
            errors=np.concatenate([piece.errors for piece in pieces])[order],
            longest=max(piece.longest for piece in pieces),
        )

    def those(self, mask: npt.NDArray[np.bool_]) -> QuantisedVectors:
        """Return the vectors selected by the mask."""
        return QuantisedVectors(
            codes=self.codes[mask],
            scales=self.scales[mask],
            errors=self.errors[mask],
            longest=self.longest,
        )

    @property
    def byte_size(self) -> int:
        """Memory in bytes."""
        return self.codes.nbytes + self.scales.nbytes + self.errors.nbytes

    def bounds(self, query: Vector, positions: Places | None = None) -> Vector:
        """Return upper bounds of the inner products with the query, at these positions; None for
        all."""
        quantised_query = QuantisedVectors.of(query[None])
        codes, scales, errors = self.codes, self.scales, self.errors
        if positions is not None:
            codes, scales, errors = codes[positions], scales[positions], errors[positions]
        bounds = int8_products(codes, quantised_query.codes[0])
        bounds *= scales
        bounds *= quantised_query.scales[0]
        length = float(np.linalg.norm(query))
        lost = float(quantised_query.errors[0]) * self.longest + _ROUNDING * length * self.longest
        bounds += errors * np.float32(length)
        bounds += np.float32(lost)
        return bounds


def int8_products(codes: Codes, query: Codes) -> Vector:
    """The inner product of each row with the query, as float32."""
    products = np.empty(codes.shape[0], dtype=np.float32)
    if _cdist is None:
        multiplier = query.astype(np.float32)
        for first in range(0, codes.shape[0], _ROWS_IN_NUMPY):
            block = slice(first, first + _ROWS_IN_NUMPY)
            np.vecdot(codes[block].astype(np.float32), multiplier, out=products[block])
        return products
    for first in range(0, codes.shape[0], _ROWS_TOGETHER):
        block = slice(first, first + _ROWS_TOGETHER)
        products[block] = _cdist(query[None], codes[block], metric="dot", out_dtype="float32")
    return products
