"""Traces that the installation keeps for its operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from uuid import UUID

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from footnote.domain.tracing import Trace, TraceSpan, TraceSummary, ordered
from footnote.errors import NotFound
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("traces")
_SPANS_OF_A_TRACE = 100
"""Spans scanned for each trace of a list."""
_ADVICE = (
    "footnote trace lists those that are kept; FOOTNOTE_TRACES_KEPT_HOURS says for how long, and "
    "OTEL_TRACES_SAMPLER_ARG how many of them, with OTEL_TRACES_SAMPLER=parentbased_traceidratio"
)


def keeper(url: str, kept_hours: float) -> Callable[[Sequence[TraceSpan]], None]:
    """Return a function that stores spans over its own connections; it blocks, and may raise
    psycopg.Error.
    """

    def keep(spans: Sequence[TraceSpan]) -> None:
        rows = [
            asdict(span)
            | {
                "started_at": span.started_at.isoformat(),
                "workspace_id": span.workspace_id and str(span.workspace_id),
                "document_id": span.document_id and str(span.document_id),
            }
            for span in spans
        ]
        with psycopg.connect(url, connect_timeout=10, autocommit=True) as connection:
            connection.execute(_SQL["keep"], {"spans": Jsonb(rows), "kept_hours": kept_hours})

    return keep


async def load_trace(owner_url: str, identifier: str) -> Trace:
    """Return the trace with this id, or the latest one of the document with this id.

    Uses the owner's login. Raises NotFound.
    """
    async with await psycopg.AsyncConnection.connect(owner_url, row_factory=dict_row) as connection:
        trace_id = identifier.lower()
        try:
            document_id = UUID(identifier) if "-" in identifier else None
        except ValueError:
            document_id = None
        if document_id is not None:
            cursor = await connection.execute(_SQL["of_document"], {"document_id": document_id})
            row = await cursor.fetchone()
            trace_id = "" if row is None else row["trace_id"]
        cursor = await connection.execute(_SQL["trace"], {"trace_id": trace_id})
        spans = tuple(record_of(TraceSpan, row) for row in await cursor.fetchall())
    if not spans:
        raise NotFound(f"there is no trace of {identifier}", hint=_ADVICE)
    return Trace(trace_id=trace_id, spans=ordered(spans))


async def latest_traces(owner_url: str, limit: int) -> tuple[TraceSummary, ...]:
    """The newest traces, newest first; through the owner's login."""
    parameters = {"most": limit, "most_spans": limit * _SPANS_OF_A_TRACE}
    async with await psycopg.AsyncConnection.connect(owner_url, row_factory=dict_row) as connection:
        rows = await (await connection.execute(_SQL["latest"], parameters)).fetchall()
    return tuple(record_of(TraceSummary, row) for row in rows)
