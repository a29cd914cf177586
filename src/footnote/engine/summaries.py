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
from footnote.domain.clusters import MIN_VISIBLE_MEMBERS
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
    MAX_BYTES,
    SummaryWriter,
    estimated_use,
    write_summary,
)
from footnote.errors import InvalidRequest, ModelUnavailable, NotFound
from footnote.knowledge.summaries import centralities, select_sentences
from footnote.store import clusters as stored_clusters
from footnote.store import summaries as stored
from footnote.store.database import WorkspaceScope
from footnote.store.documents import get_document
from footnote.store.lanes import current_lane
from footnote.store.passages import passages_at
from footnote.store.queue import summarising_enqueued
from footnote.store.summaries import StoredSentence
from footnote.store.written_summaries import WritingCounts, count_writing, written_sentences
from footnote.validation.constrained_types import Name

_MAX_DOCUMENTS = 200
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
    summarising = await summarising_of(workspace)
    async with workspace.scope() as scope:
        if document_id is not None:
            await get_document(scope, document_id)
            ids: Sequence[UUID] = (document_id,)
        elif collection is not None:
            ids = await stored.latest_of_collection(scope, collection, _MAX_DOCUMENTS)
            if not ids:
                raise NotFound(
                    f"no document that you may see is in a collection {collection!r}",
                    hint="`footnote collections list` or `GET /v1/collections` shows what there is",
                )
        else:
            assert cluster_id is not None, "one of them is named"
            lane_name = workspace.engine.lane.name
            ids = await _documents_of_cluster(scope, lane_name, cluster_id)
        candidates = await stored.stored_sentences(scope, summarising.summariser, ids)
        by_model = (
            {}
            if summarising.writer is None
            else await written_sentences(scope, summarising.writer.name, ids)
        )
    if document_id is not None:
        selected = sorted(
            candidates[:sentences], key=lambda candidate: candidate.sentence.char_start
        )
    else:
        selected = await asyncio.to_thread(_most_central, candidates, sentences)
    written = () if document_id is None else by_model.get(document_id, ())
    writer = summarising.writer
    if document_id is None and write:
        if writer is None:
            raise InvalidRequest(
                "no language model writes summaries in this workspace",
                hint="`footnote config set summaries model`, and FOOTNOTE_LANGUAGE_MODEL",
            )
        sources = await asyncio.to_thread(_read_by_model, candidates, by_model)
        writing = await write_summary(workspace, writer, sources)
        if writing.failure is not None:
            raise ModelUnavailable(writing.failure, hint="try again, or do without")
        written = writing.sentences
    async with workspace.scope() as scope:
        sentences_shown = await _with_locations(
            scope, [candidate.sentence for candidate in selected]
        )
    return Summary(
        sentences=sentences_shown,
        documents=len({candidate.sentence.document_id for candidate in candidates}),
        written=written,
        model=writer.model.name if written and writer is not None else None,
    )


async def summary_progress(workspace: WorkspaceAccess) -> SummaryProgress:
    """Return the progress of summarising the visible documents."""
    summarising = await summarising_of(workspace)
    async with workspace.scope() as scope:
        counts = await stored.count_summaries(scope, summarising.summariser)
        writer = summarising.possible_writer
        writer_name = None if summarising.writer is None else summarising.writer.name
        failures = await stored.summary_failures(scope, _FAILURES_SHOWN, writer_name)
        written = None if writer is None else await count_writing(scope, writer.name, MAX_BYTES)
    async with workspace.system_scope() as scope:
        enqueued = await summarising_enqueued(scope)
    unwritten = None if written is None or summarising.writer is None else written.oldest_waiting
    return SummaryProgress(
        enabled=summarising.enabled,
        documents=counts.documents,
        done=counts.done,
        failed=counts.failed,
        running=enqueued and (counts.oldest_waiting or unwritten) is not None,
        oldest_waiting=counts.oldest_waiting,
        failures=failures,
        model=None
        if writer is None or written is None
        else _model_use(workspace, writer, written, enabled=summarising.writer is not None),
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


async def _with_locations(
    scope: WorkspaceScope, sentences: Sequence[SummarySentence]
) -> tuple[SummarySentence, ...]:
    """Add to each sentence the chunk and the page that it begins in."""
    passages = await passages_at(
        scope, [(sentence.document_id, sentence.char_start) for sentence in sentences]
    )
    located = []
    for sentence in sentences:
        passage = next(
            (
                passage
                for passage in passages
                if passage.document_id == sentence.document_id
                and passage.char_start <= sentence.char_start < passage.char_end
            ),
            None,
        )
        if passage is not None:
            page = page_at(passage, sentence.char_start)
            located.append(replace(sentence, chunk_id=passage.chunk_id, page=page))
        else:
            located.append(sentence)
    return tuple(located)


async def _documents_of_cluster(
    scope: WorkspaceScope, lane_name: str, cluster_id: UUID
) -> list[UUID]:
    """List the latest visible documents of a cluster. Raises NotFound."""
    lane = await current_lane(scope, lane_name)
    if lane is None:
        raise stored_clusters.no_such_cluster(cluster_id)
    _, of = await stored_clusters.kind_of_cluster(scope, cluster_id)
    members = await stored_clusters.sampled_members(
        scope, lane[0], [cluster_id], most=_MAX_DOCUMENTS, of=of
    )
    if len(members) < MIN_VISIBLE_MEMBERS:
        raise stored_clusters.no_such_cluster(cluster_id)
    return list(dict.fromkeys(member.document_id for member in members))


def _most_central(
    candidates: Sequence[StoredSentence], limit: int, *, of_each: int = _OF_EACH
) -> list[StoredSentence]:
    """Return the most central sentences of several documents, best first."""
    if not candidates:
        return []
    vectors = np.stack([candidate.vector for candidate in candidates]).astype(np.float32)
    owners = {candidate.sentence.document_id: number for number, candidate in enumerate(candidates)}
    weights = centralities(vectors)
    indices = select_sentences(
        vectors,
        weights,
        limit,
        owners=[owners[candidate.sentence.document_id] for candidate in candidates],
        of_each=of_each,
    )
    return [candidates[index] for index in indices]


def _read_by_model(
    candidates: Sequence[StoredSentence], by_model: Mapping[UUID, Sequence[WrittenSentence]]
) -> list[SummarySentence]:
    """Select the sentences from which a model summarises several documents.

    They are the most central ones. Of a document that the model has summarised, the sources of that
    summary take their places.
    """
    unread_sources = {
        document_id: list(
            dict.fromkeys(source for sentence in written for source in sentence.sources)
        )
        for document_id, written in by_model.items()
    }
    sentences = []
    for candidate in _most_central(candidates, _READ_TOGETHER, of_each=_READ_OF_EACH):
        sources = unread_sources.get(candidate.sentence.document_id)
        if sources is None:
            sentences.append(candidate.sentence)
        elif sources:
            sentences.append(sources.pop(0))
    return sentences
