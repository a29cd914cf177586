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
class _Whose:
    """The entity that a name was resolved to, and why."""

    entity_id: UUID
    linked_by: str | None = None
    confidence: float = 1.0


async def keep_entities(
    scope: WorkspaceScope,
    unread: PublishedVersion,
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
    whose: dict[str, object] = {
        "document_id": unread.document_id,
        "version": unread.version,
        "anywhere": ANYWHERE,
    }
    if await scope.one(_SQL["hold_version"], whose) is None:
        return False
    reading = reading or ModelReading()
    entities = [each.entity for each in keyed]
    keys = [name_keys(scope.sealing, each) for each in entities]
    owners = await _owners(scope, whose, keyed, keys, links)
    await scope.execute(_SQL["remove"], whose)
    await scope.execute_many(
        _SQL["insert"],
        (
            {
                **whose,
                "ordinal": ordinal,
                "entity_id": owner.entity_id,
                "kind": each.kind.value,
                "content": Jsonb(
                    scope.sealing.json(
                        NAMED.of(unread.document_id, ordinal),
                        {
                            "name": each.name,
                            "forms": list(each.forms),
                            "normals": list(each.normals),
                            "belongings": [[kind.value, one] for kind, one in each.belongings],
                        },
                    )
                ),
                "spans": np.array(each.spans, OFFSET).tobytes(),
                "mentions": len(each.spans),
                "confidence": each.confidence,
                "reasons": [reason.value for reason in each.reasons],
                "linked_by": owner.linked_by,
                "link_confidence": owner.confidence,
                "name_key": own[0],
            }
            for ordinal, (each, own, owner) in enumerate(zip(entities, keys, owners, strict=True))
        ),
    )
    made = [
        (hashed(scope.sealing, key), ordinal)
        for ordinal, each in enumerate(keyed)
        for key in dict.fromkeys(each.keys)
    ]
    await scope.execute(
        _SQL["insert_keys"],
        {
            **whose,
            "keys": [key for key, _ in made],
            "ordinals": [ordinal for _, ordinal in made],
        },
    )
    await scope.execute(
        _SQL["note_set"],
        {
            **whose,
            "extractor": extractor,
            "entities": len(entities),
            "mentions": sum(len(each.spans) for each in entities),
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


def name_keys(sealing: Sealing, each: ExtractedEntity) -> list[bytes]:
    """Return the keyed hash of each name of an entity, its main name first."""
    return [hashed(sealing, f"is\n{each.kind.value}\n{normal}") for normal in each.normals]


async def _owners(
    scope: WorkspaceScope,
    whose: Mapping[str, object],
    keyed: Sequence[KeyedEntity],
    keys: Sequence[Sequence[bytes]],
    links: LinkFinder,
) -> list[_Whose]:
    """Resolve each of a document's names to an entity."""
    assigned: dict[bytes, UUID] = {}
    every = list({key for own in keys for key in own})
    rows = await scope.all(_SQL["assigned"], {**whose, "name_keys": every})
    # A decision on this document takes precedence over one on all.
    for row in sorted(rows, key=lambda row: row["document_id"] != ANYWHERE):
        assigned[bytes(row["name_key"])] = row["entity_id"]
    earlier = {
        bytes(row["name_key"]): _Whose(row["entity_id"], row["linked_by"], row["link_confidence"])
        for row in await scope.all(_SQL["earlier"], whose)
        if row["linked_by"] != LinkReason.DECISION
    }
    candidates = await _candidates(scope, whose, keyed)
    owners: list[_Whose] = []
    for each, own, others in zip(keyed, keys, candidates, strict=True):
        said = next((assigned[key] for key in own if key in assigned), None)
        if said is not None:
            owners.append(_Whose(said, LinkReason.DECISION.value))
        elif own[0] in earlier:
            owners.append(earlier[own[0]])
        elif (found := links(each.entity, others)) is not None:
            owners.append(_Whose(found[0], found[1].reason.value, found[1].confidence))
        else:
            owners.append(_Whose(uuid4()))
    return owners


async def _candidates(
    scope: WorkspaceScope, whose: Mapping[str, object], keyed: Sequence[KeyedEntity]
) -> list[list[tuple[UUID, ExtractedEntity]]]:
    """Return for each entity those of other documents that share one of its keys."""
    wanted: dict[bytes, list[int]] = defaultdict(list)
    for at, each in enumerate(keyed):
        for key in dict.fromkeys(each.looked_up):
            wanted[hashed(scope.sealing, key)].append(at)
    rows = await scope.all(
        _SQL["candidates"], {**whose, "keys": list(wanted), "limit": _CANDIDATES}
    )
    found: list[dict[tuple[UUID, int], tuple[UUID, ExtractedEntity]]] = [{} for _ in keyed]
    for row in rows:
        place = row["document_id"], row["ordinal"]
        entity = row["entity_id"], entity_of(scope, row)
        for at in wanted[bytes(row["key"])]:
            found[at][place] = entity
    return [list(each.values()) for each in found]


def entity_of(scope: WorkspaceScope, row: DictRow) -> ExtractedEntity:
    """Decode an entity of a document, as far as linking needs it."""
    content = named_content(scope, row)
    return ExtractedEntity(
        kind=EntityKind(row["kind"]),
        name=str(content["name"]),
        forms=tuple(content["forms"]),
        normals=tuple(content["normals"]),
        spans=(),
        confidence=1.0,
        belongings=tuple((EntityKind(kind), one) for kind, one in content["belongings"]),
    )


def named_content(scope: WorkspaceScope, row: DictRow) -> DictRow:
    """Decrypt the content of a row of `document_entities`."""
    place = NAMED.of(row["document_id"], row["ordinal"])
    content = scope.sealing.plain_json(place, row["content"])
    assert isinstance(content, dict), "what is named is stored as an object"
    return content
