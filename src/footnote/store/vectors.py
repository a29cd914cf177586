"""Reads the vectors of published chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from footnote.ports import Vector
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements

_SQL = load_statements("vectors")


async def load_vectors(
    scope: WorkspaceScope, lane_id: int, chunk_numbers: Sequence[int]
) -> Mapping[int, Vector]:
    """The vectors of these chunks in the lane, those that are published and visible.

    float32 of shape (dimensions,) and of unit length, which half precision only nearly keeps.
    """
    if not chunk_numbers:
        return {}
    cursor = await scope.connection.execute(
        _SQL["vectors"],
        {
            "workspace_id": scope.workspace_id,
            "lane_id": lane_id,
            "numbers": list(chunk_numbers),
        },
        binary=True,
    )
    rows = await cursor.fetchall()
    if not rows:
        return {}
    vectors = np.stack([row["embedding"].to_numpy() for row in rows]).astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > 0, lengths, 1)
    return {row["chunk_no"]: vector for row, vector in zip(rows, vectors, strict=True)}
