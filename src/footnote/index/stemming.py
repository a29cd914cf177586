"""Reduce a word of one language to its index form: stemmed, then without accents."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import Protocol

import Stemmer

from footnote.index.stopwords import STOP_WORDS

SNOWBALL: Mapping[str, str] = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""ISO 639-1 code to Snowball algorithm."""

_SPELLINGS = {"nb": "no", "nn": "no"}
_STEMMED_FROM = 3  # Shorter words are stems or abbreviations already.

# Letters that carry no combining mark but are commonly typed as these.
_PLAIN_LETTERS = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
_MARKS_DROPPED_FROM = ("LATIN", "GREEK", "ARABIC", "HEBREW")

_lock = Lock()


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 -- the vendor's name
    def stemWords(self, words: Sequence[str]) -> list[str]: ...  # noqa: N802


def analysis_language(language: str | None) -> str:
    """Return the lower-case ISO 639-1 code of the rules to apply; None counts as English.

    Only the primary subtag is read (`de-CH` is German).
    """
    code = (language or "en").replace("_", "-").partition("-")[0].lower()
    return _SPELLINGS.get(code, code)


def is_stop_word(word: str, language: str) -> bool:
    """Return whether a case-folded word, with its accents, is a function word.

    Without accents it may be another word: Turkish `şu` is "that" and `su` is water.
    """
    return word in _stop_words(language)


@lru_cache(maxsize=2**16)
def stem(word: str, language: str) -> str:
    """Return the index form of a case-folded word.

    Accents are removed after stemming because Snowball depends on them. In a language without a
    stemmer only the accents are removed.
    """
    if language not in SNOWBALL or len(word) < _STEMMED_FROM:
        return without_accents(word)
    # A Snowball stemmer holds the current word as state, so threads must take turns.
    with _lock:
        stemmed = _stemmer(language).stemWord(word)
    return without_accents(stemmed) or without_accents(word)


def stems_of(words: Sequence[str], language: str) -> list[str]:
    """Return the index form of each case-folded word, empty for function words; not cached."""
    stop_words = _stop_words(language)
    stemmed = list(words)
    if language in SNOWBALL:
        with _lock:
            stemmed = _stemmer(language).stemWords(words)
    return [
        ""
        if word in stop_words
        else without_accents(word)
        if len(word) < _STEMMED_FROM
        else without_accents(form) or without_accents(word)
        for word, form in zip(words, stemmed, strict=True)
    ]


def without_accents(word: str) -> str:
    """Remove the diacritics that people may leave out when typing.

    They are removed from Latin, Greek, Arabic and Hebrew letters; elsewhere (й, が, Indic vowel
    signs) they make another letter and stay.
    """
    if word.isascii():
        return word
    characters = []
    base_drops_marks = False
    for character in unicodedata.normalize("NFD", word.translate(_PLAIN_LETTERS)):
        if unicodedata.category(character) == "Mn":
            if base_drops_marks:
                continue
        else:
            base_drops_marks = unicodedata.name(character, "").startswith(_MARKS_DROPPED_FROM)
        characters.append(character)
    # A ligature may have worn a mark itself: ǽ.
    return unicodedata.normalize("NFC", "".join(characters)).translate(_PLAIN_LETTERS)


@lru_cache(maxsize=len(SNOWBALL))
def _stemmer(language: str) -> _Stemmer:
    # The stemmer's own cache is off: `stem` caches its results, without accents.
    stemmer: _Stemmer = Stemmer.Stemmer(SNOWBALL[language], 0)
    return stemmer


@lru_cache(maxsize=64)
def _stop_words(language: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in STOP_WORDS.get(language, ()))
