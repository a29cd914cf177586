"""Collect the lines above a table that describe it: its caption, unit and column heads.

Reports often put these on lines of their own above a table ("In millions", "Three months ended",
dates), and divide the table by other lines ("Operating expenses:") and page breaks, so that rows
far below contain none of it. Each chunk with rows therefore carries the lines that its own text
lacks, to be found by them; quotes come from its own text alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from footnote.domain import Block, BlockKind

MAX_LEAD_CHARACTERS = 320
_LONGEST_LINE = 120
"""Most characters of a line that describes a table; a longer one is prose."""
_MAX_LABELS = 2
"""Most lines between two tables with a common lead; more are the lead of the second alone."""
_MAX_LINES = 12
_MAX_HEAD_LINES = 5
"""Most lines of a table that is the head of another: its header, its rule and three rows."""
_AMOUNT = re.compile(
    r"[($€£¥ +-]*(?:\d{1,3}(?:[,.' ]\d{3})+|\d+)(?:[.,]\d+)?[)%$€£¥ ]*|[—–-]", re.UNICODE
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_CURRENCIES = frozenset("$€£¥")
_RULES = re.compile(r"[|]|(?<=[|\s]):?-{3,}:?(?=[|\s])")
_INTRODUCES = (":", "：")
_LONGEST_INTRODUCTION = 300
"""Most characters of a sentence that ends with a colon and introduces a table."""
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")
_LINES = (BlockKind.PARAGRAPH, BlockKind.CAPTION, BlockKind.OCR_TEXT, BlockKind.LIST)


def table_leads(blocks: Sequence[Block]) -> Mapping[int, tuple[int, ...]]:
    """Map the index of each table's block to those of the blocks that describe it.

    These are the headings and short lines above it, back to the last prose or table, and sentences
    that introduce it with a colon. A table that follows another with at most `_MAX_LABELS` lines
    between them has the lines above both, and those between; a heading on another page ends that. A
    small table without amounts is the head of the next.
    """
    leads: dict[int, tuple[int, ...]] = {}
    head: list[int] = []
    lines_since: list[int] = []
    page: int | None = None
    """Page of the last table, while only lines have followed it."""
    for index, block in enumerate(blocks):
        if block.kind is BlockKind.TABLE:
            if not head or len(lines_since) > _MAX_LABELS:
                head, lines_since = lines_since[-_MAX_LINES:], []
            leads[index] = (*head, *lines_since)
            if _is_head(blocks, index):
                head = [*leads[index], index]
            lines_since, page = [], block.page
        elif block.kind is BlockKind.HEADING or _is_line(block):
            if block.kind is BlockKind.HEADING and block.page != page:
                head = []
            lines_since.append(index)
        elif _LETTER.search(block.text):
            head, lines_since, page = [], [], None
    return leads


def lead_text(
    blocks: Sequence[Block],
    leads: Mapping[int, tuple[int, ...]],
    indices: range,
    start: int,
) -> str:
    """Return the lines above its tables that a chunk of these blocks carries, each once.

    `start` is the offset where the chunk's text begins: it contains lines from there on itself, and
    headings in its heading path. Empty for a chunk without rows.
    """
    path = blocks[indices[-1]].heading_path
    lines: dict[str, None] = {}
    for index in indices:
        for lead_index in leads.get(index, ()):
            if blocks[lead_index].char_start < start and blocks[lead_index].text not in path:
                block = blocks[lead_index]
                text = _RULES.sub(" ", block.text) if block.kind is BlockKind.TABLE else block.text
                lines[" ".join(text.split())] = None
    lead: list[str] = []
    room = MAX_LEAD_CHARACTERS
    for line in lines:
        room -= len(line) + 2
        if room < 0:
            break
        lead.append(line)
    return "; ".join(lead)


def holds_amounts(row: str) -> bool:
    """Whether most filled cells after the first are amounts, unlike in a row of column heads."""
    first, _, _ = row.partition("\n")
    cells = [cell.strip() for cell in first.strip().strip("|").split("|")][1:]
    filled = [cell for cell in cells if cell and cell not in _CURRENCIES]
    amounts = [cell for cell in filled if _AMOUNT.fullmatch(cell) and not _YEAR.fullmatch(cell)]
    return 2 * len(amounts) > len(filled)


def _is_head(blocks: Sequence[Block], index: int) -> bool:
    """Whether a table has few rows, none of amounts, and another table comes right after it."""
    if index + 1 == len(blocks) or blocks[index + 1].kind is not BlockKind.TABLE:
        return False
    text = blocks[index].text
    rows = text.split("\n", _MAX_HEAD_LINES + 1)
    return len(rows) <= _MAX_HEAD_LINES and not any(map(holds_amounts, rows))


def _is_line(block: Block) -> bool:
    text = block.text.strip()
    if block.kind not in _LINES or not _LETTER.search(text):
        return False  # The number of a page is neither prose nor a caption.
    if text.endswith(_INTRODUCES):
        return len(text) <= _LONGEST_INTRODUCTION
    return len(text) <= _LONGEST_LINE and not text.endswith(_SENTENCE_ENDS)
