"""One factory for each domain record the interfaces present."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from footnote.domain import (
    Answer,
    AnswerConflict,
    AnswerSentence,
    BlockKind,
    BlockSpan,
    Citation,
    ClosestPassage,
    ConflictingStatement,
    Document,
    DocumentStatus,
    Evidence,
    Passage,
    SourceType,
    Stage,
    StageRecord,
)

DOCUMENT_ID = UUID("0198c0de-5c1e-7d2a-9b3f-1a2b3c4d5e6f")
NOON = datetime(2025, 5, 2, 12, 0, tzinfo=UTC)


def a_document(**changes: object) -> Document:
    values: dict[str, object] = {
        "document_id": DOCUMENT_ID,
        "collection": "default",
        "filename": "policy.pdf",
        "title": "Policy",
        "media_type": "application/pdf",
        "byte_size": 10,
        "content_sha256": "00" * 32,
        "source_type": SourceType.UPLOAD,
        "status": DocumentStatus.INDEXED,
        "stage": Stage.PUBLISH,
        "version": 1,
        "created_at": NOON,
        "updated_at": NOON,
        "metadata": {"year": 2025, "signed": True},
    }
    return Document(**{**values, **changes})  # type: ignore[arg-type]  # a factory takes any field


def a_passage(text: str = "A claim must be reported within 14 days.") -> Passage:
    span = BlockSpan(char_start=0, char_end=len(text), page=3, paragraph=2, kind=BlockKind.LIST)
    return Passage(
        chunk_id="c1",
        chunk_no=7,
        document_id=DOCUMENT_ID,
        version=1,
        ordinal=0,
        kind=BlockKind.PARAGRAPH,
        text=text,
        body_offset=0,
        char_start=0,
        char_end=len(text),
        spans=(span,),
        heading_path=("Claims", "Notice"),
        page_start=3,
        page_end=3,
        paragraph_start=2,
        paragraph_end=2,
        document_title="Policy",
        filename="policy.pdf",
        collection="default",
        source_type=SourceType.UPLOAD,
        suspicious=False,
    )


def an_evidence(text: str = "A claim must be reported within 14 days.") -> Evidence:
    record = StageRecord(stage="fuse", rank_after=1, score_after=0.03, detail={"dense_rank": 1})
    return Evidence(
        passage=a_passage(text),
        rank=1,
        score=0.03,
        similarity=0.7,
        matched_terms=("claim",),
        explanation=(record,),
    )


def an_answer(quote: str = "A claim must be reported within 14 days.") -> Answer:
    citation = Citation(
        marker=1,
        chunk_id="c1",
        document_id=DOCUMENT_ID,
        document_title="Policy",
        filename="policy.pdf",
        heading_path=("Claims", "Notice"),
        page=3,
        paragraph=2,
        quote=quote,
        char_start=0,
        char_end=len(quote),
    )
    return Answer(
        question="How soon?",
        found=True,
        sentences=(AnswerSentence(text=quote, markers=(1,), support=1.0),),
        citations=(citation,),
        evidence=(an_evidence(quote),),
        confidence=0.9,
    )


def unanswered() -> Answer:
    """A refusal with what comes closest."""
    answer = an_answer()
    (citation,) = answer.citations
    return replace(
        answer,
        found=False,
        sentences=(AnswerSentence(text="I could not find this.", markers=(), support=0.0),),
        citations=(),
        closest=ClosestPassage(text=citation.quote, citation=citation),
        degraded=("answer: words alone",),
    )


def contested() -> Answer:
    """An answer that another document contradicts."""
    answer = an_answer("Acme employs 450 people.")
    (citation,) = answer.citations
    other = replace(
        citation, marker=2, document_title="Report", quote="Acme employs 470 people.", page=5
    )
    said = [
        ConflictingStatement(fact_id=UUID(int=n), text=text, value=text[:3], citation=each)
        for n, (text, each) in enumerate((("450 people", citation), ("470 people", other)))
    ]
    conflict = AnswerConflict(subject="Acme", predicate="employs", statements=tuple(said))
    return replace(answer, conflicts=(conflict,), degraded=("answer: words alone",))
