"""Find numbers that a claim gives as a minimum and its source as a maximum, or vice versa."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from footnote.answering.exact_values import ExactValues
from footnote.language.figures import Figure, agrees
from footnote.language.negators import bounded

_BEFORE_NUMBER: Mapping[str, tuple[str, str]] = {
    "en": (
        r"at\s+least|not?\s+(?:less|fewer|earlier)\s+than|(?:a\s+)?minimum(?:\s+of)?"
        r"|more\s+than|over|above|exceed(?:s|ed|ing)?",
        r"at\s+most|not?\s+(?:more|later)\s+than|not?\s+(?:to\s+)?exceed(?:ing|s)?|up\s+to"
        r"|(?:a\s+)?maximum(?:\s+of)?|(?:less|fewer)\s+than|under|below",
    ),
    "de": (
        r"mindestens|wenigstens|minimal|nicht\s+weniger\s+als|frühestens|mehr\s+als|über",
        r"höchstens|maximal|nicht\s+(?:mehr|länger)\s+als|bis\s+zu|spätestens|weniger\s+als|unter",
    ),
    "es": (
        r"al\s+menos|por\s+lo\s+menos|como\s+mínimo|mínimo(?:\s+de)?|no\s+menos\s+de|más\s+de",
        r"no\s+más\s+de|como\s+máximo|a\s+lo\s+sumo|máximo(?:\s+de)?|hasta|menos\s+de",
    ),
    "fr": (
        r"au\s+m(?:oins|inimum)|pas\s+moins\s+de|plus\s+de",
        r"au\s+(?:plus|maximum)|d['’]au\s+plus|pas\s+plus\s+de|jusqu['’][àa]|moins\s+de",
    ),
    "it": (
        r"almeno|non\s+meno\s+di|come\s+minimo|un\s+minimo\s+di|più\s+di|oltre",
        r"al\s+(?:massimo|più)|non\s+più\s+di|un\s+massimo\s+di|fino\s+a|meno\s+di",
    ),
    "zh": (r"至少|不少于|不低于|最少|超过|多于", r"不超过|最多|至多|不多于|少于|不到"),
}
"""Wordings before a number that make it a minimum or a maximum, by language."""
_AFTER_NUMBER: Mapping[str, tuple[str, str]] = {
    "en": (r"or\s+more|at\s+(?:the\s+)?least", r"or\s+(?:less|fewer)|at\s+(?:the\s+)?most"),
    "de": (r"oder\s+mehr", r"oder\s+weniger"),
    "es": (r"o\s+más|como\s+mínimo", r"o\s+menos|como\s+máximo"),
    "fr": (r"ou\s+plus|au\s+minimum|au\s+moins", r"ou\s+moins|au\s+maximum|au\s+plus"),
    "it": (r"o\s+più|al\s+minimo", r"o\s+meno|al\s+massimo"),
    "zh": (r"以上", r"以内|以下"),
}
_MAX_DISTANCE = 16
"""Most characters between a number and a wording after it, for its unit."""
_LOOK_BACK = 32
_GAP = re.compile(r"\s*(?:[a-zäöüéèáíóàç]{1,3}['’\s])?\s*(?:[$€£¥]\s?)?")
"""Text allowed between a wording and its number: an article, "de", a currency."""


def reversed_limits(
    claim: ExactValues, sources: Sequence[ExactValues], language: str | None
) -> list[Figure]:
    """The figures that the claim bounds from below and all texts bound from above, or vice versa.

    >>> sources = [extract_values("The notice is at least three months.", "en", analyzer)]
    >>> claim = extract_values("The notice is at most 3 months.", "en", analyzer)
    >>> len(reversed_limits(claim, sources, "en"))
    1
    """
    reversed_figures = []
    for figure in claim.figures:
        claimed_side = _bound_side(claim.text, figure, language) if figure.claims else None
        if claimed_side is None:
            continue
        source_sides = [
            _bound_side(source.text, other, language)
            for source in sources
            for other in source.figures
            if agrees(figure, other)
        ]
        if source_sides and all(side is not None and side != claimed_side for side in source_sides):
            reversed_figures.append(figure)
    return reversed_figures


def _bound_side(text: str, figure: Figure, language: str | None) -> int | None:
    """0 for a number that is a minimum, 1 for a maximum, None for neither."""
    before = text[max(0, figure.start - _LOOK_BACK) : figure.start]
    after = text[figure.end : figure.end + _MAX_DISTANCE + 12]
    wordings: list[tuple[int, int]] = []
    for side, pattern in enumerate(_patterns(language)[0]):
        wordings += [
            (wording.start(), side)
            for wording in pattern.finditer(before)
            if _GAP.fullmatch(before[wording.end() :])
        ]
    if wordings:
        # The longest wording before the number: "not more than" over "more than".
        return min(wordings)[1]
    for side, pattern in enumerate(_patterns(language)[1]):
        match = pattern.search(after)
        if (
            match
            and match.start() <= _MAX_DISTANCE
            and not re.search(r"[.;,。；，]", after[: match.start()])
        ):
            return side
    return None


def _compiled(words: tuple[str, str], language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    lower, upper = (re.compile(bounded(pattern, language), re.IGNORECASE) for pattern in words)
    return lower, upper


_COMPILED = {
    language: (
        _compiled(_BEFORE_NUMBER[language], language),
        _compiled(_AFTER_NUMBER[language], language),
    )
    for language in _BEFORE_NUMBER
}


def _patterns(
    language: str | None,
) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], tuple[re.Pattern[str], re.Pattern[str]]]:
    return _COMPILED.get(language or "en", _COMPILED["en"])
