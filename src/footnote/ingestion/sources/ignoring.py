"""Which files of a folder are not meant: lock files, half-written ones, what a pattern names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

IGNORE_FILE = ".footnoteignore"
"""Patterns for the folder it lies in and everything below."""

NEVER_MEANT = (
    ".*",  # hidden, and the folders of version control
    "~$*",  # what an office program keeps beside an open file
    "*.part",
    "*.partial",
    "*.crdownload",  # downloads under way
    "Thumbs.db",
    "desktop.ini",
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file."""

    glob: str
    folders_only: bool = False
    includes: bool = False
    """Whether it brings back what an earlier pattern left out."""

    def matches(self, relative: str, *, is_folder: bool) -> bool:
        """Whether it speaks of this path, given with `/` and relative to the pattern's folder."""
        if self.folders_only and not is_folder:
            return False
        if "/" in self.glob:
            return fnmatchcase(relative, self.glob.removeprefix("/"))
        return fnmatchcase(relative.rpartition("/")[2], self.glob)


@dataclass(frozen=True, slots=True)
class Ignoring:
    """Patterns in their order, of which the last that speaks of a path decides."""

    patterns: tuple[Pattern, ...] = tuple(Pattern(glob) for glob in NEVER_MEANT)

    def __call__(self, relative: str, *, is_folder: bool) -> bool:
        """Whether the path is left out."""
        for pattern in reversed(self.patterns):
            if pattern.matches(relative, is_folder=is_folder):
                return not pattern.includes
        return False

    def with_lines(self, lines: Iterable[str]) -> Ignoring:
        """These patterns, and after them those of the lines."""
        return Ignoring((*self.patterns, *patterns_of(lines)))


def patterns_of(lines: Iterable[str]) -> Sequence[Pattern]:
    """The patterns of an ignore file: `#` begins a comment, `!` brings back, `/` ends a folder."""
    found = []
    for line in lines:
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        includes = text.startswith("!")
        glob = text.removeprefix("!")
        found.append(Pattern(glob.rstrip("/"), glob.endswith("/"), includes))
    return found
