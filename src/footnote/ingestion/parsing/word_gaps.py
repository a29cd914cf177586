"""Insert missing spaces into recognised text where the picture of its line shows gaps.

A recogniser of Chinese and English reads letters well and omits narrow spaces. The gaps between
words are wider than those between letters, and that can be measured.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Grey = npt.NDArray[np.uint8]
"""The picture of one line, of shape (height, width)."""

MIN_GAP = 0.2
"""Least gap between words, as a share of the height of the line's ink. A space of Helvetica set at
85 % is 0.24 of it; letters are less than 0.13 apart."""
MIN_ALIKE = 0.3
"""The same where all gaps are alike: touching letters, or a single word of spaced capitals."""
WIDE_GAP = 0.24
"""Least mean of the gaps between words, in the same unit."""
MIN_RATIO = 1.8
"""Least ratio of the mean gap between words to that between letters."""
_INK = 0.3
"""Share of the contrast above which a pixel is ink."""
_MIN_CONTRAST = 24.0
_FEWEST_LETTERS = 4
_UNSPACED = re.compile("[\u2e80-\u9fff\uac00-\U0010ffff]")
"""Characters of scripts that do not separate words by spaces."""


def with_gaps(text: str, centres: Sequence[float], picture: Grey) -> str:
    """Return the text with a space inserted at each gap between words that has none.

    `centres` are the approximate distances of the characters from the picture's left edge. Digits
    are not separated from each other: that would be another number, and fonts set a 1 as wide as
    the other digits.

    Law: without its spaces the text stays the same.
    """
    letters = sum(character.isalpha() for character in text)
    if len(centres) != len(text) or letters < _FEWEST_LETTERS or _UNSPACED.search(text):
        return text
    inked = [index for index, character in enumerate(text) if not character.isspace()]
    positions = [centres[index] for index in inked]
    cuts = {inked[_boundary(gap, positions)] for gap in word_gaps(picture)}
    return "".join(
        f" {character}"
        if index in cuts
        and not (text[index - 1].isspace() or character.isspace())
        and (text[index - 1].isalpha() or character.isalpha())
        else character
        for index, character in enumerate(text)
    )


def word_gaps(picture: Grey) -> list[float]:
    """Return the middles of the gaps between words, from the left edge; empty for one word."""
    ink = _ink_of(picture)
    rows = np.flatnonzero(ink.any(axis=1))
    columns = np.flatnonzero(ink.any(axis=0))
    if not rows.size:
        return []
    height = float(rows[-1] - rows[0] + 1)
    widths = np.diff(columns) - 1
    gaps = widths[widths > 0].astype(float)
    # The best threshold between narrow and wide gaps (Otsu 1979); 0 where they are alike.
    wide_enough = WIDE_GAP * height
    ordered = np.sort(gaps)
    best, threshold = 0.0, 0.0
    for index in range(1, len(ordered)):
        narrow, wide = ordered[:index], ordered[index:]
        spread = len(narrow) * len(wide) * (wide.mean() - narrow.mean()) ** 2
        if spread > best and wide.mean() >= max(MIN_RATIO * narrow.mean(), wide_enough):
            best, threshold = spread, float(narrow[-1] + wide[0]) / 2
    least_gap = max(MIN_GAP * height, threshold) if threshold else MIN_ALIKE * height
    gap_columns = np.flatnonzero(widths >= least_gap)
    return [float(columns[index] + columns[index + 1]) / 2 for index in gap_columns]


def _ink_of(picture: Grey) -> npt.NDArray[np.bool_]:
    """Return a mask of the pixels that differ from the background, whether it is light or dark."""
    background = float(np.median(picture))
    deviation = np.abs(picture.astype(float) - background)
    contrast = float(np.quantile(deviation, 0.99))
    if contrast < _MIN_CONTRAST:
        return np.zeros(picture.shape, dtype=bool)
    ink: npt.NDArray[np.bool_] = deviation > _INK * contrast
    return ink


def _boundary(gap: float, centres: Sequence[float]) -> int:
    """Return the index of the character after a gap, of the pair that surrounds it best."""

    def distance(index: int) -> float:
        before, after = centres[index - 1], centres[index]
        return abs((before + after) / 2 - gap) - (after - before) / 2

    return min(range(1, len(centres)), key=distance)
