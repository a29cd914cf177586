"""One factory for each record of an evaluation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid5

from footnote.domain import (
    Answer,
    AnswerSentence,
    Citation,
    Document,
    Evidence,
    NearDuplicate,
    Passage,
)
from footnote.domain.evaluations import EvaluationOrder, NewEvaluationRun, QuestionOutcome
from footnote.evaluation.golden import GoldenQuestion, GoldenSet, GoldenSpan
from footnote.evaluation.judging import Judged, JudgedCitation, RankedResult
from footnote.evaluation.library import Library
from footnote.evaluation.metrics import Measure
from footnote.evaluation.run import Run, Setup
from tests.interfaces.records import a_document, a_passage

NAMES = UUID(int=0)


def document_id(name: str) -> UUID:
    return uuid5(NAMES, name)


def a_library(*names: str, **parents: str) -> Library:
    """Documents by name; a keyword names what the file of its key is attached to."""
    documents: dict[UUID, Document] = {}
    for name in names:
        documents[document_id(name)] = a_document(
            document_id=document_id(name),
            filename=name,
            title=f"The {name.partition('.')[0]}",
            external_id=f"/shelf/papers/{name}",
        )
    for child, parent in parents.items():
        name = f"{child}.pdf"
        documents[document_id(name)] = a_document(
            document_id=document_id(name), filename=name, parent_id=document_id(parent)
        )
    return Library(documents=documents)


def passage_of(
    name: str, text: str, *, page: int | None = None, start: int = 0, number: int = 1
) -> Passage:
    return replace(
        a_passage(text),
        chunk_id=f"{name}#{number}",
        chunk_no=number,
        document_id=document_id(name),
        filename=name,
        page_start=page,
        page_end=page,
        char_start=start,
        char_end=start + len(text),
    )


def evidence_of(passages: Sequence[Passage], twins: Sequence[str] = ()) -> tuple[Evidence, ...]:
    """Results in this order; the first was kept in favour of the twins."""
    duplicates = tuple(
        NearDuplicate(
            chunk_id=f"{name}#9",
            document_id=document_id(name),
            document_title=name,
            page=None,
            overlap=0.95,
        )
        for name in twins
    )
    return tuple(
        Evidence(
            passage=passage,
            rank=rank,
            score=1 / rank,
            near_duplicates=duplicates if rank == 1 else (),
        )
        for rank, passage in enumerate(passages, 1)
    )


def citation_of(passage: Passage, quote: str, *, shift: int = 0) -> Citation:
    start = passage.char_start + passage.text.index(quote) + shift
    return Citation(
        marker=1,
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_title=passage.document_title,
        filename=passage.filename,
        heading_path=(),
        page=passage.page_start,
        paragraph=1,
        quote=quote,
        char_start=start,
        char_end=start + len(quote),
    )


def answer_of(*citations: Citation, found: bool = True) -> Answer:
    return Answer(
        question="?",
        found=found,
        sentences=tuple(
            AnswerSentence(text=each.quote, markers=(1,), support=1.0) for each in citations
        ),
        citations=citations,
        evidence=(),
        confidence=0.8,
    )


def a_question(*spans: GoldenSpan, identity: str = "q1", **changes: object) -> GoldenQuestion:
    values: dict[str, object] = {
        "identity": identity,
        "question": f"What about {identity}?",
        "answerable": bool(spans),
        "relevant": spans,
    }
    return GoldenQuestion(**{**values, **changes})  # type: ignore[arg-type]  # takes any field


def a_span(document: str = "policy.pdf", page: int | None = None, quote: str = "") -> GoldenSpan:
    return GoldenSpan(document=document, page=page, quote=quote)


def a_judged(golden: GoldenQuestion, **values: float) -> Judged:
    """A question with these measures; answered rightly when `right` says so."""
    right = values.get("right", values.get("refused", 0.0)) > 0
    measures = {"search_ms": Measure(value=5.0), "latency_ms": Measure(value=20.0)}
    if golden.answerable:
        measures |= {name: Measure(value=0.0) for name in ("ndcg", "recall", "span_accuracy")}
    measures |= {name: Measure(value=value) for name, value in values.items()}
    citation = JudgedCitation(
        document="policy.pdf", page=2, quote="within 14 days", right=right, verbatim=True
    )
    answered = right if golden.answerable else not right
    return Judged(
        golden=golden,
        measures=measures,
        results=(
            RankedResult(document="policy.pdf", page=2, text="within 14 days", expected=right),
        ),
        citations=(citation,) if answered else (),
        answer="within 14 days",
        answered=answered,
        confidence=0.7,
        degraded=(),
    )


def a_run(
    columns: Mapping[str, Sequence[float]], name: str = "", *, latency: Sequence[float] = ()
) -> Run:
    """A run over as many answerable questions as each column has values."""
    size = len(next(iter(columns.values())))
    questions = [a_question(a_span(), identity=f"q{row}") for row in range(size)]
    rows = [{key: values[row] for key, values in columns.items()} for row in range(size)]
    if latency:
        for row, value in zip(rows, latency, strict=True):
            row["latency_ms"] = value
    judged = tuple(a_judged(question, **row) for question, row in zip(questions, rows, strict=True))
    golden = GoldenSet(name="golden.jsonl", questions=tuple(questions), digest="0" * 16)
    return Run(setup=Setup(named=name), golden=golden, judged=judged)


def an_outcome(identity: str, verdict: str = "right", **measures: float) -> QuestionOutcome:
    return QuestionOutcome(
        id=identity,
        question=f"What about {identity}?",
        kind="fact",
        verdict=verdict,
        confidence=0.8,
        measures={name: (value, 1.0) for name, value in measures.items()},
    )


def a_new_run(
    golden_name: str = "golden.jsonl", *outcomes: QuestionOutcome, **changes: object
) -> NewEvaluationRun:
    """A run to keep; of one question unless its outcomes are given."""
    values: dict[str, object] = {
        "golden_name": golden_name,
        "golden": "0" * 16,
        "setup": "default",
        "k": 10,
        "figures": {"ndcg@10": 0.75, "right": 1.0, "refused": None},
        "outcomes": outcomes or (an_outcome("q1", ndcg=0.75, right=1.0),),
    }
    return NewEvaluationRun(**{**values, **changes})  # type: ignore[arg-type]  # takes any field


def an_order(golden_name: str = "golden.jsonl", **changes: object) -> EvaluationOrder:
    """An order to ask a golden set of one question."""
    values: dict[str, object] = {
        "golden_name": golden_name,
        "golden": "0" * 16,
        "questions": 1,
        "lines": json.dumps({"id": "q1", "question": "Who won?", "answerable": False}),
    }
    return EvaluationOrder(**{**values, **changes})  # type: ignore[arg-type]  # takes any field


def write_golden(path: Path, *rows: object) -> Path:
    """A golden file with a row a line."""
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text(text + "\n", encoding="utf-8")
    return path
