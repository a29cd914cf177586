"""Erasure: delete data for good with all that quotes it, verify it and certify it."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import fields, replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

from footnote.domain import Erasure, ErasureCheck, Right
from footnote.domain.audit import Act, AuditDraft, Outcome
from footnote.domain.erasure import (
    ErasureEntry,
    ErasureTarget,
    ErasureVerification,
    ReplayedErasure,
)
from footnote.engine.backup_notes import note_erasure
from footnote.engine.documents import refuse_under_hold
from footnote.engine.erasure_findings import (
    NOT_REACHED,
    RETAINED,
    SEALED,
    ErasureFindings,
    checks_of,
)
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest, NotFound, UnderLegalHold
from footnote.index.quoting import Quotable, all_quotable, quotable
from footnote.security.audit import Verifier, digest_of_certificate
from footnote.store import erasures as ledger
from footnote.store import publishing
from footnote.store.audit import all_entries
from footnote.store.blob_claims import remove_unused
from footnote.store.database import LIFT_A_HOLD, WorkspaceScope
from footnote.store.documents import get_document
from footnote.store.entity_erasure import remove_entity_traces
from footnote.store.erasure import Family, drop_jobs, family_of, find_all
from footnote.store.erasures import ErasureDocuments
from footnote.store.legal_holds import wait_for_holds
from footnote.store.merging import purge_dead
from footnote.store.quotes import StoredText, empty, first_under_hold, quoting, texts_of
from footnote.validation.constrained_types import Name, PrincipalId

CERTIFY = "certify_erasure"
"""The verb under which the audit log has certificates."""
_AT_ONCE = 50
"""Most documents whose texts are in memory at a time."""


# --- erase ----------------------------------------------------------------------------------------


async def erase_document(workspace: WorkspaceAccess, document_id: UUID) -> Erasure:
    """Delete a document and all that quotes it, verify that nothing is left, and certify it.

    Reads the workspace's whole lexical index twice, and all that was asked. Raises NotFound,
    UnderLegalHold, and Forbidden for all but administrators of its collection.
    """
    async with workspace.scope() as scope:
        document = await get_document(scope, document_id)
    workspace.require(Right.ADMINISTER, document.collection)
    return await _erase_and_certify(
        workspace, _doomed_now(ErasureTarget.DOCUMENT, str(document_id), document_id)
    )


async def erase_collection(workspace: WorkspaceAccess, collection: Name) -> Erasure:
    """Erase all documents of a collection, whoever sees them. Raises NotFound.

    For administrators of the whole workspace; raises UnderLegalHold, and Forbidden.
    """
    async with workspace.scope() as scope:
        if not await ledger.is_collection(scope, collection):
            raise NotFound(
                f"there is no collection {collection!r}",
                hint="`footnote collections list` or `GET /v1/collections` shows what there is",
            )
    return await _erase_and_certify(workspace, _doomed_now(ErasureTarget.COLLECTION, collection))


async def erase_principal(workspace: WorkspaceAccess, principal_id: PrincipalId) -> Erasure:
    """Erase the documents that a principal handed in, its conversations, and what it asked.

    For administrators of the whole workspace; raises UnderLegalHold, and Forbidden. Does not
    disclose whether the principal exists, only counts what it had.
    """
    return await _erase_and_certify(workspace, _doomed_now(ErasureTarget.PRINCIPAL, principal_id))


# --- list, verify and repeat ----------------------------------------------------------------------


async def erasures(workspace: WorkspaceAccess) -> tuple[ErasureEntry, ...]:
    """The ledger of erasures, oldest first: ids, and nothing of what was erased.

    For administrators of the whole workspace. Raises Forbidden.
    """
    async with workspace.scope() as scope:
        return await ledger.list_erasures(scope)


async def verify_erasure(workspace: WorkspaceAccess, erasure: Erasure) -> ErasureVerification:
    """Verify that a certificate is genuine and that its documents are still gone.

    Reads the whole audit log, whose hash chain covers the certificate. For administrators of the
    whole workspace. Raises Forbidden.
    """
    faults = []
    if erasure.workspace_id != workspace.workspace_id:
        faults.append("it is of another workspace")
    if not _is_unchanged(erasure):
        faults.append("it was changed: its hash is not that of the rest")
    if not erasure.complete:
        faults.append("it says itself that something was left")
    async with workspace.system_scope() as scope:
        certified = await ledger.certified(scope, erasure.certificate_id)
        remaining = await ledger.remaining_documents(scope, erasure.document_ids)
    if certified is None:
        faults.append("the audit log does not have it")
    elif not hmac.compare_digest(certified[1], erasure.sha256):
        faults.append(f"entry {certified[0]} of the audit log has another hash of it")
    if remaining:
        faults.append(
            f"{len(remaining)} of its documents are there again: carry it out once more with "
            "`footnote erasure replay`"
        )
    verifier = Verifier(workspace.workspace_id)
    entries = all_entries(workspace.engine.database, workspace.workspace_id, workspace.principal)
    async with aclosing(entries):
        async for entry in entries:
            verifier.look_at(entry)
    verifier.finish()
    faults += [
        f"entry {fault.entry_no} of the audit log: {fault.what}" for fault in verifier.faults
    ]
    return ErasureVerification(
        certificate_id=erasure.certificate_id,
        entry_no=None if certified is None else certified[0],
        faults=tuple(faults),
    )


async def replay_erasures(
    workspace: WorkspaceAccess, entries: Sequence[Erasure | ErasureEntry]
) -> tuple[ReplayedErasure, ...]:
    """Repeat erasures after the restore of a backup that still had what they erased.

    Deletes what a collection or a principal had before the erasure, and nothing that came later.
    Each that finds data returns a new certificate; a refused one does not stop the others. For
    administrators of the whole workspace. Raises Forbidden, and InvalidRequest for entries of
    another workspace and for certificates that were changed.
    """
    for entry in entries:
        if isinstance(entry, Erasure) and not _is_unchanged(entry):
            raise InvalidRequest(
                f"the certificate {entry.certificate_id} was changed: its hash is not that of the "
                "rest",
                hint="take the certificate as it was printed, or the ledger of erasures",
            )
    foreign = [entry for entry in entries if entry.workspace_id != workspace.workspace_id]
    if foreign:
        raise InvalidRequest(
            f"the erasure {foreign[0].certificate_id} is of another workspace",
            hint="name the workspace that it was carried out in: --workspace",
        )
    replayed = []
    for entry in entries:
        doomed = ErasureDocuments(
            target=entry.target,
            name=entry.name,
            document_ids=entry.document_ids,
            before=entry.erased_at,
        )
        erasure, refusal = None, None
        try:
            if await _has_data(workspace, doomed):
                erasure = await _erase_and_certify(workspace, doomed)
        except UnderLegalHold as error:
            refusal = error.with_hint
        async with workspace.scope() as scope:
            await ledger.store_erasure(scope, entry)
        replayed.append(
            ReplayedErasure(certificate_id=entry.certificate_id, erasure=erasure, refusal=refusal)
        )
    return tuple(replayed)


def _is_unchanged(erasure: Erasure) -> bool:
    return hmac.compare_digest(erasure.sha256, digest_of_certificate(erasure))


# --- steps ----------------------------------------------------------------------------------------


def _doomed_now(target: ErasureTarget, name: str, *document_ids: UUID) -> ErasureDocuments:
    return ErasureDocuments(
        target=target, name=name, document_ids=document_ids, before=datetime.now(UTC)
    )


async def _has_data(workspace: WorkspaceAccess, doomed: ErasureDocuments) -> bool:
    async with workspace.system_scope() as scope:
        if await ledger.target_documents(scope, doomed):
            return True
        if doomed.target is not ErasureTarget.PRINCIPAL:
            return False
        return any((await ledger.count_of_principal(scope, doomed)).values())


async def _erase_and_certify(workspace: WorkspaceAccess, doomed: ErasureDocuments) -> Erasure:
    """Count the data, erase it, count again, and certify it."""
    async with workspace.system_scope() as scope:
        target_ids = await ledger.target_documents(scope, doomed)
        for document_id in target_ids:
            await refuse_under_hold(scope, document_id)
        family = await family_of(scope, target_ids)
    quoted = await _quotable(workspace, family.document_ids)
    before = await _find_data(workspace, doomed, family, quoted)
    async with workspace.system_scope() as scope:
        await _refuse_held_writers(scope, doomed, before.written)
    entry = ErasureEntry(
        certificate_id=uuid4(),
        workspace_id=workspace.workspace_id,
        target=doomed.target,
        name=doomed.name,
        document_ids=family.document_ids,
        erased_at=doomed.before,
        erased_by=workspace.principal.principal_id,
    )
    # Recorded first, so that an interrupted erasure can be repeated.
    async with workspace.scope() as scope:
        await ledger.store_erasure(scope, entry)
    backups = await note_erasure(workspace.engine.settings, entry)
    async with workspace.system_scope() as scope:
        # A hold may have been set since.
        await wait_for_holds(scope)
        await _refuse_held_writers(scope, doomed, before.written)
        await empty(scope, before.written)
    await _delete(workspace, doomed, target_ids)
    cached = workspace.engine.forget_cached(workspace.workspace_id)
    after = await _find_data(workspace, doomed, family, quoted)
    async with workspace.system_scope() as scope:
        audit_entries = await ledger.count_entries_naming(scope, family.document_ids)
    erasure = Erasure(
        **{field.name: getattr(entry, field.name) for field in fields(entry)},
        workspace=workspace.workspace.name,
        credential=workspace.credential,
        checks=(
            *checks_of(before, after, family),
            ErasureCheck(place="caches of this process", held=cached, left=0),
            ErasureCheck(
                place="audit log",
                held=audit_entries,
                left=audit_entries,
                kept=RETAINED["audit log"],
            ),
        ),
        not_reached=(
            *NOT_REACHED,
            *((SEALED,) if scope.sealing.encrypts else ()),
            *((backups,) if backups else ()),
        ),
        sha256="",
    )
    erasure = replace(erasure, sha256=digest_of_certificate(erasure))
    await _certify(workspace, erasure)
    return erasure


async def _quotable(workspace: WorkspaceAccess, document_ids: Sequence[UUID]) -> Quotable:
    quotables = []
    for start in range(0, len(document_ids), _AT_ONCE):
        async with workspace.system_scope() as scope:
            texts = await texts_of(scope, document_ids[start : start + _AT_ONCE])
        quotables += [
            await asyncio.to_thread(quotable, document.text, document.names, document.language)
            for document in texts
        ]
    return all_quotable(quotables)


async def _find_data(
    workspace: WorkspaceAccess, doomed: ErasureDocuments, family: Family, quoted: Quotable
) -> ErasureFindings:
    async with workspace.system_scope() as scope:
        return ErasureFindings(
            findings=await find_all(scope, workspace.engine.blobs, family),
            written=await quoting(scope, quoted, family.chunks),
            of_principal=await ledger.count_of_principal(scope, doomed)
            if doomed.target is ErasureTarget.PRINCIPAL
            else {},
        )


async def _refuse_held_writers(
    scope: WorkspaceScope, doomed: ErasureDocuments, written: Sequence[StoredText]
) -> None:
    """Raise UnderLegalHold where texts of a principal under legal hold would be erased."""
    if doomed.target is ErasureTarget.PRINCIPAL and await ledger.principal_is_held(
        scope, doomed.name
    ):
        raise UnderLegalHold(
            f"{doomed.name} is not erased: all of that principal is under legal hold",
            hint=LIFT_A_HOLD,
        )
    if await first_under_hold(scope, (text.principal for text in written)):
        raise UnderLegalHold(
            f"{doomed.name} is not erased: what somebody asked quotes it, and is under legal hold",
            hint=LIFT_A_HOLD,
        )


async def _delete(
    workspace: WorkspaceAccess, doomed: ErasureDocuments, document_ids: Sequence[UUID]
) -> None:
    engine = workspace.engine
    for document_id in document_ids:
        try:
            async with workspace.system_scope() as scope:
                family = await family_of(scope, [document_id])
                await ledger.delete_references(scope, family.document_ids)
                blobs = await publishing.delete_document(
                    scope, document_id, engine.maintenance_limits
                )
                await ledger.strip_events(scope, family.document_ids)
                await drop_jobs(scope, family)
        except NotFound:
            continue  # Deleted with its parent, or by a concurrent request.
        await remove_unused(engine.database, engine.blobs, workspace.workspace_id, blobs)
    async with workspace.system_scope() as scope:
        await remove_entity_traces(scope)
        if doomed.target is ErasureTarget.PRINCIPAL:
            await ledger.delete_of_principal(scope, doomed)
    await purge_dead(engine.database, workspace.workspace_id)


async def _certify(workspace: WorkspaceAccess, erasure: Erasure) -> None:
    draft = AuditDraft(
        act_id=uuid4(),
        recorded_at=datetime.now(UTC),
        principal=workspace.principal.principal_id,
        credential=workspace.credential,
        act=Act.DELETED,
        verb=CERTIFY,
        outcome=Outcome.DONE,
        subject={
            "certificate_id": str(erasure.certificate_id),
            "certificate_sha256": erasure.sha256,
        },
        documents=erasure.document_ids,
    )
    await workspace.engine.audit.append(workspace.workspace_id, draft)
