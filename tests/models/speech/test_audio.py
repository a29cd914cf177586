"""Whatever format a recording has, the same sound comes out of it, and little memory is taken."""

from __future__ import annotations

import io
import os
import wave
from pathlib import Path

import numpy as np
import pytest

from footnote.errors import DocumentUnreadable

pytest.importorskip("soundfile", reason="the extra speech is not installed here")

from footnote.models.speech.audio import RATE, decode, read_samples
from tests.models.speech.spoken import converted, noise, recording, silence

TONE = 0.5 * np.sin(2 * np.pi * 440 * np.arange(3 * RATE) / RATE)


def decoded(content: bytes, media_type: str, folder: Path, max_seconds: float = 60) -> np.ndarray:
    source, target = folder / "recording", folder / "samples"
    source.write_bytes(content)
    count = decode(source, media_type, target, max_seconds)
    samples = read_samples(target, 0, count + 1)
    assert len(samples) == count
    return samples


def pitch(sound: np.ndarray) -> float:
    """The strongest frequency, in Hz."""
    return float(np.abs(np.fft.rfft(sound)).argmax() * RATE / len(sound))


@pytest.mark.parametrize(
    ("ending", "media_type", "options"),
    [
        ("wav", "audio/wav", ("-ar", "44100", "-ac", "2")),
        ("wav", "audio/wav", ("-c:a", "pcm_mulaw", "-ar", "8000")),
        ("mp3", "audio/mpeg", ()),
        ("ogg", "audio/ogg", ("-c:a", "libvorbis")),
        ("ogg", "audio/ogg", ("-c:a", "libopus")),
        ("flac", "audio/flac", ()),
        ("m4a", "audio/mp4", ()),
        ("webm", "video/webm", ("-c:a", "libopus")),
    ],
)
def test_every_format_gives_the_same_sound(
    ending: str, media_type: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    content = converted(recording(TONE), tmp_path, ending, *options)
    sound = decoded(content, media_type, tmp_path)
    assert len(sound) == pytest.approx(3 * RATE, abs=RATE // 10)
    assert pitch(sound) == pytest.approx(440, abs=2)
    assert np.abs(sound).max() == pytest.approx(0.45, abs=0.15)


def test_channels_are_mixed(tmp_path: Path) -> None:
    target = io.BytesIO()
    with wave.open(target, "wb") as sound:
        sound.setnchannels(2)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes(np.array([[8000, -8000]] * RATE, np.int16).tobytes())
    assert np.abs(decoded(target.getvalue(), "audio/wav", tmp_path)).max() < 0.001


def test_a_file_that_was_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = recording(noise(3))
    assert len(decoded(whole[: len(whole) // 2], "audio/wav", tmp_path)) == pytest.approx(
        1.5 * RATE, abs=100
    )


def test_a_file_without_any_sound_has_no_samples(tmp_path: Path) -> None:
    assert len(decoded(recording(silence(0)), "audio/wav", tmp_path)) == 0


def test_what_is_too_long_is_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(DocumentUnreadable) as raised:
        decoded(recording(noise(3)), "audio/wav", tmp_path, max_seconds=2)
    assert "longer than 2 seconds" in raised.value.cause
    assert "split" in raised.value.advice


def test_a_file_that_nothing_decodes_says_what_helps(tmp_path: Path) -> None:
    content = b"\x00\x00\x00\x20ftypM4A " + bytes(4000)
    with pytest.raises(DocumentUnreadable) as raised:
        decoded(content, "audio/mp4", tmp_path)
    assert str(tmp_path) not in raised.value.cause
    assert "WAV" in raised.value.advice


def test_a_playlist_that_calls_itself_a_recording_reads_no_other_file(tmp_path: Path) -> None:
    other = tmp_path / "other.wav"
    other.write_bytes(recording(noise(2)))
    playlist = f"#EXTM3U\n#EXTINF:2,\n{other}\n".encode()
    for media_type in ("audio/mp4", "video/webm", "audio/wav", "audio/ogg"):
        with pytest.raises(DocumentUnreadable):
            decoded(playlist, media_type, tmp_path)


def test_without_ffmpeg_its_formats_say_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DocumentUnreadable) as raised:
        decoded(b"\x1a\x45\xdf\xa3" + bytes(100), "video/webm", tmp_path)
    assert "ffmpeg" in raised.value.cause
    assert "apt-get install ffmpeg" in raised.value.advice


def test_a_decoder_that_reports_a_lot_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged file has ffmpeg write a line for each of its frames."""
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\nhead -c 300000 /dev/zero >&2\nhead -c 32000 /dev/zero\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    source = tmp_path / "damaged.m4a"
    source.write_bytes(b"no sound")
    assert decode(source, "audio/mp4", tmp_path / "decoded", 60) == 16_000
