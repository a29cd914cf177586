"""Answers are kept within their bounds, of one generation, and are counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from footnote.domain import Answer, AnswerSentence, Usage
from footnote.retrieval.cache import answer_bytes
from footnote.retrieval.generation_cache import CacheKey, GenerationCache, Question

ACME, BOLT = UUID(int=1), UUID(int=2)
ANSWER = Answer(
    question="When?",
    found=True,
    sentences=(AnswerSentence(text="In March.", markers=(), support=1.0),),
    citations=(),
    evidence=(),
    confidence=0.9,
    usage=Usage(requests=1, input_tokens=9),
    timings_ms={"total": 40.0},
)
SIZE = answer_bytes(ANSWER)


@dataclass(slots=True)
class Clock:
    now: float = field(default=0.0)

    def __call__(self) -> float:
        return self.now


def question(text: str, workspace_id: UUID = ACME, generation: int = 1) -> Question:
    key = CacheKey(workspace_id=workspace_id, generation=generation, digest=b"")
    return Question(key=key, text=text)


def test_what_was_kept_is_found_and_counted() -> None:
    cache = GenerationCache(capacity_bytes=10 * SIZE, measure=answer_bytes)
    assert cache.find(question("When?")) is None
    cache.keep(question("When?"), ANSWER)
    assert cache.find(question("When?")) == ANSWER
    stats = cache.stats(ACME)
    assert (stats.exact_hits, stats.misses, stats.entries, stats.bytes) == (1, 1, 1, SIZE)


def test_an_answer_of_another_generation_is_never_given() -> None:
    cache = GenerationCache(capacity_bytes=10 * SIZE, measure=answer_bytes)
    cache.keep(question("When?", generation=2), ANSWER)
    for generation in (3, 1):
        assert cache.find(question("When?", generation=generation)) is None
        assert cache.stats(ACME).entries == 0
        cache.keep(question("When?", generation=2), ANSWER)
    cache.keep(question("Old?", generation=1), ANSWER)
    assert cache.find(question("When?", generation=2)) is not None
    assert not cache.may_hold(question("Old?", generation=1))


def test_an_answer_is_let_go_of_in_time() -> None:
    clock = Clock()
    cache = GenerationCache(
        capacity_bytes=10 * SIZE, measure=answer_bytes, lifetime_seconds=5, clock=clock
    )
    cache.keep(question("When?"), ANSWER)
    clock.now = 4.9
    assert cache.find(question("When?")) is not None
    clock.now = 5.0
    assert cache.find(question("When?")) is None
    assert cache.stats(ACME).bytes == 0


def test_memory_is_bounded_and_a_busy_workspace_pays_for_itself() -> None:
    cache = GenerationCache(capacity_bytes=4 * SIZE, measure=answer_bytes)
    cache.keep(question("quiet", BOLT), ANSWER)
    for number in range(9):
        cache.keep(question(f"busy {number}"), ANSWER)
        cache.find(question("busy 0"))
    assert cache.find(question("quiet", BOLT)) is not None
    assert cache.find(question("busy 0")) is not None
    assert cache.find(question("busy 1")) is None
    acme = cache.stats(ACME)
    assert acme.bytes + cache.stats(BOLT).bytes <= 4 * SIZE
    assert (acme.entries, acme.evictions) == (3, 6)


def test_what_is_larger_than_the_memory_is_not_kept() -> None:
    cache = GenerationCache(capacity_bytes=SIZE - 1, measure=answer_bytes)
    cache.keep(question("When?"), ANSWER)
    assert cache.stats(ACME).entries == 0
    assert not cache.forget(ACME)
