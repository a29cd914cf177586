"""The verbs of one workspace on a remote server."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO
from uuid import UUID, uuid4

import httpx

from footnote.domain import (
    Answer,
    AnswerEvent,
    Document,
    DocumentPage,
    DocumentStatus,
    Erasure,
    Health,
    PassageContext,
    PlanChanges,
    Received,
    Retried,
    SearchFilters,
    SearchRequest,
    SearchResponse,
    Turn,
    Visibility,
    WorkspaceStats,
)
from footnote.errors import FootnoteError, InvalidRequest, NotFound, NotReady
from footnote.interfaces.encoding import question_json, search_json
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk import access, answering, configuration, pages, sharing
from footnote.interfaces.sdk.answering import answer_events
from footnote.interfaces.sdk.conversations import AsyncConversations
from footnote.interfaces.sdk.transport import (
    Content,
    Patience,
    Repeat,
    Transport,
    bearer_header,
    check_way,
    checked_headers,
    workspace_header,
)
from footnote.validation.arguments import checks_arguments
from footnote.validation.constrained_types import (
    Access,
    ExternalId,
    FileContent,
    IdempotencyKey,
    Metadata,
    Name,
    PageLimit,
    Tags,
    Window,
)

_PAGE = 500
_ONCE = Repeat.UNSENT
_AT_ONCE = 8
"""Requests of one call that are on their way together."""
_LOOK_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.6)
"""Pauses between looks at documents that do not rest yet; the last one is repeated."""


@checks_arguments
class AsyncClient:
    """One workspace of a remote server: the verbs of `WorkspaceEngine`, with the same records.

        async with footnote.AsyncClient("http://127.0.0.1:8080", workspace="acme") as client:
            answer = await client.ask("How soon must a claim be reported?")

    What can be repeated without harm is repeated up to `retries` times when the server cannot be
    reached or is busy. Every verb raises what the engine raises, and NotReady when the server
    gives no answer. It may be used by one event loop.
    """

    def __init__(
        self,
        base_url: str,
        *,
        workspace: str | None = None,
        timeout_seconds: float = 120.0,
        retries: int = 3,
        first_pause_seconds: float = 0.25,
        headers: Mapping[str, str] | None = None,
        api_key: str | None = None,
    ) -> None:
        """`timeout_seconds` is how long the server may be silent; raises InvalidRequest.

        `api_key` may also be a token; unset takes the variable FOOTNOTE_API_KEY.
        """
        patience = Patience(retries=retries, first_pause_seconds=first_pause_seconds)
        check_way(base_url, timeout_seconds, patience)
        self.transport = Transport(
            httpx.AsyncClient(
                base_url=base_url,
                headers={
                    **bearer_header(api_key),
                    **checked_headers(headers or {}),
                    **workspace_header(workspace),
                },
                timeout=httpx.Timeout(timeout_seconds, connect=min(timeout_seconds, 10.0)),
            ),
            patience,
        )
        self.conversations = AsyncConversations(self.transport)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def require_open(self) -> None:
        """Raise NotReady once it was closed."""
        self.transport.require_open()

    async def close(self) -> None:
        """Let go of the connections."""
        await self.transport.http.aclose()

    # --- files go in ------------------------------------------------------------------------

    async def receive(
        self,
        content: FileContent,
        filename: str,
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
        return await self._upload(
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
        self,
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
        given: dict[str, str | Sequence[str] | None] = {
            "collection": collection,
            "external_id": external_id,
            "metadata": None if metadata is None else json.dumps(dict(metadata)),
            "tags": list(tags) or None,
            "visibility": visibility,
            "shared_with": shared_with,
        }
        upload = Content(
            headers={"Idempotency-Key": idempotency_key or str(uuid4())},
            fields={name: value for name, value in given.items() if value is not None},
            files={"file": (filename, content)},
        )
        found = await self.transport.json("POST", "/v1/documents", upload, Repeat.LOST)
        return decoded(Received, found)

    async def receive_file(
        self,
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
            return await self._upload(
                content,
                path.name,
                collection=collection,
                external_id=str(location),
                tags=tags,
                visibility=visibility,
                shared_with=shared_with,
            )

    async def wait_until_resting(
        self,
        document_ids: Sequence[UUID],
        on_change: Callable[[Mapping[UUID, Document]], None] = lambda _: None,
        *,
        timeout_seconds: float | None = None,
    ) -> Mapping[UUID, Document]:
        """These documents and their attachments, once each is indexed or failed.

        A worker of the server indexes them; `on_change` is called with them as they move. Raises
        NotReady when they do not rest in time.
        """
        ends = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        seen: Mapping[UUID, Document] = {}
        looks = 0
        while True:
            found = await self.statuses(document_ids)
            if found != seen:
                on_change(found)
                seen, looks = found, 0
            resting = (DocumentStatus.INDEXED, DocumentStatus.FAILED)
            if all(each.status in resting for each in found.values()):
                return found
            if ends is not None and time.monotonic() > ends:
                raise NotReady(
                    f"the documents do not rest after {timeout_seconds:g} seconds",
                    hint="is a worker running there?",
                )
            await asyncio.sleep(_LOOK_SECONDS[min(looks, len(_LOOK_SECONDS) - 1)])
            looks += 1

    async def documents(
        self,
        *,
        collection: str | None = None,
        status: DocumentStatus | None = None,
        limit: PageLimit = 50,
        cursor: str | None = None,
    ) -> DocumentPage:
        """A page of documents, newest first."""
        given = {
            "collection": collection,
            "status": None if status is None else status.value,
            "limit": limit,
            "cursor": cursor,
        }
        asked = Content(params={name: each for name, each in given.items() if each is not None})
        return decoded(DocumentPage, await self.transport.json("GET", "/v1/documents", asked))

    async def document(self, document_id: UUID) -> Document:
        """One document."""
        return decoded(Document, await self.transport.json("GET", f"/v1/documents/{document_id}"))

    async def children(self, document_id: UUID) -> tuple[Document, ...]:
        """The attachments of a document, and theirs."""
        family = await self.transport.json("GET", f"/v1/documents/{document_id}")
        return decoded(tuple[Document, ...], family["attachments"])

    async def statuses(self, document_ids: Sequence[UUID]) -> Mapping[UUID, Document]:
        """The documents of these ids and of their attachments, as far as they exist."""
        limit = asyncio.Semaphore(_AT_ONCE)

        async def family(document_id: UUID) -> tuple[Document, ...]:
            async with limit:
                try:
                    found = await self.transport.json("GET", f"/v1/documents/{document_id}")
                except NotFound:
                    return ()
            attached = decoded(tuple[Document, ...], found["attachments"])
            return (decoded(Document, found), *attached)

        families = await asyncio.gather(*(family(each) for each in document_ids))
        return {each.document_id: each for family in families for each in family}

    async def delete_document(self, document_id: UUID) -> None:
        """Remove a document, its attachments and all that was made of them."""
        path = f"/v1/documents/{document_id}"
        await self.transport.call("DELETE", path, repeat=Repeat.REFUSED)

    async def erase_document(self, document_id: UUID) -> Erasure:
        """Delete a document, purge what is dead, and prove it."""
        content = Content(params={"verify": "true"})
        path = f"/v1/documents/{document_id}"
        return decoded(Erasure, await self.transport.json("DELETE", path, content, Repeat.REFUSED))

    async def retry(self, document_id: UUID) -> Document:
        """Queue a failed document once more."""
        path = f"/v1/documents/{document_id}/retry"
        return decoded(Document, await self.transport.json("POST", path))

    async def retry_all(self, document_ids: Sequence[UUID]) -> tuple[Retried, ...]:
        """Retry each; one that is refused does not keep the others from being tried."""
        return tuple([await self._retried(each) for each in document_ids])

    async def retry_failed(self, *, collection: str | None = None) -> tuple[Retried, ...]:
        """Retry every failed document."""
        failed: list[UUID] = []
        cursor: str | None = None
        while True:
            page = await self.documents(
                collection=collection, status=DocumentStatus.FAILED, limit=_PAGE, cursor=cursor
            )
            failed += [document.document_id for document in page.documents]
            cursor = page.next_cursor
            if cursor is None:
                return await self.retry_all(failed)

    # --- evidence is found, answers come out ------------------------------------------------

    async def search(self, request: SearchRequest) -> SearchResponse:
        """Evidence for a query."""
        found = await self.transport.json("POST", "/v1/search", Content(json=search_json(request)))
        return decoded(SearchResponse, found)

    async def context(self, chunk_id: str, window: Window = 2) -> PassageContext:
        """A passage between its neighbours."""
        content = Content(json={"chunk_id": chunk_id, "window": window})
        return decoded(PassageContext, await self.transport.json("POST", "/v1/context", content))

    page_image = pages.page_image
    page_rectangles = pages.page_rectangles
    pages_of_quote = pages.pages_of_quote

    async def ask(
        self,
        question: str,
        *,
        top_k: int | None = None,
        filters: SearchFilters | None = None,
        plan: str | None = None,
        changes: PlanChanges | None = None,
        conversation: Sequence[Turn] = (),
    ) -> Answer:
        """An answer whose statements are cited, or an honest one that there is none."""
        body = question_json(
            question,
            top_k=top_k,
            filters=filters,
            plan=plan,
            changes=changes,
            conversation=conversation,
        )
        found = await self.transport.json("POST", "/v1/answers", Content(json=body), Repeat.REFUSED)
        return decoded(Answer, found)

    async def ask_stream(
        self,
        question: str,
        *,
        top_k: int | None = None,
        filters: SearchFilters | None = None,
        plan: str | None = None,
        changes: PlanChanges | None = None,
        conversation: Sequence[Turn] = (),
    ) -> AsyncGenerator[AnswerEvent]:
        """What happens while a question is answered, the answer last.

        A connection that is cut is made again, and goes on where it was. Closing the generator
        stops the models. Raises NotReady when it cannot be gone on with.
        """
        body = question_json(
            question,
            top_k=top_k,
            filters=filters,
            plan=plan,
            changes=changes,
            conversation=conversation,
        )
        content = Content(json={**body, "stream": True})
        async with aclosing(answer_events(self.transport, "/v1/answers", content)) as events:
            async for event in events:
                yield event

    async def agent_stream(
        self, question: str, *, conversation: Sequence[Turn] = ()
    ) -> AsyncGenerator[AnswerEvent]:
        """What happens while a model with tools looks for an answer; as `ask_stream`."""
        body = {
            "question": question,
            "conversation": [asdict(each) for each in conversation],
            "stream": True,
        }
        found = answer_events(self.transport, "/v1/agent", Content(json=body), Repeat.REFUSED)
        async with aclosing(found) as events:
            async for event in events:
                yield event

    check_grounding = answering.check_grounding

    # --- what answers, and who is told ------------------------------------------------------

    grants = access.grants
    grant_role = access.grant_role
    revoke_role = access.revoke_role
    document_access = access.document_access
    set_document_access = access.set_document_access
    explain_access = access.explain_access
    share_collection = sharing.share_collection
    share_conversation = sharing.share_conversation
    share_links = sharing.share_links
    revoke_share_link = sharing.revoke_share_link
    shared = sharing.shared

    settings_in_use = configuration.settings_in_use
    setting = configuration.setting
    change_setting = configuration.change_setting
    unset_setting = configuration.unset_setting
    setting_history = configuration.setting_history
    models_in_use = configuration.models_in_use
    use_models = configuration.use_models
    reset_models = configuration.reset_models
    add_mcp_server = configuration.add_mcp_server
    mcp_servers = configuration.mcp_servers
    remove_mcp_server = configuration.remove_mcp_server
    add_webhook = configuration.add_webhook
    webhooks = configuration.webhooks
    try_webhook = configuration.try_webhook
    remove_webhook = configuration.remove_webhook

    # --- how it is --------------------------------------------------------------------------

    async def stats(self) -> WorkspaceStats:
        """What the workspace holds, and how searching it goes."""
        return decoded(WorkspaceStats, await self.transport.json("GET", "/stats"))

    async def health(self) -> Health:
        """Whether the server can serve at this moment; raises only where it cannot be reached."""
        response = await self.transport.call(
            "GET", "/health", repeat=Repeat.UNSENT, also_good=(503,)
        )
        return decoded(Health, response.json())

    lanes = configuration.lanes
    reembed = configuration.reembed
    reembedding = configuration.reembedding
    cancel_reembedding = configuration.cancel_reembedding
    rollback_lane = configuration.rollback_lane
    purge_lanes = configuration.purge_lanes

    async def _retried(self, document_id: UUID) -> Retried:
        try:
            return Retried(document_id=document_id, document=await self.retry(document_id))
        except FootnoteError as error:
            refusal = f"{error}; {error.hint}" if error.hint else str(error)
            return Retried(document_id=document_id, refusal=refusal)
