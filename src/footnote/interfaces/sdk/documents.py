"""Files handed in to a remote server, and the documents that become of them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO
from uuid import UUID, uuid4

from footnote.domain import (
    Document,
    DocumentStatus,
    Erasure,
    Received,
    Retried,
    Visibility,
)
from footnote.errors import FootnoteError, InvalidRequest, NotFound, NotReady
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk.listing import documents
from footnote.interfaces.sdk.transport import Content, Repeat
from footnote.interfaces.sdk.verbs import Remote, verb
from footnote.validation.constrained_types import (
    Access,
    ExternalId,
    FileContent,
    FileName,
    IdempotencyKey,
    Metadata,
    Name,
    Tags,
    TimeoutSeconds,
)

_PAGE = 500
_AT_ONCE = 8
"""Requests of one call that are on their way together."""
_LOOK_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.6)
"""Pauses between looks at documents that do not rest yet; the last one is repeated."""


async def receive(
    client: Remote,
    content: FileContent,
    filename: FileName,
    *,
    collection: Name | None = None,
    external_id: ExternalId | None = None,
    metadata: Metadata | None = None,
    tags: Tags = (),
    visibility: Visibility | None = None,
    shared_with: Access | None = None,
    idempotency_key: IdempotencyKey | None = None,
) -> Received:
    """Hand a file in: once this returns, it cannot be lost.

    Without a key it is given one of its own, so that it can be repeated.
    """
    return await _upload(
        client,
        bytes(content),
        filename,
        collection=collection,
        external_id=external_id,
        metadata=metadata,
        tags=tags,
        visibility=visibility,
        shared_with=shared_with,
        idempotency_key=idempotency_key,
    )


async def _upload(
    client: Remote,
    content: bytes | BinaryIO,
    filename: str,
    *,
    collection: str | None,
    external_id: str | None,
    tags: Sequence[str],
    visibility: Visibility | None = None,
    shared_with: Sequence[str] | None = None,
    metadata: Metadata | None = None,
    idempotency_key: str | None = None,
) -> Received:
    fields: dict[str, str | Sequence[str] | None] = {
        "collection": collection,
        "external_id": external_id,
        "metadata": None if metadata is None else json.dumps(dict(metadata)),
        "tags": list(tags) or None,
        "visibility": visibility,
        "shared_with": shared_with,
    }
    upload = Content(
        headers={"Idempotency-Key": idempotency_key or str(uuid4())},
        fields={name: value for name, value in fields.items() if value is not None},
        files={"file": (filename, content)},
    )
    response = await client.transport.json("POST", "/v1/documents", upload, Repeat.LOST)
    return decoded(Received, response)


async def receive_file(
    client: Remote,
    path: Path,
    *,
    collection: Name | None = None,
    tags: Tags = (),
    visibility: Visibility | None = None,
    shared_with: Access | None = None,
) -> Received:
    """Hand a file of this machine in, under its path as external id. Raises InvalidRequest.

    It is read as it is sent, piece by piece.
    """
    try:
        location = await asyncio.to_thread(path.resolve)
        content = await asyncio.to_thread(path.open, "rb")
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be read: {error.strerror}", hint="check the path and its rights"
        ) from error
    with content:
        return await _upload(
            client,
            content,
            path.name,
            collection=collection,
            external_id=str(location),
            tags=tags,
            visibility=visibility,
            shared_with=shared_with,
        )


async def wait_until_resting(
    client: Remote,
    document_ids: Sequence[UUID],
    on_change: Callable[[Mapping[UUID, Document]], None] = lambda _: None,
    *,
    timeout_seconds: TimeoutSeconds | None = None,
) -> Mapping[UUID, Document]:
    """These documents and their attachments, once each is indexed or failed.

    A worker of the server indexes them; `on_change` is called with them as they move. Raises
    NotReady when they do not rest in time.
    """
    deadline = None if timeout_seconds is None else time.monotonic() + timeout_seconds
    previous: Mapping[UUID, Document] = {}
    looks = 0
    while True:
        current = await statuses(client, document_ids)
        if current != previous:
            on_change(current)
            previous, looks = current, 0
        resting = (DocumentStatus.INDEXED, DocumentStatus.FAILED)
        if all(record.status in resting for record in current.values()):
            return current
        if deadline is not None and time.monotonic() > deadline:
            raise NotReady(
                f"the documents do not rest after {timeout_seconds:g} seconds",
                hint="is a worker running there?",
            )
        await asyncio.sleep(_LOOK_SECONDS[min(looks, len(_LOOK_SECONDS) - 1)])
        looks += 1


@verb("GET", "/v1/documents/{document_id}")
async def document(client: Remote, document_id: UUID) -> Document:
    """One document."""


@verb("GET", "/v1/documents/{document_id}", "attachments")
async def children(client: Remote, document_id: UUID) -> tuple[Document, ...]:
    """The attachments of a document, and theirs."""


async def statuses(client: Remote, document_ids: Sequence[UUID]) -> Mapping[UUID, Document]:
    """The documents of these ids and of their attachments, as far as they exist."""
    limit = asyncio.Semaphore(_AT_ONCE)

    async def family(document_id: UUID) -> tuple[Document, ...]:
        async with limit:
            try:
                response = await client.transport.json("GET", f"/v1/documents/{document_id}")
            except NotFound:
                return ()
        attached = decoded(tuple[Document, ...], response["attachments"])
        return (decoded(Document, response), *attached)

    families = await asyncio.gather(*(family(document_id) for document_id in document_ids))
    return {record.document_id: record for records in families for record in records}


@verb("DELETE", "/v1/documents/{document_id}", repeat=Repeat.REFUSED)
async def delete_document(client: Remote, document_id: UUID) -> None:
    """Remove a document, its attachments and all that was made of them."""


async def erase_document(client: Remote, document_id: UUID) -> Erasure:
    """Delete a document, purge its dead rows, and prove that nothing is left."""
    content = Content(params={"verify": "true"})
    path = f"/v1/documents/{document_id}"
    return decoded(Erasure, await client.transport.json("DELETE", path, content, Repeat.REFUSED))


@verb("POST", "/v1/documents/{document_id}/retry")
async def retry(client: Remote, document_id: UUID) -> Document:
    """Queue a failed document once more."""


async def retry_all(client: Remote, document_ids: Sequence[UUID]) -> tuple[Retried, ...]:
    """Retry each; one that is refused does not keep the others from being tried."""
    return tuple([await _retried(client, document_id) for document_id in document_ids])


async def retry_failed(client: Remote, *, collection: Name | None = None) -> tuple[Retried, ...]:
    """Retry every failed document."""
    failed: list[UUID] = []
    cursor: str | None = None
    while True:
        page = await documents(
            client, collection=collection, status=DocumentStatus.FAILED, limit=_PAGE, cursor=cursor
        )
        failed += [document.document_id for document in page.documents]
        cursor = page.next_cursor
        if cursor is None:
            return await retry_all(client, failed)


async def _retried(client: Remote, document_id: UUID) -> Retried:
    try:
        return Retried(document_id=document_id, document=await retry(client, document_id))
    except FootnoteError as error:
        refusal = error.with_hint
        return Retried(document_id=document_id, refusal=refusal)
