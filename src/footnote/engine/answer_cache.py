"""Gives an answer again that was given before, to the same question over the same documents."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from sys import getsizeof
from time import perf_counter
from typing import TYPE_CHECKING
from uuid import UUID

from footnote.answering.streaming import events_of
from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
    CacheStats,
    SearchResponse,
    SourcesFound,
    Usage,
)
from footnote.engine.answer_models import models_in_use
from footnote.engine.arguments import require_request
from footnote.engine.lanes import serving
from footnote.retrieval.cache import CacheKey, one_spelling, response_bytes
from footnote.retrieval.pipeline import checked_query
from footnote.retrieval.plans import resolved

if TYPE_CHECKING:
    from footnote.engine.answering import Asking
    from footnote.engine.workspace import WorkspaceEngine


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question with all that its answer depends on."""

    key: CacheKey
    """Workspace, access, filters, plan, conversation, lane, and what writes; and the index."""
    text: str
    alone: str | None = field(default=None, compare=False)
    """What is asked, which may be put differently; None where a model reads the conversation."""

    def given(self, answer: Answer, asked: str) -> Answer:
        """The answer as one to the question as it was put now."""
        if self.alone is None:
            return replace(answer, question=asked)
        searched = dict.fromkeys((self.alone, *answer.searched))
        return replace(
            answer,
            question=asked,
            asked_as=None if self.alone == asked else self.alone,
            searched=tuple(each for each in searched if each != asked),
        )


@dataclass(slots=True, kw_only=True)
class AnswerCache:
    """Answers given before, bounded in memory and in time, for one event loop.

    Of each workspace it holds answers of one generation of the index alone. When memory runs
    out, a workspace that takes more than an equal share loses its least recently used answer;
    otherwise the workspace that has asked nothing for longest loses one.
    """

    capacity_bytes: int
    """0 keeps nothing."""
    lifetime_seconds: float = 300.0
    clock: Callable[[], float] = perf_counter
    """Seconds; they never run backwards."""
    _shelves: OrderedDict[UUID, _Shelf] = field(default_factory=OrderedDict, init=False)
    _counts: dict[UUID, _Counts] = field(default_factory=dict, init=False)
    _bytes: int = field(default=0, init=False)

    def may_hold(self, question: AskedQuestion) -> bool:
        """Whether an answer to it is kept, of the generation it names."""
        shelf = self._shelves.get(question.key.workspace_id)
        return shelf is not None and question in shelf.entries

    def find(self, question: AskedQuestion) -> Answer | None:
        """The answer given before; it was asked of no model now, so it used nothing."""
        started = self.clock()
        counts = self._counts.setdefault(question.key.workspace_id, _Counts())
        entry = self._lookup(question)
        if entry is None:
            counts.misses += 1
            return None
        counts.hits += 1
        elapsed = (self.clock() - started) * 1e3
        timings = {"cache": elapsed, "total": elapsed}
        return replace(entry.answer, cached=True, usage=Usage(), timings_ms=timings)

    def keep(self, question: AskedQuestion, answer: Answer) -> None:
        """Keep an answer, unless something could not be done for it, or it was kept already."""
        size = answer_bytes(answer)
        workspace_id, generation = question.key.workspace_id, question.key.generation
        shelf = self._shelves.get(workspace_id)
        if answer.degraded or answer.cached or size > self.capacity_bytes:
            return
        if shelf is not None and shelf.generation > generation:
            return
        if shelf is not None and shelf.generation < generation:
            self.forget(workspace_id)
        shelf = self._shelves.setdefault(workspace_id, _Shelf(generation=generation))
        if question in shelf.entries:
            self._bytes -= shelf.remove(question)
        expires = self.clock() + self.lifetime_seconds
        shelf.entries[question] = _Entry(answer=answer, bytes=size, expires=expires)
        shelf.bytes += size
        self._bytes += size
        self._make_room(shelf)

    def forget(self, workspace_id: UUID) -> bool:
        """Drop every answer kept of a workspace; whether there was any."""
        shelf = self._shelves.pop(workspace_id, None)
        if shelf is not None:
            self._bytes -= shelf.bytes
        return shelf is not None

    def stats(self, workspace_id: UUID) -> CacheStats:
        """How it fared for one workspace."""
        counts = self._counts.get(workspace_id, _Counts())
        shelf = self._shelves.get(workspace_id, _Shelf(generation=0))
        return CacheStats(
            exact_hits=counts.hits,
            misses=counts.misses,
            evictions=counts.evictions,
            entries=len(shelf.entries),
            bytes=shelf.bytes,
        )

    def _lookup(self, question: AskedQuestion) -> _Entry | None:
        workspace_id = question.key.workspace_id
        shelf = self._shelves.get(workspace_id)
        if shelf is None:
            return None
        self._shelves.move_to_end(workspace_id)
        # Not only older ones go: a database that was restored counts anew from a lower number.
        if shelf.generation != question.key.generation:
            self.forget(workspace_id)
            return None
        entry = shelf.entries.get(question)
        if entry is None:
            return None
        if entry.expires <= self.clock():
            self._drop(workspace_id, question)
            return None
        shelf.entries.move_to_end(question)
        return entry

    def _make_room(self, asking: _Shelf) -> None:
        while self._bytes > self.capacity_bytes:
            greedy = asking.bytes * len(self._shelves) > self.capacity_bytes
            shelf = asking if greedy else next(iter(self._shelves.values()))
            oldest = next(iter(shelf.entries))
            self._counts.setdefault(oldest.key.workspace_id, _Counts()).evictions += 1
            self._drop(oldest.key.workspace_id, oldest)

    def _drop(self, workspace_id: UUID, question: AskedQuestion) -> None:
        shelf = self._shelves[workspace_id]
        self._bytes -= shelf.remove(question)
        if not shelf.entries:
            del self._shelves[workspace_id]


async def asked_question(workspace: WorkspaceEngine, asking: Asking) -> AskedQuestion | None:
    """The question as the cache knows it; None where it is not to be kept.

    An earlier answer is looked for only after asking the database whether the index still stands
    as it did. Raises InvalidRequest.
    """
    cache, engine = workspace.engine.answer_cache, workspace.engine
    request = asking.request(engine.settings.top_k)
    require_request(request)
    workspace.require_open()
    in_lane = await serving(engine, workspace.workspace.workspace_id)
    stages = in_lane.stages
    plan = resolved(stages.plans, request.plan or stages.default_plan, request.changes)
    if not plan.cache or not cache.capacity_bytes:
        return None
    index = workspace.index_in(in_lane.embedder.lane)
    known = index.last_generation
    models = (await models_in_use(workspace)).used if engine.answer_models.names else ()
    alone, notes = stages.phrase.without_conversation(request, plan)
    if notes:
        return None
    if not models:
        request = alone
    key = CacheKey.of(
        request,
        plan,
        workspace_id=workspace.workspace.workspace_id,
        access=workspace.principal.access_names,
        lane=f"{in_lane.embedder.lane.fingerprint} {models!r}",
        generation=await index.generation() if known is None else known,
    )
    text = checked_query(request)
    question = AskedQuestion(
        key=key, text=one_spelling(text), alone=None if request.conversation else text
    )
    if known is None or not cache.may_hold(question):
        return question
    return replace(question, key=replace(key, generation=await index.generation()))


async def given_before_or(
    workspace: WorkspaceEngine, asking: Asking, stream: AsyncGenerator[AnswerEvent]
) -> AsyncGenerator[AnswerEvent]:
    """The events of the answer given before to this question, or those of the stream."""
    async with aclosing(stream):
        question = await asked_question(workspace, asking)
        cache = workspace.engine.answer_cache
        known = None if question is None else cache.find(question)
        if known is not None:
            assert question is not None, "nothing is found without a key"
            for event in retold(question.given(known, asking.question.strip())):
                yield event
            return
        async for event in stream:
            if isinstance(event, AnswerDone) and question is not None:
                cache.keep(question, event.answer)
            yield event


def retold(answer: Answer) -> Iterator[AnswerEvent]:
    """An answer that is there already, as the events of its making."""
    yield SourcesFound(evidence=answer.evidence, degraded=answer.degraded)
    yield from events_of(answer)


def answer_bytes(answer: Answer) -> int:
    """About how much memory an answer takes, its evidence included."""
    said = sum(getsizeof(each.text) for each in answer.sentences)
    closest = () if answer.closest is None else (answer.closest,)
    said += sum(getsizeof(each.text) for each in closest)
    cited = (*answer.citations, *(each.citation for each in closest))
    quoted = sum(getsizeof(each.quote) for each in cited)
    beside = 300 * (len(answer.sentences) + len(closest)) + 900 * len(cited)
    evidence = response_bytes(SearchResponse(query=answer.question, evidence=answer.evidence))
    return said + quoted + beside + evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    answer: Answer
    bytes: int
    expires: float


@dataclass(slots=True, kw_only=True)
class _Shelf:
    """What is kept of one workspace, least recently used first."""

    generation: int
    entries: OrderedDict[AskedQuestion, _Entry] = field(default_factory=OrderedDict)
    bytes: int = 0

    def remove(self, question: AskedQuestion) -> int:
        """Remove an entry; how many bytes that frees."""
        size = self.entries.pop(question).bytes
        self.bytes -= size
        return size


@dataclass(slots=True, kw_only=True)
class _Counts:
    hits: int = 0
    misses: int = 0
    evictions: int = 0
