"""The pages of the repository, and the parts of them that tests look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file."""

    path: Path

    @property
    def name(self) -> str:
        """Its path in the repository."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def text(self) -> str:
        """All of it."""
        return self.path.read_text(encoding="utf-8")

    @property
    def prose(self) -> str:
        """All of it but the fenced blocks."""
        return _FENCE.sub("", self.text)

    def blocks(self, language: str) -> list[str]:
        """Its fenced blocks in a language."""
        return [body for name, body in _FENCE.findall(self.text) if name == language]

    @property
    def code(self) -> list[str]:
        """Its code spans, and the lines of its shell blocks with continuations joined."""
        lines = [
            line.strip()
            for block in self.blocks("sh")
            for line in block.replace("\\\n", " ").splitlines()
        ]
        return [*_CODE.findall(self.prose), *lines]

    @property
    def links(self) -> list[str]:
        """Where its links within the repository lead."""
        return [link for link in _LINK.findall(self.prose) if "://" not in link]

    @property
    def anchors(self) -> set[str]:
        """What a link may put behind `#`."""
        return {
            _NOT_IN_ANCHORS.sub("", heading.lower()).replace(" ", "-")
            for heading in _HEADING.findall(self.prose)
        }

    def section(self, heading: str) -> str:
        """What stands below the heading whose text begins so, up to the next of its level."""
        match = re.search(
            rf"^(#+) {re.escape(heading)}.*?\n(.*?)(?=^\1 |^#{{1,2}} |\Z)",
            self.text,
            re.MULTILINE | re.DOTALL,
        )
        assert match is not None, f"{self.name} has no section {heading!r}"
        return match.group(2)


def pages() -> Iterator[Page]:
    """Every page at the root, in docs, and beside the examples and benchmarks."""
    for pattern in ("*.md", "docs/**/*.md", "examples/*.md", "bench/*.md"):
        yield from (Page(path) for path in sorted(ROOT.glob(pattern)))


def page(name: str) -> Page:
    """The page at this path."""
    return Page(ROOT / name)
