"""Small files of Office 97–2003, byte by byte as MS-CFB and MS-DOC lay them out."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SECTOR = 512
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_NONE = 0xFFFFFFFF


def compound(streams: Mapping[str, bytes]) -> bytes:
    """A compound file; streams are filled up to 4,096 bytes, for smaller ones lie elsewhere."""
    ordered = sorted(streams.items(), key=lambda pair: (len(pair[0]), pair[0].upper()))
    sectors: list[bytes] = []
    chain: list[int] = []

    def store(content: bytes) -> int:
        first = len(sectors)
        content += bytes(-len(content) % SECTOR)
        count = len(content) // SECTOR
        sectors.extend(content[SECTOR * i : SECTOR * (i + 1)] for i in range(count))
        chain.extend([*range(first + 1, first + count), _END])
        return first

    entries = [_entry("Root Entry", 5, child=1)]
    for number, (name, content) in enumerate(ordered, start=1):
        padded = content.ljust(4096, b"\0")
        right = number + 1 if number < len(ordered) else _NONE
        entries.append(_entry(name, 2, start=store(padded), size=len(padded), right=right))
    directory = store(b"".join(entries))
    fat_at = len(sectors)
    fats = (len(sectors) + 130) // 128
    chain += [_FAT] * fats
    table = struct.pack(f"<{len(chain)}I", *chain).ljust(SECTOR * fats, b"\xff")
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<9I", 0, fats, directory, 0, 4096, _END, 0, _END, 0)
    header += struct.pack(f"<{fats}I", *range(fat_at, fat_at + fats)).ljust(436, b"\xff")
    return header + b"".join(sectors) + table


def _entry(
    name: str, kind: int, *, start: int = _END, size: int = 0, child: int = _NONE,
    right: int = _NONE,
) -> bytes:  # fmt: skip
    raw = name.encode("utf-16-le") + b"\0\0"
    head = raw.ljust(64, b"\0") + struct.pack("<HBB", len(raw), kind, 1)
    return head + struct.pack("<3I36xIQ", _NONE, right, child, start, size)


@dataclass(frozen=True)
class Par:
    """A paragraph with its mark, the number of its style and its own properties."""

    text: str
    style: int = 0
    properties: bytes = b""


def operation(code: int, operand: bytes) -> bytes:
    return struct.pack("<H", code) + operand


IN_TABLE = operation(0x2416, b"\1")


def row_end(edges: Sequence[int], flags: Sequence[int]) -> bytes:
    """The properties of a row's end mark: where its cells end, and which go on from others.

    Flags at the end may be missing.
    """
    definition = bytes([len(edges) - 1]) + struct.pack(f"<{len(edges)}h", *edges)
    definition += b"".join(struct.pack("<H18x", flag) for flag in flags)
    size = struct.pack("<H", len(definition) + 1)
    return IN_TABLE + operation(0x2417, b"\1") + operation(0xD608, size + definition)


def _plc(positions: Sequence[int], data: bytes = b"") -> bytes:
    return struct.pack(f"<{len(positions)}i", *positions) + data


def _styles(names: Sequence[tuple[int, str]]) -> bytes:
    block = struct.pack("<H18s", 18, struct.pack("<HH14x", len(names), 10))
    for number, name in names:
        raw = struct.pack("<5H", number, 1 | 0xFFF << 4, 0, 0, 0)
        raw += struct.pack("<H", len(name)) + name.encode("utf-16-le") + b"\0\0"
        block += struct.pack("<H", len(raw)) + raw
    return block


def _page(bounds: Sequence[int], entries: Sequence[bytes], *, wide: bool) -> bytes:
    """A page of formatting: the bounds from its start, the properties from its end."""
    page = bytearray(SECTOR)
    struct.pack_into(f"<{len(bounds)}I", page, 0, *bounds)
    free = SECTOR - 2
    for index, entry in enumerate(entries):
        if entry:
            free = (free - len(entry)) // 2 * 2
            assert free > 4 * len(bounds) + (13 if wide else 1) * len(entries), "the page is full"
            page[free : free + len(entry)] = entry
            page[4 * len(bounds) + (13 if wide else 1) * index] = free // 2
    page[-1] = len(entries)
    return bytes(page)


def word_97(
    body: Sequence[Par],
    *,
    styles: Sequence[tuple[int, str]] = ((0, "Normal"),),
    footnotes: Sequence[str] = (),
    header: str = "",
    comments: Sequence[str] = (),
    hidden: str = "",
) -> bytes:
    """A DOC file. In the body `\\x02` stands for a footnote, `\\x05` for a comment."""
    notes = [f"\x02 {note}\r" for note in footnotes]
    stories = [""] * 6 + ["", header + "\r" if header else "", "", "", "", ""] if header else []
    remarks = [f"{comment}\r" for comment in comments]
    parts = [
        "".join(par.text for par in body),
        "".join(notes) + ("\r" if notes else ""),
        "".join(stories) + ("\r" if stories else ""),
        "",
        "".join(remarks) + ("\r" if remarks else ""),
    ]
    text = "".join(parts)
    start = 2048
    main = bytearray(start) + text.encode("utf-16-le")
    main += bytes(-len(main) % SECTOR)
    paragraph_page, character_page = len(main) // SECTOR, len(main) // SECTOR + 1
    bounds, entries = [start], []
    for par in [*body, *(Par(line + "\r") for line in "".join(parts[1:]).split("\r")[:-1])]:
        bounds.append(bounds[-1] + 2 * len(par.text))
        raw = struct.pack("<H", par.style) + par.properties
        raw += bytes(len(raw) % 2)
        entries.append(bytes([0, len(raw) // 2]) + raw)
    main += _page(bounds, entries, wide=True)
    place = start + 2 * text.index(hidden) if hidden else start
    ends = [start, place, place + 2 * len(hidden), start + 2 * len(text)]
    main += _page(ends, [b"", bytes([3]) + operation(0x083C, b"\1"), b""], wide=False)
    table = bytearray()

    def place_block(index: int, block: bytes) -> None:
        struct.pack_into("<II", main, 0x9A + 8 * index, len(table), len(block))
        table.extend(block)

    place_block(1, _styles(styles))
    if notes:
        marks = [at for at, sign in enumerate(parts[0]) if sign == "\x02"]
        place_block(2, _plc([*marks, len(parts[0])], bytes(2 * len(marks))))
        place_block(3, _plc([*_sums(notes), len(parts[1])]))
    if remarks:
        marks = [at for at, sign in enumerate(parts[0]) if sign == "\x05"]
        place_block(4, _plc([*marks, len(parts[0])], bytes(30 * len(marks))))
        place_block(5, _plc([*_sums(remarks), len(parts[4])]))
    if stories:
        place_block(11, _plc([*_sums(stories), len(parts[2])]))
    place_block(12, _plc([start, start + 2 * len(text)], struct.pack("<I", character_page)))
    place_block(13, _plc([start, start + 2 * len(text)], struct.pack("<I", paragraph_page)))
    pieces = _plc([0, len(text)], struct.pack("<HIH", 0, start, 0))
    place_block(33, b"\2" + struct.pack("<I", len(pieces)) + pieces)
    struct.pack_into("<HH6xH", main, 0, 0xA5EC, 0xC1, 0x0200)
    struct.pack_into("<5i", main, 0x4C, *(len(part) for part in parts))
    return compound({"WordDocument": bytes(main), "1Table": bytes(table)})


def _sums(texts: Sequence[str]) -> list[int]:
    sums = [0]
    for text in texts:
        sums.append(sums[-1] + len(text))
    return sums
