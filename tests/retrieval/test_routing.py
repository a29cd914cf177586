"""A routed search looks into fewer documents and loses nothing that the flat one ranks first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import Hit, PlanChanges, Ranking, SearchRequest, SearchResponse
from footnote.ports import PendingVector, Recalled, RecallRequest, RoutedDocument, Routes
from footnote.retrieval.explain import why
from footnote.retrieval.fusion import FusionChoices, Recalls, rank_by_score
from footnote.retrieval.recall_weighting import Signals
from footnote.retrieval.routing import EVIDENT, within_routes

from .list_index import ListIndex
from .test_pipeline import ASKER, INDEX
from .test_pipeline import search as stages

CHUNKS = st.integers(0, 40)
SCORES = st.dictionaries(CHUNKS, st.floats(0.01, 1.0), max_size=25)
FUSIONS = st.sampled_from(["adaptive", "rrf", "weighted_blend", "dense_only", "lexical_only"])


def routes_of(documents: Mapping[int, int], chosen: int) -> Routes:
    """By each chunk the rank of its document."""
    return Routes(
        in_scope=len(set(documents.values())),
        documents={
            number: RoutedDocument(
                rank=rank, score=1 / rank, chosen=rank <= chosen, similarity=0.5, bm25=0.0
            )
            for number, rank in documents.items()
        },
    )


def recalled_of(dense: Mapping[int, float], lexical: Mapping[int, float]) -> Recalled:
    return Recalled(dense=rank_by_score(dense), lexical=rank_by_score(lexical))


@given(SCORES, SCORES, st.dictionaries(CHUNKS, st.integers(1, 12)), st.integers(0, 5), FUSIONS)
def test_what_the_flat_search_ranks_first_is_never_lost(
    dense: dict[int, float],
    lexical: dict[int, float],
    documents: dict[int, int],
    chosen: int,
    fusion: str,
) -> None:
    flat = recalled_of(dense, lexical)
    fused = (
        FusionChoices()
        .named(fusion)(  # type: ignore[arg-type]  # sampled from its names
            Recalls(
                dense=flat.dense,
                lexical=flat.lexical,
                similarities=dense,
                bm25=lexical,
                signals=Signals(language_support=1, coverage=0.5, prominence=0.5),
            )
        )
        .ranking
    )
    routed = replace(flat, routes=routes_of(documents, chosen))
    kept = within_routes(fused, routed, 0)
    assert kept[:EVIDENT] == fused[:EVIDENT]
    evident = {hit.chunk_no for each in (flat.dense, flat.lexical) for hit in each[:EVIDENT]}
    asked = {hit.chunk_no for hit in fused}
    assert evident & asked <= {hit.chunk_no for hit in kept}
    assert kept == tuple(hit for hit in fused if hit in set(kept)), "order and scores stay"
    for hit in fused:
        # All or nothing of a document is looked into.
        same = [
            each for each in fused if documents.get(each.chunk_no) == documents.get(hit.chunk_no)
        ]
        if hit.chunk_no in documents:
            assert (hit in kept) == all(each in kept for each in same)


@given(SCORES, st.dictionaries(CHUNKS, st.integers(1, 12)), st.integers(0, 5), st.integers(0, 30))
def test_a_routed_search_never_finds_too_little(
    scores: dict[int, float], documents: dict[int, int], chosen: int, wanted: int
) -> None:
    flat = rank_by_score(scores)
    recalled = Recalled(dense=flat, routes=routes_of(documents, chosen))
    assert len(within_routes(flat, recalled, wanted)) >= min(wanted, len(flat))


def test_documents_that_promise_little_are_left_out() -> None:
    flat: Ranking = tuple(Hit(chunk_no=number, score=1 - number / 10) for number in range(8))
    ranks = {0: 9, 1: 8, 2: 1, 3: 7, 4: 1, 5: 8, 6: 2, 7: 6}
    recalled = Recalled(dense=flat, routes=routes_of(ranks, 2))
    assert [hit.chunk_no for hit in within_routes(flat, recalled, 0)] == [0, 1, 2, 4, 5, 6]
    # Two more are wanted, and the best other hits bring their documents.
    assert [hit.chunk_no for hit in within_routes(flat, recalled, 7)] == [0, 1, 2, 3, 4, 5, 6]
    assert within_routes(flat, recalled, 8) == flat


def test_where_nothing_routes_everything_stays() -> None:
    flat = (Hit(chunk_no=1, score=0.5),)
    for routes in (None, Routes(in_scope=3)):
        assert within_routes(flat, Recalled(dense=flat, routes=routes), 0) == flat


@dataclass(frozen=True, slots=True)
class RoutedIndex(ListIndex):
    """Finds the later texts more promising, and keeps one."""

    async def recall(self, request: RecallRequest, coming: PendingVector | None = None) -> Recalled:
        if request.route is not None:
            self._check("route")
        # Zero-argument super() does not work in a dataclass with slots.
        recalled = await ListIndex.recall(self, request, coming)
        if request.route is None:
            return recalled
        ranks = {number: len(self.texts) - number for number in range(len(self.texts))}
        return replace(recalled, routes=routes_of(ranks, 1))


async def search(index: ListIndex, *, route: bool) -> SearchResponse:
    request = SearchRequest(query="anchor", changes=PlanChanges(route=route))
    return await stages()(request, index, ASKER)


async def test_each_evidence_says_how_promising_its_document_is() -> None:
    response = await search(RoutedIndex(INDEX.texts), route=True)
    for evidence in response.evidence:
        record = evidence.explanation[0]
        rank = len(INDEX.texts) - evidence.passage.chunk_no
        assert (record.stage, record.rank_after, record.score_after) == ("route", rank, 1 / rank)
        assert record.detail == {
            "chosen": rank == 1,
            "documents": 4,
            "similarity": 0.5,
            "bm25": 0.0,
        }
        said = "in the 1st most promising of 4 documents" if rank == 1 else "evident, though its"
        assert said in why(evidence)


async def test_a_plan_that_does_not_route_says_nothing_of_it() -> None:
    response = await search(RoutedIndex(INDEX.texts), route=False)
    assert all(record.stage != "route" for each in response.evidence for record in each.explanation)


async def test_without_routes_the_search_goes_on_and_names_them() -> None:
    broken = RoutedIndex(INDEX.texts, frozenset({"route"}))
    response = await search(broken, route=True)
    flat = await search(INDEX, route=False)
    assert [each.passage for each in response.evidence] == [each.passage for each in flat.evidence]
    assert response.degraded == ("route: route is away",)
