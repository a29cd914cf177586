"""Figures, differences, bad questions and regressions as people read them in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from footnote.evaluation.charts import NOTHING, difference_row, share_text
from footnote.evaluation.compare import Difference
from footnote.evaluation.gate import Regression
from footnote.evaluation.judging import Judged
from footnote.evaluation.metrics import METRICS, Metric
from footnote.evaluation.run import Run
from footnote.interfaces.cli import present

_BY_KIND = ("ndcg", "recall", "span_accuracy", "citation_precision", "answered", "right", "refused")
_STYLES = {"a": "cyan", "b": "green", "even": "dim"}


def show_figures(console: Console, run: Run) -> None:
    """Every metric with what it means."""
    listing = present.table("metric", "#value", "meaning")
    for metric in METRICS:
        meaning = Text(metric.meaning, style="dim")
        listing.add_row(metric.label(run.setup.k), _value(run, metric), meaning)
    listing.show(console)


def show_differences(
    console: Console, runs: Sequence[Run], differences: Sequence[Difference]
) -> None:
    """Every metric of both runs, by how much they differ, and who is better."""
    for key, run in zip("ab", runs, strict=True):
        console.print(Text(f"{key}: {present.plain(run.setup.name)}"))
    listing = present.table("metric", "#a", "#b", "#b - a", "#95 % interval", "#p", "better")
    for comparison in differences:
        a, b = (_value(run, comparison.metric) for run in runs)
        label, difference, interval, p, better = difference_row(comparison)
        verdict = Text(better, style=_STYLES[better])
        listing.add_row(label, a, b, difference, interval, p, verdict)
    listing.show(console)


def show_kinds(console: Console, run: Run) -> None:
    """A row for each kind of question."""
    metrics = [metric for name in _BY_KIND for metric in METRICS if metric.name == name]
    labels = [metric.label(run.setup.k) for metric in metrics]
    listing = present.table("kind", "#questions", *(f"#{label}" for label in labels))
    for kind, figures in run.by_kind.items():
        count = sum(judged.golden.kind == kind for judged in run.judged)
        shares = [share_text(figures[label]) for label in labels]
        listing.add_row(present.plain(kind), str(count), *shares)
    listing.show(console)


def show_worst(console: Console, run: Run, limit: int) -> None:
    """The questions that went worst, with what was expected and what was said."""
    bad = [
        judged for judged in sorted(run.judged, key=lambda judged: judged.worth) if not judged.right
    ]
    if not bad or not limit:
        return
    console.print(Text(f"{len(bad)} of {len(run.judged)} questions went wrong", style="bold"))
    for judged in bad[:limit]:
        console.print(_verdict_lines(judged), soft_wrap=True)
    console.print()


def _verdict_lines(judged: Judged) -> Text:
    golden = judged.golden
    locations = [_location(span.document, span.page) for span in golden.relevant]
    expected = golden.answer or ", ".join(locations) or "a refusal"
    lines = [
        Text.assemble(
            (f"{present.plain(golden.identity)} ", "cyan"),
            (f"{judged.verdict} ", "red"),
            present.excerpt(golden.question, 200),
        ),
        Text(f"    expected  {present.excerpt(expected, 200)}", style="dim"),
    ]
    for citation in judged.citations:
        location = _location(citation.document, citation.page)
        line = f"    said      {present.excerpt(citation.quote, 160)} ({location})"
        lines.append(Text(line, style="dim"))
    if not judged.citations:
        first = [_location(result.document, result.page) for result in judged.results[:3]]
        lines.append(Text(f"    found     {', '.join(first) or NOTHING}", style="dim"))
    return Text("\n").join(lines)


def _location(document: str, page: int | None) -> str:
    name = present.plain(document)
    return name if page is None else f"{name} p. {page}"


def show_gate(console: Console, regressions: Sequence[Regression]) -> None:
    """A sentence for each metric that fell significantly, or that none did."""
    if not regressions:
        console.print(Text("No figure is significantly below the baseline.", style="green"))
    for regression in regressions:
        console.print(Text(f"Regression: {regression.sentence}", style="bold red"), soft_wrap=True)


def _value(run: Run, metric: Metric) -> str:
    value = run.figures[metric.label(run.setup.k)]
    if metric.group == "speed" and value is not None:
        return f"{value:.1f} ms"
    return share_text(value)
