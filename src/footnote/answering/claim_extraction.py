"""Split an answer into claims with their offsets."""

from __future__ import annotations

import re
from dataclasses import dataclass

from footnote.answering.markers import MARKER, read_markers
from footnote.language.sentences import sentence_spans

_MARKERS = re.compile(rf"(?:[ \t]{{0,3}}{MARKER.pattern.replace('?P<numbers>', '?:')})+", re.I)
_BULLET = re.compile(r"(?:(?:[-*+•–>]|\d{1,3}[.)])[ \t]+|\|[ \t]*)+")
_HEADING = re.compile(r"#{1,6}[ \t]")
_LEAD_IN_ENDINGS = (":", "：", "?", "？")
_YEAR = re.compile(r"[\[【]\s{0,3}\d{4}\s{0,3}[\]】]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement to verify against sources."""

    text: str
    """The original text."""
    words: str
    """The text for comparison: without footnote markers."""
    start: int | None = None
    """Offsets in the answer; None for a single statement."""
    end: int | None = None


def claim_of(statement: str) -> Claim:
    """A single statement as a claim.

    >>> claim_of("The rent is 900 [1].").words
    'The rent is 900.'
    """
    return Claim(text=statement, words=_without_markers(statement))


def claims_of(answer: str) -> list[Claim]:
    """The statements of an answer in order.

    Headings, questions, lead-ins and lines without letters or digits are left out. Law: a claim's
    text is `answer[start:end]`.

    >>> [claim.text for claim in claims_of("# Rent\\n\\nIt says:\\n\\n- The rent is 900 [1].")]
    ['The rent is 900 [1].']
    """
    # A marker after a full stop belongs to the sentence before it.
    masked = _MARKERS.sub(lambda match: '"' * len(match.group()), answer)
    claims = []
    for begin, end in sentence_spans(masked):
        if _HEADING.match(answer, begin):
            continue
        bullet = _BULLET.match(answer, begin, end)
        start = bullet.end() if bullet else begin
        text = answer[start:end]
        words = _without_markers(text)
        if any(map(str.isalnum, words)) and not words.endswith(_LEAD_IN_ENDINGS):
            claims.append(Claim(text=text, words=words, start=start, end=end))
    return claims


def _without_markers(text: str) -> str:
    """The words without markers; a year in brackets is not a marker."""
    if _YEAR.search(text):
        return text
    return read_markers(text)[0] or text
