"""PDFs, pictures, books and recordings, by format and name of the file."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.ingestion import files, pdf_files
from tests.ingestion.recordings import HEADS, wav
from tests.ingestion.test_markup import book

_LINES = (
    ("Invoice 4711", "Pay within thirty days."),
    ("Harbour rules", "No fires on the quay."),
    ("Berth number 12", "Free until Sunday."),
)


def picture(lines: tuple[str, ...], kind: str, *, mode: str = "L", turned: int = 0) -> bytes:
    """Black letters on white, as small as can be read without doubt."""
    target = io.BytesIO()
    _drawn(lines, mode, turned).save(target, kind)
    return target.getvalue()


def _drawn(lines: tuple[str, ...], mode: str = "L", turned: int = 0) -> Image.Image:
    image = Image.new("L", (620, 60 * len(lines) + 60), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=40)
    for number, line in enumerate(lines):
        draw.text((40, 30 + 60 * number), line, font=font, fill="black")
    return image.convert(mode).rotate(turned, expand=True)


def _mixed_scan() -> bytes:
    """A page with a text layer, and one that is a picture."""
    image = _drawn(_LINES[0])

    def first(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "A page with a text layer.")

    def second(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(image), 50, 400, 495, 495 * image.height / image.width)

    return pdf_files.pdf(first, second)


def _frames() -> bytes:
    """A TIFF of two pages."""
    target = io.BytesIO()
    first, second = (_drawn(lines) for lines in _LINES[:2])
    first.save(target, "TIFF", save_all=True, append_images=[second])
    return target.getvalue()


def _pictures(kind: str, suffix: str, mode: str = "RGB") -> dict[str, Callable[[], bytes]]:
    """Three pictures: in grey, in colour, and under the name of a text."""
    return {
        f"grey.{suffix}": partial(picture, _LINES[0], kind),
        f"colour.{suffix}": partial(picture, _LINES[1], kind, mode=mode),
        f"{suffix} called.txt": partial(picture, _LINES[2], kind),
    }


def _opened(head: bytes, number: int) -> Callable[[], bytes]:
    """A recording that begins so; what follows nobody here listens to."""
    return lambda: head + bytes([number]) * 64


def _recordings(media_type: str, suffix: str, *heads: bytes) -> dict[str, Callable[[], bytes]]:
    begun = [HEADS[media_type], *heads]
    names = ("minutes", "call", "memo")
    return {
        f"{name}.{suffix}": _opened(begun[number % len(begun)], number)
        for number, name in enumerate(names)
    }


PDFS: dict[str, Callable[[], bytes]] = {
    "handbook.pdf": files.handbook_pdf,
    "columns across.pdf": lambda: pdf_files.two_columns(across=True),
    "columns in turn.pdf": lambda: pdf_files.two_columns(across=False),
    "columns with notes.pdf": pdf_files.columns_with_notes,
    "columns over table.pdf": pdf_files.columns_over_table,
    "three columns.pdf": pdf_files.three_columns,
    "title drawn last.pdf": pdf_files.title_drawn_last,
    "turned.pdf": lambda: pdf_files.turned(90),
    "turned to its head.pdf": lambda: pdf_files.turned(180),
    "turned to its left.pdf": lambda: pdf_files.turned(270),
    "lying page.pdf": pdf_files.lying_page,
    "lying text.pdf": pdf_files.lying_text,
    "form.pdf": pdf_files.form,
    "annotated.pdf": pdf_files.annotated,
    "outlined.pdf": pdf_files.outlined,
    "labelled.pdf": pdf_files.labelled,
    "tagged.pdf": pdf_files.tagged,
    "running.pdf": lambda: pdf_files.running(6),
    "running through.pdf": lambda: pdf_files.running(4),
    "numbered high.pdf": pdf_files.numbered_high,
    "open.pdf": lambda: pdf_files.encrypted(user=""),
    "broken page.pdf": pdf_files.with_a_broken_page,
    "nested list.pdf": pdf_files.nested_list,
    "double spaced.pdf": pdf_files.double_spaced,
    "flush right.pdf": pdf_files.flush_right_table,
    "hyphenated.pdf": pdf_files.hyphenated,
    "captioned.pdf": pdf_files.captioned,
    "code.pdf": pdf_files.with_code,
    "wordy table.pdf": pdf_files.wordy_table,
    "attachment.pdf": lambda: pdf_files.with_attachment("list.csv", b"a,b\n1,2\n"),
    "mixed scan.pdf": _mixed_scan,
    "picture unread.pdf": lambda: pdf_files.page_with_picture(["Harbour plan"]),
    "outside attachment.pdf": lambda: pdf_files.with_attachment("../a/b.csv", b"a,b\n1,2\n"),
    "picture beside text.pdf": lambda: pdf_files.page_with_picture(
        ["Harbour plan", "North quay", "South quay"]
    ),
}

BOOKS: dict[str, Callable[[], bytes]] = {
    "buoys.epub": lambda: book(
        {
            "b.xhtml": '<p>Second.</p><aside epub:type="footnote"><p>A note.</p></aside>',
            "a.xhtml": "<h1>One</h1><p>First.</p>",
        }
    ),
    "parts.epub": lambda: book(
        {
            "c.xhtml": "<h1>Rates</h1><table><tr><th>City</th><th>Rate</th></tr>"
            "<tr><td>Rome</td><td>110</td></tr></table>",
            "b.xhtml": "<h2>Steps</h2><ol><li>Open.</li><li>Read.</li></ol>",
            "a.xhtml": "<h1>Use</h1><p>Words of <i>use</i>.</p><pre>x = 1\ny = 2</pre>",
        }
    ),
    "unheaded.epub": lambda: book({"only.xhtml": "<p>Nothing but a paragraph.</p>"}),
}

FILES: dict[str, dict[str, Callable[[], bytes]]] = {
    "PDF": PDFS,
    "PNG": {
        **_pictures("PNG", "png"),
        "clear.png": partial(picture, _LINES[0], "PNG", mode="RGBA"),
    },
    "JPEG": _pictures("JPEG", "jpg"),
    "TIFF": {**_pictures("TIFF", "tiff"), "frames.tif": _frames},
    "WebP": _pictures("WEBP", "webp"),
    "GIF": _pictures("GIF", "gif", "P"),
    "BMP": _pictures("BMP", "bmp"),
    "AVIF": _pictures("AVIF", "avif"),
    "EPUB": BOOKS,
    "WAV": {
        "minutes.wav": lambda: wav(seconds=0.2),
        "call.wav": lambda: wav(seconds=0.1, rate=16000),
        "memo.wav": lambda: wav(seconds=0.05),
    },
    "MP3": _recordings("audio/mpeg", "mp3", b"ID3\x04\0\0\0\0\0\0", b"\xff\xf3\x40\xc4"),
    "M4A": _recordings("audio/mp4", "m4a", b"\0\0\0\x18ftypM4B \0\0\0\0M4B isom"),
    "OGG": _recordings("audio/ogg", "ogg", b"OggS\0\2" + bytes(22) + b"\1\x1e\1vorbis"),
    "FLAC": _recordings("audio/flac", "flac"),
    "WebM": _recordings("video/webm", "webm"),
    "MP4": {
        f"{name}.mp4": _opened(b"\0\0\0\x14ftyp" + brand + b"\0\0\2\0" + brand, 0)
        for name, brand in (("minutes", b"isom"), ("call", b"mp42"), ("memo", b"avc1"))
    },
}
"""Of the recordings only the first bytes are true to their format."""

IMAGE_FORMATS = frozenset(("PNG", "JPEG", "TIFF", "WebP", "GIF", "BMP", "AVIF"))
RECORDING_FORMATS = frozenset(("WAV", "MP3", "M4A", "OGG", "FLAC", "WebM", "MP4"))
READ_BY_OCR = frozenset(("mixed scan.pdf", "picture beside text.pdf"))
"""Files beside the pictures whose text, or some of it, is in pixels."""
