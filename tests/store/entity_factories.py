"""Entities for tests that are not about how they are extracted."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from footnote.domain.entities import EntityKind, EntityLink, ExtractedEntity, LinkReason
from footnote.store.entity_storage import KeyedEntity
from footnote.store.reading_progress import PublishedVersion


def an_unread(document_id: UUID, version: int = 1) -> PublishedVersion:
    return PublishedVersion(document_id=document_id, version=version, title="Notice", language="en")


def a_keyed_entity(name: str, *spans: tuple[int, int]) -> KeyedEntity:
    """An organisation that is found by its name."""
    entity = ExtractedEntity(
        kind=EntityKind.ORGANISATION,
        name=name,
        forms=(name,),
        normals=(name.lower(),),
        spans=spans or ((0, len(name)),),
        confidence=0.5,
    )
    return KeyedEntity(entity=entity, keys=(name.lower(),), looked_up=(name.lower(),))


def first_of_all(
    _: ExtractedEntity, others: Sequence[tuple[UUID, ExtractedEntity]]
) -> tuple[UUID, EntityLink] | None:
    """Whatever has the same key is the same."""
    link = EntityLink(reason=LinkReason.SAME_NAME, confidence=0.9)
    return (others[0][0], link) if others else None
