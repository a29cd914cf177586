"""What is built from weights is opened once in a process."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from footnote.models.e5 import e5_tokenizer
from footnote.models.model_store import built, open_session
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


def test_graphs_that_nobody_opened_for_a_week_are_removed(
    int8: SentenceEncoder, models_folder: Path, tmp_path: Path
) -> None:
    """Those of the version before stayed for good, 270 MB of them."""
    (found,) = models_folder.glob("*int8*/model-*.onnx")
    graph = tmp_path / "model-9.onnx"
    graph.write_bytes(found.read_bytes())
    open_session(built(graph, lambda: b""))
    own = set(tmp_path.iterdir())
    assert len(own) == 3, "the graph, the mapped one and its weights"
    week = (7 * 86_400 + 60) * 10**9
    (tmp_path / "mapping-1").mkdir()
    names = ("model-8.onnx", "model-8-0123456789abcdef.bin", "model-7.onnx", "tokenizer.model")
    for name in names:
        (tmp_path / name).write_bytes(b"x")
    for each in tmp_path.iterdir():
        before = each.stat()
        used = before.st_atime_ns - (0 if each.name == "model-7.onnx" else week)
        os.utime(each, ns=(used, before.st_mtime_ns - week))
    open_session(built(graph, lambda: b""))
    assert set(tmp_path.iterdir()) == own | {tmp_path / each for each in names[2:]}


def test_folders_of_revisions_that_nobody_opened_for_a_week_are_removed(
    int8: SentenceEncoder, models_folder: Path, tmp_path: Path
) -> None:
    (found,) = models_folder.glob("*int8*/model-*.onnx")
    unused = ("document--packaged--minilm--384--old", "multilingual-e5-small-0123456789ab")
    kept = ("document--packaged--minilm--384--recent", "embedders", "document--packaged--empty")
    week = 7 * 86_400 + 60
    for name in (*unused, *kept[:2]):
        (tmp_path / name).mkdir()
        file = tmp_path / name / "tokenizer.model"
        file.write_bytes(b"x")
        if name != kept[0]:
            before = file.stat()
            os.utime(file, (before.st_atime - week, before.st_mtime - week))
    (tmp_path / kept[2]).mkdir()
    graph = tmp_path / "document--packaged--minilm--384--new" / "model-9.onnx"
    open_session(built(graph, found.read_bytes))
    assert {each.name for each in tmp_path.iterdir()} == {*kept, graph.parent.name}


async def test_the_models_of_a_process_share_the_tokenizer_of_a_file(
    e5: SentenceEncoder, e5_folder: Path, tmp_path: Path
) -> None:
    before = e5_tokenizer.cache_info()
    reader = open_reader(write_tiny_reader(tmp_path / "reader.safetensors"), e5_folder, threads=1)
    await reader.close()
    after = e5_tokenizer.cache_info()
    assert (after.hits, after.misses) == (before.hits + 1, before.misses)
