"""Legal holds: set, list and lift them; database triggers refuse to delete what is on hold."""

from __future__ import annotations

from uuid import UUID, uuid4

from psycopg.rows import DictRow

from footnote.domain.retention import LegalHold
from footnote.errors import NotFound
from footnote.store.database import WorkspaceScope, execute_as_system
from footnote.store.documents import get_document
from footnote.store.sealing import HOLD_LIFTED, HOLD_REASON
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("legal_holds")


async def list_holds(scope: WorkspaceScope, *, lifted: bool) -> tuple[LegalHold, ...]:
    """The holds in force, oldest first, and with `lifted` those that were lifted."""
    rows = await scope.all(_SQL["list"], {"lifted": lifted})
    return tuple(_hold_of(scope, row) for row in rows)


async def set_hold(
    scope: WorkspaceScope,
    reason: str,
    *,
    document_id: UUID | None,
    collection: str | None,
    principal_id: str | None,
) -> LegalHold:
    """Place a document, a collection or a principal's data under legal hold.

    Deletions that commit after this transaction are refused. Raises NotFound for a document that
    does not exist or was just deleted.
    """
    if document_id is not None:
        await get_document(scope, document_id)
    hold_id = uuid4()
    row = await scope.single(
        _SQL["set"],
        {
            "hold_id": hold_id,
            "document_id": document_id,
            "collection": collection,
            "custodian": principal_id,
            "reason": scope.sealing.text(HOLD_REASON.of(hold_id), reason),
        },
    )
    if document_id is not None:
        # The insert waited for deletions in progress, so check that the document still exists.
        await get_document(scope, document_id)
    return _hold_of(scope, row)


async def lift_hold(scope: WorkspaceScope, hold_id: UUID, reason: str) -> LegalHold:
    """Lift a legal hold, so that deletion is allowed again. Raises NotFound if none is in force."""
    sealed = scope.sealing.text(HOLD_LIFTED.of(hold_id), reason)
    row = await scope.one(_SQL["lift"], {"hold_id": hold_id, "reason": sealed})
    if row is None:
        raise NotFound(
            f"there is no legal hold {hold_id} in force",
            hint="`footnote hold list` or `GET /v1/legal-holds` shows those that are",
        )
    return _hold_of(scope, row)


async def document_is_held(scope: WorkspaceScope, document_id: UUID) -> bool:
    """Return whether a legal hold protects the document from deletion."""
    cursor = await execute_as_system(scope, _SQL["document_is_held"], {"document_id": document_id})
    row = await cursor.fetchone()
    return row is not None and bool(row["held"])


async def wait_for_holds(scope: WorkspaceScope) -> None:
    """Wait for holds that are being set; later ones wait until this transaction ends."""
    await scope.execute(_SQL["wait_for_holds"])


async def conversations_are_held(scope: WorkspaceScope) -> bool:
    """Return whether a legal hold protects the acting principal's conversations."""
    return bool((await scope.single(_SQL["conversations_are_held"]))["held"])


def _hold_of(scope: WorkspaceScope, row: DictRow) -> LegalHold:
    plain, hold_id = scope.sealing.plain_text, row["hold_id"]
    lift_reason = row["lift_reason"]
    return record_of(
        LegalHold,
        row,
        reason=plain(HOLD_REASON.of(hold_id), row["reason"]),
        lift_reason=None if lift_reason is None else plain(HOLD_LIFTED.of(hold_id), lift_reason),
    )
