"""Parse the syntax of a query: phrases in quotes, and exclusions after a hyphen.

`"notice period"` must stand in a passage literally, if it stands in any; `-draft` and
`-"first draft"` must not. Quotes may be any of `"…"` `“…”` `„…“` `«…»` `»…«` `「…」` `『…』`.
Where a mark cannot be meant so, it is plain text: a quote without its partner, inches (`5" pipe`),
a hyphen inside a word (`POL-88213-X`), before a space (`- bullet`) or before a number (`-5`,
`-1,240.00`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from footnote.errors import InvalidRequest

MAX_QUERY_CHARACTERS = 10_000
MAX_PARTS = 32
"""Most phrases and exclusions of one query; each costs a look-up."""

_CLOSING = {"“": "”“", "„": "“”", "‟": "”", "«": "»", "»": "«", "「": "」", "『": "』", "＂": "＂"}
# A straight quote opens a phrase where no word ends, and closes it where none begins. The excluded
# range from Thai on has the scripts that write quotes directly next to letters.
_STRAIGHT_START = re.compile('(?<![^\\W_\u0e00-\U0010ffff])"')
_STRAIGHT_END = re.compile('"(?![^\\W_\u0e00-\U0010ffff])')
_NUMBER = re.compile(r"[-+]?[0-9][0-9.,:/'%-]*")
_AFTER_WORD = ".,;:!?)]}"
_WORD = re.compile(r"\S+")
_EXCLUSION = re.compile(r"(?<!\S)-(?=\S)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedQuery:
    """A parsed query."""

    text: str
    """The text to embed and analyse: without quotes and exclusions, but with the words of
    phrases."""
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryPart:
    """A span of a query: plain text, a phrase or an exclusion."""

    start: int
    end: int
    """Half-open offsets, marks included."""
    text: str
    """Without the marks."""
    quoted: bool = False
    excluded: bool = False


def parse_query(text: str) -> ParsedQuery:
    """Parse a query.

    >>> parse_query('"notice period" in contracts -draft')
    ParsedQuery(text='notice period in contracts', phrases=('notice period',), excluded=('draft',))

    Raises InvalidRequest for a query of exclusions alone, or of more than `MAX_PARTS` parts.
    """
    parts = query_parts(text)
    phrases = tuple(part.text for part in parts if part.quoted and not part.excluded)
    excluded = tuple(part.text for part in parts if part.excluded)
    remaining = " ".join(part.text for part in parts if not part.excluded)
    if excluded and not any(map(str.isalnum, remaining)):
        raise InvalidRequest(
            "the query only says what not to find", hint="say also what to look for"
        )
    if len(phrases) + len(excluded) > MAX_PARTS:
        raise InvalidRequest(
            f"the query has {len(phrases) + len(excluded)} phrases and exclusions, and "
            f"{MAX_PARTS} are allowed",
            hint="leave some out",
        )
    if not phrases and not excluded:
        return ParsedQuery(text=text)
    return ParsedQuery(
        text=" ".join(remaining.split()),
        phrases=tuple(dict.fromkeys(phrases)),
        excluded=tuple(dict.fromkeys(excluded)),
    )


def plain_query(text: str) -> str:
    """Remove the marks of phrases and exclusions from a text, such as a statement that is no query.

    >>> plain_query('He said "no" -twice.')
    'He said  no   twice.'

    Law: `parse_query` finds neither in it.
    """
    marks = str.maketrans(dict.fromkeys(('"', *_CLOSING, *"".join(_CLOSING.values())), " "))
    return _EXCLUSION.sub(" ", text.translate(marks))


def query_parts(text: str) -> tuple[QueryPart, ...]:
    """The plain stretches, phrases and exclusions of a query, in order; empty ones left out.

    Law: what lies between two parts is white space or the quotes of an empty phrase.
    """
    return tuple(part for part in _parts(text) if part.text.strip())


def _parts(text: str) -> Iterator[QueryPart]:
    plain_start = position = 0
    while position < len(text):
        part = _excluded_at(text, position) or _phrase_at(text, position)
        if part is None:
            position += 1
            continue
        yield QueryPart(start=plain_start, end=position, text=text[plain_start:position])
        yield part
        plain_start = position = part.end
    yield QueryPart(start=plain_start, end=len(text), text=text[plain_start:])


def _excluded_at(text: str, start: int) -> QueryPart | None:
    if not _EXCLUSION.match(text, start):
        return None
    phrase = _phrase_at(text, start + 1)
    if phrase is not None:
        return QueryPart(start=start, end=phrase.end, text=phrase.text, quoted=True, excluded=True)
    match = _WORD.match(text, start + 1)
    word = match.group().rstrip(_AFTER_WORD) if match else ""
    if not word or not word[0].isalnum() or _NUMBER.fullmatch(word):
        return None
    return QueryPart(start=start, end=start + 1 + len(word), text=word, excluded=True)


def _phrase_at(text: str, start: int) -> QueryPart | None:
    mark = text[start]
    if mark == '"':
        match = (
            _STRAIGHT_END.search(text, start + 1) if _STRAIGHT_START.match(text, start) else None
        )
        end = match.start() if match else -1
    elif mark in _CLOSING:
        ends = [index for close in _CLOSING[mark] if (index := text.find(close, start + 1)) >= 0]
        end = min(ends, default=-1)
    else:
        return None
    content = text[start + 1 : max(end, 0)]
    if end < 0 or (content.strip() and not any(map(str.isalnum, content))):
        return None
    return QueryPart(start=start, end=end + 1, text=content.strip(), quoted=True)
