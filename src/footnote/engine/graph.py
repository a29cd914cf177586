"""The graph of a workspace: entities, documents, their relationships and the evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated
from uuid import UUID

from pydantic import Field

from footnote.domain.entities import NAMED_KINDS, EntityKind
from footnote.domain.relationships import (
    Graph,
    GraphEdge,
    GraphEvidence,
    GraphNode,
    KeyRole,
    NodeKind,
    RelationshipKind,
)
from footnote.engine.facts import fact_conflicts
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest
from footnote.knowledge.relationships import resemblance, title_words
from footnote.store import entities as named
from footnote.store import relationships as stored
from footnote.store.database import WorkspaceScope
from footnote.store.documents import get_document, shown_version, texts_of_spans
from footnote.store.facts import WantedFacts, list_facts
from footnote.store.passages import chunks_at
from footnote.store.relationships import Place

_EDGES_OF_A_NODE = 6
"""Most edges between entities, as a multiple of the node limit; the strongest are kept."""
_PLACES = 4
"""Most pieces of evidence for one edge."""
_LEAST_RESEMBLANCE, _LEAST_SAME = 0.3, 0.9
"""Shares of common sentences from which documents are similar, and are duplicates."""
_DOCUMENTS_SHARED = 20
"""Most documents shown beside one because they name the same entities."""
_LONGEST_QUOTE = 600
_FACTS = 300
"""Most facts of the central node searched for those that relate two entities."""

GraphLimit = Annotated[int, Field(ge=1, le=500)]

_Edges = dict[tuple[UUID, UUID, RelationshipKind, str], "_Edge"]
"""By their ends, their kind and their label."""


@dataclass(slots=True)
class _Edge:
    weight: float = 0.0
    documents: set[UUID] = field(default_factory=set)
    places: dict[Place, None] = field(default_factory=dict)

    def add(self, weight: float, *places: Place) -> None:
        self.weight += weight
        for each in places:
            self.places.setdefault(each)
            self.documents.add(each.document_id)


async def graph(
    workspace: WorkspaceAccess,
    *,
    entity_id: UUID | None = None,
    document_id: UUID | None = None,
    kinds: Sequence[EntityKind] = (),
    limit: GraphLimit = 50,
) -> Graph:
    """Return the relationships around an entity, around a document, or of the workspace.

    An entity is shown with those that occur in the same sentences, a document with the entities it
    names and its related documents, the workspace by the entities that most documents name. At most
    `limit` entities, only of `kinds` where some are given. Raises NotFound for what is absent,
    foreign or hidden, and InvalidRequest for an entity and a document at once.
    """
    if entity_id is not None and document_id is not None:
        raise InvalidRequest(
            "a graph has one middle, and this names an entity and a document",
            hint="name one of them",
        )
    wanted = tuple(kinds) or NAMED_KINDS
    async with workspace.scope() as scope:
        edges: _Edges = defaultdict(_Edge)
        if document_id is not None:
            await get_document(scope, document_id)
            entity_ids = await _around_document(scope, document_id, wanted, limit + 1, edges)
        elif entity_id is not None:
            await named.require_entity(scope, entity_id)
            beside = await stored.neighbours(scope, [entity_id], wanted, limit)
            entity_ids = [entity_id, *beside]
        else:
            listed = await named.list_entities(
                scope, named.WantedEntities(kinds=wanted), limit=limit + 1, after=None
            )
            entity_ids = [each.entity_id for each in listed]
        complete = len(entity_ids) <= limit
        entity_ids = entity_ids[:limit]
        pairs = await stored.pairs_among(scope, entity_ids, _EDGES_OF_A_NODE * limit)
        if entity_id is not None or document_id is not None:
            facts = WantedFacts(document_id=document_id, entity_id=entity_id)
            entity_ids = await _stated(scope, facts, entity_ids, limit, edges)
        places = await stored.pair_places(
            scope, [(each.source_id, each.target_id) for each in pairs], _PLACES
        )
        counted = {
            (each.source_id, each.target_id, RelationshipKind.NAMED_TOGETHER): each.documents
            for each in pairs
        }
        for each in pairs:
            ends = each.source_id, each.target_id
            edges[(*ends, RelationshipKind.NAMED_TOGETHER, "")].add(each.weight, *places[ends])
    if document_id is not None:
        await _contradictions(workspace, document_id, edges)
    async with workspace.scope() as scope:
        nodes = await _nodes(scope, entity_ids, edges)
        shown = {each.node_id for each in nodes}
        quoted = await _quoted(scope, edges)
    return Graph(
        nodes=nodes,
        edges=tuple(
            GraphEdge(
                source_id=source,
                target_id=target,
                kind=kind,
                label=label,
                weight=round(edge.weight, 4),
                # For pairs of entities only some of the documents are quoted.
                documents=counted.get((source, target, kind), len(edge.documents)),
                evidence=evidence,
            )
            for (source, target, kind, label), edge in sorted(
                edges.items(), key=lambda each: (each[0][2].value, -each[1].weight, *each[0])
            )
            if source in shown
            and target in shown
            and (
                evidence := tuple(quoted[at] for at in list(edge.places)[:_PLACES] if at in quoted)
            )
        ),
        complete=complete and len(pairs) < _EDGES_OF_A_NODE * limit,
    )


async def _stated(
    scope: WorkspaceScope,
    wanted: WantedFacts,
    entity_ids: list[UUID],
    limit: int,
    edges: _Edges,
) -> list[UUID]:
    """Add edges for facts that relate two entities.

    Returns the entities, with those that only facts name while there is room.
    """
    room = dict.fromkeys(entity_ids)
    for fact, _ in await list_facts(scope, wanted, limit=_FACTS, after=None):
        subject, stated = fact.subject_entity_id, fact.object_entity_id
        if fact.negated or subject is None or stated is None or subject == stated:
            continue
        for end in (subject, stated):
            if len(room) < limit:
                room.setdefault(end)
        places = [
            Place(
                document_id=each.document_id,
                version=each.version,
                span=(each.char_start, each.char_end),
            )
            for each in fact.sources
        ]
        edges[subject, stated, RelationshipKind.STATED, fact.predicate].add(1.0, *places)
    return list(room)


async def _around_document(
    scope: WorkspaceScope,
    document_id: UUID,
    kinds: Iterable[EntityKind],
    limit: int,
    edges: _Edges,
) -> list[UUID]:
    """Add the edges of a document; return the entities that it names."""
    found = await stored.named_most(scope, document_id, kinds, limit)
    for entity_id, mentions, place in found:
        edges[document_id, entity_id, RelationshipKind.NAMES, ""].add(mentions, place)
    for child, parent in await stored.family(scope, document_id):
        for place in await _first_places(scope, child):
            edges[child, parent, RelationshipKind.ATTACHED_TO, ""].add(1.0, place)
    await _keyed(scope, document_id, edges)
    sharing = await stored.sharing_documents(scope, document_id, _DOCUMENTS_SHARED)
    both = [
        (whose, entity_id)
        for each in sharing
        for entity_id in each.entity_ids
        for whose in (document_id, each.document_id)
    ]
    places = await stored.mention_places(scope, both)
    for each in sharing:
        shown = [
            places[whose, entity_id]
            for entity_id in each.entity_ids
            for whose in (document_id, each.document_id)
            if (whose, entity_id) in places
        ]
        edge = edges[(*_ends(document_id, each.document_id), RelationshipKind.SHARES_ENTITIES, "")]
        edge.add(each.weight, *shown)
    return [entity_id for entity_id, _, _ in found]


async def _keyed(scope: WorkspaceScope, document_id: UUID, edges: _Edges) -> None:
    """Add edges for citations, replies and similar documents, in both directions."""
    alike: dict[UUID, list[stored.SharedKey]] = defaultdict(list)
    for each in await stored.shared_keys(scope, document_id):
        other = each.other.document_id
        match each.role, each.other_role:
            case KeyRole.SAYS, _:
                alike[other].append(each)
            case KeyRole.NAMES, _:
                edges[document_id, other, RelationshipKind.CITES, ""].add(1.0, each.place)
            case KeyRole.REPLIES_TO, _:
                edges[document_id, other, RelationshipKind.REPLIES_TO, ""].add(1.0, each.place)
            case KeyRole.IS, KeyRole.NAMES:
                edges[other, document_id, RelationshipKind.CITES, ""].add(1.0, each.other)
            case _:
                edges[other, document_id, RelationshipKind.REPLIES_TO, ""].add(1.0, each.other)
    await _alike(scope, document_id, alike, edges)


async def _alike(
    scope: WorkspaceScope,
    document_id: UUID,
    alike: Mapping[UUID, Sequence[stored.SharedKey]],
    edges: _Edges,
) -> None:
    """Add edges to the documents that share enough sentences with a document."""
    sketches = await stored.sketches(scope, [document_id, *alike])
    titles = await stored.titles(scope, [document_id, *alike])
    own = titles.get(document_id)
    for other, shared in alike.items():
        if own is None or other not in titles or other not in sketches:
            continue
        share = resemblance(sketches[document_id], sketches[other])
        if share < _LEAST_RESEMBLANCE:
            continue
        kind = RelationshipKind.RESEMBLES
        if share >= _LEAST_SAME:
            kind = RelationshipKind.DUPLICATE_OF
        elif title_words(own[0]) == title_words(titles[other][0]) != ():
            kind = RelationshipKind.VERSION_OF
        longest = sorted(shared, key=lambda each: each.place.span[0] - each.place.span[1])
        shown = [at for each in longest[: _PLACES // 2] for at in (each.place, each.other)]
        edges[(*_ends(document_id, other), kind, "")].add(share, *shown)


async def _contradictions(workspace: WorkspaceAccess, document_id: UUID, edges: _Edges) -> None:
    page = await fact_conflicts(workspace, document_id=document_id)
    for conflict in page.conflicts:
        places: dict[UUID, Place] = {}
        for fact in conflict.facts:
            source = fact.sources[0]
            places.setdefault(
                source.document_id,
                Place(
                    document_id=source.document_id,
                    version=source.version,
                    span=(source.char_start, source.char_end),
                ),
            )
        for other in places.keys() - {document_id}:
            if document_id in places:
                edge = edges[(*_ends(document_id, other), RelationshipKind.CONTRADICTS, "")]
                edge.add(1.0, places[document_id], places[other])


async def _first_places(scope: WorkspaceScope, document_id: UUID) -> list[Place]:
    """Where a document begins: its first line."""
    shown = await shown_version(scope, document_id)
    [text] = await texts_of_spans(scope, shown, [(0, _LONGEST_QUOTE)], 0)
    start = len(text.quoted) - len(text.quoted.lstrip())
    line = text.quoted[start:].partition("\n")[0].rstrip()
    if not line:
        return []
    return [Place(document_id=document_id, version=shown.version, span=(start, start + len(line)))]


async def _nodes(
    scope: WorkspaceScope, entity_ids: Sequence[UUID], edges: _Edges
) -> tuple[GraphNode, ...]:
    """The entities, and the documents that edges lead from or to."""
    listed = await named.list_entities(
        scope,
        named.WantedEntities(among=tuple(entity_ids)),
        limit=max(1, len(entity_ids)),
        after=None,
    )
    known = set(entity_ids)
    documents = dict.fromkeys(
        end for source, target, *_ in edges for end in (source, target) if end not in known
    )
    titles = await stored.titles(scope, documents)
    return (
        *(
            GraphNode(
                node_id=each.entity_id,
                kind=NodeKind.ENTITY,
                name=each.name,
                entity_kind=each.kind,
                documents=each.documents,
            )
            for each in listed
        ),
        *(
            GraphNode(node_id=each, kind=NodeKind.DOCUMENT, name=titles[each][0])
            for each in documents
            if each in titles
        ),
    )


async def _quoted(scope: WorkspaceScope, edges: _Edges) -> Mapping[Place, GraphEvidence]:
    """Return the text at each place of the edges, except places in replaced versions."""
    by_document: dict[UUID, dict[Place, None]] = defaultdict(dict)
    for edge in edges.values():
        for place in list(edge.places)[:_PLACES]:
            by_document[place.document_id].setdefault(place)
    titles = await stored.titles(scope, by_document)
    found: dict[Place, GraphEvidence] = {}
    for document_id, (title, version) in titles.items():
        places = [each for each in by_document[document_id] if each.version == version]
        if not places:
            continue
        shown = await shown_version(scope, document_id)
        texts = await texts_of_spans(scope, shown, [each.span for each in places], 0)
        chunks = await chunks_at(scope, document_id, version, [each.span[0] for each in places])
        for place, text, chunk in zip(places, texts, chunks, strict=True):
            if text.quoted and shown.version == version:
                found[place] = GraphEvidence(
                    document_id=document_id,
                    document_title=title,
                    version=version,
                    char_start=place.span[0],
                    char_end=place.span[1],
                    quote=text.quoted,
                    chunk_id=chunk,
                )
    return found


def _ends(one: UUID, other: UUID) -> tuple[UUID, UUID]:
    """Return the ends of an undirected edge, the lesser id first."""
    return (one, other) if one < other else (other, one)
