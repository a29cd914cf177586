"""Read entities: list them, find them by their words, and read their mentions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from psycopg.rows import DictRow

from footnote.domain.entities import EntityKind, EntitySummary, LinkReason, NamedInDocument
from footnote.errors import NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.entity_storage import OFFSET, decrypted_content, hashed
from footnote.store.sealing import GIVEN_NAME, TITLE
from footnote.store.statements import load_statements
from footnote.validation.cursors import Count

_SQL = load_statements("entities")
_NAMES_READ = 20
"""Documents of an entity that are read to choose its displayed name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityFilter:
    """A filter of entities."""

    kinds: tuple[EntityKind, ...] = ()
    """Kinds to list; all if empty."""
    document_id: UUID | None = None
    among: tuple[UUID, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityCursor:
    """Keyset cursor of a list of entities: the last one listed."""

    documents: Count
    mentions: Count
    entity_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMentions:
    """The mentions of an entity in one document."""

    document_id: UUID
    document_title: str
    version: int
    ordinal: int
    spans: tuple[tuple[int, int], ...]


async def list_entities(
    scope: WorkspaceScope, filters: EntityFilter, *, limit: int, after: EntityCursor | None
) -> tuple[EntitySummary, ...]:
    """List a page of the visible entities, those in most documents first."""
    rows = await scope.all(
        _SQL["page"],
        {
            "kinds": [kind.value for kind in filters.kinds],
            "document_id": filters.document_id,
            "wanted": None if filters.among is None else list(filters.among),
            "after": None if after is None else after.entity_id,
            "after_documents": 0 if after is None else after.documents,
            "after_mentions": 0 if after is None else after.mentions,
            "limit": limit,
        },
    )
    names = await _names(scope, [row["entity_id"] for row in rows])
    return tuple(
        EntitySummary(
            entity_id=row["entity_id"],
            kind=EntityKind(row["kind"]),
            name=names[row["entity_id"]][0],
            documents=row["documents"],
            mentions=row["mentions"],
        )
        for row in rows
        # Its last document may have gone between the two statements.
        if row["entity_id"] in names
    )


async def require_entity(scope: WorkspaceScope, entity_id: UUID) -> None:
    """Raise NotFound for an entity that is absent, foreign or hidden alike."""
    rows = await scope.all(_SQL["of_entities"], {"entity_ids": [entity_id], "limit": 1})
    if not rows:
        raise no_such_entity(entity_id)


async def entities_with_keys(
    scope: WorkspaceScope, keys: Sequence[str], limit: int
) -> tuple[UUID, ...]:
    """List visible entities that some document names under all of these keys."""
    hashes = [hashed(scope.sealing, key) for key in dict.fromkeys(keys)]
    rows = await scope.all(_SQL["with_words"], {"keys": hashes, "limit": limit})
    return tuple(row["entity_id"] for row in rows)


async def names_in_documents(
    scope: WorkspaceScope, entity_id: UUID, limit: int
) -> tuple[tuple[NamedInDocument, tuple[tuple[EntityKind, str], ...]], ...]:
    """List how documents name an entity, most mentions first, with related entities.

    Empty if the entity is absent, foreign or hidden.
    """
    rows = await scope.all(_SQL["of_entities"], {"entity_ids": [entity_id], "limit": limit})
    names = []
    for row in rows:
        content = decrypted_content(scope, row)
        names.append(
            (
                NamedInDocument(
                    document_id=row["document_id"],
                    document_title=_title(scope, row),
                    name=str(content["name"]),
                    forms=tuple(content["forms"]),
                    mentions=row["mentions"],
                    reasons=tuple(LinkReason(reason) for reason in row["reasons"]),
                    linked_by=None if row["linked_by"] is None else LinkReason(row["linked_by"]),
                    confidence=round(row["link_confidence"], 4),
                ),
                tuple((EntityKind(kind), value) for kind, value in content["belongings"]),
            )
        )
    return tuple(names)


async def document_mentions(
    scope: WorkspaceScope, entity_id: UUID, *, after: tuple[UUID, int], limit: int
) -> tuple[DocumentMentions, ...]:
    """List the mentions of an entity from a document and ordinal on, inclusive."""
    rows = await scope.all(
        _SQL["mentions_of"],
        {"entity_id": entity_id, "document_id": after[0], "ordinal": after[1], "limit": limit},
    )
    return tuple(
        DocumentMentions(
            document_id=row["document_id"],
            document_title=_title(scope, row),
            version=row["version"],
            ordinal=row["ordinal"],
            spans=spans_of(row["spans"]),
        )
        for row in rows
    )


async def entities_called(
    scope: WorkspaceScope, names: Sequence[tuple[EntityKind, str]]
) -> tuple[EntitySummary, ...]:
    """List visible entities of these kinds and normal forms, most common first."""
    if not names:
        return ()
    hashes = [hashed(scope.sealing, f"name\n{kind.value}\n{normal}") for kind, normal in names]
    rows = await scope.all(_SQL["called"], {"name_keys": hashes})
    entity_ids = tuple(row["entity_id"] for row in rows)
    return await list_entities(scope, EntityFilter(among=entity_ids), limit=len(names), after=None)


async def user_given_name(scope: WorkspaceScope, entity_id: UUID) -> str | None:
    """Return the name that a user gave an entity; None if there is none."""
    row = await scope.one(_SQL["given_names"], {"entity_ids": [entity_id]})
    return None if row is None else _plain_name(scope, row)


async def user_given_names(scope: WorkspaceScope, limit: int) -> dict[UUID, str]:
    """Return the names that users gave to entities, hidden ones included.

    Show only those of entities that were listed.
    """
    rows = await scope.all(_SQL["all_given_names"], {"limit": limit})
    return {row["entity_id"]: _plain_name(scope, row) for row in rows}


def spans_of(stored: bytes) -> tuple[tuple[int, int], ...]:
    """Decode the offsets of mentions from their column."""
    return tuple(
        (int(start), int(end)) for start, end in np.frombuffer(stored, OFFSET).reshape(-1, 2)
    )


def no_such_entity(entity_id: UUID) -> NotFound:
    """Make the error for an entity that is absent, foreign or hidden alike."""
    return NotFound(
        f"there is no entity {entity_id}",
        hint="`footnote entities list` or `GET /v1/entities` shows what there is",
    )


async def _names(scope: WorkspaceScope, entity_ids: Sequence[UUID]) -> dict[UUID, tuple[str, bool]]:
    """Return the displayed name of each entity, and whether a user gave it."""
    rows = await scope.all(
        _SQL["of_entities"], {"entity_ids": list(entity_ids), "limit": _NAMES_READ}
    )
    counted: dict[UUID, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counted[row["entity_id"]][str(decrypted_content(scope, row)["name"])] += 1
    displayed = {
        entity_id: (min(names, key=lambda name: (-names[name], -len(name), name)), False)
        for entity_id, names in counted.items()
    }
    for row in await scope.all(_SQL["given_names"], {"entity_ids": list(displayed)}):
        displayed[row["entity_id"]] = _plain_name(scope, row), True
    return displayed


def _plain_name(scope: WorkspaceScope, row: DictRow) -> str:
    return scope.sealing.plain_text(GIVEN_NAME.of(row["entity_id"]), row["name"])


def _title(scope: WorkspaceScope, row: DictRow) -> str:
    return scope.sealing.plain_text(TITLE.of(row["document_id"]), row["document_title"])
