"""Sources that a workspace follows on a schedule, and the job of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from psycopg.rows import DictRow

from footnote.domain import Identity, Role
from footnote.domain.sources import NewSource, SourceState, WorkspaceSource
from footnote.errors import Conflict, NotFound
from footnote.store.acting import actor_columns, actor_in
from footnote.store.database import WorkspaceScope
from footnote.store.queue import enqueue
from footnote.store.sealing import SOURCE_SECRET
from footnote.store.statements import load_statements, record_of

FOLLOW_TASK = "follow_source"
FIGURES = ("seen", "added", "changed", "removed", "failed")
"""Counters of a run, named like their columns."""

_SQL = load_statements("workspace_sources")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceInHand:
    """What a worker needs to follow a source."""

    source: WorkspaceSource
    actor: Identity
    """Whoever added it, as their credential said."""
    secret: str | None = field(repr=False)
    anywhere: bool
    """Whether the operator added it, so that its place is not restricted."""


async def add_source(
    scope: WorkspaceScope, requested: NewSource, kind: str, *, anywhere: bool, actor: Identity
) -> WorkspaceSource:
    """Store a source that is followed for `actor`, and enqueue its first run.

    Raises Conflict if there is one at this place.
    """
    source_id, job_id = uuid4(), uuid4()
    secret = requested.secret
    row = await scope.one(
        _SQL["add"],
        {
            "source_id": source_id,
            "place": requested.place,
            "kind": kind,
            "collection": requested.collection,
            "every_minutes": requested.every_minutes,
            "delete_missing": requested.delete_missing,
            "secret": secret and scope.sealing.secret(SOURCE_SECRET.of(source_id), secret),
            "anywhere": anywhere,
            "job_id": job_id,
            **actor_columns(actor),
        },
    )
    if row is None:
        raise Conflict(
            "the collection has a source at this place already",
            hint="remove it first, or have it read again",
        )
    await _enqueue(scope, source_id, job_id)
    return _source(row)


async def count_sources(scope: WorkspaceScope) -> int:
    """Count the workspace's sources."""
    return int((await scope.single(_SQL["count"]))["sources"])


async def list_sources(scope: WorkspaceScope) -> tuple[WorkspaceSource, ...]:
    """List the workspace's sources, oldest first."""
    return tuple(map(_source, await scope.all(_SQL["list"])))


async def get_source(scope: WorkspaceScope, source_id: UUID) -> WorkspaceSource:
    """Return a source. Raises NotFound."""
    row = await scope.one(_SQL["get"], {"source_id": source_id})
    if row is None:
        raise _not_found(source_id)
    return _source(row)


async def follow_now(scope: WorkspaceScope, source_id: UUID) -> WorkspaceSource:
    """Start a run now, also of a paused source; one that is running is left alone.

    Raises NotFound.
    """
    job_id = uuid4()
    row = await scope.one(_SQL["due_now"], {"source_id": source_id, "job_id": job_id})
    if row is None:
        return await get_source(scope, source_id)
    await _enqueue(scope, source_id, job_id)
    return _source(row)


async def pause_source(scope: WorkspaceScope, source_id: UUID) -> WorkspaceSource:
    """Pause a source. Raises NotFound."""
    row = await scope.one(_SQL["pause"], {"source_id": source_id})
    if row is None:
        raise _not_found(source_id)
    return _source(row)


async def remove_source(scope: WorkspaceScope, source_id: UUID) -> None:
    """Remove a source; its documents stay. Raises NotFound."""
    if not await scope.change(_SQL["remove"], {"source_id": source_id}):
        raise _not_found(source_id)


async def claim_source(scope: WorkspaceScope, source_id: UUID, job_id: UUID) -> SourceInHand | None:
    """Mark a source as running, and return it; None if this job was superseded."""
    row = await scope.one(_SQL["take_up"], {"source_id": source_id, "job_id": job_id})
    if row is None:
        return None
    sealed = row["secret"]
    return SourceInHand(
        source=_source(row),
        # Only administrators could ever add one.
        actor=actor_in(row, row["added_by"], role_of_before=Role.ADMIN),
        secret=sealed and scope.sealing.plain_secret(SOURCE_SECRET.of(source_id), sealed),
        anywhere=row["anywhere"],
    )


async def note_figures(
    scope: WorkspaceScope,
    source_id: UUID,
    job_id: UUID,
    figures: Mapping[str, int],
    last_error: str | None,
) -> bool:
    """Add to the counters of a run; return False if this job was superseded."""
    values = {name: figures.get(name, 0) for name in FIGURES} | {"last_error": last_error}
    return bool(
        await scope.change(_SQL["note"], {"source_id": source_id, "job_id": job_id, **values})
    )


async def postpone(scope: WorkspaceScope, source_id: UUID, job_id: UUID, seconds: float) -> None:
    """Continue the same run after a delay."""
    await _enqueue(scope, source_id, job_id, datetime.now(UTC) + timedelta(seconds=seconds))


async def end_run(
    scope: WorkspaceScope, source_id: UUID, job_id: UUID, last_error: str | None = None
) -> None:
    """Record the end of a run, and enqueue the next one for when it is due."""
    next_job_id = uuid4()
    row = await scope.one(
        _SQL["end"],
        {
            **{"source_id": source_id, "job_id": job_id, "next_job_id": next_job_id},
            "last_error": last_error,
        },
    )
    if row is not None and row["next_run_at"] is not None:
        await _enqueue(scope, source_id, next_job_id, row["next_run_at"])


async def _enqueue(
    scope: WorkspaceScope, source_id: UUID, job_id: UUID, due: datetime | None = None
) -> None:
    # A lock per job: with a shared one, a job due later would block one due now.
    await enqueue(
        scope,
        FOLLOW_TASK,
        f"source:{job_id}",
        {"source_id": str(source_id), "job_id": str(job_id)},
        due=due,
    )


def _source(row: DictRow) -> WorkspaceSource:
    return record_of(WorkspaceSource, row, state=SourceState(row["state"]))


def _not_found(source_id: UUID) -> NotFound:
    return NotFound(
        f"there is no source {source_id}",
        hint="`footnote source list` or `GET /v1/sources` shows the ids",
    )
