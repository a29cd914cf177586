"""Where the pieces of a chunk came from, as short JSON arrays: a workspace has millions of them."""

from __future__ import annotations

from typing import cast

from footnote.domain import BlockKind, BlockSpan

_BEGINS, _ENDS = 1, 2


def span_row(span: BlockSpan) -> list[int | float | str | None]:
    """The array of a span; times, and which part of a block it is, only where there are any."""
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
    """The span of an array, which may have been written before spans had times, or knew parts."""
    start, end, page, paragraph, kind, *more = row
    start_seconds, end_seconds = more[:2] or (None, None)
    part = cast("int", more[2]) if len(more) > 2 else _BEGINS + _ENDS
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
