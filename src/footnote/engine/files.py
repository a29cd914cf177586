"""Reads the files that are handed in by their path."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from unicodedata import category

from footnote.domain import Failure
from footnote.errors import InvalidRequest
from footnote.ingestion.pipeline import failure_of
from footnote.ingestion.receive import too_large

MAX_FILENAME_CHARACTERS = 255
_ENDING_CHARACTERS = 20  # ".sublime-workspace" and the like; more is no ending


def clean_name(filename: str) -> str:
    """The last part of a name, as every entrance keeps it.

    Without what no database, terminal or disk should be handed: control and invisible
    characters, and names of dots alone. A name that is too long is cut before its ending.

    >>> clean_name("../etc/passwd"), clean_name(".."), clean_name("a\\u0007b\\u202fc.txt")
    ('passwd', 'unnamed', 'ab c.txt')
    """
    name = filename.replace("\\", "/").rsplit("/", 1)[-1]
    spaced = (" " if category(character) == "Zs" else character for character in name)
    printable = "".join(character for character in spaced if character.isprintable()).strip()
    if not printable.strip("."):
        return "unnamed"
    ending = PurePosixPath(printable).suffix
    ending = ending if len(ending) <= _ENDING_CHARACTERS else ""
    stem = printable.removesuffix(ending)
    return stem[: MAX_FILENAME_CHARACTERS - len(ending)] + ending


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
