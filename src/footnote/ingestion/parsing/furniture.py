"""Separate running headers, footers and page numbers from the text of the pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from footnote.ingestion.parsing.geometry import Line, PageItem

_MARGIN_SHARE = 0.12
"""Share of the page height, at top and bottom, where running headers and footers stand."""
_REPEATED_SHARE = 0.5
_FEW_PAGES = 6
_ALTERNATING_SHARE = 0.3
"""The same for `_FEW_PAGES` pages or more: left and right pages may have different lines."""
_PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:page|seite|página|p\.)?\s*\d{1,4}(?:\s*(?:/|of|von|de)\s*\d{1,4})?[-–—\s]*", re.I
)
_WIDE_MARGIN_SHARE = 0.22
"""Share of the page height at the bottom where a page number may be, as in LaTeX letters and
articles."""
_WIDE_GAP = 1.5
_MIN_GAP = 0.9
"""Least gap between a running line and the text, in font sizes of that line."""
_DIGITS = re.compile(r"\d+")
_ENDS = " #|-–—·/"
_MAX_REMEMBERED_CHARACTERS = 300

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Furniture:
    """The recurring lines of a document, gathered page by page."""

    seen: defaultdict[Place, set[int]] = field(default_factory=lambda: defaultdict(set))
    headers: dict[str, Counter[str]] = field(default_factory=dict)
    """For each running line, its text with masked numbers to counts of its actual texts."""
    footers: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, number: int, height: float, items: Sequence[PageItem]) -> None:
        """Record the lines in the margins of a page."""
        for item in _marginal(items, height):
            for place in _keys(item):
                self.seen[place].add(number)

    def running(self, page_count: int) -> set[Place]:
        """Return the lines that recur in the same place on enough pages to be no text."""
        share = _REPEATED_SHARE if page_count < _FEW_PAGES else _ALTERNATING_SHARE
        needed = max(2, share * page_count)
        return {place for place, numbers in self.seen.items() if len(numbers) >= needed}

    def without(
        self, height: float, items: Sequence[PageItem], running: set[Place]
    ) -> tuple[PageItem, ...]:
        """Return the items of a page that are text; record the running lines left out."""
        dropped: set[int] = set()
        for item in _marginal(items, height):
            is_number = _PAGE_NUMBER.fullmatch(item.text)
            if not is_number and not any(place in running for place in _keys(item)):
                continue
            dropped.add(id(item))
            if not is_number:
                counters = self.headers if item.box.top < height / 2 else self.footers
                counters.setdefault(_DIGITS.sub("#", item.text), Counter())[item.text] += 1
        return tuple(item for item in items if id(item) not in dropped)

    def remembered(self) -> tuple[str, str]:
        """Return the running header and footer, most frequent line first, without numbers that
        change."""
        return _most_frequent(self.headers), _most_frequent(self.footers)


def _most_frequent(lines: dict[str, Counter[str]]) -> str:
    ordered = sorted(lines, key=lambda masked: (-lines[masked].total(), masked))[:3]
    texts = [
        next(iter(lines[masked])) if len(lines[masked]) == 1 else masked.strip(_ENDS)
        for masked in ordered
    ]
    return " | ".join(texts)[:_MAX_REMEMBERED_CHARACTERS]


def _marginal(items: Sequence[PageItem], height: float) -> list[Line]:
    """Return page numbers, and the lines in the margins that a gap separates from the text.

    If all items of a page are lines in the margins, they are its text.
    """
    margin = _MARGIN_SHARE * height
    lines = [item for item in items if isinstance(item, Line)]
    top = [line for line in lines if line.box.bottom < margin]
    bottom = [line for line in lines if line.box.top > height - margin]
    numbers = [line for line in (*top, *bottom) if _PAGE_NUMBER.fullmatch(line.text)]
    numbers += _lowest_number(lines, items, height)
    if len(top) + len(bottom) == len(items):
        return numbers
    top.sort(key=lambda line: line.box.top)
    bottom.sort(key=lambda line: -line.box.bottom)
    separate = _set_apart(top, items, 1) + _set_apart(bottom, items, -1)
    return list({id(line): line for line in (*separate, *numbers)}.values())


def _lowest_number(lines: Sequence[Line], items: Sequence[PageItem], height: float) -> list[Line]:
    """Return the page number in a wide margin: the lowest line, well below all others."""
    lowest = max(lines, key=lambda line: line.box.top, default=None)
    if lowest is None or lowest.box.top < (1 - _WIDE_MARGIN_SHARE) * height or len(items) < 2:
        return []
    others = (item for item in items if item is not lowest)
    is_apart = all(_gap(lowest, other, -1) >= _WIDE_GAP * lowest.size for other in others)
    return [lowest] if is_apart and _PAGE_NUMBER.fullmatch(lowest.text) else []


def _set_apart(margin: list[Line], items: Sequence[PageItem], direction: int) -> list[Line]:
    """Return the outermost lines of a margin, up to the last one with a gap to all that follows."""
    inner = set(map(id, margin))
    following = [item for item in items if id(item) not in inner]
    while margin:
        line = margin[-1]
        if all(_gap(line, other, direction) >= _MIN_GAP * line.size for other in following):
            return margin
        following.append(margin.pop())
    return margin


def _gap(line: Line, other: PageItem, direction: int) -> float:
    if direction > 0:
        return other.box.top - line.box.bottom
    return line.box.top - other.box.bottom


def _keys(line: Line) -> Iterable[Place]:
    """Return the keys under which a line recurs: its text with masked numbers, at two rounded
    heights."""
    text = _DIGITS.sub("#", line.text)
    height = int(line.box.top / 4)
    return (text, height), (text, height + 1)
