"""Answer with a model, from evidence: weigh → prompt → write → cite → ground."""

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

MIN_WORTH_ASKING = 0.05
"""Minimum confidence of the draft for a model to be called. It is far below the threshold of quoted
answers, because a model also understands paraphrases."""


@dataclass(slots=True)
class _Writing:
    """The state of a model's output."""

    usage: Usage | None = None
    failure: str | None = None
    model: str | None = None
    """The model of a chain that wrote the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerativeAnswerer:
    """Has a model answer from the evidence, and releases only cited text.

    Weak evidence is refused without calling the model. If the model is unavailable, writes nothing
    or cites nothing, the draft is used; if it stops early, the text so far is kept. Both are noted
    in `degraded`.
    """

    writer: Writer
    draft: Answerer
    """The answerer that quotes: it estimates how likely the evidence answers, and is the
    fallback."""
    ground: Grounder
    analyzer: Analyzer
    embedder: Embedder | None = None
    """Finds the quote if a source shares no words with the statement, as across languages."""
    count_tokens: Callable[[str], int]
    """Approximates the writer's tokenizer, counting rather too many tokens."""
    least_answerability: float = MIN_WORTH_ASKING

    async def stream(
        self, question: str, evidence: Sequence[Evidence], *, turns: Sequence[Turn] = ()
    ) -> AsyncGenerator[AnswerEvent]:
        """Stream the sources, the text with its citations, their grounding, and the answer.

        `question` is standalone; `turns` are the earlier messages, oldest first. Closing the
        generator stops the model. Raises nothing: failures are events.
        """
        sources = numbered(evidence)
        yield SourcesFound(evidence=sources)
        # The draft makes refusals cheap: no model is called if the evidence hardly answers. It is
        # also the answer if the model is unavailable.
        draft = await self.draft(question, sources)
        is_unlikely = draft.confidence <= self.least_answerability and not draft.degraded
        if not sources or is_unlikely:
            for event in events_of(await self._refusal(draft)):
                yield event
            return
        prompt = build_prompt(
            question,
            sources,
            turns=turns,
            context_tokens=self.writer.context_tokens - self.writer.max_output_tokens,
            count_tokens=self.count_tokens,
        )
        if not prompt.numbers:
            for event in events_of(_draft_instead(draft, self._context_too_small())):
                yield event
            return
        composition = Composition(sources, self.analyzer, self.embedder, prompt.numbers)
        writing = _Writing()
        async with aclosing(self._model_events(prompt, composition, writing)) as pieces:
            async for piece in pieces:
                yield piece
        answer = await self._answer(draft, prompt, composition, writing)
        events = closing_events(answer) if composition.sentences else events_of(answer)
        for event in events:
            yield event

    async def _model_events(
        self, prompt: ModelPrompt, composition: Composition, writing: _Writing
    ) -> AsyncGenerator[AnswerEvent]:
        """The model's output as events; a failure is recorded."""
        try:
            async with aclosing(self.writer(prompt.instructions, prompt.prompt)) as pieces:
                async for piece in pieces:
                    writing.usage = piece.usage or writing.usage
                    writing.model = piece.model or writing.model
                    for event in await composition.feed(piece.text):
                        yield event
                    if composition.refuses:
                        return
        except ModelUnavailable as unavailable:
            writing.failure = str(unavailable)
        # An unfinished sentence may state the opposite of the finished one.
        has_failed = writing.failure is not None
        for event in await (composition.break_off() if has_failed else composition.finish()):
            yield event

    async def _answer(
        self, draft: Answer, prompt: ModelPrompt, composition: Composition, writing: _Writing
    ) -> Answer:
        answer = replace(
            await self._grounded_answer(draft, composition, writing),
            removed_citations=composition.removed,
            omitted_evidence=prompt.omitted,
            # An interrupted call does not report its cost.
            usage=writing.usage or Usage(requests=1),
        )
        notes = self._truncation_notes(prompt)
        return replace(answer, degraded=(*answer.degraded, *notes))

    async def _grounded_answer(
        self, draft: Answer, composition: Composition, writing: _Writing
    ) -> Answer:
        model_name = writing.model or self.writer.name
        if not composition.sentences:
            if writing.failure is not None:
                return _draft_instead(
                    draft, f"answer: quoted without {model_name}, {writing.failure}"
                )
            if composition.says_nothing_found:
                return replace(await self._refusal(draft), model=model_name)
            return _draft_instead(
                draft, f"answer: quoted, {model_name} cited nothing that the sources say"
            )
        grounded = await self.ground(
            composition.sentences, composition.citations, composition.evidence
        )
        sentences = tuple(
            replace(sentence, support=graded.support, verdict=graded.verdict)
            for sentence, graded in zip(composition.sentences, grounded.sentences, strict=True)
        )
        has_failed = writing.failure is not None
        failure_notes = (f"answer: cut off, {writing.failure}",) if has_failed else ()
        return Answer(
            question=draft.question,
            found=True,
            sentences=sentences,
            citations=composition.citations,
            evidence=draft.evidence,
            confidence=grounded.confidence,
            degraded=(*failure_notes, *grounded.degraded),
            model=model_name,
        )

    async def _refusal(self, draft: Answer) -> Answer:
        """A refusal, with the nearest evidence."""
        refusal = replace(
            draft,
            found=False,
            sentences=(AnswerSentence(text=NOT_FOUND, markers=(), support=0.0),),
            citations=(),
        )
        return await localised_refusal(refusal, self.analyzer)

    def _context_too_small(self) -> str:
        return (
            f"answer: quoted, no source fits into the {self.writer.context_tokens} tokens of "
            f"{self.writer.name} beside the {self.writer.max_output_tokens} it may write"
        )

    def _truncation_notes(self, prompt: ModelPrompt) -> tuple[str, ...]:
        if not prompt.shortened and not prompt.omitted:
            return ()
        return (
            f"context: {prompt.shortened} sources shortened and {prompt.omitted} left out, to fit "
            f"into the {self.writer.context_tokens} tokens of {self.writer.name}",
        )


def _draft_instead(draft: Answer, reason: str) -> Answer:
    """The draft, because the model gave no answer."""
    return replace(draft, degraded=(reason, *draft.degraded))
