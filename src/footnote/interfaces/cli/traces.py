"""`footnote trace`: what one request or document went through, step by step."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from footnote.domain.tracing import Trace, TraceSpan, TraceSummary
from footnote.interfaces.cli import present
from footnote.interfaces.cli.operations import in_installation
from footnote.interfaces.cli.options import AsJson
from footnote.interfaces.schemas import TraceList

_BAR = 24
"""Characters of the line that shows when a step ran."""


def trace(
    identifier: Annotated[
        str | None,
        typer.Argument(metavar="ID", help="Of a trace, or of a document; none lists the newest."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=500, help="The most that are listed.")
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """Show a trace that was kept: each step with its duration, in every process.

    Traces are kept where FOOTNOTE_TRACES_KEPT_HOURS is set. The id of one is in the header
    Traceresponse of each answer over HTTP and in the log lines that belong to it.
    """
    if identifier is None:
        traces = in_installation(lambda engine: engine.traces(limit))
        if as_json:
            present.print_json(TraceList(traces=traces))
        else:
            _list(traces)
        return
    trace_record = in_installation(lambda engine: engine.trace(identifier))
    if as_json:
        present.print_json(trace_record)
    else:
        _show(trace_record)


def _list(traces: tuple[TraceSummary, ...]) -> None:
    if not traces:
        present.terminal().print(
            "No trace is kept; FOOTNOTE_TRACES_KEPT_HOURS says for how long they are."
        )
        return
    listing = present.table("trace", "began", "what", "steps", "failed", "ms")
    for summary in traces:
        listing.add_row(
            summary.trace_id,
            f"{summary.started_at:%Y-%m-%d %H:%M:%S}",
            present.plain(summary.name),
            f"{summary.spans:,}",
            f"{summary.failed:,}" if summary.failed else "",
            f"{summary.duration_ms:,.1f}",
        )
    listing.show(present.terminal())


def _show(trace_record: Trace) -> None:
    console = present.terminal()
    began = min(span.started_at for span in trace_record.spans)
    total = max(_start(span, trace_record) + span.duration_ms for span in trace_record.spans)
    console.print(
        Text(f"Trace {trace_record.trace_id}, {began:%Y-%m-%d %H:%M:%S} UTC, {total:,.1f} ms")
    )
    listing = present.table("ms", "when", "step", "process", "")
    for span, depth in zip(trace_record.spans, trace_record.depths, strict=True):
        # Where a step lies in the time of the trace.
        start = _start(span, trace_record)
        scale = _BAR / max(total, 1e-9)
        before = min(int(start * scale), _BAR - 1)
        notes = [f"failed: {span.error}"] if span.error else []
        notes += [f"document {span.document_id}"] if span.document_id else []
        notes += [
            f"{key.rpartition('.')[2]} {value}"
            for key, value in sorted(span.attributes.items())
            if key.startswith(
                ("gen_ai.usage", "gen_ai.evaluation.score", "footnote.search.results")
            )
            or key in ("footnote.outcome", "http.response.status_code", "footnote.job.attempt")
        ]
        listing.add_row(
            f"{span.duration_ms:,.1f}",
            " " * before + "━" * max(1, min(round(span.duration_ms * scale), _BAR - before)),
            Text("  " * depth + present.plain(span.name)),
            present.plain(span.service),
            Text(present.plain(", ".join(notes)), style="red" if span.error else "dim"),
        )
    listing.show(console)


def _start(span: TraceSpan, trace_record: Trace) -> float:
    """Milliseconds from the beginning of the trace."""
    began = min(step.started_at for step in trace_record.spans)
    return (span.started_at - began).total_seconds() * 1e3
