"""Paint rectangles over a picture of a page, as with a highlighter."""

from __future__ import annotations

import io
from collections.abc import Iterable

from PIL import Image, ImageDraw

from footnote.domain.pages import Rectangle

_FILL = (255, 221, 0, 92)
_BORDER = (214, 128, 0, 255)
_MARGIN_POINTS = 1.0
"""Margin around a rectangle, so that its border does not touch the letters."""


def marked(image: Image.Image, rectangles: Iterable[Rectangle], scale: float) -> Image.Image:
    """Return the picture with the rectangles, given in points, translucent yellow with a border.

    `scale` is in pixels per point. Where rectangles overlap the colour does not become darker.
    """
    layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(layer)
    boxes = [_pixels(rectangle, scale, image.size) for rectangle in rectangles]
    for box in boxes:
        draw.rectangle(box, outline=_BORDER, width=max(1, round(scale * 0.75)))
    for left, top, right, bottom in boxes:
        inner = (left + 1, top + 1, right - 1, bottom - 1)
        if inner[0] <= inner[2] and inner[1] <= inner[3]:
            draw.rectangle(inner, fill=_FILL)
    return Image.alpha_composite(image.convert("RGBA"), layer).convert("RGB")


def _pixels(rectangle: Rectangle, scale: float, size: tuple[int, int]) -> tuple[int, int, int, int]:
    def within(edge: float, length: int) -> int:
        return min(max(round(edge * scale), 0), length - 1)

    left = within(rectangle.left - _MARGIN_POINTS, size[0])
    right = within(rectangle.right + _MARGIN_POINTS, size[0])
    top = within(rectangle.top - _MARGIN_POINTS, size[1])
    bottom = within(rectangle.bottom + _MARGIN_POINTS, size[1])
    return left, top, right, bottom


def png(image: Image.Image) -> bytes:
    """Return the picture as a PNG, without metadata."""
    target = io.BytesIO()
    plain = image.convert("RGB")
    plain.info.clear()
    plain.save(target, "PNG", compress_level=4)
    return target.getvalue()
