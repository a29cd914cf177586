"""Reads question sets in the retrieval format, and ranks their paragraphs as a plain search would.

A set is a folder with `corpus.jsonl`, `queries.jsonl` (with `answers` and their character offsets)
and `qrels.tsv`.
"""

from __future__ import annotations

import hashlib
import json
import math
import pickle
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import numpy as np
import numpy.typing as npt

from footnote.domain import BlockKind, BlockSpan, Evidence, Passage, SourceType
from footnote.ports import Analyzer, EmbeddedQuestion, Embedder, Vector, Vectors, embed_question

Floats = npt.NDArray[np.float64]


class RememberingEmbedder:
    """Embeds each text once, and keeps the vectors in a file for the next run."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self.lane, self.max_tokens = embedder.lane, embedder.max_tokens
        self._embedder = embedder
        name = hashlib.sha256(self.lane.fingerprint.encode()).hexdigest()[:12]
        self._file = folder / f"questions-embedded-by-{name}.pickle"
        self._documents: dict[str, Vector] = {}
        self._questions: dict[str, EmbeddedQuestion] = {}
        if self._file.exists():
            self._documents, self._questions = pickle.loads(self._file.read_bytes())

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        new = [each for each in dict.fromkeys(texts) if each not in self._documents]
        if new:
            vectors = await self._embedder.embed_documents(new)
            self._documents.update(zip(new, vectors, strict=True))
        return np.stack([self._documents[each] for each in texts])

    async def embed_query(self, text: str) -> Vector:
        return (await self.embed_question(text)).vector

    async def embed_question(self, text: str) -> EmbeddedQuestion:
        if text not in self._questions:
            self._questions[text] = await embed_question(self._embedder, text)
        return self._questions[text]

    def keep(self) -> None:
        self._file.write_bytes(pickle.dumps((self._documents, self._questions)))


def read_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def evidence_of(
    passages: Sequence[Passage], best: Sequence[int], similar: Floats
) -> list[Evidence]:
    """Some of the passages as a search would give them, by their similarity to the question."""
    return [
        Evidence(
            passage=passages[each],
            rank=rank,
            score=1.0 / (60 + rank),
            similarity=float(similar[each]),
        )
        for rank, each in enumerate(best, start=1)
    ]


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
