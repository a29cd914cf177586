"""Reranking reorders the head of a ranking, explains it, and never loses evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import (
    Evidence,
    Passage,
    StageRecord,
)
from footnote.errors import ModelUnavailable
from footnote.retrieval.rerank import Rerank, text_to_read
from tests.retrieval.evidence import passage_of


@dataclass
class Reader:
    """A reranker that gives the scores it is told to, and remembers what it read."""

    scores: list[float]
    name: str = "reader"
    read: tuple[str, ...] = ()
    queries: list[str] = field(default_factory=list)

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        self.queries.append(query)
        self.read = tuple(texts)
        return self.scores[: len(texts)]


@dataclass
class Absent:
    """A reranker that cannot be reached."""

    name: str = "absent"

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        raise ModelUnavailable(f"{self.name} is away, {len(texts)} texts wait for {query!r}")


def evidence(count: int) -> tuple[Evidence, ...]:
    fused = [1 / (60 + rank) for rank in range(1, count + 1)]
    return tuple(
        Evidence(
            passage=passage(number, f"text {number}"),
            rank=rank,
            score=score,
            explanation=(StageRecord(stage="rrf", rank_after=rank, score_after=score),),
        )
        for rank, (number, score) in enumerate(zip(reversed(range(count)), fused, strict=True), 1)
    )


def passage(number: int, text: str) -> Passage:
    made = passage_of(text, number=number, document=number, heading_path=("Fleet", "Anchors"))
    return replace(made, document_title="Handbook")


async def test_the_head_is_ordered_by_the_model_and_says_so() -> None:
    before = evidence(3)
    after, degraded = await Rerank(reranker=Reader([0.1, 0.9, 0.5]))("q", before, top_k=1)
    assert degraded == ()
    assert [each.passage.chunk_no for each in after] == [1, 0, 2]
    assert [(each.rank, each.score) for each in after] == [(1, 0.9), (2, 0.5), (3, 0.1)]
    record = after[0].explanation[-1]
    assert record == StageRecord(
        stage="rerank",
        rank_before=2,
        score_before=before[1].score,
        rank_after=1,
        score_after=0.9,
        detail={"model": "reader"},
    )
    assert after[0].explanation[:-1] == before[1].explanation


async def test_the_model_reads_title_headings_and_text() -> None:
    reader = Reader([0.5])
    await Rerank(reranker=reader)("q", evidence(1), top_k=1)
    assert reader.read == ("Handbook\nFleet > Anchors\ntext 0",)
    bare = replace(passage(0, "text"), document_title="", heading_path=())
    assert text_to_read(bare) == "text"


@pytest.mark.parametrize(
    ("depth", "candidates", "read"),
    [(3, None, 6), (1, None, 2), (3, 4, 4), (3, 100, 10), (3, 0, 0), (50, None, 10)],
)
async def test_it_reads_so_many_and_no_more(depth: int, candidates: int | None, read: int) -> None:
    reader = Reader([0.5] * 10)
    stage = Rerank(reranker=reader, depth=depth, candidates=candidates)
    after, _ = await stage("q", evidence(10), top_k=2)
    assert len(reader.read) == read
    assert len(after) == 10


async def test_what_was_not_read_keeps_its_order_and_record_behind_the_head() -> None:
    before = evidence(5)
    after, _ = await Rerank(reranker=Reader([0.001, 0.002, 0.003]))("q", before, top_k=1)
    assert after[3:] == before[3:]
    assert [each.rank for each in after] == [1, 2, 3, 4, 5]


async def test_a_tie_is_broken_by_chunk_number() -> None:
    after, _ = await Rerank(reranker=Reader([0.5] * 3))("q", evidence(3), top_k=1)
    assert [each.passage.chunk_no for each in after] == [0, 1, 2]


async def test_without_the_model_the_given_order_stands_and_it_says_so() -> None:
    before = evidence(4)
    after, degraded = await Rerank(reranker=Absent())("q", before, top_k=1)
    assert after == before
    assert degraded == ("rerank: absent is away, 3 texts wait for 'q'",)


@pytest.mark.parametrize(
    "scores", [[], [0.1], [0.1, float("nan")], [float("inf"), 0.1], [float("-inf"), 0.1]]
)
async def test_scores_that_cannot_be_used_are_as_good_as_none(scores: list[float]) -> None:
    before = evidence(2)
    after, degraded = await Rerank(reranker=Reader(scores))("q", before, top_k=1)
    assert after == before
    assert degraded == ("rerank: reader gave scores that cannot be used",)


async def test_nothing_found_is_nothing_to_read() -> None:
    reader = Reader([])
    assert await Rerank(reranker=reader)("q", (), top_k=8) == ((), ())
    assert reader.queries == []


@given(scores=st.lists(st.floats(-50, 50), max_size=12), top_k=st.integers(1, 5))
def test_records_reproduce_the_order_and_no_evidence_is_lost(
    scores: list[float], top_k: int
) -> None:
    before = evidence(len(scores))
    stage = Rerank(reranker=Reader(scores))
    after, degraded = asyncio.run(stage("q", before, top_k))
    assert degraded == ()
    assert {each.passage.chunk_no for each in after} == {each.passage.chunk_no for each in before}
    assert [each.rank for each in after] == list(range(1, len(scores) + 1))

    def place(each: Evidence) -> tuple[int, float, int]:
        record = each.explanation[-1]
        if record.stage != "rerank":
            return 1, float(record.rank_after), 0
        return 0, -record.score_after, each.passage.chunk_no

    assert list(after) == sorted(after, key=place)
