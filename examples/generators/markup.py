"""Read the small markup of `sources/`: headings, paragraphs, bullets, tables and speaker notes."""

from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading; level 1 is the title of the document (or of a slide)."""

    level: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullets:
    """A list without numbers."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table whose first row is its header."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What the speaker says while a slide is shown."""

    text: str


Block = Heading | Paragraph | Bullets | Table | Note


def parse(source: str) -> list[Block]:
    """Split a source text into blocks, which are separated by empty lines."""
    lines = source.splitlines()
    return [
        _block(list(group))
        for filled, group in groupby(lines, key=lambda line: bool(line.strip()))
        if filled
    ]


def _block(lines: list[str]) -> Block:
    first = lines[0]
    if first.startswith("#"):
        marks, _, text = first.partition(" ")
        return Heading(level=len(marks), text=text)
    if first.startswith("|"):
        return Table(
            rows=tuple(tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines)
        )
    if first.startswith("- "):
        return Bullets(items=tuple(line.removeprefix("- ") for line in lines))
    if first.startswith("> "):
        return Note(text=" ".join(line.removeprefix("> ") for line in lines))
    return Paragraph(text=" ".join(lines))
