"""Find visible facts that contradict the facts in an answer's quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from footnote.answering.sanitise import plain_text
from footnote.domain import (
    Answer,
    AnswerConflict,
    Citation,
    ConflictingStatement,
)
from footnote.domain.facts import Fact
from footnote.engine.services import WorkspaceAccess
from footnote.errors import FootnoteError
from footnote.store.fact_conflicts import (
    Disagreement,
    QuotedFact,
    QuotedSpan,
    disagreements,
    facts_quoted,
)

MAX_CONFLICTS = 5
"""Most conflicts shown with one answer."""


def may_conflict(workspace: WorkspaceAccess, answer: Answer) -> bool:
    """Return whether conflicts are possible: the answer cites, and facts are enabled.

    Uses the settings that this process read last.
    """
    return answer.found and bool(answer.citations) and workspace.settings.facts != "off"


async def with_conflicts(workspace: WorkspaceAccess, answer: Answer) -> Answer:
    """Return the answer with conflicts between the facts in its quotes and other facts.

    Only facts that the principal may see count. A failure does not fail the answer: `degraded`
    notes it.
    """
    try:
        return replace(answer, conflicts=await _conflicts(workspace, answer.citations))
    except FootnoteError as error:
        return replace(answer, degraded=(*answer.degraded, f"conflicts: {error}"))


async def _conflicts(
    workspace: WorkspaceAccess, citations: Sequence[Citation]
) -> tuple[AnswerConflict, ...]:
    async with workspace.scope() as scope:
        quoted = await facts_quoted(scope, [_quoted_span(citation) for citation in citations])
        if not quoted:
            return ()
        claims = {fact.claim for fact in quoted}
        preferred_ids = [fact.fact_id for fact in quoted]
        conflicts = await disagreements(scope, claims, MAX_CONFLICTS, preferred=preferred_ids)
    footnotes = _Footnotes(citations=citations, quoted=quoted)
    return tuple(filter(None, (footnotes.conflict(disagreement) for disagreement in conflicts)))


def _quoted_span(citation: Citation) -> QuotedSpan:
    """Return the span of a citation: the answer within the quote if marked, else the quote."""
    start, end = citation.answer_start, citation.answer_end
    return QuotedSpan(
        document_id=citation.document_id,
        start=citation.char_start if start is None else start,
        end=citation.char_end if end is None else end,
    )


@dataclass(slots=True, kw_only=True)
class _Footnotes:
    """Builds citations of conflicting facts, numbered after those of the answer."""

    citations: Sequence[Citation]
    quoted: Sequence[QuotedFact]
    _new_citations: dict[tuple[UUID, int, int], Citation] = field(default_factory=dict)

    def conflict(self, disagreement: Disagreement) -> AnswerConflict | None:
        """Return the statements of a conflict, the answer's first; None if it quotes none."""
        quoted = {quoted_fact.fact_id: quoted_fact for quoted_fact in self.quoted}
        answer_facts = [fact for fact in disagreement.facts if fact.fact_id in quoted]
        other_facts = [fact for fact in disagreement.facts if fact.fact_id not in quoted]
        if not answer_facts:
            return None
        statements = [(fact, self._answer_citation(quoted[fact.fact_id])) for fact in answer_facts]
        statements += [(fact, self._new_citation(fact)) for fact in other_facts]
        return AnswerConflict(
            subject=plain_text(disagreement.subject) or "…",
            predicate=plain_text(answer_facts[0].predicate),
            valid_from=answer_facts[0].valid_from,
            valid_to=answer_facts[0].valid_to,
            statements=tuple(
                ConflictingStatement(
                    fact_id=fact.fact_id,
                    text=plain_text(fact.object) or "…",
                    value=fact.value,
                    unit=fact.unit,
                    citation=citation,
                )
                for fact, citation in statements
            ),
        )

    def _answer_citation(self, quoted: QuotedFact) -> Citation:
        """Return the first citation of the answer whose span overlaps the fact."""
        return next(
            citation
            for citation in self.citations
            if citation.document_id == quoted.document_id
            and citation.char_start < quoted.end
            and quoted.start < citation.char_end
        )

    def _new_citation(self, fact: Fact) -> Citation:
        source = fact.sources[0]
        span = (source.document_id, source.char_start, source.char_end)
        if span not in self._new_citations:
            last = max(citation.marker for citation in self.citations)
            self._new_citations[span] = Citation(
                marker=last + 1 + len(self._new_citations),
                chunk_id=source.chunk_id,
                document_id=source.document_id,
                document_title=source.document_title,
                filename=source.filename,
                heading_path=source.heading_path,
                page=source.page,
                paragraph=source.paragraph,
                quote=source.quote,
                char_start=source.char_start,
                char_end=source.char_end,
            )
        return self._new_citations[span]
