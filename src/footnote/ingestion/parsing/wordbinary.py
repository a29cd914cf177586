"""The records of a Word 97–2003 file: its characters, and the properties of its paragraphs.

The layout is that of Microsoft's open specification MS-DOC.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from footnote.ingestion.parsing.wordstyles import Numbering, level_of_list

_FIRST_OFFSET = 0x9A
"""Of the pairs of place and length in the file information block."""
_STYLES, _CHARACTER_PAGES, _PARAGRAPH_PAGES, _PIECES = 1, 12, 13, 33
_LISTS, _LIST_USES = 73, 74
_COMPRESSED = 0x40000000
_PAGE_BYTES = 512
_OPERAND_BYTES = (1, 1, 2, 4, 2, 2, 0, 3)
_DELETED, _HIDDEN = 0x0800, 0x083C
STYLE, LEVEL, LIST, IN_TABLE, ROW_END, OUTLINE = 0x4600, 0x260A, 0x460B, 0x2416, 0x2417, 0x2640
TABLE_DEFINITION = 0xD608
_NUMBER_FORMATS = {0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter",
                   4: "lowerLetter", 22: "decimalZero", 23: "bullet", 255: "none"}  # fmt: skip
_MAX_BASES = 20


class OlderWord(Exception):
    """The file is of Word 95 or before, whose layout is another."""


Properties = Mapping[int, bytes]
"""Operands by operation (`sprm`)."""


@dataclass(frozen=True, slots=True)
class BinaryStyle:
    """A paragraph style: its built-in number, its name, its own and inherited properties."""

    number: int
    name: str
    properties: Properties


@dataclass(frozen=True, slots=True)
class Span:
    """Characters with a property, by their places in the file."""

    start: int
    end: int
    style: int = 0
    properties: Properties = field(default_factory=dict)


class WordBinary:
    """The main stream of a DOC file with its table stream."""

    def __init__(self, main: bytes, table: bytes) -> None:
        """Take the streams. Raises OlderWord when the main one is none of Word 97–2003."""
        if len(main) < _FIRST_OFFSET + 8 * (_PIECES + 1) or main[:2] != b"\xec\xa5":
            raise OlderWord
        self._main, self._table = main, table
        self.counts = struct.unpack_from("<8i", main, 0x4C)
        """Characters of: body, footnotes, headers, macros, comments, endnotes, boxes, boxes of
        headers."""
        self.text, self._places = self._characters()
        self._paragraphs = list(self._spans(_PARAGRAPH_PAGES))
        self._starts = [span.start for span in self._paragraphs]
        unwanted = (
            span
            for span in self._spans(_CHARACTER_PAGES)
            if any(span.properties.get(key, b"\0")[:1] == b"\1" for key in (_DELETED, _HIDDEN))
        )
        self._unwanted = sorted((span.start, span.end) for span in unwanted)
        self.styles = self._read_styles()

    def block(self, index: int) -> bytes:
        """A structure of the table stream, by its place in the file information block."""
        position = _FIRST_OFFSET + 8 * index
        if position + 8 > len(self._main):
            return b""
        start, size = struct.unpack_from("<II", self._main, position)
        return self._table[start : start + size]

    def positions(self, index: int, data_bytes: int) -> tuple[int, ...]:
        """The character positions of a structure that has so many bytes of data for each."""
        block = self.block(index)
        count = max((len(block) - 4) // (4 + data_bytes), 0) + 1 if len(block) >= 4 else 0
        return struct.unpack_from(f"<{count}i", block) if count else ()

    def properties_at(self, position: int) -> tuple[BinaryStyle, Properties]:
        """Style and properties of the paragraph that a character belongs to."""
        place = self._place(position)
        index = bisect_right(self._starts, place) - 1
        span = self._paragraphs[index] if index >= 0 else Span(0, 0)
        if place >= span.end:
            span = Span(0, 0)
        style = self.styles.get(span.style) or BinaryStyle(0, "", {})
        return style, {**style.properties, **span.properties}

    def is_shown(self, position: int) -> bool:
        """Whether a character is neither hidden nor deleted by a tracked change."""
        place = self._place(position)
        index = bisect_right(self._unwanted, (place, 1 << 62)) - 1
        return index < 0 or place >= self._unwanted[index][1]

    def has_unwanted(self) -> bool:
        """Whether any character is hidden or deleted."""
        return bool(self._unwanted)

    def _place(self, position: int) -> int:
        index = max(bisect_right(self._places, position, key=lambda piece: piece[0]) - 1, 0)
        start, place, width = self._places[index]
        return place + (position - start) * width

    def _characters(self) -> tuple[str, list[tuple[int, int, int]]]:
        """All characters, and of each piece its first position, its place and bytes a character."""
        block = self.block(_PIECES)
        offset = 0
        while offset < len(block) and block[offset] == 1:
            offset += 3 + int.from_bytes(block[offset + 1 : offset + 3], "little")
        size = int.from_bytes(block[offset + 1 : offset + 5], "little")
        pieces = block[offset + 5 : offset + 5 + size]
        count = max((len(pieces) - 4) // 12, 0)
        bounds = struct.unpack_from(f"<{count + 1}I", pieces) if count else ()
        text, places = [], []
        for index in range(count):
            (place,) = struct.unpack_from("<I", pieces, 4 * (count + 1) + 8 * index + 2)
            length = bounds[index + 1] - bounds[index]
            if not 0 <= length <= len(self._main):
                raise ValueError("its table of pieces is damaged")
            width = 1 if place & _COMPRESSED else 2
            place = (place & ~_COMPRESSED) // 2 if width == 1 else place
            raw = self._main[place : place + length * width]
            encoding = "cp1252" if width == 1 else "utf-16-le"
            said = raw.decode(encoding, "replace")
            if len(said) != length:  # halves of characters beyond the first plane count for one
                said = "".join(
                    map(chr, struct.unpack(f"<{len(raw) // 2}H", raw[: len(raw) // 2 * 2]))
                )
            text.append(said.ljust(length))
            places.append((bounds[index], place, width))
        return "".join(text), places or [(0, 0, 1)]

    def _spans(self, index: int) -> Iterator[Span]:
        """The runs of the pages that hold formatting, in the order of the file."""
        block = self.block(index)
        count = max((len(block) - 4) // 8, 0)
        numbers = struct.unpack_from(f"<{count}I", block, 4 * (count + 1)) if count else ()
        found: list[Span] = []
        for number in numbers:
            start = (number & 0x3FFFFF) * _PAGE_BYTES
            page = self._main[start : start + _PAGE_BYTES]
            if len(page) == _PAGE_BYTES:
                found += _page_spans(page, paragraphs=index == _PARAGRAPH_PAGES)
        return iter(sorted(found, key=lambda span: span.start))

    def _read_styles(self) -> dict[int, BinaryStyle]:
        block = self.block(_STYLES)
        if len(block) < 6:
            return {}
        (head,) = struct.unpack_from("<H", block)
        count, base_bytes = struct.unpack_from("<HH", block, 2)
        position = 2 + head
        raw: dict[int, tuple[int, int, str, Properties]] = {}
        for index in range(count):
            size = int.from_bytes(block[position : position + 2], "little")
            if size:
                raw[index] = _style(block[position + 2 : position + 2 + size], base_bytes)
            position += 2 + size
        return {index: _inherited(index, raw) for index in raw}

    def numbering(self) -> Numbering:
        """The lists of the document, by the number that paragraphs use."""
        block = self.block(_LISTS)
        position = _FIRST_OFFSET + 8 * _LISTS
        if not block or position + 8 > len(self._main):
            return Numbering({}, {}, {})
        start, size = struct.unpack_from("<II", self._main, position)
        (count,) = struct.unpack_from("<H", block)
        kinds: dict[str, dict[int, tuple[int, str, str]]] = {}
        offset = start + size
        for index in range(count):
            head = block[2 + 28 * index : 30 + 28 * index]
            if len(head) < 28:
                break
            levels: dict[int, tuple[int, str, str]] = {}
            for depth in range(1 if head[26] & 1 else 9):
                levels[depth], offset = _list_level(self._table, offset)
            kinds[str(struct.unpack_from("<i", head)[0])] = levels
        uses = self.block(_LIST_USES)
        used = [
            str(struct.unpack_from("<i", uses, place)[0]) for place in range(4, len(uses) - 15, 16)
        ][: int.from_bytes(uses[:4], "little")]
        return Numbering(
            {
                str(number): {
                    depth: level_of_list(*level) for depth, level in kinds.get(kind, {}).items()
                }
                for number, kind in enumerate(used, start=1)
            },
            {str(number): kind for number, kind in enumerate(used, start=1)},
            {str(number): frozenset() for number in range(1, len(used) + 1)},
        )


def _page_spans(page: bytes, *, paragraphs: bool) -> Iterator[Span]:
    count = page[-1]
    entry = 13 if paragraphs else 1
    if 4 * (count + 1) + entry * count >= _PAGE_BYTES:
        return
    bounds = struct.unpack_from(f"<{count + 1}I", page)
    for index in range(count):
        offset = 2 * page[4 * (count + 1) + entry * index]
        style, properties = 0, b""
        if offset:
            size = page[offset]
            if paragraphs:
                start, size = (
                    (offset + 1, 2 * size - 1) if size else (offset + 2, 2 * page[offset + 1])
                )
                style = int.from_bytes(page[start : start + 2], "little")
                properties = page[start + 2 : start + size]
            else:
                properties = page[offset + 1 : offset + 1 + size]
        yield Span(bounds[index], bounds[index + 1], style, dict(operations(properties)))


def operations(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """The operations of a list of properties with their operands."""
    position = 0
    while position + 2 <= len(raw):
        code = int.from_bytes(raw[position : position + 2], "little")
        position += 2
        size = _OPERAND_BYTES[code >> 13]
        if code == TABLE_DEFINITION:
            size = int.from_bytes(raw[position : position + 2], "little") - 1
            position += 2
        elif not size:
            size = raw[position] if position < len(raw) else 0
            position += 1
        yield code, raw[position : position + max(size, 0)]
        position += max(size, 0)


def _style(raw: bytes, base_bytes: int) -> tuple[int, int, str, Properties]:
    """Built-in number, number of the style it is based on, name and own properties."""
    number, base, counts = struct.unpack_from("<HHH", raw.ljust(6, b"\0"))
    length = int.from_bytes(raw[base_bytes : base_bytes + 2], "little")
    start = base_bytes + 2
    name = raw[start : start + 2 * length].decode("utf-16-le", "replace")
    start += 2 * length + 2
    properties: Properties = {}
    if base & 15 == 1 and counts & 15:  # of a paragraph style the first part is about paragraphs
        size = int.from_bytes(raw[start : start + 2], "little")
        properties = dict(operations(raw[start + 4 : start + 2 + size]))
    return number & 0xFFF, base >> 4, name, properties


def _inherited(index: int, raw: Mapping[int, tuple[int, int, str, Properties]]) -> BinaryStyle:
    number, _, name, _ = raw[index]
    chain: list[Properties] = []
    current = index
    for _ in range(_MAX_BASES):
        if current not in raw:
            break
        chain.append(raw[current][3])
        if not 0 < number < 10 and 0 < raw[current][0] < 10:
            number = raw[current][0]  # based on a heading, and so a heading itself
        current = raw[current][1]
    merged: dict[int, bytes] = {}
    for properties in reversed(chain):
        merged.update(properties)
    return BinaryStyle(number, name, merged)


def _list_level(table: bytes, offset: int) -> tuple[tuple[int, str, str], int]:
    """Start, format and text of a level (`%1` for the first number), and where the next begins."""
    head = table[offset : offset + 28].ljust(28, b"\0")
    start, kind = struct.unpack_from("<iB", head)
    offset += 28 + head[24] + head[25]
    length = int.from_bytes(table[offset : offset + 2], "little")
    text = table[offset + 2 : offset + 2 + 2 * length].decode("utf-16-le", "replace")
    shown = "".join(f"%{ord(sign) + 1}" if ord(sign) < 9 else sign for sign in text)
    return (start, _NUMBER_FORMATS.get(kind, "decimal"), shown), offset + 2 + 2 * length


def integer(properties: Properties, operation: int) -> int:
    """An operand as a number; 0 where the operation is not there."""
    return int.from_bytes(properties.get(operation, b""), "little")


def cell_merges(properties: Properties) -> Sequence[tuple[int, bool, str]]:
    """Of each cell of a row its right edge, and whether it goes on from the left or from above."""
    raw = properties.get(TABLE_DEFINITION, b"")
    if not raw:
        return ()
    count = raw[0]
    edges = raw[1 : 3 + 2 * count]
    if len(edges) < 2 * (count + 1):
        return ()
    places = struct.unpack(f"<{count + 1}h", edges)
    merges = []
    for index in range(count):
        flags = int.from_bytes(raw[3 + 2 * count + 20 * index :][:2], "little")
        kind = "left" if flags & 3 == 2 else "above" if flags >> 5 & 3 == 1 else ""
        merges.append((places[index + 1], bool(kind), kind))
    return merges
