"""A transcriber gives what was said with its times, or says in a sentence why it did not."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from uuid import UUID

import pytest

from footnote.domain import Transcript
from footnote.errors import (
    DocumentFailed,
    DocumentInterrupted,
    DocumentUnreadable,
    UnsupportedSettings,
)
from footnote.models.served import ServedModel
from footnote.models.transcription import HttpTranscriber, transcriber_from, transcription_service
from footnote.ports import Transcriber
from tests.ingestion.recordings import wav

from .openai_server import Reply, fails
from .transcription_server import TRANSCRIPTIONS, TranscriptionServer, heard

WORKSPACE = UUID(int=1)
KEY = "sk-very-secret-0123456789"
HELLO = heard((0.0, 2.5, " Hello there."), (2.5, 4.0, " The winch is here."))
WAV = wav(seconds=0.2)


@asynccontextmanager
async def transcriber_at(
    url: str | None,
    *,
    model: str | None = "scripted",
    timeout_seconds: float = 30.0,
    max_bytes: int = 1_000_000,
) -> AsyncIterator[HttpTranscriber]:
    transcriber = transcriber_from(
        served=ServedModel(name=model or "openai", url=url),
        api_key=KEY,
        timeout_seconds=timeout_seconds,
        max_bytes=max_bytes,
    )
    transcriber.pause_seconds = 0.0
    try:
        yield transcriber
    finally:
        await transcriber.close()


async def transcript(*replies: Reply, media_type: str = "audio/wav") -> Transcript:
    with TranscriptionServer(*replies) as server:
        async with transcriber_at(server.url) as transcriber:
            listens: Transcriber = transcriber
            return await listens(BytesIO(WAV), media_type, workspace_id=WORKSPACE)


async def failure(
    *replies: Reply, timeout_seconds: float = 30.0, max_bytes: int = 1_000_000
) -> tuple[DocumentFailed, int]:
    """How a recording fails, and the requests it took."""
    with TranscriptionServer(*replies) as server:
        async with transcriber_at(
            server.url, timeout_seconds=timeout_seconds, max_bytes=max_bytes
        ) as transcriber:
            with pytest.raises(DocumentFailed) as raised:
                await transcriber(BytesIO(WAV), "audio/wav", workspace_id=WORKSPACE)
        assert raised.value.advice
        assert KEY not in f"{raised.value} {raised.value.advice}"
        return raised.value, len(server.posted)


# --- what is sent, and what comes back --------------------------------------------------------


async def test_a_recording_is_posted_as_the_api_wants_it_without_its_own_name() -> None:
    with TranscriptionServer(HELLO) as server:
        async with transcriber_at(server.url) as transcriber:
            await transcriber(BytesIO(WAV), "audio/wav", workspace_id=WORKSPACE)
        [posted] = server.posted
    assert posted.path == TRANSCRIPTIONS
    assert posted.headers["authorization"] == f"Bearer {KEY}"
    assert posted.form == {
        "model": "scripted",
        "response_format": "verbose_json",
        "timestamp_granularities[]": "segment",
    }
    assert (posted.filename, posted.media_type) == ("recording.wav", "audio/wav")
    assert posted.content == WAV


@pytest.mark.parametrize(
    ("media_type", "name"),
    [
        ("audio/mpeg", "recording.mp3"),
        ("audio/mp4", "recording.m4a"),
        ("audio/ogg", "recording.ogg"),
        ("audio/flac", "recording.flac"),
        ("video/webm", "recording.webm"),
    ],
)
async def test_the_ending_of_the_name_tells_the_format(media_type: str, name: str) -> None:
    with TranscriptionServer(HELLO) as server:
        async with transcriber_at(server.url) as transcriber:
            await transcriber(BytesIO(b"abc"), media_type, workspace_id=WORKSPACE)
        assert [posted.filename for posted in server.posted] == [name]


async def test_segments_become_utterances_with_their_times() -> None:
    found = await transcript(HELLO)
    assert [(each.text, each.start_seconds, each.end_seconds) for each in found.utterances] == [
        (" Hello there.", 0.0, 2.5),
        (" The winch is here.", 2.5, 4.0),
    ]
    assert found.language == "en"
    assert found.duration_seconds == 4.0


async def test_the_probability_of_the_words_becomes_confidence() -> None:
    found = await transcript(heard((0, 1, "sure"), (1, 2, "unsure"), avg_logprob=[-0.1, -0.9]))
    assert [each.confidence for each in found.utterances] == pytest.approx(
        [math.exp(-0.1), math.exp(-0.9)]
    )


async def test_what_is_heard_in_silence_is_left_out() -> None:
    found = await transcript(
        heard(
            (0, 1, "Yes."),
            (1, 9, "Thanks for watching!"),
            (9, 10, "No."),
            avg_logprob=[-0.1, -1.4, -1.4],
            no_speech_prob=[0.9, 0.9, 0.1],
        )
    )
    assert [each.text for each in found.utterances] == ["Yes.", "No."]


async def test_a_server_that_knows_no_segments_gives_one_utterance_without_times() -> None:
    found = await transcript(Reply(body=json.dumps({"text": "All of it."}).encode()))
    [utterance] = found.utterances
    assert (utterance.text, utterance.start_seconds) == ("All of it.", None)


async def test_times_never_run_backwards_and_nonsense_is_no_time() -> None:
    body = {
        "text": "x",
        "language": "english",
        "duration": "7.5",
        "segments": [
            {"start": 3, "end": 2, "text": "a"},
            {"start": 1, "end": 4, "text": "b"},
            {"start": -1, "end": None, "text": "c"},
            {"start": True, "end": "x", "text": "d"},
        ],
    }
    found = await transcript(Reply(body=json.dumps(body).encode()))
    assert [(each.start_seconds, each.end_seconds) for each in found.utterances] == [
        (3.0, 3.0),
        (3.0, 4.0),
        (None, None),
        (None, None),
    ]
    assert found.duration_seconds == 7.5
    assert found.language is None


# --- what goes wrong --------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_a_busy_or_failing_server_is_asked_again(status: int) -> None:
    assert (await transcript(fails(status), fails(status), HELLO)).utterances


async def test_after_three_tries_the_document_waits_for_another_turn() -> None:
    error, requests = await failure(*[fails(429)] * 4)
    assert isinstance(error, DocumentInterrupted)
    assert "429" in error.cause
    assert requests == 3


async def test_a_pause_longer_than_the_time_left_is_not_waited_for() -> None:
    error, requests = await failure(fails(429, retry_after="3600"))
    assert isinstance(error, DocumentInterrupted)
    assert requests == 1


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (301, "address in FOOTNOTE_SPEECH"),
        (400, "model in FOOTNOTE_SPEECH"),
        (401, "FOOTNOTE_MODEL_KEYS"),
        (403, "FOOTNOTE_MODEL_KEYS"),
        (404, "address in FOOTNOTE_SPEECH"),
        (413, "split"),
        (415, "WAV"),
    ],
)
async def test_a_refusal_is_final_and_says_what_to_do(status: int, advice: str) -> None:
    error, requests = await failure(fails(status, message=f"key {KEY} is bad"))
    assert isinstance(error, DocumentUnreadable)
    assert str(status) in error.cause
    assert advice in error.advice
    assert requests == 1


async def test_a_slow_server_is_not_waited_for_forever() -> None:
    error, _ = await failure(Reply(held=True), timeout_seconds=0.3)
    assert isinstance(error, DocumentInterrupted)
    assert "set `parse` in FOOTNOTE_TIMEOUTS to more than" in error.advice


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(Reply(body=HELLO.body, broken=True), id="cut off"),
        pytest.param(Reply(body=b'{"segments": ['), id="malformed"),
        pytest.param(Reply(body=b"[1]"), id="no object"),
        pytest.param(Reply(body=b'{"hello": "world"}'), id="another api"),
        pytest.param(Reply(body=b'{"segments": [{"text": 3}]}'), id="segment without text"),
    ],
)
async def test_an_answer_that_is_no_transcript_may_be_tried_again(reply: Reply) -> None:
    error, _ = await failure(reply)
    assert isinstance(error, DocumentInterrupted)
    assert error.retryable


async def test_a_server_that_is_not_there_is_said_to_be_unreachable() -> None:
    with TranscriptionServer() as server:
        url = server.url
    async with transcriber_at(url) as transcriber:
        with pytest.raises(DocumentInterrupted, match="cannot be reached") as raised:
            await transcriber(BytesIO(WAV), "audio/wav", workspace_id=WORKSPACE)
    assert "FOOTNOTE_SPEECH" in raised.value.advice


async def test_a_recording_that_is_too_large_is_not_sent_at_all() -> None:
    error, requests = await failure(HELLO, max_bytes=len(WAV) - 1)
    assert isinstance(error, DocumentUnreadable)
    assert "split" in error.advice
    assert f"{len(WAV):,}" in error.cause
    assert requests == 0


async def test_the_key_is_in_no_log_and_no_representation(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG), TranscriptionServer(fails(401)) as server:
        async with transcriber_at(server.url) as transcriber:
            with pytest.raises(DocumentUnreadable):
                await transcriber(BytesIO(WAV), "audio/wav", workspace_id=WORKSPACE)
            assert KEY not in repr(transcriber)
    assert KEY not in caplog.text


# --- how it is configured ---------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["auto", "off", "/models/whisper-small", "./openai:small"])
def test_what_listens_on_this_machine_is_no_service(choice: str) -> None:
    assert transcription_service(choice) is None


@pytest.mark.parametrize("choice", ["openai", "openai:whisper-1", "large-v3@http://h:1/v1"])
def test_a_service_is_openais_or_has_an_address(choice: str) -> None:
    assert transcription_service(choice) is not None


@pytest.mark.parametrize(
    ("url", "model", "posted_to", "name"),
    [
        (None, "whisper-1", "https://api.openai.com/v1/audio/transcriptions", "whisper-1"),
        ("http://h:1/v1/", None, "http://h:1/v1/audio/transcriptions", "whisper-1"),
        ("http://h/x/audio/transcriptions", "m", "http://h/x/audio/transcriptions", "m"),
    ],
)
async def test_a_url_is_that_of_the_api_or_the_whole_one(
    url: str | None, model: str | None, posted_to: str, name: str
) -> None:
    async with transcriber_at(url, model=model) as transcriber:
        assert (transcriber.url, transcriber.name) == (posted_to, name)


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        (None, 25 * 1024**2),
        ("https://api.openai.com/v1", 25 * 1024**2),
        ("http://127.0.0.1:8000/v1", 200 * 1024**2),
    ],
)
async def test_openai_is_sent_what_it_takes_and_other_servers_whatever_is_accepted(
    url: str | None, sent: int
) -> None:
    async with transcriber_at(url, model="whisper-1", max_bytes=200 * 1024**2) as transcriber:
        assert transcriber.max_bytes == sent


def test_openai_wants_a_key() -> None:
    with pytest.raises(UnsupportedSettings) as raised:
        transcriber_from(
            served=ServedModel(name="openai:whisper-1"),
            api_key=None,
            timeout_seconds=1,
            max_bytes=1,
        )
    assert "FOOTNOTE_MODEL_KEYS" in (raised.value.hint or "")
