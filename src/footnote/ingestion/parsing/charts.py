"""Convert a chart to its title and the table of its categories and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft
from footnote.ingestion.parsing.numberformat import format_value
from footnote.ingestion.parsing.package import (
    attribute,
    child,
    children,
    descendants,
    local,
)
from footnote.ingestion.parsing.tables import spread_table_drafts

_MAX_POINTS = 5000
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def chart_drafts(root: Element, page: int | None = None) -> Iterator[Draft]:
    """Yield the drafts of a chart part (`c:chartSpace`), from the values cached in the file."""
    chart = child(root, "chart")
    plots = child(root, "chart", "plotArea")
    if chart is None or plots is None:
        return
    kinds = [local(plot) for plot in plots if local(plot).endswith("Chart")]
    kind = re.sub(r"(?:3D)?Chart$", "", kinds[0]) if kinds else ""
    title = _words(child(chart, "title"))
    series = [item for plot in plots for item in children(plot, "ser")]
    names = [_series_name(item, number) for number, item in enumerate(series, start=1)]
    caption = title or ", ".join(names)
    if caption:
        text = f"Chart: {caption}" + (f" ({kind} chart)" if kind else "")
        yield Draft(kind=BlockKind.CAPTION, text=text, page=page)
    axis = _words(next(children(plots, "catAx", "dateAx"), None))
    categories: dict[int, str] = {}
    values: list[Mapping[int, str]] = []
    for item in series:
        points = _points(child(item, "val")) or _points(child(item, "yVal"))
        values.append(points)
        for index, text in (_points(child(item, "cat")) or _points(child(item, "xVal"))).items():
            categories.setdefault(index, text)
    indices = sorted(set(categories).union(*values))[:_MAX_POINTS]
    rows = [
        [categories.get(index, str(index + 1)), *(points.get(index, "") for points in values)]
        for index in indices
    ]
    yield from spread_table_drafts([[axis or "Category", *names], *rows] if rows else [], page=page)


def _series_name(series: Element, number: int) -> str:
    name = child(series, "tx")
    points = _points(name)
    direct = child(name, "v") if name is not None else None
    text = " ".join(points.values()) or (direct.text or "" if direct is not None else "")
    return text.strip() or f"Series {number}"


def _points(element: Element | None) -> dict[int, str]:
    """Return the cached points by index; for a category of several levels all its labels."""
    if element is None:
        return {}
    levels = list(descendants(element, "lvl"))
    if levels:
        merged: dict[int, str] = {}
        for level in levels:
            for index, text in _plain_points(level, "General").items():
                merged[index] = f"{text} {merged[index]}" if index in merged else text
        return merged
    format_code = next(
        (code_element.text for code_element in descendants(element, "formatCode")), None
    )
    return _plain_points(element, format_code or "General")


def _plain_points(element: Element, format_code: str) -> dict[int, str]:
    points: dict[int, str] = {}
    for point in descendants(element, "pt"):
        index, value = attribute(point, "idx") or "", child(point, "v")
        if value is not None and value.text and index.isdecimal():
            text = value.text
            code = attribute(point, "formatCode") or format_code
            if _NUMBER.fullmatch(text):
                text = format_value(float(text), code)
            points[int(index)] = text
    return points


def _words(element: Element | None) -> str:
    """Return the text of a chart's or an axis's title."""
    if element is None:
        return ""
    title = child(element, "title") if local(element) != "title" else element
    if title is None:
        return ""
    texts = [text_element.text or "" for text_element in descendants(title, "t")]
    texts = texts or [text_element.text or "" for text_element in descendants(title, "v")]
    return "".join(texts).strip()
