"""Extracts what published documents name, one document in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from footnote.domain.entities import EntityKind, EntityLink, ExtractedEntity
from footnote.engine.configuration import configuration_of
from footnote.engine.services import Services, WorkspaceAccess, failure_reason
from footnote.errors import StoreFull, StoreUnavailable
from footnote.knowledge.document_entities import entities_of
from footnote.knowledge.linking import best_link, keys_of, looked_up
from footnote.knowledge.mentions import mentions_of
from footnote.knowledge.relationships import document_keys, pairs_of
from footnote.ports import NamedSpan
from footnote.settings import Settings, listed
from footnote.store.database import SYSTEM
from footnote.store.documents import get_document, whole_text
from footnote.store.entity_keeping import (
    KeyedEntity,
    UnreadDocument,
    keep_entities,
    note_unreadable,
)
from footnote.store.relationships import keep_relationships

EXTRACTOR = "entities-2"
"""Of what entities are known to come from; another number has every document read again."""
ATTEMPTS = 3
"""To extract the entities of one version."""
_MOST_CHARACTERS = 20_000_000
_PART_CHARACTERS = 4_000
"""About so much of a text is read by the model at a time, whole lines."""
_PARTS_AT_ONCE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityExtraction:
    """What a workspace wants extracted, and by what."""

    enabled: bool
    kinds: frozenset[EntityKind]
    finder: str
    """What finds names; empty where nothing does."""

    @property
    def extractor(self) -> str:
        """What entities are known to come from: another one has every document read again."""
        return f"{EXTRACTOR}; {','.join(sorted(self.kinds))}; {self.finder}"


async def entity_extraction_of(workspace: WorkspaceAccess) -> EntityExtraction:
    """What the settings of a workspace want."""
    settings: Settings = (await configuration_of(workspace, afresh=True)).settings
    reader = workspace.engine.reader
    return EntityExtraction(
        enabled=settings.entities,
        kinds=frozenset(EntityKind(each) for each in listed(settings.entity_kinds)),
        finder="" if reader is None else reader.name,
    )


async def extract_entities_of(
    engine: Services, workspace_id: UUID, unread: UnreadDocument, wanted: EntityExtraction
) -> None:
    """Read a document for entities and keep them; a document that cannot be read fails alone.

    Raises what ends the work on all of them: a database that is away or full.
    """
    try:
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            text = await whole_text(scope, unread.document_id, _MOST_CHARACTERS)
            document = await get_document(scope, unread.document_id)
        content = "" if text is None else text.text
        keyed = await _read(engine, content, unread.language, wanted)
        entities = [each.entity for each in keyed]
        pairs = await asyncio.to_thread(pairs_of, content, entities)
        keys = await asyncio.to_thread(
            document_keys,
            content,
            title=document.title,
            filename=document.filename,
            metadata=document.metadata,
            entities=entities,
        )
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            if await keep_entities(scope, unread, wanted.extractor, keyed, _linked):
                await keep_relationships(scope, unread, pairs, keys)
    except (StoreUnavailable, StoreFull):
        raise
    except Exception as error:
        reason = failure_reason(
            error, "entity_extraction_failed", document_id=str(unread.document_id)
        )
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await note_unreadable(scope, unread, wanted.extractor, reason)


async def _read(
    engine: Services, text: str, language: str | None, wanted: EntityExtraction
) -> list[KeyedEntity]:
    named = await _names(engine, text)

    def extract() -> list[KeyedEntity]:
        found = entities_of(text, mentions_of(text, language, named, wanted.kinds))
        return [
            KeyedEntity(entity=each, keys=tuple(keys_of(each)), looked_up=tuple(looked_up(each)))
            for each in found
        ]

    return await asyncio.to_thread(extract)


async def _names(engine: Services, text: str) -> list[NamedSpan]:
    """The names in a text, as far as a model finds any. Raises ModelUnavailable."""
    if engine.reader is None:
        return []
    parts = list(_parts(text))
    found: list[NamedSpan] = []
    for at in range(0, len(parts), _PARTS_AT_ONCE):
        some = parts[at : at + _PARTS_AT_ONCE]
        read = await engine.reader.names([text[start:end] for start, end in some])
        if read is None:
            return []
        found += [
            NamedSpan(
                start=start + each.start,
                end=start + each.end,
                kind=each.kind,
                probability=each.probability,
            )
            for (start, _), names in zip(some, read, strict=True)
            for each in names
        ]
    return found


def _parts(text: str) -> Sequence[tuple[int, int]]:
    """Stretches of about `_PART_CHARACTERS`, which end with a line where they can."""
    found = []
    start = 0
    while start < len(text):
        end = min(start + _PART_CHARACTERS, len(text))
        if end < len(text):
            line = text.rfind("\n", start + _PART_CHARACTERS // 2, end)
            end = line + 1 if line >= 0 else end
        found.append((start, end))
        start = end
    return found


def _linked(
    own: ExtractedEntity, others: Sequence[tuple[UUID, ExtractedEntity]]
) -> tuple[UUID, EntityLink] | None:
    return best_link(own, others)
