"""What an act was about, for the audit log: documents it showed, and what it made or changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
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
from footnote.domain.clusters import ClusterDetail, ClusterPage
from footnote.domain.conversations import Conversation, Exchange, Message, MessagePage
from footnote.domain.credentials import NewApiKey
from footnote.domain.entities import Entity, MentionPage
from footnote.domain.erasure import ErasureEntry, ReplayedErasure
from footnote.domain.evaluations import EvaluationRun, StartedEvaluation
from footnote.domain.events import PushStatus, WebhookEndpoint
from footnote.domain.facts import (
    Fact,
    FactChanges,
    FactConflict,
    FactConflictPage,
    FactPage,
    RecalledFact,
)
from footnote.domain.grounding import GroundingCheck
from footnote.domain.lanes import LaneStatus
from footnote.domain.legal_holds import LegalHold
from footnote.domain.models_in_use import EXTRACTIVE, ModelsInUse
from footnote.domain.people import User, UserGroup
from footnote.domain.personal_data import ArchivePiece
from footnote.domain.relationships import Graph, NodeKind
from footnote.domain.retention import DueDocument, RetentionPreview, RetentionRun
from footnote.domain.sharing import NewShareLink, SharedByLink
from footnote.domain.sources import KnownEntry, WorkspaceSource
from footnote.domain.suggestions import Suggestions
from footnote.domain.summaries import Summary
from footnote.ports.writers import ToolText
from footnote.security.secrets import without_secrets

SUBJECTS = frozenset(
    "chunk_id cluster_id collection collections conversation_id days decision_id document_id"
    " document_ids endpoint_id entity_id expires_in_days expires_in_hours fact_id group_id groups"
    " hold_id ingest_id key_id kind kinds lane link_id measure message_id model most name names"
    " other_id overlap_hours page period principal principal_id rights role run_id shared_with"
    " source_id status subject user_id view_name visibility warn_share".split()
)
"""Parameters that say what an act is about. What is not among them is not entered: it may be a
file's name, an address with a password in it, or content."""
MAX_SUBJECT_CHARACTERS = 300


@dataclass(slots=True, kw_only=True)
class Shown:
    """Documents and passages that an act showed, in their order and each once."""

    documents: dict[UUID, None] = field(default_factory=dict)
    passages: dict[str, None] = field(default_factory=dict)

    def add(self, result: object) -> bool:
        """Note what a result shows; whether there is anything new among it."""
        before = len(self.documents) + len(self.passages)
        for document_id, chunk_id in shown_in(result):
            self.documents[document_id] = None
            if chunk_id is not None:
                self.passages[chunk_id] = None
        return len(self.documents) + len(self.passages) > before


def subject_of(arguments: Mapping[str, object], results: Mapping[str, object]) -> dict[str, str]:
    """The ids and names that an act was given, and those of what it made or changed.

    A name that both have is `new_NAME` for what was made.
    """
    about = {
        name: written[:MAX_SUBJECT_CHARACTERS]
        for name, value in arguments.items()
        if name in SUBJECTS and (written := _written(value)) is not None
    }
    for name, value in results.items():
        if (written := _written(value)) is not None:
            made = written[:MAX_SUBJECT_CHARACTERS]
            about[name if about.get(name, made) == made else f"new_{name}"] = made
    return about


def documents_given(arguments: Mapping[str, object]) -> Iterator[UUID]:
    """The documents that an act was given, by their ids or with what is known of them."""
    for name, value in arguments.items():
        if name in ("document_id", "document_ids"):
            listed = value if isinstance(value, (list, tuple)) else (value,)
            yield from (each for each in listed if isinstance(each, UUID))
        elif isinstance(value, (Received, KnownEntry)):
            yield from (document_id for document_id, _ in shown_in(value))


@singledispatch
def named_in(_: object) -> Mapping[str, object]:
    """What a result that was made or changed is called, by parameters of verbs."""
    return {}


@named_in.register
def _(made: NewApiKey) -> Mapping[str, object]:
    return {"key_id": made.key.key_id, "principal": made.key.principal, "rights": made.key.rights}


@named_in.register
def _(made: NewShareLink) -> Mapping[str, object]:
    return {"link_id": made.link.link_id}


@named_in.register
def _(made: Conversation) -> Mapping[str, object]:
    return {"conversation_id": made.conversation_id}


@named_in.register
def _(made: WebhookEndpoint) -> Mapping[str, object]:
    return {"endpoint_id": made.endpoint_id}


@named_in.register
def _(made: PushStatus) -> Mapping[str, object]:
    return {"ingest_id": made.ingest_id}


@named_in.register
def _(changed: LaneStatus) -> Mapping[str, object]:
    return {"lane": changed.lane.fingerprint}


@named_in.register
def _(changed: ModelsInUse) -> Mapping[str, object]:
    return {"names": changed.used or (EXTRACTIVE,)}


@named_in.register
def _(changed: User) -> Mapping[str, object]:
    return {"user_id": changed.user_id, "principal": changed.user_name}


@named_in.register
def _(changed: UserGroup) -> Mapping[str, object]:
    return {"group_id": changed.group_id, "name": changed.display_name}


@named_in.register
def _(made: ErasureEntry) -> Mapping[str, object]:
    return {"certificate_id": made.certificate_id}


@named_in.register
def _(made: ReplayedErasure) -> Mapping[str, object]:
    return {} if made.erasure is None else named_in(made.erasure)


@named_in.register
def _(made: EvaluationRun | StartedEvaluation) -> Mapping[str, object]:
    return {"run_id": made.run_id}


@named_in.register
def _(made: WorkspaceSource) -> Mapping[str, object]:
    return {
        "source_id": made.source_id,
        "place": made.place,
        "collection": made.collection,
        "state": made.state,
    }


@named_in.register
def _(made: LegalHold) -> Mapping[str, object]:
    return {"hold_id": made.hold_id}


@named_in.register
def _(run: RetentionRun) -> Mapping[str, object]:
    return asdict(run)


@named_in.register(tuple)
def _(made: tuple[object, ...]) -> Mapping[str, object]:
    """What a verb gives with something beside it, and lists of what it changed."""
    named: dict[str, tuple[object, ...]] = {}
    for each in made:
        for name, value in named_in(each).items():
            named[name] = (*named.get(name, ()), value)
    return {name: values[0] if len(values) == 1 else values for name, values in named.items()}


@singledispatch
def shown_in(_: object) -> Iterator[tuple[UUID, str | None]]:
    """Each document that a result shows, with the passage if it is one."""
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


def _written(value: object) -> str | None:
    """A value as the log has it; None for what is no id and no name."""
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, (list, tuple)):
        return ", ".join(filter(None, map(_written, value)))
    if isinstance(value, (str, int, float, UUID)) and not isinstance(value, bool):
        # Somebody may have named a whole key where an id was wanted.
        return without_secrets(storable_text(str(value)))
    return None


def storable_text(text: str) -> str:
    """The text without what neither UTF-8 nor Postgres can hold."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
