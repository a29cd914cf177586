"""Accept files durably and idempotently, with backpressure when too many wait."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Annotated, BinaryIO
from unicodedata import category
from uuid import UUID

from pydantic import SkipValidation

from footnote.domain import Received, Right, SourceType, Visibility
from footnote.domain.identity import DEFAULT_COLLECTION
from footnote.domain.usage import UsageKind, UsageNote
from footnote.engine.services import Services, WorkspaceAccess
from footnote.errors import BlobsUnavailable, InvalidRequest, QueueFull
from footnote.ingestion import media
from footnote.ingestion.failures import failure_of
from footnote.ingestion.receive import AsExamined, ChangedWhileRead, examine
from footnote.ports.metering import note_usage
from footnote.store.blob_claims import (
    BlobClaim,
    claim_blob,
    redeem,
    release_unreferenced,
    write_claimed,
)
from footnote.store.database import WorkspaceScope
from footnote.store.documents import get_document
from footnote.store.idempotency import IdempotentRequest, store_outcome, stored_outcome
from footnote.store.receiving import (
    DeletedMeanwhile,
    Incoming,
    QueueLimits,
    receive_document,
    require_room,
)
from footnote.validation.constrained_types import (
    Access,
    ExternalId,
    FileContent,
    FileName,
    IdempotencyKey,
    Metadata,
    Name,
    Tags,
)

MAX_FILENAME_CHARACTERS = 255
_ENDING_CHARACTERS = 20  # ".sublime-workspace" and the like; more is no ending
_NO_FORMER_IDS: Mapping[str, Sequence[str]] = MappingProxyType({})
_NO_BLOB = ""
"""The key of bytes that were never stored."""
_WORKSPACES_IN_QUEUE = 10
"""Limit of all queued documents, as a multiple of the limit of one workspace."""
_KEY_SECONDS = 86_400.0
"""Lifetime of an idempotency key: whoever repeats an upload does so within a day."""
_MAX_ATTEMPTS = 4
"""How often a file is received that changes meanwhile, or whose document is deleted."""


async def receive(
    workspace: WorkspaceAccess,
    content: FileContent,
    filename: FileName,
    *,
    collection: Name | None = None,
    external_id: ExternalId | None = None,
    metadata: Metadata | None = None,
    tags: Tags = (),
    source_type: SourceType = SourceType.UPLOAD,
    visibility: Visibility | None = None,
    shared_with: Access | None = None,
    idempotency_key: IdempotencyKey | None = None,
) -> Received:
    """Accept a file: once this returns, it cannot be lost.

    A file that is visibly unreadable is kept as a failed document. A document is identified by its
    external id; without one by its bytes, and an empty file by its name. The same bytes return the
    existing document under its own name; other bytes under a known external id make a new version.
    A known document keeps its tags unless others are given, merges the metadata, and keeps its
    visibility. A new one with an access list is private, one without is visible to the workspace,
    unless a visibility is given. Idempotent with a key. Raises InvalidRequest, Forbidden, QueueFull
    while too many documents wait, NotFound for a repeated request whose document is hidden from the
    caller since, and Conflict for a key that was used for something else, and for a new version
    that fewer should see than see the document.
    """
    return await receive_stream(
        workspace,
        io.BytesIO(content),
        filename,
        collection=collection,
        external_id=external_id,
        metadata=metadata,
        tags=tags,
        source_type=source_type,
        visibility=visibility,
        shared_with=shared_with,
        idempotency_key=idempotency_key,
    )


async def receive_file(
    workspace: WorkspaceAccess,
    path: Path,
    *,
    collection: Name | None = None,
    tags: Tags = (),
    visibility: Visibility | None = None,
    shared_with: Access | None = None,
) -> Received:
    """Accept a file from a disk, under its path as external id.

    One that is too large is kept as a failed document without its bytes. Raises InvalidRequest
    when it cannot be opened.
    """
    try:
        location = await asyncio.to_thread(path.resolve)
        content = await asyncio.to_thread(path.open, "rb")
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be read: {error.strerror}", hint="check the path and its rights"
        ) from error
    with content:
        return await receive_stream(
            workspace,
            content,
            path.name,
            collection=collection,
            external_id=str(location),
            tags=tags,
            visibility=visibility,
            shared_with=shared_with,
            keep_too_large=False,
        )


async def receive_stream(
    workspace: WorkspaceAccess,
    content: Annotated[BinaryIO, SkipValidation],
    filename: str,
    *,
    collection: Name | None = None,
    external_id: ExternalId | None = None,
    metadata: Metadata | None = None,
    tags: Tags = (),
    source_type: SourceType = SourceType.UPLOAD,
    visibility: Visibility | None = None,
    shared_with: Access | None = None,
    idempotency_key: IdempotencyKey | None = None,
    keep_too_large: bool = True,
    former: Annotated[Mapping[str, Sequence[str]], SkipValidation] = _NO_FORMER_IDS,
    announced_as: UUID | None = None,
) -> Received:
    """Accept a seekable file: measure and hash it first, then store it, in pieces.

    Only a few pieces are in memory at once. The file is not closed. `former` maps the SHA-256 of
    bytes to external ids that are gone: a file with those bytes takes over the document of its
    former external id, unless another visibility is asked for. `announced_as` is the id of a push,
    whose outcome is recorded. A file that changes between the two reads, or whose document is
    deleted meanwhile, is received again. Raises what `receive` raises, InvalidRequest for a file
    that kept changing, and Conflict for a push where a newer one of the document was accepted.
    """
    workspace.require(Right.WRITE, collection or DEFAULT_COLLECTION)
    check_visibility(visibility, shared_with)
    engine, name = workspace.engine, clean_name(filename)
    await engine.metering.require_budget(workspace.workspace_id)
    described = Incoming(
        filename=name,
        media_type=media.UNKNOWN,
        byte_size=0,
        content_sha256="",
        blob_key=_NO_BLOB,
        collection=collection or DEFAULT_COLLECTION,
        external_id=external_id,
        metadata=metadata or {},
        tags=tuple(tags),
        source_type=source_type,
        visibility=visibility,
        access=None if shared_with is None else tuple(shared_with),
        announced_as=announced_as,
    )
    take_in = partial(
        _take_in,
        workspace,
        content,
        described,
        former=former,
        idempotency_key=idempotency_key,
        keep_too_large=keep_too_large,
    )
    for _ in range(_MAX_ATTEMPTS - 1):
        with suppress(ChangedWhileRead, DeletedMeanwhile):
            return await take_in()
    return await take_in()


async def _take_in(
    workspace: WorkspaceAccess,
    content: BinaryIO,
    described: Incoming,
    *,
    former: Mapping[str, Sequence[str]],
    idempotency_key: str | None,
    keep_too_large: bool,
) -> Received:
    """Hash a file, and store the bytes that were hashed or none. Raises ChangedWhileRead."""
    engine, name = workspace.engine, described.filename
    limit = engine.settings.limits.bytes
    examined = await asyncio.to_thread(examine, content, name, limit)
    former_ids = former.get(examined.content_sha256, ())
    incoming = replace(
        described,
        media_type=examined.media_type or media.UNKNOWN,
        byte_size=examined.byte_size,
        content_sha256=examined.content_sha256,
        former_external_id=former_external_id(described.external_id, former_ids),
        failure=None if examined.refusal is None else failure_of(examined.refusal),
    )
    if examined.byte_size > limit and not keep_too_large:
        async with workspace.scope() as scope:
            return _with_uploaded_name(name, await receive_document(scope, incoming))
    receipt = None
    if idempotency_key is not None:
        receipt = IdempotentRequest(
            principal_id=workspace.principal.principal_id,
            key=idempotency_key,
            fingerprint=_fingerprint(incoming),
            lifetime_seconds=_KEY_SECONDS,
        )
    if receipt is not None:
        # In the principal's scope: who may see the document can have changed since.
        async with workspace.scope() as scope:
            outcome = await _repeated(scope, receipt)
        if outcome is not None:
            return _with_uploaded_name(name, outcome)
    async with workspace.system_scope() as scope:
        if incoming.failure is None:
            await require_room(scope, _queue_limits(engine))
        claim = await claim_blob(scope, incoming.content_sha256)
    async with (
        _written(workspace, claim, AsExamined(content, examined, name)),
        workspace.scope() as scope,
    ):
        if receipt is not None and (outcome := await _repeated(scope, receipt)) is not None:
            # A concurrent repeat of the request finished first and stored the same bytes.
            await redeem(scope, claim)
            await release_unreferenced(scope, claim)
            return _with_uploaded_name(name, outcome)
        received = await receive_document(
            scope, replace(incoming, blob_key=claim.blob_key, claim=claim)
        )
        if receipt is not None:
            await store_outcome(scope, receipt, received)
        if not received.duplicate:
            stored = float(examined.byte_size)
            note_usage(UsageNote(kind=UsageKind.STORAGE, model="local", units=stored))
        return _with_uploaded_name(name, received)


def _fingerprint(incoming: Incoming) -> bytes:
    """Return the SHA-256 digest of what a repeat of the request must have in common with it."""
    parts = [incoming.content_sha256, incoming.collection, incoming.external_id or ""]
    # Optional fields count only where they are set, so keys of earlier versions stay valid.
    optional = {
        "tags": sorted(incoming.tags),
        "metadata": dict(incoming.metadata),
        "visibility": incoming.visibility,
        "access": None if incoming.access is None else sorted(incoming.access),
    }
    supplied = {name: value for name, value in optional.items() if value not in (None, [], {})}
    if supplied:
        parts.append(json.dumps(supplied, sort_keys=True, default=str))
    return hashlib.sha256("\0".join(parts).encode()).digest()


@asynccontextmanager
async def _written(
    workspace: WorkspaceAccess, claim: BlobClaim, content: AsExamined
) -> AsyncIterator[None]:
    """As `written`. Raises ChangedWhileRead, and then nothing was stored."""
    engine = workspace.engine
    # A raw read may return fewer bytes than asked for, a buffered one only at the end.
    buffered = io.BufferedReader(content, 1024 * 1024)
    try:
        async with write_claimed(
            engine.database, engine.blobs, workspace.workspace_id, claim, buffered
        ):
            yield
    except BlobsUnavailable as error:
        # The store raises its own error where reading the file fails.
        if content.changed:
            raise ChangedWhileRead(content.filename) from error
        raise


def former_external_id(external_id: str | None, former_ids: Sequence[str]) -> str | None:
    """Return a file's former id: the only one with its bytes, or in its folder or by its name.

    >>> former_external_id("hr/final.txt", ["public/offer.txt", "hr/offer.txt"])
    'hr/offer.txt'
    >>> former_external_id("c/final.txt", ["public/offer.txt", "hr/offer.txt"])
    """
    if external_id is None:
        return None
    folder, _, name = external_id.rpartition("/")
    of_folder = [former_id for former_id in former_ids if former_id.rpartition("/")[0] == folder]
    of_name = [former_id for former_id in former_ids if former_id.rpartition("/")[2] == name]
    for matches in (former_ids, of_folder, of_name):
        if len(matches) == 1:
            return matches[0]
    return None


def _with_uploaded_name(filename: str, received: Received) -> Received:
    """Return the result with the uploaded name, where the document has another."""
    differs = received.duplicate and received.document.filename != filename
    return replace(received, received_as=filename) if differs else received


def check_visibility(visibility: Visibility | None, shared_with: Access | None) -> None:
    """Raise InvalidRequest for an access list with workspace visibility."""
    if visibility is Visibility.WORKSPACE and shared_with:
        raise InvalidRequest(
            "shared_with: a document that the workspace sees needs no list",
            hint="leave the list out, or make the document private",
        )


async def has_room(workspace: WorkspaceAccess) -> bool:
    """Whether a file would be accepted now."""
    async with workspace.system_scope() as scope:
        try:
            await require_room(scope, _queue_limits(workspace.engine))
        except QueueFull:
            return False
    return True


def _queue_limits(engine: Services) -> QueueLimits:
    limit = engine.settings.limits.queued
    return QueueLimits(workspace=limit, overall=limit * _WORKSPACES_IN_QUEUE)


async def _repeated(scope: WorkspaceScope, receipt: IdempotentRequest) -> Received | None:
    """Return the outcome of the same request before, with its document's current state.

    Raises NotFound for a document that the principal of the scope may not see any more.
    """
    outcome = await stored_outcome(scope, receipt)
    if outcome is None:
        return None
    return Received(
        document=await get_document(scope, outcome.document_id),
        duplicate=outcome.duplicate,
        new_version=outcome.new_version,
    )


def clean_name(filename: str) -> str:
    """The last part of a name, as every entrance keeps it.

    Without what no database, terminal or disk should be handed: control and invisible
    characters, and names of dots alone. A name that is too long is cut before its ending.

    >>> clean_name("../etc/passwd"), clean_name(".."), clean_name("a\\u0007b\\u202fc.txt")
    ('passwd', 'unnamed', 'ab c.txt')
    """
    name = filename.replace("\\", "/").rsplit("/", 1)[-1]
    spaced = (" " if category(character) == "Zs" else character for character in name)
    printable = "".join(character for character in spaced if character.isprintable()).strip()
    if not printable.strip("."):
        return "unnamed"
    ending = PurePosixPath(printable).suffix
    ending = ending if len(ending) <= _ENDING_CHARACTERS else ""
    stem = printable.removesuffix(ending)
    return stem[: MAX_FILENAME_CHARACTERS - len(ending)] + ending
