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
from footnote.models.counting import SLICE_CHARACTERS, count_in_slices
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

_RUN_TOKENS = 512
"""Most tokens of one run, padding included: more of them leave a core's caches, and pad more.

300 texts of 130 words or so: 6.9 s in runs of 512, 7.3 of 1,024, 7.6 of 2,048 (2 cores).
"""

_LEAST_RUN_TOKENS = 128
"""Fewer tokens are not divided among the threads: a query of a dozen takes 3 ms in one."""

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
        _open_session(graph),
        package / "tokenizer.json",
        threads=threads or _available_cores(),
        batch_tokens=batch_tokens,
    )
    check_known_vectors(embedder.encode, precision, graph.parent)
    return embedder


class MiniLmEmbedder:
    """An Embedder over the packaged model.

    Every run is one thread's: threads that share a run wait for each other at each of its layers,
    and all of them for the one whose core Postgres or a parser has just taken. Queries have a
    thread of their own, so that none waits for a document's runs.
    """

    def __init__(
        self,
        lane: Lane,
        session: onnxruntime.InferenceSession,
        tokenizer_file: Path,
        *,
        threads: int,
        batch_tokens: int,
    ) -> None:
        self._lane = lane
        self._session = session
        self._threads = threads
        self._run_tokens = min(batch_tokens, _RUN_TOKENS)
        self._counter = Tokenizer.from_file(str(tokenizer_file))
        self._counter.no_truncation()
        self._counter.no_padding()
        self._tokenizer = Tokenizer.from_file(str(tokenizer_file))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()
        self._document_threads = ThreadPoolExecutor(threads, thread_name_prefix="embed-documents")
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
        return count_in_slices(self._counted, texts)

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
        """Like `encode`, off the event loop; concurrent calls take turns run by run."""
        loop = asyncio.get_running_loop()
        in_thread = partial(loop.run_in_executor, self._document_threads)
        encodings: _Batch = await in_thread(self._tokenize, texts)
        vectors = np.empty((len(texts), HIDDEN), dtype=np.float32)
        runs = iter(self._plan(encodings))

        async def take_runs() -> None:
            for positions in runs:
                batch = [encodings[position] for position in positions]
                vectors[positions] = await in_thread(self._run, batch)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._threads):
                    group.create_task(take_runs())
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return vectors

    async def embed_query(self, text: str) -> Vector:
        """The vector of a query, shape (384,): the same as that of a document with its text."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._query_thread, self._encode_query, text)

    def close(self) -> None:
        """Let the threads end once their current run is done."""
        self._document_threads.shutdown(wait=False, cancel_futures=True)
        self._query_thread.shutdown(wait=False, cancel_futures=True)

    def _counted(self, texts: list[str]) -> list[int]:
        clean = [_encodable(text) for text in texts]
        encodings = self._counter.encode_batch_fast(clean, add_special_tokens=False)
        return [len(encoding) for encoding in encodings]

    def _encode_query(self, text: str) -> Vector:
        vector: Vector = self._run(self._tokenize([text]))[0]
        return vector

    def _tokenize(self, texts: Sequence[str]) -> _Batch:
        # Truncation comes after encoding; what the model reads lies far before the cut.
        read = [_encodable(text[:SLICE_CHARACTERS]) for text in texts]
        encodings: _Batch = self._tokenizer.encode_batch_fast(read)
        return encodings

    def _plan(self, encodings: _Batch) -> list[list[int]]:
        """Positions run by run, so that few texts too keep every thread busy."""
        counts = [len(encoding) for encoding in encodings]
        share = max(_LEAST_RUN_TOKENS, -(-sum(counts) // self._threads))
        return plan_batches(counts, min(self._run_tokens, share))

    def _run(self, batch: _Batch) -> Vectors:
        shape = (len(batch), max(len(encoding) for encoding in batch))
        ids: npt.NDArray[np.int32] = np.zeros(shape, dtype=np.int32)
        mask: npt.NDArray[np.int32] = np.zeros(shape, dtype=np.int32)
        for row, encoding in enumerate(batch):
            ids[row, : len(encoding)] = encoding.ids
            mask[row, : len(encoding)] = 1
        try:
            outputs = self._session.run(None, {"input_ids": ids, "attention_mask": mask})
        except Exception as error:
            message = f"{self._lane.model} could not embed a batch of shape {shape}: {error}"
            hint = "free some memory, or lower FOOTNOTE_EMBEDDING_BATCH_TOKENS"
            raise LaneUnavailable(message, hint=hint) from error
        vectors: Vectors = outputs[0]
        return vectors


def _open_session(graph: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
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
