"""A substitute for a packaged model that came with an earlier version of Footnote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from footnote.domain import Lane
from footnote.errors import LaneUnavailable
from footnote.ports import Embedder, Vector, Vectors


@dataclass(frozen=True, slots=True, eq=False)
class ReplacedEmbedder:
    """An embedder that always fails, for a lane without weights; searches there are lexical only.

    A workspace is in such a lane until workers have embedded its texts with the model's successor.
    """

    lane: Lane
    successor: Embedder

    @property
    def max_tokens(self) -> int:
        return self.successor.max_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.successor.count_tokens(texts)

    async def embed_documents(self, _texts: Sequence[str]) -> Vectors:
        raise self._unavailable()

    async def embed_query(self, _text: str) -> Vector:
        raise self._unavailable()

    def _unavailable(self) -> LaneUnavailable:
        return LaneUnavailable(
            f"the model of lane {self.lane.fingerprint} came with an earlier version, and the "
            f"workspace is not yet embedded anew as {self.successor.lane.fingerprint}",
            hint="let a worker run: `footnote lanes` shows how far it is; until then words are "
            "searched",
        )
