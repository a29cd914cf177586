"""Reads question sets in the retrieval format, and ranks their paragraphs as a plain search would.

A set is a folder with `corpus.jsonl`, `queries.jsonl` (with `answers` and their character offsets)
and `qrels.tsv`.
"""

from __future__ import annotations

import json
import math
import pickle
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import numpy as np
import numpy.typing as npt

from footnote.domain import BlockKind, BlockSpan, Passage, SourceType
from footnote.ports import Analyzer, Embedder, Vector, Vectors

Floats = npt.NDArray[np.float64]


class RememberingEmbedder:
    """Embeds each text once, and keeps the vectors in a file for the next run."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        self._path = path
        self._known: dict[str, Vector] = {}
        if path.exists():
            self._known = pickle.loads(path.read_bytes())

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self._embedder.lane.dimensions), dtype=np.float32)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, await self._embedder.embed_documents(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return np.stack([await self._embedder.embed_query(text) for text in texts])

    def keep(self) -> None:
        self._path.write_bytes(pickle.dumps(self._known))


def read_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def passage_of(identity: str, number: int, title: str, text: str, language: str) -> Passage:
    span = BlockSpan(
        char_start=0, char_end=len(text), page=None, paragraph=1, kind=BlockKind.PARAGRAPH
    )
    return Passage(
        chunk_id=identity,
        chunk_no=number,
        document_id=uuid5(NAMESPACE_URL, identity),
        version=1,
        ordinal=0,
        kind=BlockKind.PARAGRAPH,
        text=text,
        body_offset=0,
        char_start=0,
        char_end=len(text),
        spans=(span,),
        heading_path=(),
        page_start=None,
        page_end=None,
        paragraph_start=1,
        paragraph_end=1,
        document_title=title,
        filename="",
        collection="bench",
        source_type=SourceType.UPLOAD,
        language=language,
    )


def bm25(passages: Sequence[Passage], queries: Sequence[str], analyzer: Analyzer) -> Floats:
    """Scores of shape (queries, passages); Lucene's variant, k1 1.2, b 0.75."""
    counts = [Counter(analyzer.terms(each.text, each.language)) for each in passages]
    lengths = np.array([sum(count.values()) for count in counts], dtype=np.float64)
    held = Counter(term for count in counts for term in count)
    norm = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
    scores = np.zeros((len(queries), len(passages)))
    language = passages[0].language or ""
    for row, query in enumerate(queries):
        for term in analyzer.query_terms(query, [language]):
            if term in held:
                idf = math.log1p((len(passages) - held[term] + 0.5) / (held[term] + 0.5))
                found = np.array([count[term] for count in counts], dtype=np.float64)
                scores[row] += idf * found / (found + norm)
    return scores


def fused(dense: Floats, lexical: Floats) -> list[list[int]]:
    """Passages of each query, best first, by Reciprocal Rank Fusion with k = 60."""
    score = sum(
        1.0 / (61 + np.argsort(np.argsort(-side, axis=1, kind="stable"), axis=1))
        for side in (dense, lexical)
    )
    return [list(map(int, row)) for row in np.argsort(-score, axis=1, kind="stable")]
