"""A recording becomes utterances with times, which chunks and captions carry on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import BlockKind, DocumentClass, Transcript, Utterance
from footnote.domain.passage_merging import seconds_of
from footnote.errors import DocumentUnreadable
from footnote.ingestion.chunk_policies import ChunkPolicy
from footnote.ingestion.chunking import chunk_blocks
from footnote.ingestion.enrichment import classify
from footnote.ingestion.listening import complete_sentences, document_of
from footnote.ingestion.media import is_recording, sniff_media_type
from footnote.ingestion.parsing.reading import read_document
from footnote.models.testing import HashEmbedder
from tests.ingestion import files
from tests.ingestion.recordings import HEADS


def said(
    *parts: tuple[float | None, float | None, str], confidence: float | None = None
) -> tuple[Utterance, ...]:
    return tuple(
        Utterance(text=text, start_seconds=start, end_seconds=end, confidence=confidence)
        for start, end, text in parts
    )


def times(utterances: list[Utterance]) -> list[tuple[str, float | None, float | None]]:
    return [(each.text, each.start_seconds, each.end_seconds) for each in utterances]


# --- types ------------------------------------------------------------------------------------


@pytest.mark.parametrize("media_type", HEADS)
def test_a_recording_is_told_by_its_first_bytes_whatever_it_is_called(media_type: str) -> None:
    content = HEADS[media_type]
    assert sniff_media_type(content, "minutes.txt") == media_type
    assert is_recording(media_type)


@pytest.mark.parametrize(
    "content", [b"", b"just a text", files.prices_xlsx(), files.picture(["OggS"])]
)
def test_nothing_else_is_taken_for_a_recording(content: bytes) -> None:
    assert not is_recording(sniff_media_type(content, "talk.mp3") or "")


def test_without_a_transcriber_the_failure_names_the_settings() -> None:
    with pytest.raises(DocumentUnreadable) as raised:
        read_document(HEADS["audio/wav"], "talk.wav")
    assert "recording" in raised.value.cause
    assert "FOOTNOTE_SPEECH" in raised.value.advice


# --- sentences --------------------------------------------------------------------------------


def test_segments_join_until_a_sentence_ends() -> None:
    utterances = said(
        (0, 2, " The winch was"),
        (2, 4, " delivered on Monday."),
        (4, 5, " By Dr."),
        (5, 6, " Ito."),
    )
    assert times(list(complete_sentences(utterances))) == [
        ("The winch was delivered on Monday.", 0, 4),
        ("By Dr. Ito.", 4, 6),
    ]


def test_a_long_silence_ends_a_sentence() -> None:
    utterances = said((0, 2, "and then"), (60, 62, "hello again"))
    assert [each.text for each in complete_sentences(utterances)] == ["and then", "hello again"]


def test_speech_without_a_full_stop_is_parted_all_the_same() -> None:
    utterances = said(*((n, n + 1, "and so on and so forth") for n in range(200)))
    parts = list(complete_sentences(utterances))
    assert len(parts) > 3
    assert max(len(each.text) for each in parts) < 700


def test_the_confidence_of_a_sentence_is_the_mean_of_its_parts_by_length() -> None:
    [whole] = complete_sentences(
        (*said((0, 1, "abc"), confidence=0.4), *said((1, 2, "def."), confidence=0.8))
    )
    assert whole.confidence == pytest.approx((3 * 0.4 + 4 * 0.8) / 7)


WORDS = st.text(alphabet="ab .?!。\n", max_size=20)


@given(st.lists(st.tuples(WORDS, st.floats(0, 10), st.floats(0, 10)), max_size=12))
def test_no_word_is_lost_and_times_are_those_of_the_first_and_last_part(
    parts: list[tuple[str, float, float]],
) -> None:
    moment, utterances = 0.0, []
    for text, pause, length in parts:
        start = moment + pause
        moment = start + length
        utterances.append(Utterance(text=text, start_seconds=start, end_seconds=moment))
    whole = list(complete_sentences(tuple(utterances)))
    assert " ".join(each.text for each in whole).split() == [
        word for text, _, _ in parts for word in text.split()
    ]
    spoken = [each for each in utterances if each.text.split()]
    assert {each.start_seconds for each in whole} <= {each.start_seconds for each in spoken}
    assert {each.end_seconds for each in whole} <= {each.end_seconds for each in spoken}
    if spoken:
        assert whole[0].start_seconds == spoken[0].start_seconds
        assert whole[-1].end_seconds == spoken[-1].end_seconds


# --- documents --------------------------------------------------------------------------------


def test_a_transcript_is_a_document_of_utterances() -> None:
    transcript = Transcript(
        utterances=said(
            (0, 2, " Hello there."), (751.2, 755, " The winch is here."), confidence=0.5
        ),
        language="en",
        duration_seconds=760.04,
    )
    parsed = document_of(transcript, "call with Ada.mp3", "audio/mpeg", "whisper-1")
    assert [block.kind for block in parsed.blocks] == [BlockKind.UTTERANCE] * 2
    assert parsed.blocks[1].start_seconds == 751.2
    assert parsed.blocks[1].end_seconds == 755
    assert parsed.blocks[1].confidence == 0.5
    assert parsed.title == "call with Ada"
    assert parsed.languages == ("en",)
    assert parsed.metadata == {"transcribed_by": "whisper-1", "duration_seconds": 760.0}
    assert classify(parsed, "call with Ada.mp3") is DocumentClass.TRANSCRIPT
    for block in parsed.blocks:
        assert parsed.text[block.char_start : block.char_end] == block.text


def test_chunks_keep_the_time_of_each_utterance() -> None:
    parts = [(n * 5.0, n * 5.0 + 4, f"Sentence number {n} is about the winch.") for n in range(30)]
    transcript = Transcript(utterances=said(*parts))
    parsed = document_of(transcript, "a.wav", "audio/wav", "m")
    chunks = chunk_blocks(parsed, HashEmbedder(), ChunkPolicy(target_tokens=40))
    assert len(chunks) > 3
    for chunk in chunks:
        for span in chunk.spans:
            [block] = [each for each in parsed.blocks if each.char_start == span.char_start]
            assert (span.start_seconds, span.end_seconds) == (
                block.start_seconds,
                block.end_seconds,
            )
    assert seconds_of(chunks[0].spans)[0] == 0.0
    assert seconds_of(chunks[-1].spans)[1] == 149.0


# --- captions ---------------------------------------------------------------------------------


def test_captions_carry_the_same_times() -> None:
    text = (
        "WEBVTT\n\n00:01.500 --> 00:04.000\n<v Ada>Hello.\n\n00:04.000 --> 00:06.250\n"
        "<v Ada>It is me.\n\n1\n01:02:03.000 --> 01:02:05.000\n<v Bob>Yes.\n"
    )
    parsed = read_document(text.encode(), "call.vtt")
    assert [(block.text, block.start_seconds, block.end_seconds) for block in parsed.blocks] == [
        ("[00:01] Ada: Hello. It is me.", 1.5, 6.25),
        ("[01:02:03] Bob: Yes.", 3723.0, 3725.0),
    ]


def test_subrip_writes_its_times_with_a_comma() -> None:
    text = "1\n00:00:01,250 --> 00:00:02,750\nHello.\n\n2\n00:12:31,000 --> 00:12:33,000\nBye.\n"
    parsed = read_document(text.encode(), "call.srt")
    assert [block.start_seconds for block in parsed.blocks] == [1.25, 751.0]
    assert [block.end_seconds for block in parsed.blocks] == [2.75, 753.0]
