"""A packaged sentence encoder as an embedder: batching, threads and vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from footnote.domain import Lane
from footnote.errors import LaneUnavailable
from footnote.language.detection import is_english
from footnote.models.batching import padded, plan_batches
from footnote.models.counting import SLICE_CHARACTERS, count_in_slices
from footnote.models.injection_screen import SCREEN_OUTPUT
from footnote.models.model_store import available_cores
from footnote.models.question_kind import STATES_OUTPUT, QuestionClassifier
from footnote.models.tokenizing import TokenIds
from footnote.ports import EmbeddedQuestion, Screened, Vector, Vectors
from footnote.ports.metering import embedding_note, note_usage

if TYPE_CHECKING:
    import onnxruntime

_RUN_TOKENS = 512
"""Most tokens of one run, padding included: larger runs exceed a core's caches, and pad more.

300 texts of 130 words or so: 6.9 s in runs of 512, 7.3 of 1,024, 7.6 of 2,048 (2 cores).
"""

_MIN_RUN_TOKENS = 128
"""A batch of fewer tokens is not divided among threads: a query of a dozen takes 3 ms in one."""

_Batch = list[list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How texts are prepared for a model."""

    max_tokens: int
    """Positions it was trained on, special tokens included."""
    query_prefix: str = ""
    document_prefix: str = ""
    english: bool = False
    """Whether it supports English alone."""
    cased: bool = False
    """Whether it distinguishes case; lines in capitals are then converted to lower case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The parts of a model that take time and memory to load."""

    session: onnxruntime.InferenceSession
    tokenizer: TokenIds


class SentenceEncoder:
    """An Embedder over a packaged model, which is loaded by `open`, or else at its first use.

    Each run uses one thread: threads that share a run wait for each other at each of its layers,
    and all of them for one whose core Postgres or a parser has just taken. Queries have a thread
    of their own, so that none waits for a document's runs.
    """

    def __init__(
        self,
        lane: Lane,
        load: Callable[[], Loaded],
        reading: Reading,
        *,
        threads: int,
        batch_tokens: int,
        kinds: QuestionClassifier | None = None,
    ) -> None:
        self._lane = lane
        self._load = load
        self._loaded: Loaded | None = None
        self._loading = Lock()
        self._reading = reading
        self._kinds = kinds
        self._threads = threads or available_cores()
        self._run_tokens = min(batch_tokens, _RUN_TOKENS)
        self._document_threads = ThreadPoolExecutor(
            self._threads, thread_name_prefix="embed-documents"
        )
        self._query_thread = ThreadPoolExecutor(1, thread_name_prefix="embed-query")

    @property
    def lane(self) -> Lane:
        """The `document` lane; its revision covers the weights, the precision and the graph."""
        return self._lane

    @property
    def max_tokens(self) -> int:
        """Most tokens of a text that the model reads, special tokens included."""
        return self._reading.max_tokens

    def open(self) -> Loaded:
        """Return the model, loaded if necessary. Blocks. Raises LaneUnavailable; may be retried."""
        if self._loaded is None:
            with self._loading:
                if self._loaded is None:
                    self._loaded = self._load()
        return self._loaded

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens in each text, without special tokens, prefix and truncation."""
        return count_in_slices(self.open().tokenizer.count, texts)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Embed documents in the calling thread: float32 of shape (len(texts), dimensions).

        Raises LaneUnavailable when the model cannot run, for example for lack of memory.
        """
        encodings = self._tokenize(texts, self._reading.document_prefix)
        vectors = np.empty((len(texts), self._lane.dimensions), dtype=np.float32)
        for positions in self._plan(encodings):
            vectors[positions], _ = self._run([encodings[position] for position in positions])
        return vectors

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """As `encode`, off the event loop; concurrent calls take turns run by run."""
        return (await self.run_and_screen(texts)).vectors

    async def embed_and_screen(self, texts: Sequence[str]) -> Screened:
        """As `embed_documents`, with the injection screen.

        No text is cleared in a language that the model does not support, or without a screen in
        the graph.
        """
        screened = await self.run_and_screen(texts)
        if not self._reading.english:
            return screened
        native = await asyncio.to_thread(lambda: list(map(is_english, texts)))
        clear = [
            cleared if is_native else 0
            for cleared, is_native in zip(screened.cleared_characters, native, strict=True)
        ]
        return replace(screened, cleared_characters=clear)

    async def run_and_screen(self, texts: Sequence[str]) -> Screened:
        """As `embed_and_screen`, for texts in languages that the model supports."""
        loop = asyncio.get_running_loop()
        in_thread = partial(loop.run_in_executor, self._document_threads)
        encodings: _Batch = await in_thread(self._tokenize, texts, self._reading.document_prefix)
        vectors = np.empty((len(texts), self._lane.dimensions), dtype=np.float32)
        orders = np.empty(len(texts), dtype=np.float32)
        runs = iter(self._plan(encodings))

        async def take_runs() -> None:
            for positions in runs:
                batch = [encodings[position] for position in positions]
                vectors[positions], orders[positions] = await in_thread(self._run, batch)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._threads):
                    group.create_task(take_runs())
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        note_usage(embedding_note(self._lane, len(texts), sum(map(len, encodings))))
        clear = await in_thread(self._clear, texts, encodings, orders)
        return Screened(vectors=vectors, cleared_characters=clear)

    async def embed_query(self, text: str) -> Vector:
        """Embed a query; returns shape (dimensions,)."""
        vector = await self.begin_query(text)
        self.note_query(text)
        return vector

    async def embed_question(self, text: str) -> EmbeddedQuestion:
        """As `embed_query`, with the question's classification if the model has a classifier."""
        if self._kinds is None:
            return EmbeddedQuestion(vector=await self.embed_query(text))
        loop = asyncio.get_running_loop()
        embedded = await loop.run_in_executor(self._query_thread, self._encode_question, text)
        self.note_query(text)
        return embedded

    def begin_query(self, text: str) -> asyncio.Future[Vector]:
        """Start to embed a query whose vector may not be used; `note_query` records its usage."""
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self._query_thread, self._encode_query, text)

    def note_query(self, text: str) -> None:
        """Record the usage of a query whose vector was used."""
        note_usage(embedding_note(self._lane, 1, sum(self.count_tokens([text]))))

    def close(self) -> None:
        self._document_threads.shutdown(wait=False, cancel_futures=True)
        self._query_thread.shutdown(wait=False, cancel_futures=True)

    def _encode_query(self, text: str) -> Vector:
        vectors, _ = self._run(self._tokenize([text], self._reading.query_prefix))
        vector: Vector = vectors[0]
        return vector

    def _encode_question(self, text: str) -> EmbeddedQuestion:
        assert self._kinds is not None, "the model has no question classifier"
        batch = self._tokenize([text], self._reading.query_prefix)
        vectors, states = self._outputs(batch, ["embedding", STATES_OUTPUT])
        return EmbeddedQuestion(vector=vectors[0], kind=self._kinds(states[1:-1], vectors[0]))

    def _tokenize(self, texts: Sequence[str], prefix: str) -> _Batch:
        reading = self._reading
        # Truncation comes after tokenization; the model's window ends far before this cut.
        readable = [text[:SLICE_CHARACTERS] for text in texts]
        if reading.cased:
            readable = [without_lines_of_capitals(text) for text in readable]
        return self.open().tokenizer.encode(
            [prefix + text for text in readable], reading.max_tokens
        )

    def _clear(
        self, texts: Sequence[str], encodings: _Batch, orders: npt.NDArray[np.float32]
    ) -> list[int]:
        """Return how many characters of each text are cleared, by the log-odds of what was read."""
        reading, tokenizer = self._reading, self.open().tokenizer
        cleared = []
        for text, ids, odds in zip(texts, encodings, orders, strict=True):
            clear = 0
            if odds < 0:
                clear = len(text)
                # A text that fills the model's window may have been truncated.
                if len(ids) >= reading.max_tokens:
                    end = tokenizer.end_of(reading.document_prefix + text, reading.max_tokens - 2)
                    clear = max(0, end - len(reading.document_prefix))
            cleared.append(clear)
        return cleared

    def _plan(self, encodings: _Batch) -> list[list[int]]:
        """Divide positions into runs, so that even few texts keep every thread busy."""
        counts = [len(encoding) for encoding in encodings]
        share = max(_MIN_RUN_TOKENS, -(-sum(counts) // self._threads))
        return plan_batches(counts, min(self._run_tokens, share))

    def _run(self, batch: _Batch) -> tuple[Vectors, npt.NDArray[np.float32]]:
        """Return the vectors, and for each text the log-odds that it needs the reader's check."""
        names = [output.name for output in self.open().session.get_outputs()]
        if SCREEN_OUTPUT not in names:
            (vectors,) = self._outputs(batch, ["embedding"])
            return vectors, np.full(len(batch), np.inf, dtype=np.float32)
        vectors, orders = self._outputs(batch, ["embedding", SCREEN_OUTPUT])
        return vectors, orders

    def _outputs(self, batch: _Batch, names: Sequence[str]) -> list[npt.NDArray[np.float32]]:
        """Run the graph; return these of its outputs."""
        ids, mask = padded(batch)
        try:
            outputs: list[npt.NDArray[np.float32]] = self.open().session.run(
                names, {"input_ids": ids, "attention_mask": mask}
            )
        except Exception as error:
            message = f"{self._lane.model} could not embed a batch of shape {ids.shape}: {error}"
            hint = "free some memory"
            raise LaneUnavailable(message, hint=hint) from error
        return outputs


def without_lines_of_capitals(text: str) -> str:
    """Convert lines of several words without a small letter to lower case.

    A cased vocabulary has few words in capitals and splits the others into meaningless pieces;
    single words stay, as they are abbreviations and identifiers.
    """
    lines = text.splitlines(keepends=True)
    return "".join(
        line.lower() if line.isupper() and len(line.split()) > 1 else line for line in lines
    )
