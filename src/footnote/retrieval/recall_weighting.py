"""Predict the weight of the dense recall against the lexical one for each query."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.domain import Lane, Ranking
from footnote.domain.probability import sigmoid
from footnote.retrieval.coverage import matched_share

NATIVE, SAME_SCRIPT, OTHER_SCRIPT = 1, 0, -1
"""Whether the lane's model was trained for the language, only for others in its script, or for
none."""

_TENTH = 9
_MARKS = ".,;:!?()[]{}\"'“”„«»¿¡。？！"
_OTHER_SCRIPTS = {
    "ar": "ARABIC",
    "bg": "CYRILLIC",
    "el": "GREEK",
    "fa": "ARABIC",
    "he": "HEBREW",
    "hi": "DEVANAGARI",
    "hy": "ARMENIAN",
    "ja": "CJK",
    "ka": "GEORGIAN",
    "km": "KHMER",
    "ko": "HANGUL",
    "lo": "LAO",
    "my": "MYANMAR",
    "ru": "CYRILLIC",
    "sr": "CYRILLIC",
    "ta": "TAMIL",
    "th": "THAI",
    "uk": "CYRILLIC",
    "ur": "ARABIC",
    "zh": "CJK",
}
"""Script of each language by its Unicode name; languages left out use Latin."""
_ALIKE = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "IDEOGRAPHIC": "CJK"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """The features of one query from which the weight is predicted."""

    language_support: int
    """NATIVE, SAME_SCRIPT or OTHER_SCRIPT: what the lane declares about the query's language."""
    coverage: float
    """0…1, the share of the query's idf that the best lexical hit holds."""
    prominence: float
    """Gap between the best and the tenth lexical score, as a share of the best, 0…1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustModel:
    """A logistic model of the dense recall's weight.

    `bench/fit_fusion.py` repeats the fit and says on what; `docs/fusion.md` shows what it gains.
    """

    intercept: float = 0.156
    language_support: float = 1.206
    coverage: float = -1.21
    prominence: float = -0.539

    def __call__(self, signals: Signals) -> float:
        """The weight of the dense recall, 0…1; the lexical recall has the remainder."""
        log_odds = (
            self.intercept
            + self.language_support * signals.language_support
            + self.coverage * signals.coverage
            + self.prominence * signals.prominence
        )
        return sigmoid(log_odds)


def observe(
    *,
    query: str,
    language: str | None,
    lane: Lane,
    words: Sequence[frozenset[str]],
    lexical: Ranking,
    matched_terms: Mapping[int, Mapping[str, float]],
    idf: Mapping[str, float],
) -> Signals:
    """Compute the signals of one query from its language, if known, and its words."""
    best = matched_terms.get(lexical[0].chunk_no, {}) if lexical else {}
    return Signals(
        language_support=language_support(query, language, lane),
        coverage=matched_share(words, best, idf),
        prominence=_prominence(lexical),
    )


def language_support(query: str, language: str | None, lane: Lane) -> int:
    """Return the lane's support of a query's language; OTHER_SCRIPT for identifiers alone."""
    if not any(token.strip(_MARKS).isalpha() for token in query.split()):
        return OTHER_SCRIPT
    if not lane.languages or language in lane.languages:
        return NATIVE
    if script_of(query) not in {_OTHER_SCRIPTS.get(code, "LATIN") for code in lane.languages}:
        return OTHER_SCRIPT
    return NATIVE if language is None else SAME_SCRIPT


def script_of(text: str) -> str:
    """The script of most letters, by its Unicode name; LATIN for a text without letters."""
    counts = Counter(
        unicodedata.name(letter, "LATIN").partition(" ")[0] for letter in text if letter.isalpha()
    )
    script = min(counts, key=lambda name: (-counts[name], name), default="LATIN")
    return _ALIKE.get(script, script)


def _prominence(lexical: Ranking) -> float:
    if not lexical or lexical[0].score <= 0:
        return 0.0
    tenth = lexical[_TENTH].score if len(lexical) > _TENTH else 0.0
    return 1.0 - tenth / lexical[0].score
