"""Messages, boxes and saved pages, made on the spot."""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping
from datetime import UTC, datetime
from email.message import EmailMessage
from itertools import pairwise

SENT = datetime(2025, 3, 12, 8, 30, tzinfo=UTC)
_SECTOR = 512
_MINI = 64
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD

Storage = Mapping[str, "bytes | Storage"]


def plain_message(subject: str = "Four sensors", body: str = "They left our dock.") -> EmailMessage:
    message = EmailMessage()
    message["Subject"] = subject
    message["From"] = "Linnet <linnet@supplier.example>"
    message["To"] = "purchasing@acme.example"
    message["Cc"] = "Ann <ann@acme.example>"
    message["Date"] = "Wed, 12 Mar 2025 09:30:00 +0100"
    message["Message-ID"] = "<4@supplier.example>"
    message["In-Reply-To"] = "<3@acme.example>"
    message.set_content(body)
    return message


def box(*messages: EmailMessage) -> bytes:
    """An mbox file, with lines that begin with From escaped."""
    parts = []
    for message in messages:
        text = message.as_bytes().replace(b"\nFrom ", b"\n>From ")
        parts.append(b"From someone@example.org Wed Mar 12 09:30:00 2025\n" + text + b"\n")
    return b"".join(parts)


def saved_page(html: str, picture: bytes) -> bytes:
    """What a browser saves as one file."""
    head = (
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://help.example/cleaning\r\n"
        "Subject: Cleaning\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/related; type="text/html"; boundary="x"\r\n\r\n'
        "--x\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n"
        f"Content-Location: https://help.example/cleaning\r\n\r\n{html}\r\n"
        "--x\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n"
        "Content-Location: https://help.example/img/plan.png\r\n\r\n"
    )
    return head.encode() + base64.encodebytes(picture) + b"\r\n--x--\r\n"


# --- Outlook --------------------------------------------------------------------------------


def outlook_item(
    subject: str,
    body: str = "",
    *,
    html: str = "",
    rtf: bytes = b"",
    files: Mapping[str, bytes] | None = None,
    inner: Storage | None = None,
) -> Storage:
    """The storage of a message: its properties, a sender, a recipient and what is attached."""
    item: dict[str, bytes | Storage] = {
        "__properties_version1.0": bytes(32) + _time_property(0x0039, SENT),
        "__substg1.0_0037001F": subject.encode("utf-16-le"),
        "__substg1.0_0C1A001F": "Linnet".encode("utf-16-le"),
        "__substg1.0_5D01001F": "linnet@supplier.example".encode("utf-16-le"),
        "__substg1.0_1035001F": "<4@supplier.example>".encode("utf-16-le"),
        "__recip_version1.0_#00000000": {
            "__properties_version1.0": bytes(8) + _number_property(0x0C15, 1),
            "__substg1.0_3001001E": b"Ann",
            "__substg1.0_39FE001F": "ann@acme.example".encode("utf-16-le"),
        },
    }
    if body:
        item["__substg1.0_1000001F"] = body.encode("utf-16-le")
    if html:
        item["__substg1.0_10130102"] = html.encode()
    if rtf:
        item["__substg1.0_10090102"] = rtf
    for number, (name, content) in enumerate((files or {}).items()):
        item[f"__attach_version1.0_#{number:08X}"] = {
            "__properties_version1.0": bytes(8) + _number_property(0x3705, 1),
            "__substg1.0_3707001F": name.encode("utf-16-le"),
            "__substg1.0_37010102": content,
        }
    if inner is not None:
        item["__attach_version1.0_#000000FF"] = {
            "__properties_version1.0": bytes(8) + _number_property(0x3705, 5),
            "__substg1.0_3701000D": {
                **inner,
                "__properties_version1.0": bytes(24) + _time_property(0x0039, SENT),
            },
        }
    return item


def uncompressed_rtf(text: str) -> bytes:
    """Rich text in its container, stored as it is."""
    raw = text.encode("latin-1")
    return struct.pack("<II4sI", len(raw) + 12, len(raw), b"MELA", 0) + raw


def _number_property(tag: int, value: int) -> bytes:
    return struct.pack("<HHIQ", 3, tag, 6, value)


def _time_property(tag: int, moment: datetime) -> bytes:
    ticks = int((moment - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000
    return struct.pack("<HHIQ", 0x40, tag, 6, ticks)


class CompoundFile:
    """A compound file (MS-CFB, version 3) of nested storages."""

    def __init__(self, root: Storage) -> None:
        self._entries: list[bytearray] = []
        self._mini = bytearray()
        self._mini_fat: list[int] = []
        self._sectors = bytearray()
        self._fat: list[int] = []
        self._add("Root Entry", 5, root)

    def _add(self, name: str, kind: int, content: bytes | Storage) -> int:
        index = len(self._entries)
        entry = bytearray(128)
        wide = name.encode("utf-16-le")
        entry[: len(wide)] = wide
        struct.pack_into("<HBBIII", entry, 64, len(wide) + 2, kind, 1, _FREE, _FREE, _FREE)
        self._entries.append(entry)
        if isinstance(content, bytes):
            start = self._store(content)
            struct.pack_into("<IQ", entry, 116, start, len(content))
            return index
        struct.pack_into("<I", entry, 116, _END)
        children = [
            self._add(child, 2 if isinstance(inside, bytes) else 1, inside)
            for child, inside in sorted(content.items(), key=lambda item: (len(item[0]), item[0]))
        ]
        for left, right in pairwise(children):
            struct.pack_into("<I", self._entries[left], 72, right)
        struct.pack_into("<I", entry, 76, children[0] if children else _FREE)
        return index

    def _store(self, content: bytes) -> int:
        if len(content) >= 4096:
            return self._chain(content)
        if not content:
            return _END
        first = len(self._mini_fat)
        count = -(-len(content) // _MINI)
        self._mini_fat += [*range(first + 1, first + count), _END]
        self._mini += content.ljust(count * _MINI, b"\0")
        return first

    def _chain(self, content: bytes) -> int:
        first = len(self._fat)
        count = -(-len(content) // _SECTOR)
        self._fat += [*range(first + 1, first + count), _END]
        self._sectors += content.ljust(count * _SECTOR, b"\0")
        return first

    def to_bytes(self) -> bytes:
        mini_start = self._chain(bytes(self._mini)) if self._mini else _END
        struct.pack_into("<IQ", self._entries[0], 116, mini_start, len(self._mini))
        mini_fat = b"".join(struct.pack("<I", entry) for entry in self._mini_fat)
        padded = mini_fat.ljust(-(-len(mini_fat) // _SECTOR) * _SECTOR, b"\xff")
        mini_fat_start = self._chain(padded) if padded else _END
        directory_start = self._chain(b"".join(self._entries))
        fat_sectors = 1
        while fat_sectors * 128 < len(self._fat) + fat_sectors:
            fat_sectors += 1
        fat_start = len(self._fat)
        self._fat += [_FAT] * fat_sectors
        fat = b"".join(struct.pack("<I", entry) for entry in self._fat)
        header = bytearray(_SECTOR)
        header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        struct.pack_into("<HHHHH", header, 24, 0x3E, 3, 0xFFFE, 9, 6)
        struct.pack_into("<III", header, 44, fat_sectors, directory_start, 0)
        struct.pack_into("<I", header, 56, 4096)
        struct.pack_into("<II", header, 60, mini_fat_start, len(padded) // _SECTOR)
        struct.pack_into("<II", header, 68, _END, 0)
        difat = [fat_start + step for step in range(fat_sectors)]
        struct.pack_into("<109I", header, 76, *(difat + [_FREE] * (109 - fat_sectors)))
        return bytes(header + self._sectors) + fat.ljust(fat_sectors * _SECTOR, b"\xff")
