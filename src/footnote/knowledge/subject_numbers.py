"""Find the number of the contract, policy, invoice … that a document is about."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from footnote.knowledge.texts import DocumentText
from footnote.language.identifiers import is_identifier

_LABELS = {
    "invoice": "invoice|rechnung|facture|factura|发票",
    "claim": "claim|schaden|sinistre|siniestro|理赔",
    "order": "order|auftrag|bestellung|bestell|commande|pedido|订单",
    "policy": "policy|polic[ey]n?|versicherungsschein|police|póliza|poliza|保单|保险单",
    "contract": "contract|agreement|vertrag|contrat|contrato|合同",
}
"""Labels of each kind, the most specific first: an invoice for a contract is about the invoice."""
_NUMBER = r"(?:number|nummer|num(?:é|e|é)ro|n[uú]mero|no\b\.?|nr\b\.?|n\.?[°º]|#|号码|编号|号)"
_OF = r"(?:(?:de la|de l['’]|de|du|des|der|of the|of)[ \t]*)?"
_VALUE = r"(?P<number>[^\W_][\w./–-]*)"
_LABEL_PATTERNS = {
    kind: rf"(?:{label})s?[ \t-]*{_NUMBER}|{_NUMBER}[ \t]*{_OF}(?:{label})\b"
    for kind, label in _LABELS.items()
}
_BEFORE = r"^[ \t>*_|•+-]*(?:(?:the|your|our|ihre?|notre|votre|su)[ \t]+)?"
_LINES = {
    kind: re.compile(
        rf"{_BEFORE}(?:{pattern})[ \t*_]*[:：|]?[ \t*_|]*{_VALUE}[ \t*_.]*(?:\||$)",
        re.MULTILINE | re.IGNORECASE,
    )
    for kind, pattern in _LABEL_PATTERNS.items()
}
_BESIDE_LABELS = {
    kind: re.compile(
        rf"{_BEFORE}(?:{pattern})[ \t*_]*[:：|][ \t*_|]*"
        r"(?P<number>(?:[^\W\d_]{1,4}[ \t]+)?[\w./–#-]*\d)",
        re.MULTILINE | re.IGNORECASE,
    )
    for kind, pattern in _LABEL_PATTERNS.items()
}
"""Match a number of any length, whatever follows it, as in `Invoice number: RE 17 of 3 May`."""
_TITLES = {
    kind: (
        re.compile(rf"(?<!\w)(?:{_LABEL_PATTERNS[kind]})[ \t:：]*{_VALUE}", re.IGNORECASE),
        re.compile(rf"(?<!\w)(?:{label})[ \t:：]+{_VALUE}", re.IGNORECASE),
    )
    for kind, label in _LABELS.items()
}
_SEPARATORS = re.compile(r"[\W_]+")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_FEWEST_DIGITS = 4
"""Least digits of a number without letters; a shorter one is likely a count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectNumber:
    """A number that identifies one contract, policy, invoice …"""

    written: str
    key: str
    """The number without separators, in lower case; prefixed by its kind if it has no letters."""


def subject_number(document: DocumentText) -> SubjectNumber | None:
    """Return the number a document is about; None if it states none, or several.

    A number counts in the title, or if it is alone after its label in a line or the first cells of
    a row: in running text it may be another document's.
    """
    for kind in _LABELS:
        stated: dict[str, str] = defaultdict(str)
        for number in (*_in_title(kind, document.title), *_in_lines(kind, document.text)):
            compact = _SEPARATORS.sub("", number).casefold()
            key = compact if any(map(str.isalpha, compact)) else f"{kind} {compact}"
            stated[key] = stated[key] or number
        if len(stated) == 1:
            [(key, number)] = stated.items()
            return SubjectNumber(written=number, key=key)
        if stated or _short_numbers(kind, document):
            # A document with several numbers is about none of them. One with a short number is not
            # identified by it, and must not count as being about its contract either.
            return None
    return None


def distinguishing_number(document: DocumentText) -> str:
    """Return a number that only distinguishes documents of one title: `Invoice number: 17`.

    It is for a document without a `subject_number`; empty if it states none or several.
    """
    stated = next(filter(None, (_short_numbers(kind, document) for kind in _LABELS)), ())
    return next(iter(stated)) if len(stated) == 1 else ""


def _short_numbers(kind: str, document: DocumentText) -> frozenset[str]:
    """Numbers of any length that a document states for this kind, in its title or after a label."""
    title = _YEAR.sub("", document.title)
    in_title = chain.from_iterable(pattern.finditer(title) for pattern in _TITLES[kind])
    labelled = _BESIDE_LABELS[kind].finditer(document.text)
    return frozenset(
        f"{kind} {_SEPARATORS.sub('', match['number']).casefold()}"
        for match in chain(in_title, _LINES[kind].finditer(document.text), labelled)
        if re.search(r"\d", match["number"])
    )


def _in_lines(kind: str, text: str) -> Iterator[str]:
    for match in _LINES[kind].finditer(text):
        number = match["number"].rstrip("./–-")
        if is_identifier(number.casefold()) or sum(map(str.isdigit, number)) >= _FEWEST_DIGITS:
            yield number


def _in_title(kind: str, title: str) -> Iterator[str]:
    numbered, unlabelled = _TITLES[kind]
    for match in numbered.finditer(title):
        number = match["number"].rstrip("./–-")
        if sum(map(str.isdigit, number)) >= _FEWEST_DIGITS or is_identifier(number.casefold()):
            yield number
    for match in unlabelled.finditer(title):
        number = match["number"].rstrip("./–-")
        # A year beside a word, as in `Policy FY2024`, numbers nothing.
        if (
            is_identifier(number.casefold())
            and sum(map(str.isdigit, _YEAR.sub("", re.sub(r"(?<=[^\W\d_])(?=\d)", " ", number))))
            >= 2
        ):
            yield number
