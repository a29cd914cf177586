"""Store the entities of published versions, one document per transaction, linked across documents.

Links are decided under the lock of the extraction job, so that two documents that name an entity
for the first time do not create it twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from uuid import UUID, uuid4

import numpy as np
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from footnote.domain import Usage
from footnote.domain.entities import (
    EntityKind,
    EntityLink,
    ExtractedEntity,
    LinkReason,
)
from footnote.store.database import WorkspaceScope
from footnote.store.reading_progress import PublishedVersion
from footnote.store.sealing import NAMED, Sealing
from footnote.store.statements import load_statements

_SQL = load_statements("entities")
_KEY_BYTES = 16
_CANDIDATES = 100
"""Most candidates per key."""
ANYWHERE = UUID(int=0)
"""Document id that stands for every document."""
OFFSET = np.dtype("<i4")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReading:
    """Usage and outcome of reading a version with a language model."""

    usage: Usage = field(default_factory=Usage)
    left_out: int = 0
    """Number of names given by the model that are not in the text."""
    failure: str | None = None
    """Why part of the version could not be read; None if all was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedEntity:
    """An entity of a document with its lookup keys."""

    entity: ExtractedEntity
    keys: tuple[str, ...]
    looked_up: tuple[str, ...]
    """Keys under which other documents may name the same entity."""


LinkFinder = Callable[
    [ExtractedEntity, Sequence[tuple[UUID, ExtractedEntity]]], tuple[UUID, EntityLink] | None
]
"""Finds which entity of other documents, with its id, an entity is; and why."""


@dataclass(frozen=True, slots=True)
class _Owner:
    """The entity that a name was resolved to, and why."""

    entity_id: UUID
    linked_by: str | None = None
    confidence: float = 1.0


async def store_entities(
    scope: WorkspaceScope,
    pending: PublishedVersion,
    extractor: str,
    keyed: Sequence[KeyedEntity],
    links: LinkFinder,
    *,
    reading: ModelReading | None = None,
) -> bool:
    """Replace the entities of a document by those of its published version.

    A name is resolved to the entity that a user decided on; or else to that of the previous
    version, one that `links` finds in other documents, or a new one. Returns False if another
    version was published meanwhile.
    """
    parameters: dict[str, object] = {
        "document_id": pending.document_id,
        "version": pending.version,
        "anywhere": ANYWHERE,
    }
    if await scope.one(_SQL["hold_version"], parameters) is None:
        return False
    reading = reading or ModelReading()
    entities = [keyed_entity.entity for keyed_entity in keyed]
    keys = [name_keys(scope.sealing, entity) for entity in entities]
    owners = await _owners(scope, parameters, keyed, keys, links)
    await scope.execute(_SQL["remove"], parameters)
    await scope.execute_many(
        _SQL["insert"],
        (
            {
                **parameters,
                "ordinal": ordinal,
                "entity_id": owner.entity_id,
                "kind": entity.kind.value,
                "content": Jsonb(
                    scope.sealing.json(
                        NAMED.of(pending.document_id, ordinal),
                        {
                            "name": entity.name,
                            "forms": list(entity.forms),
                            "normals": list(entity.normals),
                            "belongings": [
                                [kind.value, value] for kind, value in entity.belongings
                            ],
                        },
                    )
                ),
                "spans": np.array(entity.spans, OFFSET).tobytes(),
                "mentions": len(entity.spans),
                "confidence": entity.confidence,
                "reasons": [reason.value for reason in entity.reasons],
                "linked_by": owner.linked_by,
                "link_confidence": owner.confidence,
                "name_key": entity_keys[0],
            }
            for ordinal, (entity, entity_keys, owner) in enumerate(
                zip(entities, keys, owners, strict=True)
            )
        ),
    )
    key_rows = [
        (hashed(scope.sealing, key), ordinal)
        for ordinal, keyed_entity in enumerate(keyed)
        for key in dict.fromkeys(keyed_entity.keys)
    ]
    await scope.execute(
        _SQL["insert_keys"],
        {
            **parameters,
            "keys": [key for key, _ in key_rows],
            "ordinals": [ordinal for _, ordinal in key_rows],
        },
    )
    await scope.execute(
        _SQL["note_set"],
        {
            **parameters,
            "extractor": extractor,
            "entities": len(entities),
            "mentions": sum(len(entity.spans) for entity in entities),
            "failure": reading.failure,
            "model_input_tokens": reading.usage.input_tokens,
            "model_output_tokens": reading.usage.output_tokens,
            "model_cost_usd": reading.usage.cost_usd,
            "left_out": reading.left_out,
        },
    )
    return True


async def drop_orphans(scope: WorkspaceScope) -> None:
    """Delete given names of entities that no document names, and assignments of lost documents.

    Takes a scope of the system.
    """
    await scope.execute(_SQL["drop_orphans"])
    await scope.execute(_SQL["drop_assignments"], {"anywhere": ANYWHERE})


def hashed(sealing: Sealing, text: str) -> bytes:
    """Return the keyed hash of a lookup text."""
    return sealing.text_hash(blake2b(text.encode(), digest_size=_KEY_BYTES).digest())


def name_keys(sealing: Sealing, entity: ExtractedEntity) -> list[bytes]:
    """Return the keyed hash of each name of an entity, its main name first."""
    return [hashed(sealing, f"is\n{entity.kind.value}\n{normal}") for normal in entity.normals]


async def _owners(
    scope: WorkspaceScope,
    parameters: Mapping[str, object],
    keyed: Sequence[KeyedEntity],
    keys: Sequence[Sequence[bytes]],
    links: LinkFinder,
) -> list[_Owner]:
    """Resolve each of a document's names to an entity."""
    assigned: dict[bytes, UUID] = {}
    all_keys = list({key for entity_keys in keys for key in entity_keys})
    rows = await scope.all(_SQL["assigned"], {**parameters, "name_keys": all_keys})
    # A decision on this document takes precedence over one on all.
    for row in sorted(rows, key=lambda row: row["document_id"] != ANYWHERE):
        assigned[bytes(row["name_key"])] = row["entity_id"]
    earlier = {
        bytes(row["name_key"]): _Owner(row["entity_id"], row["linked_by"], row["link_confidence"])
        for row in await scope.all(_SQL["earlier"], parameters)
        if row["linked_by"] != LinkReason.DECISION
    }
    candidates = await _candidates(scope, parameters, keyed)
    owners: list[_Owner] = []
    for keyed_entity, entity_keys, entity_candidates in zip(keyed, keys, candidates, strict=True):
        decided = next((assigned[key] for key in entity_keys if key in assigned), None)
        if decided is not None:
            owners.append(_Owner(decided, LinkReason.DECISION.value))
        elif entity_keys[0] in earlier:
            owners.append(earlier[entity_keys[0]])
        elif (link := links(keyed_entity.entity, entity_candidates)) is not None:
            owners.append(_Owner(link[0], link[1].reason.value, link[1].confidence))
        else:
            owners.append(_Owner(uuid4()))
    return owners


async def _candidates(
    scope: WorkspaceScope, parameters: Mapping[str, object], keyed: Sequence[KeyedEntity]
) -> list[list[tuple[UUID, ExtractedEntity]]]:
    """Return for each entity those of other documents that share one of its keys."""
    positions_by_key: dict[bytes, list[int]] = defaultdict(list)
    for position, keyed_entity in enumerate(keyed):
        for key in dict.fromkeys(keyed_entity.looked_up):
            positions_by_key[hashed(scope.sealing, key)].append(position)
    rows = await scope.all(
        _SQL["candidates"], {**parameters, "keys": list(positions_by_key), "limit": _CANDIDATES}
    )
    candidates: list[dict[tuple[UUID, int], tuple[UUID, ExtractedEntity]]] = [{} for _ in keyed]
    for row in rows:
        source = row["document_id"], row["ordinal"]
        entity = row["entity_id"], entity_of(scope, row)
        for position in positions_by_key[bytes(row["key"])]:
            candidates[position][source] = entity
    return [list(by_source.values()) for by_source in candidates]


def entity_of(scope: WorkspaceScope, row: DictRow) -> ExtractedEntity:
    """Decode an entity of a document, as far as linking needs it."""
    content = decrypted_content(scope, row)
    return ExtractedEntity(
        kind=EntityKind(row["kind"]),
        name=str(content["name"]),
        forms=tuple(content["forms"]),
        normals=tuple(content["normals"]),
        spans=(),
        confidence=1.0,
        belongings=tuple((EntityKind(kind), value) for kind, value in content["belongings"]),
    )


def decrypted_content(scope: WorkspaceScope, row: DictRow) -> DictRow:
    """Decrypt the content of a row of `document_entities`."""
    place = NAMED.of(row["document_id"], row["ordinal"])
    content = scope.sealing.plain_json(place, row["content"])
    assert isinstance(content, dict), "what is named is stored as an object"
    return content
