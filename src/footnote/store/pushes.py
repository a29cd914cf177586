"""What systems pushed: accepted with its job in one transaction, and followed until it rests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from footnote.domain import Visibility, Workspace
from footnote.domain.events import PushedDocument, PushState
from footnote.errors import Conflict, NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.queue import INGEST_QUEUE, enqueue
from footnote.store.statements import load_statements, record_of

FETCH_TASK = "fetch_url"

_SQL = load_statements("pushes")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPush:
    """A push as it stands."""

    ingest_id: UUID
    principal: str
    url: str | None
    request: Mapping[str, object]
    state: PushState
    failure: str | None
    document_id: UUID | None
    created_at: datetime
    updated_at: datetime

    @property
    def pushed(self) -> PushedDocument:
        """What is to be fetched, and under what it is kept."""
        visibility = self.request.get("visibility")
        return record_of(
            PushedDocument,
            dict(self.request),
            visibility=None if visibility is None else Visibility(str(visibility)),
        )


async def accept_url(
    scope: WorkspaceScope, pushed: PushedDocument, ingest_id: UUID | None = None
) -> UUID:
    """Have an address fetched; once this commits it is not forgotten.

    A push that has the id already is the same one and stays as it is. Raises Conflict where it is
    of something else.
    """
    ingest_id = ingest_id or uuid4()
    request: dict[str, object] = {
        "url": pushed.url,
        "collection": pushed.collection,
        "external_id": pushed.external_id,
        "filename": pushed.filename,
        "metadata": dict(pushed.metadata),
        "tags": list(pushed.tags),
        "visibility": pushed.visibility,
        "shared_with": None if pushed.shared_with is None else list(pushed.shared_with),
    }
    if not await _accept(scope, ingest_id, request, "queued", None):
        if (await get_push(scope, ingest_id)).request != request:
            raise _used("another address or another place")
        return ingest_id
    await enqueue(
        scope, FETCH_TASK, str(ingest_id), {"ingest_id": str(ingest_id)}, queue=INGEST_QUEUE
    )
    return ingest_id


async def accept_received(scope: WorkspaceScope, document_id: UUID) -> UUID:
    """Give what was pushed with its content a number to ask by."""
    ingest_id = uuid4()
    await _accept(scope, ingest_id, {}, "received", document_id)
    return ingest_id


async def claim_content(scope: WorkspaceScope, ingest_id: UUID, fingerprint: str) -> bool:
    """Note that content is about to be taken in under the id; False once it was.

    One that was begun and is not taken in, as its sender was told, is taken in by whoever comes
    again. Raises Conflict where the id is of something else.
    """
    request = {"fingerprint": fingerprint}
    if await _accept(scope, ingest_id, request, "fetching", None):
        return True
    push = await get_push(scope, ingest_id)
    if push.request != request:
        raise _used("another document")
    return push.state == "fetching"


async def get_push(scope: WorkspaceScope, ingest_id: UUID) -> StoredPush:
    """The push as it stands. Raises NotFound."""
    row = await scope.one(_SQL["status"], {"ingest_id": ingest_id})
    if row is None:
        raise NotFound(
            f"no document was pushed under {ingest_id}", hint="give the `ingest_id` of an answer"
        )
    return record_of(StoredPush, row)


async def document_changed_at(scope: WorkspaceScope, document_id: UUID) -> datetime | None:
    """When the document's status last changed, its deletion included; None once nobody knows."""
    row = await scope.single(_SQL["document_changed"], {"document_id": document_id})
    changed_at: datetime | None = row["changed_at"]
    return changed_at


async def workspace_of(scope: WorkspaceScope) -> Workspace:
    """The workspace of the scope, with its name. Raises NotFound."""
    row = await scope.one(_SQL["workspace"])
    if row is None:
        raise NotFound("the workspace is gone")
    return record_of(Workspace, row)


async def move_push(
    scope: WorkspaceScope,
    ingest_id: UUID,
    state: PushState,
    *,
    document_id: UUID | None = None,
    failure: str | None = None,
) -> None:
    """Note how far it has come."""
    await scope.execute(
        _SQL["move"],
        {
            "ingest_id": ingest_id,
            "state": state,
            "document_id": document_id,
            "failure": None if failure is None else Jsonb(failure),
        },
    )


async def require_newest(scope: WorkspaceScope, ingest_id: UUID, document_id: UUID) -> None:
    """Raise Conflict where something else was pushed of the document later, and taken in."""
    parameters = {"ingest_id": ingest_id, "document_id": document_id}
    if (await scope.single(_SQL["superseded"], parameters))["superseded"]:
        raise Conflict(
            "a newer announcement of this document was taken in before this one could be fetched",
            hint="announce the address again if its content is the newest",
        )


def _used(what: str) -> Conflict:
    return Conflict(
        f"the idempotency key was used for {what}", hint="use a new key for each document"
    )


async def _accept(
    scope: WorkspaceScope,
    ingest_id: UUID,
    request: Mapping[str, object],
    state: PushState,
    document_id: UUID | None,
) -> bool:
    """Whether there was no push with the id yet."""
    parameters = {
        "ingest_id": ingest_id,
        "url": request.get("url"),
        "request": Jsonb(request),
        "state": state,
        "document_id": document_id,
    }
    return await scope.one(_SQL["accept"], parameters) is not None
