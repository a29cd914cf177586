"""Widens passages by the chunks beside them, as one stretch of their document's text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from psycopg.rows import DictRow

from footnote.domain import BlockSpan, Passage
from footnote.domain.stretches import any_suspicious, mean_confidence, stretched
from footnote.ports import Widened
from footnote.store.database import WorkspaceScope
from footnote.store.spans import span_of_row
from footnote.store.statements import load_statements

_SQL = load_statements("neighbourhood")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Near:
    """A chunk in the neighbourhood of a passage; what it is widened by."""

    ordinal: int
    heading_path: tuple[str, ...]
    char_start: int
    char_end: int
    header: str
    spans: tuple[BlockSpan, ...]
    confidence: float | None
    suspicious: bool | None


async def load_widened(
    scope: WorkspaceScope, passages: Sequence[Passage], window: int, across_headings: bool
) -> Mapping[int, Widened]:
    """For each chunk number, its passage with up to `window` chunks before and after it.

    Unless it may go on across headings, a stretch ends where the next one begins. Law: the text
    from `body_offset` on is the document's canonical text from `char_start` to `char_end`. A
    passage whose version is no longer published, or visible, is left out. One round trip.
    """
    if not passages:
        return {}
    by_number = {passage.chunk_no: passage for passage in passages}
    cursor = await scope.connection.execute(
        _SQL["neighbourhoods"],
        {
            "workspace_id": scope.workspace_id,
            "numbers": list(by_number),
            "document_ids": [each.document_id for each in by_number.values()],
            "versions": [each.version for each in by_number.values()],
            "ordinals": [each.ordinal for each in by_number.values()],
            "window": window,
        },
    )
    return {
        row["chunk_no"]: _widened(by_number[row["chunk_no"]], window, row, across_headings)
        for row in await cursor.fetchall()
    }


def _widened(passage: Passage, window: int, row: DictRow, across_headings: bool) -> Widened:
    text, start = row["text"], row["char_start"]
    near = [_near(piece) for piece in row["chunks"]]
    between = [
        text[one.char_end - start : max(0, following.char_start - start)]
        for one, following in pairwise(near)
    ]
    goes_on = [
        # Two headings may be called the same, and stand between chunks all the same.
        across_headings or (one.heading_path == following.heading_path and not gap.strip())
        for (one, following), gap in zip(pairwise(near), between, strict=True)
    ]
    first = last = next(place for place, each in enumerate(near) if each.ordinal == passage.ordinal)
    limit = last + window
    while first > 0 and goes_on[first - 1]:
        first -= 1
    while last < limit and last < len(goes_on) and goes_on[last]:
        last += 1
    return Widened(
        passage=_stretch(passage, near[first : last + 1], text, start),
        distances={
            f"{passage.document_id}:{passage.version}:{each.ordinal}": distance
            for each in near[first : last + 1]
            if (distance := each.ordinal - passage.ordinal)
        },
        after=between[last] if last < len(goes_on) and goes_on[last] else "",
    )


def _stretch(passage: Passage, chunks: Sequence[_Near], text: str, start: int) -> Passage:
    """The passage over these chunks, cut from a text that begins at `start`."""
    opening, closing = chunks[0], chunks[-1]
    return stretched(
        passage,
        header=opening.header,
        body=text[opening.char_start - start : closing.char_end - start],
        char_start=opening.char_start,
        spans=[span for each in chunks for span in each.spans],
        confidence=mean_confidence(
            (each.confidence, each.char_end - each.char_start) for each in chunks
        ),
        suspicious=any_suspicious(each.suspicious for each in chunks),
    )


def _near(piece: DictRow) -> _Near:
    return _Near(
        ordinal=piece["ordinal"],
        heading_path=tuple(piece["heading_path"]),
        char_start=piece["char_start"],
        char_end=piece["char_end"],
        header=piece["header"],
        spans=tuple(map(span_of_row, piece["spans"])),
        confidence=piece["confidence"],
        suspicious=piece["suspicious"],
    )
