"""Split a whitespace-free token into terms: words, identifiers whole and in parts, bigrams."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from footnote.index.numerals import canonical_number
from footnote.index.stemming import is_stop_word, stem, without_accents
from footnote.language.scripts import EAST_ASIAN_UNSPACED, HANGUL, SOUTHEAST_ASIAN

MAX_TERM_CHARACTERS = 64
"""Longer terms are cut: nobody types them, and encoded binaries would fill the index."""

_CACHED_CHARACTERS = 40  # Longer tokens hardly ever recur.
_MAX_TOKENS = 2**15
_OUTER = "".join(mark for mark in string.punctuation if mark != "_")
"""Punctuation that is stripped from a token, as it belongs to no term."""
_WHOLE_CHARACTERS = 48
_WHOLE_PARTS = 8
_PREFIX_CHARACTERS = 3
_SPLIT_DIGITS = re.compile("[0-9]{3}")

_SYLLABIC = EAST_ASIAN_UNSPACED + HANGUL
BIGRAMMED_SCRIPTS = _SYLLABIC + SOUTHEAST_ASIAN
_BIGRAMMED = re.compile(f"[{BIGRAMMED_SCRIPTS}]")

_CONNECTOR = r"[-'._/\\@&]|(?<=[0-9])[,:](?=[0-9])"
_CONNECTORS = re.compile(_CONNECTOR)
_DROPPED_IN_WHOLES = re.compile(r"[-'_/\\@&:,]|(?<![0-9])\.|\.(?![0-9])")
_LETTERS_OR_DIGITS = re.compile(r"[0-9]+|[^0-9]+")
_DIGIT = re.compile("[0-9]")
_VERSION = re.compile(r"v[0-9]+(?:\.[0-9]+)+")
# `CHF1'240.50`, `12.5kg`: a currency before or a unit behind, without a space.
_MEASURED = re.compile(
    r"(?P<currency>[^\W\d_]{2,3})?(?P<digits>[0-9][0-9,.']*)(?P<unit>[^\W\d_]{1,3})?"
)

_ASCII_RUN = re.compile(f"[a-z0-9]+(?:(?:{_CONNECTOR})[a-z0-9]+)*")

_UNIFIED = {
    **dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff\u0640"), ""),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u2019\u02bc\u2018\u00b4"), "'"),
}
_ODD = re.compile(f"[{''.join(map(chr, _UNIFIED))}]")
_OTHER_DIGIT = re.compile("(?![0-9])\\d")
_TURKISH_CASE = str.maketrans({"I": "ı", "İ": "i"})


def token_terms(token: str, language: str, query_language: str | None) -> tuple[str, ...]:
    """Return the terms of one token, without the stop words of either language."""
    # `Rent,` and `(rent)` share one entry of the cache.
    token = token.strip(_OUTER)
    if token.isascii() and language != "tr":
        token = token.lower()
    if len(token) > _CACHED_CHARACTERS:
        return tuple(_terms(token, language, query_language))
    return _cached_terms(token, language, query_language)


class TermsByToken(dict[str, tuple[str, ...]]):
    """Cache of the terms of each token of one language; a full cache is emptied.

    A look-up takes a fifth of the time of `token_terms`, and a few thousand tokens, spelt with
    their punctuation, make up most of any text.
    """

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, token: str) -> tuple[str, ...]:
        terms = token_terms(token, self._language, None)
        if len(token) <= _CACHED_CHARACTERS:
            if len(self) >= _MAX_TOKENS:
                self.clear()
            self[token] = terms
        return terms


@lru_cache(maxsize=16)
def terms_by_token(language: str) -> TermsByToken:
    """Return the process-wide cache of a language."""
    return TermsByToken(language)


def words(token: str, language: str) -> list[str]:
    """Return the token's case-folded words, with stop words and without stemming."""
    return [word for run in runs(token, language) for word in _CONNECTORS.split(run)]


def runs(token: str, language: str) -> list[str]:
    """Split the token into case-folded runs of one script; compounds and numbers stay whole."""
    return list(_runs(folded(token, language)))


def folded(text: str, language: str = "") -> str:
    """Fold the case, unify look-alike characters and write all digits in ASCII."""
    if text.isascii() and language != "tr":
        return text.lower()
    text = _unified(unicodedata.normalize("NFKC", _unified(text)))
    if language == "tr":
        text = text.translate(_TURKISH_CASE)
    # Russian prints ё and е for the same letter.
    text = unicodedata.normalize("NFKC", text.casefold()).replace("ё", "е")
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit.group())), text)


def as_identifier(token: str) -> str:
    """Return the token as one identifier without punctuation.

    Empty if it is not exactly one run, or is of a script that is indexed by bigrams.
    """
    parts = runs(token, "")
    if len(parts) != 1 or _BIGRAMMED.match(parts[0]):
        return ""
    return without_accents(_DROPPED_IN_WHOLES.sub("", parts[0]))


@lru_cache(maxsize=2**16)
def _cached_terms(token: str, language: str, query_language: str | None) -> tuple[str, ...]:
    if token.isascii() and token.isalpha() and token.islower():  # Most are one plain word.
        return tuple(_word_terms(token, language, query_language))
    return tuple(_terms(token, language, query_language))


def _terms(token: str, language: str, query_language: str | None) -> Iterator[str]:
    for run in _runs(folded(token, language)):
        if _BIGRAMMED.match(run):
            yield from (a + b for a, b in pairwise(run)) if len(run) > 1 else run
        else:
            for term in _run_terms(run, language, query_language):
                yield term[:MAX_TERM_CHARACTERS]


def _runs(text: str) -> Iterator[str]:
    pattern = _ASCII_RUN if text.isascii() else _unicode_run()
    return (match.group() for match in pattern.finditer(text))


def _unified(text: str) -> str:
    return _ODD.sub(lambda odd: _UNIFIED[ord(odd.group())], text)


def _run_terms(run: str, language: str, query_language: str | None) -> Iterator[str]:
    parts = _CONNECTORS.split(run)
    if len(parts) == 1:
        yield from _word_terms(run, language, query_language)
        return
    number = canonical_number(run)
    if number:
        yield from number
        return
    if "." in run and all(len(part) == 1 and not part.isdecimal() for part in parts):
        yield without_accents("".join(parts))
        return
    measured = _MEASURED.fullmatch(run)
    if measured and (number := canonical_number(measured["digits"])):
        yield from number
        parts = [measured["currency"] or measured["unit"]]
    for part in parts:
        yield from _word_terms(part, language, query_language)
    joined = _joined(run, parts, language)
    if joined:
        yield joined
    if _VERSION.fullmatch(run):
        yield run[1:]


def _word_terms(word: str, language: str, query_language: str | None) -> Iterator[str]:
    word = word[:MAX_TERM_CHARACTERS]
    if not _DIGIT.search(word):
        if not is_stop_word(word, language) and not (
            query_language and is_stop_word(word, query_language)
        ):
            yield stem(word, language)
        return
    yield without_accents(word)
    if not word.isdecimal() and _SPLIT_DIGITS.search(word):
        for part in _LETTERS_OR_DIGITS.findall(word):
            yield from _word_terms(part, language, query_language)


def _joined(run: str, parts: list[str], language: str) -> str | None:
    """Return a compound as one term if someone may search for it as a whole, else None."""
    if len(parts) > _WHOLE_PARTS or len(run) > _WHOLE_CHARACTERS:
        return None
    if "@" in run or _is_dotted_name(run, parts):
        return without_accents(run)
    if _DIGIT.search(run) or "_" in run:
        is_list_of_numbers = "," in run
        return None if is_list_of_numbers else without_accents(_DROPPED_IN_WHOLES.sub("", run))
    if len(parts) == 2 and ("-" in run or "&" in run) and len(parts[0]) <= _PREFIX_CHARACTERS:
        return stem("".join(parts), language)
    return None


def _is_dotted_name(run: str, parts: list[str]) -> bool:
    """Return whether a run looks like a host, file or qualified name: words joined by dots."""
    return "." in run and not _DIGIT.search(run) and min(map(len, parts)) > 1


@lru_cache(maxsize=1)
def _unicode_run() -> re.Pattern[str]:
    # `\w` leaves out combining marks, which most scripts of Asia cannot be written without.
    letter = f"[^\\W_{_SYLLABIC}{SOUTHEAST_ASIAN}]"
    word = f"{letter}(?:{letter}|[{mark_ranges()}])*"
    return re.compile(f"[{_SYLLABIC}]+|[{SOUTHEAST_ASIAN}]+|{word}(?:(?:{_CONNECTOR}){word})*")


@lru_cache(maxsize=1)
def mark_ranges() -> str:
    """Return the ranges of combining marks for a regex character class, bigrammed scripts apart."""
    ranges: list[list[int]] = []
    for code in range(0x300, 0x20000):
        character = chr(code)
        if unicodedata.category(character)[0] != "M" or _BIGRAMMED.match(character):
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
