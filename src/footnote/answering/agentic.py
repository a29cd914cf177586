"""Answer with a model that calls tools, and cite the result: call tools → write → cite → ground."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from footnote.answering.composition import Composition, Piece
from footnote.answering.context import NOT_FOUND
from footnote.answering.grounding import Grounder
from footnote.answering.streaming import closing_events
from footnote.answering.wording import localised_refusal
from footnote.domain import (
    Answer,
    AnswerEvent,
    AnswerFailed,
    AnswerSentence,
    Evidence,
    SourcesFound,
    TextWritten,
    Turn,
    Usage,
    UsageCounted,
)
from footnote.errors import ModelUnavailable
from footnote.ports import AgentLimits, AgentModel, Analyzer, Embedder, McpServer, Tool, WrittenText

INSTRUCTIONS = f"""\
You work for a user on the documents of their workspace, with the tools you are given.
Look things up before you answer: you know nothing of these documents but what tools return.

- Tools number evidence as [1], [2], … Put the number of each source that says so after every
  statement: "The rent is CHF 900. [2]". Never invent a number.
- One statement a sentence. Keep figures, dates and names as the source has them.
- Search again with other words before you give up. If the documents do not answer, write exactly
  "{NOT_FOUND}" and nothing else.
- Change or create something only if the user asked for it; then say what you did.
- Answer in the language of the question, in plain prose, lists or tables. No links, pictures,
  HTML or code blocks.\
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentResources:
    """The tools and limits that an agent has for one answer."""

    tools: Sequence[Tool]
    servers: Sequence[McpServer]
    bounds: AgentLimits
    evidence: Callable[[], tuple[Evidence, ...]]
    """All evidence that the tools have returned so far; source `[n]` is the n-th."""


@dataclass(slots=True)
class _Run:
    """The state of one agent run."""

    composition: Composition | None = None
    """The composition of the text that the model is writing; None between steps."""
    usage: Usage | None = None
    model: str = ""
    sources_sent: bool = False
    """Whether the SourcesFound event was sent for the current text."""
    cut_off: str | None = None
    """Why the model stopped in the middle of an answer."""
    failed: AnswerFailed | None = None
    """The failure, if the run gave no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgenticAnswerer:
    """Lets a model call tools, and checks its final text like any other answer.

    Text that it writes before a further tool call is dropped. Text that cites nothing is kept and
    marked, since it may report what was done.
    """

    model: AgentModel
    ground: Grounder
    analyzer: Analyzer
    embedder: Embedder | None = None

    async def stream(
        self, question: str, equipment: AgentResources, *, turns: Sequence[Turn] = ()
    ) -> AsyncGenerator[AnswerEvent]:
        """Stream tool calls as they happen, then the sources, the text and the answer.

        Closing the generator stops the model. Raises nothing: failures are events.
        """
        run = _Run()
        async with aclosing(self._steps(question, equipment, turns, run)) as events:
            async for event in events:
                yield event
        if run.failed is not None:
            if run.failed.usage.requests:
                yield UsageCounted(usage=run.failed.usage)
            yield run.failed
            return
        composition = run.composition or self._new_composition(equipment)
        if not run.sources_sent:
            yield SourcesFound(evidence=tuple(composition.evidence))
        answer = await self._grounded_answer(question, composition, run)
        if not composition.sentences:
            yield TextWritten(text=answer.text)
        for event in closing_events(answer):
            yield event

    async def _steps(
        self, question: str, equipment: AgentResources, turns: Sequence[Turn], run: _Run
    ) -> AsyncGenerator[AnswerEvent]:
        steps = self.model(
            INSTRUCTIONS,
            turns,
            question,
            tools=equipment.tools,
            servers=equipment.servers,
            bounds=equipment.bounds,
        )
        try:
            async with aclosing(steps):
                async for step in steps:
                    if isinstance(step, WrittenText):
                        for event in await self._compose(step, equipment, run):
                            yield event
                        continue
                    run.composition, run.sources_sent = None, False
                    yield step
        except ModelUnavailable as unavailable:
            run.usage = unavailable.usage or run.usage
            # An unfinished sentence may state the opposite of the finished one.
            if run.composition is not None:
                pieces = await run.composition.break_off()
                for event in self._with_sources(pieces, run.composition, run):
                    yield event
            if run.composition is not None and run.composition.sentences:
                run.cut_off = str(unavailable)
            else:
                run.failed = _failure_event(unavailable)
            return
        if run.composition is not None:
            for event in self._with_sources(await run.composition.finish(), run.composition, run):
                yield event

    async def _compose(
        self, step: WrittenText, equipment: AgentResources, run: _Run
    ) -> list[AnswerEvent]:
        run.usage = step.usage or run.usage
        run.model = step.model or run.model
        if not step.text:
            return []
        if run.composition is None:
            run.composition = self._new_composition(equipment)
        return self._with_sources(await run.composition.feed(step.text), run.composition, run)

    def _with_sources(
        self, pieces: Sequence[Piece], composition: Composition, run: _Run
    ) -> list[AnswerEvent]:
        """The pieces, with the sources before the first of them."""
        if run.sources_sent or not pieces:
            return list(pieces)
        run.sources_sent = True
        return [SourcesFound(evidence=tuple(composition.evidence)), *pieces]

    async def _grounded_answer(self, question: str, composition: Composition, run: _Run) -> Answer:
        nothing_found = not composition.sentences and (
            composition.says_nothing_found or not composition.unreleased
        )
        sentences = composition.sentences or list(composition.unreleased)
        if nothing_found:
            sentences = [AnswerSentence(text=NOT_FOUND, markers=(), support=0.0)]
        grounded = await self.ground(sentences, composition.citations, composition.evidence)
        scored_sentences = tuple(
            replace(sentence, support=scored.support, verdict=scored.verdict)
            for sentence, scored in zip(sentences, grounded.sentences, strict=True)
        )
        cut_off = () if run.cut_off is None else (f"answer: cut off, {run.cut_off}",)
        answer = Answer(
            question=question,
            found=not nothing_found,
            sentences=scored_sentences,
            citations=composition.citations,
            evidence=tuple(composition.evidence),
            confidence=0.0 if nothing_found else grounded.confidence,
            degraded=(*cut_off, *grounded.degraded),
            model=run.model or self.model.name,
            removed_citations=composition.removed,
            usage=run.usage or Usage(requests=1),
        )
        return await localised_refusal(answer, self.analyzer)

    def _new_composition(self, equipment: AgentResources) -> Composition:
        return Composition(equipment.evidence(), self.analyzer, self.embedder)


def _failure_event(unavailable: ModelUnavailable) -> AnswerFailed:
    return AnswerFailed(
        code=type(unavailable).__name__,
        message=str(unavailable),
        hint=unavailable.hint,
        retryable=unavailable.retryable,
        usage=unavailable.usage or Usage(),
    )
