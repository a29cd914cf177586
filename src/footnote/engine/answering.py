"""A question is searched, then answered event by event."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from footnote.answering.answerer import Answerer
from footnote.answering.closest import closest_passage
from footnote.answering.generate import GenerativeAnswerer
from footnote.answering.grounding import Ground
from footnote.answering.streaming import StreamedAnswerer
from footnote.domain import (
    Answer,
    AnswerDone,
    AnswerEvent,
    PlanChanges,
    SearchFilters,
    SearchRequest,
    SearchResponse,
    SourcesFound,
    Turn,
)
from footnote.engine.answer_models import answer_writer_for
from footnote.engine.lanes import Serving, serving
from footnote.models.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from footnote.engine.workspace import WorkspaceEngine

CONFIDENT = 0.5
"""Confidence of a search from which its best passage is shown where nothing answers: it is more
likely than not that the evidence is about the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question, and how to go about it."""

    question: str
    top_k: int | None = None
    """Evidence it may rest on; None takes the setting."""
    filters: SearchFilters = field(default_factory=SearchFilters)
    plan: str | None = None
    changes: PlanChanges = field(default_factory=PlanChanges)
    conversation: tuple[Turn, ...] = ()
    """What was said before, oldest first."""

    def request(self, default_top_k: int) -> SearchRequest:
        """What is searched for it."""
        return SearchRequest(
            query=self.question,
            top_k=default_top_k if self.top_k is None else self.top_k,
            filters=self.filters,
            plan=self.plan,
            changes=self.changes,
            conversation=self.conversation,
        )


async def ask_stream(workspace: WorkspaceEngine, asking: Asking) -> AsyncGenerator[AnswerEvent]:
    """What happens while the question is answered, `AnswerDone` or `AnswerFailed` last.

    What is wrong with the request is raised before the first event, as `search` raises it.
    Closing the generator stops the models.
    """
    response = await workspace.search(asking.request(workspace.engine.settings.top_k))
    answerer = await answerer_of(workspace)
    meant = response.corrected_query or response.standalone_question or response.query
    events = answerer.stream(meant, response.evidence, turns=asking.conversation)
    async with aclosing(events):
        async for event in events:
            if isinstance(event, SourcesFound):
                yield replace(event, degraded=(*response.degraded, *event.degraded))
            elif isinstance(event, AnswerDone):
                closest = None
                if not event.answer.found and response.confidence >= CONFIDENT:
                    analyzer = workspace.engine.analyzer
                    closest = closest_passage(meant, event.answer.evidence, analyzer)
                answer = replace(event.answer, closest=closest)
                yield AnswerDone(answer=_of_request(answer, response))
            else:
                yield event


async def answerer_of(workspace: WorkspaceEngine) -> Answerer:
    """What answers in this workspace: the models it is set to, or quotes. Raises LaneMismatch."""
    in_lane = await serving(workspace.engine, workspace.workspace.workspace_id)
    models = workspace.engine.answer_models.names
    writer = await answer_writer_for(workspace) if models else None
    if writer is None:
        return StreamedAnswerer(draft=in_lane.answerer)
    return GenerativeAnswerer(
        writer=writer,
        draft=in_lane.answerer,
        ground=grounding_of(workspace, in_lane),
        analyzer=workspace.engine.analyzer,
        embedder=in_lane.statements,
        count_tokens=estimate_tokens,
    )


def grounding_of(workspace: WorkspaceEngine, in_lane: Serving) -> Ground:
    """What holds the sentences of a model against their quotes."""
    engine = workspace.engine
    return Ground(embedder=in_lane.statements, analyzer=engine.analyzer, judge=engine.judge)


def _of_request(answer: Answer, response: SearchResponse) -> Answer:
    """The answer, with what its search has to say."""
    return replace(
        answer,
        question=response.query,
        corrected_question=response.corrected_query,
        asked_as=response.standalone_question,
        degraded=(*response.degraded, *answer.degraded),
        searched=response.searched,
        timings_ms=dict(response.timings_ms) | dict(answer.timings_ms),
    )
