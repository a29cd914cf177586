"""What is built from weights is opened once in a process."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footnote.models.e5 import e5_tokenizer
from footnote.models.model_store import open_session
from footnote.models.reader import open_reader
from footnote.models.sentence_encoder import SentenceEncoder

from .tiny_reader import write_tiny_reader


def test_the_models_of_a_process_share_the_session_of_a_graph(
    int8: SentenceEncoder, models_folder: Path, tmp_path: Path
) -> None:
    (graph,) = models_folder.glob("*int8*/model-*.onnx")
    (tmp_path / "elsewhere").symlink_to(graph.parent)
    assert open_session(graph) is open_session(tmp_path / "elsewhere" / graph.name)


def test_a_graph_that_was_replaced_is_opened_anew(
    int8: SentenceEncoder, fp32: SentenceEncoder, models_folder: Path, tmp_path: Path
) -> None:
    (small,) = models_folder.glob("*int8*/model-*.onnx")
    (large,) = models_folder.glob("*fp32*/model-*.onnx")
    graph = tmp_path / "model.onnx"
    sessions = []
    for content in (small, large):
        (tmp_path / "new").write_bytes(content.read_bytes())
        (tmp_path / "new").replace(graph)
        sessions.append(open_session(graph))
    inputs = {name: np.ones((1, 3), np.int32) for name in ("input_ids", "attention_mask")}
    before, after = (each.run(None, inputs)[0] for each in sessions)
    assert not np.array_equal(before, after)


async def test_the_models_of_a_process_share_the_tokenizer_of_a_file(
    e5: SentenceEncoder, e5_folder: Path, tmp_path: Path
) -> None:
    before = e5_tokenizer.cache_info()
    reader = open_reader(write_tiny_reader(tmp_path / "reader.safetensors"), e5_folder, threads=1)
    await reader.close()
    after = e5_tokenizer.cache_info()
    assert (after.hits, after.misses) == (before.hits + 1, before.misses)
