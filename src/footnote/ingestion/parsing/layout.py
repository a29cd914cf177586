"""Lines and tables of all pages become drafts: headings, paragraphs, lists, without furniture."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft
from footnote.ingestion.parsing.geometry import Grid, Line, PageItem, Word
from footnote.ingestion.parsing.tables import table_drafts

_MARGIN_SHARE = 0.12
"""Share of the page height, at top and bottom, where running headers and footers stand."""
_REPEATED_SHARE = 0.5
_PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:page|seite|página|p\.)?\s*\d{1,4}(?:\s*(?:/|of|von|de)\s*\d{1,4})?[-–—\s]*", re.I
)
_BULLET = re.compile(
    r"(?:[•●○■▪▫◦‣⁃∙·➢➤❖✓–\-*]|\uf0b7|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\([ivx]+\))(?:\s|$)"
)
_BULLET_GLYPH = re.compile(r"[•●○■▪▫◦‣⁃∙·➢➤❖✓–*\uf0b7-]\s*")
_HEADING_NUMBER = re.compile(r"(?:\d+(?:\.\d+)*|[A-Z]|[IVX]+)[.)]?\s+\S")
_LOWER_ITEM = re.compile(r"\(?[\da-z]{1,3}[.)]\s+[a-zà-ÿ]")
"""A list item in a heading's type: what it says does not begin like a title."""
_SENTENCE_END = tuple(".:;!?。！？”\"')")
_MAX_HEADING_CHARACTERS = 160
_MAX_HEADING_LINES = 3
_LARGER = 1.13
"""A line this much larger than the body text is a heading."""
_SINGLE_SPACED = 1.2
_WIDE_LINES_NEEDED = 10
"""With fewer lines, wide spacing is more likely that of paragraphs of one line each."""
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class LaidPage:
    """The items of one page in reading order."""

    number: int
    height: float
    items: tuple[PageItem, ...]
    from_pixels: bool = False


def draft_pages(pages: Sequence[LaidPage]) -> list[Draft]:
    """The blocks of all pages; what text of the document is body and what is heading is
    judged over all of them."""
    pages = _without_furniture(pages)
    styles = _HeadingStyles.of(pages)
    vocabulary = _hyphenated_words(pages)
    leading = _leading(pages)
    drafts: list[Draft] = []
    for page in pages:
        for group in _groups(page, styles, leading):
            for draft in _draft_group(group, page, styles, vocabulary):
                if drafts and _same_list(drafts[-1], draft):
                    drafts[-1] = replace(drafts[-1], text=f"{drafts[-1].text}\n{draft.text}")
                else:
                    drafts.append(draft)
    return drafts


def _hyphenated_words(pages: Sequence[LaidPage]) -> set[str]:
    """Words the document writes with a hyphen, for judging those at the ends of lines."""
    return {
        word.text.strip(".,;:()").lower()
        for page in pages
        for item in page.items
        for word in item.words
        if "-" in word.text
    }


def _same_list(before: Draft, after: Draft) -> bool:
    return before.kind is after.kind is BlockKind.LIST and before.page == after.page


# --- running headers and footers ------------------------------------------------------------


def _without_furniture(pages: Sequence[LaidPage]) -> list[LaidPage]:
    """Pages without lines that recur in the same place, and without bare page numbers."""
    seen: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
    for page in pages:
        for item in page.items:
            if isinstance(item, Line) and _is_marginal(item, page):
                for place in _places(item):
                    seen[place].add(page.number)
    needed = max(2, _REPEATED_SHARE * len(pages))
    running = {place for place, numbers in seen.items() if len(numbers) >= needed}
    return [
        LaidPage(
            page.number,
            page.height,
            tuple(item for item in page.items if not _is_furniture(item, page, running)),
            page.from_pixels,
        )
        for page in pages
    ]


def _is_marginal(line: Line, page: LaidPage) -> bool:
    margin = _MARGIN_SHARE * page.height
    return line.box.bottom < margin or line.box.top > page.height - margin


def _places(line: Line) -> tuple[tuple[str, int], ...]:
    """What recurs: the text with its numbers masked, at this height or a little off."""
    text = re.sub(r"\d+", "#", line.text)
    height = int(line.box.top / 4)
    return (text, height), (text, height + 1)


def _is_furniture(item: PageItem, page: LaidPage, running: set[tuple[str, int]]) -> bool:
    if isinstance(item, Grid) or not _is_marginal(item, page):
        return False
    return bool(_PAGE_NUMBER.fullmatch(item.text)) or any(
        place in running for place in _places(item)
    )


# --- headings -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _HeadingStyles:
    """The body's font size, and the level of each style that is used for headings."""

    body_size: float
    body_is_bold: bool
    levels: dict[tuple[float, bool], int]

    @classmethod
    def of(cls, pages: Sequence[LaidPage]) -> _HeadingStyles:
        sizes: Counter[float] = Counter()
        bold: Counter[bool] = Counter()
        for page in pages:
            for item in page.items:
                for part in item.words if isinstance(item, Grid) else (item,):
                    sizes[_rounded(part.size)] += len(part.text)
                    bold[part.bold] += len(part.text)
        body_size = sizes.most_common(1)[0][0] if sizes else 1.0
        body_is_bold = bold[True] > bold[False]
        used: set[tuple[float, bool]] = set()
        bare = cls(body_size, body_is_bold, {})
        for page in pages:
            if not page.from_pixels:
                used |= {
                    (_rounded(item.size), item.bold)
                    for item in page.items
                    if isinstance(item, Line) and bare.looks_like_heading(item)
                }
        ranked = sorted(used, reverse=True)
        return cls(body_size, body_is_bold, {style: min(i, 6) for i, style in enumerate(ranked, 1)})

    def looks_like_heading(self, line: Line) -> bool:
        text = line.text
        if len(text) > _MAX_HEADING_CHARACTERS or not any(c.isalpha() for c in text):
            return False
        if _BULLET_GLYPH.match(text) or text.endswith((",", ";")) or _LOWER_ITEM.match(text):
            return False
        if line.size >= _LARGER * self.body_size:
            return not (text.endswith(".") and len(text) > 60)
        emphasised = line.bold and not self.body_is_bold and line.size >= 0.95 * self.body_size
        return emphasised and (not text.endswith((".", ":")) or bool(_HEADING_NUMBER.match(text)))

    def level(self, line: Line) -> int:
        return self.levels.get((_rounded(line.size), line.bold), 0)


def _rounded(size: float) -> float:
    return round(size * 2) / 2


# --- grouping lines into blocks -------------------------------------------------------------


def _groups(page: LaidPage, styles: _HeadingStyles, leading: float) -> Iterator[list[PageItem]]:
    """Lines that belong to one block; a table stands alone."""
    group: list[PageItem] = []
    for item in page.items:
        previous = group[-1] if group else None
        together = (
            isinstance(item, Line)
            and isinstance(previous, Line)
            and not _parts(group, previous, item, leading, styles, from_pixels=page.from_pixels)
        )
        if not together and group:
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def _leading(pages: Sequence[LaidPage]) -> float:
    """The distance between the tops of two lines of a paragraph, in font sizes.

    The least of the common ones: what is wider parts paragraphs.
    """
    ratios: Counter[float] = Counter()
    for page in pages:
        lines = [item for item in page.items if isinstance(item, Line)]
        for before, after in pairwise(lines):
            ratio = (after.box.top - before.box.top) / after.size
            if 0.8 < ratio < 2.5 and abs(before.size - after.size) < 0.5:
                ratios[round(ratio, 1)] += 1
    if not ratios:
        return _SINGLE_SPACED
    common = 0.3 * ratios.most_common(1)[0][1]
    leading = min(ratio for ratio, count in ratios.items() if count >= common)
    wide_by_chance = leading > 1.2 * _SINGLE_SPACED and ratios[leading] < _WIDE_LINES_NEEDED
    return _SINGLE_SPACED if wide_by_chance else leading


def _parts(
    group: Sequence[PageItem],
    before: Line,
    after: Line,
    leading: float,
    styles: _HeadingStyles,
    *,
    from_pixels: bool,
) -> bool:
    """Whether a block ends between two lines."""
    advance = after.box.top - before.box.top
    size = max(before.size, after.size)
    if advance < 0.3 * size or advance > max(1.28 * leading, leading + 0.25) * size:
        return True
    if after.box.right < before.box.left or after.box.left > before.box.right:
        return True
    if not from_pixels and _style_changes(before, after, styles):
        return True
    if not from_pixels and styles.level(after):
        return len(group) >= _MAX_HEADING_LINES or bool(_HEADING_NUMBER.match(after.text))
    return _opens_item(group, before, after) or _ends_short(group, before, after)


def _style_changes(before: Line, after: Line, styles: _HeadingStyles) -> bool:
    return styles.level(before) != styles.level(after) or abs(before.size - after.size) > 1


def _opens_item(group: Sequence[PageItem], before: Line, after: Line) -> bool:
    """Whether a list item begins; a number alone may just stand at the start of a line."""
    return bool(_BULLET.match(after.text)) and (
        bool(_BULLET_GLYPH.match(after.text))
        or before.text.endswith(_SENTENCE_END)
        or bool(_BULLET.match(_first_text(group)))
    )


def _first_text(group: Sequence[PageItem]) -> str:
    return group[0].text if isinstance(group[0], Line) else ""


def _ends_short(group: Sequence[PageItem], before: Line, after: Line) -> bool:
    """Whether the line before closes a paragraph that no gap or indent parts from the next."""
    right = max(item.box.right for item in (*group, after))
    left = min(item.box.left for item in (*group, after))
    room = right - before.box.right
    fits_next_word = room > after.words[0].box.width + 1.5 * before.size
    return (
        fits_next_word
        and before.text.endswith(_SENTENCE_END)
        and (room > 0.15 * (right - left) and not after.text[0].islower())
    )


# --- drafts ---------------------------------------------------------------------------------


def _draft_group(
    group: Sequence[PageItem], page: LaidPage, styles: _HeadingStyles, vocabulary: set[str]
) -> Iterator[Draft]:
    confidence = _confidence([word for item in group for word in item.words])
    first = group[0]
    if isinstance(first, Grid):
        for draft in table_drafts(first.rows, page.number):
            yield Draft(kind=draft.kind, text=draft.text, page=draft.page, confidence=confidence)
        return
    lines = [item for item in group if isinstance(item, Line)]
    text = _joined(lines, vocabulary)
    if page.from_pixels:
        yield Draft(kind=BlockKind.OCR_TEXT, text=text, page=page.number, confidence=confidence)
    elif (level := styles.level(first)) and styles.looks_like_heading(first):
        yield Draft(kind=BlockKind.HEADING, text=text, page=page.number, level=level)
    elif _BULLET.match(text) and len(lines) < 12:
        item = _BULLET_GLYPH.sub("- ", text, count=1) if _BULLET_GLYPH.match(text) else text
        yield Draft(kind=BlockKind.LIST, text=item, page=page.number)
    else:
        yield Draft(kind=BlockKind.PARAGRAPH, text=text, page=page.number)


def _confidence(words: Sequence[Word]) -> float | None:
    read = [(word.confidence, len(word.text)) for word in words if word.confidence is not None]
    total = sum(length for _, length in read)
    return round(sum(value * length for value, length in read) / total, 4) if total else None


def _joined(lines: Sequence[Line], vocabulary: set[str]) -> str:
    text = lines[0].text
    for line in lines[1:]:
        text = _join(text, line.text, vocabulary)
    return text


def _join(before: str, after: str, vocabulary: set[str]) -> str:
    """Two lines of one paragraph, a word divided between them made whole."""
    if before.endswith(("\x02", "\u00ad")):
        return before[:-1] + after
    if before.endswith("-") and len(before) > 1 and before[-2].isalpha() and after[:1].islower():
        first, rest = before.rsplit(None, 1)[-1], after.split(None, 1)[0].strip(".,;:()")
        hyphenated = (first + rest).lower() in vocabulary
        return before + after if hyphenated else before[:-1] + after
    if _CJK.match(before[-1:]) and _CJK.match(after[:1]):
        return before + after
    return f"{before} {after}"
