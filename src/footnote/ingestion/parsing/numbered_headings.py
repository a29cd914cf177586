"""Find headings of plain text that stand directly above their text, by their numbers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from footnote.language.calendar import MONTH_NUMBERS

_MAX_CHARACTERS = 60
_MAX_WORDS = 10
_MIN_WORDS_BELOW = 3
"""Minimum number of words of the line below a heading."""
_LONGER_LINES = 20
"""One in so many lines is not wrapped, and says nothing about the width of the others."""
_MIN_WIDTH = 45
"""Minimum number of characters at which lines are taken for wrapped."""
_NUMBERED = re.compile(
    r"[ \t]*(?P<label>)(?P<number>\d{1,2}(?:\.\d{1,2}){1,4}\.?|\d{1,2}\.)[ \t]+(?P<title>\S.*)"
)
_LABELLED = re.compile(
    r"[ \t]*(?P<label>§|(?i:article|artikel|clause|section)(?=\s))\s*"
    r"(?P<number>\d{1,3}(?:\.\d{1,2}){0,4}[a-z]?|[IVXLC]{1,7})(?!\w)[.:)]?"
    r"[ \t]*(?:[-–—:][ \t]*)?(?P<title>.*)"
)
_PART = re.compile(
    r"(?:annex|appendix|schedule|part|anlage|anhang)\s+(?:\d{1,3}|[A-Z]{1,5})\b", re.I
)
"""The heading of a part in which numbers begin anew."""
_MARKER = re.compile(r"[ \t]*\((?:\d{1,3}|[a-z]{1,3})\)[ \t]+")
_SENTENCE_END = re.compile(r"[.!?:;][)\]”’»\"']*$")
_NOT_AT_END = ".;,:!?"
_OPENING = "“‘«»„\"'([¿¡"
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}

Number = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that begins with a number."""

    index: int
    family: str
    """Its label in lower case; empty for a bare number."""
    number: Number
    title: str
    """What follows the number."""


def separate_headings(lines: Sequence[str]) -> list[str]:
    """Return the lines, with an empty one before and after each heading that stands directly above
    its text.

    Such a heading is a short line with a number (`4.`, `4.1`, `§ 4`, `Article IV`, `Clause 4`,
    `Section 4`), without a final stop, above a line that begins a sentence. Items of a list are
    none: a heading does not follow on an item, or go before one, that has no text of its own, and
    the numbers go up over the document, or over an annex.
    """
    headings = numbered_headings(lines)
    separated: list[str] = []
    for index, line in enumerate(lines):
        separated += ("", line, "") if index in headings else (line,)
    return separated


def numbered_headings(lines: Sequence[str]) -> frozenset[int]:
    """Return the indices of the lines that are headings, see `separate_headings`."""
    numbered = {line.index: line for line in _numbered_lines(lines)}
    if not numbered:
        return frozenset()
    lengths = sorted(len(line.rstrip()) for line in lines if line.strip())
    width = max(lengths[-1 - len(lengths) // _LONGER_LINES], _MIN_WIDTH)
    shaped: set[int] = set()
    for line in reversed(numbered.values()):
        if _has_shape(line, lines, width) and _stands_above_text(line, lines, numbered, shaped):
            shaped.add(line.index)
    shaped -= {index for index in shaped if not _begins_line(lines, index, shaped)}
    _drop_list_items(tuple(numbered.values()), shaped, lines)
    return frozenset(_with_rising_numbers(numbered, shaped, lines))


def _numbered_lines(lines: Sequence[str]) -> Iterator[_Line]:
    for index, line in enumerate(lines):
        if match := _NUMBERED.fullmatch(line) or _LABELLED.fullmatch(line):
            family, title = match["label"].lower(), match["title"].strip()
            yield _Line(index, family, _parse_number(match["number"]), title)


def _parse_number(text: str) -> Number:
    """Return the parts of a number.

    >>> _parse_number("4.1."), _parse_number("12a"), _parse_number("XIV")
    ((4, 1), (12, 1), (14,))
    """
    if text[0] in _ROMAN:
        values = [_ROMAN[letter] for letter in text]
        signs = [-1 if value < below else 1 for value, below in pairwise([*values, 0])]
        return (sum(sign * value for sign, value in zip(signs, values, strict=True)),)
    parts = re.findall(r"\d+|[a-z]", text)
    return tuple(int(part) if part.isdecimal() else ord(part) - ord("a") + 1 for part in parts)


def _has_shape(line: _Line, lines: Sequence[str], width: int) -> bool:
    """Whether a line is short and a title, and ends before the line below had to begin."""
    text = lines[line.index].strip()
    below = lines[line.index + 1].split() if line.index + 1 < len(lines) else []
    if len(text) > _MAX_CHARACTERS or len(text.split()) > _MAX_WORDS or text[-1] in _NOT_AT_END:
        return False
    if not below or len(lines[line.index].rstrip()) + 1 + len(below[0]) > width:
        return False
    if not line.title:
        return bool(line.family)
    is_one_phrase = not re.search(r"[.!?;] |  |\t", line.title)
    return is_one_phrase and _begins_sentence(line.title) and not _is_date(line.title)


def _is_date(title: str) -> bool:
    first, *others = title.split()
    return first.casefold().rstrip(".") in MONTH_NUMBERS and all(map(str.isdecimal, others))


def _begins_sentence(text: str) -> bool:
    first = text.lstrip(_OPENING)[:1]
    return first.isalpha() and not first.islower()


def _stands_above_text(
    line: _Line, lines: Sequence[str], numbered: dict[int, _Line], shaped: set[int]
) -> bool:
    """Whether the next line is a heading of the next level, or begins a sentence that ends."""
    start = line.index + 1
    below, inner = lines[start], numbered.get(start)
    if _indent(below) > _indent(lines[line.index]):
        return False
    if inner and start in shaped and inner.family in ("", line.family):
        return len(inner.number) > len(line.number) or inner.family != line.family
    text = _MARKER.sub("", below, count=1).strip()
    if inner:
        is_inside = inner.number[: len(line.number)] == line.number != inner.number
        text = inner.title if not inner.family and (is_inside or line.family) else ""
    has_words = len(text.split()) >= _MIN_WORDS_BELOW or not text.isascii()
    return _begins_sentence(text) and has_words and _has_sentence_end(lines, start, numbered)


def _has_sentence_end(lines: Sequence[str], start: int, numbered: dict[int, _Line]) -> bool:
    """Whether a line ends a sentence before an empty or a numbered one."""
    for index in range(start, len(lines)):
        body = lines[index].strip()
        if not body or (index > start and index in numbered):
            return False
        if _SENTENCE_END.search(body):
            return True
    return False


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _begins_line(lines: Sequence[str], index: int, shaped: set[int]) -> bool:
    """Whether the line above is empty, a heading, or the end of a sentence."""
    above = lines[index - 1].strip() if index else ""
    is_title = above.isupper() and len(above) <= _MAX_CHARACTERS
    return not above or index - 1 in shaped or is_title or bool(_SENTENCE_END.search(above))


def _drop_list_items(numbered: Sequence[_Line], shaped: set[int], lines: Sequence[str]) -> None:
    """Remove lines that follow on, or go before, a line of the same kind that is no heading."""
    for order, step in ((numbered, 1), (numbered[::-1], -1)):
        last: dict[tuple[str, Number], _Line] = {}
        for line in order:
            kind = line.family, line.number[:-1]
            neighbour = last.get(kind)
            follows = neighbour and line.number[-1] == neighbour.number[-1] + step
            is_heading = neighbour and (
                neighbour.index in shaped or _stands_alone(lines, neighbour.index)
            )
            if follows and not is_heading:
                shaped.discard(line.index)
            last[kind] = line


def _stands_alone(lines: Sequence[str], index: int) -> bool:
    """Whether a line is a heading by itself, between empty lines."""
    around = [lines[other] for other in (index - 1, index + 1) if 0 <= other < len(lines)]
    return not "".join(around).strip() and lines[index].rstrip()[-1] not in _NOT_AT_END


def _with_rising_numbers(
    numbered: dict[int, _Line], shaped: set[int], lines: Sequence[str]
) -> Iterator[int]:
    """Yield the lines whose numbers go up, for each family and annex; none if they are not most."""
    parts: defaultdict[tuple[int, str], list[_Line]] = defaultdict(list)
    part = 0
    for index, text in enumerate(lines):
        part += bool(_PART.match(text.strip())) and len(text.strip()) <= _MAX_CHARACTERS
        if index in shaped:
            parts[part, numbered[index].family].append(numbered[index])
    for candidates in parts.values():
        rising = _longest_rising(candidates)
        if 2 * len(rising) > len(candidates):
            yield from (line.index for line in rising)


def _longest_rising(lines: Sequence[_Line]) -> list[_Line]:
    """Return a longest subsequence whose numbers strictly rise (Schensted 1961)."""
    ends: list[_Line] = []
    numbers: list[Number] = []
    before: dict[int, _Line | None] = {}
    for line in lines:
        length = bisect_left(numbers, line.number)
        before[line.index] = ends[length - 1] if length else None
        ends[length : length + 1] = [line]
        numbers[length : length + 1] = [line.number]
    chosen: list[_Line] = []
    last = ends[-1] if ends else None
    while last is not None:
        chosen.append(last)
        last = before[last.index]
    return chosen[::-1]
