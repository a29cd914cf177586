"""Decide which files of a folder to ignore: lock files, partial downloads, and by patterns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

IGNORE_FILE = ".footnoteignore"
"""Name of the file with ignore patterns for its folder and everything below."""

IGNORED_BY_DEFAULT = (
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
    """Whether it re-includes what an earlier pattern ignored."""

    def matches(self, relative: str, *, is_folder: bool) -> bool:
        """Whether it matches this path, which uses `/` and is relative to the pattern's folder."""
        if self.folders_only and not is_folder:
            return False
        if "/" in self.glob:
            return fnmatchcase(relative, self.glob.removeprefix("/"))
        return fnmatchcase(relative.rpartition("/")[2], self.glob)


@dataclass(frozen=True, slots=True)
class Ignoring:
    """An ordered list of patterns; the last one that matches a path decides."""

    patterns: tuple[Pattern, ...] = tuple(Pattern(glob) for glob in IGNORED_BY_DEFAULT)

    def __call__(self, relative: str, *, is_folder: bool) -> bool:
        """Whether the path is ignored."""
        for pattern in reversed(self.patterns):
            if pattern.matches(relative, is_folder=is_folder):
                return not pattern.includes
        return False

    def with_lines(self, lines: Iterable[str]) -> Ignoring:
        """These patterns, and after them those of the lines."""
        return Ignoring((*self.patterns, *patterns_of(lines)))


def patterns_of(lines: Iterable[str]) -> Sequence[Pattern]:
    """Parse an ignore file: `#` begins a comment, `!` re-includes, a final `/` matches folders
    only."""
    patterns = []
    for line in lines:
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        includes = text.startswith("!")
        glob = text.removeprefix("!")
        patterns.append(Pattern(glob.rstrip("/"), glob.endswith("/"), includes))
    return patterns
