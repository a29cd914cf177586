"""What people decided of entities: merged, split and renamed, kept so that it can be undone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from footnote.domain.entities import EntityAct, EntityDecision, LinkReason
from footnote.errors import Conflict, NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.entity_keeping import ANYWHERE, hashed, named_content
from footnote.store.sealing import ENTITY_DECISION, GIVEN_NAME
from footnote.store.statements import load_statements

_SQL = load_statements("entities")


@dataclass(frozen=True, slots=True)
class _Member:
    """What an entity is named by in one document."""

    document_id: UUID
    name_key: bytes
    every_key: tuple[bytes, ...]
    """Of all its names there."""
    names: frozenset[str]
    """In which it is written, case-folded."""


async def merge_entities(
    scope: WorkspaceScope, entity_id: UUID, other_id: UUID, decided_by: str
) -> UUID:
    """Let an entity take in another, with all that names it, now and later; the decision's id."""
    members = await _members(scope, other_id)
    before = await _before(scope, members, (ANYWHERE,))
    for key in {key for each in members for key in each.every_key}:
        await _assign(scope, key, ANYWHERE, entity_id)
    await scope.execute(_SQL["redirect"], {"entity_id": entity_id, "other_id": other_id})
    await _move(scope, [(each.document_id, each.name_key, entity_id) for each in members])
    content = {"members": _listed(members), **before}
    return await _note(
        scope, EntityAct.MERGE, entity_id, other_id=other_id, content=content, by=decided_by
    )


async def split_entity(
    scope: WorkspaceScope,
    entity_id: UUID,
    *,
    names: Collection[str],
    documents: Collection[UUID],
    decided_by: str,
) -> tuple[UUID, UUID]:
    """Make an entity of its own of what has one of these names, or is in one of these documents.

    Returns the new entity and the decision. Raises Conflict where nothing or everything would go.
    """
    wanted = {each.casefold() for each in names}
    every = await _members(scope, entity_id)
    members = [each for each in every if each.names & wanted or each.document_id in set(documents)]
    if not members or len(members) == len(every):
        what = "nothing" if not members else "everything"
        raise Conflict(
            f"{what} of the entity {entity_id} has these names or stands in these documents",
            hint="`footnote entities show` lists the names of an entity, and its documents",
        )
    made = uuid4()
    places = (ANYWHERE, *{each.document_id for each in members})
    before = await _before(scope, members, places)
    for each in members:
        # A name that stays elsewhere is split in this document alone.
        stays = any(each.name_key in other.every_key for other in every if other not in members)
        for key in each.every_key:
            await _assign(scope, key, each.document_id if stays else ANYWHERE, made)
    await _move(scope, [(each.document_id, each.name_key, made) for each in members])
    content = {"members": _listed(members), **before}
    decision = await _note(
        scope, EntityAct.SPLIT, entity_id, other_id=made, content=content, by=decided_by
    )
    return made, decision


async def rename_entity(scope: WorkspaceScope, entity_id: UUID, name: str, decided_by: str) -> UUID:
    """Give an entity a name; the decision's id."""
    row = await scope.one(_SQL["given_names"], {"entity_ids": [entity_id]})
    place = GIVEN_NAME.of(entity_id)
    before = "" if row is None else scope.sealing.plain_text(place, row["name"])
    await scope.execute(
        _SQL["give_name"], {"entity_id": entity_id, "name": scope.sealing.text(place, name)}
    )
    content = {"name": name, "before": before}
    return await _note(scope, EntityAct.RENAME, entity_id, content=content, by=decided_by)


async def undo_decision(scope: WorkspaceScope, decision_id: UUID) -> None:
    """Have things as they were before a decision.

    Raises NotFound, and Conflict for one that was undone, or that a later one builds upon.
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
    content = _content(scope, row)
    if row["act"] == EntityAct.RENAME:
        await _restore_name(scope, row["entity_id"], str(content["before"]))
    else:
        # What was moved goes back; of a merge to the one that was taken in.
        back = row["other_id"] if row["act"] == EntityAct.MERGE else row["entity_id"]
        moved = [(UUID(document), bytes.fromhex(key)) for document, key in content["members"]]
        for document_id, key in content["assigned"]:
            await scope.execute(
                _SQL["unassign"],
                {"name_key": bytes.fromhex(key), "document_id": UUID(document_id)},
            )
        for document_id, key, entity_id in content["before"]:
            await _assign(scope, bytes.fromhex(key), UUID(document_id), UUID(entity_id))
        await _move(scope, [(document, key, back) for document, key in moved], undone=True)
    await scope.execute(_SQL["undo"], {"decision_id": decision_id})


async def decision_of(scope: WorkspaceScope, decision_id: UUID) -> EntityDecision:
    """One decision. Raises NotFound."""
    row = await scope.one(_SQL["decision"], {"decision_id": decision_id})
    if row is None:
        raise no_such_decision(decision_id)
    return _decision(scope, row)


async def decisions_of(
    scope: WorkspaceScope, entity_id: UUID, limit: int
) -> tuple[EntityDecision, ...]:
    """What was decided of an entity, latest first."""
    rows = await scope.all(_SQL["decisions"], {"entity_id": entity_id, "limit": limit})
    return tuple(_decision(scope, row) for row in rows)


def no_such_decision(decision_id: UUID) -> NotFound:
    """Make the error for a decision that is absent or foreign alike."""
    return NotFound(
        f"there is no decision {decision_id}",
        hint="`footnote entities decisions ENTITY` lists those of an entity",
    )


async def _members(scope: WorkspaceScope, entity_id: UUID) -> list[_Member]:
    found = []
    for row in await scope.all(_SQL["members"], {"entity_id": entity_id}):
        content = named_content(scope, row)
        keys = [
            hashed(scope.sealing, f"is\n{row['kind']}\n{normal}") for normal in content["normals"]
        ]
        found.append(
            _Member(
                row["document_id"],
                bytes(row["name_key"]),
                tuple(keys),
                frozenset(each.casefold() for each in content["forms"]),
            )
        )
    return found


async def _before(
    scope: WorkspaceScope, members: Iterable[_Member], places: Iterable[UUID]
) -> dict[str, object]:
    """Which assignments a decision will make, and what stands in their place now."""
    keys = sorted({key for each in members for key in each.every_key})
    wanted = set(places)
    rows = await scope.all(_SQL["assignments_of"], {"name_keys": keys})
    return {
        "assigned": [[str(place), key.hex()] for place in sorted(wanted) for key in keys],
        "before": [
            [str(row["document_id"]), bytes(row["name_key"]).hex(), str(row["entity_id"])]
            for row in rows
            if row["document_id"] in wanted
        ],
    }


async def _assign(
    scope: WorkspaceScope, name_key: bytes, document_id: UUID, entity_id: UUID
) -> None:
    await scope.execute(
        _SQL["assign"],
        {"name_key": name_key, "document_id": document_id, "entity_id": entity_id},
    )


async def _move(
    scope: WorkspaceScope, moved: list[tuple[UUID, bytes, UUID]], *, undone: bool = False
) -> None:
    await scope.execute(
        _SQL["move"],
        {
            "document_ids": [document for document, _, _ in moved],
            "name_keys": [key for _, key, _ in moved],
            "entity_ids": [entity for _, _, entity in moved],
            "linked_by": None if undone else LinkReason.DECISION.value,
        },
    )


async def _restore_name(scope: WorkspaceScope, entity_id: UUID, before: str) -> None:
    if not before:
        await scope.execute(_SQL["take_name"], {"entity_id": entity_id})
        return
    name = scope.sealing.text(GIVEN_NAME.of(entity_id), before)
    await scope.execute(_SQL["give_name"], {"entity_id": entity_id, "name": name})


async def _note(
    scope: WorkspaceScope,
    act: EntityAct,
    entity_id: UUID,
    *,
    content: Mapping[str, object],
    by: str,
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
            "decided_by": by,
        },
    )
    return decision_id


def _listed(members: Iterable[_Member]) -> list[list[str]]:
    return [[str(each.document_id), each.name_key.hex()] for each in members]


def _content(scope: WorkspaceScope, row: DictRow) -> DictRow:
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
        name=str(_content(scope, row).get("name", "")),
        decided_by=row["decided_by"],
        decided_at=row["decided_at"],
        undone=undone_at is not None,
    )
