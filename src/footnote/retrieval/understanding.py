"""Transform a question for search by a language model: condense, reword, or answer it (HyDE).

Each stage returns its result with notes on what failed, and without the model it returns its input
unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from footnote.domain import Ranking, Turn
from footnote.errors import FootnoteError, ModelUnavailable
from footnote.ports import Embedder, LanguageModel, Vector, Vectors
from footnote.retrieval.fusion import RRF_K, rank_by_score
from footnote.retrieval.model_replies import MAX_WORDING_CHARACTERS, sameness, wordings_from
from footnote.retrieval.prompts import DATA_RULE, Part, fenced, question_part, trimmed

Notes = tuple[str, ...]
"""Notes on what failed, each beginning with the stage's name; empty on success."""

CONVERSATION_CHARACTERS = 6_000
TURN_CHARACTERS = 1_500
IMAGINED_CHARACTERS = 2_000
"""Most characters of a hypothetical passage; more than lanes embed at once."""

CONDENSE = (
    "You are given a conversation and the question that follows it. Write the question so that "
    "it can be understood without the conversation: put names in place of pronouns and add what "
    "it leaves out. Add nothing that was not said, and do not answer it. If it stands alone "
    "already, repeat it. Keep its language. Write the question alone, on one line.\n\n" + DATA_RULE
)
REWORD = (
    "You are given a question that somebody asks of a collection of documents. Write {count} "
    "other wordings of it that would find the answer in documents that use other words: "
    "synonyms, technical or plain terms, the words of a statement that answers it. Keep its "
    "meaning, its language, and every name, number and identifier. Write one wording on each "
    "line and nothing else.\n\n" + DATA_RULE
)
IMAGINE = (
    "You are given a question that somebody asks of a collection of documents. Write the "
    "passage of a document that would answer it, in the question's language and in the style of "
    "such documents, in at most five sentences. Where you do not know a fact, write what is "
    "plausible: the passage is only compared with others and never shown. Write the passage "
    "alone.\n\n" + DATA_RULE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condense:
    """Rewrites a follow-up question so that it stands alone."""

    model: LanguageModel

    async def __call__(self, question: str, conversation: Sequence[Turn]) -> tuple[str, Notes]:
        """Return the standalone question, or the unchanged one on failure; no call without turns.

        The model reads the latest turns of a long conversation, each cut to `TURN_CHARACTERS`.
        """
        if not conversation:
            return question, ()
        parts = [*_latest(conversation), question_part(question)]
        try:
            reply = await self.model(CONDENSE, fenced(parts))
        except ModelUnavailable as error:
            return question, (f"condense: {error}",)
        if len(reply.strip()) > MAX_WORDING_CHARACTERS:
            return question, (f"condense: {self.model.name} wrote more than a question",)
        user_text = "\n".join(turn.text for turn in conversation if turn.role == "user")
        wordings = wordings_from(reply, question, user_text)
        if not wordings:
            return question, (f"condense: {self.model.name} wrote no question",)
        return wordings[0], ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiQuery:
    """Finds other wordings of a question (RAG-Fusion, Raudaschl 2023)."""

    model: LanguageModel
    count: int = 3
    """Number of wordings to search, the question included; 2…5."""

    async def __call__(self, question: str) -> tuple[tuple[str, ...], Notes]:
        """Up to `count` - 1 wordings, none of them the question's own."""
        limit = self.count - 1
        try:
            reply = await self.model(REWORD.format(count=limit), fenced([question_part(question)]))
        except ModelUnavailable as error:
            return (), (f"queries: {error}",)
        question_key = sameness(question)
        wordings = [
            wording
            for wording in wordings_from(reply, question)
            if sameness(wording) != question_key
        ]
        if not wordings:
            return (), (f"queries: {self.model.name} wrote no other wording",)
        return tuple(wordings[:limit]), ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HypotheticalDocument:
    """Searches with the vector of a hypothetical answer (HyDE, Gao et al., ACL 2023)."""

    model: LanguageModel
    embedder: Embedder

    async def __call__(self, question: str, vector: Vector) -> tuple[Vector, Notes]:
        """Blend the question's vector with that of a generated passage that would answer it.

        `vector` is the question's own, unit length, of shape (dimensions,); so is the result.
        """
        try:
            reply = await self.model(IMAGINE, fenced([question_part(question)]))
            passage = trimmed(reply, IMAGINED_CHARACTERS)
            if not passage:
                return vector, (f"hypothetical: {self.model.name} wrote no passage",)
            hypothetical = await self.embedder.embed_documents([passage])
        except FootnoteError as error:
            return vector, (f"hypothetical: {error}",)
        return blend_vectors(vector, hypothetical), ()


def blend_vectors(query: Vector, hypothetical: Vectors) -> Vector:
    """Return the mean of the query's vector and the hypothetical ones, at unit length.

    `hypothetical` is of shape (n, dimensions), all of unit length. Returns the query's vector if
    they cancel out or n is 0.
    """
    total = query.astype(np.float64) + hypothetical.sum(axis=0, dtype=np.float64)
    length = float(np.linalg.norm(total))
    if not len(hypothetical) or length < 1e-6:
        return query
    blended: Vector = (total / length).astype(np.float32)
    return blended


def fuse_wordings(rankings: Sequence[Ranking]) -> Ranking:
    """Fuse the rankings of several wordings by reciprocal rank (Cormack et al., SIGIR 2009).

    score(c) = Σ_wordings 1 / (60 + rank(c)). Law: the order of the rankings does not matter.
    """
    contributions: dict[int, list[float]] = {}
    for ranking in rankings:
        for rank, hit in enumerate(ranking, start=1):
            contributions.setdefault(hit.chunk_no, []).append(1.0 / (RRF_K + rank))
    # An exact sum, since a rounded one would depend on the order.
    return rank_by_score({number: fsum(shares) for number, shares in contributions.items()})


def _latest(conversation: Sequence[Turn]) -> list[Part]:
    """The latest turns that fit, oldest first."""
    parts: list[Part] = []
    remaining = CONVERSATION_CHARACTERS
    for turn in reversed(conversation):
        text = trimmed(turn.text, TURN_CHARACTERS)
        if len(text) > remaining:
            break
        remaining -= len(text)
        parts.append(Part(name=f"turn of the {turn.role}", text=text))
    return parts[::-1]
