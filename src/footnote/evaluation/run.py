"""Ask a workspace the questions of a golden set, and judge the results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter

from footnote.domain import Answer, PlanChanges, SearchRequest
from footnote.engine import WorkspaceEngine
from footnote.engine.search import read_for_quotes
from footnote.errors import InvalidRequest
from footnote.evaluation.golden import GoldenQuestion, GoldenSet, documents_of
from footnote.evaluation.judging import (
    Judged,
    Surroundings,
    judge_answer,
    judge_search,
    stitched,
)
from footnote.evaluation.library import Library, read_library
from footnote.evaluation.metrics import Measure, figures

DEFAULT_K = 10
DEFAULT_PLAN = "default"
"""Name in reports of a run without a plan."""

_SURROUNDING_CHUNKS = 1
"""Chunks read on each side of a cited one, as a quote may begin before it and end after it."""

Progress = Callable[[int, int], None]
"""Called with the number of questions done and of all questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How the questions are asked."""

    plan: str | None = None
    changes: PlanChanges = field(default_factory=PlanChanges)
    k: int = DEFAULT_K
    """Number of search results considered, 1…200."""
    concurrency: int = 1
    """Questions in flight; only with 1 are the times those of an unloaded system."""
    named: str = ""
    """Name in reports; the plan's name if empty."""

    @property
    def name(self) -> str:
        """Name in reports."""
        return self.named or self.plan or DEFAULT_PLAN

    @property
    def uncached(self) -> Setup:
        """The same setup without the cache, unless it sets `cache` explicitly."""
        if self.changes.cache is not None:
            return self
        return replace(self, changes=replace(self.changes, cache=False))


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The judged questions of a golden set."""

    setup: Setup
    golden: GoldenSet
    judged: tuple[Judged, ...]
    """In the order of the golden set."""
    missing_documents: tuple[str, ...] = ()
    """Expected documents that the workspace does not have."""

    @property
    def figures(self) -> dict[str, float | None]:
        """Every metric over all questions."""
        return figures([judged.measures for judged in self.judged], self.setup.k)

    @property
    def by_kind(self) -> dict[str, dict[str, float | None]]:
        """Every metric over the questions of each kind, kinds in order of appearance."""
        kinds = dict.fromkeys(judged.golden.kind for judged in self.judged)
        return {
            kind: figures(
                [judged.measures for judged in self.judged if judged.golden.kind == kind],
                self.setup.k,
            )
            for kind in kinds
        }

    @property
    def degraded(self) -> tuple[str, ...]:
        """Stages that any of the questions was processed without."""
        return tuple(dict.fromkeys(stage for judged in self.judged for stage in judged.degraded))


async def evaluate(
    workspace: WorkspaceEngine,
    golden: GoldenSet,
    setup: Setup,
    on_progress: Progress = lambda _done, _total: None,
) -> Run:
    """Ask every question and judge the results; deterministic except for the times.

    Retrieval is measured by a search for the first k results, answers by an answer as `ask` gives
    it. The cache is not used unless the setup sets it. Raises InvalidRequest.
    """
    if setup.concurrency < 1:
        raise InvalidRequest(
            f"the concurrency is {setup.concurrency}", hint="ask at least one question at a time"
        )
    library = await library_to_ask(workspace)
    setup = setup.uncached
    # The first question pays for caches and code that is loaded late, so it is asked twice.
    await judge_question(workspace, golden.questions[0], library, setup)
    room = asyncio.Semaphore(setup.concurrency)
    done = 0

    async def judge(question: GoldenQuestion) -> Judged:
        nonlocal done
        async with room:
            judged_question = await judge_question(workspace, question, library, setup)
        done += 1
        on_progress(done, len(golden.questions))
        return judged_question

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(judge(question)) for question in golden.questions]
    except* Exception as failed:
        raise failed.exceptions[0] from None
    judged_questions = tuple(task.result() for task in tasks)
    return Run(
        setup=setup,
        golden=golden,
        judged=judged_questions,
        missing_documents=library.missing(documents_of(golden.questions)),
    )


async def library_to_ask(workspace: WorkspaceEngine) -> Library:
    """The documents of a workspace. Raises InvalidRequest where there are none."""
    library = await read_library(workspace)
    if not library.documents:
        raise InvalidRequest(
            f"the workspace {workspace.workspace.name!r} has no document",
            hint="ingest documents first, or name a folder with --ingest",
        )
    return library


async def judge_question(
    workspace: WorkspaceEngine, golden: GoldenQuestion, library: Library, setup: Setup
) -> Judged:
    """Search for and answer one question, and judge the results."""
    request = SearchRequest(
        query=golden.question,
        top_k=setup.k,
        filters=golden.filters,
        plan=setup.plan,
        changes=setup.changes,
    )
    started = perf_counter()
    response = await workspace.search(request)
    searched = perf_counter()
    answer = await _answer(workspace, request)
    answered = perf_counter()
    search_measures, results = judge_search(golden, response.evidence, library, setup.k)
    answer_measures, citations = judge_answer(
        golden, answer, library, await _around(workspace, answer)
    )
    return Judged(
        golden=golden,
        measures={
            **search_measures,
            **answer_measures,
            "search_ms": Measure(value=(searched - started) * 1e3),
            "latency_ms": Measure(value=(answered - searched) * 1e3),
        },
        results=results,
        citations=citations,
        answer=answer.text,
        answered=answer.found,
        confidence=answer.confidence,
        degraded=tuple(dict.fromkeys((*response.degraded, *answer.degraded))),
    )


async def _answer(workspace: WorkspaceEngine, request: SearchRequest) -> Answer:
    """Return the answer that `ask` gives under the request's plan."""
    unbounded = replace(request, top_k=None)
    response = await workspace.search(read_for_quotes(unbounded, workspace.engine.settings.top_k))
    answer = await workspace.engine.answerer(response.query, response.evidence)
    return replace(answer, degraded=(*response.degraded, *answer.degraded))


async def _around(workspace: WorkspaceEngine, answer: Answer) -> dict[str, Surroundings]:
    """The text around each cited chunk, read from the store again."""
    reach = {
        evidence.passage.chunk_id: max(
            (abs(neighbour.distance) for neighbour in evidence.neighbours), default=0
        )
        for evidence in answer.evidence
    }
    around = {}
    for chunk_id in dict.fromkeys(citation.chunk_id for citation in answer.citations):
        window = reach.get(chunk_id, 0) + _SURROUNDING_CHUNKS
        context = await workspace.context(chunk_id, window)
        around[chunk_id] = stitched(
            (*context.context_before, context.chunk, *context.context_after)
        )
    return around
