"""The newest document of a series comes before the others where that is what is asked for."""

from __future__ import annotations

from datetime import date
from uuid import UUID

import pytest

from footnote.domain import Hit
from footnote.ports import DatedDocument, Period
from footnote.retrieval.fusion import Fused
from footnote.retrieval.series import (
    OTHERS_SHARE,
    places_in_series,
    series_records,
    states_period,
    toward_period,
    why_in_series,
)


def document(number: int, filename: str, title: str = "", day: date | None = None) -> DatedDocument:
    return DatedDocument(
        document_id=UUID(int=number), filename=filename, title=title, document_date=day
    )


def ranks(
    *documents: DatedDocument, period: Period = "latest", named: bool = True
) -> list[int | None]:
    """Of each document its rank in its series, one chunk each."""
    lacks = dict.fromkeys(range(len(documents)), 0.0) if named else {}
    places = places_in_series(dict(enumerate(documents)), period, lacks)
    return [places[n].rank if n in places else None for n in range(len(documents))]


REPORTS = (
    document(1, "2022 Q4 Norvane.pdf", "Report"),
    document(2, "2023 Q2 Norvane.pdf", "Interim report"),
    document(3, "2023 Q1 Norvane.pdf", "Report"),
)


def test_quarters_order_the_reports_that_a_question_names() -> None:
    assert ranks(*REPORTS) == [3, 1, 2]
    assert ranks(*REPORTS, period="earliest") == [1, 3, 2]


def test_what_no_question_names_needs_titles_that_are_alike_too() -> None:
    assert ranks(*REPORTS, named=False) == [2, None, 1]


@pytest.mark.parametrize(
    "names",
    [
        ("minutes 2024-02.docx", "minutes 2024-11.docx"),
        ("minutes_20240203.docx", "minutes_20241104.docx"),
        ("Minutes of 3 February 2024.docx", "Minutes of 4 November 2024.docx"),
        ("budget 2023.xlsx", "budget 2024.xlsx"),
        ("Bilanz 3. Quartal 2022 Q3.pdf", "Bilanz 1. Quartal 2023 Q1.pdf"),
    ],
)
def test_names_state_periods_in_several_ways(names: tuple[str, str]) -> None:
    documents = [document(n, name, name.rpartition(".")[0]) for n, name in enumerate(names)]
    assert ranks(*documents, named=False) == [2, 1]


def test_the_date_a_document_bears_counts_where_names_state_none() -> None:
    old = document(1, "letter.pdf", "Letter to members", date(2023, 5, 1))
    new = document(2, "letter.pdf", "Letter to members", date(2024, 5, 1))
    assert ranks(old, new, named=False) == [2, 1]
    undated = document(3, "letter.pdf", "Letter to members")
    assert ranks(old, new, undated, named=False) == [None, None, None]


def test_documents_of_other_names_are_no_series() -> None:
    contract = document(4, "Norvane supply contract 2024.pdf", "Contract")
    assert ranks(*REPORTS, contract) == [3, 1, 2, None]
    assert ranks(document(1, "2022.pdf", "2022"), document(2, "2023.pdf", "2023")) == [None, None]


def test_versions_of_one_period_stand_beside_each_other() -> None:
    again = document(4, "2023 Q2 Norvane.pdf", "Report")
    assert ranks(*REPORTS, again) == [3, 1, 2, 1]


def test_the_others_score_less_and_parts_still_add_up() -> None:
    places = places_in_series(dict(enumerate(REPORTS)), "latest", dict.fromkeys(range(3), 0.0))
    fused = Fused(
        ranking=(
            Hit(chunk_no=0, score=1.0),
            Hit(chunk_no=1, score=0.9),
            Hit(chunk_no=7, score=0.8),
        ),
        parts={0: {"dense": 0.6, "lexical": 0.4}, 1: {"dense": 0.9}, 7: {"lexical": 0.8}},
        dense_weight=0.5,
    )
    found = toward_period(fused, places)
    assert [hit.chunk_no for hit in found.ranking] == [1, 7, 0]
    assert found.ranking[-1].score == pytest.approx(OTHERS_SHARE)
    for hit in found.ranking:
        assert sum(found.parts[hit.chunk_no].values()) == pytest.approx(hit.score)
    assert toward_period(fused, {}) is fused


def test_the_record_says_which_and_of_how_many() -> None:
    places = places_in_series(dict(enumerate(REPORTS)), "latest", dict.fromkeys(range(3), 0.0))
    (record,) = series_records(1, places)
    assert (record.rank_after, record.score_after) == (1, 1.0)
    assert record.detail == {"documents": 3, "stated": "2023-2"}
    assert why_in_series(record) == "in the one that is asked for of 3 documents alike"
    assert why_in_series(series_records(0, places)[0]) == ""
    assert series_records(9, places) == []


@pytest.mark.parametrize(
    ("question", "stated"),
    [
        ("What was the rent in Q2 2023?", True),
        ("Which risks did the report of 2021 name last?", True),
        ("What does the latest report say on room 1204?", False),
    ],
)
def test_a_question_may_state_its_period_itself(question: str, stated: bool) -> None:
    assert states_period(question) is stated
