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
from footnote.evaluation.judging import Judged, RankedResult
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
    for metric in _metrics_named(_HEADLINES):
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
        *_worst_questions(run),
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
    counts = (
        f"{len(run.judged)} questions, the first {run.setup.k} results of each, "
        f"{written_at:%Y-%m-%d %H:%M} UTC. "
    )
    keys: list[Content] = []
    for key, run_shown in zip(charts.RUNS, runs, strict=False):
        keys += [element("span", class_=f"key {key}"), f"{key}: {run_shown.setup.name}  "]
    yield element("p", counts, *keys, class_="soft")


def _notes(runs: Sequence[Run], regressions: Sequence[Regression]) -> Iterator[Element]:
    for regression in regressions:
        yield element("p", f"Worse than the baseline: {regression.sentence}", class_="note")
    if runs[0].missing_documents:
        names = ", ".join(runs[0].missing_documents)
        yield element("p", f"Expected, but not in the workspace: {names}.", class_="note")
    for stage in dict.fromkeys(stage for run in runs for stage in run.degraded):
        yield element("p", f"Done without {stage}.", class_="note")


def _all_figures(runs: Sequence[Run], comparison: Comparison | None) -> Iterator[Element]:
    yield element("h2", "Figures")
    differences: Mapping[str, Difference] = (
        {compared.label: compared for compared in comparison.differences} if comparison else {}
    )
    header = ["metric", *(charts.RUNS if comparison else ["value"])]
    if comparison:
        header += ["b - a", "95 % interval", "p", "better"]
    rows = []
    for metric in METRICS:
        label = metric.label(runs[0].setup.k)
        row = [label, *(_figure(run, metric) for run in runs)]
        if comparison:
            difference = differences.get(label)
            row += charts.difference_row(difference)[1:] if difference else [charts.NOTHING] * 4
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
    speed = [
        difference for difference in comparison.differences if difference.metric.group == "speed"
    ]
    shares = [difference for difference in comparison.differences if difference not in speed]
    drawings = [
        charts.forest(f"forest-{number}", title, "right of 0, b is higher; 95 % intervals", group)
        for number, (title, group) in enumerate((("shares", shares), ("milliseconds", speed)))
        if group
    ]
    yield element("div", *drawings, class_="charts")


def _by_kind(runs: Sequence[Run]) -> Iterator[Element]:
    k = runs[0].setup.k
    groups = [{"all": run.figures, **run.by_kind} for run in runs]
    drawings = []
    for metric in _metrics_named(_CHARTED):
        label = metric.label(k)
        rows = [
            Bar(name=kind, shares=tuple(group[kind][label] for group in groups))
            for kind in groups[0]
            if any(group[kind][label] is not None for group in groups)
        ]
        if rows:
            drawings.append(charts.bars(f"kind-{metric.name}", label, metric.meaning, rows))
    yield element("h2", "By kind of question")
    yield element("div", *drawings, class_="charts")


def _latency(runs: Sequence[Run]) -> Iterator[Element]:
    yield element("h2", "Time")
    if runs[0].setup.concurrency > 1:
        yield element(
            "p",
            f"{runs[0].setup.concurrency} questions were in flight at a time, so these are times "
            "under load.",
            class_="note",
        )
    drawings = [
        charts.histogram(
            f"time-{name}",
            title,
            meaning,
            [[judged.measures[name].value for judged in run.judged] for run in runs],
        )
        for name, title, meaning in (
            ("search_ms", "search", "milliseconds until the results are there"),
            ("latency_ms", "answer", "milliseconds until the answer is there"),
        )
    ]
    yield element("div", *drawings, class_="charts")


def _changed(a: Run, b: Run) -> Iterator[Element]:
    pairs = [
        (before, after)
        for before, after in zip(a.judged, b.judged, strict=True)
        if before.verdict != after.verdict
    ]
    yield element("h2", "Questions that came out differently")
    if not pairs:
        yield element("p", "None.", class_="soft")
        return
    rows: list[list[Content]] = [
        [
            before.golden.identity,
            _question_cell(before),
            _verdict_cell(before),
            _verdict_cell(after),
        ]
        for before, after in sorted(
            pairs, key=lambda pair: (pair[1].right, pair[0].golden.identity)
        )
    ]
    yield table(["id", "question", "a", "b"], rows, "Verdicts that differ")


def _worst_questions(run: Run) -> Iterator[Element]:
    worst_questions = [
        judged
        for judged in sorted(run.judged, key=lambda judged: judged.worth)
        if judged.verdict not in _GOOD or judged.worth[1] < 1
    ]
    yield element("h2", "Questions that went worst")
    if not worst_questions:
        yield element("p", "Each was answered rightly with all it needs.", class_="soft")
        return
    rows: list[list[Content]] = [
        [
            judged.golden.identity,
            _question_cell(judged),
            _verdict_cell(judged),
            _expected_cell(judged),
            _outcome_cell(judged),
        ]
        for judged in worst_questions[:WORST]
    ]
    header = ["id", "question", "verdict", "expected", "found"]
    yield table(header, rows, f"The worst {len(rows)} of {len(run.judged)} questions, worst first")


def _question_cell(judged: Judged) -> Element:
    kind = element("div", judged.golden.kind, class_="soft")
    return element("div", element("div", judged.golden.question, dir="auto"), kind)


def _verdict_cell(judged: Judged) -> Element:
    text = f"{judged.verdict} ({judged.confidence:.2f})"
    return element("span", text, class_=f"verdict {'good' if judged.right else 'bad'}")


def _expected_cell(judged: Judged) -> Element:
    golden = judged.golden
    parts: list[Content] = [element("div", golden.answer, dir="auto")] if golden.answer else []
    for span in golden.relevant:
        parts += _quoted(span.document, span.page, span.quote)
    return element("div", *(parts or ["nothing: no document says"]))


def _outcome_cell(judged: Judged) -> Element:
    parts: list[Content] = []
    for citation in judged.citations:
        mark = ("✓ answers", "good") if citation.right else ("✗ does not answer", "bad")
        heading = element("div", element("span", mark[0], class_=mark[1]))
        parts += [heading, *_quoted(citation.document, citation.page, citation.quote)]
    listed = [element("li", *_result(result)) for result in judged.results[:_RESULTS]]
    first = "first results" if listed else "no results"
    return element(
        "div",
        *(parts or [element("div", "no citation", class_="soft")]),
        element("details", element("summary", first), element("ol", *listed, class_="found")),
    )


def _result(result: RankedResult) -> list[Content]:
    mark = [element("span", "✓ ", class_="good", title="an expected place")]
    return [*(mark if result.expected else []), *_quoted(result.document, result.page, result.text)]


def _quoted(name: str, page: int | None, text: str) -> list[Content]:
    location = f"{name}, p. {page}" if page is not None else name
    line = " ".join(text.split())
    excerpt = line if len(line) <= _EXCERPT else line[:_EXCERPT].rsplit(" ", 1)[0] + " …"
    quote = [element("blockquote", excerpt, dir="auto")] if excerpt else []
    return [element("span", location, dir="auto"), *quote]


def _metrics_named(names: Sequence[str]) -> Iterator[Metric]:
    return (metric for name in names for metric in METRICS if metric.name == name)


def _figure(run: Run, metric: Metric) -> str:
    value = run.figures[metric.label(run.setup.k)]
    if metric.group == "speed" and value is not None:
        return f"{value:.1f} ms"
    return share_text(value)
