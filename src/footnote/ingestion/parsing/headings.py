"""Determine which lines are headings, and their levels, by font and by marks in the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from footnote.ingestion.parsing.geometry import Grid, Line, PageItem

HEADING_NUMBER = re.compile(r"(?:\d+(?:\.\d+)*|[A-Z]|[IVX]+)[.)]?\s+\S")
BULLET_GLYPH = re.compile(r"[•●○■▪▫◦‣⁃∙·➢➤❖✓–*\uf0b7-]\s*")
_LOWER_ITEM = re.compile(r"\(?[\da-z]{1,3}[.)]\s+[a-zà-ÿ]")
"""A list item set like a heading: its text begins with a lower-case letter."""
_MAX_CHARACTERS = 160
_LARGER = 1.13
"""Ratio to the body's font size from which a line is a heading."""


@dataclass(frozen=True, slots=True)
class TypeCount:
    """Number of characters of a document by font size, by weight and by fixed width."""

    sizes: Counter[float] = field(default_factory=Counter)
    bold: Counter[bool] = field(default_factory=Counter)
    mono: Counter[bool] = field(default_factory=Counter)

    def add(self, item: PageItem) -> None:
        """Count an item; a table must still have its words."""
        for part in item.words if isinstance(item, Grid) else (item,):
            self.sizes[_rounded(part.size)] += len(part.text)
            self.bold[part.bold] += len(part.text)
            self.mono[part.mono] += len(part.text)


@dataclass(frozen=True, slots=True)
class HeadingStyles:
    """The font of the body, and the level of each style used for headings."""

    body_size: float
    body_is_bold: bool
    body_is_mono: bool
    levels: dict[tuple[float, bool], int]
    ranks: dict[int, int]
    """Level of each heading rank that the file marks."""

    @classmethod
    def of(cls, type_count: TypeCount, lines: Iterable[Line]) -> HeadingStyles:
        """Determine the styles from the fonts of the document and from its lines with a text
        layer."""
        body_size = type_count.sizes.most_common(1)[0][0] if type_count.sizes else 1.0
        bare = cls(
            body_size,
            type_count.bold[True] > type_count.bold[False],
            type_count.mono[True] > type_count.mono[False],
            {},
            {},
        )
        used: set[tuple[float, bool]] = set()
        marked: Counter[tuple[int, tuple[float, bool]]] = Counter()
        for line in lines:
            style = (_rounded(line.size), line.bold)
            if bare.looks_like_heading(line):
                used.add(style)
            if line.rank:
                marked[line.rank, style] += 1
        levels = {style: min(i, 6) for i, style in enumerate(sorted(used, reverse=True), 1)}
        # Each rank gets the level of its commonest style, and at least one more than the rank
        # above.
        level_by_rank: dict[int, int] = {}
        previous_level = 0
        for rank in sorted({rank for rank, _ in marked}):
            styles = Counter({style: n for (other, style), n in marked.items() if other == rank})
            by_style = levels.get(min(styles, key=lambda style: (-styles[style], style)), 0)
            previous_level = min(max(by_style, previous_level + 1), 6)
            level_by_rank[rank] = previous_level
        return replace(bare, levels=levels, ranks=level_by_rank)

    def looks_like_heading(self, line: Line) -> bool:
        """Whether the font and the text of a line are those of a heading."""
        text = line.text
        if len(text) > _MAX_CHARACTERS or not any(c.isalpha() for c in text):
            return False
        if BULLET_GLYPH.match(text) or text.endswith((",", ";")) or _LOWER_ITEM.match(text):
            return False
        if line.size >= _LARGER * self.body_size:
            return not (text.endswith(".") and len(text) > 60)
        emphasised = line.bold and not self.body_is_bold and line.size >= 0.95 * self.body_size
        return emphasised and (not text.endswith((".", ":")) or bool(HEADING_NUMBER.match(text)))

    def level(self, line: Line) -> int:
        """1 to 6 for a line in a style of headings or marked as one, else 0."""
        if line.rank:
            return self.ranks[line.rank]
        return self.levels.get((_rounded(line.size), line.bold), 0)

    def is_heading(self, line: Line) -> bool:
        """Whether a block that begins with the line is a heading."""
        return bool(line.rank) or (self.level(line) > 0 and self.looks_like_heading(line))


def _rounded(size: float) -> float:
    return round(size * 2) / 2
