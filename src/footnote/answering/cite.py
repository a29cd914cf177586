"""Chosen statements become numbered citations, bound to the canonical text of their documents."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.answering.sentences import Candidate
from footnote.domain import BlockSpan, Citation, Passage


def cite(chosen: Sequence[Candidate]) -> tuple[tuple[Citation, ...], tuple[int, ...]]:
    """The citations numbered from 1 by first appearance, and each statement's marker.

    The same quote has the same marker. Law: a citation's quote is its passage's text at its
    offsets, shifted by `char_start - body_offset`.
    """
    citations: dict[tuple[object, int, int], Citation] = {}
    markers = []
    for candidate in chosen:
        place = (candidate.evidence.passage.document_id, *candidate.canonical_span)
        if place not in citations:
            citations[place] = citation_of(candidate, marker=len(citations) + 1)
        markers.append(citations[place].marker)
    return tuple(citations.values()), tuple(markers)


def citation_of(candidate: Candidate, *, marker: int) -> Citation:
    """The citation of one statement, with the page and paragraph where its quote begins."""
    passage = candidate.evidence.passage
    char_start, char_end = candidate.canonical_span
    span = _span_at(passage, char_start)
    return Citation(
        marker=marker,
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_title=passage.document_title,
        filename=passage.filename,
        heading_path=passage.heading_path,
        page=span.page if span else passage.page_start,
        paragraph=span.paragraph if span else passage.paragraph_start,
        quote=candidate.quote,
        char_start=char_start,
        char_end=char_end,
        start_seconds=span.start_seconds if span else passage.start_seconds,
        end_seconds=span.end_seconds if span else passage.end_seconds,
    )


def _span_at(passage: Passage, char: int) -> BlockSpan | None:
    return next((span for span in passage.spans if span.char_start <= char < span.char_end), None)
