"""Decode a recording in any of the usual formats to one channel of 16,000 samples a second."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from footnote.domain import Stage
from footnote.errors import DocumentUnreadable
from footnote.models.speech.installed import FFMPEG, FFMPEG_INSTALL

RATE = 16_000
"""Samples a second, of all sound here."""
Samples = npt.NDArray[np.float32]
"""Sound of one channel, −1…1, shape (samples,)."""

SAMPLE_BYTES = 2
_DECODED_SECONDS = 10
"""Seconds decoded at a time."""
_DEMUXERS = {
    "audio/wav": "wav",
    "audio/mpeg": "mp3",
    "audio/mp4": "mov",
    "video/mp4": "mov",
    "audio/ogg": "ogg",
    "audio/flac": "flac",
    "video/webm": "matroska",
}
"""FFmpeg's format by media type: if it guessed, it would follow a playlist to other files."""


class _Undecodable(Exception):
    """A file that libsndfile does not read."""


def decode(source: Path, media_type: str, target: Path, max_seconds: float) -> int:
    """Write the sound of a file as 16-bit samples, block by block; return how many there are.

    libsndfile reads WAV, MP3, Ogg and FLAC; other formats need the program ffmpeg. A truncated file
    is read as far as it goes. Raises DocumentUnreadable, also when it lasts longer than
    `max_seconds`.
    """
    try:
        return _write(_by_libsndfile(source), target, max_seconds)
    except _Undecodable:
        return _write(_by_ffmpeg(source, media_type), target, max_seconds)


def read_samples(decoded: Path, start: int, count: int) -> Samples:
    """Read up to `count` samples that `decode` wrote, from sample `start` on."""
    with decoded.open("rb") as source:
        source.seek(start * SAMPLE_BYTES)
        return _floats(source.read(count * SAMPLE_BYTES))


def _write(sound: Iterator[Samples], target: Path, max_seconds: float) -> int:
    sample_count = 0
    with target.open("wb") as sink:
        for samples in sound:
            sample_count += len(samples)
            if sample_count > max_seconds * RATE:
                raise _unreadable(
                    f"the recording lasts longer than {max_seconds:g} seconds",
                    "split it",
                )
            sink.write((np.clip(samples, -1, 1) * 32767).astype(np.int16).tobytes())
    return sample_count


def _by_libsndfile(source: Path) -> Iterator[Samples]:
    try:
        sound = soundfile.SoundFile(source)
    except soundfile.LibsndfileError as error:
        raise _Undecodable from error
    with sound:
        resampler = soxr.ResampleStream(sound.samplerate, RATE, 1, dtype="float32")
        block = sound.samplerate * _DECODED_SECONDS
        while True:
            try:
                frames = sound.read(block, dtype="float32", always_2d=True)
            except soundfile.LibsndfileError:
                break  # The rest is damaged.
            # Floating-point formats may contain NaN or infinity.
            yield np.nan_to_num(resampler.resample_chunk(frames.mean(axis=1)))
            if len(frames) < block:
                break
        yield resampler.resample_chunk(np.zeros(0, np.float32), last=True)


def _by_ffmpeg(source: Path, media_type: str) -> Iterator[Samples]:
    program = shutil.which(FFMPEG)
    if program is None:
        raise _unreadable(
            f"its sound ({media_type}) is decoded by ffmpeg, which is not installed here",
            f"install it with: {FFMPEG_INSTALL}, or convert the recording to WAV, MP3, Ogg or FLAC",
        )
    command = [
        *(program, "-nostdin", "-v", "error", "-protocol_whitelist", "file,pipe"),
        *("-f", _DEMUXERS[media_type], "-i", f"file:{source}"),
        *("-map", "0:a:0", "-ac", "1", "-ar", str(RATE), "-f", "s16le", "pipe:1"),
    ]
    # The program is the installed ffmpeg, the arguments are ours, there is no shell. Of a damaged
    # file it reports more than a pipe holds, and would wait for somebody to read that.
    with (
        TemporaryFile() as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors) as running,
    ):
        assert running.stdout is not None
        has_sound = False
        while block := running.stdout.read(RATE * _DECODED_SECONDS * SAMPLE_BYTES):
            samples = _floats(block)
            has_sound = True
            yield samples
        running.wait()
        errors.seek(0)
        message = errors.read(2000).decode("utf-8", "replace")
    if not has_sound:
        reason = " ".join(message.replace(f"file:{source}", "it").split())[:200]
        raise _unreadable(
            f"no sound could be decoded from it ({reason or 'it is empty'})",
            "play it; if it can be heard, convert it to WAV, MP3, Ogg or FLAC",
        )


def _floats(content: bytes) -> Samples:
    integers = np.frombuffer(content, np.int16, count=len(content) // SAMPLE_BYTES)
    return np.divide(integers, 32768, dtype=np.float32)


def _unreadable(cause: str, advice: str) -> DocumentUnreadable:
    return DocumentUnreadable(stage=Stage.PARSE, cause=cause, advice=advice)
