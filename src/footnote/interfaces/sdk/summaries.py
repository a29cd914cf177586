"""Summaries of documents, collections and clusters on a remote server."""

from __future__ import annotations

from uuid import UUID

from footnote.domain.summaries import Summary, SummaryProgress
from footnote.interfaces.sdk.verbs import Remote, verb
from footnote.validation.constrained_types import Name


@verb("GET", "/v1/summaries")
async def summary(
    client: Remote,
    *,
    document_id: UUID | None = None,
    collection: Name | None = None,
    cluster_id: UUID | None = None,
    sentences: int = 5,
    write: bool = False,
) -> Summary:
    """The sentences that say most of one document, collection or cluster.

    With `write` the language model writes of a collection or a cluster, too. Raises NotFound, and
    ModelUnavailable.
    """


@verb("GET", "/v1/summaries/progress")
async def summary_progress(client: Remote) -> SummaryProgress:
    """How far the documents of the workspace are summarised."""
