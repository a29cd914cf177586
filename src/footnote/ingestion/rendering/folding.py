"""Fold texts to the letters and digits that two writings of one sentence share."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache

from footnote.language.scripts import UNSPACED

_MAX_PLACES = 200
"""Most places kept of one sequence of letters; those of a repeated filler are no evidence."""
_UNSPACED = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Folded:
    """The letters and digits of a text, and where each of them came from."""

    text: str
    places: tuple[int, ...]
    """For each letter its index in the text that was folded."""
    begins: tuple[bool, ...]
    """Whether a word may begin with this letter."""
    ends: tuple[bool, ...]
    """Whether a word may end with this letter."""
    _seeds: dict[int, dict[str, list[int]]] = field(default_factory=dict)

    def seeds(self, length: int) -> dict[str, list[int]]:
        """Return the start indices of each sequence of `length` letters, in order."""
        if length not in self._seeds:
            starts: defaultdict[str, list[int]] = defaultdict(list)
            for start in range(len(self.text) - length + 1):
                positions = starts[self.text[start : start + length]]
                if len(positions) < _MAX_PLACES:
                    positions.append(start)
            self._seeds[length] = dict(starts)
        return self._seeds[length]


def fold(text: str, *, symbols: bool = False) -> Folded:
    """Fold a text: resolve ligatures and full-width forms, drop case, accents and punctuation.

    With `symbols`, all printable characters but spaces are kept: for texts of nothing else.

    >>> fold("Of\\xadfi-\\ncers’ No. 4").text
    'officersno4'
    """
    letters: list[str] = []
    positions: list[int] = []
    for position, character in enumerate(text):
        for letter in _symbol(character) if symbols else _letters(character):
            letters.append(letter)
            positions.append(position)
    begins = tuple(_is_edge(text, position, -1) for position in positions)
    ends = tuple(_is_edge(text, position, 1) for position in positions)
    return Folded("".join(letters), tuple(positions), begins, ends)


@lru_cache(maxsize=4096)
def _letters(character: str) -> str:
    resolved = unicodedata.normalize("NFKD", character).casefold()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", resolved)))


def _symbol(character: str) -> str:
    return "" if character.isspace() or not character.isprintable() else character


def _is_edge(text: str, position: int, direction: int) -> bool:
    neighbour = position + direction
    if not 0 <= neighbour < len(text) or not text[neighbour].isalnum():
        return True
    return is_unspaced(text[position]) or is_unspaced(text[neighbour])


def is_unspaced(character: str) -> bool:
    """Whether it belongs to a script that puts no spaces between words."""
    return _UNSPACED.match(character) is not None
