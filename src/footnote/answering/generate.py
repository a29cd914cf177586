"""Evidence becomes an answer that a model writes: weigh → show → write → cite → ground."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from footnote.answering.composition import Composition
from footnote.answering.context import NOT_FOUND, ModelPrompt, build_prompt
from footnote.answering.grounding import Grounder
from footnote.answering.streaming import Answerer, closing_events, events_of, numbered
from footnote.answering.wording import localised_refusal
from footnote.domain import (
    Answer,
    AnswerEvent,
    AnswerSentence,
    Evidence,
    SourcesFound,
    Turn,
    Usage,
)
from footnote.errors import ModelUnavailable
from footnote.ports import Analyzer, Embedder, Writer

LEAST_WORTH_ASKING = 0.05
"""Confidence of the draft up to which a model is not asked. Far below what an answer of quotes
needs, for a model also reads what is said in other words."""


@dataclass(slots=True)
class _Writing:
    """How far a model has come."""

    usage: Usage | None = None
    failure: str | None = None
    model: str | None = None
    """Which of a chain wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerativeAnswerer:
    """Has a model answer from the evidence, and lets nothing through that is not cited.

    Too weak evidence is refused without asking. A model that is away, writes nothing or cites
    nothing is replaced by the draft; one that breaks off leaves what it wrote until then. Either
    is named in `degraded`.
    """

    writer: Writer
    draft: Answerer
    """The answerer that quotes: it says how likely the evidence answers, and steps in."""
    ground: Grounder
    analyzer: Analyzer
    embedder: Embedder | None = None
    """Finds the quote where a source shares no words with the statement, as across languages."""
    count_tokens: Callable[[str], int]
    """About as the writer counts, rather too many than too few."""
    least_answerability: float = LEAST_WORTH_ASKING

    async def stream(
        self, question: str, evidence: Sequence[Evidence], *, turns: Sequence[Turn] = ()
    ) -> AsyncGenerator[AnswerEvent]:
        """The sources first, then the text with its citations, their grounding, and the answer.

        `question` stands alone; `turns` are what was said before, oldest first. Closing the
        generator stops the model that writes. Raises nothing: what fails is an event.
        """
        sources = numbered(evidence)
        yield SourcesFound(evidence=sources)
        # It makes the refusal cheap: a model is not asked where the evidence hardly answers; and it
        # is the answer where the model is away.
        draft = await self.draft(question, sources)
        unlikely = draft.confidence <= self.least_answerability and not draft.degraded
        if not sources or unlikely:
            for event in events_of(await self._refused(draft)):
                yield event
            return
        shown = build_prompt(
            question,
            sources,
            turns=turns,
            context_tokens=self.writer.context_tokens - self.writer.max_output_tokens,
            count_tokens=self.count_tokens,
        )
        if not shown.numbers:
            for event in events_of(_instead(draft, self._too_small())):
                yield event
            return
        composition = Composition(sources, self.analyzer, self.embedder, shown.numbers)
        writing = _Writing()
        async with aclosing(self._written(shown, composition, writing)) as pieces:
            async for piece in pieces:
                yield piece
        written = await self._answer(draft, shown, composition, writing)
        rest = closing_events(written) if composition.sentences else events_of(written)
        for event in rest:
            yield event

    async def _written(
        self, shown: ModelPrompt, composition: Composition, writing: _Writing
    ) -> AsyncGenerator[AnswerEvent]:
        """What the model writes, as events; its failure is noted."""
        try:
            async with aclosing(self.writer(shown.instructions, shown.prompt)) as pieces:
                async for piece in pieces:
                    writing.usage = piece.usage or writing.usage
                    writing.model = piece.model or writing.model
                    for event in await composition.feed(piece.text):
                        yield event
                    if composition.refuses:
                        return
        except ModelUnavailable as unavailable:
            writing.failure = str(unavailable)
        # A sentence that was not finished may say the opposite of what it would have.
        broken = writing.failure is not None
        for event in await (composition.break_off() if broken else composition.finish()):
            yield event

    async def _answer(
        self, draft: Answer, shown: ModelPrompt, composition: Composition, writing: _Writing
    ) -> Answer:
        answer = replace(
            await self._of(draft, composition, writing),
            removed_citations=composition.removed,
            omitted_evidence=shown.omitted,
            # A call that broke off, or was ended, does not say what it cost.
            usage=writing.usage or Usage(requests=1),
        )
        cut = self._cut(shown)
        return replace(answer, degraded=(*answer.degraded, *cut))

    async def _of(self, draft: Answer, composition: Composition, writing: _Writing) -> Answer:
        name = writing.model or self.writer.name
        if not composition.sentences:
            if writing.failure is not None:
                return _instead(draft, f"answer: quoted without {name}, {writing.failure}")
            if composition.says_nothing_found:
                return replace(await self._refused(draft), model=name)
            return _instead(draft, f"answer: quoted, {name} cited nothing that the sources say")
        grounded = await self.ground(
            composition.sentences, composition.citations, composition.evidence
        )
        sentences = tuple(
            replace(written, support=held.support, verdict=held.verdict)
            for written, held in zip(composition.sentences, grounded.sentences, strict=True)
        )
        broken = writing.failure is not None
        cut_off = (f"answer: cut off, {writing.failure}",) if broken else ()
        return Answer(
            question=draft.question,
            found=True,
            sentences=sentences,
            citations=composition.citations,
            evidence=draft.evidence,
            confidence=grounded.confidence,
            degraded=(*cut_off, *grounded.degraded),
            model=name,
        )

    async def _refused(self, draft: Answer) -> Answer:
        """That the documents do not answer; the evidence is the nearest that there is."""
        refusal = replace(
            draft,
            found=False,
            sentences=(AnswerSentence(text=NOT_FOUND, markers=(), support=0.0),),
            citations=(),
        )
        return await localised_refusal(refusal, self.analyzer)

    def _too_small(self) -> str:
        return (
            f"answer: quoted, no source fits into the {self.writer.context_tokens} tokens of "
            f"{self.writer.name} beside the {self.writer.max_output_tokens} it may write"
        )

    def _cut(self, shown: ModelPrompt) -> tuple[str, ...]:
        if not shown.shortened and not shown.omitted:
            return ()
        return (
            f"context: {shown.shortened} sources shortened and {shown.omitted} left out, to fit "
            f"into the {self.writer.context_tokens} tokens of {self.writer.name}",
        )


def _instead(draft: Answer, reason: str) -> Answer:
    """The draft, since the model gave nothing."""
    return replace(draft, degraded=(reason, *draft.degraded))
