"""Keep the ledger of erasures, and delete records that refer to erased documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from footnote.domain.erasure import ErasureEntry, ErasureTarget
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("erasures")


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureDocuments:
    """The target of an erasure, with the documents that it had up to some time."""

    target: ErasureTarget
    name: str
    document_ids: tuple[UUID, ...]
    """Documents that belong or once belonged to the target."""
    before: datetime

    @property
    def parameters(self) -> dict[str, object]:
        """Statement parameters that identify the target."""
        return {
            "collection": self.name,
            "principal_id": self.name,
            "before": self.before,
            "document_ids": list(self.document_ids),
        }


async def is_collection(scope: WorkspaceScope, collection: str) -> bool:
    """Whether a collection exists, with documents or without."""
    row = await scope.single(_SQL["is_collection"], {"collection": collection})
    return bool(row["found"])


async def target_documents(scope: WorkspaceScope, erasure: ErasureDocuments) -> tuple[UUID, ...]:
    """List the target's documents that exist now. Takes a scope of the system."""
    names = ["there"]
    if erasure.target is not ErasureTarget.DOCUMENT:
        names.append(f"documents_of_{erasure.target}")
    rows = [row for name in names for row in await scope.all(_SQL[name], erasure.parameters)]
    return tuple(dict.fromkeys(row["document_id"] for row in rows))


async def principal_is_held(scope: WorkspaceScope, principal_id: str) -> bool:
    """Whether a principal is under legal hold as a whole."""
    row = await scope.single(_SQL["held_principal"], {"principal_id": principal_id})
    return bool(row["held"])


async def store_erasure(scope: WorkspaceScope, entry: ErasureEntry) -> None:
    """Add an erasure to the ledger; adding it again changes nothing."""
    await scope.execute(
        _SQL["keep"],
        {
            "certificate_id": entry.certificate_id,
            "target": entry.target,
            "name": entry.name,
            "document_ids": list(entry.document_ids),
            "erased_at": entry.erased_at,
            "erased_by": entry.erased_by,
        },
    )


async def list_erasures(scope: WorkspaceScope) -> tuple[ErasureEntry, ...]:
    """List the ledger, oldest first."""
    rows = await scope.all(_SQL["list"])
    return tuple(record_of(ErasureEntry, row, target=ErasureTarget(row["target"])) for row in rows)


async def delete_references(scope: WorkspaceScope, document_ids: Sequence[UUID]) -> None:
    """Delete events, pushes and legal holds of documents, before the documents themselves."""
    parameters = {"document_ids": list(document_ids)}
    for name in ("delete_events", "delete_pushes", "delete_holds"):
        await scope.execute(_SQL[name], parameters)


async def strip_events(scope: WorkspaceScope, document_ids: Sequence[UUID]) -> None:
    """Reduce the deletion events of documents to ids, after the deletion."""
    await scope.execute(_SQL["strip_events"], {"document_ids": list(document_ids)})


async def count_of_principal(scope: WorkspaceScope, erasure: ErasureDocuments) -> Mapping[str, int]:
    """Count what a principal asked, got answered, pushed and saved.

    Takes a scope of the system.
    """
    return await scope.single(_SQL["of_principal"], erasure.parameters)


async def delete_of_principal(scope: WorkspaceScope, erasure: ErasureDocuments) -> None:
    """Delete a principal's conversations, queries, pushes, views and evaluations.

    Raises UnderLegalHold.
    """
    for name in (
        *("delete_conversations", "delete_queries", "delete_pushes_of_principal"),
        *("delete_views", "delete_evaluations", "delete_started_evaluations"),
    ):
        await scope.execute(_SQL[name], erasure.parameters)


async def certified(scope: WorkspaceScope, certificate_id: UUID) -> tuple[int, str] | None:
    """Return the audit log entry of a certificate, and the hash recorded there."""
    row = await scope.one(_SQL["certified"], {"certificate_id": certificate_id})
    return None if row is None else (row["entry_no"], row["sha256"])


async def remaining_documents(
    scope: WorkspaceScope, document_ids: Sequence[UUID]
) -> tuple[UUID, ...]:
    """List the documents that still exist. Takes a scope of the system."""
    rows = await scope.all(_SQL["there"], {"document_ids": list(document_ids)})
    return tuple(row["document_id"] for row in rows)


async def count_entries_naming(scope: WorkspaceScope, document_ids: Sequence[UUID]) -> int:
    """Count the entries of the audit log that name one of the documents."""
    row = await scope.single(_SQL["entries_naming"], {"document_ids": list(document_ids)})
    return int(row["found"])
