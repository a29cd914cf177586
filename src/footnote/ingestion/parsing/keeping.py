"""Pictures are kept for a model to look at: scaled down, encoded anew, few and small."""

from __future__ import annotations

import io
from dataclasses import dataclass

from PIL import Image

KEPT_MEDIA_TYPE = "image/jpeg"
NOT_DESCRIBED = "pictures_not_described"
"""Metadata: how many pictures no model has looked at, though one should have."""
_MAX_SIDE = 1568
"""Pixels; vision models scale larger pictures down to about this themselves."""
_LEAST_SIDE = 80
_LEAST_PIXELS = 20_000
"""Smaller pictures are logos and icons."""
_MAX_BYTES = 32 * 1024 * 1024
"""Of all kept pictures of one document."""
_QUALITY = 88


@dataclass(slots=True)
class PictureKeeper:
    """Keeps the first pictures of one document that are large enough to show something."""

    most: int
    left_out: int = 0
    """Pictures beyond the bounds."""
    _kept: int = 0
    _bytes: int = 0

    def keep(self, image: Image.Image) -> bytes:
        """The picture as a JPEG; nothing where it is too small, or one too many."""
        if min(image.size) < _LEAST_SIDE or image.width * image.height < _LEAST_PIXELS:
            return b""
        if self._kept >= self.most:
            self.left_out += 1
            return b""
        encoded = _encoded(image)
        if self._bytes + len(encoded) > _MAX_BYTES:
            self.left_out += 1
            return b""
        self._kept += 1
        self._bytes += len(encoded)
        return encoded


def on_white(image: Image.Image) -> Image.Image:
    """The picture in colours, its transparent parts white."""
    if image.mode not in ("RGBA", "LA", "PA", "P"):
        return image.convert("RGB")
    layered = image.convert("RGBA")
    white = Image.new("RGBA", layered.size, "white")
    return Image.alpha_composite(white, layered).convert("RGB")


def _encoded(image: Image.Image) -> bytes:
    """A JPEG without what the file said of itself, such as where it was taken."""
    small = on_white(image)
    small.thumbnail((_MAX_SIDE, _MAX_SIDE), Image.Resampling.LANCZOS)
    small.info.clear()
    target = io.BytesIO()
    small.save(target, "JPEG", quality=_QUALITY)
    return target.getvalue()
