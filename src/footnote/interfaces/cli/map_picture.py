"""Draws a map of documents as an SVG picture, which stands alone and asks for nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from html import escape
from uuid import UUID

from footnote.domain import DocumentMap, MapArea, MapColour, MapPoint

_SIDE, _MARGIN, _LEGEND = 900, 40, 260
_RADIUS = 5.0
_COLOURS = ("#3266ad", "#b85c00", "#2a7f4f", "#a3336b", "#6a4bb0", "#7a6a00", "#00797d", "#b33a3a")
"""Each reaches 4.5:1 on white."""
_OTHERS = "#6b6b66"
_SHAPES = (
    "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0z",
    "M-.9 -.9h1.8v1.8h-1.8z",
    "M0 -1.3L1.2 .9H-1.2z",
    "M0 -1.35L1.35 0L0 1.35L-1.35 0z",
)
"""Circle, square, triangle, rhombus: no colour alone tells one kind from another."""
Mark = tuple[str, str]
"""A colour and a shape."""


def svg_of(found: DocumentMap, colour: MapColour) -> str:
    """The picture, with a legend of what is commonest, the names of areas, and titles to hover."""
    labels: dict[int | UUID | None, str] = {each.area: label_of(each) for each in found.areas}
    labels |= {each.cluster_id: ", ".join(each.label) or "–" for each in found.clusters}
    labels[None] = "in no cluster"
    kinds = Counter(_kind(each, colour, labels) for each in found.points)
    marks = {
        kind: (_COLOURS[number], _SHAPES[number % len(_SHAPES)])
        for number, (kind, _) in enumerate(kinds.most_common(len(_COLOURS)))
    }
    others = (_OTHERS, _SHAPES[0])
    radius = max(1.5, _RADIUS if len(found.points) < 500 else _RADIUS * (500 / len(found.points)))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIDE + _LEGEND} {_SIDE}"'
        ' font-family="sans-serif" font-size="13" role="img">',
        f"<title>{len(found.points)} documents</title>",
        f'<rect width="{_SIDE + _LEGEND}" height="{_SIDE}" fill="#ffffff"/>',
    ]
    for point in reversed(found.points):
        fill, shape = marks.get(_kind(point, colour, labels), others)
        title = f"<title>{_text(point.title)} ({_text(point.collection)})</title>"
        mark = _mark(fill, shape, (_across(point.x), _down(point.y)), radius)
        lines.append(f'{mark} fill-opacity="0.75">{title}</path>')
    lines += [
        f'<text x="{_across(each.x):.1f}" y="{_down(each.y):.1f}" text-anchor="middle"'
        ' font-weight="600" fill="#1b1b19" stroke="#ffffff" stroke-width="4" paint-order="stroke">'
        f"{_text(label_of(each))}</text>"
        for each in found.areas
    ]
    lines += _legend(kinds, marks)
    return "\n".join([*lines, "</svg>", ""])


def label_of(area: MapArea) -> str:
    """An area by the words of its label, or by its number."""
    return ", ".join(area.label) or f"area {area.area + 1}"


def _kind(point: MapPoint, colour: MapColour, labels: Mapping[int | UUID | None, str]) -> str:
    match colour:
        case MapColour.COLLECTION:
            return point.collection
        case MapColour.CLASS:
            return point.document_class.value
        case MapColour.AREA:
            return labels[point.area]
        case MapColour.CLUSTER:
            return labels[point.cluster_id]


def _mark(fill: str, shape: str, place: tuple[float, float], radius: float) -> str:
    """The beginning of the element of a mark."""
    x, y = place
    moved = f"translate({x:.1f} {y:.1f}) scale({radius:.1f})"
    return f'<path d="{shape}" transform="{moved}" fill="{fill}"'


def _legend(kinds: Counter[str], marks: Mapping[str, Mark]) -> list[str]:
    shown = [(kind, count, *marks[kind]) for kind, count in kinds.most_common(len(_COLOURS))]
    rest = kinds.total() - sum(count for _, count, *_ in shown)
    if rest:
        shown.append(("others", rest, _OTHERS, _SHAPES[0]))
    lines = []
    for number, (kind, count, fill, shape) in enumerate(shown):
        y = _MARGIN + 24 * number
        lines.append(f"{_mark(fill, shape, (_SIDE + 12, y - 4), _RADIUS)}/>")
        lines.append(
            f'<text x="{_SIDE + 26}" y="{y}" fill="#1b1b19">{_text(kind)} ({count})</text>'
        )
    return lines


def _across(x: float) -> float:
    return _MARGIN + (x + 1) / 2 * (_SIDE - 2 * _MARGIN)


def _down(y: float) -> float:
    return _MARGIN + (1 - y) / 2 * (_SIDE - 2 * _MARGIN)


def _text(plain: str) -> str:
    """A text for XML, which holds no control characters however they are written."""
    return escape("".join(each for each in plain if each.isprintable()))
