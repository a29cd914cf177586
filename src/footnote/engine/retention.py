"""Set how long documents, conversations, queries and pushes are kept, and delete what is due."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Annotated
from uuid import UUID, uuid4

from pydantic import Field

from footnote.domain.audit import Act, AuditDraft, Outcome
from footnote.domain.retention import (
    RetentionKind,
    RetentionPreview,
    RetentionRule,
    RetentionRun,
)
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest, NotFound, UnderLegalHold
from footnote.store import publishing
from footnote.store import retention as stored
from footnote.store.blob_claims import remove_unused
from footnote.store.document_locks import wait_for_publications
from footnote.store.queue import enqueue_retention
from footnote.store.receiving import announce_change
from footnote.validation.constrained_types import Name, PageLimit

FIRST_RUN_SECONDS = 3600.0
"""Delay before a new rule first applies, in seconds: time to see the preview and to undo."""
DAY_SECONDS = 86_400.0
_BATCH_SIZE = 100
"""Batch size: documents per pair of audit log entries; conversations or pushes per transaction."""
_QUERY_BATCH_SIZE = 5000

MAX_DAYS = 36_500
Days = Annotated[int, Field(ge=1, le=MAX_DAYS)]


async def retention_rules(workspace: WorkspaceAccess) -> tuple[RetentionRule, ...]:
    """List the retention rules of the workspace."""
    async with workspace.scope() as scope:
        return await stored.retention_rules(scope)


async def set_retention(
    workspace: WorkspaceAccess,
    kind: RetentionKind,
    days: Days | None,
    *,
    collection: Name | None = None,
) -> tuple[RetentionRule, ...]:
    """Set the number of days that a kind is kept, None for ever; return all rules.

    Documents may have a rule for each collection, which takes precedence over the workspace's. A
    worker deletes what is due within an hour or two, and then daily. For administrators of the
    whole workspace. Raises InvalidRequest and Forbidden.
    """
    if collection is not None and kind is not RetentionKind.DOCUMENTS:
        raise InvalidRequest(
            f"{kind} belong to no collection", hint="leave the collection out; documents have one"
        )
    async with workspace.scope() as scope:
        await stored.set_rule(scope, kind, collection, days)
        if days is not None:
            await enqueue_retention(scope, FIRST_RUN_SECONDS)
        return await stored.retention_rules(scope)


async def remove_retention(
    workspace: WorkspaceAccess, kind: RetentionKind, *, collection: Name | None = None
) -> None:
    """Remove a rule. Raises NotFound where there is none, and Forbidden."""
    async with workspace.scope() as scope:
        if not await stored.remove_rule(scope, kind, collection):
            target = "the workspace" if collection is None else f"the collection {collection!r}"
            raise NotFound(
                f"there is no rule for {kind} of {target}",
                hint="`footnote retention list` or `GET /v1/retention` shows all",
            )


async def retention_preview(
    workspace: WorkspaceAccess,
    *,
    within_days: Annotated[int, Field(ge=0, le=MAX_DAYS)] = 0,
    limit: PageLimit = 50,
) -> RetentionPreview:
    """Report what the rules will delete within so many days, of the data that exists now.

    Raises Forbidden for all but administrators of the whole workspace.
    """
    until = datetime.now(UTC) + timedelta(days=within_days)
    async with workspace.scope() as scope:
        documents = await stored.due_documents(scope, until, limit)
        document_count, held_count = await stored.count_due_documents(scope, until)
    async with workspace.system_scope() as scope:
        counts = await stored.count_due(scope, until)
    return RetentionPreview(
        until=until,
        documents=documents,
        document_count=document_count,
        held_count=held_count,
        conversation_count=counts.conversations,
        query_count=counts.queries,
        push_count=counts.pushes,
    )


async def apply_retention(workspace: WorkspaceAccess) -> RetentionRun:
    """Delete everything that is due now, of all principals. Raises Forbidden.

    Documents are deleted in batches, each entered in the audit log before and after; one that is no
    longer due when its turn comes is kept. An interrupted run is resumed by the next.
    """
    now = datetime.now(UTC)
    documents = await _delete_documents(workspace, now)
    conversations = queries = pushes = 0
    while True:
        async with workspace.system_scope() as scope:
            deleted = await stored.delete_due_conversations(scope, now, _BATCH_SIZE)
        conversations += deleted
        if deleted < _BATCH_SIZE:
            break
    after: int | None = 0
    while after is not None:
        async with workspace.system_scope() as scope:
            deleted, after = await stored.delete_due_queries(scope, now, after, _QUERY_BATCH_SIZE)
        queries += deleted
    while True:
        async with workspace.system_scope() as scope:
            deleted = await stored.delete_due_pushes(scope, now, _BATCH_SIZE)
        pushes += deleted
        if deleted < _BATCH_SIZE:
            break
    async with workspace.system_scope() as scope:
        await stored.delete_old_events(scope)
    return RetentionRun(
        documents=documents, conversations=conversations, queries=queries, pushes=pushes
    )


async def _delete_documents(workspace: WorkspaceAccess, now: datetime) -> int:
    deleted = 0
    while True:
        async with workspace.system_scope() as scope:
            due = await stored.due_documents(scope, now, _BATCH_SIZE)
        if not due:
            return deleted
        act_id, ids = uuid4(), tuple(document.document_id for document in due)
        await _record(workspace, act_id, Outcome.BEGUN, ids)
        deleted_ids: list[UUID] = []
        for document_id in ids:
            with suppress(UnderLegalHold):
                if await _delete_if_due(workspace, document_id, now):
                    deleted_ids.append(document_id)
        deleted += len(deleted_ids)
        await _record(workspace, act_id, Outcome.DONE, tuple(deleted_ids))


async def _delete_if_due(workspace: WorkspaceAccess, document_id: UUID, now: datetime) -> bool:
    """Delete a document unless it is no longer due; return whether it was deleted.

    Since its batch was listed it may have been renewed or deleted, its rule changed, or a hold set.
    Raises UnderLegalHold for a hold that was set meanwhile.
    """
    engine = workspace.engine
    async with workspace.system_scope() as scope:
        await wait_for_publications(scope, document_id)
        # Locks the index, as a new version does first: it is seen here, or finds no document.
        await announce_change(scope)
        if not await stored.is_due(scope, document_id, now):
            return False
        blobs = await publishing.delete_document(scope, document_id, engine.maintenance_limits)
    await remove_unused(engine.database, engine.blobs, workspace.workspace_id, blobs)
    return True


async def _record(
    workspace: WorkspaceAccess,
    act_id: UUID,
    outcome: Outcome,
    documents: tuple[UUID, ...],
) -> None:
    """Append the documents of a batch to the audit log, under the principal that ran the rules."""
    draft = AuditDraft(
        act_id=act_id,
        recorded_at=datetime.now(UTC),
        principal=workspace.principal.principal_id,
        credential=workspace.credential,
        act=Act.DELETED,
        verb="apply_retention",
        outcome=outcome,
        documents=documents,
    )
    await workspace.engine.audit.append(workspace.workspace_id, draft)
