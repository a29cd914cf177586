"""Draws figures as SVG: lines over an axis of numbers, points by name, and a stacked bar."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 150, 40, 48
_COLOURS = ("#0b6e4f", "#c8553d", "#2b59c3", "#8d6a9f", "#b8860b", "#555555")
_STYLE = (
    "<style>svg{background:#fff}text{font:12px system-ui,sans-serif;fill:#222}"
    ".title{font-weight:600;font-size:14px}.grid{stroke:#ddd}.axis{stroke:#888}</style>"
)


def lines(title: str, across: str, up: str, series: Mapping[str, Points]) -> str:
    """A line for each name; both axes are logarithmic, as doublings are what is compared."""
    drawing = _Drawing(title, across, up, [point for each in series.values() for point in each])
    for number, (name, points) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(f"{drawing.x(a):.1f},{drawing.y(b):.1f}" for a, b in points)
        drawing.add(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for a, b in points:
            drawing.dot(a, b, colour)
        drawing.legend(number, name, colour)
    return drawing.finished()


def scatter(title: str, across: str, up: str, points: Mapping[str, tuple[float, float]]) -> str:
    """A point for each name."""
    drawing = _Drawing(title, across, up, list(points.values()))
    for number, (name, (a, b)) in enumerate(points.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        drawing.dot(a, b, colour)
        drawing.legend(number, name, colour)
    return drawing.finished()


def stacked(title: str, unit: str, parts: Mapping[str, float]) -> str:
    """One bar of parts, with the amount of each beside its name."""
    total = sum(parts.values()) or 1.0
    height = _TOP + 44 + 20 * len(parts)
    said = [_text(12, 24, title, "title")]
    left = 12.0
    for number, (name, amount) in enumerate(parts.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        width = (_WIDTH - 24) * amount / total
        said.append(
            f'<rect x="{left:.1f}" y="40" width="{width:.1f}" height="26" fill="{colour}"/>'
        )
        top = _TOP + 50 + 20 * number
        said.append(f'<rect x="12" y="{top - 10}" width="12" height="12" fill="{colour}"/>')
        said.append(_text(30, top, f"{name}: {amount:.2f} {unit}, {amount / total:.0%}"))
        left += width
    return _svg(height, said)


class _Drawing:
    """A plane with logarithmic axes over the range of its points."""

    def __init__(self, title: str, across: str, up: str, points: Points) -> None:
        self._across = _ticks([a for a, _ in points])
        self._up = _ticks([b for _, b in points])
        self._said = [_text(12, 24, title, "title")]
        bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
        for value in self._across:
            x = self.x(value)
            self.add(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom}"/>')
            self.add(_text(x, bottom + 16, f"{value:,g}", anchor="middle"))
        for value in self._up:
            y = self.y(value)
            self.add(f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
            self.add(_text(_LEFT - 8, y + 4, f"{value:,g}", anchor="end"))
        self.add(_text((_LEFT + right) / 2, _HEIGHT - 10, across, anchor="middle"))
        self.add(_text(_LEFT - 52, _TOP - 6, up))

    def x(self, value: float) -> float:
        return _LEFT + _part(value, self._across) * (_WIDTH - _RIGHT - _LEFT)

    def y(self, value: float) -> float:
        return _HEIGHT - _BOTTOM - _part(value, self._up) * (_HEIGHT - _BOTTOM - _TOP)

    def add(self, mark: str) -> None:
        self._said.append(mark)

    def dot(self, a: float, b: float, colour: str) -> None:
        self.add(f'<circle cx="{self.x(a):.1f}" cy="{self.y(b):.1f}" r="4" fill="{colour}"/>')

    def legend(self, number: int, name: str, colour: str) -> None:
        x, y = _WIDTH - _RIGHT + 14, _TOP + 10 + 20 * number
        self.add(f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>')
        self.add(_text(x + 10, y + 4, name))

    def finished(self) -> str:
        return _svg(_HEIGHT, self._said)


def _ticks(values: Sequence[float]) -> list[float]:
    """Round numbers from below the least to above the greatest: 1, 2, 5, 10 …"""
    low, high = min(values), max(values)
    exponents = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    steps = [digit * 10.0**exponent for exponent in exponents for digit in (1, 2, 5)]
    first = max(step for step in steps if step <= low)
    last = min(step for step in steps if step >= high)
    if first == last:
        last = min(step for step in steps if step > first)
    return [step for step in steps if first <= step <= last]


def _part(value: float, ticks: Sequence[float]) -> float:
    low, high = math.log(ticks[0]), math.log(ticks[-1])
    return (math.log(value) - low) / (high - low)


def _text(x: float, y: float, said: str, kind: str = "", anchor: str = "start") -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(said)}</text>'
    )


def _svg(height: int, marks: Sequence[str]) -> str:
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}">'
    return "\n".join([opening, _STYLE, *marks, "</svg>", ""])
