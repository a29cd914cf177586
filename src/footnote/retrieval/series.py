"""Lower the scores of all but the newest (or oldest) document of a series, if a question asks for
it.

The order in a series is exact: by the quarter, date, month, year or version in a document's name,
or else by the document's date. Documents whose names are otherwise equal form a series.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import PurePath
from uuid import UUID

from footnote.domain import MetadataValue, Recall, StageRecord
from footnote.language.series import BEARS, Stated, ordered_by, series_name, stated
from footnote.ports import DatedDocument, Period, SeriesPlace
from footnote.retrieval.fusion import Fused, rank_by_score
from footnote.retrieval.naming import MAX_LACKING, score_factor

SERIES = "series"
"""Name of the stage that lowers the scores of other documents of a series."""
OTHERS_SHARE = score_factor(MAX_LACKING)
"""Factor for the scores of other documents of the series, the same as for documents that the
question does not name at all."""
_MAX_NAMED_GAP = 0.5
"""Largest name score gap, in nats, of a document that counts as named."""


def states_period(question: str) -> bool:
    """Whether a question states its period explicitly."""
    return bool(stated(question))


def places_in_series(
    documents: Mapping[int, DatedDocument], period: Period, name_score_gaps: Mapping[int, float]
) -> Mapping[int, SeriesPlace]:
    """Map chunk numbers to their document's position in its series; without those in none.

    `name_score_gaps` is how much less than the best the question names a chunk's document, in nats.
    Named documents form a series by similar file names; others must have similar titles as well.
    """
    named_documents = {
        document.document_id
        for no, document in documents.items()
        if name_score_gaps.get(no, 9.0) <= _MAX_NAMED_GAP
    }
    series: dict[tuple[str, ...], dict[UUID, Stated]] = defaultdict(dict)
    keys: dict[UUID, tuple[str, ...]] = {}
    for document in documents.values():
        if document.document_id not in keys:
            by_file = document.document_id in named_documents
            key = series_name(document.filename, document.title, by_file=by_file)
            keys[document.document_id] = key
            series[key][document.document_id] = _stated(document)
    positions: dict[UUID, SeriesPlace] = {}
    for key, members in series.items():
        if not any(key) or len(members) < 2:
            continue
        kind = ordered_by(members.values())
        if kind is None:
            continue
        order = sorted({members[member][kind] for member in members}, reverse=period == "latest")
        for document_id, periods in members.items():
            positions[document_id] = SeriesPlace(
                rank=1 + order.index(periods[kind]),
                documents=len(members),
                stated="-".join(map(str, periods[kind])),
            )
    return {
        number: positions[document.document_id]
        for number, document in documents.items()
        if document.document_id in positions
    }


def toward_period(fused: Fused, positions: Mapping[int, SeriesPlace]) -> Fused:
    """Lower the scores of chunks whose document is not the requested one of its series.

    Parts still add up to their score.
    """
    shares = {number: OTHERS_SHARE for number, position in positions.items() if position.rank > 1}
    if not shares:
        return fused
    scores = {hit.chunk_no: hit.score * shares.get(hit.chunk_no, 1.0) for hit in fused.ranking}
    parts: dict[int, Mapping[Recall, float]] = {
        number: {recall: part * shares.get(number, 1.0) for recall, part in recall_parts.items()}
        for number, recall_parts in fused.parts.items()
    }
    return Fused(ranking=rank_by_score(scores), parts=parts, dense_weight=fused.dense_weight)


def series_records(chunk_no: int, positions: Mapping[int, SeriesPlace]) -> list[StageRecord]:
    """Record the position of the chunk's document in its series; empty without one."""
    position = positions.get(chunk_no)
    if position is None:
        return []
    detail: dict[str, MetadataValue] = {"documents": position.documents, "stated": position.stated}
    score = 1.0 if position.rank == 1 else OTHERS_SHARE
    return [StageRecord(stage=SERIES, rank_after=position.rank, score_after=score, detail=detail)]


def why_in_series(record: StageRecord) -> str:
    """The record in words."""
    if record.rank_after > 1:
        return ""
    return f"in the one that is asked for of {record.detail.get('documents')} documents alike"


def _stated(document: DatedDocument) -> Stated:
    periods = dict(stated(f"{PurePath(document.filename).stem}\n{document.title}"))
    if document.document_date is not None:
        day = document.document_date
        periods[BEARS] = (day.year, day.month, day.day)
    return periods
