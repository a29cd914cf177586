"""Read the structure that a PDF declares: bookmarks, tagged headings, alternative texts."""

from __future__ import annotations

import ctypes
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from footnote.ingestion.parsing.geometry import Line

_MAX_BOOKMARKS = 10_000
_MAX_ELEMENTS = 20_000
"""Most elements of the structure tree read on one page."""
_MAX_DEPTH = 60
_HEADING_TAG = re.compile(r"(?:H(?P<rank>[1-6])?|(?P<title>Title))")
_MIN_LETTERS = 3
_MIN_PART = 12
"""Fewest characters of a line that matches only a part of a bookmark's title, set on two lines."""
_IGNORED = re.compile(r"[\W_]+")
_FIRST_LEVEL_RANK = 2
"""The rank of a first-level heading; 1 is that of a title."""


@dataclass(frozen=True, slots=True)
class PageTags:
    """The headings and pictures in the structure tags of one page."""

    ranks: dict[int, int] = field(default_factory=dict)
    """Heading rank by the id of marked content, 1 outermost."""
    pictures: tuple[str, ...] = ()
    """Alternative texts of its pictures."""


def page_tags(page: pdfium.PdfPage) -> PageTags:
    """Return the tags of a page by its structure tree; empty for a page without tags."""
    tree = pdfium_c.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        return PageTags()
    try:
        walk = _Walk()
        for index in range(pdfium_c.FPDF_StructTree_CountChildren(tree)):
            walk.visit(pdfium_c.FPDF_StructTree_GetChildAtIndex(tree, index), 0, 0)
        return PageTags(walk.ranks, tuple(dict.fromkeys(walk.pictures)))
    finally:
        pdfium_c.FPDF_StructTree_Close(tree)


@dataclass(slots=True)
class _Walk:
    ranks: dict[int, int] = field(default_factory=dict)
    pictures: list[str] = field(default_factory=list)
    elements: int = 0

    def visit(self, element: object, rank: int, depth: int) -> None:
        self.elements += 1
        if not element or depth > _MAX_DEPTH or self.elements > _MAX_ELEMENTS:
            return
        name = utf16(pdfium_c.FPDF_StructElement_GetType, element)
        if match := _HEADING_TAG.fullmatch(name):
            rank = 1 if match["title"] else int(match["rank"] or 1) + 1
        if name == "Figure" and (
            alternative_text := utf16(pdfium_c.FPDF_StructElement_GetAltText, element)
        ):
            self.pictures.append(alternative_text)
        for index in range(pdfium_c.FPDF_StructElement_CountChildren(element)):
            content = pdfium_c.FPDF_StructElement_GetChildMarkedContentID(element, index)
            if content >= 0 and rank:
                self.ranks[content] = rank
            elif content < 0:
                child = pdfium_c.FPDF_StructElement_GetChildAtIndex(element, index)
                self.visit(child, rank, depth + 1)


def bookmarks(document: pdfium.PdfDocument) -> dict[int, dict[str, int]]:
    """Return, by page index, the titles of the bookmarks to that page, with their rank."""
    titles_by_page: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for number, bookmark in enumerate(document.get_toc()):
        if number >= _MAX_BOOKMARKS:
            break
        target = bookmark.get_dest()
        title = _plain(bookmark.get_title() or "")
        if target is None or len(title) < _MIN_LETTERS:
            continue
        page = target.get_index()
        if page is not None:
            titles_by_page[page].setdefault(title, bookmark.level + _FIRST_LEVEL_RANK)
    return titles_by_page


def with_bookmarks(lines: Sequence[Line], titles: dict[str, int]) -> Iterator[Line]:
    """Yield the lines of a page; those that match a bookmark get its rank as headings."""
    for line in lines:
        rank = line.rank or _rank(_plain(line.text), titles) if titles else line.rank
        yield replace(line, rank=rank) if rank != line.rank else line


def _rank(text: str, titles: dict[str, int]) -> int:
    if text in titles:
        return titles[text]
    if len(text) < _MIN_PART:
        return 0
    return next(
        (rank for title, rank in titles.items() if title.startswith(text) or title.endswith(text)),
        0,
    )


def _plain(text: str) -> str:
    return _IGNORED.sub("", text).casefold()


def utf16(call: Callable[..., int], *arguments: object) -> str:
    """Call a pdfium function that fills a UTF-16 buffer, and return the text."""
    size = int(call(*arguments, None, 0))
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    call(*arguments, buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace").strip("\0 ")
