"""Entities of a workspace: list, show with every mention, merge, split and rename."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from pydantic import Field, TypeAdapter

from footnote.domain.entities import (
    Entity,
    EntityDecision,
    EntityFailure,
    EntityKind,
    EntityMention,
    EntityPage,
    EntityProgress,
    MentionPage,
)
from footnote.engine.entity_extraction import entity_extraction_of
from footnote.engine.model_reading import reading_progress
from footnote.engine.services import WorkspaceAccess
from footnote.errors import Conflict, InvalidRequest, NotFound
from footnote.knowledge.linking import best_link, word_key
from footnote.knowledge.names import telling_words
from footnote.store import entities as stored
from footnote.store import entity_decisions as decided
from footnote.store.database import WorkspaceScope
from footnote.store.documents import citable_version, get_document, texts_of_spans
from footnote.store.passages import chunks_at
from footnote.store.queue import enqueue_entities
from footnote.validation.constrained_types import EntityName, EntityQuery, WrittenName
from footnote.validation.cursors import Count, read_cursor, write_cursor

_NAMED_IN_SHOWN = 100
_FOUND_BY_WORDS = 2_000
_IDENTIFIERS_SHOWN = 50
_CONTEXT_CHARACTERS = 80
"""Characters that are shown before and after a mention."""
_CANDIDATES_SHOWN = 10
_DECISIONS_SHOWN = 100
_CUSTOM_NAMES_READ = 2000
_BEFORE_FIRST_MENTION = (UUID(int=0), -1, 0)
_ENTITY_CURSOR = TypeAdapter(stored.EntityCursor)
_MENTION_CURSOR = TypeAdapter(tuple[UUID, Count, Count])
"""Cursor: document, row of the entity in it, and mention in the row."""

EntityLimit = Annotated[int, Field(ge=1, le=200)]
Names = Annotated[Sequence[WrittenName], Field(max_length=200)]
Documents = Annotated[Sequence[UUID], Field(max_length=200)]


async def entities(
    workspace: WorkspaceAccess,
    *,
    query: EntityQuery = "",
    kinds: Sequence[EntityKind] = (),
    document_id: UUID | None = None,
    limit: EntityLimit = 50,
    cursor: str | None = None,
) -> EntityPage:
    """List entities, those that most documents name first.

    With a query those that are called by all of its words. Raises NotFound for a document that is
    absent, foreign or hidden, and InvalidRequest.
    """
    async with workspace.scope() as scope:
        if document_id is not None:
            await get_document(scope, document_id)
        candidate_ids = None
        if query.strip():
            words = telling_words(query)
            keys = [word_key(word) for word in words]
            candidate_ids = (
                await stored.entities_with_keys(scope, keys, _FOUND_BY_WORDS) if keys else ()
            )
            if words:
                # Names given by users are few and stand in no document, so they have no keys.
                custom_names = await stored.user_given_names(scope, _CUSTOM_NAMES_READ)
                candidate_ids += tuple(
                    entity_id
                    for entity_id, name in custom_names.items()
                    if entity_id not in candidate_ids and set(words) <= set(telling_words(name))
                )
        criteria = stored.EntityFilter(
            kinds=tuple(kinds), document_id=document_id, among=candidate_ids
        )
        cursor_key = ("entities", query.split(), sorted(kinds), document_id)
        after = None if cursor is None else read_cursor(_ENTITY_CURSOR, cursor, *cursor_key)
        summaries = await stored.list_entities(scope, criteria, limit=limit + 1, after=after)
    page = summaries[:limit]
    if len(summaries) == len(page):
        return EntityPage(entities=page, next_cursor=None)
    last = stored.EntityCursor(
        documents=page[-1].documents,
        mentions=page[-1].mentions,
        entity_id=page[-1].entity_id,
    )
    return EntityPage(entities=page, next_cursor=write_cursor(_ENTITY_CURSOR, last, *cursor_key))


async def entity(workspace: WorkspaceAccess, entity_id: UUID) -> Entity:
    """One entity, and the documents that name it. Raises NotFound."""
    async with workspace.scope() as scope:
        criteria = stored.EntityFilter(among=(entity_id,))
        summaries = await stored.list_entities(scope, criteria, limit=1, after=None)
        if not summaries:
            raise stored.no_such_entity(entity_id)
        [summary] = summaries
        naming_documents = await stored.names_in_documents(scope, entity_id, _NAMED_IN_SHOWN)
        identifier_ids = dict.fromkeys(
            identifier_id for _, belongings in naming_documents for identifier_id in belongings
        )
        identifiers = await stored.entities_called(
            scope, tuple(identifier_ids)[:_IDENTIFIERS_SHOWN]
        )
        return Entity(
            entity_id=entity_id,
            kind=summary.kind,
            name=summary.name,
            given_name=await stored.user_given_name(scope, entity_id) is not None,
            documents=summary.documents,
            mentions=summary.mentions,
            named_in=tuple(document for document, _ in naming_documents),
            identifiers=identifiers,
        )


async def entity_called(workspace: WorkspaceAccess, called: str) -> UUID:
    """Resolve an entity id, a name, or words that only one entity's names have, to an id.

    A complete id is returned without a lookup. Raises NotFound, and InvalidRequest with the
    candidates where several match.
    """
    try:
        return UUID(called)
    except ValueError:
        matches = (await entities(workspace, query=called, limit=_CANDIDATES_SHOWN)).entities
    folded = called.casefold().strip()
    exact = [match for match in matches if match.name.casefold() == folded]
    candidates = exact or list(matches)
    if not candidates:
        raise NotFound(
            f"there is no entity {called!r}",
            hint="`footnote entities list` or `GET /v1/entities` shows what there is",
        )
    if len(candidates) > 1:
        listing = ", ".join(
            f"{candidate.name} ({candidate.kind.value}, {candidate.entity_id})"
            for candidate in candidates
        )
        raise InvalidRequest(
            f"several entities are called {called!r}", hint=f"name one by its id: {listing}"
        )
    return candidates[0].entity_id


async def entity_mentions(
    workspace: WorkspaceAccess,
    entity_id: UUID,
    *,
    limit: EntityLimit = 50,
    cursor: str | None = None,
) -> MentionPage:
    """Every mention of an entity, in the order of the documents. Raises NotFound."""
    document_id, ordinal, first = _BEFORE_FIRST_MENTION
    if cursor is not None:
        document_id, ordinal, first = read_cursor(_MENTION_CURSOR, cursor, "mentions", entity_id)
    mentions: list[EntityMention] = []
    next_position: tuple[UUID, int, int] | None = None
    async with workspace.scope() as scope:
        rows = await stored.document_mentions(
            scope, entity_id, after=(document_id, ordinal), limit=limit + 1
        )
        if not rows and cursor is None:
            raise stored.no_such_entity(entity_id)
        for row in rows:
            start = first if (row.document_id, row.ordinal) == (document_id, ordinal) else 0
            spans = row.spans[start:]
            room = limit - len(mentions)
            if room == 0 and spans:
                next_position = (row.document_id, row.ordinal, start)
                break
            mentions += await _mentions_in_context(scope, row, spans[:room])
            if len(spans) > room:
                next_position = (row.document_id, row.ordinal, start + room)
                break
    return MentionPage(
        mentions=tuple(mentions),
        next_cursor=None
        if next_position is None
        else write_cursor(_MENTION_CURSOR, next_position, "mentions", entity_id),
    )


async def merge_entities(workspace: WorkspaceAccess, entity_id: UUID, other_id: UUID) -> Entity:
    """Merge another entity into this one, with all of its names.

    Raises NotFound, and InvalidRequest for an entity and itself.
    """
    if entity_id == other_id:
        raise InvalidRequest(
            f"the entity {entity_id} cannot take in itself", hint="name two entities"
        )
    for merged_id in (entity_id, other_id):
        await entity(workspace, merged_id)
    async with workspace.system_scope() as scope:
        await decided.merge_entities(scope, entity_id, other_id, _principal_id(workspace))
    return await entity(workspace, entity_id)


async def split_entity(
    workspace: WorkspaceAccess,
    entity_id: UUID,
    *,
    names: Names = (),
    documents: Documents = (),
) -> Entity:
    """Split names of an entity, or its mentions in some documents, off into a new entity.

    Returns the new one. Raises NotFound, InvalidRequest without names and documents, and Conflict
    where nothing or everything would go.
    """
    if not names and not documents:
        raise InvalidRequest(
            "a split needs names or documents",
            hint="`footnote entities show` lists both",
        )
    await entity(workspace, entity_id)
    async with workspace.system_scope() as scope:
        new_id, _ = await decided.split_entity(
            scope, entity_id, names=names, documents=documents, decided_by=_principal_id(workspace)
        )
    return await entity(workspace, new_id)


async def rename_entity(workspace: WorkspaceAccess, entity_id: UUID, name: EntityName) -> Entity:
    """Give an entity a name. Raises NotFound."""
    await entity(workspace, entity_id)
    async with workspace.system_scope() as scope:
        await decided.rename_entity(scope, entity_id, name, _principal_id(workspace))
    return await entity(workspace, entity_id)


async def entity_decisions(
    workspace: WorkspaceAccess, entity_id: UUID
) -> tuple[EntityDecision, ...]:
    """The decisions about an entity, latest first, at most a hundred. Raises NotFound."""
    await entity(workspace, entity_id)
    async with workspace.scope() as scope:
        return await decided.decisions_of(scope, entity_id, _DECISIONS_SHOWN)


async def undo_entity_decision(workspace: WorkspaceAccess, decision_id: UUID) -> EntityDecision:
    """Undo a decision about an entity.

    Raises NotFound, and Conflict for one that was undone, or that a later one builds upon.
    """
    async with workspace.system_scope() as scope:
        decision = await decided.decision_of(scope, decision_id)
    try:
        await entity(workspace, decision.entity_id)
    except NotFound as error:
        raise decided.no_such_decision(decision_id) from error
    async with workspace.system_scope() as scope:
        await decided.undo_decision(scope, decision_id, best_link)
        return await decided.decision_of(scope, decision_id)


async def extract_entities(workspace: WorkspaceAccess) -> EntityProgress:
    """Enqueue entity extraction for all documents that lack it; return the progress.

    Raises Conflict where the workspace extracts none.
    """
    extraction = await entity_extraction_of(workspace)
    if not extraction.enabled:
        raise Conflict(
            "this workspace extracts no entities",
            hint="switch it on: `footnote config set entities rules`",
        )
    async with workspace.system_scope() as scope:
        await enqueue_entities(scope)
    return await entity_progress(workspace)


async def entity_progress(workspace: WorkspaceAccess) -> EntityProgress:
    """How far the documents that may be seen are read for entities."""
    progress, mention_count, failures = await reading_progress(
        workspace, "entities", await entity_extraction_of(workspace), EntityFailure
    )
    return EntityProgress(**progress, mentions=mention_count, failures=failures)


async def entity_progress_without_model(workspace: WorkspaceAccess) -> EntityProgress:
    """Return the progress of the packaged models, whatever is left to a language model."""
    extraction = await entity_extraction_of(workspace)
    progress, mention_count, _ = await reading_progress(
        workspace, "entities", extraction, EntityFailure, with_model=False
    )
    return EntityProgress(**progress, mentions=mention_count)


async def _mentions_in_context(
    scope: WorkspaceScope, row: stored.DocumentMentions, spans: Sequence[tuple[int, int]]
) -> list[EntityMention]:
    """Return mentions with the text around them, limited to their line."""
    published = await citable_version(scope, row.document_id)
    if published.version != row.version:
        # Another version was published since the row was read.
        return []
    texts = await texts_of_spans(scope, published, spans, _CONTEXT_CHARACTERS)
    starts = [start for start, _ in spans]
    chunks = await chunks_at(scope, row.document_id, row.version, starts)
    return [
        EntityMention(
            document_id=row.document_id,
            document_title=row.document_title,
            version=row.version,
            chunk_id=chunk,
            char_start=start,
            char_end=end,
            quote=text.quoted,
            before=text.before.rpartition("\n")[2],
            after=text.after.partition("\n")[0],
        )
        for (start, end), text, chunk in zip(spans, texts, chunks, strict=True)
    ]


def _principal_id(workspace: WorkspaceAccess) -> str:
    return workspace.principal.principal_id
