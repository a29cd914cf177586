"""The names under which files are kept."""

from __future__ import annotations

from pathlib import PurePosixPath
from unicodedata import category

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
