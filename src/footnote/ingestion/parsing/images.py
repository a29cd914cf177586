"""Pictures become drafts: whatever text OCR finds on each of their frames."""

from __future__ import annotations

import io
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from footnote.domain import Stage
from footnote.errors import DocumentUnreadable
from footnote.ingestion.media import HEIC, sniff_media_type
from footnote.ingestion.parsing.drafts import Reading
from footnote.ingestion.parsing.layout import LaidPage, draft_pages
from footnote.ingestion.parsing.ocr import Ocr, items_of_image

_MAX_PIXELS = 150_000_000
_PAGED = ("TIFF", "MPO")


def read_images(content: bytes, ocr: Ocr, *, max_pages: int) -> Reading:
    """Read a PNG, JPEG, WebP, TIFF, GIF, BMP, AVIF or HEIC; each frame of a TIFF is a page.

    Of an animation only the first frame is read. Raises DocumentUnreadable when it is damaged
    or too large.
    """
    pages: list[LaidPage] = []
    _learn_heic(content)
    Image.MAX_IMAGE_PIXELS = None  # our own limit says which file and what to do
    try:
        with Image.open(io.BytesIO(content)) as image:
            frames = ImageSequence.Iterator(image) if image.format in _PAGED else (image,)
            for number, frame in enumerate(frames, start=1):
                if frame.width * frame.height > _MAX_PIXELS or number > max_pages:
                    raise DocumentUnreadable(
                        stage=Stage.PARSE,
                        cause=f"the picture has {frame.width} × {frame.height} pixels",
                        advice="scale it down or split it",
                    )
                upright = ImageOps.exif_transpose(frame)
                pixels = np.asarray(_on_white(upright), dtype=np.uint8)
                items = tuple(items_of_image(pixels, ocr))
                pages.append(LaidPage(number, pixels.shape[0], items, from_pixels=True))
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise DocumentUnreadable(
            stage=Stage.PARSE,
            cause="the picture is damaged and cannot be opened",
            advice="open it in an image program, save it anew and upload that copy",
        ) from error
    return Reading(drafts=tuple(draft_pages(pages)), page_count=len(pages))


def _learn_heic(content: bytes) -> None:
    """Let Pillow open HEIC if its plug-in is at hand, which we do not bring: parts are GPL."""
    if sniff_media_type(content[:64], "") != HEIC:
        return
    if find_spec("pillow_heif") is None:
        raise DocumentUnreadable(
            stage=Stage.PARSE,
            cause="HEIC pictures cannot be opened here",
            advice="save it as JPEG or PNG, or install pillow-heif beside Footnote",
        )
    import_module("pillow_heif").register_heif_opener()


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode not in ("RGBA", "LA", "PA", "P"):
        return image.convert("RGB")
    layered = image.convert("RGBA")
    white = Image.new("RGBA", layered.size, "white")
    return Image.alpha_composite(white, layered).convert("RGB")
