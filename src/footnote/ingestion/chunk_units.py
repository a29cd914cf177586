"""Blocks are cut into the pieces that chunks never divide: sentences, rows, utterances, code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footnote.domain import Block, BlockKind
from footnote.ingestion.chunk_policies import ChunkPolicy
from footnote.ports import Tokenizer
from footnote.text import sentence_spans

LINEWISE = (BlockKind.TABLE, BlockKind.CODE)
"""Kinds whose lines do not lead into each other, so that none is repeated."""
_ATOM = re.compile(r"\s*\S{1,24}")
"""What an oversized sentence is cut into: words, and slices of words that are longer."""
_TABLE_RULE = re.compile(r"\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$")
_CLOSES = re.compile(r"[)\]}]|(?:end|else|elif|elsif|except|finally|catch|rescue|fi|done)\b")
"""How an unindented line begins that belongs to the definition before it."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest piece that is never divided, by its offsets in the canonical text."""

    block: int
    start: int
    end: int
    tokens: int


def table_header(table: str) -> str:
    """The header row and its rule, or nothing when the table has none."""
    lines = table.split("\n", 2)
    return "\n".join(lines[:2]) if len(lines) > 1 and _TABLE_RULE.match(lines[1]) else ""


def units_of(
    blocks: Sequence[Block], tokenizer: Tokenizer, policy: ChunkPolicy
) -> list[list[Unit]]:
    """The pieces of each block, whole where they fit a chunk, else in parts that do."""
    cutter = _Cutter(tokenizer, policy)
    pieces = [(index, span) for index, block in enumerate(blocks) for span in _whole_spans(block)]
    counts = cutter.counts([blocks[index].text[start:end] for index, (start, end) in pieces])
    units: list[list[Unit]] = [[] for _ in blocks]
    for (index, span), tokens in zip(pieces, counts, strict=True):
        units[index].extend(cutter.units(index, blocks[index], span, tokens))
    return units


class _Cutter:
    """Cuts what is larger than a chunk."""

    def __init__(self, tokenizer: Tokenizer, policy: ChunkPolicy) -> None:
        self._tokenizer = tokenizer
        self._sizes = policy.sizes
        self._row_limit = int(self._sizes.target * policy.row_limit_targets)

    def counts(self, texts: Sequence[str]) -> list[int]:
        return list(self._tokenizer.count_tokens(texts))

    def units(self, index: int, block: Block, span: Span, tokens: int) -> Iterator[Unit]:
        """The piece as one unit, or its finer pieces, or what is left of them in words."""
        limit = self._row_limit if block.kind is BlockKind.TABLE else self._sizes.target
        if self._size(span, tokens) <= limit:
            yield self._unit(index, block, span, tokens)
            return
        finer = _finer_spans(block, span)
        if len(finer) < 2:
            yield from self._cut(index, block, span)
            return
        texts = [block.text[start:end] for start, end in finer]
        for part, count in zip(finer, self.counts(texts), strict=True):
            if self._size(part, count) <= self._sizes.target:
                yield self._unit(index, block, part, count)
            else:
                yield from self._cut(index, block, part)

    def _size(self, span: Span, tokens: int) -> int:
        return span[1] - span[0] if self._sizes.unit == "characters" else tokens

    def _unit(self, index: int, block: Block, span: Span, tokens: int) -> Unit:
        return Unit(index, block.char_start + span[0], block.char_start + span[1], tokens)

    def _cut(self, index: int, block: Block, span: Span) -> Iterator[Unit]:
        """A piece larger than a chunk, at word boundaries, or inside words that have none."""
        atoms = [found.span() for found in _ATOM.finditer(block.text, *span)]
        counts = self.counts([block.text[start:end] for start, end in atoms])
        first, tokens = 0, 0
        for position, count in enumerate(counts):
            grown = (atoms[first][0], atoms[position][1])
            if tokens and self._size(grown, tokens + count) > self._sizes.target:
                yield self._unit(index, block, _trimmed(block, atoms[first:position]), tokens)
                first, tokens = position, 0
            tokens += count
        if atoms[first:]:
            yield self._unit(index, block, _trimmed(block, atoms[first:]), tokens)


def _trimmed(block: Block, atoms: Sequence[Span]) -> Span:
    start, end = atoms[0][0], atoms[-1][1]
    text = block.text[start:end]
    return start + len(text) - len(text.lstrip()), end


def _whole_spans(block: Block) -> list[Span]:
    """The pieces that stay whole if they can."""
    match block.kind:
        case BlockKind.TABLE:
            spans = _line_spans(block.text, 0, len(block.text))
            if header := table_header(block.text):  # header and rule are one piece
                spans[:2] = [(0, len(header))]
            return spans
        case BlockKind.CODE:
            return _definition_spans(block.text)
        case BlockKind.UTTERANCE:
            return [(0, len(block.text))]
        case _:
            return sentence_spans(block.text)


def _finer_spans(block: Block, span: Span) -> list[Span]:
    start, end = span
    match block.kind:
        case BlockKind.CODE:
            return _line_spans(block.text, start, end)
        case BlockKind.UTTERANCE:
            return [(start + a, start + b) for a, b in sentence_spans(block.text[start:end])]
        case _:
            return [span]


def _line_spans(text: str, start: int, end: int) -> list[Span]:
    """The lines of a part of a text that are not blank."""
    spans: list[Span] = []
    position = start
    for line in text[start:end].split("\n"):
        if line.strip():
            spans.append((position, position + len(line)))
        position += len(line) + 1
    return spans


def _definition_spans(code: str) -> list[Span]:
    """Runs of lines that begin unindented after a blank line, or after a closing bracket."""
    spans: list[Span] = []
    before: Span | None = None
    for start, end in _line_spans(code, 0, len(code)):
        line = code[start:end]
        opens = not line[0].isspace() and not _CLOSES.match(line)
        apart = before is None or "\n" in code[before[1] + 1 : start]
        closed = before is not None and bool(_CLOSES.match(code[before[0] : before[1]]))
        if not spans or (opens and (apart or closed)):
            spans.append((start, end))
        else:
            spans[-1] = (spans[-1][0], end)
        before = (start, end)
    return spans
