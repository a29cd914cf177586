"""Select the sentences that summarise one or several documents.

Central sentences are those similar to many others (LexRank, Erkan and Radev 2004, over vectors
instead of words); each next one is to be central and unlike those before it (maximal marginal
relevance, Carbonell and Goldstein 1998). Sentences are spans of the text, never reworded.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.domain import BlockKind
from footnote.knowledge.texts import DocumentText
from footnote.language.sentences import sentence_spans
from footnote.ports import Vector, Vectors

SUMMARISER = "sentences 1"
"""Version of the method, stored with summaries; a new one summarises every document again."""
SENTENCES_PER_DOCUMENT = 8
"""Sentences that are kept of a document."""
_CONSIDERED = 64
"""Sentences of a document whose vectors are compared."""
_SHORTEST, _LONGEST = 30, 400
_ENDS = frozenset(".!?。！？")
_PROSE = frozenset((BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.OCR_TEXT, BlockKind.UTTERANCE))
_DAMPING = 0.85
"""Share of a sentence's rank that comes from similar sentences (Erkan and Radev 2004)."""
_DAMPING_TOWARD = 0.3
"""The same with a question, whose similarity counts for the rest."""
_ROUNDS = 50
_RELEVANCE = 0.7
"""Weight of centrality against novelty, 0…1 (λ of maximal marginal relevance)."""
_MAX_SIMILAR = 0.95
"""Cosine above which two sentences are duplicates."""

Weights = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of a document: half-open offsets in its canonical text."""

    start: int
    end: int


def candidates_of(document: DocumentText, terms: Sequence[str] = ()) -> list[Sentence]:
    """Return the candidate sentences of a document, in its order.

    Of many, the first and those with the document's most frequent words. `terms` are its topics;
    they count like its most frequent words.
    """
    sentences = [
        Sentence(start=block.start + start, end=block.start + end)
        for block in document.blocks
        if block.kind in _PROSE
        for start, end in sentence_spans(document.text[block.start : block.end])
        if _SHORTEST <= end - start <= _LONGEST and document.text[block.start + end - 1] in _ENDS
    ]
    words = [_words(document.text[sentence.start : sentence.end]) for sentence in sentences]
    counts = Counter(word for sentence_words in words for word in set(sentence_words))
    weights = {word: math.log1p(count) for word, count in counts.items() if count > 1}
    highest = max(weights.values(), default=1.0)
    weights |= {word: highest for term in terms for word in _words(term)}
    scores = [
        sum(weights.get(word, 0.0) for word in set(sentence_words))
        / math.sqrt(len(sentence_words) + 8)
        for sentence_words in words
    ]
    best = sorted(range(len(sentences)), key=lambda at: (at != 0, -scores[at], at))[:_CONSIDERED]
    unique: set[str] = set()
    candidates = []
    for at in sorted(best):
        sentence = " ".join(words[at])
        if sentence not in unique:
            unique.add(sentence)
            candidates.append(sentences[at])
    return candidates


def centralities(vectors: Vectors, toward: Vector | None = None) -> Weights:
    """Compute the centrality of each sentence by its vector, 1 for the most central.

    `toward` is the similarity of each sentence to a question: sentences are central then that are
    similar to it and to others that are (Otterbacher et al. 2005).
    """
    count = vectors.shape[0]
    if not count:
        return np.zeros(0)
    similar = np.maximum(vectors @ vectors.T, 0).astype(np.float64)
    np.fill_diagonal(similar, 0)
    # Subtracts the similarity that all sentences of a document share.
    floor = np.quantile(similar[~np.eye(count, dtype=bool)], 0.5) if count > 1 else 0.0
    similar = np.maximum(similar - floor, 0)
    totals = similar.sum(axis=1, keepdims=True)
    moves = np.where(totals > 0, similar / np.where(totals > 0, totals, 1), 1 / count)
    damping, start = _DAMPING, np.full(count, 1 / count)
    if toward is not None:
        nearness = np.maximum(toward.astype(np.float64) - np.median(toward), 0) + 1e-9
        damping, start = _DAMPING_TOWARD, nearness / nearness.sum()
    ranks = start
    for _ in range(_ROUNDS):
        ranks = (1 - damping) * start + damping * (ranks @ moves)
    normalised: Weights = ranks / ranks.max()
    return normalised


def select_sentences(
    vectors: Vectors,
    weights: Weights,
    max_sentences: int,
    owners: Sequence[int] = (),
    of_each: int = 0,
) -> list[int]:
    """Select up to `max_sentences` sentences, best first, without duplicates.

    With `owners`, the document number of each sentence, select at most `of_each` of one document.
    """
    available = np.ones(weights.size, bool)
    redundancy = np.zeros(weights.size)
    used: Counter[int] = Counter()
    selected: list[int] = []
    while len(selected) < max_sentences and available.any():
        scores = np.where(available, _RELEVANCE * weights - (1 - _RELEVANCE) * redundancy, -np.inf)
        best = int(scores.argmax())
        available[best] = False
        if selected and redundancy[best] > _MAX_SIMILAR:
            continue
        if owners:
            if used[owners[best]] == of_each:
                continue
            used[owners[best]] += 1
        selected.append(best)
        redundancy = np.maximum(redundancy, vectors @ vectors[best])
    return selected


def _words(text: str) -> list[str]:
    return [word for word in text.casefold().split() if any(map(str.isalnum, word))]
