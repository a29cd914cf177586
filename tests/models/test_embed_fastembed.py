"""An encoder in a folder is run as it was exported; one is built here, so nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from footnote.errors import LaneUnavailable, UnsupportedSettings
from footnote.models.embed_fastembed import FastEmbedEmbedder, load_fastembed

from .tiny_encoder import WIDTH, WINDOW, build_encoder, pool_by_mark

pytest.importorskip("fastembed", reason="fastembed is an extra")

Load = Callable[..., FastEmbedEmbedder]
TEXTS = ["the tenant pays rent", "penguins hatch eggs", "the rent is due when the lease ends", ""]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    opened: list[FastEmbedEmbedder] = []

    def do(folder: Path, dimensions: int | None = None) -> FastEmbedEmbedder:
        embedder = load_fastembed(
            str(folder),
            cache=tmp_path / "cache",
            threads=1,
            batch_tokens=64,
            dimensions=dimensions,
        )
        opened.append(embedder)
        return embedder

    yield do
    for each in opened:
        each.close()


async def test_a_folder_becomes_unit_vectors_in_order(load: Load, tmp_path: Path) -> None:
    embedder = load(build_encoder(tmp_path / "tiny"))
    vectors = await embedder.embed_documents(TEXTS)
    assert vectors.shape == (4, WIDTH)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    backward = await embedder.embed_documents(TEXTS[::-1])
    np.testing.assert_allclose(vectors, backward[::-1], atol=1e-6)
    assert (await embedder.embed_documents([])).shape == (0, WIDTH)


async def test_shared_words_are_nearer_than_unrelated_ones(load: Load, tmp_path: Path) -> None:
    embedder = load(build_encoder(tmp_path / "tiny"))
    query = await embedder.embed_query("rent the tenant pays")
    similarities = await embedder.embed_documents(TEXTS) @ query
    assert similarities.argmax() == 0
    assert similarities[0] > similarities[1] + 0.2


async def test_tokens_are_counted_by_its_own_tokenizer(load: Load, tmp_path: Path) -> None:
    embedder = load(build_encoder(tmp_path / "tiny"))
    assert embedder.max_tokens == WINDOW
    assert embedder.count_tokens(["", "rent is due", "rent " * 100]) == [0, 3, 100]


async def test_the_first_token_stands_for_the_text_where_the_folder_says_so(
    load: Load, tmp_path: Path
) -> None:
    pool_by_mark(build_encoder(tmp_path / "tiny"))
    vectors = await load(tmp_path / "tiny").embed_documents(TEXTS[:2])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)  # Both begin with the mark.


async def test_prompts_of_the_folder_tell_queries_and_documents_apart(
    load: Load, tmp_path: Path
) -> None:
    prompts = {"query": "penguins ", "document": "lease "}
    embedder = load(build_encoder(tmp_path / "prompted", prompts=prompts))
    plain = load(build_encoder(tmp_path / "plain"))
    np.testing.assert_allclose(
        await embedder.embed_query("rent"), await plain.embed_query("penguins rent"), atol=1e-6
    )
    [document] = await embedder.embed_documents(["rent"])
    np.testing.assert_allclose(document, await plain.embed_query("lease rent"), atol=1e-6)
    assert embedder.lane.revision != plain.lane.revision


async def test_vectors_can_be_shortened(load: Load, tmp_path: Path) -> None:
    folder = build_encoder(tmp_path / "tiny")
    whole, short = load(folder), load(folder, dimensions=16)
    assert short.lane.dimensions == 16
    full = (await whole.embed_documents(TEXTS))[:, :16]
    expected = full / np.linalg.norm(full, axis=1, keepdims=True)
    np.testing.assert_allclose(await short.embed_documents(TEXTS), expected, atol=1e-6)
    with pytest.raises(UnsupportedSettings, match=f"{WIDTH} dimensions"):
        load(folder, dimensions=WIDTH + 1)


def test_other_weights_are_another_revision(load: Load, tmp_path: Path) -> None:
    one = load(build_encoder(tmp_path / "a" / "tiny", seed=1))
    same = load(build_encoder(tmp_path / "b" / "tiny", seed=1))
    other = load(build_encoder(tmp_path / "c" / "tiny", seed=2))
    assert one.lane == same.lane
    assert one.lane.model == other.lane.model == "tiny"
    assert one.lane.revision != other.lane.revision


def test_a_folder_without_a_model_says_what_is_missing(load: Load, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedSettings, match=r"tokenizer\.json is missing"):
        load(tmp_path)
    folder = build_encoder(tmp_path / "tiny")
    (folder / "onnx/model.onnx").unlink()
    with pytest.raises(UnsupportedSettings, match=r"model\.onnx is missing"):
        load(folder)


def test_a_broken_graph_says_where_to_look(load: Load, tmp_path: Path) -> None:
    folder = build_encoder(tmp_path / "tiny")
    (folder / "onnx/model.onnx").write_bytes(b"no graph")
    with pytest.raises(LaneUnavailable) as caught:
        load(folder)
    assert str(folder) in (caught.value.hint or "")


def test_a_name_fastembed_does_not_know_is_not_fetched(load: Load) -> None:
    with pytest.raises(UnsupportedSettings, match="knows no embedding model nobody") as caught:
        load(Path("nobody/knows-this"))
    assert "folder" in (caught.value.hint or "")
