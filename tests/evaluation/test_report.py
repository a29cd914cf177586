"""The report is one page that needs nothing else, says everything and runs nothing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.evaluation import charts
from footnote.evaluation.compare import compare
from footnote.evaluation.gate import Regression
from footnote.evaluation.judging import RankedResult
from footnote.evaluation.markup import clean, document, element
from footnote.evaluation.metrics import METRICS
from footnote.evaluation.report import Comparison, html_report
from footnote.evaluation.run import Run
from footnote.evaluation.summary import differences_summary, summary
from tests.evaluation.factories import a_run

NOON = datetime(2025, 5, 2, 12, 0, tzinfo=UTC)
EVIL = "<script>alert('x')</script>\x00 & \"friends\""
VOID = {"meta"}


class Reader(HTMLParser):
    """Collects what a page is made of, and fails where tags do not match."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def two_runs(text: str = "Policy") -> tuple[Run, Run]:
    """Two runs of six questions whose documents hold this text."""
    a = a_run(
        {
            "ndcg": [0.0, 0.5, 1.0, 1.0, 0.3, 0.9],
            "recall": [0.0, 1.0, 1.0, 1.0, 0.5, 1.0],
            "right": [0.0, 1.0, 1.0, 0.0, 0.0, 1.0],
        },
        "balanced",
        latency=[10.0, 12.0, 30.0, 8.0, 9.0, 70.0],
    )
    b = a_run(
        {
            "ndcg": [0.4, 0.5, 1.0, 1.0, 0.6, 1.0],
            "recall": [1.0, 1.0, 1.0, 1.0, 0.5, 1.0],
            "right": [1.0, 1.0, 1.0, 0.0, 0.0, 1.0],
        },
        "thorough",
        latency=[20.0, 22.0, 50.0, 18.0, 19.0, 90.0],
    )
    found = (RankedResult(document=text, page=1, text=text, expected=False),)
    judged = tuple(replace(each, results=found, answer=text) for each in a.judged)
    return replace(a, judged=judged, missing_documents=(text,)), b


def compared(text: str = "Policy") -> str:
    a, b = two_runs(text)
    second = Comparison(other=b, differences=compare(a, b, rounds=200))
    fallen = Regression(label="ndcg@10", before=0.9, now=0.6, p=0.01)
    return html_report(a, second, [fallen], written_at=NOON)


def alone() -> str:
    return html_report(two_runs()[0], written_at=NOON)


@pytest.mark.parametrize("page", [compared(), alone()], ids=["compared", "alone"])
def test_a_report_needs_nothing_from_anywhere(page: str) -> None:
    reader = Reader(page)
    tags = {tag for tag, _ in reader.tags}
    assert not tags & {"script", "link", "img", "iframe", "object"}
    assert not re.search(r"https?:|url\(|@import|\bon\w+=", page)
    for _, attributes in reader.tags:
        assert not set(attributes) & {"src", "href", "action"}


@pytest.mark.parametrize("page", [compared(), alone()], ids=["compared", "alone"])
def test_every_chart_has_a_title_a_description_and_a_table(page: str) -> None:
    reader = Reader(page)
    drawings = reader.named("svg")
    identities = [attributes.get("id") for _, attributes in reader.tags if "id" in attributes]
    assert len(identities) == len(set(identities))
    assert drawings
    for drawing in drawings:
        assert drawing["role"] == "img"
        assert set(str(drawing["aria-labelledby"]).split()) <= set(identities)
    assert len(reader.named("details")) >= len(drawings)
    assert len(reader.named("table")) > len(drawings)
    assert len(reader.named("h1")) == 1
    assert reader.named("html") == [{"lang": "en"}]


def test_titles_of_documents_cannot_become_markup() -> None:
    page = compared(EVIL)
    reader = Reader(page)
    assert reader.named("script") == []
    assert "alert('x')" in reader.words
    assert "\x00" not in page


def test_a_report_says_what_was_measured() -> None:
    page = compared()
    words = Reader(page).words
    for said in (
        *(metric.label(10) for metric in METRICS),
        "a: balanced",
        "b: thorough",
        "2025-05-02 12:00",
        "Worse than the baseline: ndcg@10 fell from 0.900 to 0.600",
        "Expected, but not in the workspace: Policy.",
        "What about q0?",
        "Questions that came out differently",
        "p95",
    ):
        assert said in words, said


def test_a_run_without_mistakes_says_so() -> None:
    page = html_report(a_run({"ndcg": [1.0], "right": [1.0]}), written_at=NOON)
    assert "Each was answered rightly" in page


@given(st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=5))
def test_bars_are_as_long_as_their_shares(shares: list[float | None]) -> None:
    rows = [charts.Bar(name=f"kind {place}", shares=(s,)) for place, s in enumerate(shares)]
    reader = Reader(document(charts.bars("id", "title", "meaning", rows)))
    widths = [float(str(rect["width"])) for rect in reader.named("rect")]
    full = charts.bars("id", "t", "m", [charts.Bar(name="full", shares=(1.0,))])
    longest = float(str(Reader(document(full)).named("rect")[0]["width"]))
    assert widths == pytest.approx([(share or 0.0) * longest for share in shares], abs=0.01)


@given(st.lists(st.floats(0, 1e5), min_size=1, max_size=40))
def test_a_histogram_stands_for_any_times(times: list[float]) -> None:
    page = document(charts.histogram("id", "title", "meaning", [times, times[:1]]))
    heights = [float(str(rect["height"])) for rect in Reader(page).named("rect")]
    assert all(height >= 0 for height in heights)
    assert sum(height > 0 for height in heights) <= len(times) + 1


@given(st.text())
def test_any_text_survives_as_text(text: str) -> None:
    page = document(element("p", text, title=text))
    [attributes] = Reader(page).named("p")
    assert attributes["title"] == clean(text)
    assert Reader(page).words.strip() == clean(text).strip()


def test_a_summary_is_json_with_every_metric_kind_and_question() -> None:
    a, b = two_runs()
    told = json.loads(json.dumps(summary(a)))
    assert told["ndcg@10"] == pytest.approx(0.6167)
    assert told["refused"] is None
    assert {"precision@10", "mrr@10", "diversity", "latency_p95_ms", "citation_precision"} <= set(
        told
    )
    assert told["by_kind"]["question"]["right"] == 0.5
    assert [each["verdict"] for each in told["by_question"]][:2] == ["refused", "right"]
    differences = json.loads(json.dumps(differences_summary(compare(a, b, rounds=200))))
    assert differences["recall@10"]["difference"] == pytest.approx(0.1667)
    assert set(differences["ndcg@10"]) == {
        *("a", "b", "difference", "interval", "p", "better", "questions")
    }
