"""Rebuild the blocks of a document in its canonical text from its passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from footnote.domain import BlockKind, BlockSpan

BETWEEN_HEADINGS = " › "
_BETWEEN_PARTS = 2
"""Most characters between two parts of one block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """A block of a document: half-open offsets in its canonical text."""

    kind: BlockKind
    start: int
    end: int
    headings: tuple[str, ...]
    """Heading path, outermost first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """The text of a document from which facts are extracted."""

    text: str
    """The canonical text."""
    title: str
    language: str | None
    blocks: tuple[TextBlock, ...]
    """In their order, without overlap."""


class TextPart(Protocol):
    """The part of a chunk or passage that rebuilding blocks needs."""

    @property
    def spans(self) -> tuple[BlockSpan, ...]:
        """Its spans of blocks."""

    @property
    def heading_path(self) -> tuple[str, ...]:
        """Its headings, outermost first."""


def blocks_of(passages: Sequence[TextPart]) -> tuple[TextBlock, ...]:
    """Rebuild the blocks of a document's passages; blocks that were split are joined.

    Passages come in the order of the document; they may overlap.
    """
    blocks: list[TextBlock] = []
    goes_on = False
    for passage in passages:
        for span in passage.spans:
            last = blocks[-1] if blocks else None
            end = 0 if last is None else last.end
            if last is not None and span.char_end <= end:
                continue
            joins = span.char_start < end or (goes_on and not span.begins)
            is_adjacent = span.char_start - end <= _BETWEEN_PARTS
            if last is not None and joins and is_adjacent and last.kind is span.kind:
                blocks[-1] = replace(last, end=span.char_end)
            else:
                blocks.append(
                    TextBlock(
                        kind=span.kind,
                        start=max(span.char_start, end),
                        end=span.char_end,
                        headings=passage.heading_path,
                    )
                )
            goes_on = not span.ends
    return tuple(blocks)
