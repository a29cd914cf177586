"""What telemetry says of models, what it needs, and how its measurements read."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import format_trace_id
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from footnote.domain.tracing import TraceSpan, ordered
from footnote.engine import WorkspaceEngine
from footnote.errors import UnsupportedSettings
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings
from footnote.telemetry import switching
from footnote.telemetry.prometheus import PrometheusReader
from footnote.telemetry.switching import telemetry_of
from tests.interfaces.serving import environment, footnote_process
from tests.telemetry.collector import collecting
from tests.wire import WireServer, says
from tests.wire.loopback import Connection, Loopback, Received

QUESTION = "What is the deductible for a buoy?"


@pytest.mark.usefixtures("own_database")
@pytest.mark.parametrize("content", [False, True], ids=["without content", "with content"])
async def test_what_a_language_model_is_asked_is_sent_by_choice_alone(
    settings: Settings, workspace: WorkspaceEngine, wire_server: WireServer, content: bool
) -> None:
    received = await workspace.receive(b"The deductible for each buoy is 2,500 euros.", "buoy.md")
    documents = [received.document.document_id]
    await work_until_resting(workspace.engine, workspace, documents, lambda _: None)
    wire_server.script(says("The deductible is 2,500 euros [1]."))
    with collecting() as collected:
        env = environment(
            settings,
            FOOTNOTE_ANSWER_MODELS=f"openai:scripted@{wire_server.openai_url}",
            OTEL_EXPORTER_OTLP_ENDPOINT=collected.url,
            OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=str(content),
        )
        ended = await footnote_process(env, "ask", QUESTION)
    assert "2,500 euros" in ended.out
    [spans] = [each for each in collected.spans().values() if len(each) > 1]
    names = {span.name for _, span in spans}
    assert {"footnote ask", "answer", "retrieval", "chat scripted"} <= names
    [chat] = [span for _, span in spans if span.name == "chat scripted"]
    about = {each.key: each.value for each in chat.attributes}
    assert about["gen_ai.operation.name"].string_value == "chat"
    assert about["gen_ai.provider.name"].string_value == "openai"
    assert about["gen_ai.usage.input_tokens"].int_value > 0
    sent = b"".join(body for _, body in collected.bodies)
    assert (b"2,500" in sent) is content
    assert (QUESTION.encode() in sent) is content


async def test_a_collector_that_is_away_is_told_once_and_not_asked_for_each_signal(
    settings: Settings,
) -> None:
    asked: list[str] = []

    def refuse(received: Received, connection: Connection) -> None:
        asked.append(received.path)
        connection.send(503, b"")

    with Loopback(refuse) as server:
        env = environment(settings, OTEL_EXPORTER_OTLP_ENDPOINT=server.origin)
        ended = await footnote_process(env, "documents", "list")
    assert ended.code == 0, ended.err
    assert ended.err.count("telemetry_not_sent") == 1, ended.err
    assert "opentelemetry" not in ended.err
    assert set(asked) == {"/v1/traces"}


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.metrics", None)
    # Another test may have switched it on, for all of this process.
    monkeypatch.setattr(switching._PROCESS, "telemetry", None)
    with pytest.raises(UnsupportedSettings) as refused:
        telemetry_of(Settings(traces_kept_hours=1))
    assert "opentelemetry.sdk.metrics is not installed" in str(refused.value)
    assert "telemetry" in (refused.value.hint or "")


def test_prometheus_reads_counters_gauges_and_buckets_with_their_trace() -> None:
    reader = PrometheusReader()
    meter = MeterProvider(metric_readers=[reader]).get_meter("test")
    counter = meter.create_counter("jobs.done", unit="{job}", description="Jobs.")
    gauge = meter.create_gauge("disk.used", unit="By")
    seconds = meter.create_histogram(
        "answer.duration", unit="s", explicit_bucket_boundaries_advisory=[0.1, 1]
    )
    counter.add(2, {"job.kind": "ingest"})
    counter.add(1)
    gauge.set(5)
    with TracerProvider().get_tracer("test").start_as_current_span("one") as span:
        trace_id = format_trace_id(span.get_span_context().trace_id)
        seconds.record(0.5)
    seconds.record(3)
    written = generate_latest(reader.registry()).decode()  # type: ignore[no-untyped-call]
    families = {
        each.name: {
            (s.name, s.labels.get("le") or s.labels.get("job_kind")): s for s in each.samples
        }
        for each in text_string_to_metric_families(written)  # type: ignore[no-untyped-call]
    }
    assert families["jobs_done"][("jobs_done_total", "ingest")].value == 2
    assert families["jobs_done"][("jobs_done_total", "")].value == 1
    assert families["disk_used_bytes"][("disk_used_bytes", None)].value == 5
    buckets = families["answer_duration_seconds"]
    counts = [
        buckets[("answer_duration_seconds_bucket", le)].value for le in ("0.1", "1.0", "+Inf")
    ]
    assert counts == [0, 1, 2]
    exemplar = buckets[("answer_duration_seconds_bucket", "1.0")].exemplar
    assert exemplar.labels["trace_id"] == trace_id
    assert exemplar.value == 0.5
    assert buckets[("answer_duration_seconds_sum", None)].value == 3.5


MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), max_size=10))
def test_every_span_stands_once_after_the_one_that_it_ran_within(
    drawn: list[tuple[int, int]],
) -> None:
    spans = tuple(
        TraceSpan(
            trace_id="a" * 32,
            span_id=f"{number:016x}",
            # An earlier one, none, or one that was not kept.
            parent_id=f"{above:016x}" if above < number or above > len(drawn) else None,
            name=str(number),
            service="test",
            started_at=MOMENT + timedelta(seconds=begun),
            duration_ms=1,
        )
        for number, (begun, above) in enumerate(drawn)
    )
    found = ordered(spans)
    assert sorted(each.span_id for each in found) == sorted(each.span_id for each in spans)
    places = {each.span_id: place for place, each in enumerate(found)}
    for each in found:
        if each.parent_id in places:
            assert places[each.parent_id] < places[each.span_id]
