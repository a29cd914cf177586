"""Parse the `[n]` markers of a model's sentence, in the notations that models use."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = r"(?:(?:sources?|src|documents?|docs?|quellen?|fuentes?|fontes?|refs?|citations?)[ :#.]*)?"
_NUMBER = r"\d{1,4}"
_JOINT = r"\s{0,3}(?:,|;|&|-|–|\band\b|\bund\b|\bet\b|\by\b|\be\b)\s{0,3}"
MARKER = re.compile(
    rf"[\[【]\s{{0,3}}\^?{_WORD}(?P<numbers>{_NUMBER}(?:{_JOINT}{_WORD}{_NUMBER}){{0,19}})"
    r"\s{0,3}(?:†[^\[\]【】]{0,40})?[\]】]",
    re.IGNORECASE,
)
_RANGE_OR_NUMBER = re.compile(r"(\d{1,4})(?:\s{0,3}[-–]\s{0,3}(\d{1,4}))?")
_LONGEST_RANGE = 20
_BEFORE_STOP = re.compile(r"[ \t]+([.,;:!?…。，；：！？)])")
_SPACES = re.compile(r"[ \t]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedClause:
    """The sources cited for a part of a sentence."""

    numbers: tuple[int, ...]
    clause: str
    """The words before the markers, back to the previous markers."""


def read_markers(sentence: str) -> tuple[str, tuple[CitedClause, ...]]:
    """The sentence without its markers, and each run of markers with its words.

    A run at the start of the sentence belongs to the words up to the next one.

    >>> words, marked = read_markers("The rent is 900 [1], the deposit 2,700 [Sources 2-3][5].")
    >>> words, [clause.numbers for clause in marked]
    ('The rent is 900, the deposit 2,700.', [(1,), (2, 3, 5)])
    """
    segments: list[str] = []
    clauses: list[CitedClause] = []
    leading_numbers: tuple[int, ...] = ()
    end = 0
    for match in MARKER.finditer(sentence):
        segment = sentence[end : match.start()]
        numbers = _numbers(match.group("numbers"))
        segments.append(segment)
        if any(map(str.isalnum, segment)):
            clauses.append(
                CitedClause(numbers=leading_numbers + numbers, clause=segment.strip(" \t,;"))
            )
            leading_numbers = ()
        elif clauses:
            last = clauses.pop()
            clauses.append(CitedClause(numbers=last.numbers + numbers, clause=last.clause))
        else:
            leading_numbers += numbers
        end = match.end()
    remainder = sentence[end:]
    text = _joined([*segments, remainder])
    if leading_numbers:
        clauses.insert(0, CitedClause(numbers=leading_numbers, clause=remainder.strip()))
    return text, tuple(
        CitedClause(numbers=tuple(dict.fromkeys(clause.numbers)), clause=clause.clause)
        for clause in clauses
    )


def _joined(words: list[str]) -> str:
    return _SPACES.sub(" ", _BEFORE_STOP.sub(r"\1", " ".join(words))).strip()


def _numbers(text: str) -> tuple[int, ...]:
    """All numbers, with ranges expanded.

    >>> _numbers("1, 3-5")
    (1, 3, 4, 5)
    """
    numbers: list[int] = []
    for match in _RANGE_OR_NUMBER.finditer(text):
        first, last = int(match[1]), int(match[2] or match[1])
        is_no_range = not first <= last < first + _LONGEST_RANGE
        numbers += [first, last] if is_no_range else range(first, last + 1)
    return tuple(numbers)
