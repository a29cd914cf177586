"""Facts of a workspace: list, search, confirm or reject them, and find conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, TypeAdapter

from footnote.domain import Right
from footnote.domain.facts import (
    ChangedFact,
    Fact,
    FactChanges,
    FactConflict,
    FactConflictPage,
    FactFailure,
    FactKind,
    FactPage,
    FactProgress,
    FactStatus,
    RecalledFact,
)
from footnote.engine.fact_extraction import FACT_LANE, extraction_of, fact_lane
from footnote.engine.model_reading import reading_progress
from footnote.engine.services import WorkspaceAccess
from footnote.errors import Conflict
from footnote.retrieval.fusion import RRF_K
from footnote.store import facts as stored
from footnote.store.documents import get_document
from footnote.store.entities import require_entity
from footnote.store.fact_conflicts import conflicting_facts, facts_against
from footnote.store.fact_recall import RankedFact, facts_with_words, nearest_facts
from footnote.store.lanes import current_lane
from footnote.store.queue import enqueue_facts
from footnote.validation.constrained_types import FactQuery
from footnote.validation.cursors import Count, read_cursor, write_cursor

_RECALLED = 100
"""Facts of each ranking that enter the fusion."""
_FACT_CURSOR = TypeAdapter(tuple[UUID, Count])
"""Cursor: document, and number of the fact in it."""
_CONFLICT_CURSOR = TypeAdapter(Annotated[str, Field(pattern="^[0-9a-f]{2,128}$")])
"""The key of a claim, in hexadecimal."""

FactLimit = Annotated[int, Field(ge=1, le=200)]
Decision = Literal["proposed", "confirmed", "rejected"]


async def facts(
    workspace: WorkspaceAccess,
    *,
    document_id: UUID | None = None,
    entity_id: UUID | None = None,
    kinds: Sequence[FactKind] = (),
    statuses: Sequence[FactStatus] = (FactStatus.PROPOSED, FactStatus.CONFIRMED),
    limit: FactLimit = 50,
    cursor: str | None = None,
) -> FactPage:
    """List facts in the order of their documents; facts that say the same are merged.

    With an entity, only facts whose subject or object it is. Raises NotFound for a document or an
    entity that is absent, foreign or hidden, and InvalidRequest.
    """
    criteria = stored.FactFilter(
        statuses=tuple(statuses), kinds=tuple(kinds), document_id=document_id, entity_id=entity_id
    )
    cursor_key = ("facts", document_id, entity_id, sorted(kinds), sorted(statuses))
    after = None if cursor is None else read_cursor(_FACT_CURSOR, cursor, *cursor_key)
    async with workspace.scope() as scope:
        if document_id is not None:
            await get_document(scope, document_id)
        if entity_id is not None:
            await require_entity(scope, entity_id)
        rows = await stored.list_facts(scope, criteria, limit=limit + 1, after=after)
    page = rows[:limit]
    last = page[-1] if len(rows) > limit else None
    return FactPage(
        facts=tuple(fact for fact, _ in page),
        next_cursor=last
        and write_cursor(_FACT_CURSOR, (last[0].document_id, last[1]), *cursor_key),
    )


async def fact(workspace: WorkspaceAccess, fact_id: UUID) -> Fact:
    """One fact, with its sources. Raises NotFound."""
    async with workspace.scope() as scope:
        matches = await stored.facts_by_ids(scope, [fact_id])
    if not matches:
        raise stored.no_such_fact(fact_id)
    return matches[0]


async def recall_facts(
    workspace: WorkspaceAccess,
    query: FactQuery,
    *,
    document_id: UUID | None = None,
    limit: FactLimit = 10,
) -> tuple[RecalledFact, ...]:
    """Search facts by dense and lexical retrieval, fused by reciprocal rank.

    Lexical alone where facts were embedded by another model than the current one. Raises NotFound
    for a document that is absent, foreign or hidden.
    """
    extraction = await extraction_of(workspace)
    vector = await extraction.embedder.embed_query(query)
    terms = workspace.engine.analyzer.terms(query, None)
    async with workspace.scope() as scope:
        if document_id is not None:
            await get_document(scope, document_id)
        lane = await current_lane(scope, FACT_LANE)
        dense: tuple[RankedFact, ...] = ()
        if lane is not None and lane[1].fingerprint == fact_lane(extraction.embedder).fingerprint:
            dense = await nearest_facts(scope, FACT_LANE, vector, document_id, _RECALLED)
        lexical = await facts_with_words(scope, terms, document_id, _RECALLED)
        fused = _fused(dense, lexical)[:limit]
        facts_by_id = {
            fact.fact_id: fact
            for fact in await stored.facts_by_ids(scope, [hit.fact_id for hit in fused])
        }
    return tuple(
        RecalledFact(
            fact=facts_by_id[hit.fact_id],
            score=round(hit.score, 6),
            dense_rank=hit.ranks.get("dense"),
            lexical_rank=hit.ranks.get("lexical"),
        )
        for hit in fused
        if hit.fact_id in facts_by_id
    )


async def decide_fact(workspace: WorkspaceAccess, fact_id: UUID, status: Decision) -> Fact:
    """Set the status of a fact, and of all facts that say the same.

    Raises NotFound, Forbidden, and Conflict for one that was superseded.
    """
    decided = await fact(workspace, fact_id)
    if decided.status is FactStatus.SUPERSEDED:
        raise Conflict(
            f"the fact {fact_id} stood in an earlier version",
            hint="decide about what stands in the published one: `footnote facts changes`",
        )
    async with workspace.scope() as scope:
        # Those too where the same was decided otherwise before.
        for document_id in await stored.documents_saying(scope, fact_id):
            document = await get_document(scope, document_id)
            workspace.require(Right.WRITE, document.collection)
        await stored.decide_fact(scope, fact_id, FactStatus(status))
    return await fact(workspace, fact_id)


async def fact_conflicts(
    workspace: WorkspaceAccess,
    *,
    document_id: UUID | None = None,
    limit: FactLimit = 50,
    cursor: str | None = None,
) -> FactConflictPage:
    """List conflicts: facts with several values for one subject and period, as far as visible.

    With a document, only conflicts in which one of its facts takes part. Raises NotFound and
    InvalidRequest.
    """
    cursor_key = ("fact conflicts", document_id)
    after = (
        None
        if cursor is None
        else bytes.fromhex(read_cursor(_CONFLICT_CURSOR, cursor, *cursor_key))
    )
    async with workspace.scope() as scope:
        if document_id is not None:
            await get_document(scope, document_id)
        conflicts = await conflicting_facts(scope, document_id, limit=limit + 1, after=after)
    page = conflicts[:limit]
    last = page[-1] if len(conflicts) > limit else None
    return FactConflictPage(
        conflicts=tuple(
            FactConflict(
                subject=conflict.subject,
                predicate=conflict.facts[0].predicate,
                valid_from=conflict.facts[0].valid_from,
                valid_to=conflict.facts[0].valid_to,
                facts=conflict.facts,
            )
            for conflict in page
        ),
        next_cursor=None
        if last is None
        else write_cursor(_CONFLICT_CURSOR, last.claim.hex(), *cursor_key),
    )


async def contradicting_facts(
    workspace: WorkspaceAccess, fact_ids: Sequence[UUID]
) -> Mapping[UUID, tuple[Fact, ...]]:
    """Return the visible facts that contradict each of the given facts."""
    async with workspace.scope() as scope:
        return await facts_against(scope, fact_ids)


async def fact_changes(workspace: WorkspaceAccess, document_id: UUID) -> FactChanges:
    """How the facts of a document differ from those of the version before. Raises NotFound."""
    async with workspace.scope() as scope:
        await get_document(scope, document_id)
        version, rows = await stored.facts_of_versions(scope, document_id)
    before = [row for row in rows if row.fact.status is FactStatus.SUPERSEDED]
    if version is None or not before:
        return FactChanges(document_id=document_id, version=version)
    after = [row for row in rows if row.fact.status is not FactStatus.SUPERSEDED]
    claims = {row.claim: row for row in before}
    changed, added = [], []
    matched: set[bytes] = set()
    for row in after:
        earlier = claims.get(row.claim)
        if earlier is not None and row.claim not in matched and earlier.value != row.value:
            matched.add(row.claim)
            changed.append(ChangedFact(before=earlier.fact, after=row.fact))
        elif row.is_new:
            added.append(row.fact)
    return FactChanges(
        document_id=document_id,
        version=version,
        changed=tuple(changed),
        added=tuple(added),
        removed=tuple(row.fact for row in before if row.claim not in matched),
    )


async def extract_facts(workspace: WorkspaceAccess) -> FactProgress:
    """Enqueue fact extraction for all documents that lack it; return the progress.

    Raises Conflict where the workspace extracts none.
    """
    extraction = await extraction_of(workspace)
    if not extraction.enabled:
        raise Conflict(
            "this workspace extracts no facts",
            hint="switch it on: `footnote config set facts rules`",
        )
    async with workspace.system_scope() as scope:
        await enqueue_facts(scope)
    return await fact_progress(workspace)


async def fact_progress(workspace: WorkspaceAccess) -> FactProgress:
    """How far the facts of the documents that may be seen are extracted."""
    progress, fact_count, failures = await reading_progress(
        workspace, "facts", await extraction_of(workspace), FactFailure
    )
    return FactProgress(**progress, facts=fact_count, failures=failures)


async def fact_progress_of_rules(workspace: WorkspaceAccess) -> FactProgress:
    """Return the progress of extraction by rules, whatever is left to a model."""
    progress, fact_count, _ = await reading_progress(
        workspace, "facts", await extraction_of(workspace), FactFailure, with_model=False
    )
    return FactProgress(**progress, facts=fact_count)


@dataclass(slots=True)
class _Fused:
    """A fact with its fused score and its rank in each ranking."""

    fact_id: UUID
    score: float = 0.0
    ranks: dict[str, int] = field(default_factory=dict)


def _fused(dense: Sequence[RankedFact], lexical: Sequence[RankedFact]) -> list[_Fused]:
    """Fuse both rankings by reciprocal rank; facts that say the same count as one."""
    groups: dict[UUID, _Fused] = {}
    for name, ranking in (("dense", dense), ("lexical", lexical)):
        for rank, hit in enumerate(ranking, start=1):
            entry = groups.setdefault(hit.group_id, _Fused(hit.fact_id))
            if name not in entry.ranks:
                entry.ranks[name] = rank
                entry.score += 1 / (RRF_K + rank)
    return sorted(groups.values(), key=lambda group: (-group.score, group.fact_id))
