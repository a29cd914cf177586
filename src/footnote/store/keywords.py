"""Find documents whose keywords are outdated because the workspace grew, and store new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from footnote.index.terms import term_ids
from footnote.ports.ingesting import TermCounts
from footnote.store.database import WorkspaceScope
from footnote.store.lexical import count_lists
from footnote.store.sealing import KEYWORDS
from footnote.store.statements import load_statements, record_of
from footnote.store.workspaces import lexical_key

_SQL = load_statements("keywords")
_COUNTS = load_statements("ingesting")


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingDocument:
    """A published document whose keywords must be chosen again."""

    document_id: UUID
    version: int
    language: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordCounts:
    """How many published documents have up-to-date keywords."""

    documents: int
    done: int
    oldest_waiting: datetime | None


async def next_waiting(scope: WorkspaceScope) -> WaitingDocument | None:
    """Return the newest document with outdated keywords; None if there is none."""
    row = await scope.one(_SQL["waiting"], {"chunks": await _chunks(scope)})
    return None if row is None else record_of(WaitingDocument, row)


async def count_keywords(scope: WorkspaceScope) -> KeywordCounts:
    """Count the visible published documents, and those with up-to-date keywords."""
    row = await scope.single(_SQL["progress"], {"chunks": await _chunks(scope)})
    return record_of(KeywordCounts, row)


async def term_counts(scope: WorkspaceScope, terms: Sequence[str]) -> TermCounts:
    """Count all chunks, and those that contain each term; deleted chunks may be included."""
    ids = term_ids(await lexical_key(scope), terms)
    counts = await count_lists(scope, set(ids))
    return TermCounts(
        chunks=await _chunks(scope), holding=tuple(counts[term_id] for term_id in ids)
    )


async def store_keywords(
    scope: WorkspaceScope, document: WaitingDocument, keywords: Sequence[str], among: int
) -> None:
    """Store a document's keywords, chosen when the workspace had `among` chunks."""
    place = KEYWORDS.of(document.document_id)
    await scope.execute(
        _SQL["keep"],
        {
            "document_id": document.document_id,
            "version": document.version,
            "keywords": scope.sealing.words(place, tuple(keywords)),
            "among": among,
        },
    )


async def pass_over(scope: WorkspaceScope, document: WaitingDocument) -> None:
    """Keep a document's keywords, and mark them as up to date with the workspace's size."""
    parameters = {"document_id": document.document_id, "version": document.version}
    await scope.execute(_SQL["pass_over"], parameters | {"among": await _chunks(scope)})


async def _chunks(scope: WorkspaceScope) -> int:
    row = await scope.single(_COUNTS["count_chunks"])
    return int(row["chunks"])
