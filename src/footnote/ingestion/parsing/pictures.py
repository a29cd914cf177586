"""Read pictures inside other files: their captions, and the text that OCR finds on them.

Pictures that are to be described leave a placeholder after their text.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

from PIL import Image, ImageOps, UnidentifiedImageError

from footnote.domain import BlockKind
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.drafts import Draft
from footnote.ingestion.parsing.images import PictureKeeper, picture_drafts, read_images
from footnote.ingestion.parsing.ocr import Ocr
from footnote.ingestion.parsing.package import Package, is_picture

_MIN_WIDTH, _MIN_HEIGHT = 60, 24
"""Smaller pictures are bullets, rules and icons."""
_MAX_PICTURES = 100
_MAX_PIXELS = 100_000_000
"""Most pixels of all pictures of one file together; more would exceed the time limit."""
_MIN_CONFIDENCE = 0.5
_MIN_LETTERS = 3
_BOILERPLATE = re.compile(
    r"\s*(?:Description automatically generated(?: with \w+ confidence)?"
    r"|AI-generated content may be incorrect|Automatisch generierte Beschreibung)\.?$"
)


@dataclass(slots=True)
class Pictures:
    """Reads the pictures of one file, each once however often it is shown."""

    ocr: Callable[[], Ocr] | None
    """Returns the engine; raises DocumentUnreadable when there is none. None if none may be
    used."""
    keeper: PictureKeeper | None = None
    """Keeps pictures to be described; None if none are."""
    unread: int = 0
    """Number of pictures that may hold text but were not read."""
    _digests: set[bytes] = field(default_factory=set)
    _read: int = 0
    _pixels: int = 0

    def drafts(self, content: bytes, page: int | None, description: str = "") -> Iterator[Draft]:
        """Yield a caption if the picture has a description, its text, and its place if it is
        kept."""
        yield from caption_drafts(description, page)
        digest = hashlib.sha256(content).digest()
        if not content or digest in self._digests:
            return
        self._digests.add(digest)
        if single := self._single(content):
            for draft in self._text(single):
                yield replace(draft, page=page)
            if self.keeper is not None:
                with (
                    suppress(UnidentifiedImageError, OSError, SyntaxError, ValueError),
                    Image.open(io.BytesIO(single)) as image,
                ):
                    yield from picture_drafts(ImageOps.exif_transpose(image), page, self.keeper)

    def shown(
        self, package: Package, part: str, element: Element, page: int | None, description: str = ""
    ) -> Iterator[Draft]:
        """Yield the drafts of the picture that an element of a part of an Office file refers to."""
        target = package.target(part, element)
        content = package.read(target) if is_picture(target) else b""
        self.unread += bool(target) and not content
        yield from self.drafts(content, page, description)

    def _single(self, content: bytes) -> bytes:
        """Return the picture's first frame; empty if it is damaged, too small or beyond the
        limits."""
        try:
            single, pixels = _single_frame(content)
        except (UnidentifiedImageError, OSError, SyntaxError, ValueError):
            self.unread += 1
            return b""
        if not single:
            return b""
        if self._read >= _MAX_PICTURES or self._pixels + pixels > _MAX_PIXELS:
            self.unread += 1
            return b""
        self._read += 1
        self._pixels += pixels
        return single

    def _text(self, single: bytes) -> list[Draft]:
        if self.ocr is None:
            self.unread += 1
            return []
        try:
            drafts = read_images(single, self.ocr(), max_pages=1).drafts
        except DocumentUnreadable:
            self.unread += 1
            return []
        return [
            draft
            for draft in drafts
            if sum(map(str.isalnum, draft.text)) >= _MIN_LETTERS
            and (draft.confidence or 0.0) >= _MIN_CONFIDENCE
        ]


def caption_drafts(description: str, page: int | None = None) -> Iterator[Draft]:
    """Yield a picture's alternative text as a caption, without remarks of its generator, if any."""
    text = _BOILERPLATE.sub("", " ".join(description.split()))
    if text:
        yield Draft(kind=BlockKind.CAPTION, text=f"Picture: {text}", page=page)


def _single_frame(content: bytes) -> tuple[bytes, int]:
    """Return the picture without further frames, and its pixel count; empty if it is too small."""
    with Image.open(io.BytesIO(content)) as image:
        pixels = image.width * image.height
        if image.width < _MIN_WIDTH or image.height < _MIN_HEIGHT:
            return b"", pixels
        if getattr(image, "n_frames", 1) == 1 or pixels > _MAX_PIXELS:
            return content, pixels
        target = io.BytesIO()
        image.convert("RGBA").save(target, "PNG")
        return target.getvalue(), pixels
