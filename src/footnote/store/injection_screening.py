"""Which chunks still have to be screened for prompt injections, and the results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from footnote.domain import Passage
from footnote.store.database import WorkspaceScope
from footnote.store.passages import ask_passages, read_passages
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("injection_screening")


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkCounts:
    """How many published documents are screened completely."""

    documents: int
    done: int
    oldest_waiting: datetime | None


async def count_marked(scope: WorkspaceScope) -> MarkCounts:
    """Count the visible published documents, and those screened completely."""
    return record_of(MarkCounts, await scope.single(_SQL["progress"]))


async def any_unmarked(scope: WorkspaceScope) -> bool:
    """Return whether a passage was not screened yet."""
    row = await scope.single(_SQL["any_unmarked"])
    return bool(row["found"])


async def unmarked_passages(scope: WorkspaceScope, limit: int) -> tuple[Passage, ...]:
    """Return passages that were not screened yet, of the newest documents first."""
    rows = await scope.all(_SQL["unmarked"], {"limit": limit})
    numbers = [row["chunk_no"] for row in rows]
    passages = await read_passages(scope, await ask_passages(scope, numbers))
    return tuple(passages[number] for number in numbers if number in passages)


async def mark_passages(scope: WorkspaceScope, suspicious: Mapping[int, bool]) -> None:
    """Store by chunk number whether it has instructions to a model; earlier results are kept."""
    parameters = {"numbers": list(suspicious), "found": list(suspicious.values())}
    await scope.execute(_SQL["mark"], parameters)
