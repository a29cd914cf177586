"""Convert column titles to the words used in questions: `price_eur` becomes `price`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

from footnote.answering.answer_selection import contains_phrase
from footnote.language.figures import currency_of

Terms = Callable[[str], Sequence[str]]
"""Extracts the terms of a text in their base forms."""
_IN_BRACKETS = re.compile(r"[(\[][^)\]]*[)\]]")
_BRACKETS = re.compile(r"[(\[\])]")
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINT = re.compile(r"[_\-\u2010-\u2015]+")
_UNITS = frozenset(
    "pct percent kg mg lb lbs oz km km² km2 m² m2 m³ m3 cm cm² cm2 cm³ cm3 mm ft ha ml cl hl kwh "
    "mwh gwh kw mw kva kv hz khz mhz ghz kb mb gb tb °c °f psi rpm km/h mph hrs pcs".split()
)
_LETTERS_OF_UNITS = frozenset("m g t l h %".split())
"""Units of one character; as a capital it would be a name: `Group T`."""
_CODE_LETTERS = 3
_GAPS = re.compile(r"\s+")


def split_identifier(text: str) -> str:
    """The words of an identifier from a program, separated by spaces.

    >>> split_identifier("revenue_eur, unitsSold, tax-rate, HTTPStatus, Q1")
    'revenue eur, units Sold, tax rate, HTTP Status, Q1'
    """
    return _GAPS.sub(" ", _CAMEL.sub(" ", _JOINT.sub(" ", text))).strip()


def without_unit(title: str) -> str:
    """The words of a title without its unit, in brackets or as the last of several words.

    >>> [without_unit(title) for title in ("Price (EUR)", "net_price_eur", "Gas m3", "Group T")]
    ['Price', 'net price', 'Gas', 'Group T']
    """
    words = split_identifier(_IN_BRACKETS.sub(" ", title)).split()
    return " ".join(words[:-1] if len(words) > 1 and _is_unit(words[-1]) else words)


def with_plain_titles(question: str, titles: Iterable[str]) -> str:
    """A question with column titles that are written as in programs replaced by words.

    >>> with_plain_titles("What is the highest net_price_eur?", ["item", "net_price_eur"])
    'What is the highest net price?'
    """
    for title in sorted(
        {title for title in titles if title != split_identifier(title)}, key=len, reverse=True
    ):
        question = re.sub(rf"(?<!\w){re.escape(title)}(?!\w)", without_unit(title), question)
    return question


def mentions_title(title: str, question: str, terms: Terms) -> bool:
    """Whether a question mentions a title: its words in order, inflected or not.

    The unit may be missing.
    """
    plain_title, plain_question = without_unit(title), split_identifier(question)
    if contains_phrase(plain_title, plain_question):
        return True
    title_terms = list(terms(plain_title))
    question_terms = list(terms(plain_question))
    return bool(title_terms) and any(
        question_terms[start : start + len(title_terms)] == title_terms
        for start in range(len(question_terms) - len(title_terms) + 1)
    )


def disambiguate_titles(titles: Collection[str], question: str, terms: Terms) -> frozenset[str]:
    """Resolve mentioned titles: of two that differ in their unit, keep the one whose unit is named.

    Of two titles with the same terms, such as "Order" and "Ordered by", the literally mentioned one
    is kept.

    >>> titles = ["price_eur", "price_usd", "item"]
    >>> sorted(disambiguate_titles(titles, "price usd of an item", str.split))
    ['item', 'price_usd']
    """
    question_terms = frozenset(terms(split_identifier(question)))
    literal_titles = {title for title in titles if contains_phrase(without_unit(title), question)}
    literal_terms = {frozenset(terms(without_unit(title))) for title in literal_titles}
    kept_titles = frozenset(
        title
        for title in titles
        if title in literal_titles or frozenset(terms(without_unit(title))) not in literal_terms
    )
    title_counts = Counter(without_unit(title).casefold() for title in kept_titles)
    fully_named_titles = {
        title
        for title in kept_titles
        if frozenset(terms(split_identifier(_BRACKETS.sub(" ", title)))) <= question_terms
    }
    fully_named = {without_unit(title).casefold() for title in fully_named_titles}
    return frozenset(
        title
        for title in kept_titles
        if title in fully_named_titles
        or title_counts[without_unit(title).casefold()] == 1
        or without_unit(title).casefold() not in fully_named
    )


def _is_unit(word: str) -> bool:
    return (
        word in _LETTERS_OF_UNITS
        or word.casefold() in _UNITS
        or (len(word) == _CODE_LETTERS and currency_of(word) is not None)
    )
