"""Render a run, alone or compared with another, as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from xml.etree.ElementTree import Element

from footnote.evaluation import charts
from footnote.evaluation.charts import Bar, share_text, table
from footnote.evaluation.compare import Difference
from footnote.evaluation.gate import Regression
from footnote.evaluation.judging import Found, Judged
from footnote.evaluation.markup import Content, document, element
from footnote.evaluation.metrics import METRICS, Metric
from footnote.evaluation.run import Run

WORST = 25
"""Most questions listed among the worst."""

_HEADLINES = ("ndcg", "recall", "right", "refused", "citation_precision", "latency_p50_ms")
_CHARTED = ("ndcg", "recall", "span_accuracy", "right", "citation_precision", "refused")
_EXCERPT = 240
_RESULTS = 3
_GOOD = {"right", "rightly refused"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A second run over the same questions."""

    other: Run
    differences: tuple[Difference, ...]


def html_report(
    run: Run,
    comparison: Comparison | None = None,
    regressions: Sequence[Regression] = (),
    *,
    written_at: datetime,
) -> str:
    """The page: figures, charts and the questions that went worst, without any script."""
    runs = [run] if comparison is None else [run, comparison.other]
    title = f"Evaluation of {run.golden.name}"
    tiles = []
    for metric in _named(_HEADLINES):
        values = [_figure(run, metric) for run in runs]
        second = [element("span", value, class_="b") for value in values[1:]]
        label = metric.label(runs[0].setup.k)
        tiles.append(element("li", element("strong", values[0]), *second, element("span", label)))
    main = element(
        "main",
        *_head(title, runs, written_at),
        *_notes(runs, regressions),
        element("ul", *tiles, class_="tiles"),
        *_all_figures(runs, comparison),
        *(_differences(comparison) if comparison else ()),
        *_by_kind(runs),
        *_latency(runs),
        *(_changed(run, comparison.other) if comparison else ()),
        *_worst(run),
    )
    style = (files("footnote.evaluation") / "report.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", style),
    )
    return document(element("html", head, element("body", main), lang="en"))


def _head(title: str, runs: Sequence[Run], written_at: datetime) -> Iterator[Element]:
    run = runs[0]
    yield element("h1", title)
    told = (
        f"{len(run.judged)} questions, the first {run.setup.k} results of each, "
        f"{written_at:%Y-%m-%d %H:%M} UTC. "
    )
    named: list[Content] = []
    for key, each in zip(charts.RUNS, runs, strict=False):
        named += [element("span", class_=f"key {key}"), f"{key}: {each.setup.name}  "]
    yield element("p", told, *named, class_="soft")


def _notes(runs: Sequence[Run], regressions: Sequence[Regression]) -> Iterator[Element]:
    for each in regressions:
        yield element("p", f"Worse than the baseline: {each.sentence}", class_="note")
    if runs[0].missing_documents:
        names = ", ".join(runs[0].missing_documents)
        yield element("p", f"Expected, but not in the workspace: {names}.", class_="note")
    for stage in dict.fromkeys(stage for run in runs for stage in run.degraded):
        yield element("p", f"Done without {stage}.", class_="note")


def _all_figures(runs: Sequence[Run], comparison: Comparison | None) -> Iterator[Element]:
    yield element("h2", "Figures")
    differences: Mapping[str, Difference] = (
        {each.label: each for each in comparison.differences} if comparison else {}
    )
    header = ["metric", *(charts.RUNS if comparison else ["value"])]
    if comparison:
        header += ["b - a", "95 % interval", "p", "better"]
    rows = []
    for metric in METRICS:
        label = metric.label(runs[0].setup.k)
        row = [label, *(_figure(run, metric) for run in runs)]
        if comparison:
            found = differences.get(label)
            row += charts.difference_row(found)[1:] if found else [charts.NOTHING] * 4
        rows.append([*row, f"{metric.meaning} ({metric.range})"])
    yield table([*header, "meaning"], rows, "Every metric over all questions")


def _differences(comparison: Comparison) -> Iterator[Element]:
    yield element("h2", "Differences")
    yield element(
        "p",
        "A filled dot is a difference that chance brings about in fewer than 5 of 100 cases, by "
        "a paired randomisation test. Of metrics that do not differ, one in twenty is filled by "
        "chance.",
        class_="soft",
    )
    speed = [each for each in comparison.differences if each.metric.group == "speed"]
    shares = [each for each in comparison.differences if each not in speed]
    drawn = [
        charts.forest(f"forest-{place}", title, "right of 0, b is higher; 95 % intervals", chosen)
        for place, (title, chosen) in enumerate((("shares", shares), ("milliseconds", speed)))
        if chosen
    ]
    yield element("div", *drawn, class_="charts")


def _by_kind(runs: Sequence[Run]) -> Iterator[Element]:
    k = runs[0].setup.k
    groups = [{"all": run.figures, **run.by_kind} for run in runs]
    drawn = []
    for metric in _named(_CHARTED):
        label = metric.label(k)
        rows = [
            Bar(name=kind, shares=tuple(group[kind][label] for group in groups))
            for kind in groups[0]
            if any(group[kind][label] is not None for group in groups)
        ]
        if rows:
            drawn.append(charts.bars(f"kind-{metric.name}", label, metric.meaning, rows))
    yield element("h2", "By kind of question")
    yield element("div", *drawn, class_="charts")


def _latency(runs: Sequence[Run]) -> Iterator[Element]:
    yield element("h2", "Time")
    if runs[0].setup.concurrency > 1:
        yield element(
            "p",
            f"{runs[0].setup.concurrency} questions were in flight at a time, so these are times "
            "under load.",
            class_="note",
        )
    drawn = [
        charts.histogram(
            f"time-{name}",
            title,
            meaning,
            [[each.measures[name].value for each in run.judged] for run in runs],
        )
        for name, title, meaning in (
            ("search_ms", "search", "milliseconds until the results are there"),
            ("latency_ms", "answer", "milliseconds until the answer is there"),
        )
    ]
    yield element("div", *drawn, class_="charts")


def _changed(a: Run, b: Run) -> Iterator[Element]:
    pairs = [(x, y) for x, y in zip(a.judged, b.judged, strict=True) if x.verdict != y.verdict]
    yield element("h2", "Questions that came out differently")
    if not pairs:
        yield element("p", "None.", class_="soft")
        return
    rows: list[list[Content]] = [
        [x.golden.identity, _asked(x), _verdict(x), _verdict(y)]
        for x, y in sorted(pairs, key=lambda pair: (pair[1].right, pair[0].golden.identity))
    ]
    yield table(["id", "question", "a", "b"], rows, "Verdicts that differ")


def _worst(run: Run) -> Iterator[Element]:
    worst = [
        each
        for each in sorted(run.judged, key=lambda each: each.worth)
        if each.verdict not in _GOOD or each.worth[1] < 1
    ]
    yield element("h2", "Questions that went worst")
    if not worst:
        yield element("p", "Each was answered rightly with all it needs.", class_="soft")
        return
    rows: list[list[Content]] = [
        [each.golden.identity, _asked(each), _verdict(each), _expected(each), _came(each)]
        for each in worst[:WORST]
    ]
    header = ["id", "question", "verdict", "expected", "found"]
    yield table(header, rows, f"The worst {len(rows)} of {len(run.judged)} questions, worst first")


def _asked(judged: Judged) -> Element:
    kind = element("div", judged.golden.kind, class_="soft")
    return element("div", element("div", judged.golden.question, dir="auto"), kind)


def _verdict(judged: Judged) -> Element:
    told = f"{judged.verdict} ({judged.confidence:.2f})"
    return element("span", told, class_=f"verdict {'good' if judged.right else 'bad'}")


def _expected(judged: Judged) -> Element:
    golden = judged.golden
    parts: list[Content] = [element("div", golden.answer, dir="auto")] if golden.answer else []
    for span in golden.relevant:
        parts += _quoted(span.document, span.page, span.quote)
    return element("div", *(parts or ["nothing: no document says"]))


def _came(judged: Judged) -> Element:
    parts: list[Content] = []
    for citation in judged.citations:
        mark = ("✓ answers", "good") if citation.right else ("✗ does not answer", "bad")
        told = element("div", element("span", mark[0], class_=mark[1]))
        parts += [told, *_quoted(citation.document, citation.page, citation.quote)]
    listed = [element("li", *_result(each)) for each in judged.results[:_RESULTS]]
    first = "first results" if listed else "no results"
    return element(
        "div",
        *(parts or [element("div", "no citation", class_="soft")]),
        element("details", element("summary", first), element("ol", *listed, class_="found")),
    )


def _result(found: Found) -> list[Content]:
    mark = [element("span", "✓ ", class_="good", title="an expected place")]
    return [*(mark if found.expected else []), *_quoted(found.document, found.page, found.text)]


def _quoted(name: str, page: int | None, text: str) -> list[Content]:
    where = f"{name}, p. {page}" if page is not None else name
    line = " ".join(text.split())
    shown = line if len(line) <= _EXCERPT else line[:_EXCERPT].rsplit(" ", 1)[0] + " …"
    quote = [element("blockquote", shown, dir="auto")] if shown else []
    return [element("span", where, dir="auto"), *quote]


def _named(names: Sequence[str]) -> Iterator[Metric]:
    return (metric for name in names for metric in METRICS if metric.name == name)


def _figure(run: Run, metric: Metric) -> str:
    value = run.figures[metric.label(run.setup.k)]
    if metric.group == "speed" and value is not None:
        return f"{value:.1f} ms"
    return share_text(value)
