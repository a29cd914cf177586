"""Charts as inline SVG, each in a figure with its numbers as a table below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from footnote.evaluation.compare import Difference
from footnote.evaluation.markup import Content, element, extend

RUNS = ("a", "b")
NOTHING = "–"

_WIDTH = 480
_LABELS = 128
_NUMBERS = 44
_SPAN = _WIDTH - _LABELS - _NUMBERS
_BAR = 11
_GAP = 11
_BINS = 24
_PANEL = 110
_ROW = 24
_SHORT = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A row of a bar chart: one share for each run."""

    name: str
    shares: tuple[float | None, ...]


def bars(identity: str, title: str, description: str, rows: Sequence[Bar]) -> Element:
    """Draw a horizontal bar for each row and run, on a scale from 0 to 1."""
    runs = max(len(row.shares) for row in rows)
    step = runs * _BAR + _GAP
    height = len(rows) * step + 24
    drawing = _drawing(identity, title, description, height)
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        extend(drawing, _tick(_LABELS + tick * _SPAN, f"{tick:g}", height))
    for position, row in enumerate(rows):
        top = position * step + _GAP / 2
        middle = top + runs * _BAR / 2
        extend(drawing, [_label(row.name, middle)])
        for number, share in enumerate(row.shares):
            extend(drawing, _bar(share, top + number * _BAR, RUNS[number]))
    header = ("kind", *RUNS[:runs]) if runs > 1 else ("kind", title)
    table = [[row.name, *map(share_text, row.shares)] for row in rows]
    return _figure(title, description, drawing, header, table)


def _bar(share: float | None, top: float, run: str) -> list[Content]:
    length = 0.0 if share is None else share * _SPAN
    return [
        element(
            "rect", class_=f"bar {run}", x=_LABELS, y=top + 0.5, width=length, height=_BAR - 1, rx=2
        ),
        element(
            "text", share_text(share), class_="value", x=_LABELS + length + 5, y=top + _BAR - 2.5
        ),
    ]


def forest(
    identity: str, title: str, description: str, differences: Sequence[Difference]
) -> Element:
    """A dot for each difference, a line for its interval, and chance in the middle."""
    reach = _round_up(
        max(max(abs(difference.low), abs(difference.high)) for difference in differences)
    )
    height = len(differences) * _ROW + 24
    drawing = _drawing(identity, title, description, height)
    for part in (-1.0, -0.5, 0.0, 0.5, 1.0):
        text = f"{part * reach:+.3g}" if part else "0"
        extend(drawing, _tick(_across(part), text, height))
    for position, difference in enumerate(differences):
        extend(drawing, _whisker(difference, position * _ROW + _ROW / 2, reach))
    header = ("metric", "b - a", "95 % interval", "p", "better")
    return _figure(
        title,
        description,
        drawing,
        header,
        [difference_row(difference) for difference in differences],
    )


def _whisker(difference: Difference, middle: float, reach: float) -> list[Content]:
    style = f"difference {difference.better or 'even'}"
    low, dot, high = (
        _across(v / reach) for v in (difference.low, difference.difference, difference.high)
    )
    return [
        _label(difference.label, middle),
        element("line", class_=style, x1=low, x2=high, y1=middle, y2=middle),
        element("circle", class_=style, cx=dot, cy=middle, r=4.5),
        element(
            "text",
            difference_row(difference)[1],
            class_="value",
            x=_LABELS + _SPAN + 5,
            y=middle + 4,
        ),
    ]


def _across(part: float) -> float:
    """Return the horizontal position of a value in -1…1."""
    return _LABELS + (part + 1) / 2 * _SPAN


def _round_up(reach: float) -> float:
    """Round up to one significant digit, or two of which the last is 5; never 0."""
    step = math.pow(10, math.floor(math.log10(max(reach, 0.05)))) / 2
    return math.ceil(reach / step) * step or step


def difference_row(difference: Difference) -> list[str]:
    """Format a difference as a table row: size, interval, p-value and the better run."""
    digits = 3 if difference.metric.group != "speed" else 1
    return [
        difference.label,
        f"{difference.difference:+.{digits}f}",
        f"{difference.low:+.{digits}f} … {difference.high:+.{digits}f}",
        f"{difference.p:.4f}" if difference.p >= 0.001 else "< 0.001",
        difference.better or "even",
    ]


def histogram(
    identity: str, title: str, description: str, samples: Sequence[Sequence[float]]
) -> Element:
    """Draw the distribution of times in milliseconds over the questions; a panel for each run."""
    longest = max(max(times) for times in samples) or 1.0
    edges = np.linspace(0, longest, _BINS + 1)
    height = len(samples) * (_PANEL + 10) + 24
    drawing = _drawing(identity, title, description, height)
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        extend(drawing, _tick(_LABELS + share * _SPAN, f"{share * longest:.0f} ms", height))
    rows = []
    for position, times in enumerate(samples):
        run = RUNS[position]
        counts = [int(count) for count in np.histogram(times, edges)[0]]
        floor = (position + 1) * (_PANEL + 10)
        extend(drawing, [_label(run if len(samples) > 1 else "questions", floor - _PANEL / 2)])
        width = _SPAN / len(counts)
        scale = (_PANEL - 16) / max(counts)
        extend(
            drawing,
            [
                element(
                    "rect",
                    class_=f"bar {run}",
                    x=_LABELS + number * width + 0.5,
                    y=floor - count * scale,
                    width=width - 1,
                    height=count * scale,
                )
                for number, count in enumerate(counts)
            ],
        )
        median, percentile_95 = (float(value) for value in np.percentile(times, (50, 95)))
        for name, value in (("p50", median), ("p95", percentile_95)):
            across = _LABELS + value / longest * _SPAN
            top = floor - _PANEL
            extend(
                drawing,
                [
                    element("line", class_="mark", x1=across, x2=across, y1=top + 4, y2=floor),
                    element("text", name, class_="value", x=across + 3, y=top + 12),
                ],
            )
        rows.append(
            [run, str(len(times)), *(f"{v:.1f}" for v in (median, percentile_95, max(times)))]
        )
    header = ("run", "questions", "p50 ms", "p95 ms", "longest ms")
    return _figure(title, description, drawing, header, rows)


def share_text(share: float | None) -> str:
    """Format a share with three decimals; a dash for None."""
    return NOTHING if share is None else f"{share:.3f}"


def table(header: Sequence[str], rows: Sequence[Sequence[Content]], caption: str = "") -> Element:
    """A table whose first column names its rows."""
    head = element("tr", *(element("th", name, scope="col") for name in header))
    body = [element("tr", element("th", row[0], scope="row"), *map(_cell, row[1:])) for row in rows]
    grid = element("table", element("thead", head), element("tbody", *body))
    if caption:
        grid.insert(0, element("caption", caption))
    return element(
        "div", grid, class_="scroll", tabindex="0", role="region", aria_label=caption or header[0]
    )


def _cell(content: Content) -> Element:
    is_short = isinstance(content, str) and len(content) <= _SHORT
    return element("td", content, class_="short" if is_short else "long")


def _figure(
    title: str,
    description: str,
    drawing: Element,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
) -> Element:
    return element(
        "figure",
        element("figcaption", element("b", title), element("span", f" – {description}")),
        drawing,
        element("details", element("summary", "as a table"), table(header, rows, title)),
    )


def _drawing(identity: str, title: str, description: str, height: float) -> Element:
    return element(
        "svg",
        element("title", title, id=f"{identity}-title"),
        element("desc", f"{description}. The table below has the numbers.", id=f"{identity}-desc"),
        view_box=f"0 0 {_WIDTH} {height:g}",
        role="img",
        font_size=11,
        aria_labelledby=f"{identity}-title {identity}-desc",
    )


def _tick(across: float, text: str, height: float) -> list[Content]:
    return [
        element("line", class_="grid", x1=across, x2=across, y1=0, y2=height - 18),
        element("text", text, class_="tick", text_anchor="middle", x=across, y=height - 5),
    ]


def _label(text: str, middle: float) -> Element:
    shortened = text if len(text) <= 19 else text[:18] + "…"
    return element(
        "text", shortened, class_="label", text_anchor="end", x=_LABELS - 8, y=middle + 4
    )
