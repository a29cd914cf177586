"""The packaged model equals an independent forward pass, and failures say what to do."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from footnote.errors import INSTALL_MODELS, LaneUnavailable
from footnote.models import minilm
from footnote.models.encoder_shape import GRAPH_FORM
from footnote.models.injection_screen import screens_digest
from footnote.models.minilm import (
    KNOWN_VECTORS_FILE,
    MAX_TOKENS,
    SHAPE,
    load_minilm,
    packaged_folder,
)
from footnote.models.sentence_encoder import SentenceEncoder

from .bert_reference import Array, reference_vector

GRAPH = f"model-{GRAPH_FORM}-{screens_digest()}.onnx"

SENTENCES = [
    "where is the notice period?",
    "Either party may terminate this agreement with ninety days' notice in writing.",
    "",
    "Résumé: naïve façade, 東京, POL-2024/88-A. " * 3,
    "The boundary layer separates from the wing where the pressure gradient is adverse. " * 40,
]


def reference_vectors(texts: Sequence[str]) -> Array:
    weights = load_file(packaged_folder() / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(packaged_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return np.stack(
        [reference_vector(weights, SHAPE, tokenizer.encode(text).ids) for text in texts]
    )


def test_fp32_equals_an_independent_forward_pass(fp32: SentenceEncoder) -> None:
    assert max(fp32.count_tokens(SENTENCES)) > MAX_TOKENS
    np.testing.assert_allclose(fp32.encode(SENTENCES), reference_vectors(SENTENCES), atol=2e-5)


def test_the_known_vectors_equal_an_independent_forward_pass(models_folder: Path) -> None:
    resource = files("footnote.models").joinpath(KNOWN_VECTORS_FILE)
    known = json.loads(resource.read_text(encoding="utf-8"))
    expected = reference_vectors(known["sentences"])[:, : len(known["fp32"][0])]
    np.testing.assert_allclose(known["fp32"], expected, atol=2e-5)
    np.testing.assert_allclose(known["int8"], expected, atol=2e-2)


def test_int8_agrees_with_fp32(fp32: SentenceEncoder, int8: SentenceEncoder) -> None:
    similarities = np.sum(fp32.encode(SENTENCES) * int8.encode(SENTENCES), axis=1)
    assert similarities.mean() > 0.99
    assert similarities.min() > 0.98


def test_int8_vectors_do_not_depend_on_their_batch_mates(int8: SentenceEncoder) -> None:
    texts = [SENTENCES[0], "a loud outlier !!!! ####", SENTENCES[0], SENTENCES[3]]
    together = int8.encode(texts)
    np.testing.assert_allclose(together[0], int8.encode(texts[:1])[0], atol=1e-3)
    np.testing.assert_array_equal(together[0], together[2])


def test_the_lane_names_weights_and_precision(fp32: SentenceEncoder, int8: SentenceEncoder) -> None:
    assert (int8.lane.name, int8.lane.provider, int8.lane.dimensions) == (
        "document",
        "packaged",
        384,
    )
    assert int8.lane.languages == ("en",)
    assert "int8" in int8.lane.revision
    assert int8.lane.fingerprint != fp32.lane.fingerprint


async def test_a_query_is_answered_before_a_long_document_is(int8: SentenceEncoder) -> None:
    document = asyncio.create_task(int8.embed_documents(["word " * 300] * 200))
    await asyncio.sleep(0)
    await int8.embed_query("does it wait?")
    assert not document.done()
    document.cancel()
    with pytest.raises(asyncio.CancelledError):
        await document


def test_the_graph_is_built_once(int8: SentenceEncoder, models_folder: Path) -> None:
    (graph,) = models_folder.glob("*int8*/model-*.onnx")
    before = {file: file.stat().st_mtime_ns for file in graph.parent.iterdir()}
    load_minilm(models_folder, "int8", threads=1, batch_tokens=512).close()
    assert {file: file.stat().st_mtime_ns for file in graph.parent.iterdir()} == before
    assert len(before) == 3, "the graph, the one made of it, and the weights of that"


def test_a_broken_graph_says_which_folder_to_delete(int8: SentenceEncoder, tmp_path: Path) -> None:
    folder = tmp_path / int8.lane.fingerprint.replace("/", "--")
    folder.mkdir()
    (folder / GRAPH).write_bytes(b"not a graph")
    with pytest.raises(LaneUnavailable) as raised:
        load_minilm(tmp_path, "int8", threads=1, batch_tokens=512)
    assert str(folder) in (raised.value.hint or "")


def test_a_graph_with_other_vectors_is_refused(
    fp32: SentenceEncoder, models_folder: Path, tmp_path: Path
) -> None:
    (good,) = models_folder.glob("*fp32*/model-*.onnx")
    content = bytearray(good.read_bytes())
    middle = len(content) * 3 // 4
    content[middle : middle + 1_000_000] = bytes(1_000_000)
    folder = tmp_path / good.parent.name
    folder.mkdir()
    (folder / GRAPH).write_bytes(content)
    with pytest.raises(LaneUnavailable) as raised:
        load_minilm(tmp_path, "fp32", threads=1, batch_tokens=512)
    assert str(folder) in (raised.value.hint or "")


def test_missing_weights_say_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "PACKAGES", (("a_package_that_is_not_there", ""),))
    with pytest.raises(LaneUnavailable) as raised:
        packaged_folder()
    assert raised.value.hint == INSTALL_MODELS


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Rights count in this block, as they do not for root."""
    own = os.geteuid()
    if own == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(own)


@pytest.mark.parametrize("closed", [GRAPH, "."], ids=["file", "folder"])
def test_a_model_that_may_not_be_read_is_not_called_broken(
    int8: SentenceEncoder, closed: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        folder = Path(name) / int8.lane.fingerprint.replace("/", "--")
        folder.mkdir()
        (folder / GRAPH).write_bytes(b"whole")
        (folder / closed).chmod(0)
        with ordinary_user(), pytest.raises(LaneUnavailable, match="may not use") as raised:
            load_minilm(Path(name), "int8", threads=1, batch_tokens=512)
        (folder / closed).chmod(0o700)
    assert raised.value.hint is not None
    assert "delete" not in raised.value.hint


def test_an_unwritable_folder_is_reported(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(LaneUnavailable, match="cannot be built"):
        load_minilm(blocked, "int8", threads=1, batch_tokens=512)
