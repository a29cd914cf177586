"""The packaged `document` lane: all-MiniLM-L6-v2 run by ONNX Runtime, without torch or network."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Encoding, Tokenizer

from footnote.domain import Lane
from footnote.errors import LaneUnavailable
from footnote.models.batching import plan_batches
from footnote.models.minilm_graph import GRAPH_REVISION, HIDDEN, Precision
from footnote.models.minilm_store import (
    cached_graph,
    check_known_vectors,
    packaged_folder,
    weights_digest,
)
from footnote.ports import Vector, Vectors

MAX_TOKENS = 256
"""Positions the model was trained on, its two marks [CLS] and [SEP] included."""

_QUERY_THREADS = 1
"""For a dozen tokens a second thread costs more than it brings: 3.9 ms instead of 3.1, 2 cores."""

_RUN_TOKENS = 1024
"""Tokens of one run, padding included: more of them leave the cores' caches, and pad more.

CPU for 300 texts of 170 words or so: 13.0 s, and 15.3 s in runs of 8,192 tokens (2 cores).
"""

_Batch = list[Encoding]


def load_minilm(
    models_folder: Path, precision: Precision, threads: int, batch_tokens: int
) -> MiniLmEmbedder:
    """The packaged model, ready to embed. Blocks: call it in a thread.

    The first call writes the graph below `models_folder` (about 60 MB in int8, 90 MB in fp32);
    later ones read it. `threads` of 0 takes one per core; `batch_tokens` bounds a batch,
    padding included. Raises LaneUnavailable when the weights are not installed, or when the
    built graph does not yield the vectors it should.
    """
    package = packaged_folder()
    digest = weights_digest(package)
    lane = Lane(
        name="document",
        provider="packaged",
        model="all-MiniLM-L6-v2",
        dimensions=HIDDEN,
        revision=f"{digest[:12]}-{precision}-{GRAPH_REVISION}",
        languages=("en",),
    )
    graph = cached_graph(models_folder, lane, package, precision)
    embedder = MiniLmEmbedder(
        lane,
        _open_session(graph, threads or _available_cores()),
        _open_session(graph, _QUERY_THREADS),
        package / "tokenizer.json",
        batch_tokens,
    )
    check_known_vectors(embedder.encode, precision, graph.parent)
    return embedder


class MiniLmEmbedder:
    """An Embedder over the packaged model.

    Documents are embedded in one thread of their own, batch by batch; queries in another, so
    that a query never waits for a document's batches.
    """

    def __init__(
        self,
        lane: Lane,
        session: onnxruntime.InferenceSession,
        query_session: onnxruntime.InferenceSession,
        tokenizer_file: Path,
        batch_tokens: int,
    ) -> None:
        self._lane = lane
        self._session = session
        self._query_session = query_session
        self._run_tokens = min(batch_tokens, _RUN_TOKENS)
        self._counter = Tokenizer.from_file(str(tokenizer_file))
        self._counter.no_truncation()
        self._counter.no_padding()
        self._tokenizer = Tokenizer.from_file(str(tokenizer_file))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()
        self._document_thread = ThreadPoolExecutor(1, thread_name_prefix="embed-documents")
        self._query_thread = ThreadPoolExecutor(1, thread_name_prefix="embed-query")

    @property
    def lane(self) -> Lane:
        """The `document` lane; its revision names the weights, the precision and the graph."""
        return self._lane

    @property
    def max_tokens(self) -> int:
        """Tokens the model reads of a text, its two marks [CLS] and [SEP] included."""
        return MAX_TOKENS

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Word pieces in each text, marks not counted and nothing cut off."""
        clean = [_encodable(text) for text in texts]
        encodings = self._counter.encode_batch_fast(clean, add_special_tokens=False)
        return [len(encoding) for encoding in encodings]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Float32 of shape (len(texts), 384), unit length, in the calling thread.

        Raises LaneUnavailable when the model cannot run, for lack of memory say.
        """
        encodings = self._tokenize(texts)
        vectors = np.empty((len(texts), HIDDEN), dtype=np.float32)
        for positions in self._plan(encodings):
            vectors[positions] = self._run([encodings[position] for position in positions])
        return vectors

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Like `encode`, off the event loop; concurrent calls take turns batch by batch."""
        loop = asyncio.get_running_loop()
        in_thread = partial(loop.run_in_executor, self._document_thread)
        encodings: _Batch = await in_thread(self._tokenize, texts)
        vectors = np.empty((len(texts), HIDDEN), dtype=np.float32)
        for positions in self._plan(encodings):
            batch = [encodings[position] for position in positions]
            vectors[positions] = await in_thread(self._run, batch)
        return vectors

    async def embed_query(self, text: str) -> Vector:
        """The vector of a query, shape (384,): the same as that of a document with its text."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._query_thread, self._encode_query, text)

    def close(self) -> None:
        """Let the two threads end once their current batch is done."""
        self._document_thread.shutdown(wait=False, cancel_futures=True)
        self._query_thread.shutdown(wait=False, cancel_futures=True)

    def _encode_query(self, text: str) -> Vector:
        vector: Vector = self._run(self._tokenize([text]), self._query_session)[0]
        return vector

    def _tokenize(self, texts: Sequence[str]) -> _Batch:
        encodings: _Batch = self._tokenizer.encode_batch_fast([_encodable(text) for text in texts])
        return encodings

    def _plan(self, encodings: _Batch) -> list[list[int]]:
        return plan_batches([len(encoding) for encoding in encodings], self._run_tokens)

    def _run(self, batch: _Batch, session: onnxruntime.InferenceSession | None = None) -> Vectors:
        shape = (len(batch), max(len(encoding) for encoding in batch))
        ids: npt.NDArray[np.int32] = np.zeros(shape, dtype=np.int32)
        mask: npt.NDArray[np.int32] = np.zeros(shape, dtype=np.int32)
        for row, encoding in enumerate(batch):
            ids[row, : len(encoding)] = encoding.ids
            mask[row, : len(encoding)] = 1
        try:
            outputs = (session or self._session).run(
                None, {"input_ids": ids, "attention_mask": mask}
            )
        except Exception as error:
            message = f"{self._lane.model} could not embed a batch of shape {shape}: {error}"
            hint = "free some memory, or lower FOOTNOTE_EMBEDDING_BATCH_TOKENS"
            raise LaneUnavailable(message, hint=hint) from error
        vectors: Vectors = outputs[0]
        return vectors


def _open_session(graph: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Threads that spin for work starve Postgres and the parsers, and on busy cores each other:
    # a query took 8 ms instead of 4 beside one busy process (2 cores).
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise LaneUnavailable(
            f"the built model cannot be loaded: {error}",
            hint=f"delete the folder {graph.parent} and start again",
        ) from error


def _available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _encodable(text: str) -> str:
    """The text with lone surrogates replaced, which UTF-8 and so the tokenizer cannot express."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text
