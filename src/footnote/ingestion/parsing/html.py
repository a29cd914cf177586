"""Convert HTML to drafts: headings, paragraphs, lists and tables, without navigation and the
like."""

from __future__ import annotations

import re
from collections.abc import Set
from html.parser import HTMLParser

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.html_elements import (
    BLOCK_TAGS,
    VOID_TAGS,
    Attributes,
    is_cookie_notice,
    is_footer,
    is_furniture,
    is_hidden,
    is_page_part,
    unended_tags,
    whole_number,
)
from footnote.ingestion.parsing.html_parts import FOOTER, main_part_and_footer
from footnote.ingestion.parsing.tables import Cell, spanned_table_drafts

_HEADING = re.compile(r"h([1-6])")
_SPACE = re.compile(r"\s+")
_KEPT_ADDRESS = re.compile(r"(?:https?://|mailto:|tel:)\S{3,110}", re.IGNORECASE)
"""Addresses shown after a link's text; longer ones are for tracking."""
_MAX_SPAN = 1_000
_MAX_INDENTED = 50
"""Deepest indented level of a list; thousands of nested lists would make the text grow too
large."""


def read_html(text: str) -> Reading:
    """Read the main part of a page (`main`, else `article`) if it has most of the text, else
    all, and last its footer."""
    collector = _collected(text)
    if collector.ends_left_out:
        collector = _collected(text, unended=unended_tags(text))
    return Reading(
        drafts=main_part_and_footer(collector.drafts, collector.parts),
        title=_SPACE.sub(" ", collector.title).strip(),
        languages=(collector.language,) if collector.language else (),
    )


def _collected(text: str, unended: Set[int] = frozenset()) -> _Collector:
    collector = _Collector(unended)
    collector.feed(text)
    collector.close()
    return collector


class _Collector(HTMLParser):
    """Collects drafts event by event, without recursion that deep nesting could exhaust.

    Navigation, asides and the like without an end tag (`unended`, by index of the start tag) are
    read as text, as they contain all that follows, which may be the whole page. In a footer, blocks
    whose words are all links are left out.
    """

    def __init__(self, unended: Set[int]) -> None:
        super().__init__(convert_charrefs=True)
        self._unended = unended
        self._tag_count = 0
        self.drafts: list[Draft] = []
        self.parts: list[frozenset[str]] = []
        """For each draft, the `main` and `article` elements that it is in, and `FOOTER` in the
        page's footer."""
        self.title = ""
        self.language = ""
        self._words: list[str] = []
        self._open_parts: list[str] = []
        self._furniture: str | None = None
        self._furniture_depth = 0
        self._footer: str | None = None
        """The tag of the open footer."""
        self._footer_depth = 0
        self._in_page_link = False
        """Whether a link to a page is open."""
        self._has_other_words = False
        """Whether the open block of a footer has words outside links to pages."""
        self._quote_depth = 0
        self._in_title = False
        self._heading = 0
        self._preformatted = 0
        self._in_caption = False
        self._lists: list[int | None] = []
        self._items: list[str] = []
        self._marker = ""
        self._table_depth = 0
        self._rows: list[list[Cell]] = []
        self._cell: Cell | None = None
        """The open cell, whose text is still in `_words`."""
        self._link: tuple[str, int] | None = None
        """Target of the open link, and the number of words before it."""
        self._formula = -1
        """The number of words before the open formula."""
        self._lone_link = ("", "")
        """A link that begins a block, as text with and without its address."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes: Attributes = dict(attrs)
        if tag == "html" and attributes.get("lang"):
            self.language = (attributes["lang"] or "").split("-")[0].lower()[:3]
        if tag == "title":
            self._in_title = not self.title
        if tag == "body":
            self._furniture = None
        if self._furniture is not None:
            self._furniture_depth += tag == self._furniture
        elif tag not in VOID_TAGS and self._is_left_out(tag, attributes):
            self._furniture, self._furniture_depth = tag, 1
        else:
            self._footer_depth += tag == self._footer
            if self._footer is None and is_footer(tag, attributes):
                self._open_footer(tag)
            self._quote_depth += tag == "blockquote"
            self._open(tag, attributes)
        self._tag_count += 1

    def _is_left_out(self, tag: str, attributes: Attributes) -> bool:
        is_notice = self._footer is not None and is_cookie_notice(attributes)
        if self._tag_count in self._unended and (is_notice or is_page_part(tag, attributes)):
            return is_hidden(attributes)
        return is_notice or is_furniture(tag, attributes)

    def _open_footer(self, tag: str) -> None:
        if self._tag_count in self._unended:
            return
        if not (self._quote_depth or self._table_depth or "article" in self._open_parts):
            self._break_lists()
            self._open_parts.append(FOOTER)
        elif not self._table_depth:
            self.break_block(keep_list=bool(self._lists))
        self._footer, self._footer_depth = tag, 1
        self._in_page_link = self._has_other_words = False

    def _close_footer(self) -> None:
        if FOOTER in self._open_parts:
            self._break_lists()
            self._open_parts.remove(FOOTER)
        elif not self._table_depth:
            self.break_block(keep_list=bool(self._lists))
        self._footer = None

    def _break_lists(self) -> None:
        """Close the block being collected, with all lists and headings that are open."""
        self.break_block(keep_list=True)
        self._lists.clear()
        self._flush_list()
        self._heading = 0

    @property
    def ends_left_out(self) -> bool:
        """Whether everything up to the end of the page was left out or read as its footer."""
        return self._furniture is not None or self._footer is not None

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if self._furniture is None:
            self._quote_depth -= tag == "blockquote" and self._quote_depth > 0
            self._close(tag)
            self._footer_depth -= tag == self._footer
            if self._footer is not None and not self._footer_depth:
                self._close_footer()
        elif tag == self._furniture:
            self._furniture_depth -= 1
            if not self._furniture_depth:
                self._furniture = None

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif self._furniture is None:
            self._words.append(data)
            if self._footer is not None and not self._in_page_link:
                self._has_other_words |= any(map(str.isalnum, data))

    def close(self) -> None:
        """Close what the page left open; its text counts like that of a complete page."""
        super().close()
        if self._table_depth:
            self._table_depth = 1
            self._close("table")
        self.break_block()
        self._flush_list()

    def _open(self, tag: str, attributes: Attributes) -> None:
        if tag in ("main", "article"):
            self.break_block()
            self._open_parts.append(tag)
        elif tag == "a":
            address = attributes.get("href") or ""
            self._link = (address, len(self._words))
            self._in_page_link = not address.lower().startswith(("mailto:", "tel:"))
        elif tag == "math":
            self._formula = len(self._words)
            self._words.append(" ")
        elif self._formula >= 0:
            self._open_in_formula(tag, attributes)
        elif tag == "br":
            self._words.append("\n" if self._preformatted else "\x00")
        elif tag == "img" and not self._table_depth and (attributes.get("alt") or "").strip():
            self._words.append(f" {attributes['alt']} ")
        elif self._table_depth and tag != "table":
            self._open_in_table(tag, attributes)
        elif tag in ("ul", "ol", "dl", "li", "dt"):
            self.break_block(keep_list=True)
            if tag in ("li", "dt"):
                self._open_item()
            else:
                start = whole_number(attributes.get("start"))
                self._lists.append(start if tag == "ol" else None)
        else:
            self._open_block(tag)

    def _open_block(self, tag: str) -> None:
        if heading := _HEADING.fullmatch(tag):
            self.break_block()
            self._heading = int(heading.group(1))
        elif tag == "pre":
            self.break_block()
            self._preformatted += 1
        elif tag == "table":
            if not self._table_depth:
                self.break_block()
            self._table_depth += 1
        elif tag in BLOCK_TAGS:
            self.break_block(keep_list=bool(self._lists))
            self._in_caption = self._in_caption or tag == "figcaption"

    def _open_in_formula(self, tag: str, attributes: Attributes) -> None:
        """Replace a formula's symbols by its TeX source, where it has one."""
        if tag == "annotation" and "tex" in (attributes.get("encoding") or "").lower():
            del self._words[self._formula + 1 :]
        elif tag in ("annotation", "annotation-xml"):
            self._furniture, self._furniture_depth = tag, 1
        elif tag in ("mfrac", "msub", "msup", "mtr", "mtd"):
            self._words.append(" ")

    def _open_in_table(self, tag: str, attributes: Attributes) -> None:
        """Open a row or cell of the outermost table; an inner table is text of its cell."""
        if self._table_depth == 1 and tag == "tr":
            self._end_cell()
            self._rows.append([])
        elif self._table_depth == 1 and tag in ("td", "th"):
            self._end_cell()
            self._cell = Cell(
                "",
                columns=min(max(whole_number(attributes.get("colspan")), 1), _MAX_SPAN),
                rows=min(max(whole_number(attributes.get("rowspan")), 1), _MAX_SPAN),
                is_header=tag == "th",
            )
            if not self._rows:
                self._rows.append([])
        elif tag == "caption":
            self._words.clear()
        else:
            self._words.append(" ")

    def _close(self, tag: str) -> None:
        if tag == "a":
            self._in_page_link = False
            self._close_link()
        elif tag == "math" and self._formula >= 0:
            self._formula = -1
            self._words.append(" ")
        elif tag in ("main", "article") and tag in self._open_parts:
            self.break_block()
            self._open_parts.remove(tag)
        elif self._table_depth and tag != "table":
            if self._table_depth == 1 and tag in ("td", "th") and self._rows:
                self._cell = self._cell or Cell("")
                self._end_cell()
            elif tag == "caption":
                self._add(BlockKind.CAPTION, self._take_words())
            else:
                self._words.append(" ")
        elif tag == "table" and self._table_depth:
            self._close_table()
        else:
            self._close_block(tag)

    def _close_table(self) -> None:
        self._table_depth -= 1
        if self._table_depth:
            return
        self._end_cell()
        rows, self._rows = self._rows, []
        if not self._is_menu():
            for draft in spanned_table_drafts(rows):
                self._append(draft)

    def _end_cell(self) -> None:
        """Close the open cell, also where the next one begins; words outside cells are dropped."""
        cell, self._cell = self._cell, None
        text = self._take_words()
        if cell is not None:
            self._rows[-1].append(Cell(text, cell.columns, cell.rows, cell.is_header))

    def _close_block(self, tag: str) -> None:
        if _HEADING.fullmatch(tag):
            self.break_block()
            self._heading = 0
        elif tag == "pre" and self._preformatted:
            self.break_block()
            self._preformatted -= 1
        elif tag in ("ul", "ol", "dl") and self._lists:
            self.break_block(keep_list=True)
            self._lists.pop()
            if not self._lists:
                self._flush_list()
        elif tag in BLOCK_TAGS:
            self.break_block(keep_list=bool(self._lists))
            self._in_caption = self._in_caption and tag not in ("figcaption", "figure")

    def _close_link(self) -> None:
        """Append a link's address, unless the text contains it or `_KEPT_ADDRESS` excludes it."""
        if self._link is None or self._preformatted:
            return
        (address, start), self._link = self._link, None
        text = _SPACE.sub(" ", "".join(self._words[start:])).strip()
        bare_address = re.sub(r"^(?:mailto|tel):", "", address)
        if text and bare_address not in text and _KEPT_ADDRESS.fullmatch(address):
            if not "".join(self._words[:start]).strip():
                self._lone_link = (f"{text} ({bare_address})", text)
            self._words.append(f" ({bare_address})")

    def _open_item(self) -> None:
        if not self._lists:
            self._lists.append(None)
        number = self._lists[-1]
        if number is not None:
            self._lists[-1] = number + 1
        indent = "  " * min(len(self._lists) - 1, _MAX_INDENTED)
        self._marker = indent + ("- " if number is None else f"{number}. ")

    def break_block(self, *, keep_list: bool = False) -> None:
        """Close the block being collected, and the list too unless it continues."""
        text = self._take_words()
        if self._is_menu():
            text = ""
        if text and self._lists and not self._heading and not self._preformatted:
            if text == self._lone_link[0]:  # an entry of a menu
                text = self._lone_link[1]
            indent = "  " * min(len(self._lists), _MAX_INDENTED)
            self._items.append((self._marker or indent) + text)
            self._marker = ""
        elif text:
            self._flush_list()
            kind = BlockKind.CAPTION if self._in_caption else BlockKind.PARAGRAPH
            kind = BlockKind.CODE if self._preformatted else kind
            self._add(BlockKind.HEADING if self._heading else kind, text)
        if not keep_list and not self._lists:
            self._flush_list()

    def _is_menu(self) -> bool:
        """Whether the block that ends is in a footer and all its words are links to pages."""
        had_other_words, self._has_other_words = self._has_other_words, False
        return self._footer is not None and not had_other_words

    def _flush_list(self) -> None:
        if self._items:
            self._add(BlockKind.LIST, "\n".join(self._items))
            self._items = []

    def _take_words(self) -> str:
        self._link, self._formula = None, -1
        text = "".join(self._words)
        self._words.clear()
        if self._preformatted:
            return text.strip("\n").rstrip()
        return "\n".join(_SPACE.sub(" ", line).strip() for line in text.split("\x00")).strip()

    def _add(self, kind: BlockKind, text: str) -> None:
        if text:
            level = self._heading if kind is BlockKind.HEADING else 0
            self._append(Draft(kind=kind, text=text, level=level))

    def _append(self, draft: Draft) -> None:
        self.drafts.append(draft)
        self.parts.append(frozenset(self._open_parts))
