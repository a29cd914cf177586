"""Find the part of unanswering evidence that shares most terms with the question.

It is shown where retrieval is confident that the documents are relevant but no answer was found.
"""

from __future__ import annotations

from collections.abc import Sequence

from footnote.answering.cite import citation_of
from footnote.answering.sentences import Candidate, candidates_of
from footnote.domain import ClosestPassage, Evidence
from footnote.ports import Analyzer

LONGEST = 600
"""Most characters of the excerpt: about a paragraph, or a few rows; a single statement may be
longer."""


def closest_passage(
    question: str, evidence: Sequence[Evidence], analyzer: Analyzer
) -> ClosestPassage | None:
    """The adjacent statements of the best source that share most terms with the question.

    None without a suitable source; prompt injections are skipped.
    """
    for item in sorted(evidence, key=lambda item: (item.rank, item.passage.chunk_id)):
        run = [] if item.suspicious else _best_run(question, candidates_of([item]), analyzer)
        if run:
            start, end = run[0].start, run[-1].end
            return ClosestPassage(
                text=" ".join(candidate.readable for candidate in run),
                citation=citation_of(item.passage, start, end, marker=1),
            )
    return None


def _best_run(
    question: str, candidates: Sequence[Candidate], analyzer: Analyzer
) -> Sequence[Candidate]:
    """The first run with most terms of the question; among equal ones at its start, the longest."""
    if not candidates:
        return []
    language = candidates[0].evidence.passage.language
    question_terms = frozenset(analyzer.terms(question, language))
    shared_terms = [
        question_terms.intersection(analyzer.terms(candidate.statement, language))
        for candidate in candidates
    ]
    is_injection = [candidate.is_prompt_injection for candidate in candidates]
    best_range, best_count = (0, 0), -1
    for first in range(len(candidates)):
        covered_terms: frozenset[str] = frozenset()
        for last in range(first, len(candidates)):
            length = candidates[last].end - candidates[first].start
            if is_injection[last] or (last > first and length > LONGEST):
                break
            covered_terms |= shared_terms[last]
            if len(covered_terms) > best_count or (
                len(covered_terms) == best_count and best_range[0] == first
            ):
                best_range, best_count = (first, last + 1), len(covered_terms)
    return candidates[best_range[0] : best_range[1]]
