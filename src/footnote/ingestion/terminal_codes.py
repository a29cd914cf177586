"""Remove what a terminal acts on from a text: colours, movements of the cursor, overstrikes."""

from __future__ import annotations

import re

# ECMA-48: control sequences (colours among them), commands that end in BEL or ESC \\ (titles and
# links), and escapes of a few characters; then a character that is written over, and the bell.
_CODES = (
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]+[0-~]|[0-~])"
    r"|[^\n\x08]\x08|\x07"
)
_IN_TEXT = re.compile(_CODES)
_IN_BYTES = re.compile(_CODES.encode())


def without_terminal_codes(text: str) -> str:
    r"""The text as a reader of the terminal sees it.

    >>> without_terminal_codes("\x1b[32mINFO\x1b[0m ready")
    'INFO ready'
    """
    return _IN_TEXT.sub("", text) if "\x1b" in text or "\x08" in text or "\x07" in text else text


def bytes_without_terminal_codes(text: bytes) -> bytes:
    """The same of bytes whose encoding is not known yet."""
    return _IN_BYTES.sub(b"", text) if b"\x1b" in text or b"\x08" in text else text
