"""Split evidence into candidate statements: sentences, list items and table rows, with offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from footnote.answering.addresses import addresses_in
from footnote.answering.injection_patterns import has_injection_pattern
from footnote.answering.sanitise import plain_text, without_directions, without_hidden
from footnote.domain import BlockKind, Evidence, Passage
from footnote.language.sentences import sentence_spans
from footnote.language.table_rows import cell_spans, unescaped

_MARKS = re.compile(r"(?:>+[ \t]+(?!\d))?(?:(?:[-*•+–]|\d{1,3}[.)]|[a-z][.)]|#{1,6})[ \t]+)?")
"""Marks of quoted mail (before a number `>` may be "more than") and of list items; may be empty."""
_SEPARATOR_CHARACTERS = frozenset(" \t|:-=+")
_LINE = re.compile(r"[^\n]+")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_`](?=\w)|(?<=\w)[*_`](?!\w)")
_GAP = re.compile(r":|\S {2,}\S|\t")

FEWEST_FIELDS = 3
"""Minimum lines of a form, label or sign, which has no full stops; two lines need a gap each."""
LONGEST_FIELD = 90
"""Most characters of a field of a form; longer lines are prose."""
OPENING_SHARE = 0.75
"""Minimum share of lines that begin like fields: continued lines of prose begin in lower case."""


EMBEDDED_CHARACTERS = 400
"""Most characters of a statement that are embedded. Few sentences are longer; a page without a full
stop would cost as much as all the others together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A statement the answer might quote.

    Law: `evidence.passage.text[start:end]` is the quote, non-empty, without outer white space,
    and lies in the passage's body.
    """

    evidence: Evidence
    start: int
    end: int
    statement: str
    """The quote as one line: without invisible characters, and for a table row with its header."""
    kind: BlockKind
    is_field: bool = False
    """Whether it is a line of a form, a label or a sign, which is complete without a full stop."""
    header: tuple[str, ...] = ()
    """The column titles of a table row, including empty ones; empty for other statements."""

    @property
    def quote(self) -> str:
        """The exact text in the passage."""
        return self.evidence.passage.text[self.start : self.end]

    @property
    def embedded_text(self) -> str:
        """The statement under its innermost heading, which often names its subject; cut."""
        headings = self.evidence.passage.heading_path[-1:]
        if self.is_field and not headings:
            headings = (self.evidence.passage.document_title,)
        return ": ".join((*headings, self.statement))[:EMBEDDED_CHARACTERS]

    @property
    def readable(self) -> str:
        """The statement without anything that could make a viewer open, load or misread
        something."""
        return self.readable_text(self.statement)

    def readable_text(self, text: str) -> str:
        """Clean another text about the statement in the same way."""
        is_trusted = not self.evidence.suspicious
        addresses = addresses_in(text) if is_trusted else frozenset[str]()
        return plain_text(text, addresses=addresses) or "…"

    @property
    def is_prompt_injection(self) -> bool:
        """Whether it is an instruction to a model, which is no answer.

        Direction marks make evidence suspicious, but they are no instruction: the statement is
        shown without them.
        """
        return has_injection_pattern(without_directions(self.quote)) or has_injection_pattern(
            self.statement
        )

    @property
    def canonical_span(self) -> tuple[int, int]:
        """Offsets of the quote in the document's canonical text."""
        passage = self.evidence.passage
        shift = passage.char_start - passage.body_offset
        return self.start + shift, self.end + shift


def candidates_of(evidence: Sequence[Evidence]) -> list[Candidate]:
    """Every statement of the evidence once, in the order of the evidence and its text.

    Text in overlapping chunks is taken from the first of them.
    """
    keys: set[tuple[UUID, int, int, int]] = set()
    candidates: list[Candidate] = []
    for item in evidence:
        for candidate in _candidates_in(item):
            key = (item.passage.document_id, item.passage.version, *candidate.canonical_span)
            if key not in keys:
                keys.add(key)
                candidates.append(candidate)
    return candidates


def _candidates_in(evidence: Evidence) -> Iterator[Candidate]:
    for kind, start, end in _regions(evidence.passage):
        if kind is BlockKind.HEADING:
            continue
        if kind is BlockKind.TABLE:
            yield from _rows(evidence, start, end)
        else:
            yield from _sentences(evidence, kind, start, end)


def _regions(passage: Passage) -> Iterator[tuple[BlockKind, int, int]]:
    """The blocks of the body as slices of the passage's text."""
    shift = passage.body_offset - passage.char_start
    if not passage.spans:
        yield passage.kind, passage.body_offset, len(passage.text)
    for span in passage.spans:
        start = max(span.char_start + shift, passage.body_offset)
        end = min(span.char_end + shift, len(passage.text))
        if start < end:
            yield span.kind, start, end


def _sentences(evidence: Evidence, kind: BlockKind, start: int, end: int) -> Iterator[Candidate]:
    text = evidence.passage.text[start:end]
    fields = _fields(text) if kind is BlockKind.PARAGRAPH else []
    for first, last in fields or sentence_spans(text):
        marks = _MARKS.match(text, first, last)
        begin = marks.end() if marks else first
        if begin >= last:
            continue
        statement = _one_line(text[begin:last])
        if not any(map(str.isalnum, statement)):
            continue
        yield Candidate(
            evidence=evidence,
            start=start + begin,
            end=start + last,
            statement=statement,
            kind=kind,
            is_field=bool(fields),
        )


def _fields(text: str) -> list[tuple[int, int]]:
    """The fields of a form, a label or a sign: lines, each with its continuation lines.

    Empty for prose. A line that begins in lower case continues the previous one.

    >>> _fields("ISSUED   3 May\\nVALID FOR   ten years")
    [(0, 14), (15, 36)]
    """
    lines = _lines(text, 0, len(text))
    if len(lines) < 2:
        return []
    opens_field = [not text[first].islower() for first, last in lines]
    has_stop = [text[first:last].endswith((".", "!", "?", "。")) for first, last in lines]
    has_gap = [bool(_GAP.search(text[first:last])) for first, last in lines]
    looks_like_form = (
        max(last - first for first, last in lines) <= LONGEST_FIELD
        and sum(opens_field[1:]) >= OPENING_SHARE * (len(lines) - 1)
        and sum(has_stop) < len(lines) / 2
        and (len(lines) >= FEWEST_FIELDS or all(has_gap))
    )
    if not looks_like_form:
        return []
    fields: list[tuple[int, int]] = []
    for (first, last), is_opening in zip(lines, opens_field, strict=True):
        fields[-1:] = (
            [(fields[-1][0], last)] if fields and not is_opening else [*fields[-1:], (first, last)]
        )
    return fields


def _rows(evidence: Evidence, start: int, end: int) -> Iterator[Candidate]:
    passage = evidence.passage
    header, rows = _header_and_rows(passage, start, end)
    for first, last in rows:
        cells = _cells(_whole_line(passage.text, first, last))
        if not any(any(map(str.isalnum, cell)) for cell in cells):
            continue
        yield Candidate(
            evidence=evidence,
            start=first,
            end=last,
            statement=_spell_out(header, cells),
            kind=BlockKind.TABLE,
            header=tuple(header),
        )


def _header_and_rows(
    passage: Passage, start: int, end: int
) -> tuple[list[str], list[tuple[int, int]]]:
    """The header's cells, including repeated ones, and the spans of the data rows."""
    repeated_lines = passage.text[: passage.body_offset].strip().splitlines()
    lines = _lines(passage.text, start, end)
    header = _cells(repeated_lines[0]) if repeated_lines else []
    for index, (first, last) in enumerate(lines[:2]):
        if index == 1 and _is_separator(passage.text[first:last]):
            header = _cells(_whole_line(passage.text, *lines[0]))
            lines = lines[2:]
    return header, [
        (first, last) for first, last in lines if not _is_separator(passage.text[first:last])
    ]


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Non-empty lines without their white space and outer cell borders."""
    spans = []
    for match in _LINE.finditer(text, start, end):
        first, last = without_borders(text, *match.span())
        if first < last:
            spans.append((first, last))
    return spans


def without_borders(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space and borders of cells at its ends; it may become empty."""
    while start < end and _is_edge(text[start]):
        start += 1
    while start < end and _is_edge(text[end - 1]):
        end -= 1
    return start, end


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell of a table row, at `text[start:end]` of the passage."""

    title: str
    """The title of its column; may be empty."""
    text: str
    """The visible text: one line, without emphasis marks."""
    start: int
    end: int


def cells_of(row: Candidate) -> list[Cell]:
    """The cells of a table row, including empty ones; empty for other candidates."""
    if row.kind is not BlockKind.TABLE:
        return []
    text = row.evidence.passage.text
    spans = cell_spans(text, *_line_around(text, row.start, row.end))
    titles = row.header if len(row.header) == len(spans) else ("",) * len(spans)
    return [
        Cell(title=title, text=_cell_text(text[start:end]), start=start, end=end)
        for title, (start, end) in zip(titles, spans, strict=True)
    ]


def _whole_line(text: str, start: int, end: int) -> str:
    """The whole line around this part of it, including borders and empty outer cells."""
    first, last = _line_around(text, start, end)
    return text[first:last]


def _line_around(text: str, start: int, end: int) -> tuple[int, int]:
    line_end = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, line_end if line_end >= 0 else len(text)


def _is_edge(character: str) -> bool:
    return character == "|" or character.isspace()


def _is_separator(row: str) -> bool:
    return "-" in row and _SEPARATOR_CHARACTERS.issuperset(row)


def _cells(row: str) -> list[str]:
    """The cells of a line, including empty ones, without its outermost borders.

    >>> _cells("|  | Weight | |")
    ['', 'Weight', '']
    """
    return [_cell_text(row[start:end]) for start, end in cell_spans(row)]


def _cell_text(cell: str) -> str:
    return _one_line(unescaped(cell))


def _one_line(text: str) -> str:
    """The text in one line, without emphasis marks and invisible characters."""
    return " ".join(_EMPHASIS.sub("", without_hidden(text)).split())


def _spell_out(header: Sequence[str], cells: Sequence[str]) -> str:
    """`Header: cell, Header: cell`; a cell without a header stands alone.

    A partial row, which has fewer cells, gets no headers, since its columns are unknown.

    >>> _spell_out(["City", "Rent"], ["Basel", "1,200"])
    'City: Basel, Rent: 1,200'
    >>> _spell_out(["", "Weight"], ["Adze", "3 kg"])
    'Adze — Weight: 3 kg'
    """
    titles = list(header) if len(header) == len(cells) else [""] * len(cells)
    titled_cells = list(zip(titles, cells, strict=True))
    parts = [f"{title}: {cell}" if title else cell for title, cell in titled_cells if cell]
    if not titles[0] and cells[0] and len(parts) > 1 and any(titles):
        return f"{parts[0]} — {', '.join(parts[1:])}"
    return ", ".join(parts)
