"""A search degrades rather than fails, and explains itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import pytest

from footnote.domain import (
    BlockKind,
    BlockSpan,
    Hit,
    Lane,
    Passage,
    SearchRequest,
    SourceType,
)
from footnote.errors import LaneUnavailable
from footnote.index.analysis import TextAnalyzer
from footnote.models.testing import HashEmbedder
from footnote.ports import Recalled, RecallRequest, Vector, Vectors
from footnote.retrieval.fusion import ReciprocalRankFusion
from footnote.retrieval.pipeline import Search


@dataclass(frozen=True)
class ListIndex:
    """An index over a list of texts, searched by shared words alone."""

    texts: tuple[str, ...]

    async def recall(self, request: RecallRequest) -> Recalled:
        terms = set(request.terms_of(["en"])) if request.terms_of else set()
        lexical = [
            Hit(chunk_no=number, score=float(len(found)))
            for number, text in enumerate(self.texts)
            if (found := terms & set(TextAnalyzer().terms(text, "en")))
        ]
        dense = []
        if request.vector is not None:
            similarities = HashEmbedder().encode(self.texts) @ request.vector
            dense = [Hit(chunk_no=n, score=float(s)) for n, s in enumerate(similarities)]
        return Recalled(
            dense=tuple(sorted(dense, key=lambda hit: (-hit.score, hit.chunk_no))),
            lexical=tuple(sorted(lexical, key=lambda hit: (-hit.score, hit.chunk_no))),
            matched_terms={hit.chunk_no: {"x": hit.score} for hit in lexical},
        )

    async def passages(self, chunk_numbers: Sequence[int]) -> Mapping[int, Passage]:
        return {number: passage(number, self.texts[number]) for number in chunk_numbers}


@dataclass(frozen=True)
class DeafEmbedder:
    """A model that cannot be reached."""

    lane: Lane = HashEmbedder().lane
    max_tokens: int = 256

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise LaneUnavailable(f"the model is away, {len(texts)} texts wait")

    async def embed_query(self, text: str) -> Vector:
        raise LaneUnavailable(f"the model is away, {text!r} waits")


def passage(number: int, text: str) -> Passage:
    span = BlockSpan(
        char_start=0, char_end=len(text), page=1, paragraph=1, kind=BlockKind.PARAGRAPH
    )
    return Passage(
        chunk_id=f"{UUID(int=number)}:1:0",
        chunk_no=number,
        document_id=UUID(int=number),
        version=1,
        ordinal=0,
        kind=BlockKind.PARAGRAPH,
        text=text,
        body_offset=0,
        char_start=0,
        char_end=len(text),
        spans=(span,),
        heading_path=(),
        page_start=1,
        page_end=1,
        paragraph_start=1,
        paragraph_end=1,
        document_title=text,
        filename="a.txt",
        collection="default",
        source_type=SourceType.UPLOAD,
    )


def search(embedder: HashEmbedder | DeafEmbedder) -> Search:
    return Search(
        embedder=embedder,
        analyzer=TextAnalyzer(),
        fusion=ReciprocalRankFusion(),
        recall_limit=10,
    )


INDEX = ListIndex(("The buoy is red.", "The anchor is heavy.", "An anchor chain and an anchor."))


async def test_every_evidence_carries_the_record_of_each_stage() -> None:
    response = await search(HashEmbedder())(SearchRequest(query="anchor"), INDEX)
    assert response.degraded == ()
    best = response.evidence[0]
    assert [record.stage for record in best.explanation] == ["dense", "lexical", "rrf"]
    assert best.explanation[-1].score_after == best.score
    expected = sum(1 / (60 + record.rank_after) for record in best.explanation[:-1])
    assert best.score == pytest.approx(expected)
    assert [each.rank for each in response.evidence] == [1, 2, 3]


async def test_without_the_model_the_words_still_answer_and_it_says_so() -> None:
    response = await search(DeafEmbedder())(SearchRequest(query="anchor"), INDEX)
    assert {each.passage.chunk_no for each in response.evidence} == {1, 2}
    assert response.degraded == ("dense: the model is away, 'anchor' waits",)
    assert all(each.similarity is None for each in response.evidence)


async def test_top_k_bounds_what_is_returned() -> None:
    response = await search(HashEmbedder())(SearchRequest(query="anchor", top_k=1), INDEX)
    assert len(response.evidence) == 1
