"""Judge the search results and the answer for one question against its golden record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from footnote.domain import Answer, Citation, Evidence, Passage
from footnote.evaluation import metrics
from footnote.evaluation.golden import GoldenQuestion, GoldenSpan
from footnote.evaluation.library import Library
from footnote.evaluation.metrics import UNDEFINED, Measure

SHORTEST_KEY_DIGITS = 2
"""A single digit occurs in too many sentences to identify one that answers."""

_FIGURE = re.compile(r"\d[\d.,:'’]*\d|\d")
_NOT_DIGIT = re.compile(r"\D")

Place = tuple[str, int | None]
"""A document as the golden set names it, and a page or the whole of it."""

Verdict = Literal["right", "partly", "wrong", "refused", "rightly refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """A stretch of a document's canonical text, put together from passages."""

    text: str
    """Characters that no passage covers are blanks."""
    char_start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCitation:
    """A citation with its verdicts."""

    document: str
    page: int | None
    quote: str
    right: bool
    """Whether it answers: it overlaps an expected quote, or is in an expected place with the
    answer's number or with no quote expected."""
    verbatim: bool
    """Whether the quote is the text at its offsets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedResult:
    """One result of a search, for reports."""

    document: str
    page: int | None
    text: str
    expected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One question with its results, its answer and their measures."""

    golden: GoldenQuestion
    measures: Mapping[str, Measure]
    results: tuple[RankedResult, ...]
    citations: tuple[JudgedCitation, ...]
    answer: str
    answered: bool
    confidence: float
    degraded: tuple[str, ...]

    @property
    def verdict(self) -> Verdict:
        """The verdict; `partly` means that some citations answer and others do not."""
        if not self.answered:
            return "refused" if self.golden.answerable else "rightly refused"
        right = [citation.right for citation in self.citations]
        if not self.golden.answerable or not any(right):
            return "wrong"
        return "right" if all(right) else "partly"

    @property
    def right(self) -> bool:
        """Whether it was answered with a right citation, or rightly refused."""
        return self.verdict in {"right", "partly", "rightly refused"}

    @property
    def worth(self) -> tuple[bool, float, float]:
        """Sort key, worst first: wrong before right, then by nDCG and span accuracy."""
        if not self.golden.answerable:
            return self.right, 1.0, 0.0
        return self.right, self.measures["ndcg"].value, self.measures["span_accuracy"].value


def judge_search(
    golden: GoldenQuestion, evidence: Sequence[Evidence], library: Library, k: int
) -> tuple[dict[str, Measure], tuple[RankedResult, ...]]:
    """The retrieval measures of one question, and its results for reports.

    A place is expected once, however many quotes it has. What an unanswerable question finds
    is judged by its diversity alone.
    """
    first = evidence[:k]
    places: set[Place] = {(span.document, span.page) for span in golden.relevant}
    places_by_result = [
        {place for place in places if _shows(result, place, library)} for result in first
    ]
    quoted = [span for span in golden.relevant if span.quote]
    measures = {
        **(_ranking_measures(places_by_result, len(places), k) if places else {}),
        "diversity": metrics.diversity([result.passage.document_id for result in first]),
        "page_accuracy": _page_accuracy(golden.relevant, first, library),
        "span_accuracy": metrics.share_of(
            [
                any(_contains_quote(result.passage, span, library) for result in first)
                for span in quoted
            ]
        ),
    }
    results = tuple(
        RankedResult(
            document=library.name(result.passage.document_id),
            page=result.passage.page_start,
            text=result.passage.text,
            expected=bool(expected_places),
        )
        for result, expected_places in zip(first, places_by_result, strict=True)
    )
    return measures, results


def _ranking_measures(
    places_by_result: Sequence[Set[Place]], places: int, k: int
) -> dict[str, Measure]:
    values = {
        "ndcg": metrics.ndcg(metrics.novelty_gains(places_by_result), places, k),
        "recall": metrics.recall(places_by_result, places, k),
        "precision": metrics.precision(places_by_result, k),
        "mrr": metrics.reciprocal_rank(places_by_result, k),
    }
    return {name: Measure(value=value) for name, value in values.items()}


def _shows(result: Evidence, place: Place, library: Library) -> bool:
    """Return whether a result, or a near-duplicate dropped in its favour, is in a place."""
    document, page = place
    if _is_passage_in(result.passage, document, page, library):
        return True
    return any(
        library.is_called(duplicate.document_id, document) and page in (None, duplicate.page)
        for duplicate in result.near_duplicates
    )


def _is_passage_in(passage: Passage, document: str, page: int | None, library: Library) -> bool:
    if not library.is_called(passage.document_id, document):
        return False
    first, last = passage.page_start, passage.page_end
    return page is None or (first is not None and first <= page <= (last or first))


def _page_accuracy(
    spans: Sequence[GoldenSpan], evidence: Sequence[Evidence], library: Library
) -> Measure:
    paged = [span for span in spans if span.page is not None]
    if not paged:
        return UNDEFINED
    names = {span.document for span in paged}
    for result in evidence:
        if any(library.is_called(result.passage.document_id, name) for name in names):
            pages = (
                _is_passage_in(result.passage, span.document, span.page, library) for span in paged
            )
            return Measure(value=float(any(pages)))
    return Measure(value=0.0)


def _contains_quote(passage: Passage, span: GoldenSpan, library: Library) -> bool:
    return (
        library.is_called(passage.document_id, span.document)
        and _pattern(span.quote).search(passage.text) is not None
    )


def judge_answer(
    golden: GoldenQuestion,
    answer: Answer,
    library: Library,
    surroundings: Mapping[str, Surroundings],
) -> tuple[dict[str, Measure], tuple[JudgedCitation, ...]]:
    """The answer measures of one question, and its citations with their verdicts.

    `surroundings` has, for the chunk of each citation, the text around it.
    """
    quoted = [span for span in golden.relevant if span.quote]
    touched = [
        any(
            _touches(citation, span, library, surroundings[citation.chunk_id])
            for citation in answer.citations
        )
        for span in quoted
    ]
    citations = tuple(
        JudgedCitation(
            document=library.name(citation.document_id),
            page=citation.page,
            quote=citation.quote,
            right=answers(citation, golden, library, surroundings[citation.chunk_id]),
            verbatim=_is_verbatim(citation, surroundings[citation.chunk_id]),
        )
        for citation in answer.citations
    )
    answered = Measure(value=float(answer.found))
    right = answer.found and any(citation.right for citation in citations)
    measures = {
        "citation_precision": metrics.share_of([citation.right for citation in citations]),
        "citation_recall": metrics.share_of(touched),
        "quote_found": metrics.share_of([citation.verbatim for citation in citations]),
        "answered": answered if golden.answerable else UNDEFINED,
        "refused": UNDEFINED if golden.answerable else Measure(value=1 - answered.value),
        "right": Measure(value=float(right)) if golden.answerable else UNDEFINED,
    }
    return measures, citations


def answers(
    citation: Citation, golden: GoldenQuestion, library: Library, around: Surroundings
) -> bool:
    """Return whether a citation answers the question.

    It does in an expected place without a quote, or where it overlaps the place's quote or contains
    the number of the reference answer.
    """
    key = key_values(golden)
    for span in golden.relevant:
        if not _in_place(citation, span, library):
            continue
        if not span.quote or _touches(citation, span, library, around):
            return True
        if key & figures_in(citation.quote):
            return True
    return False


def _in_place(citation: Citation, span: GoldenSpan, library: Library) -> bool:
    return library.is_called(citation.document_id, span.document) and (
        span.page is None or citation.page == span.page
    )


def _touches(citation: Citation, span: GoldenSpan, library: Library, around: Surroundings) -> bool:
    """Return whether a citation overlaps any occurrence of the quote in the text around it."""
    if not _in_place(citation, span, library):
        return False
    start = citation.char_start - around.char_start
    end = citation.char_end - around.char_start
    occurrences = _pattern(span.quote).finditer(around.text)
    return any(start < match.end() and match.start() < end for match in occurrences)


def _is_verbatim(citation: Citation, around: Surroundings) -> bool:
    start = citation.char_start - around.char_start
    end = citation.char_end - around.char_start
    return start >= 0 and around.text[start:end] == citation.quote


@lru_cache(maxsize=4096)
def _pattern(quote: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, quote.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)")


def key_values(golden: GoldenQuestion) -> frozenset[str]:
    """Return the digits of the first number of the reference answer that is not in the question.

    At least SHORTEST_KEY_DIGITS digits; empty without such a number.
    """
    question_figures = figures_in(golden.question)
    for match in _FIGURE.finditer(golden.answer):
        digits = _NOT_DIGIT.sub("", match.group())
        if len(digits) >= SHORTEST_KEY_DIGITS and digits not in question_figures:
            return frozenset({digits})
    return frozenset()


def figures_in(text: str) -> frozenset[str]:
    """The digits of each number, so that 7.020 and 7,020 are one."""
    return frozenset(_NOT_DIGIT.sub("", match.group()) for match in _FIGURE.finditer(text))


def stitched(passages: Iterable[Passage]) -> Surroundings:
    """The text that passages of one document cover together; at least one passage.

    Law: it contains each passage's body at the passage's offsets.
    """
    ordered = sorted(passages, key=lambda passage: passage.char_start)
    origin = ordered[0].char_start
    text = ""
    for passage in ordered:
        start = passage.char_start - origin
        body = passage.text[passage.body_offset :]
        text = text.ljust(start)
        text = text[:start] + body + text[start + len(body) :]
    return Surroundings(text=text, char_start=origin)
