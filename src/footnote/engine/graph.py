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
from footnote.store import entities as stored_entities
from footnote.store import relationships as stored
from footnote.store.database import WorkspaceScope
from footnote.store.documents import citable_version, get_document, texts_of_spans
from footnote.store.facts import FactFilter, list_facts
from footnote.store.passages import chunks_at
from footnote.store.relationships import TextSpan

_EDGES_OF_A_NODE = 6
"""Most edges between entities, as a multiple of the node limit; the strongest are kept."""
_MAX_EVIDENCE = 4
"""Most pieces of evidence for one edge."""
_MIN_RESEMBLANCE, _MIN_SAME = 0.3, 0.9
"""Shares of common sentences from which documents are similar, and are duplicates."""
_MAX_SHARING_DOCUMENTS = 20
"""Most documents shown beside one because they name the same entities."""
_LONGEST_QUOTE = 600
_MAX_FACTS = 300
"""Most facts of the central node searched for those that relate two entities."""

GraphLimit = Annotated[int, Field(ge=1, le=500)]

_Edges = dict[tuple[UUID, UUID, RelationshipKind, str], "_Edge"]
"""By their ends, their kind and their label."""


@dataclass(slots=True)
class _Edge:
    weight: float = 0.0
    documents: set[UUID] = field(default_factory=set)
    places: dict[TextSpan, None] = field(default_factory=dict)

    def add(self, weight: float, *places: TextSpan) -> None:
        self.weight += weight
        for place in places:
            self.places.setdefault(place)
            self.documents.add(place.document_id)


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
    entity_kinds = tuple(kinds) or NAMED_KINDS
    async with workspace.scope() as scope:
        edges: _Edges = defaultdict(_Edge)
        if document_id is not None:
            await get_document(scope, document_id)
            entity_ids = await _add_document_edges(
                scope, document_id, entity_kinds, limit + 1, edges
            )
        elif entity_id is not None:
            await stored_entities.require_entity(scope, entity_id)
            neighbour_ids = await stored.neighbours(scope, [entity_id], entity_kinds, limit)
            entity_ids = [entity_id, *neighbour_ids]
        else:
            entities = await stored_entities.list_entities(
                scope,
                stored_entities.EntityFilter(kinds=entity_kinds),
                limit=limit + 1,
                after=None,
            )
            entity_ids = [entity.entity_id for entity in entities]
        complete = len(entity_ids) <= limit
        entity_ids = entity_ids[:limit]
        pairs = await stored.pairs_among(scope, entity_ids, _EDGES_OF_A_NODE * limit)
        if entity_id is not None or document_id is not None:
            facts = FactFilter(document_id=document_id, entity_id=entity_id)
            entity_ids = await _add_stated(scope, facts, entity_ids, limit, edges)
        places = await stored.first_sentences_of_pairs(
            scope, [(pair.source_id, pair.target_id) for pair in pairs], _MAX_EVIDENCE
        )
        document_counts = {
            (pair.source_id, pair.target_id, RelationshipKind.NAMED_TOGETHER): pair.documents
            for pair in pairs
        }
        for pair in pairs:
            ends = pair.source_id, pair.target_id
            edges[(*ends, RelationshipKind.NAMED_TOGETHER, "")].add(pair.weight, *places[ends])
    if document_id is not None:
        await _add_contradictions(workspace, document_id, edges)
    async with workspace.scope() as scope:
        nodes = await _nodes(scope, entity_ids, edges)
        node_ids = {node.node_id for node in nodes}
        quotes = await _quotes(scope, edges)
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
                documents=document_counts.get((source, target, kind), len(edge.documents)),
                evidence=evidence,
            )
            for (source, target, kind, label), edge in sorted(
                edges.items(), key=lambda entry: (entry[0][2].value, -entry[1].weight, *entry[0])
            )
            if source in node_ids
            and target in node_ids
            and (
                evidence := tuple(
                    quotes[place] for place in list(edge.places)[:_MAX_EVIDENCE] if place in quotes
                )
            )
        ),
        complete=complete and len(pairs) < _EDGES_OF_A_NODE * limit,
    )


async def _add_stated(
    scope: WorkspaceScope,
    selection: FactFilter,
    entity_ids: list[UUID],
    limit: int,
    edges: _Edges,
) -> list[UUID]:
    """Add edges for facts that relate two entities.

    Returns the entities, with those that only facts name while there is room.
    """
    admitted = dict.fromkeys(entity_ids)
    for fact, _ in await list_facts(scope, selection, limit=_MAX_FACTS, after=None):
        subject_id, object_id = fact.subject_entity_id, fact.object_entity_id
        if fact.negated or subject_id is None or object_id is None or subject_id == object_id:
            continue
        for end in (subject_id, object_id):
            if len(admitted) < limit:
                admitted.setdefault(end)
        places = [
            TextSpan(
                document_id=source.document_id,
                version=source.version,
                span=(source.char_start, source.char_end),
            )
            for source in fact.sources
        ]
        edges[subject_id, object_id, RelationshipKind.STATED, fact.predicate].add(1.0, *places)
    return list(admitted)


async def _add_document_edges(
    scope: WorkspaceScope,
    document_id: UUID,
    kinds: Iterable[EntityKind],
    limit: int,
    edges: _Edges,
) -> list[UUID]:
    """Add the edges of a document; return the entities that it names."""
    named_entities = await stored.most_mentioned(scope, document_id, kinds, limit)
    for entity_id, mentions, place in named_entities:
        edges[document_id, entity_id, RelationshipKind.NAMES, ""].add(mentions, place)
    for child, parent in await stored.family(scope, document_id):
        for place in await _first_places(scope, child):
            edges[child, parent, RelationshipKind.ATTACHED_TO, ""].add(1.0, place)
    await _add_keyed(scope, document_id, edges)
    sharing_documents = await stored.sharing_documents(scope, document_id, _MAX_SHARING_DOCUMENTS)
    pairs = [
        (side_id, entity_id)
        for other in sharing_documents
        for entity_id in other.entity_ids
        for side_id in (document_id, other.document_id)
    ]
    places = await stored.first_mentions(scope, pairs)
    for other in sharing_documents:
        shared_places = [
            places[side_id, entity_id]
            for entity_id in other.entity_ids
            for side_id in (document_id, other.document_id)
            if (side_id, entity_id) in places
        ]
        edge = edges[
            (*_ordered_ends(document_id, other.document_id), RelationshipKind.SHARES_ENTITIES, "")
        ]
        edge.add(other.weight, *shared_places)
    return [entity_id for entity_id, _, _ in named_entities]


async def _add_keyed(scope: WorkspaceScope, document_id: UUID, edges: _Edges) -> None:
    """Add edges for citations, replies and similar documents, in both directions."""
    similar: dict[UUID, list[stored.SharedKey]] = defaultdict(list)
    for shared_key in await stored.shared_keys(scope, document_id):
        other_id = shared_key.other.document_id
        match shared_key.role, shared_key.other_role:
            case KeyRole.SAYS, _:
                similar[other_id].append(shared_key)
            case KeyRole.NAMES, _:
                edges[document_id, other_id, RelationshipKind.CITES, ""].add(1.0, shared_key.place)
            case KeyRole.REPLIES_TO, _:
                edges[document_id, other_id, RelationshipKind.REPLIES_TO, ""].add(
                    1.0, shared_key.place
                )
            case KeyRole.IS, KeyRole.NAMES:
                edges[other_id, document_id, RelationshipKind.CITES, ""].add(1.0, shared_key.other)
            case _:
                edges[other_id, document_id, RelationshipKind.REPLIES_TO, ""].add(
                    1.0, shared_key.other
                )
    await _add_similar(scope, document_id, similar, edges)


async def _add_similar(
    scope: WorkspaceScope,
    document_id: UUID,
    similar: Mapping[UUID, Sequence[stored.SharedKey]],
    edges: _Edges,
) -> None:
    """Add edges to the documents that share enough sentences with a document."""
    sketches = await stored.sketches(scope, [document_id, *similar])
    titles = await stored.titles(scope, [document_id, *similar])
    title_and_version = titles.get(document_id)
    for other_id, shared_keys in similar.items():
        if title_and_version is None or other_id not in titles or other_id not in sketches:
            continue
        share = resemblance(sketches[document_id], sketches[other_id])
        if share < _MIN_RESEMBLANCE:
            continue
        kind = RelationshipKind.RESEMBLES
        if share >= _MIN_SAME:
            kind = RelationshipKind.DUPLICATE_OF
        elif title_words(title_and_version[0]) == title_words(titles[other_id][0]) != ():
            kind = RelationshipKind.VERSION_OF
        longest = sorted(
            shared_keys, key=lambda shared_key: shared_key.place.span[0] - shared_key.place.span[1]
        )
        places = [
            place
            for shared_key in longest[: _MAX_EVIDENCE // 2]
            for place in (shared_key.place, shared_key.other)
        ]
        edges[(*_ordered_ends(document_id, other_id), kind, "")].add(share, *places)


async def _add_contradictions(workspace: WorkspaceAccess, document_id: UUID, edges: _Edges) -> None:
    page = await fact_conflicts(workspace, document_id=document_id)
    for conflict in page.conflicts:
        places: dict[UUID, TextSpan] = {}
        for fact in conflict.facts:
            source = fact.sources[0]
            places.setdefault(
                source.document_id,
                TextSpan(
                    document_id=source.document_id,
                    version=source.version,
                    span=(source.char_start, source.char_end),
                ),
            )
        for other_id in places.keys() - {document_id}:
            if document_id in places:
                edge = edges[
                    (*_ordered_ends(document_id, other_id), RelationshipKind.CONTRADICTS, "")
                ]
                edge.add(1.0, places[document_id], places[other_id])


async def _first_places(scope: WorkspaceScope, document_id: UUID) -> list[TextSpan]:
    """Where a document begins: its first line."""
    document_version = await citable_version(scope, document_id)
    [text] = await texts_of_spans(scope, document_version, [(0, _LONGEST_QUOTE)], 0)
    start = len(text.quoted) - len(text.quoted.lstrip())
    line = text.quoted[start:].partition("\n")[0].rstrip()
    if not line:
        return []
    return [
        TextSpan(
            document_id=document_id,
            version=document_version.version,
            span=(start, start + len(line)),
        )
    ]


async def _nodes(
    scope: WorkspaceScope, entity_ids: Sequence[UUID], edges: _Edges
) -> tuple[GraphNode, ...]:
    """The entities, and the documents that edges lead from or to."""
    entities = await stored_entities.list_entities(
        scope,
        stored_entities.EntityFilter(among=tuple(entity_ids)),
        limit=max(1, len(entity_ids)),
        after=None,
    )
    entity_set = set(entity_ids)
    documents = dict.fromkeys(
        end for source, target, *_ in edges for end in (source, target) if end not in entity_set
    )
    titles = await stored.titles(scope, documents)
    return (
        *(
            GraphNode(
                node_id=entity.entity_id,
                kind=NodeKind.ENTITY,
                name=entity.name,
                entity_kind=entity.kind,
                documents=entity.documents,
            )
            for entity in entities
        ),
        *(
            GraphNode(node_id=document_id, kind=NodeKind.DOCUMENT, name=titles[document_id][0])
            for document_id in documents
            if document_id in titles
        ),
    )


async def _quotes(scope: WorkspaceScope, edges: _Edges) -> Mapping[TextSpan, GraphEvidence]:
    """Return the text at each place of the edges, except places in replaced versions."""
    by_document: dict[UUID, dict[TextSpan, None]] = defaultdict(dict)
    for edge in edges.values():
        for place in list(edge.places)[:_MAX_EVIDENCE]:
            by_document[place.document_id].setdefault(place)
    titles = await stored.titles(scope, by_document)
    evidence: dict[TextSpan, GraphEvidence] = {}
    for document_id, (title, version) in titles.items():
        places = [place for place in by_document[document_id] if place.version == version]
        if not places:
            continue
        document_version = await citable_version(scope, document_id)
        texts = await texts_of_spans(scope, document_version, [place.span for place in places], 0)
        chunks = await chunks_at(scope, document_id, version, [place.span[0] for place in places])
        for place, text, chunk in zip(places, texts, chunks, strict=True):
            if text.quoted and document_version.version == version:
                evidence[place] = GraphEvidence(
                    document_id=document_id,
                    document_title=title,
                    version=version,
                    char_start=place.span[0],
                    char_end=place.span[1],
                    quote=text.quoted,
                    chunk_id=chunk,
                )
    return evidence


def _ordered_ends(first: UUID, second: UUID) -> tuple[UUID, UUID]:
    """Return the ends of an undirected edge, the lesser id first."""
    return (first, second) if first < second else (second, first)
