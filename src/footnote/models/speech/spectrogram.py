"""Compute the log-mel spectrogram of a recording, the input of a Whisper model."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from footnote.models.speech.audio import RATE, Samples

SECONDS = 30
"""Length of one spectrogram; shorter audio is padded with silence."""
_WINDOW = 400
_HOP = 160
_LOUDNESS_RANGE = 8.0
"""Dynamic range in powers of ten below the maximum; lower values are clipped. The window, the hop
and this range are those of Radford et al. 2022."""
Spectrogram = npt.NDArray[np.float32]
"""Shape (mels, 3000)."""


def log_mel(sound: Samples, mels: int) -> Spectrogram:
    """The spectrogram of at most 30 seconds."""
    padded = np.zeros(SECONDS * RATE + _WINDOW, np.float32)
    half = _WINDOW // 2
    padded[half : half + len(sound)] = sound
    padded[:half] = padded[half + 1 : _WINDOW + 1][::-1]
    frames = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[::_HOP][:-1]
    hann = np.hanning(_WINDOW + 1)[:-1].astype(np.float32)
    power = np.abs(np.fft.rfft(frames * hann)) ** 2
    loudness = np.log10(np.maximum(mel_filters(mels) @ power.T, 1e-10))
    loudness = np.maximum(loudness, loudness.max() - _LOUDNESS_RANGE)
    spectrogram: Spectrogram = ((loudness + 4.0) / 4.0).astype(np.float32)
    return spectrogram


@lru_cache(maxsize=2)
def mel_filters(mels: int) -> npt.NDArray[np.float64]:
    """Triangular filters of equal area (Slaney 1998), shape (mels, 201).

    The scale is linear up to 1,000 Hz (15 mels) and logarithmic above (27 mels for a factor of
    6.4).
    """
    step = np.log(6.4) / 27
    top = 15 + np.log(RATE / 2 / 1000) / step
    scale = np.linspace(0, top, mels + 2)
    edges = np.where(scale < 15, scale * 200 / 3, 1000 * np.exp(step * (scale - 15)))
    slopes = edges[:, None] - np.fft.rfftfreq(_WINDOW, 1 / RATE)[None, :]
    width = np.diff(edges)[:, None]
    rising, falling = -slopes[:-2] / width[:-1], slopes[2:] / width[1:]
    area = 2 / (edges[2:] - edges[:-2])[:, None]
    filters: npt.NDArray[np.float64] = np.maximum(0, np.minimum(rising, falling)) * area
    return filters
