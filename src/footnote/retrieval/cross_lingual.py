"""Cross-lingual recall: rank passages in other languages, which the question's words cannot
match."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from footnote.domain import Lane, Plan, Ranking, Recall, StageRecord
from footnote.retrieval.fusion import Fused, rank_by_score
from footnote.retrieval.query import ParsedQuery

LANGUAGES = "languages"
"""Name of the stage that finds passages in other languages."""
WORTH = 0.18
"""Base score of a passage in another language, at similarity 0; the best passage of the question's
own language has at most 1. `docs/fusion.md` describes how these constants were fitted."""
ALIKE = 0.60
"""Score added to a passage as similar to the question as the best of the dense recall."""
FURTHER_DOWN = 0.06
"""Score subtracted per unit of ln(rank) among the passages in other languages."""
LEXICAL_SHARE = 0.86
"""Share of its lexical score that is added; it comes mostly from names."""
MIN_SIMILARITY = 0.05
"""Minimum value of the best dense similarity that others are divided by, to avoid a divisor near
0."""


def looks_across(languages: Sequence[str], plan: Plan, lane: Lane, parsed: ParsedQuery) -> bool:
    """Whether to run a separate recall for passages in other languages.

    Only if the plan wants it, the corpus has several languages, the lane's model is not limited to
    some of them, and the query has no phrases or exclusions.
    """
    is_enabled = plan.across_languages and plan.fusion == "adaptive"
    is_restricted = parsed.phrases or parsed.excluded
    return is_enabled and len(languages) > 1 and not lane.languages and not is_restricted


def with_other_languages(fused: Fused, dense: Ranking, across: Ranking) -> Fused:
    """Merge the nearest passages in other languages, which BM25 cannot match, into the ranking.

    Each gets the score of passages in the question's own language that are as likely to answer.
    Parts still add up to their score.
    """
    if not across:
        return fused
    best = max(MIN_SIMILARITY, dense[0].score if dense else 0.0)
    parts: dict[int, Mapping[Recall, float]] = dict(fused.parts)
    scores = {hit.chunk_no: hit.score for hit in fused.ranking}
    for rank, hit in enumerate(across, start=1):
        similarity = min(1.0, max(0.0, hit.score) / best)
        dense_part = max(0.0, WORTH + ALIKE * similarity - FURTHER_DOWN * math.log(rank))
        lexical_part = LEXICAL_SHARE * parts.get(hit.chunk_no, {}).get("lexical", 0.0)
        if dense_part + lexical_part > scores.get(hit.chunk_no, 0.0):
            parts[hit.chunk_no] = {"dense": dense_part, "lexical": lexical_part}
            scores[hit.chunk_no] = dense_part + lexical_part
    return Fused(ranking=rank_by_score(scores), parts=parts, dense_weight=fused.dense_weight)


def across_records(number: int, ranks: Mapping[int, tuple[int, float]]) -> list[StageRecord]:
    """Record the chunk's rank among those in other languages; empty for other chunks."""
    if number not in ranks:
        return []
    rank, score = ranks[number]
    return [StageRecord(stage=LANGUAGES, rank_after=rank, score_after=score)]
