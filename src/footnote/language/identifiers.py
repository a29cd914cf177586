"""Find identifiers in a text: policy numbers, models, references, each of one particular thing."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

WORD = re.compile(r"\w+(?:[-–./'’&]\w+)*")
_MEASURE_OR_ORDINAL = re.compile(r"\d+['’]?[^\W\d_]{1,3}")
_SEPARATORS = re.compile(r"[\W_]+")
_NUMBERED = re.compile(r"([^\W\d_]{2,}) (\d+(?:[-–/]\d+)+)(?![\w%]|[-–/.,]\d)")
_YEAR = re.compile(r"(?:19|20)\d\d\D")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d")


def is_identifier(figure: str) -> bool:
    """Whether a figure names one particular thing, rather than counting or dating something.

    >>> [is_identifier(code) for code in ("pol-2024/88-a", "15th", "30km", "2024", "q3", "1620-21")]
    [True, False, False, False, False, False]
    """
    return (
        any(map(str.isalpha, figure))
        and sum(map(str.isdigit, figure)) >= 2
        and not _MEASURE_OR_ORDINAL.fullmatch(figure)
    )


def identifiers_in(text: str) -> list[str]:
    """Return the identifiers in a text, case-folded, in order."""
    words = (match.group().casefold() for match in WORD.finditer(text))
    return [word for word in words if is_identifier(word)]


def speaks_of_another(requested: Sequence[str], text: str, context: str) -> bool:
    """Return whether a text cannot be about any of the identifiers that were asked about.

    True if it has none of them and has another of the same form, or if neither it nor its
    surroundings (its headings, its document) have one of them. Separators are ignored:
    `GSR 18V-55` is `GSR18V-55`.

    >>> speaks_of_another(["pol-88213-x"], "POL-88214-X pays 500.", "Also: POL-88213-X")
    True
    >>> speaks_of_another(["pol-88213-x"], "The deductible is 500.", "Policy POL-88213-X")
    False
    """
    if not requested:
        return False
    compact = {_compact(identifier) for identifier in requested}
    compact_text, compact_context = _compact(text), _compact(context)
    if any(identifier in compact_text for identifier in compact):
        return False
    forms = {_form(identifier) for identifier in requested}
    if any(_form(identifier) in forms for identifier in identifiers_in(text)):
        return True
    return not any(identifier in compact_context for identifier in compact)


def numbered_things(text: str) -> set[tuple[str, str]]:
    """Return the pairs of a word and a number of several parts that a text names things by.

    Dates and ranges of years are left out.

    >>> sorted(numbered_things("Crate 2-1 and bay 3/4 of 2024-2025, since 2024-05-01"))
    [('bay', '3-4'), ('crate', '2-1')]
    """
    return {
        (word.casefold(), re.sub(r"[–/]", "-", number))
        for word, number in _NUMBERED.findall(text)
        if not _YEAR.match(number)
    }


def is_numbered_otherwise(requested: Set[tuple[str, str]], text: str) -> bool:
    """Return whether a text numbers such things, but has none of the numbers asked about.

    >>> is_numbered_otherwise({("crate", "2-1")}, "Crate 1-2 holds 102 lanterns.")
    True
    >>> is_numbered_otherwise({("crate", "2-1")}, "It holds 102 lanterns.")
    False
    """
    numbered = numbered_things(text) if requested else set()
    words = {word for word, _ in requested}
    return (
        bool(numbered) and not numbered & requested and any(word in words for word, _ in numbered)
    )


def _compact(text: str) -> str:
    return _SEPARATORS.sub("", text).casefold()


def _form(identifier: str) -> str:
    """Return what identifiers of one kind share: where letters stand, and where how many digits.

    >>> _form("pol-88213-x") == _form("POL-90001-Y")
    True
    """
    return _DIGITS.sub("9", _LETTERS.sub("a", identifier.casefold()))
