"""Decide whether two texts are near duplicates: nearly equal words, and equal decisive ones."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from footnote.language.calendar import months_of
from footnote.language.negators import NEGATION_WORDS
from footnote.language.number_words import NUMBER_WORDS
from footnote.language.scripts import UNSPACED

SHINGLE_WORDS = 3

_ASCII_SEPARATORS = "!\"'()*,-./:;?[\\]^_`{|}~"
_SEPARATORS = (
    re.escape(_ASCII_SEPARATORS) + "¡¿«»§¶†‡•·…\u2010-\u2015‘’‚‛“”„‟‹›‣▪●○"
    "、。〈〉《》「」『』【】〔〕・؛،؟।॥។၊။"
)
# Where there are no spaces between words, each character counts as one.
_WORD = re.compile(rf"[^\s{_SEPARATORS}{UNSPACED}]+|[{UNSPACED}]")
_SPACED = str.maketrans(dict.fromkeys(_ASCII_SEPARATORS, " "))
_NUMERAL = re.compile(r"\d+")
_NEGATIVE = re.compile(r"-(?<![\w)]-)\d+")

_OPENING = re.compile(r"(?:^|[.!?:;。]|\n)[^\w\n]*$")
_OPENING_CHARACTERS = 12  # Quotes, brackets and bullets between a full stop and a word.

# Months in languages that write them in lower case.
_DECISIVE_WORDS = (
    NEGATION_WORDS | NUMBER_WORDS | (months_of("fr", "es", "it", "pt", "nl") - months_of("en"))
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The normalised words of a text for comparison."""

    words: tuple[str, ...]
    """Words without case and punctuation; single characters in scripts without spaces."""
    shingles: frozenset[int]
    """Hashes of every three consecutive words; of fewer words, one hash."""


def numerals_of(text: str) -> tuple[str, ...]:
    """Return the runs of digits in a text, in order: a quick pre-filter for duplicates."""
    return tuple(_NUMERAL.findall(text))


def wording_of(text: str) -> Wording:
    """Split a text into words; negative numbers are repeated at the end, signs alone are one
    word."""
    if text.isascii():
        words = text.casefold().translate(_SPACED).split()
    else:
        words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    words += _NEGATIVE.findall(text)
    normalised = tuple(words) or (text.strip(),)
    runs = zip(
        *(normalised[start:] for start in range(min(SHINGLE_WORDS, len(normalised)))), strict=False
    )
    return Wording(words=normalised, shingles=frozenset(map(hash, runs)))


def overlap(wording: Wording, other: Wording) -> float:
    """The Jaccard similarity of their shingles, 0…1."""
    shared = len(wording.shingles & other.shingles)
    return shared / (len(wording.shingles) + len(other.shingles) - shared)


def agree_in_details(text: str, other: str) -> bool:
    """Whether two texts of nearly equal words agree in those that decide the meaning.

    Numbers, words that contain one, signs, addresses, negations and number words must be equal and
    in the same order. Of names, which are capitalised words not at the start of a sentence, one
    text may have more.
    """
    exact, names = _decisive_parts(text)
    other_exact, other_names = _decisive_parts(other)
    return exact == other_exact and not (names - other_names and other_names - names)


def _decisive_parts(text: str) -> tuple[list[str], Counter[str]]:
    normal = unicodedata.normalize("NFKC", text)
    exact = _NEGATIVE.findall(text)
    names: Counter[str] = Counter()
    for match in _WORD.finditer(normal):
        word = match.group()
        folded = word.casefold()
        if folded in _DECISIVE_WORDS or _is_code(word):
            exact.append(folded)
        elif _is_name(word, normal, match.start()):
            names[folded] += 1
    return exact, names


def _is_code(word: str) -> bool:
    """Whether it has a digit of any script, an `@`, or no letter."""
    return "@" in word or any(map(str.isnumeric, word)) or not any(map(str.isalpha, word))


def _is_name(word: str, text: str, start: int) -> bool:
    if any(map(str.isupper, word[1:])):
        return True
    before = text[max(0, start - _OPENING_CHARACTERS) : start]
    return word[0].isupper() and not _OPENING.search(before)
