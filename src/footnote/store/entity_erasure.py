"""Count and remove what is kept of entities, by decisions of users, for documents that are gone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from footnote.domain.entities import EntityAct
from footnote.store.database import WorkspaceScope
from footnote.store.entity_decisions import content_of
from footnote.store.entity_storage import ANYWHERE, drop_orphans
from footnote.store.sealing import ENTITY_DECISION
from footnote.store.statements import load_statements

_SQL = load_statements("entities")
_NAMES = {
    EntityAct.RENAME: ("name", "before"),
    EntityAct.MERGE: ("other_name",),
    EntityAct.SPLIT: (),
}
"""The fields of a decision's content that are names given by a user."""
_PLACES = ("members", "assigned", "before")
"""The fields of a merge or a split that are lists of rows, each beginning with a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityTraces:
    """What has to be removed along with some documents."""

    names: int
    """Names given to entities that no other document names."""
    decisions: int
    """Decisions that name such an entity, or one of the documents."""


async def count_entity_traces(scope: WorkspaceScope, document_ids: Sequence[UUID]) -> EntityTraces:
    """Count what `remove_entity_traces` would remove without the documents.

    Takes a scope of the system.
    """
    names = await scope.single(_SQL["count_orphans"], {"document_ids": list(document_ids)})
    rows = await scope.all(_SQL["every_decision"])
    stripped = await _stripped(scope, rows, document_ids)
    return EntityTraces(names=names["found"], decisions=len(stripped))


async def remove_entity_traces(scope: WorkspaceScope) -> None:
    """Remove given names of entities that no document names, and from decisions what is gone.

    Takes a scope of the system.
    """
    await drop_orphans(scope)
    rows = await scope.all(_SQL["lock_decisions"])
    for decision_id, content in (await _stripped(scope, rows, ())).items():
        sealed = scope.sealing.json(ENTITY_DECISION.of(decision_id), content)
        await scope.execute(
            _SQL["change_decision"], {"decision_id": decision_id, "content": Jsonb(sealed)}
        )


async def _stripped(
    scope: WorkspaceScope, rows: Sequence[DictRow], deleted: Sequence[UUID]
) -> dict[UUID, DictRow]:
    """Return what is left of decisions that mention documents that are gone.

    `deleted` are documents to count among those.
    """
    contents = {row["decision_id"]: content_of(scope, row) for row in rows}
    existing = await _existing_documents(scope, contents.values(), deleted)
    retained = {
        decision_id: _limited_to(content, existing) for decision_id, content in contents.items()
    }
    parameters = {
        "entity_ids": [
            entity_id for row in rows for entity_id in (row["entity_id"], row["other_id"])
        ],
        "document_ids": list(deleted),
    }
    named_ids = {row["entity_id"] for row in await scope.all(_SQL["still_named"], parameters)}
    # An entity that was merged away is named by no document until that is undone.
    named_ids |= {
        row["other_id"]
        for row in rows
        if row["act"] == EntityAct.MERGE and not row["undone_at"]
        if retained[row["decision_id"]]["members"]
    }
    for row in rows:
        act = EntityAct(row["act"])
        if row["other_id" if act is EntityAct.MERGE else "entity_id"] not in named_ids:
            content = retained[row["decision_id"]]
            content |= {name: "" for name in _NAMES[act] if name in content}
    return {key: content for key, content in retained.items() if content != contents[key]}


async def _existing_documents(
    scope: WorkspaceScope, contents: Iterable[DictRow], deleted: Sequence[UUID]
) -> set[str]:
    """Return which documents of decisions exist, with the id that stands for all."""
    mentioned = {
        UUID(row[0]) for content in contents for name in _PLACES for row in _listed(content, name)
    }
    parameters = {"mentioned": sorted(mentioned), "document_ids": list(deleted)}
    rows = await scope.all(_SQL["documents_there"], parameters)
    return {str(ANYWHERE), *(str(row["document_id"]) for row in rows)}


def _limited_to(content: DictRow, existing: Collection[str]) -> DictRow:
    """Return the content of a decision without rows of other documents."""
    return content | {
        name: [row for row in _listed(content, name) if row[0] in existing]
        for name in _PLACES
        if _listed(content, name)
    }


def _listed(content: DictRow, name: str) -> list[list[str]]:
    """Return a list of the content; `before` of a new name is a text."""
    value = content.get(name)
    return value if isinstance(value, list) else []
