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
"""Characters of the stretch: about a paragraph, or a few rows; one statement may be longer."""


def closest_passage(
    question: str, evidence: Sequence[Evidence], analyzer: Analyzer
) -> ClosestPassage | None:
    """The statements of the best source, one after the other, that share most with the question.

    None without a source that could be shown: what gives orders to a model is passed over.
    """
    for item in sorted(evidence, key=lambda each: (each.rank, each.passage.chunk_id)):
        run = [] if item.suspicious else _best_run(question, candidates_of([item]), analyzer)
        if run:
            start, end = run[0].start, run[-1].end
            return ClosestPassage(
                text=" ".join(each.readable for each in run),
                citation=citation_of(item.passage, start, end, marker=1),
            )
    return None


def _best_run(
    question: str, candidates: Sequence[Candidate], analyzer: Analyzer
) -> Sequence[Candidate]:
    """Of the runs with most terms of the question the first, and of those that the longest."""
    if not candidates:
        return []
    language = candidates[0].evidence.passage.language
    wanted = frozenset(analyzer.terms(question, language))
    terms = [wanted.intersection(analyzer.terms(each.statement, language)) for each in candidates]
    is_injection = [each.is_prompt_injection for each in candidates]
    best, most = (0, 0), -1
    for first in range(len(candidates)):
        held: frozenset[str] = frozenset()
        for last in range(first, len(candidates)):
            length = candidates[last].end - candidates[first].start
            if is_injection[last] or (last > first and length > LONGEST):
                break
            held |= terms[last]
            if len(held) > most or (len(held) == most and best[0] == first):
                best, most = (first, last + 1), len(held)
    return candidates[best[0] : best[1]]
