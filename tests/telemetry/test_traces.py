"""One trace from upload to published and from question to answer, and nothing of the words."""

from __future__ import annotations

import asyncio
import json
import signal
import socket

import httpx
import psycopg
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from footnote.settings import Settings
from tests.interfaces.serving import (
    environment,
    footnote,
    footnote_process,
    reserved_port,
    served,
    serving,
)
from tests.telemetry.collector import collecting

pytestmark = pytest.mark.usefixtures("own_database")

UPLOAD, QUESTION = "a" * 32, "b" * 32
TEXT = b"# Buoys\n\nThe deductible for each moored buoy is 2,500 euros."
ASKED = "What is the deductible for a buoy?"
OPENMETRICS = "application/openmetrics-text; version=1.0.0"


def parent(trace_id: str) -> dict[str, str]:
    return {"traceparent": f"00-{trace_id}-00f067aa0ba902b7-01"}


async def test_a_trace_leads_from_upload_to_published_and_from_question_to_answer(
    settings: Settings,
) -> None:
    # The worker's metrics are served at the next port.
    with reserved_port(2) as port, collecting() as collected:
        env = environment(
            settings,
            OTEL_EXPORTER_OTLP_ENDPOINT=collected.url,
            FOOTNOTE_METRICS_ADDRESS=str(port),
            FOOTNOTE_TRACES_KEPT_HOURS="1",
            FOOTNOTE_LOG="info",
        )
        async with serving(env) as (process, address):
            async with httpx.AsyncClient(base_url=address, timeout=600) as http:
                accepted = await http.post(
                    "/v1/documents", files={"file": ("buoys.md", TEXT)}, headers=parent(UPLOAD)
                )
                assert accepted.headers["traceresponse"].split("-")[1] == UPLOAD
                document = await _rested(http, accepted.headers["location"])
                assert document["status"] == "indexed"
                answered = await http.post(
                    "/v1/answers", json={"question": ASKED}, headers=parent(QUESTION)
                )
                assert "2,500 euros" in answered.json()["text"]
                own = answered.headers["traceresponse"].split("-")[1]
                assert own == QUESTION
            server, worker = await _families(port), await _families(port + 1)
            assert "http_server_request_duration_seconds" in server
            assert "footnote_ingestion_stage_duration_seconds" in worker
            assert server["footnote_queue_depth"]
            exemplars = {
                sample.exemplar.labels["trace_id"]
                for sample in server["footnote_answer_duration_seconds"]
                if sample.exemplar is not None
            }
            assert exemplars == {QUESTION}
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), 600) == 0
        spans = collected.spans()
        assert _names(spans[UPLOAD]) >= {
            ("footnote serve", "POST /v1/documents"),
            ("footnote worker", "job ingest_document"),
            ("footnote worker", "ingest parse"),
            ("footnote worker", "child parsing"),
            ("footnote worker", "ingest publish"),
            ("footnote worker", "postgres"),
        }
        assert any(name.startswith("embeddings ") for _, name in _names(spans[UPLOAD]))
        assert _names(spans[QUESTION]) >= {
            ("footnote serve", "POST /v1/answers"),
            ("footnote serve", "answer"),
            ("footnote serve", "retrieval"),
            ("footnote serve", "search recall"),
            ("footnote serve", "reader read"),
        }
        # Every step hangs together with the first.
        for trace_id in (UPLOAD, QUESTION):
            ids = {span.span_id for _, span in spans[trace_id]}
            roots = {span.name for _, span in spans[trace_id] if span.parent_span_id not in ids}
            assert len(roots) == 1, roots
        assert collected.metrics() >= {
            "gen_ai.client.operation.duration",
            "gen_ai.client.token.usage",
            "rag.search.documents.found",
            "rag.metadata.extraction.duration",
            "footnote.ingestion.age",
            "footnote.answer.time_to_first_token",
        }
        for _, body in collected.bodies:
            for word in (b"buoy", b"deductible", b"2,500"):
                assert word not in body
    kept = await footnote(env, "trace", UPLOAD, "--json")
    steps = json.loads(kept.out)["spans"]
    assert {each["service"] for each in steps} == {"footnote serve", "footnote worker"}
    assert {each["document_id"] for each in steps} >= {document["document_id"]}
    by_document = await footnote(env, "trace", str(document["document_id"]), "--json")
    assert json.loads(by_document.out)["trace_id"] == UPLOAD
    shown = await footnote(env, "trace", QUESTION)
    assert "search recall" in shown.out
    listed = json.loads((await footnote(env, "trace", "--json")).out)["traces"]
    assert {UPLOAD, QUESTION} <= {each["trace_id"] for each in listed}
    with psycopg.connect(settings.owner_database_url or "") as connection:
        rows = repr(connection.execute("SELECT * FROM footnote.spans").fetchall())
    assert "buoy" not in rows
    assert "deductible" not in rows
    unknown = await footnote(env, "trace", "c" * 32)
    assert unknown.code == 3
    assert "no trace" in unknown.err


async def test_without_settings_nothing_is_traced(settings: Settings) -> None:
    async with served(settings) as http:
        answered = await http.get("/health", headers=parent(UPLOAD))
    listed = await footnote(environment(settings), "trace")
    assert answered.status_code == 200
    assert "No trace is kept" in listed.out


async def test_a_port_of_metrics_that_is_taken_is_said_in_a_sentence(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        env = environment(settings, FOOTNOTE_METRICS_ADDRESS=str(port))
        ended = await footnote_process(env, "serve", "--port", "0", "--no-worker")
    assert ended.code != 0
    assert f"metrics cannot be served at 127.0.0.1 port {port}" in ended.err
    assert "Traceback" not in ended.err


def _names(spans: list[tuple[str, Span]]) -> set[tuple[str, str]]:
    return {(service, span.name) for service, span in spans}


async def _families(port: int) -> dict[str, list[Sample]]:
    async with httpx.AsyncClient(timeout=600) as http:
        read = await http.get(f"http://127.0.0.1:{port}/metrics", headers={"Accept": OPENMETRICS})
    families = text_string_to_metric_families(read.text)  # type: ignore[no-untyped-call]
    return {each.name: each.samples for each in families}


async def _rested(http: httpx.AsyncClient, location: str) -> dict[str, object]:
    async with asyncio.timeout(600):
        while True:
            document: dict[str, object] = (await http.get(location)).json()
            if document["status"] in {"indexed", "failed"}:
                return document
            await asyncio.sleep(0.1)  # between looks; nothing is assumed about how long it takes
