"""The models that listen and look while documents are read, for as long as a worker runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import SecretStr

from footnote.errors import ModelUnavailable
from footnote.jobs.listening import LocalTranscriber
from footnote.models.language import vision_model_from
from footnote.models.speech.installed import find_speech
from footnote.models.transcription import NobodyListens, transcriber_from
from footnote.ports import Transcriber
from footnote.settings import Settings

if TYPE_CHECKING:
    # It brings the client libraries of an extra.
    from footnote.models.vision import VisionModel


_OF_A_PICTURE = 0.2
_OF_A_RECORDING = 3.0
"""The time that describing a picture, or writing a whole recording down, may take: as a share of
the time to read a document, so that one setting serves a slow machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaModels:
    """What is configured; nothing is reached before it is needed."""

    transcriber: Transcriber
    describer: VisionModel | None


@asynccontextmanager
async def media_models(settings: Settings) -> AsyncIterator[MediaModels]:
    """The models that settings name, closed in the end.

    Raises UnsupportedSettings, and ModelUnavailable when a library is not installed.
    """
    async with AsyncExitStack() as stack:
        transcriber = await stack.enter_async_context(_transcriber(settings))
        describer = None
        if settings.vision_model is not None:
            describer = vision_model_from(
                settings.vision_model,
                settings.vision_url,
                _plain(settings.vision_api_key),
                settings.parse_timeout_seconds * _OF_A_PICTURE,
                settings.answer_max_tokens,
            )
            stack.push_async_callback(describer.close)
        yield MediaModels(transcriber=transcriber, describer=describer)


@asynccontextmanager
async def _transcriber(settings: Settings) -> AsyncIterator[Transcriber]:
    """The service that is configured, else what listens on this machine, or says what it lacks.

    Raises UnsupportedSettings.
    """
    service = transcriber_from(
        url=settings.transcriber_url,
        model=settings.transcriber_model,
        api_key=_plain(settings.transcriber_api_key),
        timeout_seconds=settings.parse_timeout_seconds * _OF_A_RECORDING,
        max_bytes=settings.max_file_bytes,
    )
    if service is not None:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(service.close)
            yield service
        return
    try:
        files = find_speech(settings.speech)
    except ModelUnavailable as error:
        yield NobodyListens(cause=str(error), advice=error.hint or "")
        return
    listener = LocalTranscriber(
        files,
        timeout_seconds=settings.parse_timeout_seconds,
        memory_bytes=settings.parse_memory_bytes,
        sandbox=settings.parser_sandbox,
        # One document that is no recording always finds a place.
        places=max(1, settings.worker_concurrency - 1),
    )
    async with AsyncExitStack() as stack:
        stack.push_async_callback(listener.close)
        yield listener


def _plain(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()
