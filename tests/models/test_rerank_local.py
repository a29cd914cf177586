"""The local cross-encoder: a real ONNX graph and tokenizer, loaded and run by fastembed."""

from __future__ import annotations

import asyncio
import math
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import onnx
import pytest

from footnote.errors import ModelUnavailable, UnsupportedSettings
from footnote.models.onnx_folder import GRAPH_FILES
from footnote.models.rerank_local import MODEL, LocalReranker, ModelFolder, local_reranker

from .tiny_cross_encoder import BIAS, WINDOW, build_cross_encoder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_cross_encoder(tmp_path_factory.mktemp("cross-encoder"))


@pytest.fixture
async def reranker(folder: Path, tmp_path: Path) -> AsyncIterator[LocalReranker]:
    chosen = local_reranker(model="", folder=folder, cache=tmp_path)
    yield chosen
    await chosen.close()


async def test_scores_are_those_of_the_graph_through_the_logistic_function(
    reranker: LocalReranker,
) -> None:
    scores = await reranker("rent rent due", ["rent is due", "penguins hatch", "the rent"])
    logits = [3 / math.sqrt(3), 0, 2 / math.sqrt(2)]
    expected = [1 / (1 + math.exp(-logit - BIAS)) for logit in logits]
    assert scores == pytest.approx(expected, abs=1e-6)


async def test_what_lies_beyond_the_models_window_is_not_read(reranker: LocalReranker) -> None:
    filler = "penguins " * WINDOW
    beyond, nothing, within = await reranker("rent", [filler + "rent", filler, "rent " + filler])
    assert beyond == nothing < within


async def test_the_window_can_be_made_narrower_but_not_wider(folder: Path, tmp_path: Path) -> None:
    text = "penguins " * 20 + "rent"
    scores = []
    for max_tokens in (10, WINDOW * 100):
        each = local_reranker(model="", folder=folder, cache=tmp_path, max_tokens=max_tokens)
        scores += await each("rent", [text])
        scores += await each("rent", ["penguins " * WINDOW + "rent"])
        await each.close()
    cut, cut_too, seen, unseen = scores
    assert seen > cut == pytest.approx(cut_too)
    assert unseen == pytest.approx(cut)


async def test_a_long_query_leaves_room_for_the_text(reranker: LocalReranker) -> None:
    near, far = await reranker("rent " * 10 * WINDOW, ["rent", "penguins"])
    assert near > far


@pytest.mark.parametrize("model_file", GRAPH_FILES)
async def test_every_layout_of_a_folder_is_found(tmp_path: Path, model_file: str) -> None:
    folder = build_cross_encoder(tmp_path / "model", model_file=model_file)
    for _ in range(2):
        each = local_reranker(model="", folder=folder, cache=tmp_path)
        near, far = await each("rent", ["rent", "penguins"])
        await each.close()
        assert near > far


async def test_two_folders_of_one_layout_are_two_models(folder: Path, tmp_path: Path) -> None:
    other = build_cross_encoder(tmp_path / "other")
    (other / "tokenizer_config.json").write_text('{"model_max_length": 4, "pad_token": "[PAD]"}')
    models = [local_reranker(model="", folder=each, cache=tmp_path) for each in (folder, other)]
    wide, narrow = await asyncio.gather(*(each("rent", ["penguins rent"]) for each in models))
    for each in models:
        await each.close()
    assert wide[0] > narrow[0]


async def test_the_network_is_never_touched_when_a_folder_is_given(folder: Path) -> None:
    program = """
import asyncio, os, sys
from pathlib import Path

def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        print(event, arguments, flush=True)
        os._exit(3)

sys.addaudithook(watch)

from footnote.models.rerank_local import local_reranker

async def main():
    reranker = local_reranker(model="", folder=Path(sys.argv[1]), cache=Path(sys.argv[1]))
    near, far = await reranker("rent", ["rent", "penguins"])
    await reranker.close()
    print(near > far)

asyncio.run(main())
"""
    ended = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", program, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in os.environ.items() if not name.startswith("HF_")},
    )
    assert (ended.returncode, ended.stdout.strip()) == (0, "True"), ended.stderr


@pytest.mark.parametrize("missing", ["onnx/model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_a_folder_that_lacks_a_file_is_refused_at_once(tmp_path: Path, missing: str) -> None:
    folder = build_cross_encoder(tmp_path / "model")
    (folder / missing).unlink()
    with pytest.raises(UnsupportedSettings, match=missing) as raised:
        local_reranker(model="", folder=folder, cache=tmp_path)
    assert "FOOTNOTE_RERANKER" in (raised.value.hint or "")


@pytest.mark.parametrize("broken", ["onnx/model.onnx", "tokenizer.json", "tokenizer_config.json"])
async def test_a_file_that_is_broken_makes_it_unavailable(tmp_path: Path, broken: str) -> None:
    folder = build_cross_encoder(tmp_path / "broken")
    (folder / broken).write_bytes(b"\x00not this")
    reranker = local_reranker(model="", folder=folder, cache=tmp_path)
    with pytest.raises(ModelUnavailable, match="local:broken cannot be loaded") as raised:
        await reranker.prepare()
    assert str(folder) in (raised.value.hint or "")
    build_cross_encoder(folder)
    assert len(await reranker("rent", ["rent"])) == 1
    await reranker.close()


@pytest.mark.parametrize("bias", [math.nan, math.inf, -math.inf])
async def test_a_model_that_overflows_is_unavailable(tmp_path: Path, bias: float) -> None:
    folder = build_cross_encoder(tmp_path / "half", bias=bias)
    reranker = local_reranker(model="", folder=folder, cache=tmp_path)
    with pytest.raises(ModelUnavailable, match="local:half gave scores that are no numbers"):
        await reranker("rent", ["rent"])
    await reranker.close()


async def test_a_model_that_is_no_cross_encoder_is_unavailable(
    folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    graph = onnx.load(other / "onnx/model.onnx")
    graph.graph.input[2].name = "something_else"
    for node in graph.graph.node:
        node.input[:] = [
            "something_else" if name == "token_type_ids" else name for name in node.input
        ]
    onnx.save(graph, str(other / "onnx/model.onnx"))
    reranker = local_reranker(model="", folder=other, cache=tmp_path)
    with pytest.raises(ModelUnavailable, match="local:other could not read 1 texts"):
        await reranker("rent", ["rent"])
    await reranker.close()


async def test_scores_far_from_zero_do_not_overflow(tmp_path: Path) -> None:
    folder = build_cross_encoder(tmp_path / "far", bias=-900)
    reranker = local_reranker(model="", folder=folder, cache=tmp_path)
    [far] = await reranker("rent", ["penguins"])
    await reranker.close()
    assert far == pytest.approx(0)


async def test_a_model_the_hub_cannot_give_makes_it_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in (MODEL, "acme/no-such-cross-encoder"):
        reranker = local_reranker(model=name, folder=None, cache=tmp_path / "models")
        with pytest.raises(ModelUnavailable, match=f"local:{name} cannot be loaded") as raised:
            await reranker("rent", ["rent"])
        await reranker.close()
        assert "FOOTNOTE_RERANKER" in (raised.value.hint or "")


async def test_a_model_in_the_hubs_cache_is_read_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    kept = tmp_path / "models--acme--tiny"
    build_cross_encoder(kept / "snapshots/0123456789")
    (kept / "refs").mkdir()
    (kept / "refs/main").write_text("0123456789", encoding="utf-8")
    reranker = local_reranker(model="acme/tiny", folder=None, cache=tmp_path)
    near, far = await reranker("rent", ["rent", "penguins"])
    await reranker.close()
    assert near > far


async def test_without_fastembed_it_names_the_extra_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # None is what makes Python refuse an import.
    monkeypatch.setitem(sys.modules, "fastembed.rerank.cross_encoder", None)
    reranker = LocalReranker(ModelFolder(path=folder))
    with pytest.raises(ModelUnavailable, match="fastembed, which is not installed") as raised:
        await reranker("rent", ["rent"])
    await reranker.close()
    assert "pip install '.[rerank]'" in (raised.value.hint or "")


async def test_what_nobody_waits_for_is_not_run_to_its_end(reranker: LocalReranker) -> None:
    await reranker.prepare()
    long = [f"rent {number} " * 40 for number in range(2000)]
    abandoned = asyncio.create_task(reranker("rent", long))
    near, far = await reranker("rent", ["rent", "penguins"])
    assert near > far
    assert not abandoned.done()
    abandoned.cancel()
    with pytest.raises(asyncio.CancelledError):
        await abandoned
