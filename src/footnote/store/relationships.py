"""Relationships of a workspace's entities and documents, as far as the principal may see them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from footnote.domain.entities import NAMED_KINDS, EntityKind
from footnote.domain.relationships import SKETCH_SENTENCES, DocumentKey, EntityPair, KeyRole
from footnote.store.database import WorkspaceScope
from footnote.store.entities import spans_of
from footnote.store.entity_storage import OFFSET, hashed
from footnote.store.reading_progress import PublishedVersion
from footnote.store.sealing import TITLE
from footnote.store.statements import load_statements

_SQL = load_statements("relationships")
_OF_A_KEY = 50
"""Documents compared for each key; a key that more documents have says little."""
_COMMON = 100
"""An entity that so many documents name does not relate them to each other."""
_FAMILY = 200
_NAMED = [kind.value for kind in NAMED_KINDS]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSpan:
    """A span in the published version of a document, as half-open character offsets."""

    document_id: UUID
    version: int
    span: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedEntities:
    """Two entities that occur in the same sentences."""

    source_id: UUID
    target_id: UUID
    weight: float
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedKey:
    """A key that two documents share, with its role and place in each."""

    role: KeyRole
    other_role: KeyRole
    place: TextSpan
    other: TextSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class SharingDocument:
    """A document that names the same entities as another."""

    document_id: UUID
    weight: float
    entity_ids: tuple[UUID, ...]
    """The rarest shared entities, at most three."""


async def store_relationships(
    scope: WorkspaceScope,
    published: PublishedVersion,
    pairs: Sequence[EntityPair],
    keys: Sequence[DocumentKey],
) -> None:
    """Replace a document's stored relationships, in the transaction that stores its entities."""
    parameters = {"document_id": published.document_id, "version": published.version}
    await scope.execute(
        _SQL["insert_pairs"],
        {
            **parameters,
            "firsts": [pair.first for pair in pairs],
            "seconds": [pair.second for pair in pairs],
            "weights": [pair.weight for pair in pairs],
            "spans": [np.array(pair.spans, OFFSET).tobytes() for pair in pairs],
        },
    )
    await scope.execute(_SQL["remove_keys"], parameters)
    spans_by_key = {(hashed(scope.sealing, key.text), key.role): key.span for key in reversed(keys)}
    sentence_keys = sorted(key for key, role in spans_by_key if role is KeyRole.SAYS)[
        :SKETCH_SENTENCES
    ]
    rows = [
        (key, role, span)
        for (key, role), span in spans_by_key.items()
        if role is not KeyRole.SAYS or key <= sentence_keys[-1]
    ]
    await scope.execute(
        _SQL["insert_keys"],
        {
            **parameters,
            "keys": [key for key, _, _ in rows],
            "roles": [int(role) for _, role, _ in rows],
            "starts": [span[0] for _, _, span in rows],
            "ends": [span[1] for _, _, span in rows],
        },
    )


async def neighbours(
    scope: WorkspaceScope,
    entity_ids: Sequence[UUID],
    kinds: Iterable[EntityKind],
    limit: int,
) -> tuple[UUID, ...]:
    """Return other entities that share a sentence with any of these, the strongest first."""
    rows = await scope.all(
        _SQL["neighbours"],
        {
            "entity_ids": list(entity_ids),
            "kinds": [kind.value for kind in kinds],
            "limit": limit,
        },
    )
    return tuple(row["entity_id"] for row in rows)


async def pairs_among(
    scope: WorkspaceScope, entity_ids: Collection[UUID], limit: int
) -> tuple[RelatedEntities, ...]:
    """Return which of the entities share a sentence, the strongest pairs first."""
    rows = await scope.all(_SQL["pairs_among"], {"entity_ids": list(entity_ids), "limit": limit})
    return tuple(RelatedEntities(**row) for row in rows)


async def first_sentences_of_pairs(
    scope: WorkspaceScope, pairs: Sequence[tuple[UUID, UUID]], limit: int
) -> dict[tuple[UUID, UUID], tuple[TextSpan, ...]]:
    """Return the first sentence that names both entities of a pair, in up to `limit` documents
    each.
    """
    rows = await scope.all(
        _SQL["pair_places"],
        {
            "sources": [source for source, _ in pairs],
            "targets": [target for _, target in pairs],
            "limit": limit,
        },
    )
    by_pair: dict[tuple[UUID, UUID], dict[UUID, TextSpan]] = {pair: {} for pair in pairs}
    for row in rows:
        place = TextSpan(
            document_id=row["document_id"],
            version=row["version"],
            span=spans_of(row["spans"])[0],
        )
        by_pair[row["source_id"], row["target_id"]].setdefault(place.document_id, place)
    return {pair: tuple(places.values()) for pair, places in by_pair.items()}


async def most_mentioned(
    scope: WorkspaceScope, document_id: UUID, kinds: Iterable[EntityKind], limit: int
) -> tuple[tuple[UUID, int, TextSpan], ...]:
    """Return a document's entities, their mentions and first place, the most mentioned first."""
    kind_names = [kind.value for kind in kinds] or _NAMED
    rows = await scope.all(
        _SQL["named_most"], {"document_id": document_id, "kinds": kind_names, "limit": limit}
    )
    return tuple(
        (
            row["entity_id"],
            row["mentions"],
            TextSpan(
                document_id=document_id, version=row["version"], span=spans_of(row["spans"])[0]
            ),
        )
        for row in rows
    )


async def shared_keys(scope: WorkspaceScope, document_id: UUID) -> tuple[SharedKey, ...]:
    """Return the keys a document shares with others: titles it cites, mails, sentences."""
    rows = await scope.all(_SQL["keyed"], {"document_id": document_id, "of_a_key": _OF_A_KEY})
    return tuple(
        SharedKey(
            role=KeyRole(row["own_role"]),
            other_role=KeyRole(row["other_role"]),
            place=TextSpan(
                document_id=document_id,
                version=row["version"],
                span=(row["char_start"], row["char_end"]),
            ),
            other=TextSpan(
                document_id=row["other_id"],
                version=row["other_version"],
                span=(row["other_start"], row["other_end"]),
            ),
        )
        for row in rows
    )


async def sketches(
    scope: WorkspaceScope, document_ids: Collection[UUID]
) -> dict[UUID, frozenset[bytes]]:
    """Return the sentence keys of documents; a document without any is left out."""
    rows = await scope.all(_SQL["sketches"], {"document_ids": list(document_ids)})
    return {row["document_id"]: frozenset(map(bytes, row["keys"])) for row in rows}


async def family(scope: WorkspaceScope, document_id: UUID) -> tuple[tuple[UUID, UUID], ...]:
    """Return pairs of an attachment and its parent, one of which is this document."""
    rows = await scope.all(_SQL["family"], {"document_id": document_id, "limit": _FAMILY})
    return tuple(
        (row["document_id"], document_id)
        if row["parent_id"] == document_id
        else (document_id, row["document_id"])
        for row in rows
    )


async def sharing_documents(
    scope: WorkspaceScope, document_id: UUID, limit: int
) -> tuple[SharingDocument, ...]:
    """Return documents that name the same entities, ranked by their number and rarity."""
    rows = await scope.all(
        _SQL["sharing"],
        {"document_id": document_id, "kinds": _NAMED, "common": _COMMON, "limit": limit},
    )
    return tuple(
        SharingDocument(
            document_id=row["document_id"],
            weight=row["weight"],
            entity_ids=tuple(row["entity_ids"]),
        )
        for row in rows
    )


async def first_mentions(
    scope: WorkspaceScope, pairs: Collection[tuple[UUID, UUID]]
) -> dict[tuple[UUID, UUID], TextSpan]:
    """Return the first mention of an entity in a document, by document id and entity id."""
    rows = await scope.all(
        _SQL["mention_places"],
        {
            "document_ids": [document_id for document_id, _ in pairs],
            "entity_ids": [entity_id for _, entity_id in pairs],
        },
    )
    places: dict[tuple[UUID, UUID], TextSpan] = {}
    for row in rows:
        places.setdefault(
            (row["document_id"], row["entity_id"]),
            TextSpan(
                document_id=row["document_id"],
                version=row["version"],
                span=spans_of(row["spans"])[0],
            ),
        )
    return places


async def titles(
    scope: WorkspaceScope, document_ids: Collection[UUID]
) -> dict[UUID, tuple[str, int]]:
    """Title and published version of documents, as far as they may be seen."""
    rows = await scope.all(_SQL["titles"], {"document_ids": list(document_ids)})
    return {
        row["document_id"]: (
            scope.sealing.plain_text(TITLE.of(row["document_id"]), row["title"]),
            row["version"],
        )
        for row in rows
    }
