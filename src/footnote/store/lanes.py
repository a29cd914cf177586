"""Embedding lanes of a workspace: list them, re-embed into another, switch and roll back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from psycopg.rows import DictRow

from footnote.domain import Lane, LaneState, LaneStatus, Reembedding, ReembeddingState, Stage
from footnote.errors import Conflict, DocumentInterrupted, InvalidRequest, LaneMismatch, NotFound
from footnote.ports import Vectors
from footnote.store.database import WorkspaceScope
from footnote.store.hnsw import index_name
from footnote.store.queue import enqueue_purge, enqueue_reembedding
from footnote.store.statements import load_statements, record_of
from footnote.store.workspaces import lane_parameters

_SQL = load_statements("lanes")

_STATES = {
    "active": LaneState.CURRENT,
    "building": LaneState.PENDING,
    "retired": LaneState.PREVIOUS,
}


async def current_lane(scope: WorkspaceScope, name: str) -> tuple[int, Lane] | None:
    """Return the number and the lane of this name that searches use; None before the first
    document.
    """
    row = await scope.one(_SQL["current"], {"name": name})
    return None if row is None else (row["lane_id"], record_of(Lane, row))


async def require_current(scope: WorkspaceScope, lane_id: int) -> None:
    """Raise DocumentInterrupted unless searches use the lane.

    Call it while the index is locked: a version that was embedded before a lane switch must be
    embedded again in the new lane, or only lexical search would find it.
    """
    if await scope.one(_SQL["is_current"], {"lane_id": lane_id}) is None:
        raise DocumentInterrupted(
            stage=Stage.PUBLISH,
            cause="the workspace changed its embedding model meanwhile",
            advice="it is embedded again by itself",
        )


async def list_lanes(
    scope: WorkspaceScope, retention: timedelta, name: str | None = None
) -> tuple[LaneStatus, ...]:
    """List the lanes that are not purged, by number; `retention` is how long retired ones stay."""
    rows = await scope.all(_SQL["lanes"])
    return tuple(_status(row, retention) for row in rows if name in (None, row["name"]))


async def begin_reembedding(
    scope: WorkspaceScope, target: Lane, texts_per_second: float | None, retention: timedelta
) -> int:
    """Start to re-embed the workspace's lane as `target`; return the number of the new lane.

    An existing lane of the same model, partly filled or retired, is completed instead of filled
    from scratch. The lane becomes current at once if no vector is missing. Raises Conflict when the
    lane is current already, or while another re-embedding is in progress.
    """
    parameters = lane_parameters(target)
    await scope.execute(_SQL["lock_index"], parameters)
    current = await current_lane(scope, target.name)
    if current is None:
        return await _add(scope, parameters | {"state": "active"})
    if current[1].fingerprint == target.fingerprint:
        raise Conflict(
            f"the lane {target.name} is {target.fingerprint} already",
            hint="name another model; footnote lanes shows what there is",
        )
    await _refuse_second(scope, parameters)
    resumable = await scope.one(_SQL["resumable"], parameters)
    if resumable is not None:
        lane_id = int(resumable["lane_id"])
    else:
        lane_id = await _add(scope, parameters | {"state": "building"})
    await _begin(scope, lane_id, False, texts_per_second)
    await _switch_or_enqueue(scope, lane_id, current[0], retention)
    return lane_id


async def begin_rollback(scope: WorkspaceScope, name: str, retention: timedelta) -> int:
    """Start to make the previous lane current again, after adding missing vectors; return its id.

    It becomes current at once if no vector is missing. Raises Conflict without a previous lane, or
    while another change is in progress.
    """
    parameters: dict[str, object] = {"name": name}
    await scope.execute(_SQL["lock_index"], parameters)
    current = await current_lane(scope, name)
    previous = await previous_lane(scope, name)
    if current is None or previous is None:
        raise Conflict(
            f"there is no previous lane {name} to go back to",
            hint="it was purged, or the model was never changed; see footnote lanes",
        )
    await _refuse_second(scope, parameters)
    await _begin(scope, previous.lane_id, True, None)
    await _switch_or_enqueue(scope, previous.lane_id, current[0], retention)
    return previous.lane_id


async def previous_lane(scope: WorkspaceScope, name: str) -> LaneStatus | None:
    """Return the lane that was retired most recently; None once it is purged."""
    previous = [
        lane
        for lane in await list_lanes(scope, timedelta(0), name)
        if lane.state is LaneState.PREVIOUS and lane.retired_at is not None
    ]
    return max(previous, key=lambda lane: (lane.retired_at, lane.lane_id), default=None)


async def cancel_reembedding(scope: WorkspaceScope, name: str) -> int:
    """Cancel the re-embedding in progress; return the number of its lane, which keeps its vectors.

    Raises NotFound when none is in progress.
    """
    parameters: dict[str, object] = {"name": name}
    await scope.execute(_SQL["lock_index"], parameters)
    row = await scope.one(_SQL["under_way"], parameters)
    if row is None:
        raise NotFound(
            f"no re-embedding of the lane {name} is under way", hint="footnote lanes shows them"
        )
    await end_reembedding(scope, row["lane_id"], ReembeddingState.CANCELLED)
    return int(row["lane_id"])


async def end_reembedding(
    scope: WorkspaceScope, lane_id: int, state: ReembeddingState, failure: str | None = None
) -> bool:
    """Record how a re-embedding ended; return False if it had ended before."""
    return (
        await scope.one(_SQL["end"], {"lane_id": lane_id, "state": state.value, "failure": failure})
        is not None
    )


async def switch_if_complete(
    scope: WorkspaceScope, lane_id: int, current: int, retention: timedelta
) -> bool:
    """Make the lane current if no chunk and no document lacks a vector, in one transaction.

    Returns False when a vector is missing or the re-embedding has ended. Waits for publications in
    progress. The lane that was current is kept for a rollback.
    """
    parameters: dict[str, object] = {
        "lane_id": lane_id,
        "current": current,
        "index": index_name(scope.workspace_id, lane_id),
    }
    await scope.execute(_SQL["lock_index"], parameters)
    row = await scope.one(_SQL["is_missing"], parameters)
    if row is None or row["missing"]:
        return False
    if not await end_reembedding(scope, lane_id, ReembeddingState.SWITCHED):
        return False
    for step in ("retire", "make_current", "point_index"):
        await scope.execute(_SQL[step], parameters)
    await enqueue_purge(scope, retention)
    return True


def require_vectors_of(lane: Lane, vectors: Vectors, count: int) -> None:
    """Raise LaneMismatch unless the array has `count` vectors of the lane's dimensions."""
    if vectors.shape != (count, lane.dimensions):
        raise LaneMismatch(
            f"{count} vectors of lane {lane.fingerprint} were expected, "
            f"and an array of shape {vectors.shape} was given",
            hint="check that the configured model is the one the lane names",
        )


async def _add(scope: WorkspaceScope, parameters: dict[str, object]) -> int:
    return int((await scope.single(_SQL["add"], parameters))["lane_id"])


async def _begin(
    scope: WorkspaceScope, lane_id: int, rollback: bool, texts_per_second: float | None
) -> None:
    if texts_per_second is not None and texts_per_second <= 0:
        raise InvalidRequest(
            f"texts_per_second is {texts_per_second:g}", hint="give a number above 0, or none"
        )
    await scope.execute(
        _SQL["begin"],
        {"lane_id": lane_id, "rollback": rollback, "texts_per_second": texts_per_second},
    )


async def _switch_or_enqueue(
    scope: WorkspaceScope, lane_id: int, current: int, retention: timedelta
) -> None:
    if not await switch_if_complete(scope, lane_id, current, retention):
        await enqueue_reembedding(scope, lane_id)


async def _refuse_second(scope: WorkspaceScope, parameters: Mapping[str, object]) -> None:
    row = await scope.one(_SQL["under_way"], parameters)
    if row is not None:
        raise Conflict(
            f"the lane {parameters['name']} is being re-embedded already",
            hint="wait for its end, or cancel it: footnote reembed --cancel",
        )


def _status(row: DictRow, retention: timedelta) -> LaneStatus:
    retired_at = row["retired_at"]
    lane = record_of(Lane, row)
    return record_of(
        LaneStatus,
        row,
        lane=lane,
        state=_STATES[row["state"]],
        purge_after=None if retired_at is None else retired_at + retention,
        reembedding=None
        if row["work"] is None
        else record_of(
            Reembedding,
            row,
            lane=lane,
            state=ReembeddingState(row["work"]),
            cost_usd=float(row["cost_usd"]),
        ),
    )
