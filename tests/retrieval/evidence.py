"""Evidence made up for the tests of stages that need no index."""

from __future__ import annotations

from uuid import UUID

from footnote.domain import BlockKind, BlockSpan, Evidence, Passage, SourceType


def passage_of(
    text: str,
    *,
    number: int = 0,
    document: int = 0,
    ordinal: int = 0,
    start: int = 0,
    paragraph: int = 1,
    heading_path: tuple[str, ...] = (),
    version: int = 1,
    header: str = "",
    kind: BlockKind = BlockKind.PARAGRAPH,
) -> Passage:
    """A passage of one block, `text` long from `start`, behind a repeated header if there is."""
    span = BlockSpan(
        char_start=start, char_end=start + len(text), page=1, paragraph=paragraph, kind=kind
    )
    return Passage(
        chunk_id=f"{UUID(int=document)}:{version}:{ordinal}",
        chunk_no=number,
        document_id=UUID(int=document),
        version=version,
        ordinal=ordinal,
        kind=kind,
        text=header + text,
        body_offset=len(header),
        char_start=start,
        char_end=start + len(text),
        spans=(span,),
        heading_path=heading_path,
        page_start=1,
        page_end=1,
        paragraph_start=paragraph,
        paragraph_end=paragraph,
        document_title=f"document {document}",
        filename="a.txt",
        collection="default",
        source_type=SourceType.UPLOAD,
    )


def evidence_of(passage: Passage, *, rank: int = 1, score: float = 1.0) -> Evidence:
    return Evidence(passage=passage, rank=rank, score=score)
