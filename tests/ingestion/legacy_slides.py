"""Small PowerPoint 97–2003 files, record by record as MS-PPT and MS-ODRAW lay them out."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from tests.ingestion.legacy_files import compound

TITLE, BODY, NOTES, OTHER = 0, 1, 2, 4
"""Kinds of text: a title, an outline, a speaker's notes, a box."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A shape with text, from its top left corner, in master units (576 an inch)."""

    text: str
    kind: int = OTHER
    top: int = 0
    left: int = 0
    width: int = 2000
    height: int = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Slide:
    boxes: Sequence[Box | Sequence[Box]] = ()
    """In the order of the file; a sequence is the cells of a table."""
    outline: Sequence[Box] = ()
    """Texts that stand in the document's outline and not on the slide."""
    notes: str = ""
    hidden: bool = False


def presentation_97(slides: Sequence[Slide]) -> bytes:
    """A PPT file."""
    parts: dict[int, bytes] = {}
    shown, noted = b"", b""
    for number, slide in enumerate(slides, start=1):
        shown += _persist(2 * number, 255 + number)
        shown += b"".join(_text(box) for box in slide.outline)
        parts[2 * number] = _slide(slide, 1000 + number if slide.notes else 0)
        if slide.notes:
            noted += _persist(2 * number + 1, 1000 + number)
            box = Box(text=slide.notes, kind=NOTES)
            parts[2 * number + 1] = _container(0x03F0, _drawing(_shape(box)))
    lists = _container(0x0FF0, shown) + (_container(0x0FF0, noted, instance=2) if noted else b"")
    parts[1] = _container(0x03E8, lists)
    stream, entries = b"", b""
    for number, part in sorted(parts.items()):
        entries += struct.pack("<II", 1 << 20 | number, len(stream))
        stream += part
    directory = len(stream)
    stream += _atom(0x1772, entries)
    edit = len(stream)
    stream += _atom(0x0FF5, struct.pack("<7I", 256, 0, 0, directory, 1, len(parts) + 1, 0))
    user = _atom(0x0FF6, struct.pack("<III", 20, 0xE391C05F, edit) + bytes(12))
    return compound({"PowerPoint Document": stream, "Current User": user})


def _atom(kind: int, data: bytes, *, instance: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4, kind, len(data)) + data


def _container(kind: int, data: bytes, *, instance: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | 15, kind, len(data)) + data


def _persist(reference: int, number: int) -> bytes:
    return _atom(0x03F3, struct.pack("<5I", reference, 0, 0, number, 0))


def _text(box: Box) -> bytes:
    header = _atom(0x0F9F, struct.pack("<I", box.kind))
    return header + _atom(0x0FA0, box.text.replace("\n", "\r").encode("utf-16-le"))


def _shape(box: Box, *, in_group: bool = False) -> bytes:
    right, bottom = box.left + box.width, box.top + box.height
    if in_group:
        anchor = _atom(0xF00F, struct.pack("<4i", box.left, box.top, right, bottom))
    else:
        anchor = _atom(0xF010, struct.pack("<4h", box.top, box.left, right, bottom))
    return _container(0xF004, anchor + _container(0xF00D, _text(box)))


def _reference(index: int, box: Box) -> bytes:
    """A shape whose text stands in the outline."""
    right, bottom = box.left + box.width, box.top + box.height
    anchor = _atom(0xF010, struct.pack("<4h", box.top, box.left, right, bottom))
    inside = _atom(0x0F9E, struct.pack("<I", index))
    return _container(0xF004, anchor + _container(0xF00D, inside))


def _table(cells: Sequence[Box]) -> bytes:
    """A group that says it is a table."""
    first = cells[0]
    frame = _atom(0xF010, struct.pack("<4h", first.top, first.left, first.left + 1, first.top + 1))
    options = _atom(0xF122, struct.pack("<HI", 0x039F, 1), instance=1)
    members = b"".join(_shape(cell, in_group=True) for cell in cells)
    return _container(0xF003, _container(0xF004, options + frame) + members)


def _drawing(shapes: bytes) -> bytes:
    group = _container(0xF003, _container(0xF004, b"") + shapes)
    return _container(0x040C, _container(0xF002, group))


def _slide(slide: Slide, notes: int) -> bytes:
    atom = _atom(0x03EF, struct.pack("<4I", 0, 0, 0, 0) + struct.pack("<II", notes, 0))
    shown = _atom(0x03F9, struct.pack("<III", 0, 0, (4 if slide.hidden else 0) << 16))
    shapes = b"".join(_reference(index, box) for index, box in enumerate(slide.outline))
    for box in slide.boxes:
        shapes += _shape(box) if isinstance(box, Box) else _table(box)
    return _container(0x03EE, atom + shown + _drawing(shapes))
