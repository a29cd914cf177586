"""Listens to recordings in a child process, some minutes of each at a time."""

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
from footnote.jobs.turns import Places, Turns
from footnote.models.speech.installed import SpeechFiles
from footnote.ports import OnProgress, ignore_progress

RATE = 16_000
"""Samples a second that the child decodes to."""
_OF_EACH_WORKSPACE = 2
"""Recordings in hand: while one is listened to, the next is ready."""
_LONGEST_SECONDS = 6 * 3600.0
"""Of a recording; decoded it takes 690 MB of disk."""
_PAUSE_SECONDS = 3.0
_UNSURE = 0.5
"""The packaged model is .7 to .9 sure of plain English, .3 to .45 of other languages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What the child loads, and how long a recording may be."""

    model: Path
    detector: Path
    max_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decode:
    """Asks for the sound of a file as samples in another; answered with their number."""

    source: Path
    media_type: str
    decoded: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Listen:
    """Asks what is said from a sample on; answered with a `Part`."""

    decoded: Path
    start: int
    language: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What the child heard between two moments."""

    utterances: tuple[Utterance, ...]
    next_sample: int
    """Where it goes on."""
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
        self._places = Places(
            each=_OF_EACH_WORKSPACE, all_together=places, pause_seconds=_PAUSE_SECONDS
        )
        self._turns = Turns()
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
        """End the child."""
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
        """What is said in a recording, telling of its seconds.

        Raises DocumentUnreadable, DocumentInterrupted, and NotYet when so many recordings are in
        hand that it would keep other documents from being worked on.
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
    """Why to doubt what was written down; None when the model was sure of it."""
    letters = sum(len(each.text) for each in utterances)
    sure = sum(len(each.text) * (each.confidence or 0.0) for each in utterances)
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
    """A part, checked: the child has opened a foreign file."""
    part = _PART.validate_json(record, strict=True)
    for each in part.utterances:
        start, end = each.start_seconds, each.end_seconds
        if start is None or end is None or not 0 <= start <= end < float("inf"):
            raise ValueError("an utterance without a place")
        if not 0 <= (each.confidence or 0.0) <= 1:
            raise ValueError("an impossible confidence")
    if part.next_sample <= 0:
        raise ValueError("a part that leads nowhere")
    return part
