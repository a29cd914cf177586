"""Append to the audit log of a workspace in batches, and read it; entries never change."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

import psycopg
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from pydantic import Field, TypeAdapter

from footnote.domain import Principal
from footnote.domain.audit import (
    NO_ENTRIES,
    Act,
    AuditEntry,
    AuditHead,
    AuditPage,
    Outcome,
)
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.sealing import AUDIT_QUERY, AUDIT_SALT
from footnote.store.statements import load_statements, record_of
from footnote.store.usage import PricedUse, add_usage
from footnote.validation.cursors import read_cursor, write_cursor

_SQL = load_statements("audit")
_LARGEST = 2**63 - 1
_PLACE = TypeAdapter(Annotated[int, Field(ge=0, le=_LARGEST)])
"""Type of an entry number in a cursor."""
_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """A filter of audit entries; a field that is None matches all."""

    principal: str | None = None
    act: Act | None = None
    document_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    """Exclusive end."""


async def append_batch(
    database: Database,
    workspace_id: UUID,
    chain: Callable[[AuditHead], Iterable[AuditEntry]],
    uses: Sequence[PricedUse],
    cached: AuditHead | None,
) -> AuditHead:
    """Append entries after the last one, and usage; return the new last entry.

    `cached` is the last entry as cached by this process. If it still is, all is sent in one round
    trip; otherwise the append is repeated after the actual last entry. Raises StoreUnavailable.
    """
    if cached is not None:
        with suppress(psycopg.errors.UniqueViolation, psycopg.errors.NotNullViolation):
            return await _append(database, workspace_id, chain, uses, cached)
    return await _append(database, workspace_id, chain, uses, None)


async def _append(
    database: Database,
    workspace_id: UUID,
    chain: Callable[[AuditHead], Iterable[AuditEntry]],
    uses: Sequence[PricedUse],
    head: AuditHead | None,
) -> AuditHead:
    async with database.batch(workspace_id, SYSTEM) as scope:
        await scope.execute(_SQL["lock"])
        if head is None:
            # Pipelined: the server waits for the lock, then reads the head.
            row = await (await scope.execute(_SQL["head"])).fetchone()
            head = NO_ENTRIES if row is None else record_of(AuditHead, row)
        entries = list(chain(head))
        await _append_entries(scope, entries)
        await add_usage(scope, uses)
    last = entries[-1]
    return AuditHead(entry_no=last.entry_no, entry_hash=last.entry_hash)


async def _append_entries(scope: WorkspaceScope, entries: Iterable[AuditEntry]) -> None:
    for entry in entries:
        await scope.execute(
            _SQL["append"],
            {
                "entry_no": entry.entry_no,
                "act_id": entry.act_id,
                "recorded_at": entry.recorded_at,
                "acting": entry.principal,
                "credential": entry.credential,
                "act": entry.act,
                "verb": entry.verb,
                "outcome": entry.outcome,
                "error": entry.error,
                "subject": Jsonb(dict(entry.subject)),
                "documents": list(entry.documents),
                "passages": list(entry.passages),
                "query_digest": entry.query_digest,
                "previous_hash": entry.previous_hash,
                "entry_hash": entry.entry_hash,
            },
        )
        if entry.query is not None:
            # The salt is encrypted too: with it, a guess could be checked against the digest.
            place = AUDIT_SALT.of(entry.entry_no)
            salt = scope.sealing.content(place, bytes.fromhex(entry.query_salt or ""))
            await scope.execute(
                _SQL["keep_query"],
                {
                    "entry_no": entry.entry_no,
                    "query_salt": salt.hex(),
                    "query": scope.sealing.text(AUDIT_QUERY.of(entry.entry_no), entry.query),
                },
            )


async def list_entries(
    scope: WorkspaceScope, filters: AuditFilter, *, limit: int, cursor: str | None
) -> AuditPage:
    """List entries, newest first. Raises InvalidRequest for an invalid cursor."""
    mark = ("audit log", filters)
    before = _LARGEST if cursor is None else read_cursor(_PLACE, cursor, *mark)
    rows = await scope.all(
        _SQL["entries"],
        {
            "before": before,
            "acting": filters.principal,
            "act": filters.act,
            "document_id": filters.document_id,
            "recorded_from": filters.since,
            "recorded_before": filters.until,
            "limit": limit + 1,
        },
    )
    entries = tuple(_entry_of(scope, row) for row in rows[:limit])
    has_more = len(rows) > limit
    return AuditPage(
        entries=entries,
        next_cursor=write_cursor(_PLACE, entries[-1].entry_no, *mark) if has_more else None,
    )


async def all_entries(
    database: Database, workspace_id: UUID, principal: Principal
) -> AsyncGenerator[AuditEntry]:
    """Yield every entry in order, read in batches; no transaction is open between them."""
    after = 0
    while True:
        async with database.workspace(workspace_id, principal) as scope:
            rows = await scope.all(_SQL["entries_after"], {"after": after, "limit": _BATCH})
            entries = [_entry_of(scope, row) for row in rows]
        for entry in entries:
            yield entry
        if len(entries) < _BATCH:
            return
        after = entries[-1].entry_no


async def entries_about(
    scope: WorkspaceScope, principal: str, *, by_others: bool, after: int, limit: int
) -> tuple[AuditEntry, ...]:
    """List entries by a principal, and with `by_others` those of others that name it, in order."""
    rows = await scope.all(
        _SQL["entries_about"],
        {"who": principal, "by_others": by_others, "after": after, "limit": limit},
    )
    return tuple(_entry_of(scope, row) for row in rows)


def _entry_of(scope: WorkspaceScope, row: DictRow) -> AuditEntry:
    number, query, salt = row["entry_no"], row["query"], row["query_salt"]
    if query is not None:
        query = scope.sealing.plain_text(AUDIT_QUERY.of(number), query)
        salt = scope.sealing.plain_content(AUDIT_SALT.of(number), bytes.fromhex(salt)).hex()
    return record_of(
        AuditEntry,
        row,
        act=Act(row["act"]),
        outcome=Outcome(row["outcome"]),
        query=query,
        query_salt=salt,
    )
