"""Summaries of documents, collections and clusters on a remote server."""

from __future__ import annotations

from uuid import UUID

from footnote.domain.summaries import Summary, SummaryProgress
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import Content

_SUMMARIES = "/v1/summaries"


async def summary(
    client: Remote,
    *,
    document_id: UUID | None = None,
    collection: str | None = None,
    cluster_id: UUID | None = None,
    sentences: int = 5,
    write: bool = False,
) -> Summary:
    """The sentences that say most of one document, collection or cluster.

    With `write` the language model writes of a collection or a cluster, too. Raises NotFound, and
    ModelUnavailable.
    """
    given = {"document_id": document_id, "collection": collection, "cluster_id": cluster_id}
    params: dict[str, str | int] = {
        name: str(value) for name, value in given.items() if value is not None
    }
    if write:
        params["write"] = "true"
    content = Content(params={**params, "sentences": sentences})
    return decoded(Summary, await client.transport.json("GET", _SUMMARIES, content))


async def summary_progress(client: Remote) -> SummaryProgress:
    """How far the documents of the workspace are summarised."""
    found = await client.transport.json("GET", f"{_SUMMARIES}/progress")
    return decoded(SummaryProgress, found)
