"""Turn a recording into a document: its transcript by sentences, with the time of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO
from uuid import UUID

from footnote.domain import BlockKind, ParsedDocument, Stage, Transcript, Utterance
from footnote.domain.probability import mean_confidence
from footnote.domain.usage import UsageKind, UsageNote
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.drafts import Draft, Reading, assemble
from footnote.language.sentences import sentence_spans
from footnote.ports import OnProgress, Transcriber, ignore_progress
from footnote.ports.metering import note_usage
from footnote.ports.telemetry import model_call

TRANSCRIBED_BY = "transcribed_by"
"""Metadata key: the model that transcribed a recording."""
DURATION = "duration_seconds"
TRANSCRIPTION_WARNING = "transcription_warning"
"""Metadata key: why the transcript may be wrong."""
_MAX_CHARACTERS = 600
"""Utterances without a full stop are divided at about this many characters."""
_MAX_PAUSE_SECONDS = 4.0
"""After a longer pause, a new utterance begins."""


async def transcribe(
    transcriber: Transcriber,
    content: BinaryIO,
    filename: str,
    media_type: str,
    *,
    workspace_id: UUID,
    on_progress: OnProgress = ignore_progress,
) -> ParsedDocument:
    """Transcribe a recording, and return it as a document.

    Raises DocumentUnreadable, also when it has no speech, and DocumentInterrupted.
    """
    with model_call("transcribe", transcriber.name):
        transcript = await transcriber(
            content, media_type, workspace_id=workspace_id, on_progress=on_progress
        )
    note_usage(
        UsageNote(
            kind=UsageKind.SPEECH,
            model=transcriber.name,
            units=transcript.duration_seconds or 0.0,
        )
    )
    parsed = document_of(transcript, filename, media_type, transcriber.name)
    if not parsed.blocks:
        raise DocumentUnreadable(
            stage=Stage.PARSE,
            cause="nothing is said in the recording",
            advice="listen to it; if there is speech, try a better transcription model",
        )
    return parsed


def document_of(
    transcript: Transcript, filename: str, media_type: str, transcriber: str
) -> ParsedDocument:
    """Convert a transcript to a document of utterances, each one or more sentences with times."""
    drafts = tuple(
        Draft(
            kind=BlockKind.UTTERANCE,
            text=utterance.text,
            confidence=utterance.confidence,
            start_seconds=utterance.start_seconds,
            end_seconds=utterance.end_seconds,
        )
        for utterance in complete_sentences(transcript.utterances)
    )
    metadata: dict[str, str | int | float | bool] = {TRANSCRIBED_BY: transcriber}
    if transcript.duration_seconds is not None:
        metadata[DURATION] = round(transcript.duration_seconds, 1)
    if transcript.warning is not None:
        metadata[TRANSCRIPTION_WARNING] = transcript.warning
    languages = (transcript.language,) if transcript.language else ()
    reading = Reading(drafts=drafts, languages=languages, metadata=metadata)
    return assemble(reading, filename, media_type)


def complete_sentences(utterances: tuple[Utterance, ...]) -> Iterator[Utterance]:
    """Join utterances that end within a sentence with the next, unless the pause is too long.

    Law: the words are the same in the same order, and each utterance begins when its first part
    does and ends when its last does.
    """
    cleaned = (
        replace(utterance, text=" ".join(utterance.text.split())) for utterance in utterances
    )
    current: Utterance | None = None
    for utterance in cleaned:
        if not utterance.text:
            continue
        if current is None:
            current = utterance
        elif _is_continued(current, utterance):
            current = Utterance(
                text=f"{current.text} {utterance.text}",
                start_seconds=current.start_seconds,
                end_seconds=utterance.end_seconds,
                confidence=mean_confidence(
                    (part.confidence, len(part.text)) for part in (current, utterance)
                ),
            )
        else:
            yield current
            current = utterance
    if current is not None:
        yield current


def _is_continued(current: Utterance, following: Utterance) -> bool:
    pause = (
        following.start_seconds - current.end_seconds
        if following.start_seconds is not None and current.end_seconds is not None
        else 0.0
    )
    length = len(current.text) + len(following.text)
    return (
        not _is_finished(current.text) and pause <= _MAX_PAUSE_SECONDS and length < _MAX_CHARACTERS
    )


def _is_finished(text: str) -> bool:
    """Return whether the text ends a sentence."""
    return len(sentence_spans(f"{text} Then.")) > len(sentence_spans(text))
