"""What every reranker promises, held against a real local model and a real HTTP server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from footnote.models.breaker import GuardedReranker
from footnote.models.rerankers import reranker_from
from footnote.models.testing import WordReader

from .rerank_server import KEY, rerank_server
from .tiny_cross_encoder import build_cross_encoder

KINDS = ("reader", "local", "cohere", "jina", "voyage", "tei", "vertex")
QUERY = "When is the rent due?"
TEXTS = [
    "Penguins hatch eggs during polar winter.",
    "The tenant pays the rent on the first working day of each month.",
    "",
    "   \n\t ",
    "Über die Kündigung entscheidet der Vorstand. 取締役会が決定する。 🙂",
    "nul \x00 and a lone surrogate \ud800 inside",
    "A word that repeats itself. " * 800,
    "rent",
]


class OwnedWords(WordReader):
    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_cross_encoder(tmp_path_factory.mktemp("cross-encoder"))


@pytest.fixture(params=KINDS)
async def reranker(
    request: pytest.FixtureRequest, model_folder: Path, tmp_path: Path
) -> AsyncIterator[GuardedReranker]:
    async with rerank_server() as server:
        chosen = reranker_from(
            kind=request.param,
            models_folder=tmp_path,
            model=str(model_folder) if request.param == "local" else "",
            url=server.url,
            api_key=KEY,
            project="acme",
            timeout_seconds=60,
            reader=OwnedWords() if request.param == "reader" else None,
        )
        assert chosen is not None
        yield chosen
        await chosen.close()


async def test_each_text_has_one_score_between_0_and_1(reranker: GuardedReranker) -> None:
    scores = await reranker(QUERY, TEXTS)
    assert len(scores) == len(TEXTS)
    assert all(0 <= score <= 1 for score in scores)


async def test_no_texts_have_no_scores(reranker: GuardedReranker) -> None:
    assert await reranker(QUERY, []) == []


async def test_what_answers_scores_above_what_does_not(reranker: GuardedReranker) -> None:
    scores = await reranker(QUERY, TEXTS)
    assert min(scores[1], scores[7]) > max(scores[0], *scores[2:6])


async def test_scores_follow_their_texts_into_another_order(reranker: GuardedReranker) -> None:
    forward = await reranker(QUERY, TEXTS)
    backward = await reranker(QUERY, TEXTS[::-1])
    assert backward[::-1] == pytest.approx(forward, abs=1e-6)


async def test_the_same_text_has_the_same_score(reranker: GuardedReranker) -> None:
    scores = await reranker(QUERY, [*TEXTS, *TEXTS])
    assert scores[: len(TEXTS)] == scores[len(TEXTS) :]
    assert await reranker(QUERY, TEXTS) == pytest.approx(scores[: len(TEXTS)], abs=1e-6)


async def test_a_score_does_not_depend_on_the_other_texts(reranker: GuardedReranker) -> None:
    together = await reranker(QUERY, TEXTS)
    alone = [(await reranker(QUERY, [text]))[0] for text in TEXTS]
    assert alone == pytest.approx(together, abs=1e-6)


async def test_more_texts_than_one_call_takes_are_scored_all_the_same(
    reranker: GuardedReranker,
) -> None:
    texts = [f"{'rent ' * (number % 7)}penguins {number}" for number in range(1005)]
    scores = await reranker(QUERY, texts)
    assert len(scores) == len(texts)
    assert scores[1000] == pytest.approx((await reranker(QUERY, [texts[1000]]))[0], abs=1e-6)


async def test_concurrent_callers_get_their_own_scores(reranker: GuardedReranker) -> None:
    queries = ["rent due", "penguins winter", "deposit", QUERY, "\ud800 odd"]
    expected = [await reranker(query, TEXTS) for query in queries]
    found = await asyncio.gather(*(reranker(query, TEXTS) for query in queries))
    for mine, theirs in zip(expected, found, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-6)


async def test_it_has_a_name_that_says_its_kind(reranker: GuardedReranker) -> None:
    assert reranker.name.partition(":")[0] in KINDS


async def test_it_can_be_made_ready_and_closed_more_than_once(reranker: GuardedReranker) -> None:
    await reranker.prepare()
    await reranker.prepare()
    await reranker.close()
    await reranker.close()
