"""Collect the documents and passages that a result shows, for the audit log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import singledispatch
from uuid import UUID

from footnote.domain import (
    Answer,
    AnswerDone,
    CitationMade,
    Document,
    DocumentAccess,
    DocumentMap,
    DocumentOutcome,
    DocumentPage,
    Evidence,
    Passage,
    PassageContext,
    PassagePage,
    Received,
    Retried,
    SearchResponse,
    SimilarDocument,
    SourcesFound,
    SuggestionsMade,
    footnotes_of_conflicts,
)
from footnote.domain.answer_statistics import CitationReport, UnansweredReport
from footnote.domain.answers import Suggestions
from footnote.domain.clusters import ClusterDetail, ClusterPage
from footnote.domain.conversations import Exchange, Message, MessagePage
from footnote.domain.entities import Entity, MentionPage
from footnote.domain.erasure import ErasureEntry, ReplayedErasure
from footnote.domain.events import PushStatus
from footnote.domain.facts import (
    Fact,
    FactChanges,
    FactConflict,
    FactConflictPage,
    FactPage,
    RecalledFact,
)
from footnote.domain.grounding import GroundingCheck
from footnote.domain.personal_data import ArchivePiece
from footnote.domain.relationships import Graph, NodeKind
from footnote.domain.retention import DueDocument, LegalHold, RetentionPreview
from footnote.domain.sharing import SharedByLink
from footnote.domain.sources import KnownEntry
from footnote.domain.summaries import Summary
from footnote.ports.writers import ToolText


@dataclass(slots=True, kw_only=True)
class Shown:
    """The distinct documents and passages that an act showed, in order of appearance."""

    documents: dict[UUID, None] = field(default_factory=dict)
    passages: dict[str, None] = field(default_factory=dict)

    def add(self, result: object) -> bool:
        """Add what a result shows; return whether any of it is new."""
        before = len(self.documents) + len(self.passages)
        for document_id, chunk_id in shown_in(result):
            self.documents[document_id] = None
            if chunk_id is not None:
                self.passages[chunk_id] = None
        return len(self.documents) + len(self.passages) > before


@singledispatch
def shown_in(_: object) -> Iterator[tuple[UUID, str | None]]:
    """Yield the id of each document that a result shows, and the chunk id of a passage."""
    return iter(())


@shown_in.register
def _(found: Passage) -> Iterator[tuple[UUID, str | None]]:
    yield found.document_id, found.chunk_id


@shown_in.register
def _(
    found: Document | DocumentOutcome | Retried | DocumentAccess | KnownEntry | DueDocument,
) -> Iterator[tuple[UUID, str | None]]:
    yield found.document_id, None


@shown_in.register
def _(found: Received) -> Iterator[tuple[UUID, str | None]]:
    yield found.document.document_id, None


@shown_in.register
def _(found: Evidence) -> Iterator[tuple[UUID, str | None]]:
    yield found.passage.document_id, found.passage.chunk_id
    for each in found.neighbours:
        yield found.passage.document_id, each.chunk_id
    for twin in found.near_duplicates:
        yield twin.document_id, None


@shown_in.register
def _(found: SearchResponse | SourcesFound) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.evidence)


@shown_in.register
def _(found: Fact) -> Iterator[tuple[UUID, str | None]]:
    return ((each.document_id, None) for each in found.sources)


@shown_in.register
def _(found: FactPage | FactConflict) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.facts)


@shown_in.register
def _(found: FactConflictPage) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.conflicts)


@shown_in.register
def _(found: RecalledFact) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.fact)


@shown_in.register
def _(found: ClusterPage) -> Iterator[tuple[UUID, str | None]]:
    for cluster in found.clusters:
        yield from ((each.document_id, None) for each in cluster.representatives)


@shown_in.register
def _(found: ClusterDetail) -> Iterator[tuple[UUID, str | None]]:
    return ((each.document_id, None) for each in found.members)


@shown_in.register
def _(found: Summary) -> Iterator[tuple[UUID, str | None]]:
    sources = (source for each in found.written for source in each.sources)
    return ((each.document_id, None) for each in (*found.sentences, *sources))


@shown_in.register
def _(found: FactChanges) -> Iterator[tuple[UUID, str | None]]:
    yield found.document_id, None
    for pair in found.changed:
        yield from shown_in((pair.before, pair.after))
    yield from shown_in((*found.added, *found.removed))


@shown_in.register
def _(found: Entity) -> Iterator[tuple[UUID, str | None]]:
    return ((each.document_id, None) for each in found.named_in)


@shown_in.register
def _(found: MentionPage) -> Iterator[tuple[UUID, str | None]]:
    return ((each.document_id, None) for each in found.mentions)


@shown_in.register
def _(found: Graph) -> Iterator[tuple[UUID, str | None]]:
    for node in found.nodes:
        if node.kind is NodeKind.DOCUMENT:
            yield node.node_id, None
    for edge in found.edges:
        for each in edge.evidence:
            yield each.document_id, None


@shown_in.register
def _(found: Answer) -> Iterator[tuple[UUID, str | None]]:
    yield from shown_in(found.evidence)
    for citation in (*found.citations, *footnotes_of_conflicts(found.conflicts, found.citations)):
        yield citation.document_id, citation.chunk_id


@shown_in.register
def _(found: AnswerDone) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.answer)


@shown_in.register
def _(found: CitationMade) -> Iterator[tuple[UUID, str | None]]:
    yield found.citation.document_id, found.citation.chunk_id


@shown_in.register
def _(found: SuggestionsMade) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.suggestions)


@shown_in.register
def _(found: Suggestions) -> Iterator[tuple[UUID, str | None]]:
    for each in found.questions:
        yield from ((document_id, None) for document_id in each.document_ids)
        yield UUID(each.chunk_id.partition(":")[0]), each.chunk_id


@shown_in.register
def _(found: Exchange) -> Iterator[tuple[UUID, str | None]]:
    yield from shown_in(found.evidence)
    yield from shown_in(found.reply)


@shown_in.register
def _(found: Message) -> Iterator[tuple[UUID, str | None]]:
    if found.answer is not None:
        for used in found.answer.evidence:
            yield used.document_id, used.chunk_id
        for each in footnotes_of_conflicts(found.answer.conflicts, found.answer.citations):
            yield each.document_id, each.chunk_id


@shown_in.register
def _(found: MessagePage) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.messages)


@shown_in.register
def _(found: SharedByLink) -> Iterator[tuple[UUID, str | None]]:
    for message in () if found.conversation is None else found.conversation.messages:
        if (answer := message.answer) is not None:
            others = footnotes_of_conflicts(answer.conflicts, answer.citations)
            for cited in (*answer.citations, *others):
                yield cited.document_id, cited.chunk_id


@shown_in.register
def _(found: ErasureEntry) -> Iterator[tuple[UUID, str | None]]:
    return ((each, None) for each in found.document_ids)


@shown_in.register
def _(found: ReplayedErasure) -> Iterator[tuple[UUID, str | None]]:
    return iter(()) if found.erasure is None else shown_in(found.erasure)


@shown_in.register
def _(found: LegalHold) -> Iterator[tuple[UUID, str | None]]:
    if found.document_id is not None:
        yield found.document_id, None


@shown_in.register
def _(found: RetentionPreview) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.documents)


@shown_in.register
def _(found: CitationReport) -> Iterator[tuple[UUID, str | None]]:
    return ((each.document_id, None) for each in (*found.most_cited, *found.never_cited))


@shown_in.register
def _(found: UnansweredReport) -> Iterator[tuple[UUID, str | None]]:
    for question in found.questions:
        yield from ((each.document_id, None) for each in question.nearest)


@shown_in.register
def _(found: DocumentPage) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.documents)


@shown_in.register
def _(found: DocumentMap) -> Iterator[tuple[UUID, str | None]]:
    return ((each.document_id, None) for each in found.points)


@shown_in.register
def _(found: PassagePage) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(found.passages)


@shown_in.register
def _(found: SimilarDocument) -> Iterator[tuple[UUID, str | None]]:
    yield found.document.document_id, None


@shown_in.register
def _(found: GroundingCheck) -> Iterator[tuple[UUID, str | None]]:
    for claim in found.claims:
        for quote in claim.quotes:
            if quote.document_id is not None:
                yield quote.document_id, quote.chunk_id


@shown_in.register
def _(found: PassageContext) -> Iterator[tuple[UUID, str | None]]:
    yield from shown_in((*found.context_before, found.chunk, *found.context_after))


@shown_in.register
def _(found: ArchivePiece) -> Iterator[tuple[UUID, str | None]]:
    return ((each, None) for each in found.document_ids)


@shown_in.register
def _(found: ToolText) -> Iterator[tuple[UUID, str | None]]:
    return ((each.document_id, None) for each in found.documents)


@shown_in.register(tuple)
@shown_in.register(list)
def _(found: tuple[object, ...] | list[object]) -> Iterator[tuple[UUID, str | None]]:
    for each in found:
        yield from shown_in(each)


@shown_in.register
def _(found: Mapping) -> Iterator[tuple[UUID, str | None]]:  # type: ignore[type-arg]  # of anything
    for each in found.values():
        yield from shown_in(each)


@shown_in.register
def _(found: PushStatus) -> Iterator[tuple[UUID, str | None]]:
    if found.document_id is not None:
        yield found.document_id, None
