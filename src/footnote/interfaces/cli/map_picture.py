"""Draws a map of documents as a self-contained SVG picture."""

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
_OTHER_COLOUR = "#6b6b66"
_SHAPES = (
    "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0z",
    "M-.9 -.9h1.8v1.8h-1.8z",
    "M0 -1.3L1.2 .9H-1.2z",
    "M0 -1.35L1.35 0L0 1.35L-1.35 0z",
)
"""Circle, square, triangle, rhombus: no colour alone tells one kind from another."""
Mark = tuple[str, str]
"""A colour and a shape."""


def svg_of(document_map: DocumentMap, colour: MapColour) -> str:
    """The picture, with a legend of what is commonest, the names of areas, and titles to hover."""
    labels: dict[int | UUID | None, str] = {
        area.area: label_of(area) for area in document_map.areas
    }
    labels |= {
        cluster.cluster_id: ", ".join(cluster.label) or "–" for cluster in document_map.clusters
    }
    labels[None] = "in no cluster"
    kinds = Counter(_kind(point, colour, labels) for point in document_map.points)
    marks = {
        kind: (_COLOURS[number], _SHAPES[number % len(_SHAPES)])
        for number, (kind, _) in enumerate(kinds.most_common(len(_COLOURS)))
    }
    other_mark = (_OTHER_COLOUR, _SHAPES[0])
    radius = max(
        1.5,
        _RADIUS if len(document_map.points) < 500 else _RADIUS * (500 / len(document_map.points)),
    )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIDE + _LEGEND} {_SIDE}"'
        ' font-family="sans-serif" font-size="13" role="img">',
        f"<title>{len(document_map.points)} documents</title>",
        f'<rect width="{_SIDE + _LEGEND}" height="{_SIDE}" fill="#ffffff"/>',
    ]
    for point in reversed(document_map.points):
        fill, shape = marks.get(_kind(point, colour, labels), other_mark)
        title = f"<title>{_text(point.title)} ({_text(point.collection)})</title>"
        mark = _mark(fill, shape, (_x_of(point.x), _y_of(point.y)), radius)
        lines.append(f'{mark} fill-opacity="0.75">{title}</path>')
    lines += [
        f'<text x="{_x_of(area.x):.1f}" y="{_y_of(area.y):.1f}" text-anchor="middle"'
        ' font-weight="600" fill="#1b1b19" stroke="#ffffff" stroke-width="4" paint-order="stroke">'
        f"{_text(label_of(area))}</text>"
        for area in document_map.areas
    ]
    lines += _legend(kinds, marks)
    return "\n".join([*lines, "</svg>", ""])


def label_of(area: MapArea) -> str:
    """The name of an area: the words of its label, else its number."""
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


def _mark(fill: str, shape: str, position: tuple[float, float], radius: float) -> str:
    """The beginning of the element of a mark."""
    x, y = position
    transform = f"translate({x:.1f} {y:.1f}) scale({radius:.1f})"
    return f'<path d="{shape}" transform="{transform}" fill="{fill}"'


def _legend(kinds: Counter[str], marks: Mapping[str, Mark]) -> list[str]:
    entries = [(kind, count, *marks[kind]) for kind, count in kinds.most_common(len(_COLOURS))]
    other_count = kinds.total() - sum(count for _, count, *_ in entries)
    if other_count:
        entries.append(("others", other_count, _OTHER_COLOUR, _SHAPES[0]))
    lines = []
    for number, (kind, count, fill, shape) in enumerate(entries):
        y = _MARGIN + 24 * number
        lines.append(f"{_mark(fill, shape, (_SIDE + 12, y - 4), _RADIUS)}/>")
        lines.append(
            f'<text x="{_SIDE + 26}" y="{y}" fill="#1b1b19">{_text(kind)} ({count})</text>'
        )
    return lines


def _x_of(x: float) -> float:
    return _MARGIN + (x + 1) / 2 * (_SIDE - 2 * _MARGIN)


def _y_of(y: float) -> float:
    return _MARGIN + (1 - y) / 2 * (_SIDE - 2 * _MARGIN)


def _text(plain: str) -> str:
    """A text for XML, which holds no control characters however they are written."""
    return escape("".join(character for character in plain if character.isprintable()))
