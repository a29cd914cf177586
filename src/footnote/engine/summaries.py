"""Summaries of a document, a collection or a cluster, as far as somebody may see the documents."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

import numpy as np
from pydantic import Field

from footnote.domain.clusters import LEAST_SEEN
from footnote.domain.summaries import Summary, SummaryProgress
from footnote.engine.services import WorkspaceAccess
from footnote.engine.summarising import summarising_of
from footnote.errors import InvalidRequest
from footnote.knowledge.summaries import centralities, chosen
from footnote.store import clusters as stored_clusters
from footnote.store import summaries as stored
from footnote.store.database import WorkspaceScope
from footnote.store.documents import get_document
from footnote.store.lanes import current_lane
from footnote.store.queue import summarising_enqueued
from footnote.store.summaries import KeptSentence
from footnote.validation.constrained_types import Name

_MOST_DOCUMENTS = 200
_OF_EACH = 2
"""Sentences of one document in a summary of several."""
_FAILURES_SHOWN = 10

Sentences = Annotated[int, Field(ge=1, le=20)]


async def summary(
    workspace: WorkspaceAccess,
    *,
    document_id: UUID | None = None,
    collection: Name | None = None,
    cluster_id: UUID | None = None,
    sentences: Sentences = 5,
) -> Summary:
    """The sentences that say most of a document, a collection or a cluster, each where it stands.

    Exactly one of them is named. Of several documents those that the principal may see are
    summarised, at most the latest 200; those that lack a summary yet add nothing. Raises
    NotFound for a document or a cluster, and InvalidRequest.
    """
    if [document_id, collection, cluster_id].count(None) != 2:
        raise InvalidRequest(
            "a summary is of one document, one collection or one cluster",
            hint="name one of document_id, collection and cluster_id",
        )
    wanted = await summarising_of(workspace)
    async with workspace.scope() as scope:
        if document_id is not None:
            await get_document(scope, document_id)
            ids: Sequence[UUID] = (document_id,)
        elif collection is not None:
            ids = await stored.latest_of_collection(scope, collection, _MOST_DOCUMENTS)
        else:
            assert cluster_id is not None, "one of them is named"
            lane_name = workspace.engine.lane.name
            ids = await _documents_of_cluster(scope, lane_name, cluster_id)
        kept = await stored.kept_sentences(scope, wanted.summariser, ids)
    if document_id is not None:
        shown = sorted(kept[:sentences], key=lambda each: each.sentence.char_start)
    else:
        shown = await asyncio.to_thread(_of_several, kept, sentences)
    return Summary(
        sentences=tuple(each.sentence for each in shown),
        documents=len({each.sentence.document_id for each in kept}),
    )


async def summary_progress(workspace: WorkspaceAccess) -> SummaryProgress:
    """How far the documents that may be seen are summarised."""
    wanted = await summarising_of(workspace)
    async with workspace.scope() as scope:
        counts = await stored.count_summaries(scope, wanted.summariser)
        failures = await stored.summary_failures(scope, _FAILURES_SHOWN)
    async with workspace.system_scope() as scope:
        running = await summarising_enqueued(scope)
    return SummaryProgress(
        enabled=wanted.enabled,
        documents=counts.documents,
        done=counts.done,
        failed=counts.failed,
        running=running,
        failures=failures,
    )


async def _documents_of_cluster(
    scope: WorkspaceScope, lane_name: str, cluster_id: UUID
) -> list[UUID]:
    """The latest documents of a cluster that may be seen. Raises NotFound."""
    lane = await current_lane(scope, lane_name)
    if lane is None:
        raise stored_clusters.no_such_cluster(cluster_id)
    found = await stored_clusters.sampled_documents(
        scope, lane[0], [cluster_id], most=_MOST_DOCUMENTS
    )
    if len(found) < LEAST_SEEN:
        raise stored_clusters.no_such_cluster(cluster_id)
    return [each.document_id for each in found]


def _of_several(kept: Sequence[KeptSentence], most: int) -> list[KeptSentence]:
    """The sentences that say most of several documents, the best first."""
    if not kept:
        return []
    vectors = np.stack([each.vector for each in kept]).astype(np.float32)
    owners = {each.sentence.document_id: number for number, each in enumerate(kept)}
    weights = centralities(vectors)
    found = chosen(
        vectors,
        weights,
        most,
        owners=[owners[each.sentence.document_id] for each in kept],
        of_each=_OF_EACH,
    )
    return [kept[each] for each in found]
