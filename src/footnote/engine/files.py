"""Reads the files that are handed in by their path."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from footnote.domain import Failure
from footnote.errors import InvalidRequest
from footnote.ingestion.pipeline import failure_of
from footnote.ingestion.receive import too_large


def clean_name(filename: str) -> str:
    """The last part of the name, without what no database or terminal should be handed."""
    name = filename.replace("\\", "/").rsplit("/", 1)[-1]
    printable = "".join(character for character in name if character.isprintable()).strip()
    return printable[:255] or "unnamed"


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file and where it is."""

    location: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class TooLarge:
    """What is known of a file that is too large to read."""

    location: str
    byte_size: int
    content_sha256: str
    failure: Failure


def read_file(path: Path, max_bytes: int) -> File | TooLarge:
    """The file's bytes, or what is known of one too large to read. Raises InvalidRequest."""
    try:
        location = str(path.resolve())
        size = path.stat().st_size
        if size <= max_bytes:
            return File(location=location, content=path.read_bytes())
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be read: {error.strerror}", hint="check the path and its rights"
        ) from error
    failure = failure_of(too_large(size, path.name, max_bytes))
    return TooLarge(location=location, byte_size=size, content_sha256=sha256, failure=failure)
