"""A cross-encoder on this machine, run by fastembed and ONNX Runtime."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from footnote.domain.probability import sigmoid
from footnote.errors import ModelUnavailable, UnsupportedSettings, how_to_install
from footnote.models.onnx_folder import (
    GRAPH_FILES,
    REGISTERING,
    encodable,
    graph_file,
    missing_file,
)

if TYPE_CHECKING:
    from fastembed.rerank.cross_encoder import TextCrossEncoder

MODEL = "Xenova/ms-marco-MiniLM-L-6-v2"
MAX_TOKENS = 512
"""Most tokens of a query and a text together, as models of this kind are trained."""
BATCH_TEXTS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """A folder with a model, its tokenizer.json and its tokenizer_config.json."""

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class HubModel:
    """A model that is fetched from the Hugging Face hub once, and kept in a folder."""

    name: str
    cache: Path


class LocalReranker:
    """A Reranker over a cross-encoder with one output, loaded at its first use.

    Loading and runs are in a single thread, batch by batch: concurrent calls take turns, and the
    remaining batches of a cancelled call are not run.
    """

    def __init__(
        self, source: ModelFolder | HubModel, *, threads: int = 0, max_tokens: int = MAX_TOKENS
    ) -> None:
        """`threads` is the number for one batch; 0 uses one per core."""
        self._source = source
        self._threads = threads
        self._max_tokens = max_tokens
        self._encoder: TextCrossEncoder | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="rerank")

    @property
    def name(self) -> str:
        """`local:` with the name of the folder or of the hub's model."""
        if isinstance(self._source, ModelFolder):
            return f"local:{self._source.path.name}"
        return f"local:{self._source.name}"

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the model's scores mapped to 0…1 by the logistic function, in float64.

        If a pair is longer than the model's window its longer side is truncated. Equal texts have
        equal scores. Raises ModelUnavailable.
        """
        if not texts:
            return []
        await self.prepare()
        loop = asyncio.get_running_loop()
        question = encodable(query)
        readable = [encodable(text) for text in texts]
        scores: dict[str, float] = {}
        # Batches of similar length need little padding.
        distinct = sorted(set(readable), key=lambda text: (len(text), text))
        for start in range(0, len(distinct), BATCH_TEXTS):
            batch = distinct[start : start + BATCH_TEXTS]
            batch_scores = await loop.run_in_executor(self._thread, self._run, question, batch)
            scores.update(zip(batch, batch_scores, strict=True))
        return [scores[text] for text in readable]

    async def prepare(self) -> None:
        """Load the model, and fetch it first if it comes from the hub. Raises ModelUnavailable."""
        if self._encoder is None:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._thread, self._load)

    async def close(self) -> None:
        """Shut down the thread after its current batch."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _load(self) -> None:
        if self._encoder is not None:
            return
        try:
            encoder = _open_encoder(self._source, self._threads)
            # Cut pairs at `max_tokens`, or at the model's own window where that is shorter.
            tokenizer = getattr(encoder.model, "tokenizer", None)
            assert tokenizer is not None, "fastembed opens the tokenizer with the model"
            window = tokenizer.truncation
            if window["max_length"] > self._max_tokens:
                tokenizer.enable_truncation(self._max_tokens, direction=window["direction"])
        except ImportError as error:
            raise ModelUnavailable(
                f"{self.name} needs fastembed, which is not installed",
                hint=how_to_install("rerank"),
            ) from error
        except Exception as error:
            raise ModelUnavailable(
                f"{self.name} cannot be loaded: {error}", hint=_loading_hint(self._source)
            ) from error
        self._encoder = encoder

    def _run(self, query: str, texts: list[str]) -> list[float]:
        assert self._encoder is not None, "the same thread has loaded it before"
        try:
            raw = list(self._encoder.rerank(query, texts, batch_size=len(texts)))
        except Exception as error:
            raise ModelUnavailable(
                f"{self.name} could not read {len(texts)} texts: {error}",
                hint="free some memory, or see that the model is a cross-encoder with one output",
            ) from error
        if len(raw) != len(texts) or not all(map(math.isfinite, raw)):
            raise ModelUnavailable(
                f"{self.name} gave scores that are no numbers",
                hint="take another export of the model; half precision often overflows",
            )
        return [sigmoid(score) for score in raw]


def local_reranker(
    *,
    model: str,
    folder: Path | None,
    cache: Path,
    threads: int = 0,
    max_tokens: int = MAX_TOKENS,
) -> LocalReranker:
    """Return a cross-encoder from `folder`, or if None from the hub under the name `model`.

    An empty `model` uses a small English one. With a folder the network is never used. Downloads
    are kept below `cache`. Raises UnsupportedSettings for a folder without a model.
    """
    if folder is None:
        return LocalReranker(
            HubModel(name=model or MODEL, cache=cache), threads=threads, max_tokens=max_tokens
        )
    missing = missing_file(folder)
    if missing is not None:
        raise UnsupportedSettings(
            f"The folder {folder} has no reranker: {missing} is missing.",
            hint="Set FOOTNOTE_RERANKER to local:FOLDER, with an ONNX cross-encoder and its "
            "tokenizer files.",
        )
    return LocalReranker(ModelFolder(path=folder), threads=threads, max_tokens=max_tokens)


def _open_encoder(source: ModelFolder | HubModel, threads: int) -> TextCrossEncoder:
    # Imported here, since it is an extra and slow to import.
    from fastembed.rerank.cross_encoder import TextCrossEncoder  # noqa: PLC0415

    if isinstance(source, ModelFolder):
        file = graph_file(source.path)
        # fastembed wants a name for the layout; the folder is given when it is opened.
        name = f"footnote/{file}"
        _register(name, name, file)
        return TextCrossEncoder(
            name,
            threads=threads or None,
            providers=["CPUExecutionProvider"],
            local_files_only=True,
            specific_model_path=str(source.path),
        )
    _register(source.name, source.name, GRAPH_FILES[0])
    source.cache.mkdir(parents=True, exist_ok=True)
    return TextCrossEncoder(
        source.name,
        cache_dir=str(source.cache),
        threads=threads or None,
        providers=["CPUExecutionProvider"],
    )


def _register(name: str, repository: str, model_file: str) -> None:
    """Register a model with fastembed unless it is known already."""
    from fastembed.common.model_description import ModelSource  # noqa: PLC0415  # as above
    from fastembed.rerank.cross_encoder import TextCrossEncoder  # noqa: PLC0415  # as above

    with REGISTERING:
        registered = {
            str(model["model"]).lower() for model in TextCrossEncoder.list_supported_models()
        }
        if name.lower() not in registered:
            source = ModelSource(hf=repository)
            TextCrossEncoder.add_custom_model(model=name, sources=source, model_file=model_file)


def _loading_hint(source: ModelFolder | HubModel) -> str:
    if isinstance(source, ModelFolder):
        return f"see that {source.path} holds a whole ONNX cross-encoder with its tokenizer"
    return (
        f"see that the hub can be reached and has {source.name} with {GRAPH_FILES[0]}, or download "
        "it elsewhere and set FOOTNOTE_RERANKER to local:FOLDER"
    )
