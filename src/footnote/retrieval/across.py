"""Passages in other languages than the question's, which its words do not find."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from footnote.domain import Lane, Plan, Ranking, Recall, StageRecord
from footnote.retrieval.fusion import Fused, rank_by_score
from footnote.retrieval.query import ParsedQuery

LANGUAGES = "languages"
"""The stage that looks for passages in other languages."""
WORTH = 0.18
"""Score of a passage in another language, were it not alike at all. The best of the question's own
language have 1 at most. `docs/fusion.md` says how this and what follows was fitted."""
ALIKE = 0.60
"""What is added where it is as similar to the question as the best of the dense recall is."""
FURTHER_DOWN = 0.06
"""What is lost for each unit of the natural logarithm of its rank among its like."""
SAID = 0.86
"""Share that is added of what its words gave it, names above all."""
LEAST_SIMILARITY = 0.05
"""Of the best of the dense recall, at least, so that what is nearly 0 measures nothing."""


def looks_across(languages: Sequence[str], plan: Plan, lane: Lane, parsed: ParsedQuery) -> bool:
    """Whether passages in other languages are looked for by themselves.

    They are where the plan wants it and there are any, where a model can know them, and where the
    search is for no words in particular.
    """
    wanted = plan.across_languages and plan.fusion == "adaptive"
    narrowed = parsed.phrases or parsed.excluded
    return wanted and len(languages) > 1 and not lane.languages and not narrowed


def with_other_languages(fused: Fused, dense: Ranking, across: Ranking) -> Fused:
    """The ranking with the nearest passages in other languages, of which BM25 cannot know.

    Each stands where those of the question's own language stand that answer as often. Parts still
    add up to their score.
    """
    if not across:
        return fused
    best = max(LEAST_SIMILARITY, dense[0].score if dense else 0.0)
    parts: dict[int, Mapping[Recall, float]] = dict(fused.parts)
    scores = {hit.chunk_no: hit.score for hit in fused.ranking}
    for rank, hit in enumerate(across, start=1):
        alike = min(1.0, max(0.0, hit.score) / best)
        meant = max(0.0, WORTH + ALIKE * alike - FURTHER_DOWN * math.log(rank))
        said = SAID * parts.get(hit.chunk_no, {}).get("lexical", 0.0)
        if meant + said > scores.get(hit.chunk_no, 0.0):
            parts[hit.chunk_no] = {"dense": meant, "lexical": said}
            scores[hit.chunk_no] = meant + said
    return Fused(ranking=rank_by_score(scores), parts=parts, dense_weight=fused.dense_weight)


def across_records(number: int, places: Mapping[int, tuple[int, float]]) -> list[StageRecord]:
    """Where the chunk stands among those in other languages; nothing of any other."""
    if number not in places:
        return []
    rank, score = places[number]
    return [StageRecord(stage=LANGUAGES, rank_after=rank, score_after=score)]
