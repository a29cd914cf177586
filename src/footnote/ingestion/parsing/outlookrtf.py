"""Decompress the rich text of an Outlook item, and extract the HTML it wraps."""

from __future__ import annotations

import re

_PRESET = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    b"\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0"
    b"\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
"""Initial content of the dictionary (MS-OXRTFCP 2.2)."""
_WINDOW = 4096
_HEADER_BYTES = 16
_MAX_BYTES = 64 * 1024 * 1024
_MAX_RATIO = 20
_TOKEN = re.compile(
    r"\\(?:\*\\)?(?P<word>[a-z]+)(?P<number>-?\d+)? ?|\\'(?P<hex>[0-9a-fA-F]{2})"
    r"|\\(?P<symbol>[^a-z])|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\"
)
_SYMBOLS = {"~": "\xa0", "\\": "\\", "{": "{", "}": "}"}
_BREAKS = {"par": "\n", "line": "\n", "tab": "\t"}
_SKIPPED = frozenset(("fonttbl", "colortbl", "stylesheet", "info", "pict", "generator"))


def decompress_rtf(content: bytes) -> bytes:
    """Undo the compression of MS-OXRTFCP; empty for data not compressed that way."""
    kind, size = content[8:12], int.from_bytes(content[4:8], "little")
    if kind == b"MELA":
        return content[_HEADER_BYTES : _HEADER_BYTES + size]
    if kind != b"LZFu" or size > min(_MAX_BYTES, _MAX_RATIO * len(content)):
        return b""
    window = bytearray(_PRESET.ljust(_WINDOW, b"\x00"))
    write, position = len(_PRESET), _HEADER_BYTES
    output = bytearray()
    while position < len(content) and len(output) < size:
        flags = content[position]
        position += 1
        for bit in range(8):
            is_reference = flags >> bit & 1
            code = content[position : position + 1 + is_reference]
            position += len(code)
            if len(code) != 1 + is_reference:
                return bytes(output[:size])
            start, length = write, 1
            if is_reference:
                pair = int.from_bytes(code, "big")
                start, length = pair >> 4, (pair & 15) + 2
                if start == write:  # the mark of the end
                    return bytes(output[:size])
            else:
                window[write] = code[0]
            for step in range(length):
                byte = window[(start + step) % _WINDOW]
                output.append(byte)
                window[write] = byte
                write = (write + 1) % _WINDOW
    return bytes(output[:size])


def html_in_rtf(content: bytes) -> str:
    """Return the HTML that Outlook wrapped in rich text (MS-OXRTFEX); empty if there is none."""
    head = content[:2000]
    if b"\\fromhtml" not in head:
        return ""
    page = re.search(rb"\\ansicpg(\d+)", head)
    encoding = f"cp{page.group(1).decode()}" if page else "cp1252"
    return _Unwrapping(encoding).page(content.decode("latin-1"))


class _Unwrapping:
    """One pass over rich text: HTML tags are in groups of their own, their RTF duplicate is
    muted."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._page: list[str] = []
        self._bytes = bytearray()
        self._muted = False
        """Whether it is between htmlrtf and htmlrtf0, where text is for other programs only."""
        self._groups: list[tuple[bool, bool]] = [(False, False)]
        """For each open group whether it is skipped, and whether it is a tag."""
        self._unit = 0
        """Number of fallback characters still to skip after a Unicode character."""

    def page(self, text: str) -> str:
        for match in _TOKEN.finditer(text):
            if brace := match["brace"]:
                if brace == "{":
                    self._groups.append(self._groups[-1])
                elif len(self._groups) > 1:
                    self._groups.pop()
            elif word := match["word"]:
                self._word(word, match["number"])
            elif match["hex"]:
                if self._unit:
                    self._unit -= 1
                elif self._is_visible():
                    self._bytes.append(int(match["hex"], 16))
            elif match["text"] or match["symbol"]:
                self._append(match["text"] or _SYMBOLS.get(match["symbol"], ""))
        self._flush()
        return "".join(self._page)

    def _word(self, word: str, number: str | None) -> None:
        if word == "htmlrtf":
            self._muted = number != "0"
        elif word == "htmltag":
            self._groups[-1] = (False, True)
        elif word in _SKIPPED:
            self._groups[-1] = (True, False)
        elif word == "u" and number and self._is_visible():
            self._flush()
            self._page.append(chr(int(number[-6:]) % 0x10000))
            self._unit = 1
        elif word in _BREAKS:
            self._append(_BREAKS[word])

    def _append(self, text: str) -> None:
        if self._unit and text:
            text, self._unit = text[1:], 0
        if self._is_visible() and text:
            self._bytes += text.encode("latin-1", "ignore")

    def _is_visible(self) -> bool:
        skipped, is_tag = self._groups[-1]
        return not skipped and (is_tag or not self._muted)

    def _flush(self) -> None:
        if self._bytes:
            try:
                self._page.append(self._bytes.decode(self._encoding, "replace"))
            except LookupError:
                self._page.append(self._bytes.decode("cp1252", "replace"))
            self._bytes.clear()
