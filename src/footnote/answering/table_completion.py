"""Complete tables that were split into passages, for questions over all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from footnote.answering.sentences import Candidate, candidates_of
from footnote.answering.tables import tables_of
from footnote.domain import BlockKind, Evidence, Passage
from footnote.domain.passage_merging import clipped
from footnote.ports import ExpandPassages

MAX_STRETCHES = 3
"""Most tables, or distant parts of tables, that are completed for one question."""


async def with_complete_tables(
    evidence: Sequence[Evidence], tables: Sequence[Evidence], around: ExpandPassages
) -> list[Evidence]:
    """Expand the passages of incomplete tables by the rest of the table.

    Passages contained in an expanded one are dropped. A table longer than `around` returns stays
    incomplete, as does a part that is no longer visible.
    """
    incomplete = [
        table.rows[0].candidate.evidence for table in tables_of(tables) if not table.is_whole
    ]
    expanded = list(evidence)
    for _ in range(MAX_STRETCHES):
        if not incomplete:
            break
        first = incomplete.pop(0)
        expansion = (await around([first.passage])).get(first.passage.chunk_no)
        if expansion is None:
            continue
        completed = replace(first, passage=expansion.passage)
        incomplete = [
            item for item in incomplete if not lies_within(item.passage, expansion.passage)
        ]
        expanded = [
            completed if item.passage.chunk_id == first.passage.chunk_id else item
            for item in expanded
            if item.passage.chunk_id == first.passage.chunk_id
            or not lies_within(item.passage, expansion.passage)
        ]
    return expanded


def lies_within(passage: Passage, other: Passage) -> bool:
    """Whether another passage contains all the text of this one."""
    is_same_version = (passage.document_id, passage.version) == (other.document_id, other.version)
    return (
        is_same_version
        and other.char_start <= passage.char_start <= passage.char_end <= other.char_end
    )


def lowest_mismatch(
    parts: Sequence[Evidence], scores: Sequence[float], tables: Sequence[Evidence]
) -> dict[str, float]:
    """The mismatch score of each passage's table by chunk: the lowest of the table's parts."""
    mismatches = {
        item.passage.chunk_id: mismatch for item, mismatch in zip(parts, scores, strict=True)
    }
    for table in tables:
        chunk_ids = [
            item.passage.chunk_id
            for item in parts
            if lies_within(item.passage, table.passage)
            or item.passage.chunk_id == table.passage.chunk_id
        ]
        lowest = min(mismatches[chunk_id] for chunk_id in chunk_ids)
        mismatches |= dict.fromkeys(chunk_ids, lowest)
    return mismatches


def with_cited_rows(
    evidence: Sequence[Evidence], rows: Sequence[Candidate]
) -> tuple[Evidence, ...]:
    """The evidence, with each completed table cut to the range of its cited rows."""
    clipped_by_chunk: dict[str, Evidence] = {}
    for cited_row in rows:
        passage = cited_row.evidence.passage
        if passage.chunk_id not in clipped_by_chunk:
            chunk_rows = [row for row in rows if row.evidence.passage.chunk_id == passage.chunk_id]
            start, end = min(row.start for row in chunk_rows), max(row.end for row in chunk_rows)
            clipped_by_chunk[passage.chunk_id] = replace(
                cited_row.evidence,
                passage=clipped(passage, start, end, header=_header(cited_row.evidence, start)),
            )
    pairs = [(item, clipped_by_chunk.get(item.passage.chunk_id, item)) for item in evidence]
    return tuple(
        original if lies_within(excerpt.passage, original.passage) else excerpt
        for original, excerpt in pairs
    )


def _header(evidence: Evidence, start: int) -> str:
    """The header above the first of the rows."""
    passage = evidence.passage
    if passage.body_offset:
        return passage.text[: passage.body_offset]
    shift = passage.char_start - passage.body_offset
    table = next(
        span
        for span in passage.spans
        if span.kind is BlockKind.TABLE and span.char_start <= start + shift < span.char_end
    )
    table_start = table.char_start - shift
    first_row = next(
        candidate for candidate in candidates_of([evidence]) if candidate.start >= table_start
    )
    return passage.text[table_start : passage.text.rfind("\n", 0, first_row.start) + 1]
