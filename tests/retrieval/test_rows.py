"""Where a figure is asked for, a row that is called so comes before prose that speaks of it."""

from __future__ import annotations

import pytest

from footnote.domain import Hit
from footnote.index.analysis import TextAnalyzer
from footnote.ports import RowMatch, TableText
from footnote.retrieval.fusion import Fused
from footnote.retrieval.rows import (
    ROW_GAIN,
    TABLE_GAIN,
    row_records,
    rows_called,
    toward_rows,
    why_rows,
)

TERMS_OF = TextAnalyzer().word_terms
BALANCE = """| In thousands | 2024 | 2023 |
| --- | --- | --- |
| Stored goods | 4,310 | 3,980 |
| Trade receivables | 1,204 | 998 |
| Long-term loans | 700 | 900 |"""
HOURS = """| Day | Opens |
| --- | --- |
| Monday | 9 |"""


def called(question: str, **tables: str) -> dict[str, RowMatch]:
    idf = dict.fromkeys(TextAnalyzer().query_terms(question, ["en"]), 4.0)
    texts = {n: TableText(text=each, language="en") for n, each in enumerate(tables.values())}
    found = rows_called(texts, idf, TERMS_OF)
    return {name: found[n] for n, name in enumerate(tables)}


def test_a_row_is_found_by_its_name_in_whatever_form() -> None:
    found = called("How high is the trade receivable?", balance=BALANCE, hours=HOURS)
    assert found["balance"] == RowMatch(match=1.0, name="Trade receivables")
    assert found["hours"] == RowMatch(match=0.0)


def test_half_of_a_name_counts_half_and_less_counts_nothing() -> None:
    table = "| Long-term loans to staff abroad | 12 |"
    assert called("How many loans?", balance=table)["balance"].match == 0
    half = called("What are the loans?", balance="| Loans granted | 12 |")["balance"]
    assert half.name == "Loans granted"
    assert 0 < half.match < 0.5


def test_a_row_without_figures_has_no_name() -> None:
    assert called("Which loans?", balance="| Loans | see below |")["balance"].match == 0
    assert called("Which loans?", balance="Loans | 12")["balance"].match == 0


def test_common_words_alone_are_not_enough() -> None:
    texts = {0: TableText(text="| Total | 5 |", language="en")}
    assert rows_called(texts, {"total": 0.6}, TERMS_OF)[0].match == pytest.approx(0.1)


def test_tables_of_several_languages_are_read_each_in_its_own() -> None:
    texts = {
        0: TableText(text="| Darlehen | 12 |", language="de"),
        1: TableText(text="| Loans | 12 |", language="en"),
    }
    idf = dict.fromkeys(TextAnalyzer().query_terms("Wie hoch sind die Darlehen?", ["de"]), 7.0)
    found = rows_called(texts, idf, TERMS_OF)
    assert (found[0].name, found[1].name) == ("Darlehen", "")


def test_tables_gain_and_parts_still_add_up() -> None:
    fused = Fused(
        ranking=(
            Hit(chunk_no=3, score=1.0),
            Hit(chunk_no=1, score=0.5),
            Hit(chunk_no=2, score=0.4),
        ),
        parts={3: {"dense": 1.0}, 1: {"dense": 0.3, "lexical": 0.2}, 2: {"lexical": 0.4}},
        dense_weight=0.5,
    )
    rows = {1: RowMatch(match=1.0, name="Loans"), 2: RowMatch(match=0.0)}
    found = toward_rows(fused, rows)
    scores = {hit.chunk_no: hit.score for hit in found.ranking}
    assert scores[3] == 1.0
    assert scores[1] == pytest.approx(0.5 * (1 + TABLE_GAIN) + ROW_GAIN)
    assert scores[2] == pytest.approx(0.4 * (1 + TABLE_GAIN))
    for number, score in scores.items():
        assert sum(found.parts[number].values()) == pytest.approx(score)
    assert toward_rows(fused, {}) is fused


def test_the_record_names_the_row() -> None:
    rows = {1: RowMatch(match=0.5, name="Loans"), 2: RowMatch(match=0.0)}
    (record,) = row_records(1, rows)
    assert (record.rank_after, record.score_after, record.detail) == (1, 0.5, {"row": "Loans"})
    assert why_rows(record) == "a table with the row “Loans”"
    assert why_rows(row_records(2, rows)[0]) == "a table, where a figure is asked for"
    assert row_records(3, rows) == []
