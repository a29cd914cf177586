"""Have a language model summarise sentences, and keep what its sources support."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from footnote.answering.grounding import SupportGrounder
from footnote.domain import AnswerSentence, Citation, Usage, Verdict
from footnote.domain.summaries import SummarySentence, WrittenSentence
from footnote.domain.usage import UsageKind, UsageNote
from footnote.engine.configuration import judge_in_use
from footnote.engine.services import WorkspaceAccess
from footnote.errors import ModelUnavailable
from footnote.knowledge.written_summaries import (
    INSTRUCTIONS,
    PROMPT_VERSION,
    TOKENS_WRITTEN,
    DraftSentence,
    SourceSentence,
    drafts_of_reply,
    prompt_of,
)
from footnote.models.counting import estimate_tokens
from footnote.ports.metering import watching_use
from footnote.store.written_summaries import Writing, WritingCounts

if TYPE_CHECKING:
    # It imports the client libraries of an extra.
    from footnote.models.writing import WritingModel

MIN_SECONDS, MIN_TOKENS = 120.0, 2_048
"""Least timeout and output tokens for one summary, which runs in the background."""
MAX_BYTES = 10_000
"""Most bytes of one document that are sent: about 64 sentences."""
_BYTES_OF_A_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryWriter:
    """A language model that writes summaries."""

    model: WritingModel

    @property
    def name(self) -> str:
        """Model name and prompt version; a change makes every written summary due again."""
        return f"{self.model.name}, prompt {PROMPT_VERSION}"


def writer_of(model: WritingModel) -> SummaryWriter:
    """Return a summary writer: the model with at least a summary's timeout and length."""
    return SummaryWriter(
        model=replace(
            model,
            timeout_seconds=max(model.timeout_seconds, MIN_SECONDS),
            max_output_tokens=max(model.max_output_tokens, MIN_TOKENS),
        )
    )


async def write_summary(
    workspace: WorkspaceAccess, writer: SummaryWriter, sentences: Sequence[SummarySentence]
) -> Writing:
    """Have the model summarise sentences, and keep what the sentences it cites support.

    If the model is unavailable, breaks off, writes no summary or cites unknown sentences, no
    sentence is returned and `failure` says why. Raises BudgetExceeded before the model is called.
    """
    if not sentences:
        return Writing(sentences=(), left_out=0, usage=Usage())
    engine = workspace.engine
    await engine.metering.require_budget(workspace.workspace_id)
    notes: list[UsageNote] = []
    failure: str | None = None
    drafts: tuple[DraftSentence, ...] | None = None
    with watching_use(notes):
        try:
            reply = await writer.model(
                INSTRUCTIONS,
                prompt_of(
                    [
                        SourceSentence(title=sentence.document_title, text=sentence.text)
                        for sentence in sentences
                    ]
                ),
            )
        except ModelUnavailable as error:
            failure = error.with_hint
        else:
            drafts = drafts_of_reply(reply, len(sentences))
            if drafts is None:
                failure = (
                    f"{writer.model.name} wrote no summary, or named sentences that there are not"
                )
    usage = engine.metering.prices.usage_of(notes)
    if drafts is None:
        return Writing(sentences=(), left_out=0, usage=usage, failure=failure)
    supported = await _supported(workspace, drafts, sentences)
    if not supported:
        failure = f"{writer.model.name} wrote nothing that the sentences it names carry"
    return Writing(
        sentences=supported, left_out=len(drafts) - len(supported), usage=usage, failure=failure
    )


async def _supported(
    workspace: WorkspaceAccess,
    drafts: Sequence[DraftSentence],
    sentences: Sequence[SummarySentence],
) -> tuple[WrittenSentence, ...]:
    """Return the drafts that their sources support, by the check used for answers."""
    ground = SupportGrounder(analyzer=workspace.engine.analyzer, judge=judge_in_use(workspace))
    supported = []
    for draft in drafts:
        sources = tuple(sentences[number] for number in draft.sources)
        citations = [_citation(marker, source) for marker, source in enumerate(sources, start=1)]
        sentence = AnswerSentence(
            text=draft.text, markers=tuple(range(1, len(sources) + 1)), support=0.0
        )
        [checked] = (await ground([sentence], citations, ())).sentences
        if checked.verdict is Verdict.SUPPORTED:
            supported.append(
                WrittenSentence(text=draft.text, support=checked.support, sources=sources)
            )
    return tuple(supported)


def _citation(marker: int, source: SummarySentence) -> Citation:
    return Citation(
        marker=marker,
        chunk_id="",
        document_id=source.document_id,
        document_title=source.document_title,
        filename="",
        heading_path=(),
        page=None,
        paragraph=1,
        quote=source.text,
        char_start=source.char_start,
        char_end=source.char_end,
    )


def estimated_use(writer: SummaryWriter, counts: WritingCounts) -> UsageNote:
    """Estimate the tokens for all documents that the model has not summarised."""
    return UsageNote(
        kind=UsageKind.GENERATION,
        model=writer.model.name,
        requests=counts.remaining,
        input_tokens=counts.remaining_bytes // _BYTES_OF_A_TOKEN
        + counts.remaining * estimate_tokens(INSTRUCTIONS),
        output_tokens=counts.remaining * TOKENS_WRITTEN,
        units=counts.remaining,
    )
