"""Deterministic models without model files, for fast tests of everything around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from footnote.domain import Lane
from footnote.domain.probability import sigmoid
from footnote.errors import ModelUnavailable
from footnote.language.sentences import sentence_spans
from footnote.ports import (
    AnswerSpan,
    Embedder,
    Operation,
    PassageReading,
    PassageText,
    SupportProbabilities,
    TitledColumn,
    Vector,
    Vectors,
)
from footnote.ports.metering import embedding_note, note_usage

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class HashEmbedder:
    """Embeds a text as its hashed bag of words (Weinberger et al., ICML 2009).

    Each word adds ±1 to one dimension, so texts that share words have a high cosine similarity.
    """

    dimensions: int = 64
    max_tokens: int = 256
    lane_name: str = "document"
    model: str = "hashed-words"
    """A different name hashes the words to different dimensions, as a different model would."""

    @property
    def lane(self) -> Lane:
        """A lane of its own, never comparable with that of a real model."""
        return Lane(
            name=self.lane_name,
            provider="testing",
            model=self.model,
            dimensions=self.dimensions,
            revision="1",
        )

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of words of each text."""
        return [len(_WORD.findall(text)) for text in texts]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Float32 of shape (len(texts), dimensions), unit length."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in _WORD.findall(text.lower())[: self.max_tokens]:
                position, sign = self._place(word)
                vectors[row, position] += sign
            if not vectors[row].any():
                vectors[row, 0] = 1.0
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the texts, in their order; never fails."""
        note_usage(embedding_note(self.lane, len(texts), sum(self.count_tokens(texts))))
        return self.encode(texts)

    async def embed_query(self, text: str) -> Vector:
        """The vector a document with this text has."""
        vector: Vector = self.encode([text])[0]
        note_usage(embedding_note(self.lane, 1, sum(self.count_tokens([text]))))
        return vector

    def _place(self, word: str) -> tuple[int, float]:
        person = b"" if self.model == "hashed-words" else self.model.encode()[:16]
        encoded = word.encode("utf-8", "surrogatepass")
        digest = blake2b(encoded, digest_size=8, person=person).digest()
        number = int.from_bytes(digest, "big")
        return (number >> 1) % self.dimensions, 1.0 if number & 1 else -1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingEmbedder:
    """Wraps another embedder and records the texts that it embeds."""

    inner: Embedder
    before: Callable[[int], None] = lambda _: None
    """Called with the number of each batch, from 0, before it is embedded; may raise."""
    batches: list[tuple[str, ...]] = field(default_factory=list)
    """The texts of every batch that was embedded."""

    @property
    def lane(self) -> Lane:
        return self.inner.lane

    @property
    def max_tokens(self) -> int:
        return self.inner.max_tokens

    @property
    def texts(self) -> list[str]:
        """Every text that was embedded, with repetitions."""
        return [text for batch in self.batches for text in batch]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.inner.count_tokens(texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the texts, by the inner embedder. Raises what `before` raises."""
        self.before(len(self.batches))
        vectors = await self.inner.embed_documents(texts)
        self.batches.append(tuple(texts))
        return vectors

    async def embed_query(self, text: str) -> Vector:
        """The vector of a query, which is not counted."""
        return await self.inner.embed_query(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordReader:
    """Reads by word overlap with the question, without a model.

    A sentence, or a row of a table, with at least half of the question's words scores 0 or more.
    Its answer span is its longest run of words that are not in the question.
    """

    name: str = "reader:shared-words"
    longest_word: int = 3
    """Characters up to which a word counts for nothing, as "the" and "is" do."""

    async def read(self, question: str, passages: Sequence[PassageText]) -> list[PassageReading]:
        """Return the answer spans of each passage; never fails."""
        question_words = self._words(question)
        return [self._reading(question_words, passage.text) for passage in passages]

    async def judge(
        self, statements: Sequence[str], quotes: Sequence[str]
    ) -> list[SupportProbabilities]:
        """Return whether each quote supports its statement.

        Supported if the quote has all the statement's words; contradicted if it has at least half
        of them and lacks a number.
        """
        odds = []
        for statement, quote in zip(statements, quotes, strict=True):
            statement_words, quote_words = (
                set(_WORD.findall(statement.lower())),
                set(_WORD.findall(quote.lower())),
            )
            lacks_numbers = any(word.isdigit() for word in statement_words - quote_words)
            odds.append(
                SupportProbabilities(supported=0.9, contradicted=0.05, neither=0.05)
                if statement_words and statement_words <= quote_words
                else SupportProbabilities(supported=0.05, contradicted=0.9, neither=0.05)
                if lacks_numbers and len(statement_words & quote_words) * 2 >= len(statement_words)
                else SupportProbabilities(supported=0.05, contradicted=0.05, neither=0.9)
            )
        return odds

    async def injection_probabilities(self, texts: Sequence[str]) -> list[float]:
        """Return a high probability for texts that contain "assistant:", else a low one."""
        return [0.9 if "assistant:" in text.lower() else 0.1 for text in texts]

    async def operation(self, question: str) -> Operation | None:
        """Return the operation whose name is a word of the question; None without one."""
        words = _WORD.findall(question.lower())
        return next((candidate for candidate in Operation if candidate.value in words), None)

    async def names(self, texts: Sequence[str]) -> None:
        """Return None: names are not recognised."""

    async def rewrite_follow_up(
        self, question: str, previous_question: str, previous_answer: str
    ) -> None:
        """None: it cannot tell."""

    async def decompose(self, question: str) -> tuple[str]:
        """Return the question alone: it is never divided."""
        return (question,)

    async def predict_column(self, question: str, columns: Sequence[TitledColumn]) -> None:
        """Return None: columns are not predicted."""

    async def column_probabilities(self, question: str, columns: Sequence[TitledColumn]) -> None:
        """None: it cannot tell."""

    async def predict_operation(self, question: str, columns: Sequence[TitledColumn]) -> None:
        """Return None: operations on columns are not predicted."""

    def _words(self, text: str) -> frozenset[str]:
        words = map(str.lower, _WORD.findall(text))
        return frozenset(word for word in words if len(word) > self.longest_word)

    def _reading(self, question_words: frozenset[str], text: str) -> PassageReading:
        spans = []
        highest = 0
        for start, end in sentence_spans(text):
            shared = self._words(text[start:end]) & question_words
            highest = max(highest, len(shared))
            stretch = self._stretch(question_words, text, start, end)
            if shared and stretch is not None:
                score = 8.0 * len(shared) / len(question_words) - 4.0
                probability = sigmoid(score)
                first, last = stretch
                spans.append(
                    AnswerSpan(start=first, end=last, score=score, probability=probability)
                )
        spans.sort(key=lambda span: (-span.score, span.start))
        return PassageReading(
            spans=tuple(spans),
            relevance=8.0 * highest / len(question_words) - 4.0 if question_words else -4.0,
            probability=spans[0].probability if spans else 0.0,
        )

    def _stretch(
        self, question_words: frozenset[str], text: str, start: int, end: int
    ) -> tuple[int, int] | None:
        """The longest run of words that the question does not have."""
        runs: list[list[re.Match[str]]] = [[]]
        for word in _WORD.finditer(text, start, end):
            if word.group().lower() in question_words:
                runs.append([])
            else:
                runs[-1].append(word)
        longest = max(runs, key=len)
        return (longest[0].start(), longest[-1].end()) if longest else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedLanguageModel:
    """Replies with what a function returns, and records every call."""

    write: Callable[[str, str], str]
    """Maps instructions and prompt to the reply; may raise ModelUnavailable."""
    name: str = "scripted"
    calls: list[tuple[str, str]] = field(default_factory=list)
    """Instructions and prompt of every call so far."""

    async def __call__(self, instructions: str, prompt: str) -> str:
        """Return what the function returns. Raises ModelUnavailable if it does."""
        self.calls.append((instructions, prompt))
        return self.write(instructions, prompt)


def scripted_model(*replies: str | None) -> ScriptedLanguageModel:
    """A language model that gives the replies in turn; for None and beyond the last it fails."""
    waiting = list(replies)

    def write(_instructions: str, _prompt: str) -> str:
        reply = waiting.pop(0) if waiting else None
        if reply is None:
            raise ModelUnavailable("the language model scripted cannot be reached")
        return reply

    return ScriptedLanguageModel(write=write)
