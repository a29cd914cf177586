"""Convert the lines and tables of all pages to drafts, without running headers and footers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft
from footnote.ingestion.parsing.footnotes import part_notes, placed
from footnote.ingestion.parsing.furniture import Furniture
from footnote.ingestion.parsing.geometry import Grid, Line, PageItem, mean_confidence
from footnote.ingestion.parsing.headings import (
    BULLET_GLYPH,
    HEADING_NUMBER,
    HeadingStyles,
    TypeCount,
)
from footnote.ingestion.parsing.hyphens import Vocabulary, join_lines
from footnote.ingestion.parsing.tables import table_drafts
from footnote.language.scripts import HAN, HANGUL, KANA

_BULLET = re.compile(
    r"(?:[•●○■▪▫◦‣⁃∙·➢➤❖✓–\-*]|\uf0b7|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\([ivx]+\))(?:\s|$)"
)
_CAPTION_NAME = (
    r"(?:figure|fig|table|tab|chart|listing|exhibit|scheme|plate|photo|abbildung|abb|tabelle|bild"
    r"|tableau|graphique|figura|tabla|cuadro|gráfico|tabella|grafico|afbeelding|tabel)"
)
_CAPTION = re.compile(
    rf"(?:{_CAPTION_NAME}\.?\s*\d[\d.\-–]*[a-z]?\s*(?P<mark>[.:|–—])?(?=\s|$)"
    r"|[\[<【(]?(?:그림|표|图|圖|表|図)\s*\d[\d.\-–]*[\]>】):：]?)",
    re.I,
)
_MAX_CAPTION_CHARACTERS = 700
_MAX_BARE_CAPTION_CHARACTERS = 120
"""Characters from which a text without a colon or full stop after its number is no caption, but
just begins with that word."""
_SENTENCE_END = tuple(".:;!?。！？”\"')")
_MAX_HEADING_LINES = 3
_MAX_ITEM_LINES = 12
_SINGLE_SPACED = 1.2
_CHANCE_LINES = 3
"""Fewer lines than this at one distance are a coincidence."""
_WIDE_LINES_NEEDED = 10
"""With fewer lines, wide spacing more likely separates paragraphs of one line each."""
_PROSE_LINES = 5
_WIDEST = 2.3
_WIDE_TOLERANCE = 0.25
_MIN_PROSE_CHARACTERS = 40
_CONTINUATION = re.compile(rf"[a-zà-öø-ÿß-\u024f{HAN}{KANA}{HANGUL}]")
"""How a line begins that continues a paragraph from the column before."""
_MAX_CODE_INDENT = 60
_MIN_STEP = 0.9
"""Least indentation of a further list level, in font sizes; right-aligned numbers differ by
less."""
_MAX_STEP = 8.0


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The items of one page in reading order; a page may come in several parts."""

    number: int
    height: float
    items: tuple[PageItem, ...]
    from_pixels: bool = False
    aside: bool = False
    """Whether its text runs in another direction than the rest of the page, as on a stamp."""
    extra: tuple[Draft, ...] = ()
    """Blocks beside its text: comments, the values of form fields."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The blocks of all pages, and their running header and footer."""

    drafts: tuple[Draft, ...]
    running_header: str
    running_footer: str


@dataclass(frozen=True, slots=True)
class _Statistics:
    """Statistics of a document, gathered page by page."""

    types: TypeCount = field(default_factory=TypeCount)
    furniture: Furniture = field(default_factory=Furniture)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    ratios: Counter[float] = field(default_factory=Counter)

    def add(self, page: PageLayout) -> None:
        self.furniture.add(page.number, page.height, page.items)
        for item in page.items:
            self.types.add(item)
            texts = [word.text for word in item.words]
            self.vocabulary.add(texts[:-1] if isinstance(item, Line) else texts)
        lines = [item for item in page.items if isinstance(item, Line)]
        for before, after in pairwise(lines):
            ratio = (after.box.top - before.box.top) / after.size
            if 0.8 < ratio < 2.5 and abs(before.size - after.size) < 0.5:
                self.ratios[round(ratio, 1)] += 1

    def leading(self) -> float:
        """Return the distance between the tops of two lines of a paragraph, in font sizes.

        It is the smallest of the frequent distances; wider ones separate paragraphs.
        """
        if not self.ratios:
            return _SINGLE_SPACED
        commonest = self.ratios.most_common(1)[0][1]
        common = max(0.3 * commonest, min(commonest, _CHANCE_LINES))
        leading = min(ratio for ratio, count in self.ratios.items() if count >= common)
        similar_count = sum(n for ratio, n in self.ratios.items() if abs(ratio - leading) < 0.15)
        by_chance = leading > 1.2 * _SINGLE_SPACED and similar_count < _WIDE_LINES_NEEDED
        return _SINGLE_SPACED if by_chance else leading

    def wide_leading(self, leading: float) -> float:
        """Return the leading of passages set wider than the rest, in font sizes; 0 without any.

        It is the most frequent of the distances that separate paragraphs elsewhere.
        """
        wide = Counter(
            {ratio: n for ratio, n in self.ratios.items() if 1.28 * leading < ratio < _WIDEST}
        )
        ratio, lines = wide.most_common(1)[0] if wide else (0.0, 0)
        return ratio if lines >= _PROSE_LINES else 0.0


def draft_pages(pages: Iterable[PageLayout]) -> list[Draft]:
    """Return the blocks of all pages, as `lay_out` does."""
    return list(lay_out(pages).drafts)


def lay_out(pages: Iterable[PageLayout]) -> Layout:
    """Lay out all pages; body, headings and running lines are determined over the whole document.

    Pages are taken one by one and kept without their words, at a fraction of their size.
    """
    statistics = _Statistics()
    stored: list[PageLayout] = []
    for page in pages:
        statistics.add(page)
        stored.append(replace(page, items=tuple(replace(item, words=()) for item in page.items)))
    running = statistics.furniture.running(len({page.number for page in stored}))
    lines = (
        item
        for page in stored
        if not page.from_pixels
        for item in page.items
        if isinstance(item, Line)
    )
    leading = statistics.leading()
    drafter = _Drafter(
        styles=HeadingStyles.of(statistics.types, lines),
        leading=leading,
        wide_leading=statistics.wide_leading(leading),
        vocabulary=statistics.vocabulary,
    )
    drafts: list[Draft] = []
    for page in stored:
        items = statistics.furniture.without(page.height, page.items, running)
        for draft in (*drafter.drafts(replace(page, items=items)), *page.extra):
            before = drafts[-1] if drafts else draft
            is_list = before.kind is draft.kind is BlockKind.LIST
            if drafts and is_list and before.page == draft.page:
                drafts[-1] = replace(drafts[-1], text=f"{drafts[-1].text}\n{draft.text}")
            else:
                drafts.append(draft)
    header, footer = statistics.furniture.remembered()
    return Layout(tuple(drafts), header, footer)


@dataclass(frozen=True, slots=True)
class _Drafter:
    """Makes the drafts of each page from what is known about the whole document."""

    styles: HeadingStyles
    leading: float
    wide_leading: float
    """As returned by `_Statistics.wide_leading`."""
    vocabulary: Vocabulary

    def drafts(self, page: PageLayout) -> list[Draft]:
        size = 0.0 if page.from_pixels else self.styles.body_size
        items, notes = part_notes(page.items, page.height, size)
        main: list[Draft] = []
        run: list[tuple[Line, Draft]] = []
        for group in self._groups(items, from_pixels=page.from_pixels):
            for draft in self._draft_group(group, page):
                if draft.kind is BlockKind.LIST and isinstance(group[0], Line):
                    run.append((group[0], draft))
                    continue
                main += _merged_list(run)
                run = []
                main.append(draft)
        main += _merged_list(run)
        note_drafts = []
        for note in notes:
            text = self._text(note.lines)
            note_drafts.append(
                (note.mark, Draft(kind=BlockKind.PARAGRAPH, text=text, page=page.number))
            )
        return placed(main, note_drafts)

    def _text(self, lines: Sequence[Line]) -> str:
        return join_lines([line.text for line in lines], self.vocabulary)

    # --- grouping lines into blocks -----------------------------------------------------------

    def _groups(self, items: Sequence[PageItem], *, from_pixels: bool) -> Iterator[list[PageItem]]:
        """Yield groups of lines that form one block; a table is a group of its own."""
        group: list[PageItem] = []
        for item in items:
            previous = group[-1] if group else None
            is_same_block = (
                isinstance(item, Line)
                and isinstance(previous, Line)
                and not self._ends_block(group, previous, item, from_pixels=from_pixels)
            )
            if not is_same_block and group:
                yield group
                group = []
            group.append(item)
        if group:
            yield group

    def _ends_block(
        self, group: Sequence[PageItem], before: Line, after: Line, *, from_pixels: bool
    ) -> bool:
        """Whether a block ends between two lines."""
        advance = after.box.top - before.box.top
        size = max(before.size, after.size)
        leading = self.leading
        is_apart = advance > max(1.28 * leading, leading + 0.25) * size
        if is_apart and not from_pixels and self._is_spaced_prose(before, after, advance / size):
            is_apart = False
        if advance < 0.3 * size or is_apart:
            return from_pixels or not self._continues_in_next_column(before, after)
        if after.box.right < before.box.left or after.box.left > before.box.right:
            return True
        if not from_pixels and (self._is_code(before) or self._style_changes(before, after)):
            return not (self._is_code(before) and self._is_code(after))
        if not from_pixels and self.styles.level(after):
            return len(group) >= _MAX_HEADING_LINES or bool(HEADING_NUMBER.match(after.text))
        return _opens_item(group, before, after) or _ends_short(group, before, after)

    def _is_spaced_prose(self, before: Line, after: Line, ratio: float) -> bool:
        """Whether a sentence continues over two lines of a passage set wider than the rest."""
        return (
            self.wide_leading > 0
            and abs(ratio - self.wide_leading) < _WIDE_TOLERANCE
            and len(before.text) >= _MIN_PROSE_CHARACTERS
            and before.box.right >= after.box.right - 1.5 * before.size
            and not before.text.endswith(_SENTENCE_END)
            and not _BULLET.match(after.text)
            and not self.styles.level(before)
            and not self.styles.level(after)
        )

    def _continues_in_next_column(self, before: Line, after: Line) -> bool:
        """Whether a paragraph cut at the foot of a column continues at the line of the next
        column."""
        return (
            after.box.left > before.box.right
            and after.box.top < before.box.top
            and abs(before.size - after.size) <= 0.5
            and not self.styles.level(before)
            and not self._style_changes(before, after)
            and not before.text.endswith(_SENTENCE_END)
            and bool(_CONTINUATION.match(after.text))
        )

    def _style_changes(self, before: Line, after: Line) -> bool:
        return (
            self.styles.level(before) != self.styles.level(after)
            or abs(before.size - after.size) > 1
            or self._is_code(before) != self._is_code(after)
        )

    def _is_code(self, line: Line) -> bool:
        return line.mono and not self.styles.body_is_mono and not self.styles.is_heading(line)

    # --- drafts -------------------------------------------------------------------------------

    def _draft_group(self, group: Sequence[PageItem], page: PageLayout) -> Iterator[Draft]:
        first = group[0]
        if isinstance(first, Grid):
            for draft in table_drafts(first.rows, page.number):
                yield replace(draft, confidence=first.confidence)
            return
        lines = [item for item in group if isinstance(item, Line)]
        text = self._text(lines)
        kind, level = BlockKind.PARAGRAPH, 0
        if page.from_pixels:
            kind = BlockKind.OCR_TEXT
        elif not page.aside and self.styles.is_heading(first):
            kind, level = BlockKind.HEADING, self.styles.level(first)
        elif _is_caption(text):
            kind = BlockKind.CAPTION
        elif self._is_code(first):
            # Lines of code, each indented as on the page.
            left = min(line.box.left for line in lines)
            texts = []
            for line in lines:
                width = line.box.width / max(len(line.text), 1)
                indent = round((line.box.left - left) / width) if width > 0 else 0
                texts.append(" " * min(indent, _MAX_CODE_INDENT) + line.text)
            kind, text = BlockKind.CODE, "\n".join(texts)
        elif _BULLET.match(text) and len(lines) < _MAX_ITEM_LINES:
            kind = BlockKind.LIST
            text = BULLET_GLYPH.sub("- ", text, count=1) if BULLET_GLYPH.match(text) else text
        confidence = mean_confidence(lines) if page.from_pixels else None
        yield Draft(kind=kind, text=text, page=page.number, level=level, confidence=confidence)


def _merged_list(items: Sequence[tuple[Line, Draft]]) -> Iterator[Draft]:
    """Yield consecutive items as one list, indented by two spaces for each level."""
    if not items:
        return
    lefts: list[float] = []
    texts: list[str] = []
    above: Line | None = None
    for line, draft in items:
        left, size = line.box.left, line.size
        if above is not None and (
            line.box.top < above.box.top or left - lefts[-1] > _MAX_STEP * size
        ):
            lefts.clear()  # the list goes on in the next column
        while lefts and left < lefts[-1] - _MIN_STEP * size:
            lefts.pop()
        if not lefts or left > lefts[-1] + _MIN_STEP * size:
            lefts.append(left)
        texts.append("  " * (len(lefts) - 1) + draft.text)
        above = line
    yield replace(items[0][1], text="\n".join(texts))


def _is_caption(text: str) -> bool:
    match = _CAPTION.match(text)
    if match is None or len(text) > _MAX_CAPTION_CHARACTERS:
        return False
    if match["mark"]:
        return True
    return len(text) < _MAX_BARE_CAPTION_CHARACTERS and not text.endswith(".")


def _opens_item(group: Sequence[PageItem], before: Line, after: Line) -> bool:
    """Whether a list item begins; a number may also just be the first word of a line."""
    return bool(_BULLET.match(after.text)) and (
        bool(BULLET_GLYPH.match(after.text))
        or before.text.endswith(_SENTENCE_END)
        or (isinstance(group[0], Line) and bool(_BULLET.match(group[0].text)))
    )


def _ends_short(group: Sequence[PageItem], before: Line, after: Line) -> bool:
    """Whether the line before ends a paragraph, without a gap or an indent after it."""
    column = [item for item in group if item.box.left < after.box.right]
    right = max(item.box.right for item in (before, *column, after))
    left = min(item.box.left for item in (before, *column, after))
    if column and left < after.box.left - 0.5 * (after.box.right - after.box.left):
        left = min(before.box.left, after.box.left)  # the group began in the column before
    room = right - before.box.right
    fits_next_word = room > after.first_width + 1.5 * before.size
    return (
        fits_next_word
        and before.text.endswith(_SENTENCE_END)
        and (room > 0.15 * (right - left) and not after.text[0].islower())
    )
