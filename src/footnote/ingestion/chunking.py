"""Build chunks: consecutive blocks under one heading path, sized by the policy."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import overload

from footnote.domain import Block, BlockKind, BlockSpan, Chunk, ParsedDocument
from footnote.domain.probability import mean_confidence
from footnote.ingestion.chunk_policies import ChunkPolicy
from footnote.ingestion.chunk_sections import parted_sections
from footnote.ingestion.chunk_units import LINEWISE, Unit, UnitSizes, table_header, units_of
from footnote.ingestion.table_leads import holds_amounts, lead_text, table_leads
from footnote.ports import Tokenizer

__all__ = ["ChunkPolicy", "ChunkSequence", "chunk_blocks"]

_MIN_ROWS = 3
"""Fewest rows of a chunk with a repeated header, if so many fit the target."""
_MAX_HEADER = 0.75
"""Largest share of the target that a repeated header counts for, so that some rows always fit."""
_PACKED_UNITS = 20_000
_PACKED_CHARACTERS = 1_000_000
"""Units and characters that are packed at a time; a longer section is divided there."""
_MIN_REPEATED = 1_000_000
"""Characters of repeated headers that any document may have; a longer one up to its own length."""


@dataclass(frozen=True, slots=True, eq=False)
class ChunkSequence(Sequence[Chunk]):
    """A lazy sequence of chunks, each built on every access."""

    length: int
    make: Callable[[int], Chunk]
    """Builds the chunk of an ordinal, always the same one."""

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, index: int) -> Chunk: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Chunk, ...]: ...
    def __getitem__(self, index: int | slice) -> Chunk | tuple[Chunk, ...]:
        selected = range(self.length)[index]
        return self.make(selected) if isinstance(selected, int) else tuple(map(self.make, selected))

    def __iter__(self) -> Iterator[Chunk]:
        return map(self.make, range(self.length))

    def changed(self, change: Callable[[Chunk], Chunk]) -> ChunkSequence:
        """The same chunks, each changed when it is made."""
        return ChunkSequence(self.length, lambda ordinal: change(self.make(ordinal)))


@dataclass(frozen=True, slots=True)
class _Headers:
    """Table headers that are worth repeating, by the index of their block."""

    texts: dict[int, str]
    tokens: dict[int, int]
    sizes: UnitSizes

    def size(self, block: int) -> int:
        """Return the size that the header adds to a chunk that continues the table."""
        if self.sizes.policy.target_characters is not None:
            return len(self.texts.get(block, "")) + 1
        limit = int(self.sizes.target * _MAX_HEADER)
        return min(self.tokens.get(block, 0), limit)


@dataclass(frozen=True, slots=True)
class _Positions:
    """The positions of the chunks in compact form."""

    numbers: array[int] = field(default_factory=lambda: array("q"))
    """For each chunk: start, end, tokens, first and last block, and whether a header is repeated.
    """

    def __len__(self) -> int:
        return len(self.numbers) // 6

    def add(self, units: Sequence[Unit], *, repeats: bool) -> None:
        tokens = sum(unit.tokens for unit in units)
        first, last = units[0], units[-1]
        self.numbers.extend((first.start, last.end, tokens, first.block, last.block, repeats))

    def __getitem__(self, ordinal: int) -> array[int]:
        return self.numbers[6 * ordinal : 6 * ordinal + 6]


def chunk_blocks(
    parsed: ParsedDocument, tokenizer: Tokenizer, policy: ChunkPolicy | None = None
) -> ChunkSequence:
    """Build the chunks in reading order, ordinals from 0.

    Laws: a chunk stays under one heading; its text from `body_offset` on is a slice of the
    canonical text; every block that is no heading is covered; a sentence, row, utterance or
    definition is divided only when it is larger than a chunk. A heading is in `heading_path`, not
    in the text; one without content and without deeper headings becomes a chunk of its own. Tokens
    are counted by piece, which is exact for tokenizers that never join words; a piece counts at
    least one token for every 24 characters, so that a tokenizer that takes a long word for one
    token cannot make a chunk of any length.
    """
    policy = policy or ChunkPolicy()
    headers = _headers(parsed.blocks, tokenizer, UnitSizes(policy))
    leads = table_leads(parsed.blocks)
    above_tables = frozenset(index for lead in leads.values() for index in lead)
    units = _Units(units_of(parsed.blocks, tokenizer, policy))
    positions = _Positions()
    may_repeat = max(len(parsed.text), _MIN_REPEATED)
    if parsed.media_type.startswith("image/"):
        policy = replace(policy, pages_stand_alone=True)  # each frame is a sheet of its own
    for section in parted_sections(parsed.blocks, policy, above_tables):
        empty = True
        for window in _windows(units.within(section.blocks)):
            empty = False
            packing = _Packing(window, parsed.blocks, policy, headers, above_tables)
            for first, last in packing.ranges():
                header = len(packing.repeated_header(first))
                may_repeat -= header
                positions.add(window[first:last], repeats=header > 0 and may_repeat >= 0)
        if empty and section.heading is not None:
            positions.add(
                [*units.within(range(section.heading, section.heading + 1))], repeats=False
            )
    return ChunkSequence(
        len(positions), lambda ordinal: _chunk(parsed, positions[ordinal], headers, leads, ordinal)
    )


def _headers(blocks: Sequence[Block], tokenizer: Tokenizer, sizes: UnitSizes) -> _Headers:
    """Find the headers to repeat: no row of amounts, and none so long that it is cut itself."""
    texts: dict[int, str] = {}
    tokens: dict[int, int] = {}
    for index, block in enumerate(blocks):
        header = table_header(block.text) if block.kind is BlockKind.TABLE else ""
        if not header or holds_amounts(header) or sizes.least(len(header)) > sizes.row_limit:
            continue
        (count,) = tokenizer.count_tokens([header])
        if sizes.size(len(header), count) <= sizes.row_limit:
            texts[index], tokens[index] = header, count
    return _Headers(texts, tokens, sizes)


class _Units:
    """Units in the order of their blocks, taken section by section."""

    def __init__(self, units: Iterator[Unit]) -> None:
        self._units = units
        self._next: Unit | None = None

    def within(self, blocks: range) -> Iterator[Unit]:
        """Yield the units of the blocks; earlier ones are skipped."""
        if not blocks:
            return
        while True:
            unit = self._next or next(self._units, None)
            self._next = unit
            if unit is None or unit.block >= blocks.stop:
                return
            self._next = None
            if unit.block >= blocks.start:
                yield unit


def _windows(units: Iterator[Unit]) -> Iterator[list[Unit]]:
    window: list[Unit] = []
    for unit in units:
        if window and (
            len(window) == _PACKED_UNITS or unit.end - window[0].start > _PACKED_CHARACTERS
        ):
            yield window
            window = []
        window.append(unit)
    if window:
        yield window


# --- packing --------------------------------------------------------------------------------


class _Packing:
    """Packs the units of one section into chunks."""

    def __init__(
        self,
        units: Sequence[Unit],
        blocks: Sequence[Block],
        policy: ChunkPolicy,
        headers: _Headers,
        above_tables: Set[int],
    ) -> None:
        self._units = units
        self._blocks = blocks
        self._headers = headers
        self._above_tables = above_tables
        self._overlap_sentences = policy.overlap_sentences
        sizes = policy.sizes
        self._target = sizes.target
        self._overlap = sizes.overlap
        self._table_target = max(1, round(sizes.target * policy.table_share))
        self._table_sizes: Counter[int] = Counter()
        measure = UnitSizes(policy)
        self._sizes = [measure.size(unit.end - unit.start, unit.tokens) for unit in units]
        if sizes.unit == "characters":
            # With the white space after it, so that sums are never below the text's length.
            ends = [*(unit.start for unit in units[1:]), units[-1].end]
            self._sizes = [end - unit.start for unit, end in zip(units, ends, strict=True)]
        for unit, size in zip(units, self._sizes, strict=True):
            if self._kind(unit) is BlockKind.TABLE:
                self._table_sizes[unit.block] += size

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the index range of each chunk's units, of sizes as even as possible."""
        total = sum(self._sizes)
        even_size = total / -(-total // self._target) if total else 0
        first = 0
        while first < len(self._units):
            last = self._without_bare_header(first, self._end(first, even_size))
            yield first, last
            if last == len(self._units):
                return
            first = self._overlap_start(first, last)

    def repeated_header(self, first: int) -> str:
        """Return the table header to repeat before a chunk that begins with this unit.

        Empty when the table begins here, or has no header worth repeating.
        """
        opening = self._units[first]
        if self._continues_table(opening):
            return self._headers.texts.get(opening.block, "")
        return ""

    def _end(self, first: int, even_size: float) -> int:
        """Return the end of the chunk that begins with this unit."""
        opening = self._units[first]
        size = self._sizes[first]
        if self._continues_table(opening):
            size += self._headers.size(opening.block)
        last = first + 1
        rows = int(self._is_row(first))
        while last < len(self._units):
            if not rows and self._is_row(last) and self._is_lead(first, last):
                # Discount what stands above a table, so that it does not divide the first rows.
                size = max(0, size - self._target // 2)
            new_size = size + self._sizes[last]
            if new_size > self._target:
                break
            if self._table_sizes[self._units[last].block] > self._target:
                if new_size > self._table_target and rows >= _MIN_ROWS:
                    break
            elif size >= even_size:
                break
            if self._starts_own_chunk(last, self._target - size) and not self._is_lead(first, last):
                break
            size = new_size
            rows += self._is_row(last)
            last += 1
        return self._before_lead(first, last)

    def _is_row(self, position: int) -> bool:
        return self._kind(self._units[position]) is BlockKind.TABLE

    def _is_lead(self, first: int, last: int) -> bool:
        """Return whether these units are only captions, headings and lead lines of a table."""
        return all(
            unit.block in self._above_tables
            or self._kind(unit) in (BlockKind.CAPTION, BlockKind.HEADING)
            for unit in self._units[first:last]
        )

    def _before_lead(self, first: int, last: int) -> int:
        """Move the end of a chunk so that the lead lines of a following table go with the table."""
        if last == len(self._units) or self._kind(self._units[last]) is not BlockKind.TABLE:
            return last
        start = last
        while start > first and self._is_lead(start - 1, start):
            start -= 1
        return start if start > first else last

    def _kind(self, unit: Unit) -> BlockKind:
        return self._blocks[unit.block].kind

    def _continues_table(self, unit: Unit) -> bool:
        return (
            self._kind(unit) is BlockKind.TABLE and unit.start > self._blocks[unit.block].char_start
        )

    def _without_bare_header(self, first: int, last: int) -> int:
        """Move the end of a chunk so that a table's header is not its last line."""
        closing = self._units[last - 1]
        splits_table = last < len(self._units) and self._units[last].block == closing.block
        block = self._blocks[closing.block]
        is_header = block.kind is BlockKind.TABLE and closing.start == block.char_start
        if splits_table and is_header and closing.block in self._headers.texts:
            return last - 1 if last - 1 > first else last + 1
        return last

    def _starts_own_chunk(self, position: int, room: int) -> bool:
        """Return whether a table begins here that does not fit the room left in this chunk."""
        unit = self._units[position]
        block = self._blocks[unit.block]
        if block.kind is not BlockKind.TABLE or unit.start != block.char_start:
            return False
        size = 0
        for following in range(position, len(self._units)):
            if self._units[following].block != unit.block or size > room:
                break
            size += self._sizes[following]
        return size > room

    def _overlap_start(self, first: int, last: int) -> int:
        """Return where the next chunk begins: some sentences back, if they and what follows fit."""
        start, repeated = last, 0
        room = min(self._overlap, self._target - self._sizes[last])
        if self._kind(self._units[last]) in LINEWISE:
            return last
        for _ in range(self._overlap_sentences):
            candidate = self._units[start - 1]
            if start - 1 <= first or self._kind(candidate) in LINEWISE:
                break
            if repeated + self._sizes[start - 1] > room:
                break
            start, repeated = start - 1, repeated + self._sizes[start - 1]
        return start


# --- chunks ---------------------------------------------------------------------------------


def _chunk(
    parsed: ParsedDocument,
    position: Sequence[int],
    headers: _Headers,
    leads: Mapping[int, tuple[int, ...]],
    ordinal: int,
) -> Chunk:
    start, end, tokens, first_block, last_block, repeats = position
    prefix = ""
    if repeats:
        prefix = headers.texts[first_block] + "\n"
        tokens += headers.tokens[first_block]
    blocks = parsed.blocks[first_block : last_block + 1]
    spans = tuple(
        BlockSpan(
            char_start=max(start, block.char_start),
            char_end=min(end, block.char_end),
            page=block.page,
            paragraph=block.paragraph,
            kind=block.kind,
            start_seconds=block.start_seconds,
            end_seconds=block.end_seconds,
            begins=start <= block.char_start,
            ends=end >= block.char_end,
        )
        for block in blocks
    )
    sizes: Counter[BlockKind] = Counter()
    for span in spans:
        sizes[span.kind] += span.char_end - span.char_start
    return Chunk(
        ordinal=ordinal,
        kind=sizes.most_common(1)[0][0],
        text=prefix + parsed.text[start:end],
        char_start=start,
        char_end=end,
        spans=spans,
        token_count=tokens,
        heading_path=blocks[-1].heading_path,
        body_offset=len(prefix),
        lead=lead_text(parsed.blocks, leads, range(first_block, last_block + 1), start),
        confidence=mean_confidence(
            (block.confidence, span.char_end - span.char_start)
            for block, span in zip(blocks, spans, strict=True)
        ),
    )
