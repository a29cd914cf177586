"""The streams and the properties of an Office 97–2003 file, which is a compound file."""

from __future__ import annotations

import io
from datetime import datetime

import olefile

from footnote.domain import MetadataValue

_MAC_ROMAN = 10000
_UTF_8 = 65001
_NEVER = 1700
"""Times before this year mean that none was set."""


class CompoundFile:
    """A file of streams. Raises OSError when it is damaged."""

    def __init__(self, content: bytes) -> None:
        self._file = olefile.OleFileIO(io.BytesIO(content))

    def has(self, name: str) -> bool:
        """Whether there is such a stream at the top; files inside the file do not count."""
        return bool(self._file.exists([name]))

    def stream(self, *path: str) -> bytes:
        """The bytes of a stream, or none where there is no such stream."""
        if not self._file.exists(list(path)):
            return b""
        with self._file.openstream(list(path)) as stream:
            content: bytes = stream.read()
        return content

    def properties(self) -> tuple[str, dict[str, MetadataValue]]:
        """Title, and `author`, `created`, `modified`, `subject`, `keywords` as far as given."""
        found = self._file.get_metadata()
        encoding = _encoding(getattr(found, "codepage", None))
        names = {
            "author": "author",
            "subject": "subject",
            "keywords": "keywords",
            "modified_by": "last_saved_by",
        }
        metadata: dict[str, MetadataValue] = {
            name: text
            for name, key in names.items()
            if (text := _text(getattr(found, key, None), encoding))
        }
        for name, key in (("created", "create_time"), ("modified", "last_saved_time")):
            moment = getattr(found, key, None)
            if isinstance(moment, datetime) and moment.year > _NEVER:
                metadata[name] = f"{moment.replace(microsecond=0).isoformat()}Z"
        return _text(getattr(found, "title", None), encoding), metadata


def _encoding(codepage: object) -> str:
    if not isinstance(codepage, int):
        return "cp1252"
    codepage %= 1 << 16
    return {_MAC_ROMAN: "mac_roman", _UTF_8: "utf-8", 1200: "utf-16-le"}.get(
        codepage, f"cp{codepage}"
    )


def _text(value: object, encoding: str) -> str:
    if isinstance(value, str):
        return value.strip("\0 ")
    if not isinstance(value, bytes):
        return ""
    try:
        return value.decode(encoding, "replace").strip("\0 ")
    except LookupError:
        return value.decode("cp1252", "replace").strip("\0 ")
