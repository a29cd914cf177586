"""Blocks become chunks: consecutive blocks under one heading path, sized in the lane's tokens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from footnote.domain import Block, BlockKind, BlockSpan, Chunk, DocumentClass, ParsedDocument
from footnote.ports import Tokenizer
from footnote.text import sentence_spans

_ATOM = re.compile(r"\s*\S{1,24}")
"""What an oversized sentence is cut into: words, and slices of words that are longer."""
_TABLE_RULE = re.compile(r"\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$")
_LINEWISE = (BlockKind.TABLE, BlockKind.CODE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkPolicy:
    """How large chunks are, and how much they share with the one before."""

    target_tokens: int = 220
    overlap_sentences: int = 1
    overlap_share: float = 0.34
    """Most of a chunk that may repeat the one before it, as a share of the target."""
    row_limit_targets: float = 4.0
    """A table row longer than this many targets is cut like a sentence, others stay whole."""

    def for_class(self, document_class: DocumentClass) -> ChunkPolicy:
        """This policy as a document of the class needs it.

        Rows and code lines do not lead into each other, so they do not overlap; speech is
        elliptic, so an utterance keeps more of what was said before.
        """
        if document_class in (DocumentClass.TABLE, DocumentClass.CODE):
            return replace(self, overlap_sentences=0)
        if document_class is DocumentClass.TRANSCRIPT:
            return replace(self, overlap_sentences=2 * self.overlap_sentences)
        return self


@dataclass(frozen=True, slots=True)
class _Unit:
    """The smallest piece that is never divided: a sentence, a table row, a line of code."""

    block: int
    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class _Section:
    """Consecutive blocks under one heading, by index; `heading` precedes them."""

    heading: int | None
    blocks: range


def chunk_blocks(
    parsed: ParsedDocument, tokenizer: Tokenizer, policy: ChunkPolicy | None = None
) -> tuple[Chunk, ...]:
    """Chunks in reading order, ordinals from 0.

    Laws: a chunk stays under one heading; its text from `body_offset` on is a slice of the
    canonical text; every block that is no heading is covered; a sentence or row is divided only
    when it is larger than a chunk. A heading stands in `heading_path`, not in the text; one
    without content, nor a deeper heading below it, becomes a chunk of its own. Tokens are
    counted by sentence, which is exact for tokenizers that never join words.
    """
    policy = policy or ChunkPolicy()
    sections = list(_sections(parsed.blocks))
    headers = {
        index: header
        for index, block in enumerate(parsed.blocks)
        if block.kind is BlockKind.TABLE and (header := _table_header(block.text))
    }
    header_tokens = dict(zip(headers, tokenizer.count_tokens(list(headers.values())), strict=True))
    units = _units(parsed.blocks, tokenizer, policy)
    chunks: list[Chunk] = []
    for section in sections:
        section_units = [unit for block in section.blocks for unit in units[block]]
        if not section_units:
            if section.heading is not None:
                chunks.append(_chunk(parsed, units[section.heading], {}, {}))
            continue
        for first, last in _pack(section_units, parsed.blocks, policy, header_tokens):
            chunks.append(_chunk(parsed, section_units[first:last], headers, header_tokens))
    return tuple(replace(chunk, ordinal=ordinal) for ordinal, chunk in enumerate(chunks))


def _sections(blocks: Sequence[Block]) -> Iterator[_Section]:
    """Runs of content under one heading; a heading whose only content is deeper ones is skipped."""
    heading: int | None = None
    start = 0
    for index in range(len(blocks) + 1):
        at_end = index == len(blocks)
        if not at_end and blocks[index].kind is not BlockKind.HEADING:
            changed = index > start and blocks[index].heading_path != blocks[index - 1].heading_path
            if changed:
                yield _Section(heading, range(start, index))
                heading, start = None, index
            continue
        if index > start:
            yield _Section(heading, range(start, index))
        elif heading is not None and (at_end or not _is_below(blocks[index], blocks[heading])):
            yield _Section(heading, range(0))
        if not at_end:
            heading, start = index, index + 1


def _is_below(block: Block, heading: Block) -> bool:
    depth = len(heading.heading_path)
    return len(block.heading_path) > depth and block.heading_path[:depth] == heading.heading_path


def _table_header(table: str) -> str:
    """The header row and its rule, or nothing when the table has none."""
    lines = table.split("\n", 2)
    return "\n".join(lines[:2]) if len(lines) > 1 and _TABLE_RULE.match(lines[1]) else ""


def _units(blocks: Sequence[Block], tokenizer: Tokenizer, policy: ChunkPolicy) -> list[list[_Unit]]:
    """The indivisible pieces of each block, counted in one call for the whole document."""
    pieces = [
        (index, block.char_start + start, block.char_start + end, block.text[start:end])
        for index, block in enumerate(blocks)
        for start, end in _piece_spans(block)
    ]
    counts = tokenizer.count_tokens([text for *_, text in pieces])
    units: list[list[_Unit]] = [[] for _ in blocks]
    for (index, start, end, text), tokens in zip(pieces, counts, strict=True):
        whole = policy.target_tokens
        if blocks[index].kind is BlockKind.TABLE:
            whole = int(whole * policy.row_limit_targets)
        if tokens <= whole:
            units[index].append(_Unit(index, start, end, tokens))
        else:
            units[index].extend(_cut(index, start, text, tokenizer, policy.target_tokens))
    return units


def _piece_spans(block: Block) -> list[tuple[int, int]]:
    if block.kind not in _LINEWISE:
        return sentence_spans(block.text)
    spans: list[tuple[int, int]] = []
    position = 0
    for line in block.text.split("\n"):
        if line.strip():
            spans.append((position, position + len(line)))
        position += len(line) + 1
    header = _table_header(block.text) if block.kind is BlockKind.TABLE else ""
    if header:  # header and rule are one piece
        spans[:2] = [(0, len(header))]
    return spans


def _cut(block: int, offset: int, text: str, tokenizer: Tokenizer, target: int) -> Iterator[_Unit]:
    """A piece larger than a chunk, at word boundaries, or inside words that have none."""
    atoms = [match.span() for match in _ATOM.finditer(text)]
    counts = tokenizer.count_tokens([text[start:end] for start, end in atoms])
    first, tokens = 0, 0
    for position, count in enumerate(counts):
        if tokens and tokens + count > target:
            yield _unit_of_atoms(block, offset, text, atoms[first:position], tokens)
            first, tokens = position, 0
        tokens += count
    if atoms[first:]:
        yield _unit_of_atoms(block, offset, text, atoms[first:], tokens)


def _unit_of_atoms(
    block: int, offset: int, text: str, atoms: Sequence[tuple[int, int]], tokens: int
) -> _Unit:
    start, end = atoms[0][0], atoms[-1][1]
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return _Unit(block, offset + start, offset + end, tokens)


def _pack(
    units: Sequence[_Unit],
    blocks: Sequence[Block],
    policy: ChunkPolicy,
    header_tokens: dict[int, int],
) -> Iterator[tuple[int, int]]:
    """Index ranges of units, each a chunk: as even as their number allows, none over the target."""
    total = sum(unit.tokens for unit in units)
    aim = total / -(-total // policy.target_tokens) if total else 0
    first = 0
    while first < len(units):
        opening = units[first]
        tokens = opening.tokens
        if _continues_table(opening, blocks):
            tokens += header_tokens.get(opening.block, 0)
        last = first + 1
        while last < len(units) and tokens < aim:
            if tokens + units[last].tokens > policy.target_tokens:
                break
            if _starts_own_chunk(units, last, blocks, policy.target_tokens - tokens):
                break
            tokens += units[last].tokens
            last += 1
        last = _without_bare_header(units, first, last, blocks)
        yield first, last
        if last == len(units):
            return
        first = _overlap_start(units, first, last, blocks, policy)


def _without_bare_header(
    units: Sequence[_Unit], first: int, last: int, blocks: Sequence[Block]
) -> int:
    """Where the chunk ends, so that a table's header is not its last line."""
    closing = units[last - 1]
    splits_table = last < len(units) and units[last].block == closing.block
    is_header = (
        blocks[closing.block].kind is BlockKind.TABLE
        and closing.start == blocks[closing.block].char_start
    )
    if splits_table and is_header and _table_header(blocks[closing.block].text):
        return last - 1 if last - 1 > first else last + 1
    return last


def _continues_table(unit: _Unit, blocks: Sequence[Block]) -> bool:
    block = blocks[unit.block]
    return block.kind is BlockKind.TABLE and unit.start > block.char_start


def _starts_own_chunk(
    units: Sequence[_Unit], position: int, blocks: Sequence[Block], room: int
) -> bool:
    """Whether a table begins here that fits a chunk, but not what is left of this one."""
    unit = units[position]
    block = blocks[unit.block]
    if block.kind is not BlockKind.TABLE or unit.start != block.char_start:
        return False
    size = 0
    for following in units[position:]:
        if following.block != unit.block or size > room:
            break
        size += following.tokens
    return size > room


def _overlap_start(
    units: Sequence[_Unit], first: int, last: int, blocks: Sequence[Block], policy: ChunkPolicy
) -> int:
    """Where the next chunk begins: some sentences back, if they and what follows have room."""
    start, repeated = last, 0
    room = min(
        int(policy.target_tokens * policy.overlap_share),
        policy.target_tokens - units[last].tokens,
    )
    if blocks[units[last].block].kind in _LINEWISE:
        return last
    for _ in range(policy.overlap_sentences):
        candidate = units[start - 1]
        if start - 1 <= first or blocks[candidate.block].kind in _LINEWISE:
            break
        if repeated + candidate.tokens > room:
            break
        start, repeated = start - 1, repeated + candidate.tokens
    return start


def _chunk(
    parsed: ParsedDocument,
    units: Sequence[_Unit],
    headers: dict[int, str],
    header_tokens: dict[int, int],
) -> Chunk:
    start, end = units[0].start, units[-1].end
    opening = units[0]
    prefix, tokens = "", sum(unit.tokens for unit in units)
    if _continues_table(opening, parsed.blocks) and opening.block in headers:
        prefix = headers[opening.block] + "\n"
        tokens += header_tokens[opening.block]
    blocks = parsed.blocks[opening.block : units[-1].block + 1]
    spans = tuple(
        BlockSpan(
            char_start=max(start, block.char_start),
            char_end=min(end, block.char_end),
            page=block.page,
            paragraph=block.paragraph,
            kind=block.kind,
        )
        for block in blocks
    )
    sizes: Counter[BlockKind] = Counter()
    for span in spans:
        sizes[span.kind] += span.char_end - span.char_start
    return Chunk(
        ordinal=0,
        kind=sizes.most_common(1)[0][0],
        text=prefix + parsed.text[start:end],
        char_start=start,
        char_end=end,
        spans=spans,
        token_count=tokens,
        heading_path=blocks[0].heading_path,
        body_offset=len(prefix),
        confidence=_mean_confidence(blocks, spans),
    )


def _mean_confidence(blocks: Sequence[Block], spans: Sequence[BlockSpan]) -> float | None:
    """Confidence of the read parts, by their length; None when nothing was read from pixels."""
    weighted = [
        (block.confidence, span.char_end - span.char_start)
        for block, span in zip(blocks, spans, strict=True)
        if block.confidence is not None
    ]
    length = sum(size for _, size in weighted)
    return sum(value * size for value, size in weighted) / length if length else None
