"""Find the segments of a recording that contain speech, each short enough for Whisper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime

from footnote.models.speech.audio import RATE, Samples

MAX_STRETCH_SECONDS = 28.0
"""Longest segment. Whisper's input is 30 seconds; the rest is for the margin around speech."""
_FRAME = 512
_CONTEXT = 64
_STATE = (1, 1, 128)
"""Input and state shapes of the network (Silero VAD, version 6)."""
_BEGINS = 0.5
_ENDS = 0.35
"""Hysteresis thresholds on the probability of speech: a run of frames begins at the first and ends
below the second. Silero's defaults."""
_MIN_SECONDS = 0.25
"""Shorter runs are dropped as clicks or noise. Silero's default."""
_PAUSE_SECONDS = 2.0
"""A longer pause separates two segments."""
_MARGIN_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class Stretch:
    """The samples from `start` up to, not including, `end`, which contain speech."""

    start: int
    end: int


class VoiceDetector:
    """Silero's voice activity detector, loaded from an ONNX file."""

    def __init__(self, graph: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.inter_op_num_threads = options.intra_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        self._session = onnxruntime.InferenceSession(
            str(graph), options, providers=["CPUExecutionProvider"]
        )

    def __call__(self, sound: Samples) -> list[Stretch]:
        """Return the segments with speech, in order and without overlap."""
        return list(stretches(self.probabilities(sound), len(sound)))

    def probabilities(self, sound: Samples) -> Sequence[float]:
        """Return the probability of speech for each frame of 32 ms."""
        if not len(sound):
            return []
        frames = np.pad(sound, (0, -len(sound) % _FRAME)).reshape(-1, _FRAME)
        preceding = np.roll(frames[:, -_CONTEXT:], 1, axis=0)
        preceding[0] = 0
        state = np.zeros(_STATE, np.float32)
        outputs = self._session.run(
            ["speech_probs"],
            {"input": np.concatenate([preceding, frames], axis=1), "h": state, "c": state},
        )
        return [float(probability) for probability in outputs[0].ravel()]


def stretches(probabilities: Sequence[float], samples: int) -> Iterator[Stretch]:
    """Yield the segments with speech, with a margin on both sides.

    A segment includes short pauses. One that would get too long is cut at its last pause or,
    without a pause, at the maximum length.
    """
    margin = round(_MARGIN_SECONDS * RATE)
    begin: int | None = None
    end = 0
    for part in _cut(list(_voiced(probabilities)), round(MAX_STRETCH_SECONDS * RATE) // _FRAME):
        start, stop = part[0] * _FRAME, part[1] * _FRAME
        if begin is not None and (
            start - end > _PAUSE_SECONDS * RATE or stop - begin > MAX_STRETCH_SECONDS * RATE
        ):
            yield Stretch(begin, min(end + min(margin, (start - end) // 2), samples))
            begin = max(start - min(margin, (start - end) // 2), 0)
        elif begin is None:
            begin = max(start - margin, 0)
        end = stop
    if begin is not None:
        yield Stretch(begin, min(end + margin, samples))


def _voiced(probabilities: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Runs of frames with a voice, the end excluded."""
    start: int | None = None
    for index, probability in enumerate(probabilities):
        if start is None and probability >= _BEGINS:
            start = index
        elif start is not None and probability < _ENDS:
            if (index - start) * _FRAME >= _MIN_SECONDS * RATE:
                yield start, index
            start = None
    if start is not None:
        yield start, len(probabilities)


def _cut(runs: Sequence[tuple[int, int]], longest: int) -> Iterator[tuple[int, int]]:
    """Yield the runs, with those longer than `longest` frames split into pieces."""
    for start, end in runs:
        for piece in range(start, end, longest):
            yield piece, min(piece + longest, end)
