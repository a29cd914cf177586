"""Turn stored files into documents with an ingestion job, and retry failed documents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from footnote.domain import (
    Document,
    DocumentStatus,
    Failure,
    MetadataValue,
    Received,
    SourceType,
    Visibility,
)
from footnote.domain.access import access_names
from footnote.domain.identity import ADMINISTRATORS, SYSTEM_NAME
from footnote.errors import Conflict, NotFound, QueueFull
from footnote.store.blob_claims import BlobClaim, redeem, release_unreferenced
from footnote.store.coordinator import announce_events
from footnote.store.database import WorkspaceScope
from footnote.store.documents import document_of, failure_json, get_document, no_such_document
from footnote.store.pushes import move_push, require_newest
from footnote.store.queue import INGEST_QUEUE, enqueue_ingestion
from footnote.store.sealing import METADATA_VALUES, TITLE
from footnote.store.statements import load_statements

_SQL = load_statements("receiving")

_WIDEST_FIRST = (Visibility.WORKSPACE, Visibility.COLLECTION, Visibility.PRIVATE)
_SEEN_BY = {
    Visibility.WORKSPACE: "the whole workspace",
    Visibility.COLLECTION: "its collection",
    Visibility.PRIVATE: "those on its list",
}
_SHARE = 0.01
"""Share of the queue that should be free by the time the caller retries."""
_LONGEST_WAIT_SECONDS = 60


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
    former_external_id: str | None = None
    """Earlier external id of these bytes, which no longer exists at the source."""
    parent_id: UUID | None = None
    source_type: SourceType = SourceType.UPLOAD
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    """If empty, a known document keeps its tags."""
    visibility: Visibility | None = None
    """By default private if there is an access list, else that of the workspace."""
    access: tuple[str, ...] | None = None
    failure: Failure | None = None
    """Why ingestion cannot even start; the document is then stored as failed."""
    claim: BlobClaim | None = None
    """Claim on its blob, taken before the blob was written."""
    announced_as: UUID | None = None
    """Id of the push for which it was fetched."""


class DeletedMeanwhile(NotFound):
    """The document of a file was deleted while it was received; a second try makes a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLimits:
    """Most documents that may be waiting or in progress."""

    workspace: int
    overall: int


async def require_room(scope: WorkspaceScope, limits: QueueLimits) -> None:
    """Raise QueueFull while a limit is reached; uploads in progress are not counted.

    Takes a system scope: a principal would count only the documents it may see.
    """
    queue = {"queue": INGEST_QUEUE}
    workspace = await scope.single(_SQL["waiting_here"], {"limit": limits.workspace})
    if workspace["waiting"] >= limits.workspace:
        reason = f"{limits.workspace:,} documents of this workspace wait to be indexed"
    else:
        overall = await scope.single(_SQL["waiting_anywhere"], queue | {"limit": limits.overall})
        if overall["waiting"] < limits.overall:
            return
        reason = "too many documents wait to be indexed"
    row = await scope.one(_SQL["wait_of_the_next"], queue)
    raise QueueFull(
        reason,
        hint="wait and hand it in again; look whether a worker runs: footnote worker",
        retry_after_seconds=estimate_retry_seconds(0.0 if row is None else row["seconds"]),
    )


def estimate_retry_seconds(waited_seconds: float) -> int:
    """Estimate the seconds until the queue has room, from 1 to 60.

    `waited_seconds` is how long the next document has waited. By Little's law (Operations Research
    1961) the whole queue passes in that time, and a share of it in that share of the time.
    """
    return min(max(math.ceil(waited_seconds * _SHARE), 1), _LONGEST_WAIT_SECONDS)


async def receive_document(scope: WorkspaceScope, incoming: Incoming) -> Received:
    """Store a document's row and its job; the file is accepted once this commits.

    A document is identified by its external id, without one by its bytes, or by its name if it is
    empty. Equal bytes return the existing document, or retry its failed ingestion. Other bytes
    under a known external id add a version. Tags replace the earlier ones, metadata values those of
    the same keys. Raises Conflict for a push when a newer one of the document was received, and for
    a new version that fewer should see than see the document, and DeletedMeanwhile.
    """
    parameters = _parameters(scope, incoming)
    await scope.execute(_SQL["one_receipt_at_a_time"], parameters)
    if incoming.claim is not None:
        await redeem(scope, incoming.claim)
    row = await _existing_document(scope, incoming, parameters)
    if row is None:
        parameters |= _metadata(scope, incoming, parameters["document_id"])
        await scope.execute(_SQL["ensure_collection"], parameters)
        document = document_of(scope, await scope.single(_SQL["insert"], parameters))
        await scope.execute(_SQL["insert_version"], parameters)
        await _announce(scope, document)
        received = Received(document=document, duplicate=False, new_version=False)
    else:
        try:
            received = await _receive_again(scope, incoming, row, parameters)
        except NotFound as error:
            raise DeletedMeanwhile(str(error), hint=error.hint) from error
    if incoming.claim is not None:
        await release_unreferenced(scope, incoming.claim)
    if incoming.announced_as is not None:
        document_id = received.document.document_id
        await move_push(scope, incoming.announced_as, "received", document_id=document_id)
    return received


async def _existing_document(
    scope: WorkspaceScope, incoming: Incoming, parameters: Mapping[str, object]
) -> DictRow | None:
    """Return the existing document, also by its former external id; None if there is none.

    One found by the former id is not returned if its visibility differs from a requested one.
    """
    row = await scope.one(_SQL["known"], parameters)
    if row is None or row["external_id"] == incoming.external_id:
        return row
    requested = (parameters["visibility"], parameters["access"])
    explicit = incoming.visibility is not None or incoming.access is not None
    return None if explicit and (row["visibility"], row["access"]) != requested else row


async def _receive_again(
    scope: WorkspaceScope, incoming: Incoming, row: DictRow, parameters: dict[str, object]
) -> Received:
    """Update an existing document by an incoming file."""
    if incoming.announced_as is not None:
        await require_newest(scope, incoming.announced_as, row["document_id"])
    other_bytes = row["content_sha256"] != parameters["content_sha256"]
    if other_bytes:
        _refuse_for_fewer(scope, incoming, row)
    if incoming.tags and list(incoming.tags) != row["tags"]:
        row = await _tag(scope, row["document_id"], incoming.tags)
    if other_bytes:
        parameters |= _metadata(scope, incoming, row["document_id"])
        return await _add_version(scope, row, parameters)
    if row["status"] == DocumentStatus.FAILED and incoming.failure is None:
        return await _retry(scope, row, parameters)
    document = document_of(scope, row)
    changed = {
        name: value
        for name, value in incoming.metadata.items()
        if document.metadata.get(name) != value
    }
    if changed:
        document = await change_document(scope, document, tags=None, metadata=changed)
    return Received(document=document, duplicate=True, new_version=False)


def _refuse_for_fewer(scope: WorkspaceScope, incoming: Incoming, row: DictRow) -> None:
    """Raise Conflict if a new version should be seen by fewer than see the document.

    A version is seen by whoever sees the document, whose visibility it does not change.
    """
    if incoming.visibility is None and incoming.access is None:
        return
    stored, requested = Visibility(row["visibility"]), incoming.visibility or Visibility.PRIVATE
    fewer = _WIDEST_FIRST.index(requested) > _WIDEST_FIRST.index(stored)
    if requested is stored and incoming.access is not None:
        # Whoever handed the document in sees every version, whatever a list says.
        always_allowed = {
            row["created_by"],
            SYSTEM_NAME,
            f"collection:{row['collection']}",
            ADMINISTRATORS,
        }
        readers = {*(row["access"] or ())} - always_allowed
        fewer = not readers <= {*incoming.access, scope.principal.principal_id}
    if fewer:
        raise Conflict(
            f"the document {row['external_id']!r} is seen by {_SEEN_BY[stored]}, and its new "
            "version was to be seen by fewer",
            hint="change who may see the document first, or hand it in without visibility and list",
        )


async def requeue_failed(
    scope: WorkspaceScope, document: Document, media_type: str | None = None
) -> Document:
    """Retry the ingestion of the failed version, with a new count of attempts.

    Returns the document as it is if it is no longer failed.
    """
    await announce_change(scope)
    row = await scope.one(
        _SQL["requeue_failed"],
        {
            "document_id": document.document_id,
            "version": document.version,
            "media_type": media_type,
        },
    )
    if row is None:
        return await get_document(scope, document.document_id)
    await announce_events(scope, document.document_id)
    await enqueue_ingestion(scope, document.document_id, document.version)
    return document_of(scope, row)


async def change_document(
    scope: WorkspaceScope,
    document: Document,
    *,
    tags: tuple[str, ...] | None,
    metadata: Mapping[str, MetadataValue | None] | None,
) -> Document:
    """Replace a document's tags, also on its attachments, and change its metadata.

    None leaves either as it is. A metadata value replaces the one of the same key; the value None
    removes the key.
    """
    if tags is not None and tags != document.tags:
        await _tag(scope, document.document_id, tags)
    if metadata:
        await announce_change(scope)
        place = METADATA_VALUES.of(document.document_id)
        values = {name: value for name, value in metadata.items() if value is not None}
        await scope.execute(
            _SQL["change_metadata"],
            {
                "document_id": document.document_id,
                "metadata": Jsonb(scope.sealing.metadata(place, values)),
                "removed": [name for name, value in metadata.items() if value is None],
            },
        )
    return await get_document(scope, document.document_id)


async def announce_change(scope: WorkspaceScope) -> None:
    """Advance the index generation before a change of what filters see of a document.

    Call it before the change: publications and deletions lock in this order, too.
    """
    await scope.execute(_SQL["announce"])


def _parameters(scope: WorkspaceScope, incoming: Incoming) -> dict[str, object]:
    visibility = incoming.visibility or (
        Visibility.WORKSPACE if incoming.access is None else Visibility.PRIVATE
    )
    # The uploader always keeps access.
    access = access_names(
        visibility, incoming.collection, scope.principal.principal_id, incoming.access or ()
    )
    return {
        "document_id": (document_id := uuid4()),
        "version": 1,
        "collection": incoming.collection,
        "external_id": incoming.external_id,
        "former_external_id": incoming.former_external_id,
        "parent_id": incoming.parent_id,
        "filename": incoming.filename,
        "title": scope.sealing.text(TITLE.of(document_id), incoming.filename),
        "media_type": incoming.media_type,
        "source_type": incoming.source_type,
        "byte_size": incoming.byte_size,
        "content_sha256": bytes.fromhex(incoming.content_sha256),
        "blob_key": incoming.blob_key,
        "tags": list(incoming.tags),
        "visibility": visibility,
        "access": None if access is None else list(access),
        "created_by": scope.principal.principal_id,
        "status": DocumentStatus.QUEUED if incoming.failure is None else DocumentStatus.FAILED,
        "failure": None if incoming.failure is None else failure_json(incoming.failure),
    }


def _metadata(scope: WorkspaceScope, incoming: Incoming, document_id: object) -> dict[str, object]:
    place = METADATA_VALUES.of(document_id)
    return {"metadata": Jsonb(scope.sealing.metadata(place, incoming.metadata))}


async def _tag(scope: WorkspaceScope, document_id: UUID, tags: tuple[str, ...]) -> DictRow:
    """Tag a document and its attachments; return its row."""
    await announce_change(scope)
    rows = await scope.all(_SQL["tag"], {"document_id": document_id, "tags": list(tags)})
    for row in rows:
        if row["document_id"] == document_id:
            return row
    raise no_such_document(document_id)


async def _add_version(
    scope: WorkspaceScope, existing: DictRow, parameters: dict[str, object]
) -> Received:
    parameters = parameters | {
        "document_id": existing["document_id"],
        "version": existing["version"] + 1,
    }
    await announce_change(scope)
    row = await scope.one(_SQL["new_version"], parameters)
    if row is None:
        raise no_such_document(existing["document_id"])
    await scope.execute(_SQL["insert_version"], parameters)
    document = document_of(scope, row)
    await _announce(scope, document)
    return Received(document=document, duplicate=False, new_version=True)


async def _retry(
    scope: WorkspaceScope, existing: DictRow, parameters: dict[str, object]
) -> Received:
    """Requeue the failed version with its bytes, which may have been refused before."""
    parameters = parameters | {
        "document_id": existing["document_id"],
        "version": existing["version"],
    }
    # First, as a publication writes the version's row before it locks the index.
    await scope.execute(_SQL["restore_bytes"], parameters)
    await announce_change(scope)
    row = await scope.one(_SQL["requeue"], parameters)
    if row is None:
        raise no_such_document(existing["document_id"])
    document = document_of(scope, row)
    await announce_events(scope, document.document_id)
    await enqueue_ingestion(scope, document.document_id, document.version)
    return Received(document=document, duplicate=False, new_version=False)


async def _announce(scope: WorkspaceScope, document: Document) -> None:
    """Emit the event of a new document or version, and enqueue its ingestion unless it failed."""
    await announce_events(scope, document.document_id)
    if document.status is DocumentStatus.QUEUED:
        # Somebody waits for a generated document to become searchable.
        first = document.source_type is SourceType.GENERATED
        await enqueue_ingestion(scope, document.document_id, document.version, first=first)
