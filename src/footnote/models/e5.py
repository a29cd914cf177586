"""The packaged lane for all languages: multilingual-e5-small run by ONNX Runtime."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt

from footnote.domain import Lane
from footnote.models.e5_file import BLOCK, DIGEST, E5File, read_packaged
from footnote.models.encoder_shape import (
    GRAPH_FORM,
    GRAPH_REVISION,
    Precision,
    QuantisedWords,
)
from footnote.models.injection_screen import packaged_injection_screen, screens_digest
from footnote.models.model_store import built, check_known_vectors, open_session
from footnote.models.question_kind import STATES_LAYER, packaged_question_kinds
from footnote.models.sentence_encoder import Loaded, Reading, SentenceEncoder
from footnote.models.tokenizing import UnigramPieces, unigram_model

MODEL = "multilingual-e5-small"
KNOWN_VECTORS_FILE = "e5_known_vectors.json"
WIDTH = 384
MAX_TOKENS = 512
"""Positions the model was trained on, including `<s>`, `</s>` and the prefix."""
QUERY_PREFIX = "query: "
DOCUMENT_PREFIX = "passage: "
"""The prefixes that the model was trained with."""
CENTRE_FILE = "e5_centre.json"
READING_REVISION = 1
"""To be raised whenever the preprocessing of texts or the centre changes, and so the vectors do."""
_ROWS = 250037
_PAGE = 4096
_SCALES_AT = -(-_ROWS * WIDTH // 2 // _PAGE) * _PAGE
WORDS = QuantisedWords(file="words.bin", rows=_ROWS, width=WIDTH, block=BLOCK, scales_at=_SCALES_AT)
"""The embedding matrix, shared by every graph in the folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class E5Files:
    """The files shared by graphs over the embedding matrix: their folder and the tokenizer."""

    folder: Path
    """Has `words.bin`, and must have the graphs that read it."""
    tokenizer: Path


def load_e5(
    models_folder: Path,
    precision: Precision,
    threads: int,
    batch_tokens: int,
    *,
    at_first_use: bool = False,
) -> SentenceEncoder:
    """Load the packaged model, or have it load at its first use. Blocks: call it in a thread.

    The first load writes graph, embedding matrix and tokenizer below `models_folder` (about 90 MB
    in int8, 150 MB in fp32); later ones read them. Arguments and errors are as in `load_minilm`.
    """
    package = cache(read_packaged)

    def build() -> bytes:
        from footnote.models.bert_graph import build_graph  # noqa: PLC0415  # slow, needed once

        screen = packaged_injection_screen("e5")
        graph = build_graph(
            package().weights(),
            package().shape,
            precision,
            WORDS,
            centre(),
            screen=screen,
            states_of=STATES_LAYER,
        )
        return bytes(graph.SerializeToString())

    lane = Lane(
        name="document",
        provider="packaged",
        model=MODEL,
        dimensions=WIDTH,
        revision=f"{DIGEST[:12]}-{precision}-{GRAPH_REVISION}.{READING_REVISION}",
    )

    def load() -> Loaded:
        shared = shared_files(models_folder, package)
        revision = (
            f"{GRAPH_REVISION}.{READING_REVISION}-{GRAPH_FORM}.{STATES_LAYER}-{screens_digest()}"
        )
        graph = built(shared.folder / f"embedder-{precision}-{revision}.onnx", build)
        with ThreadPoolExecutor(1, thread_name_prefix="load-e5") as executor:
            opening = executor.submit(open_session, graph)
            tokenizer = e5_tokenizer(shared.tokenizer.resolve())
        loaded = Loaded(session=opening.result(), tokenizer=tokenizer)
        encode = over(lambda: loaded).encode
        check_known_vectors(loaded.session, encode, KNOWN_VECTORS_FILE, precision, shared.folder)
        return loaded

    def over(load: Callable[[], Loaded]) -> SentenceEncoder:
        reading = Reading(
            max_tokens=MAX_TOKENS,
            query_prefix=QUERY_PREFIX,
            document_prefix=DOCUMENT_PREFIX,
            cased=True,
        )
        return SentenceEncoder(
            lane,
            load,
            reading,
            threads=threads,
            batch_tokens=batch_tokens,
            kinds=packaged_question_kinds(),
        )

    embedder = over(load)
    if not at_first_use:
        embedder.open()
    return embedder


def shared_files(models_folder: Path, package: Callable[[], E5File] = read_packaged) -> E5Files:
    """Return the embedding matrix and the tokenizer in their own folder, built when absent.

    Raises LaneUnavailable when they are absent and the package is not the expected one.
    """
    folder = models_folder / f"{MODEL}-{DIGEST[:12]}"
    built(folder / WORDS.file, lambda: _words(package()))
    tokenizer = built(folder / "tokenizer.model", lambda: unigram_model(package().vocabulary))
    return E5Files(folder=folder, tokenizer=tokenizer)


@cache
def e5_tokenizer(file: Path) -> UnigramPieces:
    """Load the tokenizer from the file, once for all models of the process: it takes 60 MB."""
    return UnigramPieces(file.read_bytes())


def centre() -> npt.NDArray[np.float32]:
    """Return the mean vector of unrelated passages in many languages, computed in `training/`.

    Unrelated texts have a cosine of 0.75 in this model. With the centre subtracted it is 0, which
    fusion treats as the natural zero and thresholds as nothing in common.
    """
    content = files("footnote.models").joinpath(CENTRE_FILE).read_text(encoding="utf-8")
    values: npt.NDArray[np.float32] = np.array(json.loads(content)["centre"], dtype=np.float32)
    return values


def _words(package: E5File) -> bytes:
    packed, scales = package.packed_words()
    assert packed.shape == (WORDS.rows, WORDS.width // 2), "the digest pins the file"
    return packed.tobytes().ljust(WORDS.scales_at, b"\0") + scales.astype(np.float32).tobytes()
