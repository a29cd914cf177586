"""Transcribe recordings by a server with OpenAI's transcription API."""

from __future__ import annotations

import asyncio
import io
import json
import math
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import BinaryIO
from uuid import UUID

import httpx

from footnote.domain import Stage, Transcript, Utterance
from footnote.errors import (
    DocumentFailed,
    DocumentInterrupted,
    DocumentUnreadable,
    UnsupportedSettings,
    how_to_raise,
)
from footnote.models.redaction import MEDIA_ADVICE, withholds_media
from footnote.models.rerank_transport import Token, fixed_token, retry_after_seconds
from footnote.models.served import KEYS, ServedModel, served_model
from footnote.ports import OnProgress, ignore_progress

ATTEMPTS = 3
MAX_ANSWER_BYTES = 64 * 1024**2
"""A day of speech with the time of each phrase takes a few megabytes."""
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_MAX_BYTES = 25 * 1024**2
"""OpenAI's limit for a recording; other servers state theirs by refusing."""
USUAL_MODEL = "whisper-1"
_PATH = "/audio/transcriptions"
_ENDINGS = {
    "audio/wav": "wav",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/ogg": "ogg",
    "audio/flac": "flac",
    "video/webm": "webm",
    "video/mp4": "mp4",
}
"""File extension by media type: servers detect the format by it."""
_NO_SPEECH = 0.6
_UNSURE = -1.0
"""Whisper's own thresholds: beyond both, a segment was transcribed from silence."""
_LANGUAGE = re.compile(r"([a-z]{2})(?:[-_].*)?")
_BUSY = (429, 500, 502, 503, 504)
_ADVICE = {
    400: "check that the model in FOOTNOTE_SPEECH takes this kind of file and gives verbose_json, "
    "as whisper-1 does; or convert the recording to WAV or MP3",
    401: "check FOOTNOTE_MODEL_KEYS",
    403: "check what the key in FOOTNOTE_MODEL_KEYS may do",
    404: "check the model and the address in FOOTNOTE_SPEECH",
    413: "compress or split it; the transcriber takes no file of this size",
    415: "convert the recording to WAV or MP3",
    422: "convert the recording to WAV or MP3, and check the model in FOOTNOTE_SPEECH",
}


class _Malformed(Exception):
    """An answer that is no transcript."""


@dataclass(slots=True, kw_only=True, eq=False)
class HttpTranscriber:
    """A transcription service behind `ports.Transcriber`; one request for each recording.

    What the service says of an error is never repeated: it may hold the key. Redirects are not
    followed, so neither recording nor key reach a host that was not configured. Belongs to the
    event loop it is first used in.
    """

    model: str
    url: str
    """URL to which recordings are posted."""
    timeout_seconds: float
    """Limit for one recording, with its retries and the pauses between them."""
    max_bytes: int
    """Largest recording that is sent."""
    token: Token | None = field(default=None, repr=False)
    pause_seconds: float = 1.0
    """Pause before a retry if the server gives no Retry-After; doubled each time."""
    _client: httpx.AsyncClient | None = field(default=None, init=False, repr=False)

    @property
    def name(self) -> str:
        return self.model

    async def __call__(
        self,
        content: BinaryIO,
        media_type: str,
        *,
        workspace_id: UUID,  # noqa: ARG002  A service has a queue of its own …
        on_progress: OnProgress = ignore_progress,  # noqa: ARG002  … and says nothing before the end.
    ) -> Transcript:
        """Transcribe a recording.

        Retries up to two times if the server is busy or fails (429, 500, 502, 503, 504) and the
        time allows. Raises DocumentUnreadable if a retry would be refused again, else
        DocumentInterrupted.
        """
        if await withholds_media():
            raise _refused(
                "the recording is not sent to the hosted transcriber: personal data in it cannot "
                "be redacted",
                MEDIA_ADVICE,
            )
        byte_size = content.seek(0, io.SEEK_END)
        if byte_size > self.max_bytes:
            raise _refused(
                f"the recording has {byte_size:,} bytes, more than the {self.max_bytes:,} "
                "that are sent to the transcriber",
                "compress or split it",
            )
        try:
            async with asyncio.timeout(self.timeout_seconds) as limit:
                answer = await self._answer(content, media_type, limit)
        except (TimeoutError, httpx.TimeoutException):
            raise self._interrupted(
                f"did not answer within {self.timeout_seconds:g} s",
                how_to_raise("parse", "FOOTNOTE_TIMEOUTS", self.timeout_seconds / 3, "seconds")
                + ", or split the recording",
            ) from None
        except httpx.ConnectError:
            raise self._interrupted(
                "cannot be reached", "see that it runs, and check its address in FOOTNOTE_SPEECH"
            ) from None
        except httpx.HTTPError as error:
            raise self._interrupted(
                f"broke off its answer ({type(error).__name__})", "see whether the service is well"
            ) from None
        try:
            return await asyncio.to_thread(transcript_of, answer)
        except _Malformed:
            raise self._interrupted(
                "gave an answer that is no transcript",
                "check that the address in FOOTNOTE_SPEECH speaks OpenAI's transcription API",
            ) from None

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _answer(self, content: BinaryIO, media_type: str, limit: asyncio.Timeout) -> bytes:
        pause = self.pause_seconds
        for attempt in range(1, ATTEMPTS + 1):
            async with self._posted(content, media_type) as response:
                if response.status_code == httpx.codes.OK:
                    return await self._body(response)
                status, headers = response.status_code, response.headers
            wait = retry_after_seconds(headers, pause)
            end = limit.when()
            is_too_late = end is not None and asyncio.get_running_loop().time() + wait >= end
            if status not in _BUSY or attempt == ATTEMPTS or is_too_late:
                raise self._refusal(status)
            await asyncio.sleep(wait)
            pause *= 2
        raise AssertionError  # The last attempt returns or raises.

    @asynccontextmanager
    async def _posted(self, content: BinaryIO, media_type: str) -> AsyncIterator[httpx.Response]:
        if self._client is None:
            self._client = httpx.AsyncClient(timeout=self.timeout_seconds, follow_redirects=False)
        headers = {"accept": "application/json", "accept-encoding": "identity"}
        if self.token is not None:
            headers["authorization"] = f"Bearer {await self.token()}"
        # The original file name may reveal more than the service needs.
        name = f"recording.{_ENDINGS.get(media_type, 'bin')}"
        form = {
            "model": self.model,
            "response_format": "verbose_json",
            "timestamp_granularities[]": "segment",
        }
        file = (name, content, media_type)  # Each try sends it from its beginning, in pieces.
        async with self._client.stream(
            "POST", self.url, data=form, files={"file": file}, headers=headers
        ) as response:
            yield response

    async def _body(self, response: httpx.Response) -> bytes:
        body = bytearray()
        async for part in response.aiter_bytes():
            body += part
            if len(body) > MAX_ANSWER_BYTES:
                raise self._interrupted(
                    f"answered with more than {MAX_ANSWER_BYTES} bytes",
                    "check that the address in FOOTNOTE_SPEECH is a transcription service",
                )
        return bytes(body)

    def _refusal(self, status: int) -> DocumentFailed:
        if status in _BUSY:
            problem = "is asked too often" if status == 429 else "failed at its server"
            return self._interrupted(
                f"{problem} (HTTP {status})", "try again later, or see the log of its server"
            )
        advice = _ADVICE.get(status, "check the address in FOOTNOTE_SPEECH")
        return _refused(f"the transcriber {self.model} refused it (HTTP {status})", advice)

    def _interrupted(self, problem: str, advice: str) -> DocumentInterrupted:
        cause = f"the transcriber {self.model} {problem}"
        return DocumentInterrupted(stage=Stage.PARSE, cause=cause, advice=advice)


@dataclass(frozen=True, slots=True, kw_only=True)
class NobodyListens:
    """A stand-in without a transcription model: raises the reason for every recording."""

    cause: str
    advice: str
    name: str = "nobody"

    async def __call__(
        self,
        content: BinaryIO,  # noqa: ARG002
        media_type: str,  # noqa: ARG002
        *,
        workspace_id: UUID,  # noqa: ARG002
        on_progress: OnProgress = ignore_progress,  # noqa: ARG002
    ) -> Transcript:
        """Raise DocumentUnreadable."""
        raise _refused(f"it is a recording, and nobody listens to it: {self.cause}", self.advice)


def transcription_service(choice: str) -> ServedModel | None:
    """The service that FOOTNOTE_SPEECH names; None for a model on this machine, or none.

    Raises UnsupportedSettings for an address that is none.
    """
    served = served_model(choice, "FOOTNOTE_SPEECH")
    return served if served.url is not None or served.vendor == "openai" else None


def transcriber_from(
    *,
    served: ServedModel,
    api_key: str | None,
    timeout_seconds: float,
    max_bytes: int,
) -> HttpTranscriber:
    """Return the client of a transcription service.

    Its address is the base URL of the API (`…/v1`) or the full URL of the endpoint; without one it
    is OpenAI's, which is sent no recording above its size limit. Nothing is sent before the first
    call. Raises UnsupportedSettings.
    """
    model = served.model if served.vendor in ("openai", "compatible") else served.name
    if served.url is None and not api_key:
        raise UnsupportedSettings(
            "OpenAI's transcriber needs a key.",
            hint=f'Set {KEYS} to {{"openai": "…"}}, or FOOTNOTE_SPEECH to a server of your own: '
            "whisper-1@http://127.0.0.1:8000/v1.",
        )
    address = httpx.URL(served.url or OPENAI_URL)
    path = address.path.rstrip("/")
    posted_to = str(address.copy_with(path=path if path.endswith(_PATH) else path + _PATH))
    return HttpTranscriber(
        model=model or USUAL_MODEL,
        url=posted_to,
        timeout_seconds=timeout_seconds,
        max_bytes=min(max_bytes, OPENAI_MAX_BYTES)
        if posted_to.startswith(OPENAI_URL)
        else max_bytes,
        token=fixed_token(api_key) if api_key else None,
    )


def _refused(cause: str, advice: str) -> DocumentUnreadable:
    return DocumentUnreadable(stage=Stage.PARSE, cause=cause, advice=advice)


def transcript_of(answer: bytes) -> Transcript:
    """The transcript of a `verbose_json` answer, or of a plain `json` one, which has no times."""
    try:
        parsed = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise _Malformed from error
    if not isinstance(parsed, dict):
        raise _Malformed
    duration = _seconds(parsed.get("duration"))
    segments, text = parsed.get("segments"), parsed.get("text")
    if isinstance(segments, list) and segments:
        utterances = tuple(_utterances(segments))
    elif isinstance(text, str):
        utterances = (Utterance(text=text, start_seconds=None, end_seconds=duration),)
        utterances = utterances if text.strip() else ()
    else:
        raise _Malformed
    language = _LANGUAGE.fullmatch(str(parsed.get("language", "")).lower())
    return Transcript(
        utterances=utterances,
        language=language[1] if language else None,
        duration_seconds=duration,
    )


def _utterances(segments: Sequence[object]) -> list[Utterance]:
    utterances: list[Utterance] = []
    last = 0.0
    for segment in segments:
        if not isinstance(segment, dict) or not isinstance(segment.get("text"), str):
            raise _Malformed
        likelihood = _number(segment.get("avg_logprob"))
        if likelihood is not None and is_silence(
            _number(segment.get("no_speech_prob")) or 0.0, likelihood
        ):
            continue
        start, end = _seconds(segment.get("start")), _seconds(segment.get("end"))
        if start is not None:
            last = start = max(start, last)  # Segments may overlap; keep the starts in order.
        utterances.append(
            Utterance(
                text=segment["text"],
                start_seconds=start,
                end_seconds=None if end is None else max(end, start or 0.0),
                confidence=None if likelihood is None else math.exp(min(likelihood, 0.0)),
            )
        )
    return utterances


def is_silence(no_speech_probability: float, mean_log_probability: float) -> bool:
    """Return whether Whisper took the sound for silence and is unsure of its words."""
    return no_speech_probability > _NO_SPEECH and mean_log_probability < _UNSURE


def _number(value: object) -> float | None:
    """A finite number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


def _seconds(value: object) -> float | None:
    """Return a time of at least 0 in seconds, else None; some servers send it as a string."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    number = _number(value)
    return number if number is not None and number >= 0 else None
