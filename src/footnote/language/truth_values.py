"""Recognise cells that mean yes or no, in many languages."""

from __future__ import annotations

from collections.abc import Iterable

_PAIRS = (
    "yes no",
    "y n",
    "true false",
    "ja nein",
    "ja nee",
    "ja nej",
    "ja nei",
    "oui non",
    "sí no",
    "si no",
    "sì no",
    "sim não",
    "da nu",
    "да нет",
    "так ні",
    "tak nie",
    "ano ne",
    "igen nem",
    "evet hayır",
    "kyllä ei",
    "是 否",
    "有 无",
    "はい いいえ",
    "예 아니요",
    "نعم لا",
    "✓ ✗",
    "✔ ✘",
    "x -",
)
_NONE = frozenset(("", "-", "–", "—"))
"""Cells that may mean no, with any word for yes."""


def affirmed(cells: Iterable[str]) -> frozenset[str]:
    """Return the cells that mean yes, where all mean yes or no and both occur; else none.

    >>> sorted(affirmed(["Yes", "no", "yes"])), sorted(affirmed(["x", "", "x"]))
    (['Yes', 'yes'], ['x'])
    >>> sorted(affirmed(["yes", "perhaps"])), sorted(affirmed(["no", "no"]))
    ([], [])
    """
    distinct = frozenset(cells)
    for yes, no in (pair.split(" ") for pair in _PAIRS):
        affirmative = frozenset(cell for cell in distinct if cell.strip().casefold() == yes)
        other_values = {cell.strip().casefold() for cell in distinct - affirmative}
        if affirmative and other_values and other_values <= _NONE | {no}:
            return affirmative
    return frozenset()
