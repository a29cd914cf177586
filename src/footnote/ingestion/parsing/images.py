"""Convert pictures to drafts: the text that OCR finds on each of their frames."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from footnote.domain import BlockKind
from footnote.ingestion.failures import unreadable
from footnote.ingestion.media import HEIC, sniff_media_type
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.geometry import PageItem
from footnote.ingestion.parsing.layout import PageLayout, draft_pages
from footnote.ingestion.parsing.ocr import Ocr, items_of_image
from footnote.ports import OnProgress, ignore_progress

_MAX_PIXELS = 150_000_000
_MULTIPAGE_FORMATS = ("TIFF", "MPO")
NOT_DESCRIBED = "pictures_not_described"
"""Metadata key: number of pictures that no model described, though one should have."""
_MAX_SIDE = 1568
"""Longest side in pixels; vision models scale larger pictures down to about this themselves."""
_MIN_SIDE = 80
_MIN_PIXELS = 20_000
"""Smaller pictures are logos and icons."""
_MAX_BYTES = 32 * 1024 * 1024
"""Most bytes of all kept pictures of one document."""
_QUALITY = 88


def read_images(
    content: bytes,
    ocr: Ocr | None,
    *,
    max_pages: int,
    keeper: PictureKeeper | None = None,
    on_progress: OnProgress = ignore_progress,
) -> Reading:
    """Read a PNG, JPEG, WebP, TIFF, GIF, BMP, AVIF or HEIC; each frame of a TIFF is a page.

    Of an animation only the first frame is read. Without OCR there is no text; with a keeper
    each frame is kept to be described. Raises DocumentUnreadable when it is damaged
    or too large.
    """
    pages: list[PageLayout] = []
    learn_heic(content)
    Image.MAX_IMAGE_PIXELS = None  # our own limit says which file and what to do
    try:
        with Image.open(io.BytesIO(content)) as image:
            count = getattr(image, "n_frames", 1) if image.format in _MULTIPAGE_FORMATS else 1
            frames = (
                ImageSequence.Iterator(image) if image.format in _MULTIPAGE_FORMATS else (image,)
            )
            for number, frame in enumerate(frames, start=1):
                if frame.width * frame.height > _MAX_PIXELS or number > max_pages:
                    raise unreadable(
                        f"the picture has {frame.width} × {frame.height} pixels",
                        "scale it down or split it",
                    )
                upright = on_white(ImageOps.exif_transpose(frame))
                items: tuple[PageItem, ...] = ()
                if ocr is not None:
                    items = tuple(items_of_image(np.asarray(upright, dtype=np.uint8), ocr))
                placeholders = tuple(picture_drafts(upright, number, keeper))
                pages.append(
                    PageLayout(number, upright.height, items, from_pixels=True, extra=placeholders)
                )
                on_progress(number, max(number, count))
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise unreadable(
            "the picture is damaged and cannot be opened",
            "open it in an image program, save it anew and upload that copy",
        ) from error
    return Reading(drafts=tuple(draft_pages(pages)), page_count=len(pages))


def learn_heic(content: bytes) -> None:
    """Let Pillow open HEIC if its plug-in is installed; we do not ship it, as parts are GPL.

    Raises DocumentUnreadable for a HEIC picture without the plug-in.
    """
    if sniff_media_type(content[:64], "") != HEIC:
        return
    if find_spec("pillow_heif") is None:
        raise unreadable(
            "HEIC pictures cannot be opened here",
            "save it as JPEG or PNG, or install pillow-heif beside Footnote",
        )
    import_module("pillow_heif").register_heif_opener()


def picture_drafts(
    image: Image.Image, page: int | None, keeper: PictureKeeper | None
) -> Iterator[Draft]:
    """Yield the place of a picture that is kept to be described; nothing if it is not kept."""
    if keeper is not None and (encoded := keeper.keep(image)):
        yield Draft(kind=BlockKind.IMAGE, text="", page=page, picture=encoded)


@dataclass(slots=True)
class PictureKeeper:
    """Keeps the first pictures of one document that are large enough to show something."""

    most: int
    left_out: int = 0
    """Number of pictures left out because of the limits."""
    _kept: int = 0
    _bytes: int = 0

    def keep(self, image: Image.Image) -> bytes:
        """Return the picture as a JPEG; empty if it is too small or exceeds the limits."""
        if min(image.size) < _MIN_SIDE or image.width * image.height < _MIN_PIXELS:
            return b""
        if self._kept >= self.most:
            self.left_out += 1
            return b""
        thumbnail = on_white(image)
        thumbnail.thumbnail((_MAX_SIDE, _MAX_SIDE), Image.Resampling.LANCZOS)
        thumbnail.info.clear()  # metadata, such as where it was taken
        target = io.BytesIO()
        thumbnail.save(target, "JPEG", quality=_QUALITY)
        encoded = target.getvalue()
        if self._bytes + len(encoded) > _MAX_BYTES:
            self.left_out += 1
            return b""
        self._kept += 1
        self._bytes += len(encoded)
        return encoded


def on_white(image: Image.Image) -> Image.Image:
    """Return the picture in RGB, its transparent parts white."""
    if image.mode not in ("RGBA", "LA", "PA", "P"):
        return image.convert("RGB")
    rgba = image.convert("RGBA")
    white = Image.new("RGBA", rgba.size, "white")
    return Image.alpha_composite(white, rgba).convert("RGB")
