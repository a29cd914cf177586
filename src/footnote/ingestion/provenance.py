"""Determine a document's authors and date from its file's metadata and its first lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from footnote.domain import BlockKind, MetadataValue, ParsedDocument
from footnote.language.dates import complete_dates

AUTHORS = "authors"
DOCUMENT_DATE = "document_date"
_STUDIED_CHARACTERS = 3000
"""Characters at the beginning that are searched; authors and dates are there or at the very end."""
_END_CHARACTERS = 600
_DATE_WORDS = (
    "date|dated|date of issue|issue date|issued(?: on)?|published(?: on)?|effective(?: date)?"
    "|valid from|last (?:updated|reviewed|modified)|version of|as of|signed(?: on)?"
    "|datum|stand|ausgestellt am|veröffentlicht am|gültig ab|geschlossen am|unterzeichnet am|vom"
    "|le|date d['’]émission|publié le|fecha|publicado el|data|pubblicato il"
)
_AUTHOR_WORDS = (
    "authors?|written by|prepared by|by|verfasser(?:in)?|autor(?:en|in|es|a)?|erstellt von"
    "|auteurs?|rédigé par|autori?|redatto da"
)
_MARKS = r"[\s\-*•|]*"
"""What may stand before a label: a bullet, emphasis, the border of a table."""
_DATE_LABEL = re.compile(
    rf"(?:^|(?<=[.\n|])){_MARKS}(?:{_DATE_WORDS})\b[*\s:|–—-]*(?P<rest>[^\n]{{4,60}})", re.I | re.M
)
_SIGNED = re.compile(
    r"\b(?:signed|geschlossen|unterzeichnet|fait|firmado|firmato)\b[^\n]{0,60}", re.I
)
_NUMBERS_IN_NAME = re.compile(r"(?<!\d)(?:19|20)\d{2}[-_.]?\d{2}[-_.]?\d{2}(?!\d)")
_AUTHOR_LABEL = re.compile(
    rf"^{_MARKS}(?:{_AUTHOR_WORDS})\b[*\s]*(?P<colon>:)?[*\s|]*(?P<names>[^\n|]{{3,120}})",
    re.I | re.M,
)
_NAME = re.compile(r"[^\W\d_][\w.'’-]*(?:\s+[\w.'’-]+){0,4}")
_ADDRESS = re.compile(r"\s*<[^>]*>")
_SEPARATOR = re.compile(r"\s*(?:;|\band\b|\bund\b|\bet\b|&|,\s+(?=[^\W\d_]+\s))\s*")
_PLACEHOLDER_NAME = re.compile(
    r"\(?(?:anonymous|un-?named|unspecified|unknown|none|user|admin(?:istrator)?|owner|author"
    r"|microsoft(?: office)?(?: user)?|python-docx|openpyxl|reportlab.*|.*@localhost)\)?",
    re.I,
)
_MAX_AUTHORS = 10
_TEMPLATE_DATES = frozenset(("1970-01-01", "1980-01-01", "2000-01-01", "2013-12-23"))
"""Creation dates of the files that programs start from: epochs, and python-docx's template."""
_FIRST_YEAR = 1950


def with_provenance(parsed: ParsedDocument, filename: str) -> dict[str, MetadataValue]:
    """Return the file's metadata, with `authors` (joined by `; `) and `document_date` (ISO).

    Either is left out where it is unknown. The author of a message is its sender, its date the time
    it was sent.
    """
    metadata: dict[str, MetadataValue] = dict(parsed.metadata)
    if authors := authors_of(parsed):
        metadata[AUTHORS] = "; ".join(authors)
    if date := date_of(parsed, filename):
        metadata[DOCUMENT_DATE] = date
    return metadata


def authors_of(parsed: ParsedDocument) -> tuple[str, ...]:
    """Return the authors in the metadata, else those that a line near the beginning names."""
    for key in ("authors", "author", "from", "sender"):
        if names := tuple(_names(str(parsed.metadata.get(key, "")))):
            return names
    for label in _AUTHOR_LABEL.finditer(parsed.text[:_STUDIED_CHARACTERS]):
        text = label["names"].strip().rstrip(".")
        names = tuple(_names(text))
        if names and (label["colon"] or all(_looks_like_a_name(name) for name in names)):
            return names
    return ()


def _names(text: str) -> Iterator[str]:
    parts = _SEPARATOR.split(_ADDRESS.sub("", text).strip(" \"'"))
    names: dict[str, None] = {}
    for part in parts:
        name = " ".join(part.split()).strip(" \"',")
        if name and not _PLACEHOLDER_NAME.fullmatch(name) and len(name) <= 80:
            names.setdefault(name)
    yield from list(names)[:_MAX_AUTHORS]


def _looks_like_a_name(text: str) -> bool:
    words = text.split()
    return bool(_NAME.fullmatch(text)) and len(words) > 1 and all(w[0].isupper() for w in words)


def date_of(parsed: ParsedDocument, filename: str) -> str | None:
    """Return the date of a document, ISO: the first found in these sources.

    Its metadata (a message's or a front matter's date), a line labelled as date, its title or file
    name, where it was signed, when its file was made.
    """
    return next((date for date in _candidates(parsed, filename) if date), None)


def _candidates(parsed: ParsedDocument, filename: str) -> Iterator[str | None]:
    metadata = parsed.metadata
    for key in ("date", "sent", "document_date", "published"):
        yield _first_date(str(metadata.get(key, "")))
    beginning = parsed.text[:_STUDIED_CHARACTERS]
    yield from (_first_date(label["rest"], limit=24) for label in _DATE_LABEL.finditer(beginning))
    headings = [block.text for block in parsed.blocks if block.kind is BlockKind.HEADING][:2]
    for text in (parsed.title or "", *headings, PurePath(filename).stem):
        yield _first_date(text) or _first_date_in_name(text)
    for text in (beginning, parsed.text[-_END_CHARACTERS:]):
        yield from (_first_date(signed.group()) for signed in _SIGNED.finditer(text))
    for key in ("created", "modified"):
        date = _first_date(str(metadata.get(key, "")))
        yield None if date in _TEMPLATE_DATES else date


def _first_date(text: str, limit: int = 0) -> str | None:
    """Return the first date in a text, or in the first `limit` characters; None if before 1950."""
    first = next(complete_dates(text[: limit or None]), None)
    return None if first is None or first.year < _FIRST_YEAR else first.isoformat()


def _first_date_in_name(text: str) -> str | None:
    match = _NUMBERS_IN_NAME.search(text)
    if match is None:
        return None
    digits = re.sub(r"\D", "", match.group())
    return _first_date(f"{digits[:4]}-{digits[4:6]}-{digits[6:]}")
