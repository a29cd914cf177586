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
class ShownDocuments:
    """The distinct documents and passages that an act showed, in order of appearance."""

    documents: dict[UUID, None] = field(default_factory=dict)
    passages: dict[str, None] = field(default_factory=dict)

    def add(self, result: object) -> bool:
        """Add what a result shows; return whether any of it is new."""
        count_before = len(self.documents) + len(self.passages)
        for document_id, chunk_id in shown_in(result):
            self.documents[document_id] = None
            if chunk_id is not None:
                self.passages[chunk_id] = None
        return len(self.documents) + len(self.passages) > count_before


@singledispatch
def shown_in(_: object) -> Iterator[tuple[UUID, str | None]]:
    """Yield the id of each document that a result shows, and the chunk id of a passage."""
    return iter(())


@shown_in.register
def _(passage: Passage) -> Iterator[tuple[UUID, str | None]]:
    yield passage.document_id, passage.chunk_id


@shown_in.register
def _(
    document: Document | DocumentOutcome | Retried | DocumentAccess | KnownEntry | DueDocument,
) -> Iterator[tuple[UUID, str | None]]:
    yield document.document_id, None


@shown_in.register
def _(received: Received) -> Iterator[tuple[UUID, str | None]]:
    yield received.document.document_id, None


@shown_in.register
def _(hit: Evidence) -> Iterator[tuple[UUID, str | None]]:
    yield hit.passage.document_id, hit.passage.chunk_id
    for neighbour in hit.neighbours:
        yield hit.passage.document_id, neighbour.chunk_id
    for duplicate in hit.near_duplicates:
        yield duplicate.document_id, None


@shown_in.register
def _(response: SearchResponse | SourcesFound) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(response.evidence)


@shown_in.register
def _(fact: Fact) -> Iterator[tuple[UUID, str | None]]:
    return ((source.document_id, None) for source in fact.sources)


@shown_in.register
def _(page: FactPage | FactConflict) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(page.facts)


@shown_in.register
def _(page: FactConflictPage) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(page.conflicts)


@shown_in.register
def _(recalled: RecalledFact) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(recalled.fact)


@shown_in.register
def _(page: ClusterPage) -> Iterator[tuple[UUID, str | None]]:
    for cluster in page.clusters:
        yield from ((member.document_id, None) for member in cluster.representatives)


@shown_in.register
def _(cluster: ClusterDetail) -> Iterator[tuple[UUID, str | None]]:
    return ((member.document_id, None) for member in cluster.members)


@shown_in.register
def _(summary: Summary) -> Iterator[tuple[UUID, str | None]]:
    sources = (source for sentence in summary.written for source in sentence.sources)
    return ((quoted.document_id, None) for quoted in (*summary.sentences, *sources))


@shown_in.register
def _(changes: FactChanges) -> Iterator[tuple[UUID, str | None]]:
    yield changes.document_id, None
    for pair in changes.changed:
        yield from shown_in((pair.before, pair.after))
    yield from shown_in((*changes.added, *changes.removed))


@shown_in.register
def _(entity: Entity) -> Iterator[tuple[UUID, str | None]]:
    return ((mention.document_id, None) for mention in entity.named_in)


@shown_in.register
def _(page: MentionPage) -> Iterator[tuple[UUID, str | None]]:
    return ((mention.document_id, None) for mention in page.mentions)


@shown_in.register
def _(graph: Graph) -> Iterator[tuple[UUID, str | None]]:
    for node in graph.nodes:
        if node.kind is NodeKind.DOCUMENT:
            yield node.node_id, None
    for edge in graph.edges:
        for evidence in edge.evidence:
            yield evidence.document_id, None


@shown_in.register
def _(answer: Answer) -> Iterator[tuple[UUID, str | None]]:
    yield from shown_in(answer.evidence)
    for citation in (
        *answer.citations,
        *footnotes_of_conflicts(answer.conflicts, answer.citations),
    ):
        yield citation.document_id, citation.chunk_id


@shown_in.register
def _(event: AnswerDone) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(event.answer)


@shown_in.register
def _(event: CitationMade) -> Iterator[tuple[UUID, str | None]]:
    yield event.citation.document_id, event.citation.chunk_id


@shown_in.register
def _(event: SuggestionsMade) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(event.suggestions)


@shown_in.register
def _(suggestions: Suggestions) -> Iterator[tuple[UUID, str | None]]:
    for question in suggestions.questions:
        yield from ((document_id, None) for document_id in question.document_ids)
        yield UUID(question.chunk_id.partition(":")[0]), question.chunk_id


@shown_in.register
def _(exchange: Exchange) -> Iterator[tuple[UUID, str | None]]:
    yield from shown_in(exchange.evidence)
    yield from shown_in(exchange.reply)


@shown_in.register
def _(message: Message) -> Iterator[tuple[UUID, str | None]]:
    if message.answer is not None:
        for source in message.answer.evidence:
            yield source.document_id, source.chunk_id
        for citation in footnotes_of_conflicts(message.answer.conflicts, message.answer.citations):
            yield citation.document_id, citation.chunk_id


@shown_in.register
def _(page: MessagePage) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(page.messages)


@shown_in.register
def _(shared: SharedByLink) -> Iterator[tuple[UUID, str | None]]:
    for message in () if shared.conversation is None else shared.conversation.messages:
        if (answer := message.answer) is not None:
            of_conflicts = footnotes_of_conflicts(answer.conflicts, answer.citations)
            for citation in (*answer.citations, *of_conflicts):
                yield citation.document_id, citation.chunk_id


@shown_in.register
def _(erasure: ErasureEntry) -> Iterator[tuple[UUID, str | None]]:
    return ((document_id, None) for document_id in erasure.document_ids)


@shown_in.register
def _(replayed: ReplayedErasure) -> Iterator[tuple[UUID, str | None]]:
    return iter(()) if replayed.erasure is None else shown_in(replayed.erasure)


@shown_in.register
def _(hold: LegalHold) -> Iterator[tuple[UUID, str | None]]:
    if hold.document_id is not None:
        yield hold.document_id, None


@shown_in.register
def _(preview: RetentionPreview) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(preview.documents)


@shown_in.register
def _(report: CitationReport) -> Iterator[tuple[UUID, str | None]]:
    return ((document.document_id, None) for document in (*report.most_cited, *report.never_cited))


@shown_in.register
def _(report: UnansweredReport) -> Iterator[tuple[UUID, str | None]]:
    for question in report.questions:
        yield from ((document.document_id, None) for document in question.nearest)


@shown_in.register
def _(page: DocumentPage) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(page.documents)


@shown_in.register
def _(document_map: DocumentMap) -> Iterator[tuple[UUID, str | None]]:
    return ((point.document_id, None) for point in document_map.points)


@shown_in.register
def _(page: PassagePage) -> Iterator[tuple[UUID, str | None]]:
    return shown_in(page.passages)


@shown_in.register
def _(similar: SimilarDocument) -> Iterator[tuple[UUID, str | None]]:
    yield similar.document.document_id, None


@shown_in.register
def _(check: GroundingCheck) -> Iterator[tuple[UUID, str | None]]:
    for claim in check.claims:
        for quote in claim.quotes:
            if quote.document_id is not None:
                yield quote.document_id, quote.chunk_id


@shown_in.register
def _(context: PassageContext) -> Iterator[tuple[UUID, str | None]]:
    yield from shown_in((*context.context_before, context.chunk, *context.context_after))


@shown_in.register
def _(piece: ArchivePiece) -> Iterator[tuple[UUID, str | None]]:
    return ((document_id, None) for document_id in piece.document_ids)


@shown_in.register
def _(text: ToolText) -> Iterator[tuple[UUID, str | None]]:
    return ((document.document_id, None) for document in text.documents)


@shown_in.register(tuple)
@shown_in.register(list)
def _(values: tuple[object, ...] | list[object]) -> Iterator[tuple[UUID, str | None]]:
    for value in values:
        yield from shown_in(value)


@shown_in.register
def _(mapping: Mapping) -> Iterator[tuple[UUID, str | None]]:  # type: ignore[type-arg]  # of anything
    for value in mapping.values():
        yield from shown_in(value)


@shown_in.register
def _(status: PushStatus) -> Iterator[tuple[UUID, str | None]]:
    if status.document_id is not None:
        yield status.document_id, None
