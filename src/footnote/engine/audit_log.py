"""The writer of the audit log: callers wait until their entry is committed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

from footnote.domain.audit import AuditDraft, AuditHead
from footnote.security.audit import chained
from footnote.store.audit import append_batch
from footnote.store.database import Database
from footnote.store.usage import PricedUse

_MAX_AT_ONCE = 200


@dataclass(slots=True, kw_only=True)
class _Waiting:
    """An entry that is not written yet."""

    draft: AuditDraft
    query: str | None
    uses: Sequence[PricedUse]
    written: asyncio.Future[None]


@dataclass(slots=True, kw_only=True)
class AuditLog:
    """Appends entries of many callers in one transaction per workspace at a time.

    An entry is committed when the awaitable of `append` completes. Entries that arrive while a
    batch is written form the next batch, of at most 200, so callers usually wait for two commits at
    most.
    """

    database: Database
    keeps_queries: bool = True
    """Whether the text of queries is stored beside the log."""
    _waiting: dict[UUID, list[_Waiting]] = field(default_factory=dict)
    _writers: dict[UUID, asyncio.Task[None]] = field(default_factory=dict)
    _heads: dict[UUID, AuditHead] = field(default_factory=dict)
    """The last entry of each workspace, as far as this process knows."""

    def append(
        self,
        workspace_id: UUID,
        draft: AuditDraft,
        query: str | None = None,
        uses: Sequence[PricedUse] = (),
    ) -> Awaitable[None]:
        """Append an entry and its usage; the awaitable completes once both are committed.

        Awaiting it raises StoreUnavailable.
        """
        # Cancelling the wait does not cancel the write.
        return asyncio.shield(self.append_soon(workspace_id, draft, query, uses))

    def append_soon(
        self,
        workspace_id: UUID,
        draft: AuditDraft,
        query: str | None = None,
        uses: Sequence[PricedUse] = (),
    ) -> asyncio.Future[None]:
        """Append as `append` does; the future has a result once both are committed."""
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        written.add_done_callback(_retrieve_exception)
        stored_query = query if self.keeps_queries else None
        entry = _Waiting(draft=draft, query=stored_query, uses=uses, written=written)
        self._waiting.setdefault(workspace_id, []).append(entry)
        if workspace_id not in self._writers:
            writer = asyncio.create_task(self._write_all(workspace_id))
            self._writers[workspace_id] = writer
        return written

    async def close(self) -> None:
        """Wait until all queued entries are written."""
        await asyncio.gather(*self._writers.values())

    async def _write_all(self, workspace_id: UUID) -> None:
        try:
            while waiting := self._waiting.pop(workspace_id, None):
                batch, remaining = waiting[:_MAX_AT_ONCE], waiting[_MAX_AT_ONCE:]
                if remaining:
                    self._waiting[workspace_id] = remaining
                await self._write(workspace_id, batch)
        finally:
            del self._writers[workspace_id]
            for entry in self._waiting.pop(workspace_id, ()):
                entry.written.cancel()

    async def _write(self, workspace_id: UUID, batch: list[_Waiting]) -> None:
        drafts = [(entry.draft, entry.query) for entry in batch]
        try:
            self._heads[workspace_id] = await append_batch(
                self.database,
                workspace_id,
                partial(chained, workspace_id, drafts=drafts),
                [use for entry in batch for use in entry.uses],
                # Removed while the batch is written: after a failure the head is unknown.
                self._heads.pop(workspace_id, None),
            )
            for entry in batch:
                entry.written.set_result(None)
        except Exception as error:  # it is raised to whoever waits
            for entry in batch:
                entry.written.set_exception(error)
        finally:
            for entry in batch:
                entry.written.cancel()  # where it was not settled, as this task is being cancelled


def _retrieve_exception(written: asyncio.Future[None]) -> None:
    """Retrieve the exception, so that the event loop does not report it as unhandled."""
    if not written.cancelled():
        written.exception()
