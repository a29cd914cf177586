"""What contract, policy, invoice … a document is about, by the number that it states as its own."""

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
"""The most particular first: an invoice for a contract is about the invoice."""
_NUMBER = r"(?:number|nummer|num(?:é|e|é)ro|n[uú]mero|no\b\.?|nr\b\.?|n\.?[°º]|#|号码|编号|号)"
_OF = r"(?:(?:de la|de l['’]|de|du|des|der|of the|of)[ \t]*)?"
_VALUE = r"(?P<number>[^\W_][\w./–-]*)"
_NAMED = {
    kind: rf"(?:{label})s?[ \t-]*{_NUMBER}|{_NUMBER}[ \t]*{_OF}(?:{label})\b"
    for kind, label in _LABELS.items()
}
_BEFORE = r"^[ \t>*_|•+-]*(?:(?:the|your|our|ihre?|notre|votre|su)[ \t]+)?"
_LINES = {
    kind: re.compile(
        rf"{_BEFORE}(?:{named})[ \t*_]*[:：|]?[ \t*_|]*{_VALUE}[ \t*_.]*(?:\||$)",
        re.MULTILINE | re.IGNORECASE,
    )
    for kind, named in _NAMED.items()
}
_BESIDE_LABELS = {
    kind: re.compile(
        rf"{_BEFORE}(?:{named})[ \t*_]*[:：|][ \t*_|]*"
        r"(?P<number>(?:[^\W\d_]{1,4}[ \t]+)?[\w./–#-]*\d)",
        re.MULTILINE | re.IGNORECASE,
    )
    for kind, named in _NAMED.items()
}
"""A number of any length, whatever comes behind it, as in `Invoice number: RE 17 of 3 May`."""
_TITLES = {
    kind: (
        re.compile(rf"(?<!\w)(?:{_NAMED[kind]})[ \t:：]*{_VALUE}", re.IGNORECASE),
        re.compile(rf"(?<!\w)(?:{label})[ \t:：]+{_VALUE}", re.IGNORECASE),
    )
    for kind, label in _LABELS.items()
}
_SEPARATORS = re.compile(r"[\W_]+")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_FEWEST_DIGITS = 4
"""Of a number without letters; fewer count things."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectNumber:
    """A number that tells one contract, policy, invoice … from all others."""

    written: str
    key: str
    """Equal for one number however it is separated; without letters only for one kind of thing."""


def subject_number(document: DocumentText) -> SubjectNumber | None:
    """What a document says that it is about; None where it says nothing, or more than one thing.

    A number counts in the title, or where it stands alone behind its label in a line or the first
    cells of a row: in running text it may be another document's.
    """
    for kind in _LABELS:
        stated: dict[str, str] = defaultdict(str)
        for written in (*_in_title(kind, document.title), *_in_lines(kind, document.text)):
            compact = _SEPARATORS.sub("", written).casefold()
            key = compact if any(map(str.isalpha, compact)) else f"{kind} {compact}"
            stated[key] = stated[key] or written
        if len(stated) == 1:
            [(key, written)] = stated.items()
            return SubjectNumber(written=written, key=key)
        if stated or _short_numbers(kind, document):
            # A list of them is about none, nor is what is too short to tell one from all others:
            # and least of all about the contract of an invoice that has such a number.
            return None
    return None


def short_number(document: DocumentText) -> str:
    """What tells a document from others of its title alone, as in `Invoice number: 17`; or empty.

    It is for one without a `subject_number`, and empty where it states several.
    """
    stated = next(filter(None, (_short_numbers(kind, document) for kind in _LABELS)), ())
    return next(iter(stated)) if len(stated) == 1 else ""


def _short_numbers(kind: str, document: DocumentText) -> frozenset[str]:
    """Numbers of any length of the invoice, order … that a document says it is."""
    title = _YEAR.sub("", document.title)
    in_title = chain.from_iterable(each.finditer(title) for each in _TITLES[kind])
    beside = _BESIDE_LABELS[kind].finditer(document.text)
    return frozenset(
        f"{kind} {_SEPARATORS.sub('', match['number']).casefold()}"
        for match in chain(in_title, _LINES[kind].finditer(document.text), beside)
        if re.search(r"\d", match["number"])
    )


def _in_lines(kind: str, text: str) -> Iterator[str]:
    for match in _LINES[kind].finditer(text):
        written = match["number"].rstrip("./–-")
        if is_identifier(written.casefold()) or sum(map(str.isdigit, written)) >= _FEWEST_DIGITS:
            yield written


def _in_title(kind: str, title: str) -> Iterator[str]:
    numbered, alone = _TITLES[kind]
    for match in numbered.finditer(title):
        written = match["number"].rstrip("./–-")
        if sum(map(str.isdigit, written)) >= _FEWEST_DIGITS or is_identifier(written.casefold()):
            yield written
    for match in alone.finditer(title):
        written = match["number"].rstrip("./–-")
        # A year beside a word, as in `Policy FY2024`, numbers nothing.
        if (
            is_identifier(written.casefold())
            and sum(map(str.isdigit, _YEAR.sub("", re.sub(r"(?<=[^\W\d_])(?=\d)", " ", written))))
            >= 2
        ):
            yield written
