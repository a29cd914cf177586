"""Apply small probes on the reader's lower layers to single texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.domain.probability import sigmoid
from footnote.language.sentences import sentence_spans
from footnote.models.reader_encoder import ReaderEncoder
from footnote.models.reader_weights import ProbeWeights
from footnote.models.tokenizing import TokenizedText, UnigramPieces

WINDOW_TOKENS = 254
"""Most tokens of a text in one run; longer texts are read in windows."""
WINDOW_OVERLAP = 48
UNIT_TOKENS = 48
"""Most tokens of a unit: an instruction in a longer one would be diluted."""
MIN_UNIT_TOKENS = 6
"""Least tokens of a unit: a shorter sentence is extended, as a word or two carry little signal."""

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWindow:
    """Token ids of a window of a text, special tokens included, and the units to classify."""

    ids: list[int]
    units: list[tuple[int, int]]
    """First and one past the last token of each."""
    text: int
    """The index of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenWindow:
    """Token ids of a window of a text, special tokens included, and the offsets of its tokens."""

    ids: list[int]
    text: int
    """The index of the text."""
    first: int
    """The index of its first token among those of the text."""
    offsets: Sequence[tuple[int, int]]
    """Half-open character offsets of each token, without special tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """The probes, and the layers below them."""

    encoder: ReaderEncoder
    tokenizer: UnigramPieces
    weights: ProbeWeights

    def token_windows(self, texts: Sequence[str]) -> list[TokenWindow]:
        """Split texts into overlapping windows, for labels of single tokens."""
        windows = []
        for number, text in enumerate(texts):
            pieces = self.tokenizer.pieces(text)
            count = len(pieces.ids)
            step = WINDOW_TOKENS - WINDOW_OVERLAP
            for start in range(0, max(1, count - WINDOW_OVERLAP), step):
                end = min(start + WINDOW_TOKENS, count)
                if end > start:
                    ids = [self.tokenizer.begin, *pieces.ids[start:end], self.tokenizer.end]
                    windows.append(
                        TokenWindow(
                            ids=ids, text=number, first=start, offsets=pieces.offsets[start:end]
                        )
                    )
        return windows

    def windows(self, texts: Sequence[str]) -> list[TextWindow]:
        """Split texts into windows, so that each sentence is whole in one of them if possible."""
        windows = []
        for number, text in enumerate(texts):
            pieces = self.tokenizer.pieces(text)
            units = units_of(text, pieces)
            for start in range(0, max(1, len(pieces.ids)), WINDOW_TOKENS - WINDOW_OVERLAP):
                end = start + WINDOW_TOKENS
                window_units = [
                    (max(first, start) - start + 1, min(last, end) - start + 1)
                    for first, last in units
                    if first < end and last > start
                ]
                ids = [self.tokenizer.begin, *pieces.ids[start:end], self.tokenizer.end]
                if window_units:
                    windows.append(TextWindow(ids=ids, units=window_units, text=number))
                if end >= len(pieces.ids):
                    break
        return windows

    def injection_probabilities(self, run: Sequence[TextWindow]) -> list[float]:
        """Return for each window the highest probability that a unit instructs a model."""
        states = self.encoder.injection_states([window.ids for window in run], self.weights.layers)
        return [
            sigmoid(float(self.weights.orders(row, window.units).max()))
            for row, window in zip(states, run, strict=True)
        ]

    def states(self, batch: Sequence[Sequence[int]]) -> _Floats:
        """Return the states of a batch's tokens, run in the calling thread.

        Raises ModelUnavailable.
        """
        return self.encoder.states(batch, self.weights.layers)


def widened(first: int, last: int, count: int) -> tuple[int, int]:
    """Extend a span of a text's `count` tokens to `MIN_UNIT_TOKENS` if the text has them.
    >>> widened(2, 4, 20), widened(18, 20, 20), widened(0, 3, 3)
    ((2, 8), (14, 20), (0, 3))
    """
    last = max(last, min(first + MIN_UNIT_TOKENS, count))
    return max(0, min(first, last - MIN_UNIT_TOKENS)), last


def stretches_of(text: str) -> list[tuple[int, int]]:
    """Return the spans of sentences; after one of several lines, also the span of each line.

    Text injected below other text is often a line that no full stop separates from it.

    >>> text = "Hi.\\nYours, Jo\\nSay yes."
    >>> [text[start:end] for start, end in stretches_of(text)]
    ['Hi.', 'Yours, Jo\\nSay yes.', 'Yours, Jo', 'Say yes.']
    """
    spans = []
    for start, end in sentence_spans(text):
        spans.append((start, end))
        if "\n" in text[start:end]:
            line_start = start
            for line in text[start:end].splitlines(keepends=True):
                spans += [(line_start, line_start + len(line.rstrip()))] if line.strip() else []
                line_start += len(line)
    return spans


def units_of(text: str, pieces: TokenizedText) -> list[tuple[int, int]]:
    """Return the units of a text, first and one past the last token: sentences, and lines in them.

    Short sentences are extended by what follows, short lines are left to their sentence, and long
    ones are split into units that overlap by half.
    """
    starts = np.array([start for start, _ in pieces.offsets], dtype=np.int64)
    units: list[tuple[int, int]] = []
    sentence_first = sentence_end = 0
    for start, end in stretches_of(text):
        is_line = end <= sentence_end
        # A word's first token includes the white space before it.
        first = (
            max(0, int(np.searchsorted(starts, start, side="right")) - 1)
            if is_line
            else sentence_first
        )
        last = int(np.searchsorted(starts, end, side="left"))
        if last - first > UNIT_TOKENS:
            cuts = [*range(first, last - UNIT_TOKENS, UNIT_TOKENS // 2), last - UNIT_TOKENS]
            units += [(cut, cut + UNIT_TOKENS) for cut in cuts]
        elif is_line:
            units += [(first, last)] if last - first >= MIN_UNIT_TOKENS else []
        elif first < last:
            units.append(widened(first, last, len(starts)))
        if not is_line:
            sentence_first, sentence_end = last, end
    return units
