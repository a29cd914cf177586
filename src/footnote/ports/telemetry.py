"""Spans and measurements through OpenTelemetry's API, which drops them until telemetry is on.

Names follow OpenTelemetry's semantic conventions where there is one, those of generative AI
included; docs/telemetry.md lists all. An attribute never holds a text of a customer: ids, counts,
names of models and kinds of errors only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import Literal

from opentelemetry import context, metrics, trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

Attribute = str | bool | int | float
Attributes = Mapping[str, Attribute]
Operation = Literal["embeddings", "retrieval", "rerank", "transcribe"]
"""Values of `gen_ai.operation.name` for our own calls; pydantic-ai sets the others."""

WORKSPACE = "footnote.workspace.id"
DOCUMENT = "footnote.document.id"
TRACEPARENT = "traceparent"

_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
"""The bounds that the conventions of generative AI advise for seconds."""
_LONG_SECONDS = (0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 21600)
_TOKENS = tuple(4.0**power for power in range(14))

_tracer = trace.get_tracer("footnote")
_meter = metrics.get_meter("footnote")
_propagator = TraceContextTextMapPropagator()


def _seconds(
    name: str, description: str, bounds: tuple[float, ...] = _SECONDS
) -> metrics.Histogram:
    return _meter.create_histogram(
        name, unit="s", description=description, explicit_bucket_boundaries_advisory=bounds
    )


REQUESTS = _seconds("http.server.request.duration", "Duration of HTTP requests.")
MODEL_CALLS = _seconds("gen_ai.client.operation.duration", "Duration of calls of models.")
TOKENS = _meter.create_histogram(
    "gen_ai.client.token.usage",
    unit="{token}",
    description="Tokens that a call of a model read or wrote.",
    explicit_bucket_boundaries_advisory=_TOKENS,
)
STAGES = _seconds(
    "footnote.ingestion.stage.duration", "Duration of one stage of a document.", _LONG_SECONDS
)
DOCUMENTS = _meter.create_counter(
    "footnote.ingestion.documents", unit="{document}", description="Versions that came to rest."
)
INGESTION_AGE = _seconds(
    "footnote.ingestion.age", "From a version's arrival until it is published.", _LONG_SECONDS
)
JOBS = _seconds("footnote.job.duration", "Duration of one job of the queue.", _LONG_SECONDS)
SEARCHES = _seconds("footnote.search.duration", "Duration of searches.")
SEARCH_STAGES = _seconds("footnote.search.stage.duration", "Duration of one stage of a search.")
RERANKING = _seconds("rag.rerank.duration", "Duration of reranking.")
ROUTING = _seconds("rag.hierarchical.level1.duration", "Duration of finding documents.")
RECALL = _seconds("rag.hierarchical.level2.duration", "Duration of finding chunks.")
ENRICHMENT = _seconds(
    "rag.metadata.extraction.duration", "Duration of extracting a document's metadata."
)
DOCUMENTS_FOUND = _meter.create_histogram(
    "rag.search.documents.found",
    unit="{document}",
    description="Documents among the results of a search.",
    explicit_bucket_boundaries_advisory=(0, 1, 2, 3, 5, 8, 13, 21),
)
DIVERSITY = _meter.create_histogram(
    "rag.search.diversity.score",
    unit="1",
    description="Documents among the results, divided by the results.",
    explicit_bucket_boundaries_advisory=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1),
)
ANSWERS = _seconds("footnote.answer.duration", "From a question to the end of its answer.")
FIRST_TOKEN = _seconds(
    "footnote.answer.time_to_first_token", "From a question to the first words of its answer."
)
STATEMENTS = _meter.create_counter(
    "footnote.answer.statements", unit="{statement}", description="Statements of answers."
)
TRANSACTIONS = _seconds(
    "db.client.operation.duration",
    "Duration of transactions, the wait for a connection included.",
    (0.001, 0.005, *_SECONDS[:12]),
)
READS = _meter.create_counter(
    "footnote.replica.reads",
    unit="{read}",
    description="Reads that replicas might serve, by the server that did.",
)
REPLICA_LAG = _meter.create_gauge(
    "footnote.replica.lag", unit="s", description="How far a replica is behind the primary."
)


@contextmanager
def span(
    name: str,
    attributes: Attributes | None = None,
    *,
    kind: SpanKind = SpanKind.INTERNAL,
    parent: Context | None = None,
) -> Iterator[Span]:
    """A span around the block, current in it; a failure sets the error's type, not its message.

    Not around a `yield` of an asynchronous generator: its reader has another context.
    """
    with _tracer.start_as_current_span(
        name,
        context=parent,
        kind=kind,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as opened:
        try:
            yield opened
        except BaseException as error:
            failed(opened, error)
            raise


def open_span(name: str, attributes: Attributes | None = None, *, inner: bool = False) -> Span:
    """A span that is not current; the caller ends it.

    An `inner` one is dropped outside other spans, as it would be meaningless alone.
    """
    if inner and not trace.get_current_span().is_recording():
        return trace.INVALID_SPAN
    return _tracer.start_span(name, attributes=attributes)


def failed(span: Span, error: BaseException) -> None:
    """Mark a span as failed, by the type of the error; a cancellation is no failure."""
    if not isinstance(error, Exception):
        span.set_attribute("footnote.cancelled", True)
        return
    kind = type(error).__qualname__
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR, kind))


@contextmanager
def timed(
    instrument: metrics.Histogram, attributes: Attributes | None = None
) -> Iterator[dict[str, Attribute]]:
    """Record the seconds of the block, with attributes that may be added to until its end."""
    noted = dict(attributes or {})
    started = perf_counter()
    try:
        yield noted
    except Exception as error:
        noted["error.type"] = type(error).__qualname__
        raise
    finally:
        instrument.record(perf_counter() - started, noted)


@contextmanager
def model_call(operation: Operation, model: str) -> Iterator[Span]:
    """Record a call of the model `provider:name`: its span and its duration."""
    provider, _, name = model.rpartition(":")
    attributes: Attributes = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": provider or "footnote",
        "gen_ai.request.model": name,
    }
    with (
        span(f"{operation} {name}", attributes, kind=SpanKind.CLIENT) as opened,
        timed(MODEL_CALLS, attributes),
    ):
        yield opened


def count_tokens(model: str, tokens: int) -> None:
    """Count what a model that is named `provider:name` embedded, also on the span of its call."""
    provider, _, name = model.rpartition(":")
    TOKENS.record(
        tokens,
        {
            "gen_ai.operation.name": "embeddings",
            "gen_ai.provider.name": provider or "footnote",
            "gen_ai.request.model": name,
            "gen_ai.token.type": "input",
        },
    )
    trace.get_current_span().set_attribute("gen_ai.usage.input_tokens", tokens)


def current_span() -> Span:
    """The current span; outside a span, one that drops everything."""
    return trace.get_current_span()


def current_ids() -> tuple[str, str] | None:
    """The ids of the current trace and span, in hexadecimal; None outside a span."""
    span_context = trace.get_current_span().get_span_context()
    if not span_context.is_valid:
        return None
    return trace.format_trace_id(span_context.trace_id), trace.format_span_id(span_context.span_id)


def inject_traceparent() -> dict[str, str]:
    """What to hand to another process, so that its spans join this trace; empty outside all."""
    carrier: dict[str, str] = {}
    _propagator.inject(carrier)
    return {name: value for name, value in carrier.items() if name == TRACEPARENT}


def extract_traceparent(traceparent: str | None) -> Context | None:
    """The context that another process passed on; None without a valid one."""
    if traceparent is None:
        return None
    extracted = _propagator.extract({TRACEPARENT: traceparent}, context=Context())
    return extracted if trace.get_current_span(extracted).get_span_context().is_valid else None


@contextmanager
def within(opened: Span) -> Iterator[None]:
    """Make a span current in the block, without ending it."""
    token = context.attach(trace.set_span_in_context(opened))
    try:
        yield
    finally:
        context.detach(token)
