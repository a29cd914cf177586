"""Documents and their versions: received, listed, moved through stages, deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from footnote.domain import (
    Document,
    DocumentPage,
    DocumentStatus,
    Failure,
    MetadataValue,
    Received,
    SourceType,
    Stage,
)
from footnote.errors import NotFound
from footnote.store.claims import Claim, give_up_unnamed, redeem
from footnote.store.database import WorkspaceScope
from footnote.store.document_rows import document_of, failure_json, read_cursor, write_cursor
from footnote.store.queue import enqueue_ingestion
from footnote.store.statements import load_statements

_SQL = load_statements("documents")
_PART_BYTES = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A file whose bytes are stored and which is about to become a document."""

    filename: str
    media_type: str
    byte_size: int
    content_sha256: str
    blob_key: str
    collection: str
    external_id: str | None = None
    parent_id: UUID | None = None
    source_type: SourceType = SourceType.UPLOAD
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    """Without any, a document that is known keeps its own."""
    access: tuple[str, ...] | None = None
    failure: Failure | None = None
    """Why it cannot even be tried; it is then kept as a failed document."""
    claim: Claim | None = None
    """On its blob, since before that was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVersion:
    """The bytes of one version of a document."""

    document_id: UUID
    version: int
    filename: str
    media_type: str
    byte_size: int
    blob_key: str
    access: tuple[str, ...] | None


async def receive_document(scope: WorkspaceScope, incoming: Incoming) -> Received:
    """Write the document's row and its job; the file counts as accepted once this commits.

    The same bytes give the existing document, or its failed ingestion another try. Other
    bytes under a known external id give a new version. Tags take the place of earlier ones.
    """
    parameters = _incoming_parameters(scope, incoming)
    await scope.connection.execute(_SQL["one_receipt_at_a_time"], parameters)
    if incoming.claim is not None:
        await redeem(scope, incoming.claim)
    row = await (await scope.connection.execute(_SQL["known"], parameters)).fetchone()
    if row is None:
        received = await _insert(scope, parameters)
    else:
        if incoming.tags and list(incoming.tags) != row["tags"]:
            row = await _tag(scope, row, incoming.tags)
        if row["content_sha256"] != parameters["content_sha256"]:
            received = await _add_version(scope, row, parameters)
        elif row["status"] == DocumentStatus.FAILED and incoming.failure is None:
            received = await _try_again(scope, row, parameters)
        else:
            received = Received(document=document_of(row), duplicate=True, new_version=False)
    if incoming.claim is not None:
        await give_up_unnamed(scope, incoming.claim)
    return received


async def get_document(scope: WorkspaceScope, document_id: UUID) -> Document:
    """The document. Raises NotFound for an absent, foreign or hidden one alike."""
    row = await (
        await scope.connection.execute(
            _SQL["get"], {"workspace_id": scope.workspace_id, "document_id": document_id}
        )
    ).fetchone()
    if row is None:
        raise NotFound(f"there is no document {document_id}")
    return document_of(row)


async def documents_called(
    scope: WorkspaceScope, called: str, ids: tuple[UUID, UUID] | None, *, limit: int
) -> tuple[Document, ...]:
    """Documents with that file name or with an id in the range, newest first."""
    first_id, last_id = ids or (None, None)
    rows = await (
        await scope.connection.execute(
            _SQL["called"],
            {
                "workspace_id": scope.workspace_id,
                "called": called,
                "first_id": first_id,
                "last_id": last_id,
                "limit": limit,
            },
        )
    ).fetchall()
    return tuple(document_of(row) for row in rows)


async def names_of_collections(scope: WorkspaceScope) -> tuple[str, ...]:
    """The collections that have documents, by name."""
    found = await scope.connection.execute(
        _SQL["names_of_collections"], {"workspace_id": scope.workspace_id}
    )
    return tuple(row["name"] for row in await found.fetchall())


async def documents_and_attachments(
    scope: WorkspaceScope, document_ids: Sequence[UUID]
) -> tuple[Document, ...]:
    """Those of the documents that exist, and everything attached below them."""
    rows = await (
        await scope.connection.execute(
            _SQL["with_attachments"],
            {"workspace_id": scope.workspace_id, "document_ids": list(document_ids)},
        )
    ).fetchall()
    return tuple(document_of(row) for row in rows)


async def list_documents(
    scope: WorkspaceScope,
    *,
    collection: str | None,
    status: DocumentStatus | None,
    limit: int,
    cursor: str | None,
) -> DocumentPage:
    """A page of documents, newest first. Raises InvalidRequest for a cursor we did not give."""
    before, before_id = read_cursor(cursor)
    rows = await (
        await scope.connection.execute(
            _SQL["list"],
            {
                "workspace_id": scope.workspace_id,
                "collection": collection,
                "status": status,
                "before": before,
                "before_id": before_id,
                "limit": limit + 1,
            },
        )
    ).fetchall()
    documents = tuple(document_of(row) for row in rows[:limit])
    more = len(rows) > limit
    return DocumentPage(
        documents=documents, next_cursor=write_cursor(documents[-1]) if more else None
    )


async def stored_version(
    scope: WorkspaceScope, document_id: UUID, version: int
) -> StoredVersion | None:
    """A version that waits to be published; None when it is replaced, deleted or published."""
    row = await (
        await scope.connection.execute(
            _SQL["stored_version"],
            {
                "workspace_id": scope.workspace_id,
                "document_id": document_id,
                "version": version,
            },
        )
    ).fetchone()
    if row is None:
        return None
    return StoredVersion(
        document_id=document_id,
        version=version,
        filename=row["filename"],
        media_type=row["media_type"],
        byte_size=row["byte_size"],
        blob_key=row["blob_key"],
        access=None if row["access"] is None else tuple(row["access"]),
    )


async def begin_stage(scope: WorkspaceScope, stored: StoredVersion, stage: Stage) -> bool:
    """Note that a stage begins; False when the version was replaced or deleted meanwhile."""
    cursor = await scope.connection.execute(
        _SQL["begin_stage"], _version_parameters(scope, stored) | {"stage": stage}
    )
    return cursor.rowcount == 1


async def note_progress(
    scope: WorkspaceScope, stored: StoredVersion, stage: Stage, done: int, total: int
) -> bool:
    """Note how far a stage has come; False when the version was replaced or deleted meanwhile."""
    cursor = await scope.connection.execute(
        _SQL["note_progress"],
        _version_parameters(scope, stored) | {"stage": stage, "done": done, "total": total},
    )
    return cursor.rowcount == 1


async def mark_failed(
    scope: WorkspaceScope, document_id: UUID, version: int, failure: Failure
) -> None:
    """Let the version rest as failed; an earlier published version stays searchable."""
    parameters = {
        "workspace_id": scope.workspace_id,
        "document_id": document_id,
        "version": version,
        "stage": failure.stage,
        "failure": failure_json(failure),
    }
    await _announce(scope)
    await scope.connection.execute(_SQL["mark_failed"], parameters)
    await scope.connection.execute(_SQL["drop_stage_results"], parameters)


async def save_stage_result(
    scope: WorkspaceScope, stored: StoredVersion, stage: Stage, payload: bytes
) -> None:
    """Keep what a stage made, for the next stage or the next try.

    Much of it goes in parts: the driver holds each twice, and never gives back what it took.
    """
    for start in range(0, max(len(payload), 1), _PART_BYTES):
        part = payload[start : start + _PART_BYTES]
        await scope.connection.execute(
            _SQL["append_stage_result" if start else "save_stage_result"],
            _version_parameters(scope, stored) | {"stage": stage, "payload": part},
        )


async def load_stage_result(
    scope: WorkspaceScope, stored: StoredVersion, stage: Stage
) -> bytes | None:
    """What a stage made on an earlier try, or None."""
    payload = bytearray()
    while True:
        wanted = {"stage": stage, "start": len(payload) + 1, "length": _PART_BYTES}
        row = await (
            await scope.connection.execute(
                _SQL["load_stage_result"], _version_parameters(scope, stored) | wanted, binary=True
            )
        ).fetchone()
        if row is None:
            return None
        payload += row["part"]
        if len(row["part"]) < _PART_BYTES:
            return bytes(payload)


async def depth_of(scope: WorkspaceScope, document_id: UUID) -> int:
    """How many parents stand above the document; 0 also for one that is gone."""
    cursor = await scope.connection.execute(
        _SQL["depth"], {"workspace_id": scope.workspace_id, "document_id": document_id}
    )
    row = await cursor.fetchone()
    depth: int = (row and row["depth"]) or 0
    return depth


async def attachments_from(
    scope: WorkspaceScope, parent_id: UUID, first_external_id: str
) -> tuple[UUID, ...]:
    """The attachments whose external ids are `first_external_id` or later."""
    rows = await (
        await scope.connection.execute(
            _SQL["attachments_from"],
            {
                "workspace_id": scope.workspace_id,
                "parent_id": parent_id,
                "first": first_external_id,
            },
        )
    ).fetchall()
    return tuple(row["document_id"] for row in rows)


def _version_parameters(scope: WorkspaceScope, stored: StoredVersion) -> dict[str, object]:
    return {
        "workspace_id": scope.workspace_id,
        "document_id": stored.document_id,
        "version": stored.version,
    }


def _incoming_parameters(scope: WorkspaceScope, incoming: Incoming) -> dict[str, object]:
    return {
        "workspace_id": scope.workspace_id,
        "document_id": uuid4(),
        "version": 1,
        "collection": incoming.collection,
        "external_id": incoming.external_id,
        "parent_id": incoming.parent_id,
        "filename": incoming.filename,
        "media_type": incoming.media_type,
        "source_type": incoming.source_type,
        "byte_size": incoming.byte_size,
        "content_sha256": bytes.fromhex(incoming.content_sha256),
        "blob_key": incoming.blob_key,
        "metadata": Jsonb(dict(incoming.metadata)),
        "tags": list(incoming.tags),
        "access": _access_list(scope, incoming.access),
        "created_by": scope.principal.principal_id,
        "status": DocumentStatus.QUEUED if incoming.failure is None else DocumentStatus.FAILED,
        "failure": None if incoming.failure is None else failure_json(incoming.failure),
    }


def _access_list(scope: WorkspaceScope, access: tuple[str, ...] | None) -> list[str] | None:
    """Whoever hands a document in keeps seeing it."""
    if access is None:
        return None
    return list(dict.fromkeys((*access, scope.principal.principal_id)))


async def _insert(scope: WorkspaceScope, parameters: dict[str, object]) -> Received:
    await scope.connection.execute(_SQL["ensure_collection"], parameters)
    row = await (await scope.connection.execute(_SQL["insert"], parameters)).fetchone()
    assert row is not None, "an insert returns its row"
    document = document_of(row)
    await scope.connection.execute(_SQL["insert_version"], parameters)
    await _enqueue_unless_failed(scope, document)
    return Received(document=document, duplicate=False, new_version=False)


async def _tag(scope: WorkspaceScope, known: DictRow, tags: tuple[str, ...]) -> DictRow:
    parameters = {
        "workspace_id": scope.workspace_id,
        "document_id": known["document_id"],
        "tags": list(tags),
    }
    await _announce(scope)
    rows = await (await scope.connection.execute(_SQL["tag"], parameters)).fetchall()
    for row in rows:
        if row["document_id"] == known["document_id"]:
            return row
    raise NotFound(f"there is no document {known['document_id']}")


async def _announce(scope: WorkspaceScope) -> None:
    """Tell readers that a document is about to change in what filters see of it.

    Comes before the change: publications and deletions lock in this order too.
    """
    await scope.connection.execute(_SQL["announce"], {"workspace_id": scope.workspace_id})


async def _add_version(
    scope: WorkspaceScope, known: DictRow, parameters: dict[str, object]
) -> Received:
    parameters = parameters | {
        "document_id": known["document_id"],
        "version": known["version"] + 1,
    }
    await _announce(scope)
    row = await (await scope.connection.execute(_SQL["new_version"], parameters)).fetchone()
    if row is None:
        raise NotFound(f"there is no document {known['document_id']}")
    await scope.connection.execute(_SQL["insert_version"], parameters)
    document = document_of(row)
    await _enqueue_unless_failed(scope, document)
    return Received(document=document, duplicate=False, new_version=True)


async def _try_again(
    scope: WorkspaceScope, known: DictRow, parameters: dict[str, object]
) -> Received:
    """Queue the failed version once more, with the bytes that may have been refused before."""
    parameters = parameters | {"document_id": known["document_id"], "version": known["version"]}
    await _announce(scope)
    row = await (await scope.connection.execute(_SQL["requeue"], parameters)).fetchone()
    if row is None:
        raise NotFound(f"there is no document {known['document_id']}")
    await scope.connection.execute(_SQL["restore_bytes"], parameters)
    document = document_of(row)
    await enqueue_ingestion(scope, document.document_id, document.version)
    return Received(document=document, duplicate=False, new_version=False)


async def _enqueue_unless_failed(scope: WorkspaceScope, document: Document) -> None:
    if document.status is DocumentStatus.QUEUED:
        # Whoever had it written waits to find it.
        first = document.source_type is SourceType.GENERATED
        await enqueue_ingestion(scope, document.document_id, document.version, first=first)
