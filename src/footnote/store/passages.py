"""Reads published chunks with their provenance, alone or merged with their neighbours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import cast
from uuid import UUID

from psycopg import AsyncCursor
from psycopg.rows import DictRow
from pydantic import TypeAdapter

from footnote.domain import BlockKind, BlockSpan, Passage, PassageContext, PassagePage, SourceType
from footnote.domain.passage_merging import any_suspicious, merged_passage, seconds_of
from footnote.domain.probability import mean_confidence
from footnote.errors import NotFound
from footnote.ports import DatedDocument, ExpandedPassage, TableText
from footnote.store.database import WorkspaceScope
from footnote.store.sealed_texts import pieces_of, plain_piece, stretch
from footnote.store.sealing import CHUNK_TEXT, HEADINGS, TITLE
from footnote.store.statements import load_statements, record_of
from footnote.validation.cursors import Count, read_cursor, write_cursor

_SQL = load_statements("passages")

_LONGEST_CHUNK_ID = 60
"""Characters of a chunk id that errors show: a document id, a version and an ordinal."""
_ORDINAL = TypeAdapter(Count)
_BEGINS, _ENDS = 1, 2  # Bits of a span's last number: its block's beginning and end are in it.


async def ask_passages(scope: WorkspaceScope, chunk_numbers: Sequence[int]) -> AsyncCursor[DictRow]:
    """Send the query for the passages of these chunk numbers without waiting for its result."""
    return await scope.execute(_SQL["passages"], {"numbers": list(chunk_numbers)})


async def read_passages(
    scope: WorkspaceScope, cursor: AsyncCursor[DictRow]
) -> Mapping[int, Passage]:
    """Return the published and visible passages by chunk number; the scope may have ended."""
    return {row["chunk_no"]: _passage(scope, row) for row in await cursor.fetchall()}


async def documents_of(
    scope: WorkspaceScope, chunk_numbers: Sequence[int]
) -> Mapping[int, DatedDocument]:
    """The document of each chunk that is published and visible, by chunk number."""
    rows = await scope.all(_SQL["documents_of"], {"numbers": list(chunk_numbers)})
    return {
        row["chunk_no"]: DatedDocument(
            document_id=row["document_id"],
            filename=row["filename"],
            title=scope.sealing.plain_text(TITLE.of(row["document_id"]), row["title"]),
            document_date=_day_of(row["document_date"]),
        )
        for row in rows
    }


async def tables_among(
    scope: WorkspaceScope, chunk_numbers: Sequence[int]
) -> Mapping[int, TableText]:
    """Return the chunks among these that are tables, published and visible, by chunk number."""
    rows = await scope.all(_SQL["tables"], {"numbers": list(chunk_numbers)})
    return {
        row["chunk_no"]: TableText(
            text=scope.sealing.plain_text(CHUNK_TEXT.of(row["chunk_no"]), row["text"]),
            language=row["language"],
        )
        for row in rows
        if row["text"] is not None
    }


def _day_of(text: str | None) -> date | None:
    """Parse a date; None if it is invalid, since callers may also set this metadata."""
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        return None


async def passages_in_order(
    scope: WorkspaceScope, document_id: UUID, limit: int
) -> tuple[Passage, ...]:
    """Read the first passages of a published document in its order; none where it has none."""
    parameters = {"document_id": document_id, "limit": limit}
    passages = await read_passages(
        scope, await scope.execute(_SQL["passages_in_order"], parameters)
    )
    return tuple(sorted(passages.values(), key=lambda passage: passage.ordinal))


async def passages_at(
    scope: WorkspaceScope, positions: Sequence[tuple[UUID, int]]
) -> tuple[Passage, ...]:
    """Return the passages that contain these positions in published texts, each once.

    A position is a document id and an offset in its text; one without a passage is skipped.
    Passages are in the order of the positions.
    """
    parameters = {
        "document_ids": [document_id for document_id, _ in positions],
        "starts": [start for _, start in positions],
    }
    passages = await read_passages(scope, await scope.execute(_SQL["passages_at"], parameters))
    by_document: dict[UUID, list[Passage]] = defaultdict(list)
    for passage in passages.values():
        by_document[passage.document_id].append(passage)
    matches: dict[str, Passage] = {}
    for document_id, start in positions:
        for passage in by_document[document_id]:
            if passage.char_start <= start < passage.char_end:
                matches.setdefault(passage.chunk_id, passage)
    return tuple(matches.values())


async def passages_after(
    scope: WorkspaceScope, document_id: UUID, *, limit: int, cursor: str | None
) -> PassagePage:
    """Return a page of a published document's passages in document order. Raises InvalidRequest."""
    after = -1
    if cursor is not None:
        after = read_cursor(_ORDINAL, cursor, "passages", document_id)
    rows = await scope.execute(
        _SQL["passages_after"], {"document_id": document_id, "after": after, "limit": limit + 1}
    )
    passages = sorted(
        (await read_passages(scope, rows)).values(), key=lambda passage: passage.ordinal
    )
    last = passages[limit - 1].ordinal if len(passages) > limit else None
    return PassagePage(
        passages=tuple(passages[:limit]),
        next_cursor=None if last is None else write_cursor(_ORDINAL, last, "passages", document_id),
    )


async def passage_numbers(scope: WorkspaceScope, document_id: UUID) -> list[int]:
    """The chunk numbers of a published document, in its order."""
    rows = await scope.all(_SQL["numbers"], {"document_id": document_id})
    return [row["chunk_no"] for row in rows]


async def chunks_at(
    scope: WorkspaceScope, document_id: UUID, version: int, starts: Sequence[int]
) -> list[str | None]:
    """Return the id of the first passage that contains each offset of a version's text, if any."""
    rows = await scope.all(
        _SQL["chunks_at"], {"document_id": document_id, "version": version, "starts": list(starts)}
    )
    return [
        None if row["ordinal"] is None else f"{document_id}:{version}:{row['ordinal']}"
        for row in rows
    ]


async def passage_context(scope: WorkspaceScope, chunk_id: str, window: int) -> PassageContext:
    """Return a passage with up to `window` neighbours on each side.

    Raises NotFound alike for an identifier that is absent, foreign, outdated or malformed.
    """
    document_id, version, ordinal = _read_chunk_id(chunk_id)
    passages = [
        _passage(scope, row)
        for row in await scope.all(
            _SQL["neighbours"],
            {"document_id": document_id, "version": version, "ordinal": ordinal, "window": window},
        )
    ]
    matches = [passage for passage in passages if passage.ordinal == ordinal]
    if not matches:
        raise no_such_chunk(chunk_id)
    return PassageContext(
        chunk=matches[0],
        context_before=tuple(passage for passage in passages if passage.ordinal < ordinal),
        context_after=tuple(passage for passage in passages if passage.ordinal > ordinal),
    )


def no_such_chunk(chunk_id: str | None) -> NotFound:
    """Return the error for a chunk that is absent, or whose document is not visible."""
    shortened = (chunk_id or "")[:_LONGEST_CHUNK_ID]
    return NotFound(
        f"there is no chunk {shortened}",
        hint="take the chunk_id from a search; a new version of a document has new ones",
    )


def _read_chunk_id(chunk_id: str) -> tuple[UUID, int, int]:
    try:
        document_id, version, ordinal = chunk_id.split(":")
        numbers = int(version), int(ordinal)
        identity = UUID(document_id)
    except ValueError as error:
        raise no_such_chunk(chunk_id) from error
    if not all(0 <= number < 2**31 for number in numbers):
        raise no_such_chunk(chunk_id)
    return identity, *numbers


def _passage(scope: WorkspaceScope, row: DictRow) -> Passage:
    sealing, number, parent_title = scope.sealing, row["chunk_no"], row["parent_title"]
    spans = tuple(map(span_of_row, row["spans"]))
    start_seconds, end_seconds = seconds_of(spans)
    return record_of(
        Passage,
        row,
        chunk_id=f"{row['document_id']}:{row['version']}:{row['ordinal']}",
        kind=BlockKind(row["kind"]),
        spans=spans,
        source_type=SourceType(row["source_type"]),
        start_seconds=start_seconds,
        end_seconds=end_seconds,
        text=sealing.plain_text(CHUNK_TEXT.of(number), row["text"]),
        heading_path=tuple(sealing.plain_words(HEADINGS.of(number), row["heading_path"])),
        document_title=sealing.plain_text(TITLE.of(row["document_id"]), row["document_title"]),
        parent_title=parent_title and sealing.plain_text(TITLE.of(row["parent_id"]), parent_title),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Neighbour:
    """A chunk near a passage, by which the passage can be widened."""

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
) -> Mapping[int, ExpandedPassage]:
    """Return each chunk number's passage, widened by up to `window` chunks on both sides.

    Unless `across_headings`, it does not extend past a heading. Law: the text from `body_offset` on
    is the document's canonical text from `char_start` to `char_end`. A passage whose version is no
    longer published or visible is left out. One round trip.
    """
    if not passages:
        return {}
    by_number = {passage.chunk_no: passage for passage in passages}
    return {
        row["chunk_no"]: _widened(
            by_number[row["chunk_no"]],
            window,
            _plain_neighbourhood(scope, row) if scope.sealing.encrypts else row,
            across_headings,
        )
        for row in await scope.all(
            _SQL["neighbourhoods"],
            {
                "numbers": list(by_number),
                "document_ids": [passage.document_id for passage in by_number.values()],
                "versions": [passage.version for passage in by_number.values()],
                "ordinals": [passage.ordinal for passage in by_number.values()],
                "window": window,
            },
        )
    }


def _plain_neighbourhood(scope: WorkspaceScope, row: DictRow) -> DictRow:
    """Return the row with its text and headings decrypted."""
    sealing, document_id, version = scope.sealing, row["document_id"], row["version"]
    start, end = row["char_start"], row["char_end"]
    pieces = {
        number: plain_piece(scope, document_id, version, number, sealed)
        for number, sealed in zip(pieces_of(start, end), row["pieces"] or (), strict=True)
    }
    chunks = []
    for chunk in row["chunks"]:
        number = chunk["chunk_no"]
        text = sealing.plain_text(CHUNK_TEXT.of(number), chunk["header"])
        headings = sealing.plain_words(HEADINGS.of(number), chunk["heading_path"])
        header = text[: chunk["body_offset"]]
        chunks.append({**chunk, "header": header, "heading_path": headings})
    return {**row, "text": stretch(pieces, start, end), "chunks": chunks}


def _widened(passage: Passage, window: int, row: DictRow, across_headings: bool) -> ExpandedPassage:
    text, start = row["text"], row["char_start"]
    neighbours = [
        record_of(_Neighbour, chunk, spans=tuple(map(span_of_row, chunk["spans"])))
        for chunk in row["chunks"]
    ]
    gaps = [
        text[current.char_end - start : max(0, following.char_start - start)]
        for current, following in pairwise(neighbours)
    ]
    continues = [
        # Adjacent sections may have equal headings: the gap between the chunks shows them.
        across_headings or (current.heading_path == following.heading_path and not gap.strip())
        for (current, following), gap in zip(pairwise(neighbours), gaps, strict=True)
    ]
    first = last = next(
        index for index, neighbour in enumerate(neighbours) if neighbour.ordinal == passage.ordinal
    )
    limit = last + window
    while first > 0 and continues[first - 1]:
        first -= 1
    while last < limit and last < len(continues) and continues[last]:
        last += 1
    return ExpandedPassage(
        passage=_extended_passage(passage, neighbours[first : last + 1], text, start),
        distances={
            f"{passage.document_id}:{passage.version}:{neighbour.ordinal}": distance
            for neighbour in neighbours[first : last + 1]
            if (distance := neighbour.ordinal - passage.ordinal)
        },
        after=gaps[last] if last < len(continues) and continues[last] else "",
    )


def _extended_passage(
    passage: Passage, chunks: Sequence[_Neighbour], text: str, start: int
) -> Passage:
    """Return the passage extended to these chunks, cut from a text that begins at `start`."""
    opening, closing = chunks[0], chunks[-1]
    return merged_passage(
        passage,
        header=opening.header,
        body=text[opening.char_start - start : closing.char_end - start],
        char_start=opening.char_start,
        spans=[span for chunk in chunks for span in chunk.spans],
        confidence=mean_confidence(
            (chunk.confidence, chunk.char_end - chunk.char_start) for chunk in chunks
        ),
        suspicious=any_suspicious(chunk.suspicious for chunk in chunks),
    )


def span_row(span: BlockSpan) -> list[int | float | str | None]:
    """Encode a span as an array; times and the part of its block are included only if needed."""
    row: list[int | float | str | None] = [
        span.char_start,
        span.char_end,
        span.page,
        span.paragraph,
        span.kind.value,
    ]
    if not (span.begins and span.ends):
        part = _BEGINS * span.begins + _ENDS * span.ends
        return [*row, span.start_seconds, span.end_seconds, part]
    if span.start_seconds is None and span.end_seconds is None:
        return row
    return [*row, span.start_seconds, span.end_seconds]


def span_of_row(row: list[object]) -> BlockSpan:
    """Decode the array of a span, which may be in an older form without times or parts."""
    start, end, page, paragraph, kind, *extra = row
    start_seconds, end_seconds = extra[:2] or (None, None)
    part = cast("int", extra[2]) if len(extra) > 2 else _BEGINS + _ENDS
    return BlockSpan(
        char_start=cast("int", start),
        char_end=cast("int", end),
        page=cast("int | None", page),
        paragraph=cast("int", paragraph),
        kind=BlockKind(cast("str", kind)),
        start_seconds=cast("float | None", start_seconds),
        end_seconds=cast("float | None", end_seconds),
        begins=bool(part & _BEGINS),
        ends=bool(part & _ENDS),
    )
