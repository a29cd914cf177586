"""Compute the features from which the probability of each statement as the answer is fitted."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import astuple, dataclass, fields
from functools import cache

import numpy as np
import numpy.typing as npt

from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.sentences import Candidate
from footnote.domain import BlockKind, Evidence, Passage
from footnote.ports import Analyzer

Floats = npt.NDArray[np.float64]

LOWEST_SCORE = -12.0
"""Scores are clipped from below at these log-odds."""
MIN_SPREAD = 0.02
"""Added to the standard deviation of cosines, so that nearly equal ones do not get large values."""
_SUREST = 1e-6
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFeatures:
    """Features of one statement as a possible answer."""

    score: float
    """The reader's log-odds of the best span in it against "this passage does not answer"."""
    relevance: float
    """The reader's log-odds that its passage answers at all."""
    unmet: float
    """Log-odds that the question is about something that the passage does not mention."""
    below_best: float
    """Score minus the best score in its passage; at most 0."""
    log_rank: float
    """Logarithm of the passage's rank in the search."""
    passage_standing: float
    """Cosine of passage and question, in standard deviations above the median passage."""
    statement_standing: float
    """Cosine of statement and question, in standard deviations above the median statement."""
    passage_coverage: float
    """Share of the question's terms, by rarity, that the passage or its headings hold; 0 where
    they are in different languages."""
    statement_coverage: float
    """The same share for the statement and its headings."""
    unseen: float
    """The share of the question's terms that no passage has."""
    is_foreign: float
    """1 where passage and question are in different languages."""
    lacks_numbers: float
    """Share of the question's numbers that the passage and its names do not have."""
    is_field: float
    """1 for a line of a form, a label or a sign."""
    is_row: float
    """1 for a row of a table."""
    question_length: float
    """Logarithm of the number of question terms plus one."""


ANSWER_FEATURES: tuple[str, ...] = tuple(feature.name for feature in fields(AnswerFeatures))


@dataclass(frozen=True, slots=True, kw_only=True)
class TermCoverage:
    """The share of a question's terms in the passages, their headings and the statements."""

    passage: float
    statement: float
    unseen: float
    is_foreign: bool
    rank: int
    """Rank of the passage in the search, among passages in the question's language or among the
    others."""
    length: float


def term_coverage(
    question: str,
    statements: Sequence[Candidate],
    evidence: Sequence[Evidence],
    analyzer: Analyzer,
) -> list[TermCoverage]:
    """The coverage of each statement; rare terms weigh more."""
    terms = cache(lambda text, language: frozenset(analyzer.terms(text, language)))
    question_terms = cache(lambda language: analyzer.query_terms(question, [language or "en"]))
    passage_terms: Mapping[str, frozenset[str]] = {
        item.passage.chunk_id: terms(item.passage.text, item.passage.language)
        | terms(_title_and_headings(item.passage), item.passage.language)
        for item in evidence
    }
    passage_counts = Counter(term for term_set in passage_terms.values() for term in term_set)
    languages = dict.fromkeys(item.passage.language or "en" for item in evidence)
    question_language = analyzer.language_of(question, list(languages))
    is_foreign_by_chunk = {
        item.passage.chunk_id: None not in (question_language, item.passage.language)
        and question_language != item.passage.language
        for item in evidence
    }
    ranks: dict[str, int] = {}
    for is_foreign in (False, True):
        group = [
            item for item in evidence if is_foreign_by_chunk[item.passage.chunk_id] is is_foreign
        ]
        group.sort(key=lambda item: item.rank)
        ranks |= {item.passage.chunk_id: rank for rank, item in enumerate(group, start=1)}

    def share(query_terms: Sequence[str], within: frozenset[str]) -> float:
        weights = {
            term: math.log1p(
                (len(passage_terms) + 1.5 - passage_counts[term]) / (passage_counts[term] + 0.5)
            )
            for term in query_terms
        }
        total = sum(weights.values())
        return (
            sum(weights[term] for term in query_terms if term in within) / total if total else 0.0
        )

    all_terms = frozenset(passage_counts)
    coverages = []
    for candidate in statements:
        passage = candidate.evidence.passage
        foreign = is_foreign_by_chunk[passage.chunk_id]
        query_terms = question_terms(passage.language)
        statement_terms = terms(candidate.statement, passage.language)
        statement_terms |= terms(_title_and_headings(passage), passage.language)
        coverages.append(
            TermCoverage(
                passage=0.0 if foreign else share(query_terms, passage_terms[passage.chunk_id]),
                statement=0.0 if foreign else share(query_terms, statement_terms),
                unseen=0.0 if foreign else 1.0 - share(query_terms, all_terms),
                is_foreign=foreign,
                rank=ranks[passage.chunk_id],
                length=math.log1p(len(query_terms)),
            )
        )
    return coverages


def likeliest(
    answers: Sequence[LocatedAnswer], shares: Sequence[TermCoverage], count: int
) -> list[int]:
    """The indices of the `count` statements preselected by reader, coverage and rank, in text
    order."""
    scores = [
        log_odds(answer.reader_probability) + 4 * coverage.statement - math.log(coverage.rank)
        for answer, coverage in zip(answers, shares, strict=True)
    ]
    return sorted(sorted(range(len(answers)), key=lambda index: -scores[index])[:count])


def feature_matrix(
    question: str,
    answers: Sequence[LocatedAnswer],
    shares: Sequence[TermCoverage],
    evidence: Sequence[Evidence],
    similarities: Sequence[float] | None,
) -> Floats:
    """A row of `ANSWER_FEATURES` for each statement, of shape (statements, names).

    `similarities` are the statements' cosines to the question; None where they are not known.
    """
    best_scores: dict[str, float] = {}
    for answer in answers:
        chunk_id = answer.passage.chunk_id
        best_scores[chunk_id] = max(best_scores.get(chunk_id, -math.inf), answer.score)
    passage_z_scores = median_z_scores([item.similarity for item in evidence])
    z_score_by_chunk = dict(
        zip((item.passage.chunk_id for item in evidence), passage_z_scores, strict=True)
    )
    statement_z_scores = (
        median_z_scores(similarities) if similarities is not None else [0.0] * len(answers)
    )
    numbers = numbers_in(question)
    rows = []
    for answer, coverage, z_score in zip(answers, shares, statement_z_scores, strict=True):
        passage, candidate = answer.passage, answer.candidate
        rows.append(
            AnswerFeatures(
                score=max(LOWEST_SCORE, answer.score),
                relevance=answer.relevance,
                unmet=answer.mismatch,
                below_best=max(LOWEST_SCORE, answer.score - best_scores[passage.chunk_id]),
                log_rank=math.log(coverage.rank),
                passage_standing=z_score_by_chunk[passage.chunk_id],
                statement_standing=z_score,
                passage_coverage=coverage.passage,
                statement_coverage=coverage.statement,
                unseen=coverage.unseen,
                is_foreign=float(coverage.is_foreign),
                lacks_numbers=missing_number_share(numbers, passage),
                is_field=float(candidate.is_field),
                is_row=float(candidate.kind is BlockKind.TABLE),
                question_length=coverage.length,
            )
        )
    return np.array([astuple(row) for row in rows]).reshape(len(rows), len(ANSWER_FEATURES))


def heading_of(passage: Passage) -> str:
    """The document title and the headings above a passage, each once."""
    names = dict.fromkeys((passage.document_title, *passage.heading_path))
    return " › ".join(filter(None, names))


def log_odds(probability: float) -> float:
    """The log-odds of a probability, which is clipped away from 0 and 1."""
    clipped = min(max(probability, _SUREST), 1 - _SUREST)
    return math.log(clipped / (1 - clipped))


def missing_number_share(numbers: Set[str], passage: Passage) -> float:
    """The share of the numbers that a passage and its names do not have."""
    passage_numbers = numbers_in(
        f"{passage.text}\n{_title_and_headings(passage)}\n{passage.filename}"
    )
    return len(numbers - passage_numbers) / max(1, len(numbers))


def numbers_in(text: str) -> Set[str]:
    """The numbers of a text, however their digits are grouped."""
    return {re.sub("[.,]", "", number) for number in _NUMBER.findall(text)}


def median_z_scores(similarities: Sequence[float | None]) -> list[float]:
    """Deviation of each from the median, in standard deviations; -1 for what dense recall
    missed."""
    values = [value for value in similarities if value is not None]
    if not values:
        return [0.0] * len(similarities)
    median, spread = float(np.median(values)), float(np.std(values)) + MIN_SPREAD
    return [-1.0 if value is None else (value - median) / spread for value in similarities]


def _title_and_headings(passage: Passage) -> str:
    return " ".join((passage.document_title, *passage.heading_path))
