"""Detect the units of a table's numbers: thousands, millions, a currency, per cent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.language.figures import currency_of
from footnote.language.quantities import number_in

_WORDS = {
    3: r"thousands?|tausend|tsd|milliers|miles|mil|['’‘]?000s?"
    r"|[tk](?=[€$£]|eur|usd|chf|gbp)",
    6: r"millions?|millionen|mio|mn|mill?ones|milioni|[$€£]\s?m|m(?=[€$£])",
    9: r"billions?|milliarden|mrd|bn|milliards?|miliardi|[$€£]\s?bn",
}
SCALE_NAMES = {3: "thousand", 6: "million", 9: "billion"}
"""Name of each power of ten."""
_SCALE = re.compile(
    "|".join(
        rf"(?P<e{power}>(?<![^\W\d_])(?:{words})(?![^\W\d_]))" for power, words in _WORDS.items()
    ),
    re.IGNORECASE,
)
_SCALE_PHRASE = re.compile(
    r"(?:\(|\bin\b|\ben\b|\bamounts?\b|\bbeträge\b|[€$£])[^().\n]{0,60}", re.IGNORECASE
)
_BRACKETED = re.compile(r"\((?:[^().\n]{0,40}\b)?(?:in|en)\s[^().\n]{0,40}\)", re.IGNORECASE)
_CURRENCY = re.compile(
    r"US\$|[€$£¥]|(?<![^\W_])(?:USD|EUR|GBP|CHF|JPY|CNY|RMB|dollars?|euros?|pounds?|yen)(?![^\W_])",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"%|\bper\s?cent\b|\bprozent\b|\bpourcentage\b", re.IGNORECASE)
_UNSCALED = re.compile(
    r"\bper\s(?:\w+\s)?(?:share|unit|ads|ounce|ton)|\bje\s(?:aktie|stück)|\bpar\saction|\bpor\sacción"
    r"|%|\b(?:percent(?:age)?|prozent|ratio|rate|quote|margin|marge)\W*$|^(?:number|anzahl)\b",
    re.IGNORECASE,
)
_CURRENCIES = frozenset("USD EUR GBP CHF JPY CNY".split())


@dataclass(frozen=True, slots=True)
class Scale:
    """The unit scale of numbers."""

    power: int = 0
    """Exponent of ten."""
    currency: str = ""
    """Its code; empty where none is named."""
    percent: bool = False

    def within(self, outer: Scale) -> Scale:
        """Return this scale, completed by that of the enclosing table where it states nothing."""
        if self.percent:
            return self
        return Scale(self.power or outer.power, self.currency or outer.currency)


def scale_of_head(text: str) -> Scale:
    """The scale that the head of a column names.

    >>> scale_of_head("€m"), scale_of_head("Change %")
    (Scale(power=6, currency='EUR', percent=False), Scale(power=0, currency='', percent=True))
    """
    scale = _scale_in(text)
    return Scale(percent=True) if not scale.power and _PERCENT.search(text) else scale


def stated_scale(text: str) -> Scale:
    """The scale that a text names in brackets or after `in`."""
    return _scale_in(" ; ".join(_SCALE_PHRASE.findall(text)))


def scale_of_document(text: str) -> Scale:
    """The scale that a document states in brackets once for all tables, if exactly one."""
    powers = {_scale_in(match.group()).power for match in _BRACKETED.finditer(text)} - {0}
    return Scale(power=powers.pop()) if len(powers) == 1 else Scale()


def is_unscaled(label: str) -> bool:
    """Whether a row's values are exempt from the table's scale: per-share values, rates, counts."""
    return bool(_UNSCALED.search(label))


def currency_of_column(cells: Sequence[str]) -> str:
    """The currency that some cells of a column have, which holds for all; empty if not unique."""
    units = {number.unit for number in map(number_in, cells) if number is not None}
    currencies = units & _CURRENCIES
    return currencies.pop() if len(currencies) == 1 and units <= currencies | {"", "%"} else ""


def without_scale(text: str) -> str:
    """A text without the words for scales and currencies."""
    return _SCALE.sub(" ", _CURRENCY.sub(" ", text))


def _scale_in(text: str) -> Scale:
    match = _SCALE.search(text)
    currency = _CURRENCY.search(text)
    return Scale(
        power=int(str(match.lastgroup)[1:]) if match else 0,
        currency="" if currency is None else currency_of(currency.group().rstrip("s")) or "",
    )
