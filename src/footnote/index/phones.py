"""An international telephone number gets one form, however it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

_FEWEST_DIGITS = 8
_MOST_DIGITS = 15  # E.164, the country's included
_GAP = "[ \u00a0\u2009\u202f./()\u2010-\u2013-]{1,3}"
_PHONE = re.compile(
    # First what may begin one, which is looked for quickly, and then what may not stand before it.
    r"[+0](?<![\w+].)(?:(?<=\+)[ ]?|0[ -]?)\(?(?P<number>[1-9][0-9]{0,14}(?!\w)"
    rf"(?:{_GAP}[0-9]{{1,14}}(?!\w)){{0,7}})"
)
_TRUNK = re.compile(r"\(0\)")
_DIGITS = re.compile("[0-9]+")


def has_phone_number(text: str) -> bool:
    """Whether something in it looks like one, which is known sooner than what it is."""
    return ("+" in text or "00" in text) and _PHONE.search(text) is not None


def phone_numbers(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each number as it is written, and its digits from the country's code on.

    Where one ends cannot be told when digits follow, so there is a form for each group that may
    be its last: `+49 30 123456 7` gives `4930123456` and `49301234567`. So do `0049 30 123456-7`
    and `+49 (0)30/123456 7`. A number without its country is not one of these.
    """
    for match in _PHONE.finditer(text):
        groups = _DIGITS.findall(_TRUNK.sub(" ", match["number"]))
        forms = tuple(
            form for form in accumulate(groups) if _FEWEST_DIGITS <= len(form) <= _MOST_DIGITS
        )
        if forms:
            yield match.group(), forms
