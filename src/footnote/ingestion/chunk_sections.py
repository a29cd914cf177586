"""Divide the blocks of a document into sections: runs of content that no chunk crosses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from footnote.domain import Block, BlockKind
from footnote.ingestion.chunk_policies import ChunkPolicy
from footnote.ingestion.quotes import quoted_blocks


@dataclass(frozen=True, slots=True)
class Section:
    """Consecutive blocks under one heading, by index; `heading` precedes them."""

    heading: int | None
    blocks: range


def parted_sections(
    blocks: Sequence[Block], policy: ChunkPolicy, above_tables: Set[int]
) -> Iterator[Section]:
    """Yield the sections, divided further where the policy allows no chunk to cross."""
    marks: list[tuple[int | None, bool]] = [(None, False)] * len(blocks)
    if policy.pages_stand_alone:
        marks = [(block.page, False) for block in blocks]
    if policy.quotes_stand_apart:
        quoted = quoted_blocks(blocks)
        marks = [(page, quote) for (page, _), quote in zip(marks, quoted, strict=True)]
    for section in _with_leads(_sections(blocks), above_tables):
        start = section.blocks.start
        heading = section.heading
        for index in section.blocks:
            if index > start and marks[index] != marks[index - 1]:
                yield Section(heading, range(start, index))
                heading, start = None, index
        yield Section(heading, range(start, section.blocks.stop))


def _with_leads(sections: Iterator[Section], above_tables: Set[int]) -> Iterator[Section]:
    """Merge sections that have only lead lines of a table into the section with the table."""
    start: int | None = None
    for section in sections:
        inside = section.blocks
        if not inside and section.heading is not None:
            inside = range(section.heading, section.heading + 1)
        if all(index in above_tables for index in inside):
            start = inside.start if start is None else start
        elif start is None:
            yield section
        else:
            yield replace(section, blocks=range(start, inside.stop))
            start = None


def _sections(blocks: Sequence[Block]) -> Iterator[Section]:
    """Runs of content under one heading; a heading whose only content is deeper ones is skipped."""
    heading: int | None = None
    start = 0
    for index in range(len(blocks) + 1):
        at_end = index == len(blocks)
        if not at_end and blocks[index].kind is not BlockKind.HEADING:
            changed = index > start and blocks[index].heading_path != blocks[index - 1].heading_path
            if changed:
                yield Section(heading, range(start, index))
                heading, start = None, index
            continue
        if index > start:
            yield Section(heading, range(start, index))
        elif heading is not None and (at_end or not _is_below(blocks[index], blocks[heading])):
            yield Section(heading, range(0))
        if not at_end:
            heading, start = index, index + 1


def _is_below(block: Block, heading: Block) -> bool:
    depth = len(heading.heading_path)
    return len(block.heading_path) > depth and block.heading_path[:depth] == heading.heading_path
