"""Split a model's text, as it arrives, into statements: sentences, list items and table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

from footnote.answering.markers import MARKER
from footnote.language.sentences import sentence_spans

LONGEST_STATEMENT = 3_000
"""Characters after which an unfinished statement is cut, between words."""

_LAYOUT = re.compile(
    r"(?P<item>[-*+•–][ \t]+(?=\S)|\d{1,3}[.)][ \t]+(?=\S))|(?P<heading>\#{1,6}[ \t]+)|(?P<row>\|)"
    r"|(?P<fence>`{3}|~{3})|(?P<quote>>)|(?P<rule>-{3,}|={3,}|\*{3,}(?=\s|\Z)|_{3,}(?=\s|\Z))"
)
_SPACE = re.compile(r"\s*")
_INDENT = re.compile(r"[ \t]*")
_LINE = re.compile(r"[^\n]*")
_MARKER_RUN = re.compile(rf"(?:[ \t]{{0,3}}{MARKER.pattern.replace('?P<numbers>', '?:')})+", re.I)
_OPENING = re.compile(r"\(?(?:[IVXLC]+(?!\w)|[A-Za-zÀ-ɏ]{0,16})")
"""Text after a full stop that may show that the full stop does not end a sentence."""
_BLANK_LINE = re.compile(r"[ \t]*\n[ \t]*\n")
_MARKER_BEGUN = re.compile(r"(?<=[\]】])[ \t]{0,3}[\[【][^\[\]【】\n]{0,400}\Z")
_CONTINUATIONS = ("Xx", "Mai", "1]")
"""Possible continuations of a text; a statement that one of them would change is incomplete."""
_LONGEST_MARKER = 400
_SEPARATOR_CHARACTERS = frozenset(" \t|:-")
_DEEPEST_INDENT = 6


class Kind(StrEnum):
    """The kind of a layout unit."""

    TEXT = "text"
    ITEM = "item"
    ROW = "row"
    HEADING = "heading"
    TABLE_HEAD = "table_head"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A statement as the model wrote it, or a heading, separated from its layout."""

    kind: Kind
    gap: str
    """The white space before it."""
    sign: str
    """The prefix of an item or a heading, such as `- `."""
    body: str
    """The text without the prefix, with markers; not empty."""


@dataclass(slots=True)
class Layout:
    """Splits text into units as it arrives. Law: where the text is cut changes no unit."""

    _text: str = ""
    _before: Kind | None = None

    def feed(self, text: str) -> list[Unit]:
        """The units that this piece completes."""
        # A carriage return is half a line break, or none.
        self._text += text.replace("\r", " ")
        return self._completed_units(final=False)

    def finish(self) -> list[Unit]:
        """The remaining units at the end of the text."""
        return self._completed_units(final=True)

    def break_off(self) -> list[Unit]:
        """The complete units if the text ends early. Law: no unit is half a statement."""
        text, self._text = _MARKER_BEGUN.sub("", self._text), ""
        if text.endswith(("]", "】")):
            text += " "  # Text after a marker does not belong to it.
        complete = list(_units(text, self._before))
        for continuation in _CONTINUATIONS:
            continued = _units(text + continuation, self._before)
            pairs = zip(complete, continued, strict=False)
            complete = [entry for entry, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]
        return [unit for unit, _ in complete]

    def _completed_units(self, *, final: bool) -> list[Unit]:
        units: list[Unit] = []
        consumed = 0
        for unit, end in _units(self._text, self._before):
            if not (final or _has_ended(unit.kind, self._text, end)):
                break
            units.append(unit)
            self._before, consumed = unit.kind, end
        self._text = "" if final else self._text[consumed:]
        return units


def _has_ended(kind: Kind, text: str, end: int) -> bool:
    """Whether no further text can change a unit that ends here."""
    if end == len(text):
        return False
    if kind is Kind.ROW:
        line = _match_text(_LINE, text, end + 1)
        return end + 1 + len(line) < len(text) or not _SEPARATOR_CHARACTERS.issuperset(line)
    if kind in {Kind.HEADING, Kind.TABLE_HEAD} or _BLANK_LINE.match(text, end):
        return True
    space = _match_text(_SPACE, text, end)
    start = end + len(space)
    if start == len(text):
        return False
    if "\n" in space and (match := _LAYOUT.match(text, start)):
        return match.end() < len(text)
    return _is_continuation_known(text, start)


def _is_continuation_known(text: str, start: int) -> bool:
    """Whether the text after a statement is not half a marker, and its first word is complete."""
    if text[start] in "[【":
        following = text[start : start + _LONGEST_MARKER]
        return "]" in following or "】" in following or len(following) == _LONGEST_MARKER
    return start + len(_match_text(_OPENING, text, start)) < len(text)


def _units(text: str, previous: Kind | None) -> Iterator[tuple[Unit, int]]:
    """Each unit with its end offset."""
    position = line_breaks = 0
    while True:
        space = _match_text(_SPACE, text, position)
        line_breaks += space.count("\n")
        position += len(space)
        if position == len(text):
            return
        opens_line = line_breaks > 0 or previous is None
        match = _LAYOUT.match(text, position) if opens_line else None
        omitted_end = _end_of_omitted(text, match)
        if omitted_end is not None:
            # Further text on the line still opens a unit.
            position, line_breaks = omitted_end, max(line_breaks, 1)
            continue
        kind, sign, start, end = _unit_extent(text, position, match)
        next_position = end
        if kind is Kind.ROW and (separator := _separator_end(text, end)) is not None:
            kind, next_position = Kind.TABLE_HEAD, separator
        body = text[start:end].strip()
        if body:
            indent = len(space) - (space.rfind("\n") + 1) if kind is Kind.ITEM else 0
            nested = indent if previous is Kind.ITEM else 0
            gap = _gap(kind, previous, line_breaks) + " " * min(nested, _DEEPEST_INDENT)
            yield Unit(kind=kind, gap=gap, sign=sign, body=body), next_position
            previous, line_breaks = kind, 0
        position = next_position


def _gap(kind: Kind, previous: Kind | None, breaks: int) -> str:
    """The white space before a unit; it separates tables and lists from the text after them."""
    if breaks == 0 and kind is Kind.TEXT:
        return " "
    needs_blank_line = kind is Kind.TABLE_HEAD or (previous is Kind.ROW) != (kind is Kind.ROW)
    return "\n\n" if breaks > 1 or (needs_blank_line and previous is not Kind.TABLE_HEAD) else "\n"


def _end_of_omitted(text: str, match: re.Match[str] | None) -> int | None:
    """The offset after omitted layout: rules, quote signs, fences and stray separators."""
    if match is None:
        return None
    if match["quote"] or match["rule"]:
        return match.end()
    line_end = match.start() + len(_match_text(_LINE, text, match.start()))
    if match["fence"] or (match["row"] and _is_separator(text[match.start() : line_end])):
        return line_end
    return None


def _unit_extent(
    text: str, position: int, match: re.Match[str] | None
) -> tuple[Kind, str, int, int]:
    """A unit's kind and prefix, and the start and end of its body."""
    if match is None or match["item"]:
        sign = f"{match.group().strip()} " if match else ""
        start = match.end() if match else position
        return (Kind.ITEM if match else Kind.TEXT), sign, start, _sentence_end(text, start)
    length = min(len(_match_text(_LINE, text, position)), LONGEST_STATEMENT)
    if match["heading"]:
        return Kind.HEADING, f"{match.group().strip()} ", match.end(), position + length
    return Kind.ROW, "", position, position + length


def _sentence_end(text: str, start: int) -> int:
    segment = text[start : _paragraph_end(text, start)]
    masked = _MARKER_RUN.sub(lambda match: '"' * len(match.group()), segment)
    end = sentence_spans(masked)[0][1]
    if end <= LONGEST_STATEMENT:
        return start + end
    space = segment.rfind(" ", 1, LONGEST_STATEMENT)
    return start + (space if space > 0 else LONGEST_STATEMENT)


def _paragraph_end(text: str, start: int) -> int:
    """The line break before a blank line, or before a line with its own layout."""
    limit = start + LONGEST_STATEMENT + 1
    position = text.find("\n", start, limit)
    while position >= 0:
        line_start = position + 1 + len(_match_text(_INDENT, text, position + 1))
        if line_start == len(text) or text[line_start] == "\n" or _LAYOUT.match(text, line_start):
            return position
        position = text.find("\n", position + 1, limit)
    return min(limit, len(text))


def _separator_end(text: str, row_end: int) -> int | None:
    """The end of the line of dashes below a table header, if there is one."""
    line = _match_text(_LINE, text, row_end + 1)
    return row_end + 1 + len(line) if _is_separator(line) else None


def _is_separator(line: str) -> bool:
    return "-" in line and "|" in line and _SEPARATOR_CHARACTERS.issuperset(line)


def _match_text(pattern: re.Pattern[str], text: str, position: int) -> str:
    """The match, perhaps empty, of a pattern at a position."""
    match = pattern.match(text, position)
    return match.group() if match else ""
