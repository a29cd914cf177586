"""Transcribe recordings in a child process, in parts of some minutes."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from pydantic import TypeAdapter

from footnote.domain import Transcript, Utterance
from footnote.errors import how_to_raise
from footnote.ingestion.children import ChildLimits, ChildPool
from footnote.ingestion.frames import Bytes
from footnote.ingestion.sandbox import SandboxMode
from footnote.ingestion.temporary_folders import TemporaryFolder
from footnote.jobs.turns import RoundRobinLock, WorkspaceSlots
from footnote.models.speech.installed import SpeechFiles
from footnote.ports import OnProgress, ignore_progress

RATE = 16_000
"""Sample rate in Hz to which the child process decodes."""
_OF_EACH_WORKSPACE = 2
"""Recordings of one workspace at a time: while one is transcribed, the next is ready."""
_LONGEST_SECONDS = 6 * 3600.0
"""Longest recording; decoded it takes 690 MB of disk."""
_PAUSE_SECONDS = 3.0
_UNSURE = 0.5
"""Mean confidence below which a transcript gets a warning. That of the packaged model is 0.7 to 0.9
for clear English, and 0.3 to 0.45 for other languages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The models for the child process to load, and the longest recording that it may decode."""

    model: Path
    detector: Path
    max_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decode:
    """Request to decode a file into raw samples in another file; the reply is their number."""

    source: Path
    media_type: str
    decoded: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """Request to transcribe a part that begins at a sample; the reply is a `Part`."""

    decoded: Path
    start: int
    language: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The transcript of one part of a recording."""

    utterances: tuple[Utterance, ...]
    next_sample: int
    """Sample at which the next part begins."""
    language: str | None
    knows_english_alone: bool


_PART = TypeAdapter(Part)
_SAMPLES = TypeAdapter(int)


class LocalTranscriber:
    """A Whisper model on this machine behind `ports.Transcriber`.

    One part of one recording is listened to at a time, and workspaces take turns at that, so that
    a short recording need not wait for the end of a long one. Sound lies decoded in a private
    temporary file meanwhile; memory does not grow with its length.
    """

    def __init__(
        self,
        files: SpeechFiles,
        *,
        max_seconds: float = _LONGEST_SECONDS,
        timeout_seconds: float,
        memory_bytes: int,
        places: int = 1,
        sandbox: SandboxMode = "auto",
    ) -> None:
        self.name = files.name
        self._places = WorkspaceSlots(
            each=_OF_EACH_WORKSPACE, all_together=places, pause_seconds=_PAUSE_SECONDS
        )
        self._turns = RoundRobinLock()
        self._folder = TemporaryFolder("reading")
        self._child = ChildPool(
            "footnote.jobs.listening_child",
            Models(model=files.model, detector=files.detector, max_seconds=max_seconds),
            ChildLimits(
                timeout_seconds=timeout_seconds,
                memory_bytes=memory_bytes,
                sandbox=sandbox,
                readable=(str(files.model), str(files.detector)),
                writable=(self._folder.path,),
                slow_advice="take a smaller model by FOOTNOTE_SPEECH, or "
                + how_to_raise("parse", "FOOTNOTE_TIMEOUTS", timeout_seconds, "seconds"),
                crash_advice="convert the recording to WAV or MP3 and upload that copy",
            ),
        )

    async def close(self) -> None:
        """End the child process and delete the temporary folder."""
        await self._child.aclose()
        await asyncio.to_thread(self._folder.remove)

    async def __call__(
        self,
        content: BinaryIO,
        media_type: str,
        *,
        workspace_id: UUID,
        on_progress: OnProgress = ignore_progress,
    ) -> Transcript:
        """Transcribe a recording, and report progress in seconds of it.

        Raises DocumentUnreadable, DocumentInterrupted, and Postponed if so many recordings are
        being transcribed that this one would keep other documents from being ingested.
        """
        with self._places.of(workspace_id):
            return await self._listen(content, media_type, workspace_id, on_progress)

    async def _listen(
        self, content: BinaryIO, media_type: str, workspace_id: UUID, on_progress: OnProgress
    ) -> Transcript:
        with tempfile.TemporaryDirectory(dir=self._folder.path) as folder:
            source, decoded = Path(folder, "recording"), Path(folder, "samples")
            await asyncio.to_thread(_write, source, content)
            decode = Decode(source=source, media_type=media_type, decoded=decoded)
            async with self._turns.of(workspace_id):
                samples = await self._child.ask(decode, _samples_of)
            await asyncio.to_thread(source.unlink)
            parts: list[Part] = []
            start, language = 0, None
            while start < samples:
                listen = Listen(decoded=decoded, start=start, language=language)
                async with self._turns.of(workspace_id):
                    part = await self._child.ask(listen, _part_of)
                parts.append(part)
                start, language = part.next_sample, language or part.language
                on_progress(min(start, samples) // RATE, samples // RATE)
        utterances = tuple(utterance for part in parts for utterance in part.utterances)
        return Transcript(
            utterances=utterances,
            language=language,
            duration_seconds=samples / RATE,
            warning=_warning(utterances, english=any(part.knows_english_alone for part in parts)),
        )


def _write(target: Path, content: BinaryIO) -> None:
    content.seek(0)
    with target.open("wb") as file:
        shutil.copyfileobj(content, file)


def _warning(utterances: Sequence[Utterance], *, english: bool) -> str | None:
    """Return a warning if the model's mean confidence is low, else None."""
    letters = sum(len(utterance.text) for utterance in utterances)
    sure = sum(len(utterance.text) * (utterance.confidence or 0.0) for utterance in utterances)
    if not letters or sure / letters >= _UNSURE:
        return None
    reason = (
        "the model knows English alone, and the recording may be in another language or hard to "
        "understand"
        if english
        else "the recording may be hard to understand"
    )
    return f"The speech model is {sure / letters:.0%} sure of its words: {reason}."


def _samples_of(record: bytes, _body: Bytes) -> int:
    samples = _SAMPLES.validate_json(record, strict=True)
    if samples < 0:
        raise ValueError("no count of samples")
    return samples


def _part_of(record: bytes, _body: Bytes) -> Part:
    """Parse and validate a part: the child is not trusted, as it has read an untrusted file."""
    part = _PART.validate_json(record, strict=True)
    for utterance in part.utterances:
        start, end = utterance.start_seconds, utterance.end_seconds
        if start is None or end is None or not 0 <= start <= end < float("inf"):
            raise ValueError("an utterance without a place")
        if not 0 <= (utterance.confidence or 0.0) <= 1:
            raise ValueError("an impossible confidence")
    if part.next_sample <= 0:
        raise ValueError("a part that leads nowhere")
    return part
