"""One factory per noun: passages and evidence as retrieval hands them over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import NAMESPACE_URL, uuid5

from footnote.answering import ReaderAnswerer
from footnote.answering.injection_patterns import has_injection_pattern
from footnote.domain import BlockKind, BlockSpan, Evidence, Passage, SourceType
from footnote.index.analysis import TextAnalyzer
from footnote.models.testing import WordReader


def make_passage(
    *blocks: str,
    name: str = "handbook",
    ordinal: int = 0,
    kinds: Sequence[BlockKind] = (),
    repeated_header: str = "",
    offset: int = 0,
    headings: tuple[str, ...] = (),
    title: str | None = None,
    first_page: int | None = 1,
) -> Passage:
    """A passage of these blocks, separated by blank lines, `offset` characters into its document.

    Each block stands on a page of its own, as the paragraph of its number there.
    """
    spans, position = [], offset
    for number, block in enumerate(blocks):
        spans.append(
            BlockSpan(
                char_start=position,
                char_end=position + len(block),
                page=None if first_page is None else first_page + number,
                paragraph=number + 1,
                kind=kinds[number] if kinds else BlockKind.PARAGRAPH,
            )
        )
        position += len(block) + 2
    body = "\n\n".join(blocks)
    return Passage(
        chunk_id=f"{name}-{ordinal}",
        chunk_no=ordinal,
        document_id=uuid5(NAMESPACE_URL, name),
        version=1,
        ordinal=ordinal,
        kind=kinds[0] if kinds else BlockKind.PARAGRAPH,
        text=repeated_header + body,
        body_offset=len(repeated_header),
        char_start=offset,
        char_end=offset + len(body),
        spans=tuple(spans),
        heading_path=headings,
        page_start=first_page,
        page_end=None if first_page is None else first_page + max(0, len(blocks) - 1),
        paragraph_start=1,
        paragraph_end=max(1, len(blocks)),
        document_title=title or name.title(),
        filename=f"{name}.pdf",
        collection="default",
        source_type=SourceType.UPLOAD,
        language="en",
    )


def make_evidence(*passages: Passage) -> list[Evidence]:
    """The passages as evidence, best first."""
    return [
        Evidence(passage=passage, rank=rank, score=1.0 / (60 + rank))
        for rank, passage in enumerate(passages, start=1)
    ]


def mark(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence, marked where it has a form of orders, as an engine without reader marks it."""
    return [
        replace(each, suspicious=True)
        if has_injection_pattern(
            "\n".join((each.passage.document_title, *each.passage.heading_path, each.passage.text))
        )
        else each
        for each in evidence
    ]


def make_answerer() -> ReaderAnswerer:
    """The answerer whose reader goes by shared words, and knows no synonyms."""
    return ReaderAnswerer(reader=WordReader(), analyzer=TextAnalyzer())
