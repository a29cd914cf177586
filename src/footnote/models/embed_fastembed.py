"""A local embedder, run by fastembed and ONNX Runtime, from a model's name or a folder."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from footnote.domain import Lane
from footnote.errors import LaneUnavailable, UnsupportedSettings, how_to_install
from footnote.models.batching import plan_batches
from footnote.models.counting import count_in_slices
from footnote.models.onnx_folder import REGISTERING, encodable, graph_file, missing_file
from footnote.ports import Vector, Vectors
from footnote.ports.metering import embedding_note, note_usage

if TYPE_CHECKING:
    from fastembed import TextEmbedding

PROVIDER = "fastembed"
_REVISION_CHARACTERS = 12


def load_fastembed(
    name: str,
    *,
    cache: Path,
    threads: int,
    batch_tokens: int,
    dimensions: int | None = None,
    query_prompt: str = "",
    document_prompt: str = "",
) -> FastEmbedEmbedder:
    """Load the model of this name or in this folder. Blocks: call it in a thread.

    An absolute path is a folder, and the network is never used; any other name must be known to
    fastembed, and the model is downloaded from the hub once and kept below `cache`. In a folder,
    pooling and prompts are read from sentence-transformers' files; the default is mean pooling
    without prompts. Prompts given here take precedence. Vectors are truncated to `dimensions`, as
    Matryoshka models allow. Raises UnsupportedSettings for a folder without a model, an unknown
    name or too many dimensions, LaneUnavailable for all else.
    """
    folder = Path(name) if Path(name).is_absolute() else None
    if folder is not None:
        _check_folder(folder)
        prompts = _prompts(folder)
        query_prompt = query_prompt or prompts.get("query", "")
        document_prompt = document_prompt or prompts.get("document", prompts.get("passage", ""))
    try:
        model = _open(name, folder, cache, threads)
        embedder = FastEmbedEmbedder(
            name=name if folder is None else folder.name,
            model=model,
            batch_tokens=batch_tokens,
            query_prompt=query_prompt,
            document_prompt=document_prompt,
            dimensions=dimensions,
        )
    except (UnsupportedSettings, LaneUnavailable):
        raise
    except ImportError as error:
        raise LaneUnavailable(
            f"the embedding model {name} needs fastembed, which is not installed",
            hint=how_to_install("rerank"),
        ) from error
    except Exception as error:
        raise LaneUnavailable(
            f"the embedding model {name} cannot be loaded: {error}",
            hint=f"see that {folder} holds a whole ONNX encoder with its tokenizer"
            if folder
            else "see that the hub can be reached and fastembed knows the name, or download the "
            "model elsewhere and name its folder",
        ) from error
    return embedder


class FastEmbedEmbedder:
    """An Embedder over a local encoder.

    Documents are embedded in one thread, batch by batch; queries in another.
    """

    def __init__(
        self,
        *,
        name: str,
        model: TextEmbedding,
        batch_tokens: int,
        query_prompt: str,
        document_prompt: str,
        dimensions: int | None,
    ) -> None:
        self._model = model
        self._batch_tokens = batch_tokens
        self._prompts = (query_prompt, document_prompt)
        tokenizer = Tokenizer.from_str(_tokenizer_of(model).to_str())
        truncation = tokenizer.truncation
        assert truncation is not None, "fastembed cuts at the model's window"
        self._max_tokens = int(truncation["max_length"])
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._counter = tokenizer
        full = self._embedded(["."]).shape[1]
        if dimensions is not None and dimensions > full:
            raise UnsupportedSettings(
                f"the embedding model {name} gives {full} dimensions, and {dimensions} are wanted",
                hint="ask for no more than the model gives",
            )
        self._lane = Lane(
            name="document",
            provider=PROVIDER,
            model=name,
            dimensions=dimensions or full,
            revision=_revision(model, self._prompts),
        )
        self._document_thread = ThreadPoolExecutor(1, thread_name_prefix="embed-documents")
        self._query_thread = ThreadPoolExecutor(1, thread_name_prefix="embed-query")

    @property
    def lane(self) -> Lane:
        """The `document` lane; its revision covers the weights and the prompts."""
        return self._lane

    @property
    def max_tokens(self) -> int:
        """Most tokens of a text that the model reads, special tokens and prompt included."""
        return self._max_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens in each text, without special tokens, prompts and truncation."""
        return count_in_slices(self._counted, texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Float32 of shape (len(texts), dimensions), unit length, in the order of the texts.

        Raises LaneUnavailable when the model cannot run.
        """
        in_thread = partial(asyncio.get_running_loop().run_in_executor, self._document_thread)
        vectors = np.empty((len(texts), self._lane.dimensions), dtype=np.float32)
        if not texts:
            return vectors
        ready = [self._prompts[1] + encodable(text) for text in texts]
        counts = await in_thread(self.count_tokens, ready)
        for positions in plan_batches(
            [min(count, self._max_tokens) for count in counts], self._batch_tokens
        ):
            batch = [ready[position] for position in positions]
            vectors[positions] = await in_thread(self._cut, batch)
        note_usage(embedding_note(self._lane, len(texts), sum(counts)))
        return vectors

    async def embed_query(self, text: str) -> Vector:
        """Embed a query; returns shape (dimensions,). Raises LaneUnavailable."""
        loop = asyncio.get_running_loop()
        ready = [self._prompts[0] + encodable(text)]
        vector: Vector = (await loop.run_in_executor(self._query_thread, self._cut, ready))[0]
        note_usage(embedding_note(self._lane, 1, sum(self.count_tokens(ready))))
        return vector

    def close(self) -> None:
        """Shut down both threads after their current batches."""
        self._document_thread.shutdown(wait=False, cancel_futures=True)
        self._query_thread.shutdown(wait=False, cancel_futures=True)

    def _counted(self, texts: list[str]) -> list[int]:
        clean = [encodable(text) for text in texts]
        encodings = self._counter.encode_batch_fast(clean, add_special_tokens=False)
        return [len(encoding) for encoding in encodings]

    def _cut(self, texts: list[str]) -> Vectors:
        """Embed texts as unit vectors, truncated to the lane's dimensions."""
        try:
            vectors = self._embedded(texts)[:, : self._lane.dimensions]
        except Exception as error:
            raise LaneUnavailable(
                f"the embedding model {self._lane.model} could not embed {len(texts)} texts: "
                f"{error}",
                hint="free some memory",
            ) from error
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise LaneUnavailable(
                f"the embedding model {self._lane.model} gave vectors without a direction",
                hint="take another export of the model; half precision often overflows",
            )
        unit: Vectors = vectors / lengths
        return unit

    def _embedded(self, texts: list[str]) -> Vectors:
        vectors = list(self._model.embed(texts, batch_size=len(texts)))
        return np.stack(vectors).astype(np.float32)


def _check_folder(folder: Path) -> None:
    missing = missing_file(folder)
    if missing is not None:
        raise UnsupportedSettings(
            f"The folder {folder} has no embedding model: {missing} is missing.",
            hint="Name in FOOTNOTE_EMBEDDING_MODELS a folder with an ONNX encoder and its "
            "tokenizer files.",
        )


def _open(name: str, folder: Path | None, cache: Path, threads: int) -> TextEmbedding:
    # Imported here, since it is an extra and slow to import.
    from fastembed import TextEmbedding  # noqa: PLC0415
    from fastembed.common.model_description import ModelSource, PoolingType  # noqa: PLC0415

    if folder is None:
        supported = TextEmbedding.list_supported_models()
        if name.lower() not in {str(model["model"]).lower() for model in supported}:
            raise UnsupportedSettings(
                f"fastembed knows no embedding model {name}",
                hint="name in FOOTNOTE_EMBEDDING_MODELS one that it knows, such as "
                "fastembed:BAAI/bge-small-en-v1.5, or the folder of a model: fastembed:/folder",
            )
        cache.mkdir(parents=True, exist_ok=True)
        return TextEmbedding(
            name,
            cache_dir=str(cache),
            threads=threads or None,
            providers=["CPUExecutionProvider"],
        )
    file = graph_file(folder)
    pooling = PoolingType(_pooling(folder))
    # fastembed wants a name for the layout; the folder is given when it is opened.
    layout = f"footnote/{pooling.value.lower()}/{file}"
    with REGISTERING:
        registered = {
            str(model["model"]).lower() for model in TextEmbedding.list_supported_models()
        }
        if layout.lower() not in registered:
            TextEmbedding.add_custom_model(
                model=layout,
                pooling=pooling,
                normalization=False,
                sources=ModelSource(hf=layout),
                dim=1,  # Unused; the lane's dimensions are measured.
                model_file=file,
            )
    return TextEmbedding(
        layout,
        threads=threads or None,
        providers=["CPUExecutionProvider"],
        local_files_only=True,
        specific_model_path=str(folder),
    )


def _pooling(folder: Path) -> str:
    """Return the pooling mode in sentence-transformers' file; the mean by default."""
    settings = _read(folder / "1_Pooling" / "config.json")
    if settings.get("pooling_mode_cls_token"):
        return "CLS"
    if settings.get("pooling_mode_lasttoken"):
        return "LAST_TOKEN"
    return "MEAN"


def _prompts(folder: Path) -> dict[str, str]:
    prompts = _read(folder / "config_sentence_transformers.json").get("prompts")
    if not isinstance(prompts, dict):
        return {}
    return {str(key): value for key, value in prompts.items() if isinstance(value, str)}


def _read(path: Path) -> dict[str, object]:
    if not path.is_file():
        return {}
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LaneUnavailable(f"{path} cannot be read: {error}", hint="mend the file") from error
    return config if isinstance(config, dict) else {}


def _revision(model: TextEmbedding, prompts: tuple[str, str]) -> str:
    """Return a digest of the weights and of the prompts, which change every vector."""
    inner = model.model
    folder, description = (
        getattr(inner, "_model_dir", None),
        getattr(inner, "model_description", None),
    )
    file_name = getattr(description, "model_file", None)
    assert folder is not None, "fastembed remembers where it read the model"
    assert file_name is not None, "fastembed describes every model"
    with (Path(folder) / file_name).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    digest.update(repr((prompts, inner.model_name)).encode())
    return digest.hexdigest()[:_REVISION_CHARACTERS]


def _tokenizer_of(model: TextEmbedding) -> Tokenizer:
    tokenizer = getattr(model.model, "tokenizer", None)
    assert isinstance(tokenizer, Tokenizer), "fastembed opens the tokenizer with the model"
    return tokenizer
