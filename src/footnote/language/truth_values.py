"""Cells that say yes or no, as tables in many languages do."""

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
"""What may stand where a thing is not so, beside any word for yes."""


def affirmed(cells: Iterable[str]) -> frozenset[str]:
    """The cells that say yes, where all say yes or no and some say each; else none.

    >>> sorted(affirmed(["Yes", "no", "yes"])), sorted(affirmed(["x", "", "x"]))
    (['Yes', 'yes'], ['x'])
    >>> sorted(affirmed(["yes", "perhaps"])), sorted(affirmed(["no", "no"]))
    ([], [])
    """
    every = frozenset(cells)
    for yes, no in (each.split(" ") for each in _PAIRS):
        told = frozenset(each for each in every if each.strip().casefold() == yes)
        others = {each.strip().casefold() for each in every - told}
        if told and others and others <= _NONE | {no}:
            return told
    return frozenset()
