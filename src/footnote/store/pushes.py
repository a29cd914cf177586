"""Documents pushed by other systems: accepted with their job in one transaction, and tracked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from footnote.domain import Identity, Visibility, Workspace
from footnote.domain.events import PushedDocument, PushState
from footnote.errors import Conflict, NotFound
from footnote.store.acting import actor_columns, actor_in, role_of_operator
from footnote.store.database import WorkspaceScope, workspace_gone
from footnote.store.queue import INGEST_QUEUE, enqueue
from footnote.store.statements import load_statements, record_of

FETCH_TASK = "fetch_url"

_SQL = load_statements("pushes")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPush:
    """The stored state of a push."""

    ingest_id: UUID
    principal: str
    actor: Identity
    """Whoever pushed it, as their credential said; in rows of older versions without any role."""
    url: str | None
    request: Mapping[str, object]
    state: PushState
    failure: str | None
    document_id: UUID | None
    created_at: datetime
    updated_at: datetime

    @property
    def pushed(self) -> PushedDocument:
        """The request: the URL to fetch, and how to store the document."""
        visibility = self.request.get("visibility")
        return record_of(
            PushedDocument,
            dict(self.request),
            visibility=None if visibility is None else Visibility(str(visibility)),
        )


async def accept_url(
    scope: WorkspaceScope, pushed: PushedDocument, actor: Identity, ingest_id: UUID | None = None
) -> UUID:
    """Enqueue a URL to be fetched for `actor`, durably once this commits; return the push's id.

    An existing push with this id and the same request is left as it is. Raises Conflict when the id
    was used for another request.
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
    if not await _accept(scope, ingest_id, request, "queued", actor=actor):
        if (await get_push(scope, ingest_id)).request != request:
            raise _used("another address or another place")
        return ingest_id
    await enqueue(
        scope, FETCH_TASK, str(ingest_id), {"ingest_id": str(ingest_id)}, queue=INGEST_QUEUE
    )
    return ingest_id


async def accept_received(scope: WorkspaceScope, document_id: UUID) -> UUID:
    """Record a push whose content is stored already; return its id, for status requests."""
    ingest_id = uuid4()
    await _accept(scope, ingest_id, {}, "received", document_id=document_id)
    return ingest_id


async def claim_content(scope: WorkspaceScope, ingest_id: UUID, fingerprint: str) -> bool:
    """Record that content is about to be stored under the id; return False if it was before.

    A push that began but did not finish is completed when the sender retries. Raises Conflict when
    the id was used for another document.
    """
    request = {"fingerprint": fingerprint}
    if await _accept(scope, ingest_id, request, "fetching"):
        return True
    push = await get_push(scope, ingest_id)
    if push.request != request:
        raise _used("another document")
    return push.state == "fetching"


async def get_push(scope: WorkspaceScope, ingest_id: UUID) -> StoredPush:
    """Return the state of a push. Raises NotFound."""
    row = await scope.one(_SQL["status"], {"ingest_id": ingest_id})
    if row is None:
        raise NotFound(
            f"no document was pushed under {ingest_id}", hint="give the `ingest_id` of an answer"
        )
    principal = row["principal"]
    return record_of(
        StoredPush, row, actor=actor_in(row, principal, role_of_before=role_of_operator(principal))
    )


async def document_changed_at(scope: WorkspaceScope, document_id: UUID) -> datetime | None:
    """Return when the document's status last changed, or deletion; None once events expired."""
    row = await scope.single(_SQL["document_changed"], {"document_id": document_id})
    changed_at: datetime | None = row["changed_at"]
    return changed_at


async def workspace_of(scope: WorkspaceScope) -> Workspace:
    """The workspace of the scope, with its name. Raises NotFound."""
    row = await scope.one(_SQL["workspace"])
    if row is None:
        raise workspace_gone()
    return record_of(Workspace, row)


async def move_push(
    scope: WorkspaceScope,
    ingest_id: UUID,
    state: PushState,
    *,
    document_id: UUID | None = None,
    failure: str | None = None,
) -> None:
    """Update the state of a push; one that was received or has failed is left as it is."""
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
    """Raise Conflict if a later push of the document from another URL was received already."""
    parameters = {"ingest_id": ingest_id, "document_id": document_id}
    if (await scope.single(_SQL["superseded"], parameters))["superseded"]:
        raise Conflict(
            "a newer announcement of this document was taken in before this one could be fetched",
            hint="announce the address again if its content is the newest",
        )


def _used(use: str) -> Conflict:
    return Conflict(
        f"the idempotency key was used for {use}", hint="use a new key for each document"
    )


async def _accept(
    scope: WorkspaceScope,
    ingest_id: UUID,
    request: Mapping[str, object],
    state: PushState,
    *,
    actor: Identity | None = None,
    document_id: UUID | None = None,
) -> bool:
    """Insert a push; return False if there is one with the id already."""
    parameters = {
        "ingest_id": ingest_id,
        "url": request.get("url"),
        "request": Jsonb(request),
        "state": state,
        "document_id": document_id,
        **actor_columns(actor),
    }
    return await scope.one(_SQL["accept"], parameters) is not None
