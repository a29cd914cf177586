"""Join the lines of a paragraph, undoing hyphenation at line ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from footnote.language.scripts import HAN, KANA

SOFT_HYPHEN = "\xad"
"""Marks a hyphen at the end of a line whose word continues on the next."""
_EDGE = ".,;:!?()[]{}\"'“”‘’«»„"
_CJK = re.compile(f"[{HAN}{KANA}]")
_HYPHENS = "-\u2010\xad\x02"
_MIN_PART = 4
"""Fewest letters of each part of a compound; shorter ones are words by chance: in, on, de."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that occur inside the lines of a document."""

    words: set[str] = field(default_factory=set)

    def add(self, texts: Iterable[str]) -> None:
        """Add words, including those with a hyphen."""
        self.words.update(text.strip(_EDGE).lower() for text in texts)

    def keeps_hyphen(self, first: str, second: str) -> bool:
        """Whether the hyphen between two parts of a word belongs to it.

        If the word occurs inside a line of the document, its spelling there decides. Otherwise two
        parts that both occur as words are a compound, and anything else was hyphenated.
        """
        first, second = first.strip(_EDGE).lower(), second.strip(_EDGE).lower()
        if f"{first}-{second}" in self.words:
            return True
        if first + second in self.words:
            return False
        parts = first.rsplit("-", 1)[-1], second.split("-", 1)[0]
        return all(len(part) >= _MIN_PART and part in self.words for part in parts)


def join_lines(texts: Sequence[str], vocabulary: Vocabulary) -> str:
    """Return the lines of a paragraph as one text."""
    text = texts[0]
    for following in texts[1:]:
        text = join(text, following, vocabulary)
    return text


def join(before: str, after: str, vocabulary: Vocabulary) -> str:
    """Join two lines of one paragraph, undoing hyphenation between them."""
    if before[-1:] and before[-1] in _HYPHENS and before[-2:-1].isalnum() and after[:1].isalnum():
        first = before[:-1].rsplit(None, 1)[-1]
        second = after.split(None, 1)[0]
        is_compound = (
            not (first[-1].isalpha() and second[0].isalpha())
            or (second[0].isupper() and not first.isupper())
            or vocabulary.keeps_hyphen(first, second)
        )
        return before[:-1] + ("-" if is_compound else "") + after
    if _CJK.match(before[-1:]) and _CJK.match(after[:1]):
        return before + after
    return f"{before} {after}"
