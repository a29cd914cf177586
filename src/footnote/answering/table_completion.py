"""Tables that were cut into passages are whole again, where a question is asked over all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from footnote.answering.sentences import Candidate, candidates_of
from footnote.answering.tables import tables_of
from footnote.domain import BlockKind, Evidence, Passage
from footnote.domain.passage_merging import clipped
from footnote.ports import ExpandPassages

MOST_STRETCHES = 3
"""Of tables, or of parts that lie too far from each other, for one question."""


async def with_whole_tables(
    evidence: Sequence[Evidence], tables: Sequence[Evidence], around: ExpandPassages
) -> list[Evidence]:
    """Expand the passages of incomplete tables by the rest of the table.

    Passages contained in an expanded one are dropped. A table longer than `around` returns stays
    incomplete, as does a part that is no longer visible.
    """
    cut = [table.rows[0].candidate.evidence for table in tables_of(tables) if not table.is_whole]
    found = list(evidence)
    for _ in range(MOST_STRETCHES):
        if not cut:
            break
        first = cut.pop(0)
        wider = (await around([first.passage])).get(first.passage.chunk_no)
        if wider is None:
            continue
        whole = replace(first, passage=wider.passage)
        cut = [each for each in cut if not lies_within(each.passage, wider.passage)]
        found = [
            whole if each.passage.chunk_id == first.passage.chunk_id else each
            for each in found
            if each.passage.chunk_id == first.passage.chunk_id
            or not lies_within(each.passage, wider.passage)
        ]
    return found


def lies_within(passage: Passage, other: Passage) -> bool:
    """Whether another passage has all the text of this one."""
    same = (passage.document_id, passage.version) == (other.document_id, other.version)
    return same and other.char_start <= passage.char_start <= passage.char_end <= other.char_end


def lowest_mismatch(
    parts: Sequence[Evidence], unmet: Sequence[float], tables: Sequence[Evidence]
) -> dict[str, float]:
    """The mismatch score of each passage's table by chunk: the lowest of the table's parts."""
    found = {each.passage.chunk_id: own for each, own in zip(parts, unmet, strict=True)}
    for whole in tables:
        inside = [
            each.passage.chunk_id
            for each in parts
            if lies_within(each.passage, whole.passage)
            or each.passage.chunk_id == whole.passage.chunk_id
        ]
        least = min(found[each] for each in inside)
        found |= dict.fromkeys(inside, least)
    return found


def with_cited_rows(
    evidence: Sequence[Evidence], rows: Sequence[Candidate]
) -> tuple[Evidence, ...]:
    """The evidence, with each completed table cut to the range of its cited rows."""
    shown: dict[str, Evidence] = {}
    for each in rows:
        passage = each.evidence.passage
        if passage.chunk_id not in shown:
            own = [one for one in rows if one.evidence.passage.chunk_id == passage.chunk_id]
            start, end = min(one.start for one in own), max(one.end for one in own)
            shown[passage.chunk_id] = replace(
                each.evidence,
                passage=clipped(passage, start, end, header=_header(each.evidence, start)),
            )
    cited = [(each, shown.get(each.passage.chunk_id, each)) for each in evidence]
    return tuple(
        found if lies_within(stretch.passage, found.passage) else stretch
        for found, stretch in cited
    )


def _header(evidence: Evidence, start: int) -> str:
    """What stands above the first row of the table that has a row there."""
    passage = evidence.passage
    if passage.body_offset:
        return passage.text[: passage.body_offset]
    shift = passage.char_start - passage.body_offset
    table = next(
        each
        for each in passage.spans
        if each.kind is BlockKind.TABLE and each.char_start <= start + shift < each.char_end
    )
    begins = table.char_start - shift
    first = next(each for each in candidates_of([evidence]) if each.start >= begins)
    return passage.text[begins : passage.text.rfind("\n", 0, first.start) + 1]
