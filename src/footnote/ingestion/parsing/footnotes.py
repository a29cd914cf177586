"""Find footnotes at the foot of a page or column, and place them after what refers to them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.ingestion.parsing.drafts import Draft
from footnote.ingestion.parsing.geometry import Line, PageItem

_SMALLER = 0.93
"""Largest size of footnotes, as a share of the body's font size."""
_FOOT_SHARE = 0.35
"""Share of the page height below which footnotes begin."""
_NOTE = re.compile(r"(?P<mark>\d{1,3}|[*†‡§]{1,3})(?P<bracket>\)?)[.:]?\s*(?=[^\W\d_]|[“\"「'‘(])")


@dataclass(frozen=True, slots=True)
class Note:
    """The lines of one footnote, and its reference mark."""

    mark: str
    lines: tuple[Line, ...]


def part_notes(
    items: Sequence[PageItem], height: float, body_size: float
) -> tuple[tuple[PageItem, ...], tuple[Note, ...]]:
    """Return the items of a page without its footnotes, and the footnotes."""
    text: list[PageItem] = []
    notes: list[Note] = []
    position = 0
    while position < len(items):
        item = items[position]
        note = _opening(item, height, body_size)
        if note is None or not _is_foot(items, position, body_size):
            text.append(item)
            position += 1
            continue
        end = position + 1
        while end < len(items) and _continues(items, end, height, body_size):
            end += 1
        lines = tuple(line for line in items[position:end] if isinstance(line, Line))
        notes.append(Note(note, lines))
        position = end
    return tuple(text), tuple(notes)


def _opening(item: PageItem, height: float, body_size: float) -> str | None:
    if not isinstance(item, Line) or item.rank or item.size > _SMALLER * body_size:
        return None
    if item.box.top < _FOOT_SHARE * height:
        return None
    match = _NOTE.match(item.text)
    return match["mark"] + match["bracket"] if match else None


def _is_foot(items: Sequence[PageItem], position: int, body_size: float) -> bool:
    """Whether everything below a line in its column is set as small as footnotes."""
    first = items[position]
    return all(
        isinstance(item, Line) and item.size <= _SMALLER * body_size
        for item in items
        if item.box.top > first.box.bottom - 1
        and item.box.left < first.box.right
        and item.box.right > first.box.left
    )


def _continues(items: Sequence[PageItem], position: int, height: float, body_size: float) -> bool:
    item, before = items[position], items[position - 1]
    return (
        isinstance(item, Line)
        and item.size <= _SMALLER * body_size
        and _opening(item, height, body_size) is None
        and 0 <= item.box.top - before.box.top < 2.2 * item.size
    )


def placed(drafts: Sequence[Draft], notes: Sequence[tuple[str, Draft]]) -> list[Draft]:
    """Return the drafts of a page, each note after the first that contains its mark, else last."""
    after: dict[int, list[Draft]] = {}
    for mark, note in notes:
        preferred = re.compile(rf"(?<=[^\W\d_A-Z.,;:)\]”\"'’」!?]){re.escape(mark)}(?![\d)%])")
        fallback = re.compile(rf"(?<=[^\s\d]){re.escape(mark)}(?![\w)%])")
        index = next(
            (
                i
                for pattern in (preferred, fallback)
                for i, draft in enumerate(drafts)
                if draft.level == 0 and pattern.search(draft.text)
            ),
            len(drafts) - 1,
        )
        after.setdefault(index, []).append(note)
    result = after.pop(-1, [])
    for index, draft in enumerate(drafts):
        result.append(draft)
        result.extend(after.get(index, ()))
    return result
