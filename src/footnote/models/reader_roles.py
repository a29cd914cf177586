"""The reader as a reranker and as a judge of statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from footnote.domain.probability import sigmoid
from footnote.models.readers import OwnedReader
from footnote.ports import PassageText, Reader

TEXTS_AT_ONCE = 8
"""Texts per call, so that none is beyond a reader's token budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderReranker:
    """Scores texts by how likely they contain an answer, 0…1. Its creator closes the reader."""

    reader: OwnedReader

    @property
    def name(self) -> str:
        return self.reader.name

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """See `Reranker.__call__`; a text without words scores 0."""
        scores: list[float] = []
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            part = [PassageText(text=text) for text in texts[start : start + TEXTS_AT_ONCE]]
            readings = await self.reader.read(query, part)
            scores += [sigmoid(reading.relevance) for reading in readings]
        return scores

    async def prepare(self) -> None:
        """Load the reader. Raises ModelUnavailable."""
        await self.reader.read("", [])

    async def close(self) -> None:
        """Do nothing: it has no resources of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderJudge:
    """Scores how well a quote supports a statement. Its creator closes the reader."""

    reader: Reader

    @property
    def name(self) -> str:
        return self.reader.name

    async def __call__(self, statements: Sequence[str], quotes: Sequence[str]) -> list[float]:
        return [support.supported for support in await self.reader.judge(statements, quotes)]

    async def close(self) -> None:
        """Do nothing: it has no resources of its own."""
