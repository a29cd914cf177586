"""Load the entities named in a question, related entities, and the chunks naming either."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from uuid import UUID

import numpy as np

from footnote.index.ranges import ChunkRanges
from footnote.ports import EntityGraph, NamedEntity, QuestionName
from footnote.store.database import WorkspaceScope
from footnote.store.entity_storage import hashed
from footnote.store.statements import load_statements

_SQL = load_statements("entity_graph")
MAX_NAMED = 8
"""Most entities of a question used, those in the fewest documents."""
MAX_BESIDE = 60
"""Most related entities, strongest first."""
COMMON = 60
"""Entities in so many documents are too common to be informative, and are left out."""
_PAIRS = 6
"""Most related entities read per mention in a document and direction."""
_PLACES = 3
"""Most mentions read per entity and document, the first ones."""


async def load_entity_graph(
    scope: WorkspaceScope, names: Sequence[QuestionName], visible: ChunkRanges
) -> EntityGraph:
    """Load the entity graph around the names, limited to visible chunks.

    Its size is bounded by the constants above, whatever the size of the workspace. The result does
    not depend on row order: only weak or common entities are cut off.
    """
    named_entities = await _entities_named(scope, names)
    if not named_entities:
        return EntityGraph()
    rows = await scope.all(
        _SQL["beside"],
        {
            "entity_ids": sorted(named_entities),
            "documents": COMMON,
            "pairs": _PAIRS,
            "limit": MAX_BESIDE,
        },
    )
    pairs = {(row["entity_id"], row["beside"]): float(row["weight"]) for row in rows}
    rows = await scope.all(
        _SQL["chunks_naming"],
        {
            "entity_ids": sorted({*named_entities, *(other for _, other in pairs)}),
            "documents": COMMON,
            "places": _PLACES,
        },
    )
    documents: dict[UUID, set[UUID]] = defaultdict(set)
    for row in rows:
        documents[row["entity_id"]].add(row["document_id"])
    mask = visible.contains(np.asarray([row["chunk_no"] for row in rows], dtype=np.int32))
    mentions = {
        (row["entity_id"], row["chunk_no"]): row["mentions"]
        for row, is_visible in zip(rows, mask, strict=True)
        if is_visible and len(documents[row["entity_id"]]) < COMMON
    }
    reached = {entity_id for entity_id, _ in mentions}
    return EntityGraph(
        named={
            entity_id: entity
            for entity_id, entity in named_entities.items()
            if entity_id in reached
        },
        pairs={pair: weight for pair, weight in pairs.items() if reached.issuperset(pair)},
        mentions=mentions,
    )


async def _entities_named(
    scope: WorkspaceScope, names: Sequence[QuestionName]
) -> Mapping[UUID, NamedEntity]:
    """Return the entities of the longest known names, without those too common."""
    name_by_key = {hashed(scope.sealing, key): name for name in names for key in name.keys}
    if not name_by_key:
        return {}
    rows = await scope.all(_SQL["called_so"], {"keys": list(name_by_key), "limit": COMMON})
    matches: dict[QuestionName, dict[UUID, int]] = defaultdict(dict)
    for row in rows:
        counts = matches[name_by_key[bytes(row["key"])]]
        counts[row["entity_id"]] = max(counts.get(row["entity_id"], 0), row["documents"])
    entities: dict[UUID, NamedEntity] = {}
    for name in _outermost(matches):
        for entity_id, documents in matches[name].items():
            if documents < COMMON and entity_id not in entities:
                entities[entity_id] = NamedEntity(text=name.text, documents=documents)
    rarest = sorted(entities, key=lambda entity_id: (entities[entity_id].documents, entity_id))
    return {entity_id: entities[entity_id] for entity_id in rarest[:MAX_NAMED]}


def _outermost(names: Mapping[QuestionName, object]) -> list[QuestionName]:
    """Return the names longest first, without those that overlap a longer one."""
    outermost: list[QuestionName] = []
    for name in sorted(names, key=lambda name: (name.start - name.end, name.start)):
        if not any(other.start < name.end and name.start < other.end for other in outermost):
            outermost.append(name)
    return outermost
