"""Turn rankings into evidence with an explanation of its rank."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from footnote.domain import (
    Evidence,
    FusionName,
    Hit,
    MetadataValue,
    Passage,
    Ranking,
    StageRecord,
)
from footnote.ports import Recalled
from footnote.retrieval.cross_lingual import LANGUAGES, across_records
from footnote.retrieval.fusion import Fused
from footnote.retrieval.naming import NAMES, name_records, naming_in_words
from footnote.retrieval.routing import ROUTE, route_records, why_routed
from footnote.retrieval.rows import ROWS, row_records, why_rows
from footnote.retrieval.series import SERIES, series_records, why_in_series

WORDINGS = "queries"
"""Name of the stage that fuses the rankings of several wordings."""

_NAMED_TERMS = 3


def evidence_from(
    ranking: Ranking,
    passages: Mapping[int, Passage],
    searched: Sequence[tuple[Recalled, Fused]],
    fusion: FusionName,
) -> tuple[Evidence, ...]:
    """Build evidence from the hits that still have a passage, with a record of each stage.

    `searched` has the results of each wording, from which `ranking` was fused. A hit is explained
    by the first wording that found it. A hit without a passage was deleted since recall.
    """
    rankings = [
        _Rankings(
            dense=_ranks(recalled.dense),
            lexical=_ranks(recalled.lexical),
            graph=_ranks(recalled.graph),
            across=_ranks(recalled.across),
            fused=_ranks(fused.ranking),
        )
        for recalled, fused in searched
    ]
    remaining = [hit for hit in ranking if hit.chunk_no in passages]
    evidence = []
    for rank, hit in enumerate(remaining, start=1):
        number = next(n for n, ranks in enumerate(rankings) if hit.chunk_no in ranks.fused)
        recalled, fused = searched[number]
        records = _records(hit.chunk_no, recalled, fused, rankings[number], fusion)
        if len(searched) > 1:
            records.append(_wordings_record(rank, hit, records[-1], rankings))
        else:
            records[-1] = _with_rank(records[-1], rank)
        evidence.append(_evidence(rank, hit, passages[hit.chunk_no], recalled, records))
    return tuple(evidence)


def why(evidence: Evidence) -> str:
    """Explain the rank of the evidence in one sentence."""
    reasons = [
        _SENTENCES.get(record.stage, _describe_fusion)(record) for record in evidence.explanation
    ]
    clauses = [reason for reason in reasons if reason]
    return f"Ranked {_ordinal(evidence.rank)}: {'; '.join(clauses)}." if clauses else ""


_Ranked = Mapping[int, tuple[int, float]]
"""Rank and score by chunk number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rankings:
    """Ranks and scores of the chunks that one wording found, in each recall and fused."""

    dense: _Ranked
    lexical: _Ranked
    graph: _Ranked
    across: _Ranked
    fused: _Ranked


def _ranks(ranking: Sequence[Hit]) -> _Ranked:
    return {hit.chunk_no: (rank, hit.score) for rank, hit in enumerate(ranking, start=1)}


def _records(
    number: int,
    recalled: Recalled,
    fused: Fused,
    rankings: _Rankings,
    fusion: FusionName,
) -> list[StageRecord]:
    records = [
        *route_records(number, recalled),
        *name_records(number, recalled.name_score_gaps),
        *series_records(number, recalled.series),
        *row_records(number, recalled.rows),
    ]
    if number in rankings.dense:
        rank, score = rankings.dense[number]
        records.append(StageRecord(stage="dense", rank_after=rank, score_after=score))
    if number in rankings.lexical:
        rank, score = rankings.lexical[number]
        shares = recalled.matched_terms.get(number, {})
        records.append(
            StageRecord(stage="lexical", rank_after=rank, score_after=score, detail=dict(shares))
        )
    records += across_records(number, rankings.across)
    if number in rankings.graph:
        rank, score = rankings.graph[number]
        detail = dict(recalled.named.get(number, {}))
        records.append(
            StageRecord(stage="graph", rank_after=rank, score_after=score, detail=detail)
        )
    rank, score = rankings.fused[number]
    parts: dict[str, MetadataValue] = {"dense_weight": fused.dense_weight}
    parts.update({str(recall): part for recall, part in fused.parts.get(number, {}).items()})
    records.append(StageRecord(stage=fusion, rank_after=rank, score_after=score, detail=parts))
    return records


def _wordings_record(
    rank: int,
    hit: Hit,
    fused: StageRecord,
    rankings: Sequence[_Rankings],
) -> StageRecord:
    """Record the fusion of the wordings' rankings, with the hit's rank in each wording."""
    ranks: dict[str, MetadataValue] = {
        f"wording_{number}": ranks.fused[hit.chunk_no][0]
        for number, ranks in enumerate(rankings, start=1)
        if hit.chunk_no in ranks.fused
    }
    return StageRecord(
        stage=WORDINGS,
        rank_before=fused.rank_after,
        score_before=fused.score_after,
        rank_after=rank,
        score_after=hit.score,
        detail=ranks,
    )


def _with_rank(record: StageRecord, rank: int) -> StageRecord:
    """Return the record with the rank among the hits that still have a passage."""
    if record.rank_after == rank:
        return record
    return StageRecord(
        stage=record.stage,
        rank_after=rank,
        score_after=record.score_after,
        detail=record.detail,
    )


def _evidence(
    rank: int, hit: Hit, passage: Passage, recalled: Recalled, records: Sequence[StageRecord]
) -> Evidence:
    terms = recalled.matched_terms.get(hit.chunk_no, {})
    return Evidence(
        passage=passage,
        rank=rank,
        score=hit.score,
        similarity=recalled.similarities.get(hit.chunk_no),
        matched_terms=tuple(sorted(terms, key=lambda term: (-terms[term], term))),
        explanation=tuple(records),
    )


def _describe_route(record: StageRecord) -> str:
    return why_routed(record, _ordinal(record.rank_after))


def _describe_dense(record: StageRecord) -> str:
    return f"{_ordinal(record.rank_after)} by meaning (similarity {record.score_after:.2f})"


def _describe_lexical(record: StageRecord) -> str:
    rank = _ordinal(record.rank_after)
    return f"{rank} by words ({_terms(record.detail)}, BM25 {record.score_after:.2f})"


def _describe_languages(record: StageRecord) -> str:
    rank = _ordinal(record.rank_after)
    return f"{rank} of those in other languages (similarity {record.score_after:.2f})"


def _describe_graph(record: StageRecord) -> str:
    text = f"{_ordinal(record.rank_after)} by what the question names"
    names = ", ".join(f"“{name}”" for name in list(record.detail)[:_NAMED_TERMS])
    return f"{text} ({names})" if names else f"{text} (named beside it)"


def _describe_rerank(record: StageRecord) -> str:
    model = record.detail.get("model")
    return f"{_ordinal(record.rank_after)} once {model} had read it ({record.score_after:.2f})"


def _describe_diversity(record: StageRecord) -> str:
    if record.rank_before is None or record.rank_before == record.rank_after:
        return ""
    return f"moved from {_ordinal(record.rank_before)} for variety"


def _describe_duplicates(record: StageRecord) -> str:
    count = record.detail.get("near_duplicates", 0)
    return f"{count} more that say the same" if count else ""


def _describe_expand(record: StageRecord) -> str:
    count = record.detail.get("neighbours", 0)
    return f"shown with {count} neighbouring chunks" if count else ""


def _describe_grade(record: StageRecord) -> str:
    return f"judged {record.detail.get('grading')}"


def _describe_wordings(record: StageRecord) -> str:
    return f"{_ordinal(record.rank_after)} over {len(record.detail)} wordings"


def _describe_fusion(record: StageRecord) -> str:
    share = record.detail.get("dense_weight")
    weight_text = f", meaning weighing {share:.0%}" if isinstance(share, float) else ""
    return f"{_ordinal(record.rank_after)} of both together ({record.stage}{weight_text})"


_SENTENCES: Mapping[str, Callable[[StageRecord], str]] = {
    ROUTE: _describe_route,
    NAMES: naming_in_words,
    SERIES: why_in_series,
    ROWS: why_rows,
    "dense": _describe_dense,
    "lexical": _describe_lexical,
    LANGUAGES: _describe_languages,
    "graph": _describe_graph,
    WORDINGS: _describe_wordings,
    "duplicates": _describe_duplicates,
    "rerank": _describe_rerank,
    "round_robin": _describe_diversity,
    "mmr": _describe_diversity,
    "grade": _describe_grade,
    "expand": _describe_expand,
}
"""Describes each stage's record in a few words, empty if it changed nothing. Other stages are
fusions."""


def _terms(shares: Mapping[str, MetadataValue]) -> str:
    ordered = sorted(shares, key=lambda term: (-float(shares[term]), term))
    names = ", ".join(f"“{term}”" for term in ordered[:_NAMED_TERMS])
    remaining = len(ordered) - _NAMED_TERMS
    return f"{names} and {remaining} more" if remaining > 0 else names or "no term"


def _ordinal(rank: int) -> str:
    ending = "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10)
    return f"{rank}{ending or 'th'}"
