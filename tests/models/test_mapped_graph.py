"""A graph whose weights are mapped into memory says what the graph says that it is made of."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from footnote.models.mapped_graph import mapped
from footnote.models.model_store import open_session
from footnote.models.reader import open_reader

from .tiny_reader import write_tiny_reader

INPUTS = {
    "input_ids": np.array([[0, 5, 9, 2], [0, 7, 2, 1]], np.int32),
    "attention_mask": np.array([[1, 1, 1, 1], [1, 1, 1, 0]], np.int32),
}


@pytest.fixture
def graph(e5_folder: Path, tmp_path: Path) -> Path:
    """The lowest part of a reader in a folder of its own, beside the shared words."""
    reader = open_reader(write_tiny_reader(tmp_path / "tiny.safetensors"), e5_folder, threads=1)
    (made,) = e5_folder.glob(f"*/{reader.name}-0-1-int8-*.onnx")
    os.link(made.parent / "words.bin", tmp_path / "words.bin")
    return Path(shutil.copy(made, tmp_path / "reader.onnx"))


def plainly(graph: Path) -> list[np.ndarray]:
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    return list(session.run(None, INPUTS))


def test_mapped_weights_say_the_same_to_the_bit(graph: Path) -> None:
    path = mapped(graph)
    assert path != graph
    for one, other in zip(plainly(path), plainly(graph), strict=True):
        assert np.array_equal(one, other)


def test_every_weight_in_the_file_is_aligned_and_the_words_stay_where_they_are(
    graph: Path,
) -> None:
    tensors = onnx.load(mapped(graph), load_external_data=False).graph.initializer
    of = {
        tensor.name: {each.key: each.value for each in tensor.external_data} for tensor in tensors
    }
    packed = [
        place.partition(";")[0]
        for entries in of.values()
        for key, value in entries.items()
        if key.startswith("prepacked")
        for place in value.split("|")[1:]
    ]
    assert of["words"]["location"] == "words.bin"
    assert packed, "the runtime packs matrices for the processors that tests run on"
    weights = [entries["offset"] for entries in of.values() if entries]
    assert all(int(offset) % 64 == 0 for offset in [*packed, *weights])
    assert not list(graph.parent.glob("mapping-*"))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process has mapped")
def test_a_session_maps_the_file_of_its_weights(graph: Path) -> None:
    session = open_session(graph)
    session.run(None, INPUTS)
    assert f"{graph.parent}/reader-" in Path("/proc/self/maps").read_text()


def test_a_graph_that_was_replaced_is_mapped_anew(graph: Path) -> None:
    first = mapped(graph).read_bytes()
    model = onnx.load(graph, load_external_data=False)
    bias = next(
        each for each in model.graph.initializer if each.name.endswith("output.LayerNorm.bias")
    )
    bias.raw_data = np.ones(bias.dims[0], np.float32).tobytes()
    graph.write_bytes(model.SerializeToString())
    assert mapped(graph).read_bytes() != first
    assert np.array_equal(plainly(mapped(graph))[0], plainly(graph)[0])


def test_where_nothing_can_be_written_the_graph_itself_is_opened(
    graph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryDirectory", full)
    assert mapped(graph) == graph
    assert open_session(graph).run(None, INPUTS)
