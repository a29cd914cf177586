"""Real speech for tests, spoken by espeak-ng, and other sounds."""

from __future__ import annotations

import io
import shutil
import subprocess
import wave
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from footnote.errors import ModelUnavailable
from footnote.models.speech.installed import SpeechFiles, find_speech

RATE = 16_000
CRANE = "Good morning. The new crane was delivered on the third of March."
COST = "The insurance costs twelve thousand dollars a year."
GERMAN = (
    "Guten Morgen und willkommen zur Sitzung. Der neue Kran wurde am dritten März geliefert. "
    "Die Versicherung kostet zwölftausend Euro im Jahr."
)


def speech_files() -> SpeechFiles:
    """The packaged models; the test is skipped where they are not installed."""
    try:
        return find_speech("auto")
    except ModelUnavailable as error:
        pytest.skip(str(error))


@cache
def spoken(text: str, voice: str = "en-us") -> bytes:
    """A WAV file in which a text is spoken; the test is skipped without espeak-ng."""
    program = shutil.which("espeak-ng")
    if program is None:
        pytest.skip("espeak-ng is not installed here")
    command = [program, "-v", voice, "-s", "140", "--stdout", text]
    return subprocess.run(command, capture_output=True, check=True).stdout


def samples_of(recording: bytes) -> np.ndarray:
    """The sound that espeak-ng made, at 16,000 samples a second, −1…1."""
    data = recording[recording.index(b"data") + 8 :]  # Its length is unknown on a pipe.
    sound = np.frombuffer(data, np.int16).astype(np.float32) / 32768
    moments = np.arange(0, len(sound) - 1, 22_050 / RATE)
    taken: np.ndarray = np.interp(moments, np.arange(len(sound)), sound).astype(np.float32)
    return taken


def recording(*parts: np.ndarray) -> bytes:
    """A WAV file of these sounds, one after the other."""
    target = io.BytesIO()
    with wave.open(target, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes((np.concatenate(parts) * 32767).astype(np.int16).tobytes())
    return target.getvalue()


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * RATE), np.float32)


def noise(seconds: float) -> np.ndarray:
    sound = np.random.default_rng(7).normal(0, 0.1, round(seconds * RATE))
    return sound.clip(-1, 1).astype(np.float32)


def converted(content: bytes, folder: Path, ending: str, *options: str) -> bytes:
    """A recording in another format; the test is skipped without ffmpeg."""
    program = shutil.which("ffmpeg")
    if program is None:
        pytest.skip("ffmpeg is not installed here")
    source, target = folder / "source.wav", folder / f"target.{ending}"
    source.write_bytes(content)
    command = [program, "-v", "error", "-y", "-i", str(source), *options, str(target)]
    subprocess.run(command, check=True)
    return target.read_bytes()
