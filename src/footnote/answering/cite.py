"""Turn chosen statements into numbered citations, bound to the canonical text of their documents.

Footnotes count from 1 in order of creation; each has exactly one quote.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from footnote.domain import BlockSpan, Citation, Passage


@dataclass(slots=True)
class Footnotes:
    """Numbers quotes in order of creation. Law: a marker never changes."""

    citations: list[Citation] = field(default_factory=list)
    """In order of creation."""
    _citations_by_span: dict[tuple[str, int, int], Citation] = field(default_factory=dict)

    def citation(
        self, passage: Passage, start: int, end: int, answer: tuple[int, int] | None = None
    ) -> Citation:
        """The citation of `passage.text[start:end]`; the same quote has the same marker.

        `answer` is the span of the answer in the passage's text, within the quote.
        """
        key = (passage.chunk_id, start, end)
        if key not in self._citations_by_span:
            marker = len(self.citations) + 1
            citation = citation_of(passage, start, end, marker=marker, answer=answer)
            self._citations_by_span[key] = citation
            self.citations.append(citation)
        return self._citations_by_span[key]


def citation_of(
    passage: Passage, start: int, end: int, *, marker: int, answer: tuple[int, int] | None = None
) -> Citation:
    """The citation of `passage.text[start:end]`, with the page and paragraph where it begins."""
    offset = passage.char_start - passage.body_offset
    assert answer is None or start <= answer[0] < answer[1] <= end, "an answer is in its quote"
    span = _span_at(passage, start + offset)
    return Citation(
        marker=marker,
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_title=passage.document_title,
        filename=passage.filename,
        heading_path=passage.heading_path,
        page=span.page if span else passage.page_start,
        paragraph=span.paragraph if span else passage.paragraph_start,
        quote=passage.text[start:end],
        char_start=start + offset,
        char_end=end + offset,
        start_seconds=span.start_seconds if span else passage.start_seconds,
        end_seconds=span.end_seconds if span else passage.end_seconds,
        answer_start=answer[0] + offset if answer else None,
        answer_end=answer[1] + offset if answer else None,
    )


def page_at(passage: Passage, char: int) -> int | None:
    """The page of an offset in the canonical text of the passage's document, if it has pages."""
    span = _span_at(passage, char)
    return span.page if span else passage.page_start


def _span_at(passage: Passage, char: int) -> BlockSpan | None:
    return next((span for span in passage.spans if span.char_start <= char < span.char_end), None)
