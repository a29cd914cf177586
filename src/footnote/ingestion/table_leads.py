"""The lines above a table that say what it holds: its caption, its unit, the heads of its columns.

A table of a report often begins below lines of their own ("In millions", "Three months ended",
dates), and is cut into parts by others ("Operating expenses:") and by the ends of pages. Rows far
below name none of it. So each chunk with rows carries those lines that are not in its own text, to
be found by them; what is quoted stays what stands there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from footnote.domain import Block, BlockKind

MAX_LEAD_CHARACTERS = 320
_LONGEST_LINE = 120
"""Longer lines above a table are prose that leads to it, or end what was said before."""
_MOST_LABELS = 2
"""More lines than this between two tables are the head of another table."""
_MOST_LINES = 12
_MOST_HEAD_LINES = 5
"""Of a table that is the head of another: its header, its rule and three rows."""
_AMOUNT = re.compile(
    r"[($€£¥ +-]*(?:\d{1,3}(?:[,.' ]\d{3})+|\d+)(?:[.,]\d+)?[)%$€£¥ ]*|[—–-]", re.UNICODE
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_CURRENCIES = frozenset("$€£¥")
_RULES = re.compile(r"[|]|(?<=[|\s]):?-{3,}:?(?=[|\s])")
_INTRODUCES = (":", "：")
_LONGEST_INTRODUCTION = 300
"""Of a sentence that ends with a colon: what follows is the table it speaks of."""
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")
_LINES = (BlockKind.PARAGRAPH, BlockKind.CAPTION, BlockKind.OCR_TEXT, BlockKind.LIST)


def table_leads(blocks: Sequence[Block]) -> Mapping[int, tuple[int, ...]]:
    """For each table, by its index, the indexes of the blocks that say what it holds.

    Those are the headings and short lines above it since prose or another table, and sentences
    that introduce it with a colon. Where it follows another with no more than a label between them,
    they are what is above both, and the label; a heading on another page ends that. A small table
    without amounts is the head of the next.
    """
    leads: dict[int, tuple[int, ...]] = {}
    head: list[int] = []
    since: list[int] = []
    page: int | None = None
    """Of the last table, while nothing but lines came behind it."""
    for index, block in enumerate(blocks):
        if block.kind is BlockKind.TABLE:
            if not head or len(since) > _MOST_LABELS:
                head, since = since[-_MOST_LINES:], []
            leads[index] = (*head, *since)
            if _is_head(blocks, index):
                head = [*leads[index], index]
            since, page = [], block.page
        elif block.kind is BlockKind.HEADING or _is_line(block):
            if block.kind is BlockKind.HEADING and block.page != page:
                head = []
            since.append(index)
        elif _LETTER.search(block.text):
            head, since, page = [], [], None
    return leads


def lead_text(
    blocks: Sequence[Block],
    leads: Mapping[int, tuple[int, ...]],
    within: range,
    start: int,
) -> str:
    """What a chunk of these blocks carries of the lines above its tables, each line once.

    `start` is where its text begins: lines from there on it holds itself, as its heading path does
    headings. Nothing for a chunk without rows.
    """
    path = blocks[within[-1]].heading_path
    lines: dict[str, None] = {}
    for index in within:
        for above in leads.get(index, ()):
            if blocks[above].char_start < start and blocks[above].text not in path:
                block = blocks[above]
                text = _RULES.sub(" ", block.text) if block.kind is BlockKind.TABLE else block.text
                lines[" ".join(text.split())] = None
    kept: list[str] = []
    room = MAX_LEAD_CHARACTERS
    for line in lines:
        room -= len(line) + 2
        if room < 0:
            break
        kept.append(line)
    return "; ".join(kept)


def holds_amounts(row: str) -> bool:
    """Whether half of the cells behind the first are amounts, as in no row of column heads."""
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
    rows = text.split("\n", _MOST_HEAD_LINES + 1)
    return len(rows) <= _MOST_HEAD_LINES and not any(map(holds_amounts, rows))


def _is_line(block: Block) -> bool:
    text = block.text.strip()
    if block.kind not in _LINES or not _LETTER.search(text):
        return False  # The number of a page is neither prose nor a caption.
    if text.endswith(_INTRODUCES):
        return len(text) <= _LONGEST_INTRODUCTION
    return len(text) <= _LONGEST_LINE and not text.endswith(_SENTENCE_ENDS)
