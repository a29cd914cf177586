"""Open the transcription and vision models of a worker, and close them when it ends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnote.engine.answer_models import plain
from footnote.errors import ModelUnavailable
from footnote.jobs.listening import LocalTranscriber
from footnote.models.language import vision_model_from
from footnote.models.roles import DESCRIBER
from footnote.models.served import ModelKeys, model_keys_from, served_model
from footnote.models.speech.installed import find_speech
from footnote.models.transcription import (
    NobodyListens,
    transcriber_from,
    transcription_service,
)
from footnote.ports import Transcriber
from footnote.settings import Settings

if TYPE_CHECKING:
    # Imports the client libraries of an optional extra.
    from footnote.models.vision import VisionModel


_PICTURE_TIME_FACTOR = 0.2
_RECORDING_TIME_FACTOR = 3.0
"""Time limits for describing a picture and for transcribing a whole recording, as multiples of the
time limit for parsing a document: so one setting adapts all to a slow machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaModels:
    """The configured models; nothing is loaded or contacted before the first use."""

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
            served = served_model(settings.vision_model, DESCRIBER.model)
            describer = vision_model_from(
                served.name,
                served.url,
                _keys(settings).of(served.vendor, served.url),
                settings.seconds.parse * _PICTURE_TIME_FACTOR,
                settings.writing.tokens,
            )
            stack.push_async_callback(describer.close)
        yield MediaModels(transcriber=transcriber, describer=describer)


@asynccontextmanager
async def _transcriber(settings: Settings) -> AsyncIterator[Transcriber]:
    """Yield the configured service, else the local model, else a stand-in that raises the reason.

    Raises UnsupportedSettings.
    """
    served = transcription_service(settings.speech)
    if served is not None:
        service = transcriber_from(
            served=served,
            api_key=_keys(settings).of(served.vendor, served.url),
            timeout_seconds=settings.seconds.parse * _RECORDING_TIME_FACTOR,
            max_bytes=settings.limits.bytes,
        )
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
        timeout_seconds=settings.seconds.parse,
        memory_bytes=settings.limits.memory_bytes,
        sandbox=settings.parser_sandbox,
        # One slot is always left for a document that is no recording.
        places=max(1, settings.worker_concurrency - 1),
    )
    async with AsyncExitStack() as stack:
        stack.push_async_callback(listener.close)
        yield listener


def _keys(settings: Settings) -> ModelKeys:
    return model_keys_from(plain(settings.model_keys))
