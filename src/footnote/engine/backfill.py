"""Backfill: report what existing documents lack, and start, pause and resume the work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from footnote.domain.backfill import (
    Backfill,
    BackfillModelUse,
    BackfillProgress,
    BackgroundWork,
)
from footnote.domain.clusters import ClusterOf, ClusterProgress
from footnote.domain.entities import EntityProgress
from footnote.domain.facts import FactProgress
from footnote.domain.lanes import Reembedding, ReembeddingState
from footnote.domain.summaries import SummaryModelUse, SummaryProgress
from footnote.domain.usage import ReadingUse
from footnote.engine.clusters import cluster_progress
from footnote.engine.configuration import change_setting, paused_work
from footnote.engine.entities import entity_progress, entity_progress_without_model
from footnote.engine.facts import fact_progress, fact_progress_of_rules
from footnote.engine.lanes import lanes
from footnote.engine.services import WorkspaceAccess
from footnote.engine.summaries import summary_progress
from footnote.errors import Conflict
from footnote.store.database import WorkspaceScope
from footnote.store.injection_screening import MarkCounts, count_marked
from footnote.store.keywords import KeywordCounts, count_keywords
from footnote.store.merging import segment_formats
from footnote.store.queue import (
    enqueue_clustering,
    enqueue_entities,
    enqueue_facts,
    enqueue_keywords,
    enqueue_maintenance,
    enqueue_marking,
    enqueue_summarising,
    keywords_enqueued,
    marking_enqueued,
)

_Progress = EntityProgress | FactProgress | ClusterProgress | SummaryProgress
_ENQUEUE: Mapping[BackgroundWork, Callable[[WorkspaceScope], Awaitable[None]]] = {
    BackgroundWork.ENTITIES: enqueue_entities,
    BackgroundWork.ENTITIES_BY_MODEL: enqueue_entities,
    BackgroundWork.FACTS: enqueue_facts,
    BackgroundWork.FACTS_BY_MODEL: enqueue_facts,
    BackgroundWork.CLUSTERS: enqueue_clustering,
    BackgroundWork.CHUNK_CLUSTERS: enqueue_clustering,
    BackgroundWork.SUMMARIES: enqueue_summarising,
    BackgroundWork.SUMMARIES_BY_MODEL: enqueue_summarising,
    BackgroundWork.KEYWORDS: enqueue_keywords,
    BackgroundWork.SUSPICION: enqueue_marking,
}
_UNDER_WAY = (ReembeddingState.QUEUED, ReembeddingState.RUNNING)


async def backfill(workspace: WorkspaceAccess) -> Backfill:
    """Return the progress of each kind of work on the documents that may be seen."""
    paused = await paused_work(workspace)
    of_facts, of_summaries = await fact_progress(workspace), await summary_progress(workspace)
    rows = (
        _progress(BackgroundWork.ENTITIES, await entity_progress_without_model(workspace)),
        _model_progress(BackgroundWork.ENTITIES_BY_MODEL, await entity_progress(workspace)),
        _progress(BackgroundWork.FACTS, await fact_progress_of_rules(workspace)),
        _model_progress(BackgroundWork.FACTS_BY_MODEL, of_facts),
        _progress(BackgroundWork.CLUSTERS, await cluster_progress(workspace)),
        _progress(
            BackgroundWork.CHUNK_CLUSTERS, await cluster_progress(workspace, of=ClusterOf.CHUNKS)
        ),
        _progress(BackgroundWork.SUMMARIES, of_summaries),
        _summary_model_progress(of_summaries),
        await _keyword_progress(workspace),
        await _marking_progress(workspace),
    )
    async with workspace.system_scope() as scope:
        formats = await segment_formats(scope)
    return Backfill(
        kinds=tuple(
            replace(row, paused=True, running=False) if row.kind in paused else row for row in rows
        ),
        reembedding=await _reembedding(workspace),
        index=formats,
    )


async def start_backfill(
    workspace: WorkspaceAccess, kinds: tuple[BackgroundWork, ...] = ()
) -> Backfill:
    """Enqueue the work that documents lack, newest documents first.

    Without `kinds`, all kinds that are enabled and not paused. Raises Conflict for a named kind
    that is switched off or paused, and where all are paused.
    """
    before = await backfill(workspace)
    enabled = [row for row in before.kinds if row.enabled]
    outdated = before.index.current < before.index.segments
    if not kinds and not outdated and all(row.paused for row in enabled):
        raise Conflict(
            f"all is paused in this workspace: {', '.join(row.kind.value for row in enabled)}",
            hint="`footnote backfill resume`, with --kind for some of it",
        )
    to_start = []
    for row in before.kinds:
        if row.enabled and not row.paused and (not kinds or row.kind in kinds):
            if row.waiting:
                to_start.append(row.kind)
        elif row.kind in kinds:
            raise _not_startable(row)
    async with workspace.system_scope() as scope:
        for kind in to_start:
            await _ENQUEUE[kind](scope)
        if outdated:
            await enqueue_maintenance(scope)
    return await backfill(workspace)


async def pause_backfill(
    workspace: WorkspaceAccess, kinds: tuple[BackgroundWork, ...] = ()
) -> Backfill:
    """Pause these kinds of work, or all of them, until they are resumed.

    A running job continues to the end of its time slice. Existing results are kept and searched.
    """
    paused = await paused_work(workspace)
    await _set_paused(workspace, paused.union(kinds or BackgroundWork))
    return await backfill(workspace)


async def resume_backfill(
    workspace: WorkspaceAccess, kinds: tuple[BackgroundWork, ...] = ()
) -> Backfill:
    """Resume these kinds of work, or all of them, where they were paused."""
    paused = await paused_work(workspace)
    await _set_paused(workspace, paused.difference(kinds or BackgroundWork))
    return await backfill(workspace)


async def _set_paused(workspace: WorkspaceAccess, paused: frozenset[BackgroundWork]) -> None:
    await change_setting(workspace, "paused_work", ",".join(sorted(paused)))


def _progress(kind: BackgroundWork, progress: _Progress) -> BackfillProgress:
    failed = 0 if isinstance(progress, ClusterProgress) else progress.failed
    return BackfillProgress(
        kind=kind,
        enabled=progress.enabled,
        paused=False,
        documents=progress.documents,
        done=progress.done,
        failed=failed,
        waiting=max(0, progress.documents - progress.done - failed),
        running=progress.running,
        oldest_waiting=progress.oldest_waiting,
    )


def _model_progress(
    kind: BackgroundWork, extraction: EntityProgress | FactProgress
) -> BackfillProgress:
    """Return the progress of a model; nothing is done without one or where it is disabled."""
    use = extraction.model
    reads = extraction.enabled and use is not None and use.enabled
    progress = _progress(kind, extraction)
    if not reads:
        progress = _without_results(progress)
    return replace(progress, model=None if use is None else _model_use(use))


def _summary_model_progress(summaries: SummaryProgress) -> BackfillProgress:
    """How far a model has written summaries."""
    use = summaries.model
    progress = _progress(BackgroundWork.SUMMARIES_BY_MODEL, summaries)
    if use is None or not (summaries.enabled and use.enabled):
        progress = _without_results(progress)
    else:
        progress = replace(
            progress,
            done=use.done,
            failed=use.failed,
            waiting=max(0, summaries.documents - use.done - use.failed),
            oldest_waiting=use.oldest_waiting,
        )
    return replace(progress, model=None if use is None else _model_use(use))


def _without_results(progress: BackfillProgress) -> BackfillProgress:
    return replace(
        progress,
        enabled=False,
        done=0,
        failed=0,
        waiting=progress.documents,
        running=False,
        oldest_waiting=None,
    )


def _model_use(use: ReadingUse | SummaryModelUse) -> BackfillModelUse:
    return BackfillModelUse(
        model=use.model,
        enabled=use.enabled,
        remaining_tokens=use.remaining_input_tokens + use.remaining_output_tokens,
        remaining_cost_usd=use.remaining_cost_usd,
    )


async def _keyword_progress(workspace: WorkspaceAccess) -> BackfillProgress:
    async with workspace.scope() as scope:
        counts = await count_keywords(scope)
    async with workspace.system_scope() as scope:
        return _progress_from_counts(
            BackgroundWork.KEYWORDS, counts, await keywords_enqueued(scope)
        )


async def _marking_progress(workspace: WorkspaceAccess) -> BackfillProgress:
    async with workspace.scope() as scope:
        counts = await count_marked(scope)
    async with workspace.system_scope() as scope:
        return _progress_from_counts(
            BackgroundWork.SUSPICION, counts, await marking_enqueued(scope)
        )


def _progress_from_counts(
    kind: BackgroundWork, counts: KeywordCounts | MarkCounts, running: bool
) -> BackfillProgress:
    return BackfillProgress(
        kind=kind,
        enabled=True,
        paused=False,
        documents=counts.documents,
        done=counts.done,
        failed=0,
        waiting=counts.documents - counts.done,
        running=running and counts.done < counts.documents,
        oldest_waiting=counts.oldest_waiting,
    )


async def _reembedding(workspace: WorkspaceAccess) -> Reembedding | None:
    for lane in await lanes(workspace):
        change = lane.reembedding
        if change is not None and change.state in _UNDER_WAY:
            return change
    return None


def _not_startable(progress: BackfillProgress) -> Conflict:
    if progress.paused:
        return Conflict(
            f"{progress.kind.value} is paused in this workspace",
            hint=f"`footnote backfill resume --kind {progress.kind.value}`",
        )
    return Conflict(
        f"this workspace makes no {progress.kind.value.replace('_', ' ')}",
        hint=f"switch it on: `footnote config set {progress.kind.switch}`",
    )
