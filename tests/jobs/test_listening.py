"""What is said in a recording is written down here, without a service or a network."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest

from footnote.domain import Transcript
from footnote.errors import DocumentUnreadable
from footnote.jobs.listening import LocalTranscriber
from footnote.models.speech.installed import SpeechFiles, find_speech
from tests.models.speech.spoken import (
    COST,
    CRANE,
    GERMAN,
    RATE,
    converted,
    noise,
    recording,
    samples_of,
    silence,
    speech_files,
    spoken,
)

BUSY, CALM = UUID(int=1), UUID(int=2)


@asynccontextmanager
async def listening(
    files: SpeechFiles | None = None, *, max_seconds: float = 3600.0
) -> AsyncIterator[LocalTranscriber]:
    transcriber = LocalTranscriber(
        files or speech_files(),
        max_seconds=max_seconds,
        timeout_seconds=500.0,
        memory_bytes=3 * 1024**3,
        places=3,
    )
    try:
        yield transcriber
    finally:
        await transcriber.close()


@pytest.fixture(scope="module")
async def kept() -> AsyncIterator[LocalTranscriber]:
    """One whose process has the model loaded."""
    async with listening() as transcriber:
        yield transcriber


async def heard(
    transcriber: LocalTranscriber, content: bytes, media_type: str = "audio/wav"
) -> Transcript:
    return await transcriber(BytesIO(content), media_type, workspace_id=CALM)


def words(transcript: Transcript) -> str:
    return " ".join(each.text for each in transcript.utterances).lower()


async def test_english_is_written_down_with_its_times(kept: LocalTranscriber) -> None:
    content = spoken(f"{CRANE} {COST}")
    found = await heard(kept, content)
    assert "crane was delivered on the third of march" in words(found)
    assert "insurance" in words(found)
    assert found.language == "en"
    assert found.warning is None
    [crane] = [each for each in found.utterances if "crane" in each.text]
    [insurance] = [each for each in found.utterances if "insurance" in each.text]
    assert crane.start_seconds is not None
    assert crane.end_seconds is not None
    assert insurance.start_seconds is not None
    assert 0.5 < crane.start_seconds < crane.end_seconds <= insurance.start_seconds
    assert found.duration_seconds == pytest.approx(
        len(samples_of(spoken(f"{CRANE} {COST}"))) / RATE
    )


@pytest.mark.parametrize(
    ("ending", "media_type"),
    [
        ("mp3", "audio/mpeg"),
        ("ogg", "audio/ogg"),
        ("flac", "audio/flac"),
        ("m4a", "audio/mp4"),
        ("webm", "video/webm"),
    ],
)
async def test_other_formats_say_the_same(
    kept: LocalTranscriber, ending: str, media_type: str, tmp_path: Path
) -> None:
    """What is lost by compression may cost a word of a voice as thin as this one."""
    content = converted(spoken(CRANE), tmp_path, ending)
    found = await heard(kept, content, media_type)
    assert "was delivered on the third" in words(found)
    assert found.duration_seconds == pytest.approx(len(samples_of(spoken(CRANE))) / RATE, abs=0.2)


async def test_times_are_right_beyond_the_first_part_and_nothing_is_cut_in_two(
    kept: LocalTranscriber,
) -> None:
    """Somebody speaks across the moment at which the child hands over."""
    crane, cost = samples_of(spoken(CRANE)), samples_of(spoken(COST))
    content = recording(silence(148), crane, silence(160), cost)
    told: list[tuple[int, int]] = []
    found = await kept(
        BytesIO(content),
        "audio/wav",
        workspace_id=CALM,
        on_progress=lambda done, total: told.append((done, total)),
    )
    seconds = len(content) // 2 // RATE
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert told[-1] == (seconds, seconds)
    assert len(told) >= 3
    [delivered] = [each for each in found.utterances if "crane" in each.text]
    assert "third of march" in delivered.text.lower()
    assert delivered.start_seconds == pytest.approx(149.5, abs=1)
    assert found.utterances[-1].start_seconds == pytest.approx(308 + len(crane) / RATE, abs=1)


@pytest.mark.parametrize(
    "sound",
    [silence(0), silence(0.01), silence(30), noise(30)],
    ids=["0 s", "a blink", "", "noise"],
)
async def test_nothing_is_heard_where_nobody_speaks(
    kept: LocalTranscriber, sound: np.ndarray
) -> None:
    found = await heard(kept, recording(sound))
    assert found.utterances == ()
    assert found.duration_seconds == pytest.approx(len(sound) / RATE)


async def test_a_file_that_was_cut_off_says_what_is_left(kept: LocalTranscriber) -> None:
    whole = recording(samples_of(spoken(CRANE)), silence(1), samples_of(spoken(COST)))
    found = words(await heard(kept, whole[: round(len(whole) * 0.6)]))
    assert "crane" in found
    assert "dollars" not in found


async def test_another_language_is_doubted(kept: LocalTranscriber) -> None:
    found = await heard(kept, spoken(GERMAN, "de"))
    assert found.warning is not None
    assert "English alone" in found.warning


async def test_what_is_no_recording_costs_nobody_else_anything() -> None:
    async with listening() as transcriber:
        with pytest.raises(DocumentUnreadable) as raised:
            await transcriber(BytesIO(bytes(1000)), "audio/mpeg", workspace_id=CALM)
        assert raised.value.advice
        found = await transcriber(BytesIO(spoken(CRANE)), "audio/wav", workspace_id=CALM)
    assert "crane" in words(found)


async def test_a_long_recording_does_not_hold_up_that_of_another_workspace() -> None:
    long = recording(*[silence(140), samples_of(spoken(COST))] * 3)
    ended: list[UUID] = []

    async def listen(workspace_id: UUID, content: bytes) -> None:
        await transcriber(BytesIO(content), "audio/wav", workspace_id=workspace_id)
        ended.append(workspace_id)

    async with listening() as transcriber, asyncio.TaskGroup() as group:
        for _ in range(2):
            group.create_task(listen(BUSY, long))
        await asyncio.sleep(0)
        group.create_task(listen(CALM, spoken(CRANE)))
    assert ended == [CALM, BUSY, BUSY]


async def test_a_model_that_is_none_fails_with_the_setting(tmp_path: Path) -> None:
    for file in speech_files().model.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "model.bin").unlink()
    (tmp_path / "model.bin").write_bytes(b"no model")
    async with listening(find_speech(str(tmp_path))) as transcriber:
        with pytest.raises(DocumentUnreadable) as raised:
            await transcriber(BytesIO(spoken(CRANE)), "audio/wav", workspace_id=CALM)
    assert "FOOTNOTE_SPEECH" in raised.value.advice


async def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with listening() as transcriber:
        await heard(transcriber, recording(noise(2)))
        with pytest.raises(DocumentUnreadable):
            await transcriber(BytesIO(bytes(1000)), "audio/wav", workspace_id=CALM)
    assert not await asyncio.to_thread(os.listdir, tmp_path)
