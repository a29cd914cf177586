"""Several chunks of a document become one passage: a stretch of its text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from footnote.domain.documents import BlockSpan
from footnote.domain.search import Passage


def merged_passage(
    passage: Passage,
    *,
    header: str,
    body: str,
    char_start: int,
    spans: Iterable[BlockSpan],
    confidence: float | None,
    suspicious: bool | None,
) -> Passage:
    """The passage over a longer stretch, under its own identity, ordinal and kind.

    `body` is the document's canonical text from `char_start` on, `header` what the continuation
    of a table repeats before it. Pages and paragraphs are those of the spans, at least one.
    """
    joined = join_spans(spans)
    pages = [span.page for span in joined if span.page is not None]
    start_seconds, end_seconds = seconds_of(joined)
    return replace(
        passage,
        text=header + body,
        body_offset=len(header),
        char_start=char_start,
        char_end=char_start + len(body),
        spans=joined,
        page_start=min(pages, default=None),
        page_end=max(pages, default=None),
        paragraph_start=joined[0].paragraph,
        paragraph_end=joined[-1].paragraph,
        confidence=confidence,
        suspicious=suspicious,
        start_seconds=start_seconds,
        end_seconds=end_seconds,
    )


def clipped(passage: Passage, start: int, end: int, *, header: str) -> Passage:
    """The passage with nothing of its body but `text[start:end]`, below what is repeated."""
    shift = passage.char_start - passage.body_offset
    first, last = start + shift, end + shift
    return merged_passage(
        passage,
        header=header,
        body=passage.text[start:end],
        char_start=first,
        spans=[
            replace(
                span,
                char_start=max(span.char_start, first),
                char_end=min(span.char_end, last),
                begins=span.begins and span.char_start >= first,
                ends=span.ends and span.char_end <= last,
            )
            for span in passage.spans
            if span.char_start < last and first < span.char_end
        ],
        confidence=passage.confidence,
        suspicious=passage.suspicious,
    )


def seconds_of(spans: Iterable[BlockSpan]) -> tuple[float | None, float | None]:
    """The start of the first span and the end of the last; None without a recording."""
    listed = list(spans)
    starts = [span.start_seconds for span in listed if span.start_seconds is not None]
    ends = [span.end_seconds for span in listed if span.end_seconds is not None]
    return min(starts, default=None), max(ends, default=None)


def join_spans(spans: Iterable[BlockSpan]) -> tuple[BlockSpan, ...]:
    """The spans in the order of the text, with the pieces of one block joined."""
    joined: list[BlockSpan] = []
    for span in sorted(spans, key=lambda block_span: (block_span.char_start, block_span.char_end)):
        last = joined[-1] if joined else None
        if last is not None and _block(last) == _block(span):
            longest = max(last, span, key=lambda block_span: block_span.char_end)
            joined[-1] = replace(last, char_end=longest.char_end, ends=longest.ends)
        else:
            joined.append(span)
    return tuple(joined)


def any_suspicious(pieces: Iterable[bool | None]) -> bool | None:
    """Whether one of the pieces is suspicious; None if none is and one is unknown."""
    verdicts = set(pieces)
    if True in verdicts:
        return True
    return None if None in verdicts else False


def _block(span: BlockSpan) -> tuple[object, ...]:
    return span.page, span.paragraph, span.kind
