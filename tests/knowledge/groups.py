"""Vectors whose groups are known."""

from __future__ import annotations

import numpy as np

from footnote.ports import Vectors

DIMENSIONS = 64


def grouped(groups: int, members: int, *, seed: int = 7, spread: float = 0.35) -> Vectors:
    """Vectors of unit length around as many middles; those of a group follow each other."""
    random = np.random.default_rng(seed)
    middles = random.standard_normal((groups, DIMENSIONS))
    around = random.standard_normal((groups, members, DIMENSIONS)) * spread
    vectors = (middles[:, None] + around).reshape(-1, DIMENSIONS)
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def nearest(rows: Vectors, count: int) -> list[set[int]]:
    """Of each row the nearest others."""
    apart = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return [set(each.tolist()) for each in np.argsort(apart, axis=1, kind="stable")[:, :count]]


def kept_neighbours(vectors: Vectors, places: Vectors, count: int = 10) -> float:
    """Which share of the nearest neighbours are neighbours on the plane too."""
    pairs = zip(nearest(vectors, count), nearest(places, count), strict=True)
    return float(np.mean([len(there & here) / count for there, here in pairs]))
