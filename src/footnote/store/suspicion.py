"""Which passages nobody has looked at for orders to a model, and what was found in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from footnote.domain import Passage
from footnote.store.database import WorkspaceScope
from footnote.store.passages import ask_passages, read_passages
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("suspicion")


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkCounts:
    """How many published documents were looked at as a whole."""

    documents: int
    done: int
    oldest_waiting: datetime | None


async def count_marked(scope: WorkspaceScope) -> MarkCounts:
    """Count what was looked at and what was not, of what may be seen."""
    return record_of(MarkCounts, await scope.single(_SQL["progress"]))


async def any_unmarked(scope: WorkspaceScope) -> bool:
    """Whether there is a passage at which nobody looked."""
    row = await scope.single(_SQL["any_unmarked"])
    return bool(row["found"])


async def unmarked_passages(scope: WorkspaceScope, limit: int) -> tuple[Passage, ...]:
    """Passages at which nobody looked, of the newest documents first."""
    rows = await scope.all(_SQL["unmarked"], {"limit": limit})
    numbers = [row["chunk_no"] for row in rows]
    passages = await read_passages(scope, await ask_passages(scope, numbers))
    return tuple(passages[number] for number in numbers if number in passages)


async def mark_passages(scope: WorkspaceScope, found: Mapping[int, bool]) -> None:
    """Keep by chunk number whether it gives orders; one that was published again has its own."""
    given = {"numbers": list(found), "found": list(found.values())}
    await scope.execute(_SQL["mark"], given)
