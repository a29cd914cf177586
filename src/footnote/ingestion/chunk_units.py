"""Cut blocks into the units that chunks never divide: sentences, rows, utterances, code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from footnote.domain import Block, BlockKind
from footnote.ingestion.chunk_policies import ChunkPolicy
from footnote.language.scripts import UNBROKEN, is_data
from footnote.language.sentences import sentence_spans
from footnote.ports import Tokenizer

LINEWISE = (BlockKind.TABLE, BlockKind.CODE)
"""Kinds whose lines do not continue one another, so that none is repeated as overlap."""
WIDEST_TOKEN = 24
"""Most characters counted as one token: a tokenizer may take a word of any length for one."""
_ATOM = re.compile(rf"(?P<unbroken>{UNBROKEN})|\S{{1,{WIDEST_TOKEN}}}")
"""What an oversized sentence is cut into: words, and slices of words that are longer."""
_TABLE_RULE = re.compile(r"\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$")
_CLOSES = re.compile(r"[)\]}]|(?:end|else|elif|elsif|except|finally|catch|rescue|fi|done)\b")
"""Beginning of an unindented line that belongs to the definition before it."""

_SLICE_CHARACTERS = 65_536
_SLICE_PIECES = 1024
"""Most characters and pieces that are counted, and searched for sentence ends, at a time.

A tokenizer takes some 300 bytes for each character that it counts in one call (485 MB for a line of
1 MB), and a regular expression that finds no match in a long text blocks all other threads."""
_LOOK_AHEAD = 256
"""Characters after a full stop that may show that it does not end a sentence."""
_CACHED_WORDS = 32_768
"""Size of the cache of token counts by word, since texts repeat their words."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest piece that is never divided, by its offsets in the canonical text."""

    block: int
    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class UnitSizes:
    """Measures pieces in the unit of the policy."""

    policy: ChunkPolicy

    @property
    def target(self) -> int:
        """Most that a chunk holds, unless a single row is larger."""
        return self.policy.sizes.target

    @property
    def row_limit(self) -> int:
        """Maximum size of a table row before it is cut."""
        return int(self.target * self.policy.row_limit_targets)

    def size(self, characters: int, tokens: int) -> int:
        """Return the size of a piece of so many characters and tokens."""
        if self.policy.target_characters is not None:
            return characters
        return max(tokens, self.least(characters))

    def least(self, characters: int) -> int:
        """Return the least size of a piece of so many characters, however few its tokens."""
        if self.policy.target_characters is not None:
            return characters
        return -(-characters // WIDEST_TOKEN)


def table_header(table: str) -> str:
    """The header row and its rule, or nothing when the table has none."""
    first = table.find("\n")
    if first < 0:
        return ""
    second = table.find("\n", first + 1)
    end = second if second >= 0 else len(table)
    return table[:end] if _TABLE_RULE.match(table, first + 1, end) else ""


def units_of(blocks: Iterable[Block], tokenizer: Tokenizer, policy: ChunkPolicy) -> Iterator[Unit]:
    """Yield the units of each block in order, whole if they fit a chunk, else in parts that do.

    However long the blocks are, memory use stays at what a few chunks need.
    """
    return _Cutter(tokenizer, policy).units(blocks)


class _Cutter:
    """Cuts what is larger than a chunk."""

    def __init__(self, tokenizer: Tokenizer, policy: ChunkPolicy) -> None:
        self._tokenizer = tokenizer
        self._sizes = UnitSizes(policy)
        self._token_counts: dict[str, int] = {}

    def units(self, blocks: Iterable[Block]) -> Iterator[Unit]:
        pieces = (
            (index, block, span)
            for index, block in enumerate(blocks)
            for span in _whole_spans(block)
        )
        for index, block, span, tokens in self._counted(pieces):
            if self._fits(block, span, tokens):
                yield self._unit(index, block, span, tokens)
            else:
                yield from self._parts(index, block, span)

    def _parts(self, index: int, block: Block, span: Span) -> Iterator[Unit]:
        """Yield the finer pieces of an oversized one; those that are still too large are cut at
        words.
        """
        finer = ((index, block, part) for part in _finer_spans(block, span))
        for _, _, part, tokens in self._counted(finer):
            if self._sizes.size(part[1] - part[0], tokens) <= self._sizes.target:
                yield self._unit(index, block, part, tokens)
            else:
                yield from self._cut(index, block, part)

    def _fits(self, block: Block, span: Span, tokens: int) -> bool:
        sizes = self._sizes
        limit = sizes.row_limit if block.kind is BlockKind.TABLE else sizes.target
        return sizes.size(span[1] - span[0], tokens) <= limit

    def _unit(self, index: int, block: Block, span: Span, tokens: int) -> Unit:
        return Unit(index, block.char_start + span[0], block.char_start + span[1], tokens)

    def _counted(
        self, pieces: Iterable[tuple[int, Block, Span]]
    ) -> Iterator[tuple[int, Block, Span, int]]:
        """Yield the pieces with their token counts; one too large in any case is not counted."""
        batch: list[tuple[int, Block, Span]] = []
        characters = 0
        for piece in pieces:
            length = piece[2][1] - piece[2][0]
            if batch and (characters + length > _SLICE_CHARACTERS or len(batch) == _SLICE_PIECES):
                yield from self._counted_batch(batch)
                batch, characters = [], 0
            batch.append(piece)
            characters += length
        yield from self._counted_batch(batch)

    def _counted_batch(
        self, batch: list[tuple[int, Block, Span]]
    ) -> Iterator[tuple[int, Block, Span, int]]:
        limit = max(self._sizes.row_limit, self._sizes.target)
        texts = [
            "" if self._sizes.least(end - start) > limit else block.text[start:end]
            for _, block, (start, end) in batch
        ]
        counts = self._tokenizer.count_tokens(texts) if texts else []
        for (index, block, span), tokens in zip(batch, counts, strict=True):
            yield index, block, span, tokens

    def _cut(self, index: int, block: Block, span: Span) -> Iterator[Unit]:
        """Cut an oversized piece at word boundaries, or within words that are too long."""
        piece_start: int | None = None
        piece_end = tokens = 0
        for start, end, count in self._counted_atoms(block.text, span):
            if piece_start is None:
                piece_start = start
            elif self._sizes.size(end - piece_start, tokens + count) > self._sizes.target:
                yield self._unit(index, block, (piece_start, piece_end), tokens)
                piece_start, tokens = start, 0
            tokens += count
            piece_end = end
        if piece_start is not None:
            yield self._unit(index, block, (piece_start, piece_end), tokens)

    def _counted_atoms(self, text: str, span: Span) -> Iterator[tuple[int, int, int]]:
        remaining = _atoms(text, span)
        while atoms := list(islice(remaining, _SLICE_PIECES)):
            words = {text[start:end] for start, end, is_one_token in atoms if not is_one_token}
            if len(self._token_counts) > _CACHED_WORDS:
                self._token_counts.clear()
            fresh = [word for word in words if word not in self._token_counts]
            if fresh:
                counts = self._tokenizer.count_tokens(fresh)
                self._token_counts.update(zip(fresh, counts, strict=True))
            for start, end, is_one_token in atoms:
                yield start, end, 1 if is_one_token else self._token_counts[text[start:end]]


def _atoms(text: str, span: Span) -> Iterator[tuple[int, int, bool]]:
    """Yield words and slices of longer ones, each with whether it is data, a single token."""
    for match in _ATOM.finditer(text, *span):
        start, end = match.span()
        is_one_token = match["unbroken"] is not None and is_data(match["unbroken"])
        for first in range(start, end, WIDEST_TOKEN):
            yield first, min(first + WIDEST_TOKEN, end), is_one_token


def _whole_spans(block: Block) -> Iterator[Span]:
    """The pieces that stay whole if they can."""
    match block.kind:
        case BlockKind.TABLE:
            header = len(table_header(block.text))  # header and rule are one piece
            if header:
                yield 0, header
            yield from _line_spans(block.text, header, len(block.text))
        case BlockKind.CODE:
            yield from _definition_spans(block.text)
        case BlockKind.UTTERANCE:
            yield 0, len(block.text)
        case _:
            yield from _sentences(block.text, 0, len(block.text))


def _finer_spans(block: Block, span: Span) -> Iterator[Span]:
    match block.kind:
        case BlockKind.CODE:
            return _line_spans(block.text, *span)
        case BlockKind.UTTERANCE:
            return _sentences(block.text, *span)
        case _:
            return iter([span])


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the sentences of a part of a text, which is searched slice by slice.

    The last sentence of a slice may continue after it, so the next slice begins with it. A slice
    without a sentence end is a piece itself: it is larger than a chunk in any case.
    """
    while end - start > _SLICE_CHARACTERS:
        window = text[start : start + _SLICE_CHARACTERS]
        spans = sentence_spans(window)
        settled = len(spans) - 1
        while settled > 0 and spans[settled][0] > _SLICE_CHARACTERS - _LOOK_AHEAD:
            settled -= 1
        if settled > 0:
            yield from ((start + first, start + last) for first, last in spans[:settled])
            start += spans[settled][0]
            continue
        cut = max(window.rfind(" "), window.rfind("\n"), window.rfind("\t"))
        if cut <= 0:
            cut = _SLICE_CHARACTERS
        if spans and spans[0][0] < cut:
            yield start + spans[0][0], start + cut
        start += cut
    if start < end:
        yield from (
            (start + first, start + last) for first, last in sentence_spans(text[start:end])
        )


def _line_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """The lines of a part of a text that are not blank."""
    while start <= end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if not text[start:stop].isspace() and stop > start:
            yield start, stop
        start = stop + 1


def _definition_spans(code: str) -> Iterator[Span]:
    """Runs of lines that begin unindented after a blank line, or after a closing bracket."""
    run: Span | None = None
    before: Span | None = None
    for start, end in _line_spans(code, 0, len(code)):
        opens = not code[start].isspace() and not _CLOSES.match(code, start, end)
        after_blank_line = before is None or "\n" in code[before[1] + 1 : start]
        after_closer = before is not None and bool(_CLOSES.match(code, *before))
        if run is None or (opens and (after_blank_line or after_closer)):
            if run is not None:
                yield run
            run = (start, end)
        else:
            run = (run[0], end)
        before = (start, end)
    if run is not None:
        yield run
