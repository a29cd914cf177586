"""The process that listens, started by `LocalTranscriber`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from footnote.domain import Stage, Utterance
from footnote.errors import DocumentUnreadable
from footnote.ingestion.child import Answer, Tell, serve
from footnote.ingestion.parsing.wire import Json, encode_frame
from footnote.models.model_store import available_cores
from footnote.models.speech.audio import RATE, decode, read_samples
from footnote.models.speech.voice import Stretch, VoiceDetector
from footnote.models.speech.whisper import WhisperModel

PART_SECONDS = 150
"""Listened to between two turns: some ten seconds of work on two cores."""


@dataclass(frozen=True)
class _Listener:
    """Both models, each loaded when it is first needed."""

    model: Path
    detector: Path

    @cached_property
    def voices(self) -> VoiceDetector:
        return VoiceDetector(self.detector)

    @cached_property
    def whisper(self) -> WhisperModel:
        # The other half of the cores is for whatever else is read and asked meanwhile.
        return WhisperModel(self.model, threads=max(1, available_cores() // 2))

    def listen(self, decoded: Path, start: int, language: str | None) -> Json:
        """What is said from a sample on, up to a pause, and where that is."""
        count = PART_SECONDS * RATE
        sound = read_samples(decoded, start, count)
        stretches = self.voices(sound)
        following = start + max(len(sound), 1)
        if len(sound) == count and stretches and stretches[-1].end == count:
            # Somebody is cut short: the next part begins with what they say.
            following = start + stretches.pop().start
        said: list[tuple[str, float, float, float]] = []
        english = False
        if stretches:
            parts = [sound[each.start : each.end] for each in stretches]
            english = not self.whisper.is_multilingual
            language = language or self.whisper.language_of(parts)
            heard = (self.whisper(part, language) for part in parts)
            said = [*_placed(stretches, heard, start)]
        return {"heard": said, "next": following, "language": language, "english": english}


def _placed(
    stretches: Sequence[Stretch], heard: Iterator[tuple[Utterance, ...]], start: int
) -> Iterator[tuple[str, float, float, float]]:
    """Text, begin, end and confidence; seconds count from the beginning of the recording."""
    for stretch, utterances in zip(stretches, heard, strict=True):
        offset = (start + stretch.start) / RATE
        for each in utterances:
            yield (
                each.text,
                round(offset + (each.start_seconds or 0.0), 2),
                round(offset + (each.end_seconds or 0.0), 2),
                each.confidence or 0.0,
            )


def _configure(settings: Json, _tell: Tell) -> Answer:
    listener = _Listener(Path(str(settings["model"])), Path(str(settings["detector"])))
    max_seconds = float(str(settings["max_seconds"]))

    def answer(header: Json, _content: bytes) -> list[bytes]:
        decoded = Path(str(header["decoded"]))
        if header["do"] == "decode":
            source, media_type = Path(str(header["source"])), str(header["media_type"])
            return [encode_frame({"samples": decode(source, media_type, decoded, max_seconds)})]
        language = header["language"]
        try:
            told = listener.listen(
                decoded, int(str(header["start"])), None if language is None else str(language)
            )
        except (RuntimeError, ValueError) as error:  # What CTranslate2 says of a broken model.
            raise DocumentUnreadable(
                stage=Stage.PARSE,
                cause=f"the speech model in {listener.model.name} fails ({error})"[:300],
                advice="check the folder that FOOTNOTE_SPEECH names: footnote doctor",
            ) from error
        return [encode_frame(told)]

    return answer


if __name__ == "__main__":
    serve(_configure)
