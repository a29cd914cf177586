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
    sought: Annotated[
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
    if sought is None:
        traces = in_installation(lambda engine: engine.traces(limit))
        if as_json:
            present.print_json(TraceList(traces=traces))
        else:
            _list(traces)
        return
    found = in_installation(lambda engine: engine.trace(sought))
    if as_json:
        present.print_json(found)
    else:
        _show(found)


def _list(traces: tuple[TraceSummary, ...]) -> None:
    if not traces:
        present.terminal().print(
            "No trace is kept; FOOTNOTE_TRACES_KEPT_HOURS says for how long they are."
        )
        return
    listing = present.table("trace", "began", "what", "steps", "failed", "ms")
    for each in traces:
        listing.add_row(
            each.trace_id,
            f"{each.started_at:%Y-%m-%d %H:%M:%S}",
            present.plain(each.name),
            f"{each.spans:,}",
            f"{each.failed:,}" if each.failed else "",
            f"{each.duration_ms:,.1f}",
        )
    listing.show(present.terminal())


def _show(found: Trace) -> None:
    console = present.terminal()
    began = min(each.started_at for each in found.spans)
    total = max(_start(each, found) + each.duration_ms for each in found.spans)
    console.print(Text(f"Trace {found.trace_id}, {began:%Y-%m-%d %H:%M:%S} UTC, {total:,.1f} ms"))
    listing = present.table("ms", "when", "step", "process", "")
    for each, depth in zip(found.spans, found.depths, strict=True):
        # Where a step lies in the time of the trace.
        start = _start(each, found)
        scale = _BAR / max(total, 1e-9)
        before = min(int(start * scale), _BAR - 1)
        told = [f"failed: {each.error}"] if each.error else []
        told += [f"document {each.document_id}"] if each.document_id else []
        told += [
            f"{key.rpartition('.')[2]} {value}"
            for key, value in sorted(each.attributes.items())
            if key.startswith(
                ("gen_ai.usage", "gen_ai.evaluation.score", "footnote.search.results")
            )
            or key in ("footnote.outcome", "http.response.status_code", "footnote.job.attempt")
        ]
        listing.add_row(
            f"{each.duration_ms:,.1f}",
            " " * before + "━" * max(1, min(round(each.duration_ms * scale), _BAR - before)),
            Text("  " * depth + present.plain(each.name)),
            present.plain(each.service),
            Text(present.plain(", ".join(told)), style="red" if each.error else "dim"),
        )
    listing.show(console)


def _start(span: TraceSpan, found: Trace) -> float:
    """Milliseconds from the beginning of the trace."""
    began = min(each.started_at for each in found.spans)
    return (span.started_at - began).total_seconds() * 1e3
