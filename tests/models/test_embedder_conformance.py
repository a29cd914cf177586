"""What every embedder promises, held against the real model and the shipped fake."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from footnote.models.aligned import MODEL as ALIGNED
from footnote.models.batching import CrossDocumentBatcher
from footnote.models.e5 import MODEL as E5
from footnote.models.embedder_specs import parse_spec
from footnote.models.embedders import EmbedderChoices, open_hosted
from footnote.models.sentence_encoder import SentenceEncoder
from footnote.models.testing import HashEmbedder
from footnote.ports import Embedder

from .embedding_server import embedding_server, embeds

TEXTS = [
    "The tenant pays the rent on the first working day of each month.",
    "Payment is due monthly, on the first business day.",
    "",
    "   \n\t ",
    "Über die Kündigung entscheidet der Vorstand. 取締役会が決定する。 🙂",
    "nul \x00 and a lone surrogate \ud800 inside",
    "A sentence that repeats itself. " * 80,
    "x",
]


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Embedder]:
    """A model behind a real server on loopback."""
    with embedding_server(then=lambda asked: embeds(asked, 256)) as server:
        choices = EmbedderChoices(models_folder=tmp_path, max_tokens=256)
        hosted = await open_hosted(parse_spec(f"compatible:served@{server.url}"), choices)
        yield hosted
        await hosted.close()


@pytest.fixture(params=["fake", "fp32", "int8", "e5", "aligned", "batched", "served"])
async def embedder(request: pytest.FixtureRequest, served: Embedder) -> Embedder:
    if request.param == "served":
        return served
    if request.param == "fake":
        return HashEmbedder(dimensions=256)
    if request.param == "batched":
        model: SentenceEncoder = request.getfixturevalue("int8")
        return CrossDocumentBatcher(inner=model, batch_tokens=2048)
    chosen: SentenceEncoder = request.getfixturevalue(request.param)
    return chosen


async def test_vectors_are_float32_of_the_lanes_width_and_unit_length(embedder: Embedder) -> None:
    vectors = await embedder.embed_documents(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.lane.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


async def test_no_texts_yield_an_empty_matrix(embedder: Embedder) -> None:
    assert (await embedder.embed_documents([])).shape == (0, embedder.lane.dimensions)
    assert embedder.count_tokens([]) == []


async def test_the_order_of_texts_is_the_order_of_vectors(embedder: Embedder) -> None:
    forward = await embedder.embed_documents(TEXTS)
    backward = await embedder.embed_documents(TEXTS[::-1])
    np.testing.assert_allclose(forward, backward[::-1], atol=1e-5)


async def test_the_same_text_always_has_the_same_vector(embedder: Embedder) -> None:
    first = await embedder.embed_documents(TEXTS)
    np.testing.assert_array_equal(first, await embedder.embed_documents(TEXTS))


async def test_a_vector_does_not_depend_on_the_batch(embedder: Embedder) -> None:
    together = await embedder.embed_documents(TEXTS)
    alone = [(await embedder.embed_documents([text]))[0] for text in TEXTS]
    similarities = np.sum(together * np.stack(alone), axis=1)
    assert similarities.min() > 0.9999


async def test_a_query_has_the_vector_of_a_document_with_its_text(embedder: Embedder) -> None:
    if embedder.lane.model == ALIGNED:
        pytest.skip("few words may be of one language as a question, of another as a passage")
    for text in TEXTS:
        query = await embedder.embed_query(text)
        assert query.shape == (embedder.lane.dimensions,)
        document = (await embedder.embed_documents([text]))[0]
        told_apart = embedder.lane.model == E5  # It reads a query after another prefix.
        assert float(query @ document) > (0.5 if told_apart else 0.9999)


async def test_shared_words_are_nearer_than_unrelated_ones(embedder: Embedder) -> None:
    query = await embedder.embed_query("When is the rent paid by the tenant?")
    vectors = await embedder.embed_documents(
        ["The rent is paid by the tenant in May.", "Penguins hatch eggs during polar winter."]
    )
    near, far = vectors @ query
    assert near > far + 0.3


async def test_concurrent_callers_get_their_own_vectors(embedder: Embedder) -> None:
    groups = [[f"{text} {number}" for text in TEXTS[:3]] for number in range(5)]
    expected = [await embedder.embed_documents(group) for group in groups]
    found = await asyncio.gather(*(embedder.embed_documents(group) for group in groups))
    for mine, theirs in zip(expected, found, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-3)


def test_tokens_are_counted_without_marks_and_beyond_the_window(embedder: Embedder) -> None:
    counts = embedder.count_tokens(["", "one two three", "word " * 1000])
    assert counts == [0, 3, 1000]
    assert embedder.max_tokens < 1000


async def test_what_lies_beyond_the_window_is_not_seen(embedder: Embedder) -> None:
    seen = "the rent is due on the first day " * embedder.max_tokens
    vectors = await embedder.embed_documents([seen, seen + "penguin " * 50])
    assert float(vectors[0] @ vectors[1]) > 0.9999
