"""A PowerPoint 97–2003 file (PPT) becomes drafts: slides with titles, text, tables and notes.

The records and their numbers are those of Microsoft's open specifications MS-PPT and MS-ODRAW.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from footnote.domain import BlockKind
from footnote.ingestion.parsing.compound import CompoundFile
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.flow import Flow
from footnote.ingestion.parsing.tables import grouped_header_rows, spread_table_drafts

_DOCUMENT, _SLIDE, _SLIDE_ATOM, _NOTES = 0x03E8, 0x03EE, 0x03EF, 0x03F0
_SLIDE_LIST, _SLIDE_PERSIST, _SLIDE_SHOW = 0x0FF0, 0x03F3, 0x03F9
_USER_EDIT, _PERSIST_DIRECTORY = 0x0FF5, 0x1772
_OUTLINE_REFERENCE, _TEXT_HEADER, _TEXT_CHARS, _TEXT_BYTES = 0x0F9E, 0x0F9F, 0x0FA0, 0x0FA8
_TEXT_STYLE, _PLACEHOLDER = 0x0FA1, 0x0BC3
_GROUP, _SHAPE, _CHILD_ANCHOR, _ANCHOR = 0xF003, 0xF004, 0xF00F, 0xF010
_OPTIONS = (0xF00B, 0xF121, 0xF122)
_TABLE_PROPERTY = 0x039F
_ENCRYPTED = b"\xdf\xc4\xd1\xf3"
_TITLES, _BODIES = (0, 6), (1, 5, 7, 8)
_RUNNING_PLACEHOLDERS = (0x07, 0x08, 0x09, 0x0A)
_MAX_EDITS, _MAX_DEPTH = 10_000, 30
_SAME_EDGE = 12
"""Master units (576 an inch) by which the edges of neighbouring cells may differ."""
_PARAGRAPH_FIELDS = (
    (0x80, 2), (0x10, 2), (0x40, 2), (0x20, 4), (0x800, 2), (0x1000, 2), (0x2000, 2), (0x4000, 2),
    (0x100, 2), (0x400, 2), (0x8000, 2),
)  # fmt: skip
"""Bits of a paragraph's mask and the bytes of the fields they announce, after the bullet flags."""


@dataclass(frozen=True, slots=True)
class _Record:
    kind: int
    instance: int
    is_container: bool
    data: bytes

    def __iter__(self) -> Iterator[_Record]:
        return _records(self.data) if self.is_container else iter(())

    def integer(self, offset: int = 0) -> int:
        """Four bytes; 0 where the record is shorter."""
        found = self.data[offset : offset + 4]
        return int.from_bytes(found, "little") if len(found) == 4 else 0


@dataclass(slots=True)
class _Text:
    """A text and what the file says of its paragraphs."""

    kind: int
    text: str = ""
    paragraphs: list[tuple[int, bool | None]] = field(default_factory=list)
    """Of each paragraph its depth and whether it has a bullet, if it says so."""


@dataclass(slots=True)
class _Shape:
    top: int = 0
    left: int = 0
    bottom: int = 0
    right: int = 0
    text: _Text | None = None
    cells: list[_Shape] | None = None
    placeholder: int = 0


def read_legacy_slides(content: bytes) -> Reading:
    """Read every slide, hidden ones too. Raises OSError when the file is damaged or encrypted."""
    compound = CompoundFile(content)
    stream, user = compound.stream("PowerPoint Document"), compound.stream("Current User")
    if user[12:16] == _ENCRYPTED:
        raise OSError("the presentation is encrypted with a password")
    parts = _persistent_parts(stream, user)
    document = next((part for part in parts.values() if part.kind == _DOCUMENT), None)
    if document is None:
        raise OSError("the presentation has no document record")
    slides = list(_listed(document, 0))
    notes = {reference.integer(12): reference.integer() for reference, _ in _listed(document, 2)}
    drafts: list[Draft] = []
    hidden: list[str] = []
    for page, (reference, texts) in enumerate(slides, start=1):
        slide = parts.get(reference.integer())
        if slide is None:
            continue
        drafts += _slide_drafts(slide, texts, page)
        properties = next((record for record in slide if record.kind == _SLIDE_ATOM), None)
        noted = parts.get(notes.get(properties.integer(16), -1)) if properties else None
        if noted is not None:
            drafts += _notes_drafts(noted, page)
        if any(r.kind == _SLIDE_SHOW and r.integer(8) >> 16 & 4 for r in slide):
            hidden.append(str(page))
    title, metadata = compound.properties()
    if hidden:
        metadata["hidden_slides"] = ", ".join(hidden)
    return Reading(
        drafts=tuple(drafts),
        title=title,
        page_count=len(slides),
        pages_stand_alone=True,
        metadata=metadata,
    )


def _records(data: bytes) -> Iterator[_Record]:
    position = 0
    while position + 8 <= len(data):
        head, kind, size = struct.unpack_from("<HHI", data, position)
        body = data[position + 8 : position + 8 + size]
        yield _Record(kind, head >> 4, head & 15 == 15, body)
        position += 8 + size


def _persistent_parts(stream: bytes, current_user: bytes) -> Mapping[int, _Record]:
    """The newest version of each part, by id, following the chain of saves backwards."""
    parts: dict[int, _Record] = {}
    offset = int.from_bytes(current_user[16:20], "little")
    for _ in range(_MAX_EDITS):
        edit = next(_records(stream[offset : offset + 64]), None)
        if edit is None or edit.kind != _USER_EDIT:
            break
        directory = _record_at(stream, edit.integer(12))
        if directory is not None and directory.kind == _PERSIST_DIRECTORY:
            for number, place in _directory(directory):
                if number not in parts and (part := _record_at(stream, place)) is not None:
                    parts[number] = part
        before = edit.integer(8)
        if not before or before >= offset:
            break
        offset = before
    return parts


def _record_at(stream: bytes, offset: int) -> _Record | None:
    if offset + 8 > len(stream):
        return None
    size = int.from_bytes(stream[offset + 4 : offset + 8], "little")
    return next(_records(stream[offset : offset + 8 + size]), None)


def _directory(record: _Record) -> Iterator[tuple[int, int]]:
    position = 0
    while position + 4 <= len(record.data):
        head = record.integer(position)
        for index in range(head >> 20):
            position += 4
            if position + 4 <= len(record.data):
                yield (head & 0xFFFFF) + index, record.integer(position)
        position += 4


def _listed(document: _Record, instance: int) -> Iterator[tuple[_Record, list[_Text]]]:
    """The slides (0) or notes (2) in order, each with the texts of its outline."""
    for record in document:
        if record.kind != _SLIDE_LIST or record.instance != instance:
            continue
        members = list(record)
        starts = [i for i, member in enumerate(members) if member.kind == _SLIDE_PERSIST]
        for start, end in zip(starts, [*starts[1:], len(members)], strict=True):
            yield members[start], _texts(members[start + 1 : end])


def _texts(records: Sequence[_Record]) -> list[_Text]:
    texts: list[_Text] = []
    for record in records:
        if record.kind == _TEXT_HEADER:
            texts.append(_Text(record.integer()))
        elif texts and record.kind == _TEXT_CHARS:
            texts[-1].text = record.data.decode("utf-16-le", "replace")
        elif texts and record.kind == _TEXT_BYTES:
            texts[-1].text = record.data.decode("latin-1")
        elif texts and record.kind == _TEXT_STYLE:
            texts[-1].paragraphs = list(_paragraph_styles(record.data, len(texts[-1].text)))
    return texts


def _paragraph_styles(data: bytes, length: int) -> Iterator[tuple[int, bool | None]]:
    """Depth and bullet for each character run of paragraphs, spread over its characters."""
    position, done = 0, 0
    while done <= length and position + 10 <= len(data):
        count, depth, mask = struct.unpack_from("<IHI", data, position)
        position += 10
        bullet: bool | None = None
        if mask & 0xF:
            flags = int.from_bytes(data[position : position + 2], "little")
            bullet = bool(flags & 1) if mask & 1 else None
            position += 2
        position += sum(size for bit, size in _PARAGRAPH_FIELDS if mask & bit)
        if mask & 0x100000:
            position += 2 + 4 * int.from_bytes(data[position : position + 2], "little")
        position += 2 * sum(bool(mask & bit) for bit in (0x10000, 0xE0000, 0x200000))
        count = min(count, length + 1 - done)
        yield from [(min(depth, 8), bullet)] * count
        done += max(count, 1)


def _slide_drafts(slide: _Record, outline: Sequence[_Text], page: int) -> Iterator[Draft]:
    shapes = sorted(_shapes(slide, outline, 0), key=lambda shape: (shape.top // 24, shape.left))
    title = next((s for s in shapes if s.text is not None and s.text.kind in _TITLES), None)
    flow = Flow(page=page)
    if title is not None and title.text is not None:
        flow.heading(" ".join(title.text.text.split()), 1)
    for shape in shapes:
        if shape.cells is not None:
            flow.extend(_table_drafts(shape.cells, page))
        elif shape is not title and shape.text is not None:
            _add_paragraphs(flow, shape.text)
            flow.close()
    yield from flow.close()


def _notes_drafts(notes: _Record, page: int) -> Iterator[Draft]:
    for shape in _shapes(notes, (), 0):
        if shape.text is not None and shape.text.kind == 2:
            for line in filter(str.strip, shape.text.text.split("\r")):
                yield Draft(kind=BlockKind.PARAGRAPH, text=f"Notes: {line}", page=page)


def _add_paragraphs(flow: Flow, text: _Text) -> None:
    position = 0
    paragraphs = text.text.split("\r")
    filled = sum(1 for paragraph in paragraphs if paragraph.strip())
    for paragraph in paragraphs:
        given = text.paragraphs[position : position + 1]
        depth, bullet = given[0] if given else (0, None)
        said = paragraph.replace("\x0b", "\n")
        implied = text.kind in _BODIES and filled > 1
        if implied if bullet is None else bullet:
            flow.item(said, depth)
        else:
            flow.paragraph(said)
        position += len(paragraph) + 1


def _shapes(record: _Record, outline: Sequence[_Text], depth: int) -> Iterator[_Shape]:
    """The shapes with text below a record; a table's cells stay together, other groups do not."""
    for child in record:
        if child.kind == _SHAPE:
            shape = _shape(child, outline)
            if shape.text is not None and shape.placeholder not in _RUNNING_PLACEHOLDERS:
                yield shape
        elif child.is_container and depth < _MAX_DEPTH:
            inner = list(_shapes(child, outline, depth + 1))
            if child.kind == _GROUP and _is_table(child) and inner:
                frame = _shape(next(iter(child)), outline)
                frame.text, frame.cells = None, inner
                yield frame
            elif child.kind == _GROUP and depth > 1 and inner:
                yield from _placed(inner, _shape(next(iter(child)), outline))
            else:
                yield from inner


def _placed(members: list[_Shape], group: _Shape) -> list[_Shape]:
    """The members of a group in their order, where the group stands on the slide."""
    members.sort(key=lambda shape: (shape.top // 24, shape.left))
    for number, member in enumerate(members):
        member.top, member.left = group.top, group.left + number
    return members


def _is_table(group: _Record) -> bool:
    first = next(iter(group), None)
    for options in first or ():
        if options.kind in _OPTIONS:
            for offset in range(0, 6 * options.instance, 6):
                key = int.from_bytes(options.data[offset : offset + 2], "little")
                if key & 0x3FFF == _TABLE_PROPERTY and options.integer(offset + 2) & 1:
                    return True
    return False


def _shape(record: _Record, outline: Sequence[_Text]) -> _Shape:
    shape = _Shape()
    for item in record:
        if item.kind == _ANCHOR and len(item.data) == 8:
            shape.top, shape.left, shape.right, shape.bottom = struct.unpack("<4h", item.data)
        elif item.kind == _ANCHOR and len(item.data) == 16:
            shape.top, shape.left, shape.right, shape.bottom = struct.unpack("<4i", item.data)
        elif item.kind == _CHILD_ANCHOR and len(item.data) == 16:
            shape.left, shape.top, shape.right, shape.bottom = struct.unpack("<4i", item.data)
        members = list(item)
        texts = _texts(members)
        for member in members:
            if member.kind == _PLACEHOLDER and len(member.data) > 4:
                shape.placeholder = member.data[4]
            elif member.kind == _OUTLINE_REFERENCE and member.integer() < len(outline):
                texts = [outline[member.integer()]]
        if texts:
            shape.text = texts[0]
    return shape


def _table_drafts(cells: Sequence[_Shape], page: int) -> Iterator[Draft]:
    """The grid that the edges of the cells span."""
    rows = _edges([cell.top for cell in cells])
    columns = _edges([cell.left for cell in cells])
    grid = [[""] * len(columns) for _ in rows]
    covered: set[tuple[int, int]] = set()
    for cell in cells:
        said = cell.text.text.replace("\r", " ").replace("\x0b", " ") if cell.text else ""
        inside = [
            (row, column)
            for row, top in enumerate(rows)
            if cell.top - _SAME_EDGE <= top < cell.bottom - _SAME_EDGE
            for column, left in enumerate(columns)
            if cell.left - _SAME_EDGE <= left < cell.right - _SAME_EDGE
        ]
        for row, column in inside:
            grid[row][column] = said
        covered.update(inside[1:])
    headers = grouped_header_rows(grid, covered)
    yield from spread_table_drafts(grid, covered=covered, header_rows=headers, page=page)


def _edges(values: Sequence[int]) -> list[int]:
    edges: list[int] = []
    for value in sorted(set(values)):
        if not edges or value - edges[-1] > _SAME_EDGE:
            edges.append(value)
    return edges
