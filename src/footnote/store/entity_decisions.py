"""Merge, split and rename entities by decisions of users, which can be undone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from footnote.domain.entities import EntityAct, EntityDecision, ExtractedEntity, LinkReason
from footnote.errors import Conflict, NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.entities import user_given_name
from footnote.store.entity_storage import ANYWHERE, LinkFinder, entity_of, name_keys
from footnote.store.sealing import ENTITY_DECISION, GIVEN_NAME
from footnote.store.statements import load_statements

_SQL = load_statements("entities")


@dataclass(frozen=True, slots=True)
class _Member:
    """An entity's names in one document."""

    document_id: UUID
    name_key: bytes
    every_key: tuple[bytes, ...]
    """Keyed hashes of all its names there."""
    entity: ExtractedEntity


async def merge_entities(
    scope: WorkspaceScope, entity_id: UUID, other_id: UUID, decided_by: str
) -> UUID:
    """Merge another entity into one, with present and later mentions; return the decision id."""
    members = await _members(scope, other_id)
    own_keys = {key for member in await _members(scope, entity_id) for key in member.every_key}
    assignments = await _assignment_changes(scope, members, (ANYWHERE,))
    redirected = await scope.all(_SQL["assigned_to"], {"entity_id": other_id})
    assignments["before"] = [*assignments["before"], *_assignments(redirected)]
    for key in {key for member in members for key in member.every_key}:
        await _assign(scope, key, ANYWHERE, entity_id)
    await scope.execute(_SQL["redirect"], {"entity_id": entity_id, "other_id": other_id})
    await _move(scope, [(member.document_id, member.name_key, entity_id) for member in members])
    content = {
        "members": _member_keys(members),
        "own": sorted(key.hex() for key in own_keys),
        "other_name": await user_given_name(scope, other_id) or "",
        **assignments,
    }
    return await _record_decision(
        scope, EntityAct.MERGE, entity_id, other_id=other_id, content=content, decided_by=decided_by
    )


async def split_entity(
    scope: WorkspaceScope,
    entity_id: UUID,
    *,
    names: Collection[str],
    documents: Collection[UUID],
    decided_by: str,
) -> tuple[UUID, UUID]:
    """Split off the members that have one of these names or are in one of these documents.

    Returns the new entity and the decision. Raises Conflict if nothing or everything would be split
    off.
    """
    target_names = {name.casefold() for name in names}
    all_members = await _members(scope, entity_id)
    members = [
        member
        for member in all_members
        if member.document_id in set(documents)
        or target_names.intersection(form.casefold() for form in member.entity.forms)
    ]
    if not members or len(members) == len(all_members):
        extent = "nothing" if not members else "everything"
        raise Conflict(
            f"{extent} of the entity {entity_id} has these names or stands in these documents",
            hint="`footnote entities show` lists the names of an entity, and its documents",
        )
    new_id = uuid4()
    scopes = (ANYWHERE, *{member.document_id for member in members})
    assignments = await _assignment_changes(scope, members, scopes)
    for member in members:
        # If the name stays in the entity elsewhere, only this document is reassigned.
        name_remains = any(
            member.name_key in other.every_key for other in all_members if other not in members
        )
        for key in member.every_key:
            await _assign(scope, key, member.document_id if name_remains else ANYWHERE, new_id)
    await _move(scope, [(member.document_id, member.name_key, new_id) for member in members])
    content = {"members": _member_keys(members), **assignments}
    decision = await _record_decision(
        scope, EntityAct.SPLIT, entity_id, other_id=new_id, content=content, decided_by=decided_by
    )
    return new_id, decision


async def rename_entity(scope: WorkspaceScope, entity_id: UUID, name: str, decided_by: str) -> UUID:
    """Rename an entity; return the decision id."""
    previous_name = await user_given_name(scope, entity_id) or ""
    await _set_name(scope, entity_id, name)
    content = {"name": name, "before": previous_name}
    return await _record_decision(
        scope, EntityAct.RENAME, entity_id, content=content, decided_by=decided_by
    )


async def undo_decision(scope: WorkspaceScope, decision_id: UUID, links: LinkFinder) -> None:
    """Undo a decision, and reassign mentions added since as if it had not been made.

    `links` decides whose a name added since is, if neither entity had it. Raises NotFound, and
    Conflict for a decision that is undone already or that a later one depends on.
    """
    row = await scope.one(_SQL["decision"], {"decision_id": decision_id})
    if row is None:
        raise no_such_decision(decision_id)
    if row["undone_at"] is not None:
        raise Conflict(
            f"the decision {decision_id} is undone already", hint="nothing is to be done"
        )
    if await scope.one(_SQL["later_decisions"], {**row, "other_id": row["other_id"] or ANYWHERE}):
        raise Conflict(
            f"a later decision builds upon {decision_id}",
            hint="undo the later one first: `footnote entities decisions`",
        )
    content = content_of(scope, row)
    entity_id, other_id = row["entity_id"], row["other_id"]
    if row["act"] == EntityAct.RENAME:
        await _set_name(scope, entity_id, str(content["before"]))
    else:
        # Move members back; after a merge, to the entity that was merged away.
        target_id = other_id if row["act"] == EntityAct.MERGE else entity_id
        moved = {(UUID(document), bytes.fromhex(key)) for document, key in content["members"]}
        if row["act"] == EntityAct.MERGE:
            moved |= await _merged_since(scope, row, content, moved, links)
        else:
            moved |= {
                (member.document_id, member.name_key) for member in await _members(scope, other_id)
            }
        for document_id, key in content["assigned"]:
            await scope.execute(
                _SQL["unassign"],
                {"name_key": bytes.fromhex(key), "document_id": UUID(document_id)},
            )
        for document_id, key, assigned_id in content["before"]:
            await _assign(scope, bytes.fromhex(key), UUID(document_id), UUID(assigned_id))
        await _move(scope, [(document, key, target_id) for document, key in moved], undone=True)
        if content.get("other_name"):
            # The name was dropped when no document named the entity any more.
            await _set_name(scope, other_id, str(content["other_name"]))
    await scope.execute(_SQL["undo"], {"decision_id": decision_id})


async def decision_of(scope: WorkspaceScope, decision_id: UUID) -> EntityDecision:
    """Return a decision. Raises NotFound."""
    row = await scope.one(_SQL["decision"], {"decision_id": decision_id})
    if row is None:
        raise no_such_decision(decision_id)
    return _decision(scope, row)


async def decisions_of(
    scope: WorkspaceScope, entity_id: UUID, limit: int
) -> tuple[EntityDecision, ...]:
    """List the decisions on an entity, latest first."""
    rows = await scope.all(_SQL["decisions"], {"entity_id": entity_id, "limit": limit})
    return tuple(_decision(scope, row) for row in rows)


def no_such_decision(decision_id: UUID) -> NotFound:
    """Make the error for a decision that is absent or foreign alike."""
    return NotFound(
        f"there is no decision {decision_id}",
        hint="`footnote entities decisions ENTITY` lists those of an entity",
    )


async def _merged_since(
    scope: WorkspaceScope,
    decision: DictRow,
    content: DictRow,
    moved: Set[tuple[UUID, bytes]],
    links: LinkFinder,
) -> set[tuple[UUID, bytes]]:
    """Return mentions added since a merge that would have gone to the other entity.

    A name that only the other entity had belongs to it, and so does one that `links` assigns to it;
    what the entity had before stays.
    """
    entity_id, other_id = decision["entity_id"], decision["other_id"]
    members = await _members(scope, entity_id)
    moved_members = [member for member in members if (member.document_id, member.name_key) in moved]
    remaining = [member for member in members if (member.document_id, member.name_key) not in moved]
    other_keys = {bytes.fromhex(key) for _, key in content["assigned"]}
    # Older merges did not record the names of the entity itself.
    own_keys = {bytes.fromhex(key) for key in content.get("own", ())} or {
        key for member in remaining for key in member.every_key if key not in other_keys
    }
    own_members = [member for member in remaining if not own_keys.isdisjoint(member.every_key)]
    # One candidate for each set of names.
    candidates = {member.entity.normals: (other_id, member.entity) for member in moved_members}
    candidates |= {member.entity.normals: (entity_id, member.entity) for member in own_members}

    def belongs_to_other(member: _Member) -> bool:
        if not own_keys.isdisjoint(member.every_key):
            return False
        if not other_keys.isdisjoint(member.every_key):
            return True
        match = links(member.entity, list(candidates.values()))
        return match is not None and match[0] != entity_id

    return {
        (member.document_id, member.name_key) for member in remaining if belongs_to_other(member)
    }


async def _members(scope: WorkspaceScope, entity_id: UUID) -> list[_Member]:
    return [
        _Member(
            document_id=row["document_id"],
            name_key=bytes(row["name_key"]),
            every_key=tuple(name_keys(scope.sealing, entity := entity_of(scope, row))),
            entity=entity,
        )
        for row in await scope.all(_SQL["members"], {"entity_id": entity_id})
    ]


async def _assignment_changes(
    scope: WorkspaceScope, members: Iterable[_Member], document_ids: Iterable[UUID]
) -> dict[str, list[list[str]]]:
    """Return the assignments that a decision will make, and the current ones in their place."""
    keys = sorted({key for member in members for key in member.every_key})
    targets = set(document_ids)
    rows = await scope.all(_SQL["assignments_of"], {"name_keys": keys})
    return {
        "assigned": [
            [str(document_id), key.hex()] for document_id in sorted(targets) for key in keys
        ],
        "before": _assignments(row for row in rows if row["document_id"] in targets),
    }


def _assignments(rows: Iterable[DictRow]) -> list[list[str]]:
    return [
        [str(row["document_id"]), bytes(row["name_key"]).hex(), str(row["entity_id"])]
        for row in rows
    ]


async def _assign(
    scope: WorkspaceScope, name_key: bytes, document_id: UUID, entity_id: UUID
) -> None:
    await scope.execute(
        _SQL["assign"],
        {"name_key": name_key, "document_id": document_id, "entity_id": entity_id},
    )


async def _move(
    scope: WorkspaceScope, moves: list[tuple[UUID, bytes, UUID]], *, undone: bool = False
) -> None:
    await scope.execute(
        _SQL["move"],
        {
            "document_ids": [document for document, _, _ in moves],
            "name_keys": [key for _, key, _ in moves],
            "entity_ids": [entity for _, _, entity in moves],
            "linked_by": None if undone else LinkReason.DECISION.value,
        },
    )


async def _set_name(scope: WorkspaceScope, entity_id: UUID, name: str) -> None:
    """Set the given name of an entity; an empty one removes it."""
    if not name:
        await scope.execute(_SQL["take_name"], {"entity_id": entity_id})
        return
    sealed = scope.sealing.text(GIVEN_NAME.of(entity_id), name)
    await scope.execute(_SQL["give_name"], {"entity_id": entity_id, "name": sealed})


async def _record_decision(
    scope: WorkspaceScope,
    act: EntityAct,
    entity_id: UUID,
    *,
    content: Mapping[str, object],
    decided_by: str,
    other_id: UUID | None = None,
) -> UUID:
    decision_id = uuid4()
    await scope.execute(
        _SQL["note_decision"],
        {
            "decision_id": decision_id,
            "act": act.value,
            "entity_id": entity_id,
            "other_id": other_id,
            "content": Jsonb(scope.sealing.json(ENTITY_DECISION.of(decision_id), dict(content))),
            "decided_by": decided_by,
        },
    )
    return decision_id


def _member_keys(members: Iterable[_Member]) -> list[list[str]]:
    return [[str(member.document_id), member.name_key.hex()] for member in members]


def content_of(scope: WorkspaceScope, row: DictRow) -> DictRow:
    """Return what a decision stores so that it can be undone."""
    place = ENTITY_DECISION.of(row["decision_id"])
    content = scope.sealing.plain_json(place, row["content"])
    assert isinstance(content, dict), "a decision is stored as an object"
    return content


def _decision(scope: WorkspaceScope, row: DictRow) -> EntityDecision:
    undone_at: datetime | None = row["undone_at"]
    return EntityDecision(
        decision_id=row["decision_id"],
        act=EntityAct(row["act"]),
        entity_id=row["entity_id"],
        other_id=row["other_id"],
        name=str(content_of(scope, row).get("name", "")),
        decided_by=row["decided_by"],
        decided_at=row["decided_at"],
        undone=undone_at is not None,
    )
