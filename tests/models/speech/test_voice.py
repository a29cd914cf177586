"""Stretches hold all that is spoken, apart from each other, none longer than Whisper hears."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("soundfile", reason="the extra speech is not installed here")

from footnote.models.speech.voice import VoiceDetector, stretches
from tests.models.speech.spoken import (
    COST,
    CRANE,
    RATE,
    noise,
    samples_of,
    silence,
    speech_files,
    spoken,
)

FRAME = 512
RUNS = st.lists(
    st.tuples(st.integers(1, 2500), st.sampled_from([0.0, 0.4, 0.9])), min_size=0, max_size=12
)


@given(RUNS)
def test_stretches_hold_every_voice_and_are_apart(runs: list[tuple[int, float]]) -> None:
    probabilities = [probability for count, probability in runs for _ in range(count)]
    samples = len(probabilities) * FRAME
    found = list(stretches(probabilities, samples))
    last = 0
    for each in found:
        assert last <= each.start < each.end <= samples
        assert each.end - each.start <= 29 * RATE
        last = each.end
    position = 0
    for count, probability in runs:
        start, position = position, position + count * FRAME
        if probability == 0.9 and count * FRAME >= RATE / 4:
            middle = (start + position) // 2
            assert any(each.start <= middle < each.end for each in found)


def test_speech_is_found_between_silences() -> None:
    detector = VoiceDetector(speech_files().detector)
    first, second = samples_of(spoken(CRANE)), samples_of(spoken(COST))
    found = detector(np.concatenate([silence(5), first, silence(10), second, silence(5)]))
    assert [round(each.start / RATE) for each in found] == [
        pytest.approx(5, abs=1),
        pytest.approx(15 + len(first) / RATE, abs=1),
    ]


@pytest.mark.parametrize(
    "sound", [silence(20), noise(20), silence(0)], ids=["silence", "noise", "0 s"]
)
def test_nobody_speaks_in_silence_and_noise(sound: np.ndarray) -> None:
    assert VoiceDetector(speech_files().detector)(sound) == []
