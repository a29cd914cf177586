"""Apply small probes on the reader's lower layers to single texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.language.sentences import sentence_spans
from footnote.models.reader_encoder import ReaderEncoder
from footnote.models.reader_weights import ProbeWeights
from footnote.models.tokenizing import Pieces, UnigramPieces

WINDOW_TOKENS = 254
"""Of a text, in one run; what is longer is read in windows."""
WINDOW_OVERLAP = 48
UNIT_TOKENS = 48
"""Most tokens that are judged as one: an order in a longer stretch would drown in it."""
LEAST_UNIT_TOKENS = 6
"""A shorter sentence is judged with what follows: the states of a word or two say little."""

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWindow:
    """Token ids of a stretch of a text, its marks included, and the stretches that are judged."""

    ids: list[int]
    units: list[tuple[int, int]]
    """First and one past the last token of each."""
    text: int
    """The number of the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenWindow:
    """Token ids of a stretch of a text, its marks included, and where each token stands."""

    ids: list[int]
    text: int
    """The number of the text."""
    first: int
    """The number of its first token among those of the text."""
    offsets: Sequence[tuple[int, int]]
    """Half-open, of each token without the marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """The probes, and the layers below them."""

    encoder: ReaderEncoder
    tokenizer: UnigramPieces
    weights: ProbeWeights

    def token_windows(self, texts: Sequence[str]) -> list[TokenWindow]:
        """What is run for texts whose tokens are judged one by one, windows with an overlap."""
        found = []
        for number, text in enumerate(texts):
            pieces = self.tokenizer.pieces(text)
            count = len(pieces.ids)
            step = WINDOW_TOKENS - WINDOW_OVERLAP
            for start in range(0, max(1, count - WINDOW_OVERLAP), step):
                end = min(start + WINDOW_TOKENS, count)
                if end > start:
                    ids = [self.tokenizer.begin, *pieces.ids[start:end], self.tokenizer.end]
                    found.append(
                        TokenWindow(
                            ids=ids, text=number, first=start, offsets=pieces.offsets[start:end]
                        )
                    )
        return found

    def windows(self, texts: Sequence[str]) -> list[TextWindow]:
        """What is run for texts, each sentence whole in one of the windows if it can be."""
        found = []
        for number, text in enumerate(texts):
            pieces = self.tokenizer.pieces(text)
            units = units_of(text, pieces)
            for start in range(0, max(1, len(pieces.ids)), WINDOW_TOKENS - WINDOW_OVERLAP):
                end = start + WINDOW_TOKENS
                inside = [
                    (max(first, start) - start + 1, min(last, end) - start + 1)
                    for first, last in units
                    if first < end and last > start
                ]
                ids = [self.tokenizer.begin, *pieces.ids[start:end], self.tokenizer.end]
                if inside:
                    found.append(TextWindow(ids=ids, units=inside, text=number))
                if end >= len(pieces.ids):
                    break
        return found

    def injection_probabilities(self, run: Sequence[TextWindow]) -> list[float]:
        """Of each window how likely its likeliest stretch gives orders to a model."""
        states = self.encoder.injection_states([each.ids for each in run], self.weights.layers)
        return [
            _chance(float(self.weights.orders(row, each.units).max()))
            for row, each in zip(states, run, strict=True)
        ]

    def states(self, batch: Sequence[Sequence[int]]) -> _Floats:
        """The states of a batch's tokens, in the calling thread. Raises ModelUnavailable."""
        return self.encoder.states(batch, self.weights.layers)


def widened(first: int, last: int, count: int) -> tuple[int, int]:
    """A stretch of a text's `count` tokens, `LEAST_UNIT_TOKENS` long if the text is.

    >>> widened(2, 4, 20), widened(18, 20, 20), widened(0, 3, 3)
    ((2, 8), (14, 20), (0, 3))
    """
    last = max(last, min(first + LEAST_UNIT_TOKENS, count))
    return max(0, min(first, last - LEAST_UNIT_TOKENS)), last


def stretches_of(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text stand, and of one of several lines each line behind it.

    What was planted below other text is often a line that no full stop parts from it.

    >>> text = "Hi.\\nYours, Jo\\nSay yes."
    >>> [text[start:end] for start, end in stretches_of(text)]
    ['Hi.', 'Yours, Jo\\nSay yes.', 'Yours, Jo', 'Say yes.']
    """
    found = []
    for start, end in sentence_spans(text):
        found.append((start, end))
        if "\n" in text[start:end]:
            at = start
            for line in text[start:end].splitlines(keepends=True):
                found += [(at, at + len(line.rstrip()))] if line.strip() else []
                at += len(line)
    return found


def units_of(text: str, pieces: Pieces) -> list[tuple[int, int]]:
    """The tokens of each sentence of a text, first and one past the last, and those of lines in it.

    Short sentences are judged with what follows, short lines with their sentence alone, of a long
    one stretches that overlap by half.
    """
    starts = np.array([start for start, _ in pieces.offsets], dtype=np.int64)
    units: list[tuple[int, int]] = []
    begun = ended = 0
    for start, end in stretches_of(text):
        is_line = end <= ended
        # A word's first token has the white space before it, too.
        first = max(0, int(np.searchsorted(starts, start, side="right")) - 1) if is_line else begun
        last = int(np.searchsorted(starts, end, side="left"))
        if last - first > UNIT_TOKENS:
            cuts = [*range(first, last - UNIT_TOKENS, UNIT_TOKENS // 2), last - UNIT_TOKENS]
            units += [(cut, cut + UNIT_TOKENS) for cut in cuts]
        elif is_line:
            units += [(first, last)] if last - first >= LEAST_UNIT_TOKENS else []
        elif first < last:
            units.append(widened(first, last, len(starts)))
        if not is_line:
            begun, ended = last, end
    return units


def _chance(odds: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(odds, -60, 60))))
