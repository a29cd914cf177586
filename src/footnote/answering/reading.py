"""Run the reader on passages and assign its answer spans to their statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from footnote.answering.answer_features import heading_of
from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.sentences import Candidate, candidates_of, without_borders
from footnote.domain import Evidence, Passage
from footnote.ports import AnswerSpan, PassageText, Reader


async def read_statements(
    reader: Reader, question: str, evidence: Sequence[Evidence]
) -> list[LocatedAnswer]:
    """The best answer spans of the evidence, with the reader's probabilities.

    Each span lies in one statement.
    """
    if not evidence:
        return []
    passage_candidates = [candidates_of([item]) for item in evidence]
    texts = [
        replace(
            text_of(item.passage),
            allowed_spans=tuple((candidate.start, candidate.end) for candidate in candidates),
        )
        for item, candidates in zip(evidence, passage_candidates, strict=True)
    ]
    readings = await reader.read(question, texts)
    return [
        replace(answer, relevance=reading.relevance, mismatch=reading.mismatch)
        for candidates, reading in zip(passage_candidates, readings, strict=True)
        for span in reading.spans
        for answer in locate(span, candidates)
    ]


def deduplicated(answers: Iterable[LocatedAnswer]) -> list[LocatedAnswer]:
    """The best span of every statement; a statement in two overlapping chunks is kept once."""
    best: dict[tuple[object, ...], LocatedAnswer] = {}
    for answer in answers:
        passage = answer.passage
        key = (passage.document_id, passage.version, *answer.candidate.canonical_span)
        if key not in best or best[key].score < answer.score:
            best[key] = answer
    return list(best.values())


def text_of(passage: Passage) -> PassageText:
    """The passage under its headings, as the reader gets it."""
    return PassageText(text=passage.text, heading=heading_of(passage))


def locate(span: AnswerSpan, candidates: Sequence[Candidate]) -> Iterator[LocatedAnswer]:
    """The statement that contains most of a span, with the part of the span in it."""
    overlaps = [
        (min(span.end, candidate.end) - max(span.start, candidate.start), -index)
        for index, candidate in enumerate(candidates)
    ]
    if not overlaps or max(overlaps)[0] <= 0:
        return
    candidate = candidates[-max(overlaps)[1]]
    text = candidate.evidence.passage.text
    start, end = without_borders(
        text, max(span.start, candidate.start), min(span.end, candidate.end)
    )
    if start < end:
        yield LocatedAnswer(
            candidate=candidate,
            start=start,
            end=end,
            probability=span.probability,
            reader_probability=span.probability,
            score=span.score,
        )
