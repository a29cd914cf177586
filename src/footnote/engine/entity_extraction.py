"""Extracts the entities of published documents, one document in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from footnote.domain import Passage
from footnote.domain.entities import NAMED_KINDS, EntityKind
from footnote.engine.configuration import configuration_of
from footnote.engine.model_reading import (
    NAME_TASK,
    DocumentReader,
    ModelAway,
    Reading,
    read_parts,
    reader_of,
)
from footnote.engine.services import Services, WorkspaceAccess, failure_reason
from footnote.errors import BudgetExceeded, StoreFull, StoreUnavailable
from footnote.knowledge.document_entities import entities_of
from footnote.knowledge.linking import best_link, keys_of, looked_up
from footnote.knowledge.mentions import mentions_of
from footnote.knowledge.model_names import without_overlaps
from footnote.knowledge.relationships import document_keys, pairs_of
from footnote.knowledge.texts import DocumentText, blocks_of
from footnote.language.scripts import outside_data
from footnote.ports import NamedSpan
from footnote.settings import Settings, listed
from footnote.store.database import SYSTEM
from footnote.store.documents import get_document, published_text
from footnote.store.entity_storage import (
    KeyedEntity,
    ModelReading,
    store_entities,
)
from footnote.store.part_readings import drop_readings
from footnote.store.passages import passages_in_order
from footnote.store.reading_progress import PublishedVersion, note_failure
from footnote.store.relationships import store_relationships

EXTRACTOR = "entities-4"
"""Version of the extraction, stored with entities; a new one has every document read again."""
ATTEMPTS = 3
"""Most attempts to extract the entities of one version."""
_MAX_CHARACTERS = 20_000_000
_MAX_PASSAGES = 1_000_000
_PART_CHARACTERS = 4_000
"""Approximate characters that the model reads at a time, in whole lines."""
_PARTS_AT_ONCE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityExtraction:
    """The entity extraction that a workspace asks for, and its models."""

    enabled: bool
    kinds: frozenset[EntityKind]
    finder: str
    """Name of the model that finds names; empty without one."""
    reader: DocumentReader | None = None
    """The language model that reads documents for names, too."""
    possible_reader: DocumentReader | None = None
    """The language model that could read, whether or not it is enabled."""
    classes: tuple[str, ...] = ()
    """Document classes to read; empty for all, as always for entities."""

    @property
    def without_model(self) -> str:
        """Extractor id of entities found without a language model."""
        return f"{EXTRACTOR}; {','.join(sorted(self.kinds))}; {self.finder}"

    @property
    def extractor(self) -> str:
        """Extractor id of all entities; another one has every document read again."""
        return (
            self.without_model
            if self.reader is None
            else f"{self.without_model}; {self.reader.name}"
        )


async def entity_extraction_of(workspace: WorkspaceAccess) -> EntityExtraction:
    """The entity extraction that the settings of a workspace configure."""
    settings: Settings = (await configuration_of(workspace)).settings
    engine = workspace.engine
    kinds = frozenset(EntityKind(kind) for kind in listed(settings.entity_kinds))
    model = None if kinds.isdisjoint(NAMED_KINDS) else engine.model
    reader = None if model is None else reader_of(model, NAME_TASK)
    return EntityExtraction(
        enabled=settings.entities != "off",
        kinds=kinds,
        finder="" if engine.reader is None else engine.reader.name,
        reader=reader if settings.entities == "model" else None,
        possible_reader=reader,
    )


async def extract_entities_of(
    engine: Services,
    workspace_id: UUID,
    unread: PublishedVersion,
    extraction: EntityExtraction,
    is_late: Callable[[], bool] = lambda: False,
) -> None:
    """Extract and store the entities of one document; its failure is recorded for it alone.

    A language model reads it in a later call, once what the packaged models find is stored; if time
    runs out, the document stays unread. Raises what stops the work on all documents:
    StoreUnavailable, StoreFull, ModelAway and BudgetExceeded.
    """
    try:
        by_model = extraction.reader is not None and unread.read_by in (
            extraction.without_model,
            extraction.extractor,
        )
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            text = await published_text(scope, unread.document_id, _MAX_CHARACTERS)
            document = await get_document(scope, unread.document_id)
            passages: Sequence[Passage] = ()
            if by_model:
                passages = await passages_in_order(scope, unread.document_id, _MAX_PASSAGES)
        content = "" if text is None else text.text
        reading: Reading | None = None
        if by_model and extraction.reader is not None:
            document_text = DocumentText(
                text=content,
                title=unread.title,
                language=unread.language,
                blocks=blocks_of(passages),
            )
            reading = await read_parts(
                engine,
                workspace_id,
                unread,
                document_text,
                passages,
                reader=extraction.reader,
                is_late=is_late,
            )
            if reading is None:
                return
        keyed = await _read(engine, content, unread.language, extraction, reading)
        entities = [keyed_entity.entity for keyed_entity in keyed]
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
            model_reading: ModelReading | None = None
            if reading is not None:
                model_reading = ModelReading(
                    usage=reading.usage, left_out=reading.left_out, failure=reading.failure
                )
            extractor = extraction.extractor if by_model else extraction.without_model
            if await store_entities(
                scope, unread, extractor, keyed, best_link, reading=model_reading
            ):
                await store_relationships(scope, unread, pairs, keys)
            if reading is not None:
                # A retry does not read finished parts again.
                finished_parts = {} if reading.failure is None else reading.parts
                await drop_readings(scope, "names", unread, finished_parts)
    except (StoreUnavailable, StoreFull, ModelAway, BudgetExceeded):
        raise
    except Exception as error:
        reason = failure_reason(
            error, "entity_extraction_failed", document_id=str(unread.document_id)
        )
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await note_failure(scope, "entities", unread, extraction.extractor, reason)


async def _read(
    engine: Services,
    text: str,
    language: str | None,
    extraction: EntityExtraction,
    reading: Reading | None,
) -> list[KeyedEntity]:
    """The entities of a text; names from a language model take precedence over packaged ones."""
    packaged = await _names(engine, text)

    def extract() -> list[KeyedEntity]:
        names = packaged if reading is None else without_overlaps(reading.names, packaged)
        entities = entities_of(text, mentions_of(text, language, names, extraction.kinds))
        return [
            KeyedEntity(
                entity=entity, keys=tuple(keys_of(entity)), looked_up=tuple(looked_up(entity))
            )
            for entity in entities
        ]

    return await asyncio.to_thread(extract)


async def _names(engine: Services, text: str) -> list[NamedSpan]:
    """The names in a text, as far as a model finds any. Raises ModelUnavailable."""
    if engine.reader is None:
        return []
    # Parts of about `_PART_CHARACTERS` that end with a line where possible, without runs of data.
    parts: list[tuple[int, int]] = []
    for first, stop in outside_data(text):
        start = first
        while start < stop:
            end = min(start + _PART_CHARACTERS, stop)
            if end < stop:
                line = text.rfind("\n", start + _PART_CHARACTERS // 2, end)
                end = line + 1 if line >= 0 else end
            parts.append((start, end))
            start = end
    spans: list[NamedSpan] = []
    for index in range(0, len(parts), _PARTS_AT_ONCE):
        batch = parts[index : index + _PARTS_AT_ONCE]
        names_by_part = await engine.reader.names([text[start:end] for start, end in batch])
        if names_by_part is None:
            return []
        spans += [
            NamedSpan(
                start=start + span.start,
                end=start + span.end,
                kind=span.kind,
                probability=span.probability,
            )
            for (start, _), names in zip(batch, names_by_part, strict=True)
            for span in names
        ]
    return spans
