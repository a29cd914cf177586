"""Summarise a document, collection or cluster from the documents that a principal may see."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated
from uuid import UUID

import numpy as np
from pydantic import Field

from footnote.answering.cite import page_at
from footnote.domain.clusters import LEAST_SEEN
from footnote.domain.summaries import (
    Summary,
    SummaryModelUse,
    SummaryProgress,
    SummarySentence,
    WrittenSentence,
)
from footnote.engine.services import WorkspaceAccess
from footnote.engine.summarising import summarising_of
from footnote.engine.summary_writing import (
    MOST_BYTES,
    SummaryWriter,
    estimated_use,
    write_summary,
)
from footnote.errors import InvalidRequest, ModelUnavailable, NotFound
from footnote.knowledge.summaries import centralities, chosen
from footnote.store import clusters as stored_clusters
from footnote.store import summaries as stored
from footnote.store.database import WorkspaceScope
from footnote.store.documents import get_document
from footnote.store.lanes import current_lane
from footnote.store.passages import passages_at
from footnote.store.queue import summarising_enqueued
from footnote.store.summaries import KeptSentence
from footnote.store.written_summaries import WritingCounts, count_writing, written_sentences
from footnote.validation.constrained_types import Name

_MOST_DOCUMENTS = 200
_OF_EACH = 2
"""Most sentences of one document in a summary of several."""
_READ_TOGETHER, _READ_OF_EACH = 64, 3
"""Most sentences that a model reads to summarise several documents, and most of one document."""
_FAILURES_SHOWN = 10

Sentences = Annotated[int, Field(ge=1, le=20)]


async def summary(
    workspace: WorkspaceAccess,
    *,
    document_id: UUID | None = None,
    collection: Name | None = None,
    cluster_id: UUID | None = None,
    sentences: Sentences = 5,
    write: bool = False,
) -> Summary:
    """Return the most central sentences of a document, collection or cluster, with locations.

    Name exactly one of the three. Of several documents, the latest 200 visible ones count; those
    not summarised yet add nothing. For one document, `written` is what a model wrote before. With
    `write`, the model now summarises several documents: from the sources of its summary of each,
    and from sentences of the others. Raises NotFound for the target, InvalidRequest,
    BudgetExceeded, and ModelUnavailable where the model gives no summary.
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
            if not ids:
                raise NotFound(
                    f"no document that you may see is in a collection {collection!r}",
                    hint="`footnote collections list` or `GET /v1/collections` shows what there is",
                )
        else:
            assert cluster_id is not None, "one of them is named"
            lane_name = workspace.engine.lane.name
            ids = await _documents_of_cluster(scope, lane_name, cluster_id)
        kept = await stored.kept_sentences(scope, wanted.summariser, ids)
        by_model = (
            {} if wanted.writer is None else await written_sentences(scope, wanted.writer.name, ids)
        )
    if document_id is not None:
        shown = sorted(kept[:sentences], key=lambda each: each.sentence.char_start)
    else:
        shown = await asyncio.to_thread(_of_several, kept, sentences)
    written = () if document_id is None else by_model.get(document_id, ())
    writer = wanted.writer
    if document_id is None and write:
        if writer is None:
            raise InvalidRequest(
                "no language model writes summaries in this workspace",
                hint="`footnote config set summaries model`, and FOOTNOTE_LANGUAGE_MODEL",
            )
        given = await asyncio.to_thread(_read_by_model, kept, by_model)
        writing = await write_summary(workspace, writer, given)
        if writing.failure is not None:
            raise ModelUnavailable(writing.failure, hint="try again, or do without")
        written = writing.sentences
    async with workspace.scope() as scope:
        sentences_shown = await _located(scope, [each.sentence for each in shown])
    return Summary(
        sentences=sentences_shown,
        documents=len({each.sentence.document_id for each in kept}),
        written=written,
        model=writer.model.name if written and writer is not None else None,
    )


async def summary_progress(workspace: WorkspaceAccess) -> SummaryProgress:
    """Return the progress of summarising the visible documents."""
    wanted = await summarising_of(workspace)
    async with workspace.scope() as scope:
        counts = await stored.count_summaries(scope, wanted.summariser)
        writer = wanted.possible_writer
        by = None if wanted.writer is None else wanted.writer.name
        failures = await stored.summary_failures(scope, _FAILURES_SHOWN, by)
        written = None if writer is None else await count_writing(scope, writer.name, MOST_BYTES)
    async with workspace.system_scope() as scope:
        enqueued = await summarising_enqueued(scope)
    unwritten = None if written is None or wanted.writer is None else written.oldest_waiting
    return SummaryProgress(
        enabled=wanted.enabled,
        documents=counts.documents,
        done=counts.done,
        failed=counts.failed,
        running=enqueued and (counts.oldest_waiting or unwritten) is not None,
        oldest_waiting=counts.oldest_waiting,
        failures=failures,
        model=None
        if writer is None or written is None
        else _model_use(workspace, writer, written, enabled=wanted.writer is not None),
    )


def _model_use(
    workspace: WorkspaceAccess, writer: SummaryWriter, counts: WritingCounts, *, enabled: bool
) -> SummaryModelUse:
    estimate = estimated_use(writer, counts)
    return SummaryModelUse(
        model=writer.model.name,
        enabled=enabled,
        done=counts.done,
        failed=counts.failed,
        input_tokens=counts.input_tokens,
        output_tokens=counts.output_tokens,
        cost_usd=counts.cost_usd,
        left_out=counts.left_out,
        remaining_input_tokens=estimate.input_tokens,
        remaining_output_tokens=estimate.output_tokens,
        remaining_cost_usd=workspace.engine.metering.prices.of(estimate),
        oldest_waiting=counts.oldest_waiting,
    )


async def _located(
    scope: WorkspaceScope, sentences: Sequence[SummarySentence]
) -> tuple[SummarySentence, ...]:
    """Add to each sentence the chunk and the page that it begins in."""
    passages = await passages_at(scope, [(each.document_id, each.char_start) for each in sentences])
    found = []
    for each in sentences:
        passage = next(
            (
                passage
                for passage in passages
                if passage.document_id == each.document_id
                and passage.char_start <= each.char_start < passage.char_end
            ),
            None,
        )
        if passage is not None:
            page = page_at(passage, each.char_start)
            found.append(replace(each, chunk_id=passage.chunk_id, page=page))
        else:
            found.append(each)
    return tuple(found)


async def _documents_of_cluster(
    scope: WorkspaceScope, lane_name: str, cluster_id: UUID
) -> list[UUID]:
    """List the latest visible documents of a cluster. Raises NotFound."""
    lane = await current_lane(scope, lane_name)
    if lane is None:
        raise stored_clusters.no_such_cluster(cluster_id)
    _, of = await stored_clusters.kind_of_cluster(scope, cluster_id)
    found = await stored_clusters.sampled_members(
        scope, lane[0], [cluster_id], most=_MOST_DOCUMENTS, of=of
    )
    if len(found) < LEAST_SEEN:
        raise stored_clusters.no_such_cluster(cluster_id)
    return list(dict.fromkeys(each.document_id for each in found))


def _of_several(
    kept: Sequence[KeptSentence], most: int, *, of_each: int = _OF_EACH
) -> list[KeptSentence]:
    """Return the most central sentences of several documents, best first."""
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
        of_each=of_each,
    )
    return [kept[each] for each in found]


def _read_by_model(
    kept: Sequence[KeptSentence], by_model: Mapping[UUID, Sequence[WrittenSentence]]
) -> list[SummarySentence]:
    """Select the sentences from which a model summarises several documents.

    They are the most central ones. Of a document that the model has summarised, the sources of that
    summary take their places.
    """
    rests = {
        document_id: list(dict.fromkeys(source for each in written for source in each.sources))
        for document_id, written in by_model.items()
    }
    found = []
    for each in _of_several(kept, _READ_TOGETHER, of_each=_READ_OF_EACH):
        own = rests.get(each.sentence.document_id)
        if own is None:
            found.append(each.sentence)
        elif own:
            found.append(own.pop(0))
    return found
