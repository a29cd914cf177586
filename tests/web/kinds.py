"""One document of each kind that the app shows, whose quoted words stand where the test knows.

Where a page is drawn, the words stand on a colour that nothing else on it has: the true place of
the words is where the picture has that colour, whatever program drew it.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

import openpyxl
from openpyxl.styles import PatternFill
from PIL import Image, ImageDraw, ImageFont
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.util import Inches
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.ingestion.files import saved
from tests.ingestion.recordings import wav
from tests.models.transcription_server import heard

from .documents import notice_pdf

COLOUR = (190, 255, 190)
"""Behind the quoted words, and nowhere else on a page; so pale that OCR takes it for paper."""
HEXADECIMAL = "{:02X}{:02X}{:02X}".format(*COLOUR)
OLD_WORD_FILE = Path(__file__).with_name("berths.doc.gz")
"""Of Word 97, as LibreOffice writes it, since nothing else here does."""
MOMENT_SECONDS = 12.5
SPOKEN = "The harbour pilot boards at the Tolland buoy."
TALK = heard(
    (0.0, 6.0, " Good morning from the harbour office."),
    (MOMENT_SECONDS, 17.0, f" {SPOKEN}"),
    (20.0, 25.0, " Breakfast is served until nine."),
)
DELIVERED = "Osprey Parcel leaves nineteen crates of lamp oil."


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A document, and the words of it that are quoted."""

    filename: str
    content: Callable[[], bytes]
    quote: str
    sought: str
    """A word that stands in the quote alone."""
    page: int | None = None
    """On which page, slide or sheet the quote stands; None where it is shown without pages."""
    needs: str = ""
    """What draws or reads it: `office`, `ocr` or nothing else."""
    least_width: float = 0.2
    """How much of the width of the colour a mark covers at least."""
    tolerance: float = 0.004
    """How far a mark may reach out of the colour, as a share of the page."""


def prices_xlsx() -> bytes:
    """Two sheets; the quoted cell is on the second."""
    book = openpyxl.Workbook()
    first = book.active
    assert first is not None
    first.title = "Hardware"
    for row in [["Article", "Price"], ["Buoy", 1200], ["Chain", 80]]:
        first.append(row)
    second = book.create_sheet("Services")
    for number, row in enumerate(
        [["Service", "Rate"], ["Survey of the hull", 400], ["Diving at Kelpness", 95]], start=1
    ):
        second.append(row)
        second.row_dimensions[number].height = 24
    second.column_dimensions["A"].width = 40
    second["A3"].fill = PatternFill("solid", fgColor=HEXADECIMAL)
    return saved(book)


def launch_pptx() -> bytes:
    """Two slides; the quoted box is on the second."""
    deck = Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Launch of the tender"
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Dates"
    for number, text in enumerate(("Sea trials begin in May.", "The Corvina sails on 3 June.")):
        box = second.shapes.add_textbox(Inches(1), Inches(2 + 1.5 * number), Inches(7), Inches(1))
        box.text_frame.text = text
        if number == 1:
            box.fill.solid()
            pale = RGBColor(*COLOUR)  # type: ignore[no-untyped-call]  # it has no types
            box.fill.fore_color.rgb = pale
    return saved(deck)


def picture_of(lines: tuple[str, ...], quoted: str) -> Image.Image:
    """Lines of letters, with the colour behind one of them."""
    image = Image.new("RGB", (1400, 120 + 140 * len(lines)), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=44)
    for number, line in enumerate(lines):
        top = 60 + 140 * number
        if line == quoted:
            left, upper, right, lower = draw.textbbox((60, top), line, font=font)
            draw.rectangle((left - 12, upper - 12, right + 12, lower + 12), fill=COLOUR)
        draw.text((60, top), line, font=font, fill="black")
    return image


def sign_png() -> bytes:
    """A photographed sign, as it were."""
    lines = ("Slipway 4", "Mooring Vandermeer is closed on Sundays.", "Ask at the office.")
    target = io.BytesIO()
    picture_of(lines, lines[1]).save(target, "PNG")
    return target.getvalue()


def scan_pdf() -> bytes:
    """A page that is a picture and nothing else."""
    paid = "Forty fathoms of Quillon rope, paid in cash."
    lines = ("Receipt of the chandlery", paid, "Thank you.")
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=(595, 842))
    canvas.drawImage(ImageReader(picture_of(lines, paid)), 40, 400, 515, 199)
    canvas.showPage()
    canvas.save()
    return target.getvalue()


def letter_eml() -> bytes:
    """A message with a page and a table attached."""
    message = EmailMessage()
    message["Subject"] = "Lamp oil for Gull Rock"
    message["From"] = "Linnet <linnet@supplier.example>"
    message["To"] = "purchasing@acme.example"
    message["Date"] = "Wed, 12 Mar 2025 09:30:00 +0100"
    message.set_content(
        f"Dear all,\n\nthe weather holds.\n\n{DELIVERED}\n\nPlease sign for them.\n\nLinnet"
    )
    message.add_attachment(
        notice_pdf(("The waybill Hesperus names nineteen crates.",)),
        maintype="application",
        subtype="pdf",
        filename="waybill.pdf",
    )
    message.add_attachment(
        b"serial,weight\nC-1,40\n", maintype="text", subtype="csv", filename="crates.csv"
    )
    return message.as_bytes()


MARKDOWN = b"""# Tide tables

Read them at the **slipway**.

| Place | High water |
| --- | --- |
| Ostwick | 06:40 |
| Saltmarrow Point | 07:15 |

- wind from the west
"""
HTML = b"""<!doctype html><title>Lock keepers</title><h1>Lock keepers</h1>
<p>There are <b>six</b> locks.</p>
<ul><li>The upper lock opens at dawn.</li><li>The lock of Fennimore closes at <i>dusk</i>.</li></ul>
<pre>lock --status</pre>"""

KINDS = {
    each.filename: each
    for each in (
        Kind(
            filename="services.xlsx",
            content=prices_xlsx,
            quote="Diving at Kelpness",
            sought="kelpness",
            page=2,
            needs="office",
        ),
        Kind(
            filename="launch.pptx",
            content=launch_pptx,
            quote="The Corvina sails on 3 June.",
            sought="corvina",
            page=2,
            needs="office",
        ),
        Kind(
            filename="berths.doc",
            content=lambda: gzip.decompress(OLD_WORD_FILE.read_bytes()),
            quote="Berth Wrenmouth is let to the pilots.",
            sought="wrenmouth",
            needs="office",
            page=1,
        ),
        Kind(
            filename="sign.png",
            content=sign_png,
            quote="Mooring Vandermeer is closed on Sundays.",
            sought="vandermeer",
            page=1,
            needs="ocr",
        ),
        Kind(
            filename="receipt.pdf",
            content=scan_pdf,
            quote="Forty fathoms of Quillon rope, paid in cash.",
            sought="quillon",
            page=1,
            needs="ocr",
        ),
        Kind(filename="letter.eml", content=letter_eml, quote=DELIVERED, sought="osprey"),
        Kind(
            filename="tides.md",
            content=lambda: MARKDOWN,
            quote="Saltmarrow Point",
            sought="saltmarrow",
        ),
        Kind(
            filename="locks.html",
            content=lambda: HTML,
            quote="The lock of Fennimore closes at dusk.",
            sought="fennimore",
        ),
        Kind(
            filename="morning.wav",
            content=lambda: wav(seconds=30),
            quote=SPOKEN,
            sought="tolland",
        ),
    )
}
