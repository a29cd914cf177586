"""Recordings are listened to and pictures looked at, from the file to the cited answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from rich.console import Console

from footnote.domain import BlockKind, Document, DocumentStatus, Evidence, SearchRequest
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.errors import UnsupportedSettings
from footnote.ingestion.describing import GENERATED
from footnote.interfaces.cli.results import show_evidence
from footnote.jobs.inline import work_until_resting
from footnote.jobs.worker import run_worker
from footnote.settings import Settings
from tests.ingestion import files
from tests.ingestion.recordings import wav
from tests.ingestion.test_describing import photo, report_docx
from tests.models.openai_server import OpenAiServer, fails, says
from tests.models.speech.spoken import COST, CRANE, GERMAN, speech_files, spoken
from tests.models.transcription_server import TranscriptionServer, heard

TALK = heard(
    (0.0, 4.0, " Good morning, this is about the winch."),
    (750.5, 753.0, " The capstan was delivered"),
    (753.0, 755.5, " on the third of March."),
    (760.0, 764.0, " Penguins live on the southern coast."),
    avg_logprob=[-0.1, -0.2, -0.2, -0.3],
)


@asynccontextmanager
async def engine_with(settings: Settings, **changes: object) -> AsyncIterator[Engine]:
    async with await open_engine(settings.model_copy(update=changes)) as engine:
        yield engine


async def ingested(
    engine: Engine, content: bytes, filename: str
) -> tuple[WorkspaceEngine, Document]:
    workspace = await engine.workspace()
    received = await workspace.receive(content, filename)
    [document] = (
        await work_until_resting(engine, workspace, [received.document.document_id], lambda _: None)
    ).values()
    return workspace, document


async def found(workspace: WorkspaceEngine, query: str) -> Evidence:
    return (await workspace.search(SearchRequest(query=query))).evidence[0]


def shown(*evidence: Evidence) -> str:
    console = Console(width=200, no_color=True)
    with console.capture() as capture:
        show_evidence(console, evidence)
    return capture.get()


# --- recordings -------------------------------------------------------------------------------


async def test_a_recording_is_cited_with_the_time_at_which_it_was_said(
    settings: Settings,
) -> None:
    with TranscriptionServer(TALK) as server:
        async with engine_with(settings, speech=f"openai@{server.url}") as engine:
            workspace, document = await ingested(engine, wav(), "winch.wav")
            assert document.status is DocumentStatus.INDEXED
            assert document.metadata["transcribed_by"] == "whisper-1"
            assert len(server.posted) == 1
            evidence = await found(workspace, "When was the capstan delivered?")
            answer = await workspace.ask("When was the capstan delivered?")
    passage = evidence.passage
    assert passage.kind is BlockKind.UTTERANCE
    assert (passage.start_seconds, passage.end_seconds) == (0.0, 764.0)
    [span] = [each for each in passage.spans if "capstan" in passage.text[each.char_start :][:20]]
    assert (span.start_seconds, span.end_seconds) == (750.5, 755.5)
    [citation, *_] = answer.citations
    assert citation.quote == "The capstan was delivered on the third of March."
    assert (citation.start_seconds, citation.end_seconds) == (750.5, 755.5)
    assert "at 0:00" in shown(evidence)
    assert "heard, " in shown(evidence)


async def test_a_transcriber_that_was_busy_is_asked_again_by_the_queue(
    settings: Settings,
) -> None:
    busy = [fails(503, retry_after="3600")]
    with TranscriptionServer(*busy, TALK) as server:
        async with engine_with(settings, speech=f"openai@{server.url}") as engine:
            _, document = await ingested(engine, wav(), "winch.wav")
        assert document.status is DocumentStatus.INDEXED
        assert len(server.posted) == 2


async def test_a_recording_that_is_refused_fails_visibly(settings: Settings) -> None:
    with TranscriptionServer(fails(401)) as server:
        async with engine_with(settings, speech=f"openai@{server.url}") as engine:
            _, document = await ingested(engine, wav(), "winch.wav")
    assert document.status is DocumentStatus.FAILED
    assert document.failure is not None
    assert "FOOTNOTE_MODEL_KEYS" in document.failure.advice


async def test_without_a_service_a_recording_is_listened_to_on_this_machine(
    settings: Settings,
) -> None:
    speech_files()
    async with engine_with(settings) as engine:
        workspace, document = await ingested(engine, spoken(f"{CRANE} {COST}"), "crane.wav")
        assert document.status is DocumentStatus.INDEXED
        assert document.metadata["transcribed_by"] == "whisper-tiny.en"
        evidence = await found(workspace, "When was the new crane delivered?")
        answer = await workspace.ask("When was the new crane delivered?")
    assert evidence.passage.kind is BlockKind.UTTERANCE
    [citation, *_] = answer.citations
    assert "third of March" in citation.quote
    assert citation.start_seconds is not None
    assert citation.end_seconds is not None
    assert 0.5 < citation.start_seconds < citation.end_seconds < 8


async def test_a_recording_that_is_doubted_says_so(settings: Settings) -> None:
    speech_files()
    async with engine_with(settings) as engine:
        _, document = await ingested(engine, spoken(GERMAN, "de"), "kran.wav")
    assert "English alone" in str(document.metadata["transcription_warning"])


async def test_a_service_that_is_configured_wins(settings: Settings) -> None:
    with TranscriptionServer(TALK) as server:
        async with engine_with(settings, speech=f"openai@{server.url}") as engine:
            _, document = await ingested(engine, wav(), "crane.wav")
    assert document.metadata["transcribed_by"] == "whisper-1"


async def test_without_a_transcriber_a_recording_fails_with_the_settings_that_help(
    settings: Settings,
) -> None:
    async with engine_with(settings, speech="off") as engine:
        _, document = await ingested(engine, wav(), "winch.wav")
    assert document.status is DocumentStatus.FAILED
    assert document.failure is not None
    assert "FOOTNOTE_SPEECH" in document.failure.advice


@pytest.mark.parametrize("speech", ["openai@ftp://nonsense", "/no/such/model"])
async def test_a_setting_that_cannot_work_stops_the_worker_with_a_reason(
    settings: Settings, speech: str
) -> None:
    async with engine_with(settings, speech=speech) as engine:
        with pytest.raises(UnsupportedSettings):
            await run_worker(engine)


# --- pictures ---------------------------------------------------------------------------------


async def test_a_described_picture_is_found_by_what_it_shows(settings: Settings) -> None:
    with OpenAiServer(says("A bar chart of herring landings by month, highest in May.")) as server:
        async with engine_with(
            settings, vision_model=f"scripted@{server.url}", ocr="off"
        ) as engine:
            workspace, document = await ingested(engine, report_docx(photo()), "report.docx")
            assert document.metadata["described_by"] == "scripted"
            evidence = await found(workspace, "herring landings")
        assert len(server.asked) == 1
    assert evidence.passage.kind is BlockKind.CAPTION
    assert evidence.passage.heading_path == ("Turnover", GENERATED)
    assert GENERATED in shown(evidence)


async def test_a_vision_model_that_is_down_costs_the_description_only(settings: Settings) -> None:
    with OpenAiServer(fails(401)) as server:
        async with engine_with(
            settings, vision_model=f"scripted@{server.url}", ocr="off"
        ) as engine:
            workspace, document = await ingested(engine, report_docx(photo()), "report.docx")
            assert document.status is DocumentStatus.INDEXED
            assert document.metadata["pictures_not_described"] == 1
            assert (await found(workspace, "costs")).passage.text


# --- confidence -------------------------------------------------------------------------------


async def test_how_sure_the_reading_of_pixels_is_reaches_evidence_and_its_faces(
    engine: Engine,
) -> None:
    workspace, document = await ingested(
        engine, files.picture(["Invoice 4711 of the harbour office"]), "scan.png"
    )
    if document.failure is not None and "OCR" in document.failure.cause:
        pytest.skip("no OCR engine here")
    response = await workspace.search(SearchRequest(query="invoice of the harbour office"))
    [evidence, *_] = response.evidence
    sure = evidence.passage.confidence
    assert sure is not None
    assert 0 < sure <= 1
    assert f"read from pixels, {sure:.0%} sure" in shown(evidence)
