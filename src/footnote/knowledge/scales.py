"""In what the numbers of a table are counted: thousands, millions, a currency, per cent."""

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
"""By the power of ten."""
_SCALE = re.compile(
    "|".join(
        rf"(?P<e{power}>(?<![^\W\d_])(?:{words})(?![^\W\d_]))" for power, words in _WORDS.items()
    ),
    re.IGNORECASE,
)
_SAID = re.compile(
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
    """What numbers are counted in."""

    power: int = 0
    """Of ten."""
    currency: str = ""
    """Its code; empty where none is named."""
    percent: bool = False

    def within(self, whole: Scale) -> Scale:
        """The scale of a part, with what that of the whole says where the part says nothing."""
        if self.percent:
            return self
        return Scale(self.power or whole.power, self.currency or whole.currency)


def scale_of_head(text: str) -> Scale:
    """The scale that the head of a column names.

    >>> scale_of_head("€m"), scale_of_head("Change %")
    (Scale(power=6, currency='EUR', percent=False), Scale(power=0, currency='', percent=True))
    """
    found = _scale_in(text)
    return Scale(percent=True) if not found.power and _PERCENT.search(text) else found


def scale_said(text: str) -> Scale:
    """The scale that a text names in brackets or after `in`."""
    return _scale_in(" ; ".join(_SAID.findall(text)))


def only_scale_of(text: str) -> Scale:
    """The scale that a text names in brackets, as reports do once for all, if it names one."""
    powers = {_scale_in(each.group()).power for each in _BRACKETED.finditer(text)} - {0}
    return Scale(power=powers.pop()) if len(powers) == 1 else Scale()


def is_unscaled(label: str) -> bool:
    """Whether what a row counts is not counted in the table's scale: shares, rates, numbers."""
    return bool(_UNSCALED.search(label))


def currency_of_column(cells: Sequence[str]) -> str:
    """The currency that some of a column's cells are in, as in reports; it holds for all."""
    units = {number.unit for number in map(number_in, cells) if number is not None}
    named = units & _CURRENCIES
    return named.pop() if len(named) == 1 and units <= named | {"", "%"} else ""


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
