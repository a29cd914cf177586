"""Generate spelling candidates of a word, and compute a weighted edit distance of two words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

TRANSPOSED = 0.8
"""Cost of a transposition, or of a letter doubled or not doubled."""
UNPAIRED = 0.9
"""Cost of an insertion or deletion."""
REPLACED = 1.0
"""Cost of a substitution, the edit most likely to yield another word."""
FIRST_LETTER = 0.6
"""Extra cost of an edit of the first letter, which is rarely wrong."""
SPLIT = 2.2
"""Cost of a missing space, more than of any single edit."""
TWO_SLIPS_FROM = 8
"""Letters from which two edits are considered, since long words are rarely near another word."""

_ALPHABETS = {
    "LATIN": "abcdefghijklmnopqrstuvwxyz",
    "CYRILLIC": "абвгдежзийклмнопрстуфхцчшщъыьэюяєіїґ",
    "GREEK": "αβγδεζηθικλμνξοπρστυφχψω",
    "ARABIC": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "HEBREW": "אבגדהוזחטיכלמנסעפצקרשת",
    "ARMENIAN": "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ",
}
_MIN_PART = 3


def neighbours(word: str, *, replaced: bool = True) -> list[str]:
    """Return all strings at one edit from a case-folded word, and its splits in two words.

    The likelier kinds of edit come first (Norvig, "How to Write a Spelling Corrector", 2007: every
    deletion, transposition, insertion and replacement). A word in a script without an alphabet
    here gets neither replacements nor insertions; without `replaced` none gets replacements.
    """
    edits = dict.fromkeys(_neighbours(word, replaced=replaced))
    edits.pop(word, None)
    return list(edits)


def remoter(word: str) -> list[str]:
    """Return strings at two edits that only transpose, delete or double letters; none of short
    words."""
    if len(word) < TWO_SLIPS_FROM:
        return []
    one_edit = dict.fromkeys(_simple_edits(word))
    two_edits = dict.fromkeys(second for first in one_edit for second in _simple_edits(first))
    return [candidate for candidate in two_edits if candidate != word and candidate not in one_edit]


def slips(typed: str, correction: str, at_most: float) -> float:
    """Return the weighted edit distance of two words, accents ignored; infinite above `at_most`.

    Optimal string alignment: the Damerau-Levenshtein distance in which no letter is edited twice.
    """
    source, target = plain(typed), plain(correction)
    if abs(len(source) - len(target)) * TRANSPOSED > at_most:
        return float("inf")
    previous: list[float] = []
    row = [0.0]
    for j in range(1, len(target) + 1):
        row.append(row[-1] + _indel_cost(target, j))
    for i in range(1, len(source) + 1):
        following = [row[0] + _indel_cost(source, i)]
        for j in range(1, len(target) + 1):
            first = FIRST_LETTER if i == j == 1 else 0.0
            equal = source[i - 1] == target[j - 1]
            cost = min(
                row[j - 1] + (0.0 if equal else REPLACED + first),
                row[j] + _indel_cost(source, i),
                following[-1] + _indel_cost(target, j),
            )
            if i > 1 and j > 1 and source[i - 2 : i] == target[j - 2 : j][::-1]:
                first = FIRST_LETTER if i == j == 2 else 0.0
                cost = min(cost, previous[j - 2] + (0.0 if equal else TRANSPOSED + first))
            following.append(cost)
        if min(following) > at_most:
            return float("inf")
        previous, row = row, following
    return row[-1] if row[-1] <= at_most else float("inf")


def plain(word: str) -> str:
    """The word without case and accents."""
    return "".join(
        letter
        for letter in unicodedata.normalize("NFD", word.casefold())
        if unicodedata.category(letter) != "Mn"
    )


def _neighbours(word: str, *, replaced: bool) -> Iterator[str]:
    yield from _simple_edits(word)
    for position in range(_MIN_PART, len(word) - _MIN_PART + 1):
        yield f"{word[:position]} {word[position:]}"
    script = unicodedata.name(word[0], "").partition(" ")[0]
    alphabet = _ALPHABETS.get(script, "")
    for position in range(len(word), -1, -1):
        yield from (word[:position] + letter + word[position:] for letter in alphabet)
    for position in range(len(word) - 1, -1, -1) if replaced else ():
        yield from (word[:position] + letter + word[position + 1 :] for letter in alphabet)


def _simple_edits(word: str) -> Iterator[str]:
    """Yield transpositions, deletions and doublings, about three per letter."""
    for position in range(len(word) - 1):
        yield word[:position] + word[position + 1] + word[position] + word[position + 2 :]
    for position in range(len(word)):
        yield word[:position] + word[position + 1 :]
        yield word[:position] + word[position] + word[position:]


def _indel_cost(word: str, position: int) -> float:
    """Cost of inserting or deleting letter `position`, counted from 1."""
    if position == 1:
        return UNPAIRED + FIRST_LETTER
    return TRANSPOSED if word[position - 1] == word[position - 2] else UNPAIRED
