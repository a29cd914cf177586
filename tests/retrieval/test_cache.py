"""An answer is only given again to who asks the same, the same way, of the same index."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import (
    BlockKind,
    CacheStats,
    Comparison,
    Evidence,
    FacetCount,
    Lane,
    Operator,
    Plan,
    PlanChanges,
    SearchFilters,
    SearchRequest,
    SearchResponse,
    Turn,
)
from footnote.errors import LaneUnavailable, StoreUnavailable
from footnote.models.testing import HashEmbedder
from footnote.ports import QuestionKind, Vector, Vectors
from footnote.retrieval.cache import SemanticCache, normalised_query, response_bytes
from footnote.retrieval.generation_cache import CacheKey
from footnote.retrieval.journal import Journal
from footnote.retrieval.phrasing import QueryVectors

from .evidence import evidence_of, passage_of

ACME, BOLT, CORA = UUID(int=1), UUID(int=2), UUID(int=3)
REQUEST = SearchRequest(query="")
PLAN = Plan(name="balanced")


def key(
    request: SearchRequest = REQUEST,
    plan: Plan = PLAN,
    *,
    workspace_id: UUID = ACME,
    access: tuple[str, ...] = ("anna",),
    lane: str = "document/testing",
    generation: int = 1,
) -> CacheKey:
    return CacheKey.of(
        request,
        plan,
        workspace_id=workspace_id,
        access=access,
        lane=lane,
        generation=generation,
    )


def evidence(text: str) -> Evidence:
    return evidence_of(passage_of(text))


@dataclass
class Clock:
    """A time that stands still until it is told."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Asker:
    """Asks a cache, and counts the searches and embeddings that it takes."""

    cache: SemanticCache
    searches: list[str] = field(default_factory=list)
    embedded: list[str] = field(default_factory=list)
    deaf: bool = False
    degraded: tuple[str, ...] = ()
    text: str = "The limit is EUR 12,500."
    corrected: str | None = None

    async def __call__(self, query: str, at: CacheKey | None = None) -> SearchResponse:
        async def search() -> SearchResponse:
            self.searches.append(query)
            return SearchResponse(
                query=query,
                evidence=(evidence(self.text),),
                degraded=self.degraded,
                corrected_query=self.corrected,
                facets={"tags": (FacetCount(value="a", documents=1),)},
                timings_ms={"recall": 2.0, "total": 3.0},
            )

        return await self.cache.answer(at or key(), query, self.vector, search)

    async def vector(self, query: str) -> Vector | None:
        self.embedded.append(query)
        if self.deaf:
            return None
        return await HashEmbedder().embed_query(query.casefold())


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(clock: Clock) -> SemanticCache:
    # Vectors of hashed words are coarse; how near a real one must be is measured elsewhere.
    return SemanticCache(capacity_bytes=1 << 20, similarity=0.4, clock=clock)


@pytest.fixture
def ask(cache: SemanticCache) -> Asker:
    return Asker(cache)


# --- the same query ---------------------------------------------------------------------------


async def test_the_same_query_is_searched_once_and_embeds_nothing(ask: Asker) -> None:
    first = await ask("What is the limit?")
    again = await ask("What is the limit?")
    assert (first.cached, again.cached) == (None, "exact")
    assert again.evidence == first.evidence
    assert again.facets == first.facets
    assert ask.searches == ["What is the limit?"]
    assert ask.embedded == []


async def test_an_answer_that_is_given_again_tells_its_own_time(ask: Asker, clock: Clock) -> None:
    first = await ask("What is the limit?")
    assert first.timings_ms == {"recall": 2.0, "cache": 0.0, "total": 3.0}
    clock.now += 5
    assert (await ask("What is the limit?")).timings_ms == {"cache": 0.0, "total": 0.0}


@pytest.mark.parametrize(
    ("one", "other"),
    [("café menu", "cafe\u0301 menu"), ("a limit", " a  limit\n"), ("a limit", "a\u00a0limit")],
    ids=["composition", "space", "no-break space"],
)
async def test_a_query_has_one_spelling_and_is_mirrored_as_asked(
    ask: Asker, one: str, other: str
) -> None:
    assert normalised_query(one) == normalised_query(other)
    await ask(one)
    answer = await ask(other)
    assert (answer.cached, answer.query) == ("exact", other)


async def test_the_case_of_a_query_counts_for_an_exact_hit(ask: Asker) -> None:
    ask.cache.similarity = None
    await ask("who pays us taxes")
    assert (await ask("who pays US taxes")).cached is None


CHANGES: Mapping[str, CacheKey] = {
    "workspace": key(workspace_id=BOLT),
    "principal": key(access=("bert",)),
    "groups": key(access=("anna", "lawyers")),
    "generation": key(generation=2),
    "lane": key(lane="document/other"),
    "top_k": key(replace(REQUEST, top_k=9)),
    "facets": key(replace(REQUEST, facets=("tags",))),
    "conversation": key(replace(REQUEST, conversation=(Turn(role="user", text="Hello"),))),
    "plan name": key(plan=Plan(name="fast")),
    "plan choice": key(plan=replace(PLAN, neighbours=1)),
    "collection": key(replace(REQUEST, filters=SearchFilters(collections=("a",)))),
    "document": key(replace(REQUEST, filters=SearchFilters(document_ids=(ACME,)))),
    "kind": key(replace(REQUEST, filters=SearchFilters(evidence_types=(BlockKind.TABLE,)))),
    "similarity": key(replace(REQUEST, filters=SearchFilters(min_similarity=0.3))),
}


@pytest.mark.parametrize("other", CHANGES.values(), ids=CHANGES)
async def test_whatever_changes_in_the_key_there_is_no_hit(ask: Asker, other: CacheKey) -> None:
    await ask("What is the limit?")
    assert (await ask("What is the limit?", other)).cached is None
    assert (await ask("what is the limit", other)).cached == "near"
    assert len(ask.searches) == 2


def test_every_two_keys_differ() -> None:
    keys = [key(), *CHANGES.values()]
    assert len(set(keys)) == len(keys)


def test_what_python_takes_for_equal_but_a_filter_does_not_is_told_apart() -> None:
    keys = {
        key(
            replace(
                REQUEST,
                filters=SearchFilters(
                    where=Comparison(field="metadata.flag", operator=Operator.EQUALS, value=value)
                ),
            )
        )
        for value in (True, 1, 1.0, "1", "True")
    }
    assert len(keys) == 5


def test_the_order_of_access_names_and_the_words_of_the_request_do_not_count() -> None:
    assert key(access=("anna", "b", "c")) == key(access=("anna", "c", "b", "c"))
    assert key(replace(REQUEST, query="other", changes=PlanChanges(rerank=True))) == key()


# --- generations and time ---------------------------------------------------------------------


async def test_a_change_of_the_index_lets_nothing_old_through_and_frees_it(
    ask: Asker, cache: SemanticCache
) -> None:
    for number in range(5):
        await ask(f"limit {number}")
    assert cache.stats(ACME).entries == 5
    ask.text = "The limit is EUR 99."
    answer = await ask("limit 0", key(generation=2))
    assert answer.cached is None
    assert answer.evidence[0].passage.text == "The limit is EUR 99."
    assert cache.stats(ACME).entries == 1


async def test_a_database_that_was_restored_begins_anew(ask: Asker) -> None:
    await ask("limit", key(generation=7))
    cached = [(await ask("limit", key(generation=3))).cached for _ in range(2)]
    assert cached == [None, "exact"]


async def test_a_search_that_ends_after_the_index_moved_on_is_not_kept(
    cache: SemanticCache,
) -> None:
    released = asyncio.Event()
    ask = Asker(cache)

    async def slow() -> SearchResponse:
        await released.wait()
        return SearchResponse(query="limit", evidence=())

    old = asyncio.create_task(cache.answer(key(generation=1), "limit", ask.vector, slow))
    await asyncio.sleep(0)
    await ask("limit", key(generation=2))
    released.set()
    await old
    assert (await ask("limit", key(generation=2))).cached == "exact"
    assert cache.stats().entries == 1


async def test_an_answer_has_its_time(ask: Asker, clock: Clock, cache: SemanticCache) -> None:
    await ask("What is the limit?")
    clock.now += 299
    assert (await ask("What is the limit?")).cached == "exact"
    clock.now += 1
    assert (await ask("What is the limit?")).cached is None
    clock.now += 300
    await ask("something else")
    assert cache.stats().entries == 1, "what is out of date makes room"


# --- a similar query --------------------------------------------------------------------------


async def test_a_rewording_is_answered_and_says_what_was_searched(ask: Asker) -> None:
    await ask("What is the limit of POL-1?")
    near = await ask("the limit of POL-1, please")
    assert (near.cached, near.query) == ("near", "the limit of POL-1, please")
    assert near.searched == ("What is the limit of POL-1?",)
    assert ask.searches == ["What is the limit of POL-1?"]


@pytest.mark.parametrize(
    "other",
    [
        "What is the limit of POL-2?",
        "What is not the limit of POL-1?",
        "When is the limit of POL-1?",
        'What is the "limit of POL-1"?',
        "What is the limit of -POL-1?",
        "What is the POL-1 of limit?",
    ],
)
async def test_another_wording_is_never_answered_however_near_its_vector(
    ask: Asker, other: str
) -> None:
    ask.cache.similarity = -1.0
    await ask("What is the limit of POL-1?")
    assert (await ask(other)).cached is None


@pytest.mark.parametrize(
    ("similarity", "cached"),
    [(None, None), (1.0, None), (0.99, None), (0.4, "near")],
    ids=["off", "one", "too far", "near enough"],
)
async def test_a_rewording_must_be_near_enough(
    ask: Asker, similarity: float | None, cached: str | None
) -> None:
    ask.cache.similarity = similarity
    await ask("What is the limit?")
    assert (await ask("limit")).cached == cached


async def test_a_threshold_of_one_leaves_it_to_equal_queries(ask: Asker) -> None:
    ask.cache.similarity = 1.0
    await ask("limit")
    assert (await ask("LIMIT")).cached is None
    assert ask.embedded == []


async def test_queries_without_words_are_never_alike(ask: Asker) -> None:
    ask.cache.similarity = -1.0
    await ask("???")
    assert (await ask("!")).cached is None


async def test_nothing_is_embedded_unless_there_is_an_equal_wording(ask: Asker) -> None:
    await ask("What is the limit?")
    await ask("Who pays the premium?")
    assert ask.embedded == []


async def test_without_vectors_only_the_same_query_is_answered(ask: Asker) -> None:
    ask.deaf = True
    await ask("What is the limit?")
    assert (await ask("what is the limit")).cached is None
    assert (await ask("What is the limit?")).cached == "exact"


async def test_an_answer_to_mended_words_is_not_for_other_wordings(ask: Asker) -> None:
    ask.corrected = "What is the limit?"
    await ask("What is the limit?")
    assert (await ask("the limit")).cached is None
    assert (await ask("What is the limit?")).cached == "exact"


async def test_the_nearest_of_several_rewordings_answers(ask: Asker) -> None:
    ask.cache.similarity = 0.999
    for query in ("What is the limit?", "limit", "the limit"):
        await ask(query)
    ask.cache.similarity = 0.1
    assert (await ask("LIMIT")).searched == ("limit",)


async def test_near_answers_do_not_lead_to_ever_remoter_ones(ask: Asker) -> None:
    await ask("What is the limit?")
    assert (await ask("the limit")).cached == "near"
    again = await ask("the limit")
    assert (again.cached, again.searched) == ("near", ("What is the limit?",))


async def test_an_index_that_moves_on_while_a_query_is_embedded_gives_no_near_answer(
    ask: Asker,
) -> None:
    await ask("What is the limit?")

    async def vector(query: str) -> Vector | None:
        await ask("anything", key(generation=2))
        return await HashEmbedder().embed_query(query)

    async def search() -> SearchResponse:
        return SearchResponse(query="limit", evidence=())

    ask.cache.similarity = 0.1
    assert (await ask.cache.answer(key(), "limit", vector, search)).cached is None


# --- at the same time -------------------------------------------------------------------------


@dataclass
class Gate:
    """A search that waits to be let through."""

    opened: asyncio.Event = field(default_factory=asyncio.Event)
    begun: int = 0
    given_up: int = 0
    error: Exception | None = None

    async def __call__(self) -> SearchResponse:
        self.begun += 1
        try:
            await self.opened.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        if self.error is not None:
            raise self.error
        return SearchResponse(query="limit", evidence=(evidence("text"),))


def waiters(ask: Asker, gate: Gate, count: int) -> list[asyncio.Task[SearchResponse]]:
    return [
        asyncio.create_task(ask.cache.answer(key(), "limit", ask.vector, gate))
        for _ in range(count)
    ]


async def settled() -> None:
    """Let every task run until it waits."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_same_query_asked_at_once_is_searched_once(ask: Asker) -> None:
    gate = Gate()
    tasks = waiters(ask, gate, 5)
    await settled()
    gate.opened.set()
    answers = await asyncio.gather(*tasks)
    assert gate.begun == 1
    assert [each.cached for each in answers] == [None, *["exact"] * 4]
    assert {each.evidence for each in answers} == {answers[0].evidence}
    assert ask.cache.stats() == CacheStats(
        exact_hits=4, misses=1, entries=1, bytes=ask.cache.stats().bytes
    )


async def test_different_principals_at_once_are_searched_apart(ask: Asker) -> None:
    await asyncio.gather(ask("limit"), ask("limit", key(access=("bert",))))
    assert len(ask.searches) == 2


@pytest.mark.parametrize("impatient", [0, 2], ids=["the first", "another"])
async def test_whoever_gives_up_waiting_stops_nobody_else(ask: Asker, impatient: int) -> None:
    gate = Gate()
    tasks = waiters(ask, gate, 3)
    await settled()
    tasks[impatient].cancel()
    await settled()
    gate.opened.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    kinds = [type(each) for each in results]
    assert kinds.count(SearchResponse) == 2
    assert kinds[impatient] is asyncio.CancelledError
    assert (gate.begun, gate.given_up) == (1, 0)


async def test_a_search_nobody_waits_for_is_given_up_and_begins_anew(ask: Asker) -> None:
    gate = Gate()
    tasks = waiters(ask, gate, 2)
    await settled()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    fresh = await ask("limit")
    assert fresh.cached is None
    assert (gate.begun, gate.given_up) == (1, 1)


async def test_who_asks_while_a_search_is_being_given_up_gets_one_of_their_own(
    ask: Asker,
) -> None:
    gate = Gate()
    [task] = waiters(ask, gate, 1)
    await settled()
    task.cancel()
    late = asyncio.create_task(ask("limit"))
    assert (await late).cached is None
    assert task.cancelled()


async def test_a_failure_reaches_all_who_wait_and_is_not_kept(ask: Asker) -> None:
    gate = Gate(error=StoreUnavailable("the database is away"))
    tasks = waiters(ask, gate, 3)
    await settled()
    gate.opened.set()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in results] == [StoreUnavailable] * 3
    assert (await ask("limit")).cached is None


async def test_a_degraded_answer_is_not_kept(ask: Asker) -> None:
    ask.degraded = ("dense: the model is away",)
    assert (await ask("limit")).degraded
    ask.degraded = ()
    better = await ask("limit")
    assert (better.cached, better.degraded) == (None, ())


# --- memory -----------------------------------------------------------------------------------

ENTRY = response_bytes(SearchResponse(query="", evidence=(evidence("x" * 1000),)))


@pytest.fixture
def small(clock: Clock) -> Asker:
    """Room for four answers."""
    return Asker(SemanticCache(capacity_bytes=4 * ENTRY, clock=clock), text="x" * 1000)


async def test_the_least_recently_used_answer_goes_first(small: Asker) -> None:
    for query in ("a", "b", "c", "d", "a", "e"):
        await small(query)
    assert small.cache.stats().evictions == 1
    kept = [(await small(query)).cached for query in ("a", "c", "d", "e")]
    assert kept == ["exact"] * 4
    assert (await small("b")).cached is None


async def test_a_busy_workspace_does_not_push_out_the_others(small: Asker) -> None:
    await small("quiet", key(workspace_id=BOLT))
    for number in range(20):
        await small(f"busy {number}")
    assert (await small("quiet", key(workspace_id=BOLT))).cached == "exact"
    assert small.cache.stats(BOLT).evictions == 0
    assert small.cache.stats(ACME).evictions == 17


async def test_a_newcomer_takes_from_the_workspace_that_was_idle_longest(small: Asker) -> None:
    for workspace_id, query in ((ACME, "a"), (ACME, "b"), (BOLT, "c"), (BOLT, "d")):
        await small(query, key(workspace_id=workspace_id))
    await small("a", key(workspace_id=ACME))
    await small("e", key(workspace_id=CORA))
    held = [small.cache.stats(each).entries for each in (ACME, BOLT, CORA)]
    assert held == [2, 1, 1]


async def test_what_a_change_of_the_index_frees_can_be_used_again(small: Asker) -> None:
    for generation in range(1, 4):
        for query in ("a", "b", "c", "d"):
            await small(query, key(generation=generation))
    assert (small.cache.stats().entries, small.cache.stats().evictions) == (4, 0)


async def test_a_search_that_will_not_be_given_up_is_kept_once(small: Asker) -> None:
    opened = asyncio.Event()

    async def stubborn() -> SearchResponse:
        try:
            await opened.wait()
        except asyncio.CancelledError:
            await opened.wait()
        return SearchResponse(query="a", evidence=(evidence("x" * 1000),))

    task = asyncio.create_task(small.cache.answer(key(), "a", small.vector, stubborn))
    await settled()
    task.cancel()
    await settled()
    await small("a")
    opened.set()
    await settled()
    for query in ("b", "c", "d"):
        await small(query)
    assert (small.cache.stats().entries, small.cache.stats().evictions) == (4, 0)


async def test_an_answer_larger_than_the_cache_is_not_kept(small: Asker) -> None:
    await small("a")
    small.text = "x" * 100_000
    await small("large")
    assert small.cache.stats().entries == 1
    assert (await small("a")).cached == "exact"


async def test_a_cache_without_memory_keeps_nothing() -> None:
    ask = Asker(SemanticCache(capacity_bytes=0))
    assert [(await ask("limit")).cached for _ in range(2)] == [None, None]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([ACME, BOLT, CORA]),
            st.sampled_from(["a", "A", "the a", "b", "c", "d", "e", "f"]),
            st.integers(1, 2),
            st.integers(0, 4000),
            st.sampled_from([0, 0, 0, 200]),
        ),
        max_size=60,
    )
)
def test_memory_is_bounded_and_an_answer_is_always_that_of_its_generation(
    asked: list[tuple[UUID, str, int, int, int]],
) -> None:
    async def run() -> None:
        clock = Clock()
        ask = Asker(SemanticCache(capacity_bytes=4 * ENTRY, clock=clock, similarity=0.5))
        for workspace_id, query, generation, size, pause in asked:
            clock.now += pause
            where = key(workspace_id=workspace_id, generation=generation)
            source = f"{workspace_id} {generation}"
            ask.text = source + "x" * size
            answer = await ask(query, where)
            assert answer.evidence[0].passage.text.rstrip("x") == source
            assert ask.cache.stats().bytes <= 4 * ENTRY
        parts = [ask.cache.stats(each) for each in (ACME, BOLT, CORA)]
        whole = ask.cache.stats()
        for name in ("exact_hits", "near_hits", "misses", "evictions", "entries", "bytes"):
            assert sum(getattr(each, name) for each in parts) == getattr(whole, name)
        assert whole.exact_hits + whole.near_hits + whole.misses == len(asked)
        assert whole.misses == len(ask.searches)

    asyncio.run(run())


# --- numbers ----------------------------------------------------------------------------------


async def test_each_workspace_sees_its_own_numbers_alone(ask: Asker) -> None:
    for query in ("What is the limit?", "What is the limit?", "the limit", "premium"):
        await ask(query)
    stats = ask.cache.stats(ACME)
    assert (stats.exact_hits, stats.near_hits, stats.misses) == (1, 1, 2)
    assert (stats.entries, stats.hit_rate) == (2, 0.5)
    assert ask.cache.stats(BOLT) == CacheStats()
    assert CacheStats().hit_rate == 0.0
    await ask("premium", key(workspace_id=BOLT))
    assert ask.cache.stats(ACME) == stats
    assert ask.cache.stats().misses == 3


# --- vectors ----------------------------------------------------------------------------------


async def test_a_query_is_embedded_once_for_each_workspace_and_lane() -> None:
    vectors = QueryVectors()
    one, other = HashEmbedder(), HashEmbedder(dimensions=32)
    first = await vectors(ACME, "the limit", one, Journal())
    assert first is not None
    assert first.kind == QuestionKind()
    assert await vectors(ACME, " the  limit", one, Journal()) is first
    assert await vectors(BOLT, "the limit", one, Journal()) is not first
    elsewhere = await vectors(ACME, "the limit", other, Journal())
    assert elsewhere is not None
    assert elsewhere.vector.shape == (32,)
    assert not first.vector.flags.writeable


async def test_the_vector_used_least_recently_is_forgotten() -> None:
    vectors = QueryVectors(capacity=2)
    embedder = HashEmbedder()
    a = await vectors(ACME, "a", embedder, Journal())
    b = await vectors(ACME, "b", embedder, Journal())
    assert await vectors(ACME, "a", embedder, Journal()) is a
    await vectors(ACME, "c", embedder, Journal())
    assert await vectors(ACME, "a", embedder, Journal()) is a
    assert await vectors(ACME, "b", embedder, Journal()) is not b


@dataclass
class Waking:
    """A model that cannot be reached the first time."""

    lane: Lane = field(default_factory=lambda: HashEmbedder().lane)
    max_tokens: int = 256
    asked: int = 0

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return HashEmbedder().count_tokens(texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return await HashEmbedder().embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:
        self.asked += 1
        if self.asked == 1:
            raise LaneUnavailable("the model sleeps")
        return await HashEmbedder().embed_query(text)


async def test_a_query_that_could_not_be_embedded_is_tried_again() -> None:
    vectors, embedder, journal = QueryVectors(), Waking(), Journal()
    assert await vectors(ACME, "the limit", embedder, journal) is None
    assert journal.notes == ("dense: the model sleeps",)
    found = await vectors(ACME, "the limit", embedder, journal)
    assert found is not None
    assert found.vector.any()
    await vectors(ACME, "the limit", embedder, journal)
    assert embedder.asked == 2
