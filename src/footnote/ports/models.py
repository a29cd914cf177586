"""Models that turn text, sound and pictures into numbers and words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Literal, Protocol, runtime_checkable
from uuid import UUID

import numpy as np
import numpy.typing as npt

from footnote.domain import Lane, Transcript

Vectors = npt.NDArray[np.float32]
"""Rows of unit length, shape (n, dimensions)."""
Vector = npt.NDArray[np.float32]
"""One unit vector, shape (dimensions,)."""
OnProgress = Callable[[int, int], None]
"""Callback with the numbers of finished parts and of all parts."""


def ignore_progress(_done: int, _total: int) -> None:
    """Ignore the progress."""


class Tokenizer(Protocol):
    """The tokenizer of a lane."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens in each text, special tokens not counted."""


class Embedder(Tokenizer, Protocol):
    """A model that turns text into vectors of one lane."""

    @property
    def lane(self) -> Lane:
        """The lane whose vectors it makes."""

    @property
    def max_tokens(self) -> int:
        """Tokens the model reads of a text; the rest is ignored."""

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the texts, in their order. Raises LaneUnavailable."""

    async def embed_query(self, text: str) -> Vector:
        """The vector of a query. Raises LaneUnavailable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """Vectors of texts, with how much of each text is cleared of prompt injections."""

    vectors: Vectors
    cleared_characters: Sequence[int]
    """For each text, the length of its prefix, in characters, that certainly contains no prompt
    injection, so that the reader need not classify it. The whole length for a text read to its
    end, 0 if not certain."""


@runtime_checkable
class ScreeningEmbedder(Embedder, Protocol):
    """An embedder that screens texts for prompt injections by its own states."""

    async def embed_and_screen(self, texts: Sequence[str]) -> Screened:
        """Like `embed_documents`, with the screening of the texts. Raises LaneUnavailable."""


def embed_and_screen(embedder: Embedder, texts: Sequence[str]) -> Awaitable[Screened]:
    """The vectors of texts; no text is cleared by an embedder without a screen."""
    if isinstance(embedder, ScreeningEmbedder):
        return embedder.embed_and_screen(texts)
    return _unscreened(embedder, texts)


async def _unscreened(embedder: Embedder, texts: Sequence[str]) -> Screened:
    vectors = await embedder.embed_documents(texts)
    return Screened(vectors=vectors, cleared_characters=[0] * len(texts))


Period = Literal["latest", "earliest"]
"""Which document of a series a question is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionKind:
    """The question type predicted from the question's vector."""

    period: Period | None = None
    """None for a stated document, for several, and if it is unknown."""
    asks_for_number: bool = False
    """Whether it asks for a figure, which tables have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedQuestion:
    """A question with its vector and its predicted kind."""

    vector: Vector
    kind: QuestionKind = field(default_factory=QuestionKind)
    cross_lingual_vector: Vector | None = None
    """Query vector for passages in other languages; None if `vector` serves for them too."""


@runtime_checkable
class ClassifyingEmbedder(Embedder, Protocol):
    """An embedder that classifies a question by its vector."""

    async def embed_question(self, text: str) -> EmbeddedQuestion:
        """Like `embed_query`, with the question's kind. Raises LaneUnavailable."""


async def embed_question(embedder: Embedder, text: str) -> EmbeddedQuestion:
    """The vector of a question, with its kind if the embedder predicts it."""
    if isinstance(embedder, ClassifyingEmbedder):
        return await embedder.embed_question(text)
    return EmbeddedQuestion(vector=await embedder.embed_query(text))


class Analyzer(Protocol):
    """Turns text into the terms of the lexical index."""

    def terms(self, text: str, language: str | None) -> list[str]:
        """Every term of the text, in order, repeated as it repeats."""

    def word_terms(self, words: Sequence[str], language: str | None) -> Sequence[tuple[str, ...]]:
        """The terms of each word, case-folded, as `terms` gives them; quick for very many."""

    def query_terms(self, text: str, languages: Sequence[str]) -> list[str]:
        """The distinct terms a query asks for, given the languages the corpus is written in."""

    def language_of(self, text: str, languages: Sequence[str]) -> str | None:
        """The likeliest language of a query; None when nothing tells and the corpus has none."""


class Transcriber(Protocol):
    """A model that transcribes recordings."""

    @property
    def name(self) -> str:
        """The name with which transcribed documents are marked."""

    async def __call__(
        self,
        content: BinaryIO,
        media_type: str,
        *,
        workspace_id: UUID,
        on_progress: OnProgress = ignore_progress,
    ) -> Transcript:
        """Transcribe a recording, reporting the seconds done if the model works in their order.

        Workspaces share a model on this machine fairly. Raises DocumentUnreadable or
        DocumentInterrupted.
        """


class Describer(Protocol):
    """A model that describes pictures."""

    @property
    def name(self) -> str:
        """The name with which documents with described pictures are marked."""

    async def __call__(self, content: bytes, media_type: str) -> str:
        """Describe a picture in words. Raises ModelUnavailable."""


class Reranker(Protocol):
    """A model that scores texts by reading each with the query."""

    @property
    def name(self) -> str:
        """Its name in explanations."""

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, higher is better. Raises ModelUnavailable."""


class LanguageModel(Protocol):
    """A model that writes."""

    @property
    def name(self) -> str:
        """Its name in explanations."""

    async def __call__(self, instructions: str, prompt: str) -> str:
        """Return the reply to the prompt. Raises ModelUnavailable."""
