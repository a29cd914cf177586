"""What every transcriber keeps to: the one that asks a service, and the one on this machine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from io import BytesIO

import pytest

from footnote.errors import DocumentFailed
from footnote.models.served import ServedModel
from footnote.models.transcription import transcriber_from
from footnote.ports import Transcriber
from tests.jobs.test_listening import CALM, listening
from tests.models.openai_server import fails
from tests.models.speech.spoken import CRANE, recording, silence, spoken
from tests.models.transcription_server import TranscriptionServer, heard

pytestmark = pytest.mark.usefixtures("sent_as_it_is")


@pytest.fixture(params=["service", "local"])
async def transcriber(request: pytest.FixtureRequest) -> AsyncIterator[Transcriber]:
    """One that hears these recordings; the service says what is in them by a script."""
    if request.param == "local":
        async with listening() as local:
            yield local
        return
    said = {
        "speaks": heard((0.0, 1.0, " Good morning."), (1.0, 4.0, f" {CRANE[14:]}")),
        "silent": heard(),
        "broken": fails(415),
    }
    reply = next((each for name, each in said.items() if name in request.node.name), fails(500))
    with TranscriptionServer(reply) as server:
        service = transcriber_from(
            served=ServedModel(name="scripted", url=server.url),
            api_key=None,
            timeout_seconds=30,
            max_bytes=10**7,
        )
        yield service
        await service.close()


async def test_who_speaks_is_written_down_in_order_with_times(transcriber: Transcriber) -> None:
    content = spoken(CRANE)
    found = await transcriber(BytesIO(content), "audio/wav", workspace_id=CALM)
    assert "crane was delivered" in " ".join(each.text for each in found.utterances)
    assert found.language == "en"
    assert found.duration_seconds is not None
    last = 0.0
    for each in found.utterances:
        assert each.text.strip()
        assert each.start_seconds is not None
        assert each.end_seconds is not None
        assert last <= each.start_seconds <= each.end_seconds <= found.duration_seconds + 0.1
        assert each.confidence is None or 0 <= each.confidence <= 1
        last = each.start_seconds


async def test_a_silent_recording_is_an_empty_transcript(transcriber: Transcriber) -> None:
    found = await transcriber(BytesIO(recording(silence(1))), "audio/wav", workspace_id=CALM)
    assert found.utterances == ()


async def test_a_broken_recording_fails_with_advice(transcriber: Transcriber) -> None:
    with pytest.raises(DocumentFailed) as raised:
        await transcriber(BytesIO(b"RIFF" + bytes(40)), "audio/wav", workspace_id=CALM)
    assert raised.value.advice
    assert not raised.value.retryable


async def test_it_has_a_name_that_documents_are_marked_with(transcriber: Transcriber) -> None:
    assert transcriber.name
