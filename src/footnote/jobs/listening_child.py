"""The process that listens, started by `LocalTranscriber`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import TypeAdapter
from pydantic_core import to_json

from footnote.domain import Stage, Utterance
from footnote.errors import DocumentUnreadable
from footnote.ingestion.frames import Message
from footnote.ingestion.serving import Tell, serve
from footnote.jobs.listening import Decode, Listen, Models, Part
from footnote.models.model_store import available_cores
from footnote.models.speech.audio import RATE, decode, read_samples
from footnote.models.speech.voice import Stretch, VoiceDetector
from footnote.models.speech.whisper import WhisperModel

PART_SECONDS = 150
"""Listened to between two turns: some ten seconds of work on two cores."""


@dataclass(frozen=True)
class _Listener:
    """Both models, each loaded when it is first needed."""

    files: Models

    @cached_property
    def voices(self) -> VoiceDetector:
        return VoiceDetector(self.files.detector)

    @cached_property
    def whisper(self) -> WhisperModel:
        # The other cores are left for parsing and queries.
        return WhisperModel(self.files.model, threads=max(1, available_cores() // 2))

    def listen(self, request: Listen) -> Part:
        """Transcribe from a sample on, and return the sample at which the next part begins."""
        count = PART_SECONDS * RATE
        start, language = request.start, request.language
        samples = read_samples(request.decoded, start, count)
        stretches = self.voices(samples)
        next_sample = start + max(len(samples), 1)
        if len(samples) == count and stretches and stretches[-1].end == count:
            # The last segment is cut off by the end of the part, so the next part begins with it.
            next_sample = start + stretches.pop().start
        utterances: list[Utterance] = []
        english = False
        if stretches:
            parts = [samples[stretch.start : stretch.end] for stretch in stretches]
            english = not self.whisper.is_multilingual
            language = language or self.whisper.language_of(parts)
            transcripts = (self.whisper(part, language) for part in parts)
            utterances = [*_with_offsets(stretches, transcripts, start)]
        return Part(
            utterances=tuple(utterances),
            next_sample=next_sample,
            language=language,
            knows_english_alone=english,
        )


def _with_offsets(
    stretches: Sequence[Stretch], transcripts: Iterator[tuple[Utterance, ...]], start: int
) -> Iterator[Utterance]:
    """The utterances; their seconds count from the beginning of the recording."""
    for stretch, utterances in zip(stretches, transcripts, strict=True):
        offset = (start + stretch.start) / RATE
        for utterance in utterances:
            yield Utterance(
                text=utterance.text,
                start_seconds=round(offset + (utterance.start_seconds or 0.0), 2),
                end_seconds=round(offset + (utterance.end_seconds or 0.0), 2),
                confidence=utterance.confidence or 0.0,
            )


def _configure(files: Models, _tell: Tell) -> Callable[[Decode | Listen, bytes], Message]:
    listener = _Listener(files)

    def answer(request: Decode | Listen, _content: bytes) -> Message:
        if isinstance(request, Decode):
            samples = decode(request.source, request.media_type, request.decoded, files.max_seconds)
            return Message(to_json(samples))
        try:
            return Message(to_json(listener.listen(request)))
        except (RuntimeError, ValueError) as error:  # CTranslate2's errors for a broken model.
            raise DocumentUnreadable(
                stage=Stage.PARSE,
                cause=f"the speech model in {files.model.name} fails ({error})"[:300],
                advice="check the folder that FOOTNOTE_SPEECH names: footnote doctor",
            ) from error

    return answer


if __name__ == "__main__":
    serve(TypeAdapter(Models), TypeAdapter(Decode | Listen), _configure)
