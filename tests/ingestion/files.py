"""Small files of every format, made on the spot."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from email.message import EmailMessage

import docx
import openpyxl
from PIL import Image, ImageDraw, ImageFont
from pptx import Presentation
from pptx.util import Inches
from reportlab.lib import colors
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    Flowable,
    ListFlowable,
    ListItem,
    PageBreak,
    Paragraph,
    SimpleDocTemplate,
    Table,
    TableStyle,
)

STYLES = getSampleStyleSheet()
LEAVE = "Employees receive 25 days of paid leave. Unused days lapse on 31 March of the next year."
SICK = "Sick leave must be reported by nine in the morning. A certificate is due on day three."
TRAVEL = "Travel is approved by the manager before anything is booked. Economy class is the rule."
RATES = [["City", "Rate"], ["Berlin", "120"], ["Paris", "150"], ["Rome", "110"]]


def saved(file: object) -> bytes:
    """The bytes of a deck, a workbook or a document of a library."""
    target = io.BytesIO()
    file.save(target)  # type: ignore[attr-defined]  # libraries without types
    return target.getvalue()


def handbook_pdf(*, password: str | None = None) -> bytes:
    """Three pages: headings, paragraphs, a list, a ruled and an unruled table, running lines."""
    ruled = Table(
        [["Grade", "Salary", "Bonus"], ["A", "50,000", "5 %"], ["B", "60,000", "7 %"]],
        style=TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)]),
    )
    bullets = ListFlowable(
        [ListItem(Paragraph(f"Rule number {n} of the house", STYLES["BodyText"])) for n in (1, 2)],
        bulletType="bullet",
    )
    story: list[Flowable] = [
        Paragraph("Employee Handbook", STYLES["Title"]),
        Paragraph("Leave", STYLES["Heading1"]),
        Paragraph(LEAVE, STYLES["BodyText"]),
        Paragraph("Sick leave", STYLES["Heading2"]),
        Paragraph(SICK, STYLES["BodyText"]),
        bullets,
        ruled,
        PageBreak(),
        Paragraph("Travel", STYLES["Heading1"]),
        Paragraph(TRAVEL, STYLES["BodyText"]),
        Paragraph(LEAVE, STYLES["BodyText"]),
        Table(RATES),
        PageBreak(),
        Paragraph("The end", STYLES["Heading1"]),
        Paragraph("Nothing follows. This is all.", STYLES["BodyText"]),
    ]

    def running(canvas: Canvas, document: SimpleDocTemplate) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(50, 820, "Acme confidential")
        canvas.drawString(50, 20, f"Page {document.page} of 3")

    target = io.BytesIO()
    encrypt = StandardEncryption(password) if password else None
    SimpleDocTemplate(target, title="Handbook", encrypt=encrypt).build(
        story, onFirstPage=running, onLaterPages=running
    )
    return target.getvalue()


def picture(lines: Sequence[str], kind: str = "PNG") -> bytes:
    """Black letters on white."""
    image = Image.new("RGB", (1400, 90 * len(lines) + 120), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=44)
    for number, line in enumerate(lines):
        draw.text((60, 60 + 90 * number), line, font=font, fill="black")
    target = io.BytesIO()
    image.save(target, kind)
    return target.getvalue()


def scanned_pdf(pages: Sequence[Sequence[str] | str]) -> bytes:
    """A page of text for a string, a picture of its lines for a list."""
    target = io.BytesIO()
    canvas = Canvas(target)
    for page in pages:
        if isinstance(page, str):
            canvas.drawString(72, 700, page)
        else:
            canvas.drawImage(ImageReader(io.BytesIO(picture(page))), 50, 400, 495, 250)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def contract_docx() -> bytes:
    document = docx.Document()
    document.core_properties.title = "Rental agreement"
    document.add_heading("Term", level=1)
    document.add_paragraph("The agreement runs for two years.")
    document.add_heading("Notice", level=2)
    document.add_paragraph("Either party may terminate with 90 days' notice.")
    document.add_paragraph("first point", style="List Bullet")
    document.add_paragraph("second point", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for row, cells in zip(table.rows, [["Item", "Price"], ["Buoy", "1,200"]], strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    return saved(document)


def deck_pptx() -> bytes:
    deck = Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Launch plan"
    first.placeholders[1].text = "Build it\nShip it"
    first.notes_slide.notes_text_frame.text = "Say hello first."
    second = deck.slides.add_slide(deck.slide_layouts[6])
    frame = second.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(1))
    for row, cells in enumerate([["Quarter", "Units"], ["Q1", "40"]]):
        for column, text in enumerate(cells):
            frame.table.cell(row, column).text = text
    return saved(deck)


def prices_xlsx() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Hardware"
    for row in [["Price list"], [], ["Article", "Price"], ["Buoy", 1200], ["Chain", 80]]:
        sheet.append(row)
    services = book.create_sheet("Services")
    services.append(["Service", "Rate"])
    services.append(["Diving", 95])
    return saved(book)


def wide_cells_xlsx() -> bytes:
    """A workbook whose columns are narrower than what they hold."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Account", "Amount"])
    sheet.append(["Account of the harbour office in Rostock", 12345678901.5])
    sheet["B2"].number_format = '#,##0.00 "GBP"'
    sheet.append(["Buoys", 7])
    return saved(book)


def letter_eml() -> bytes:
    message = EmailMessage()
    message["Subject"] = "Delivery of four sensors"
    message["From"] = "Linnet <linnet@supplier.example>"
    message["To"] = "purchasing@acme.example"
    message["Date"] = "Wed, 12 Mar 2025 09:30:00 +0100"
    message.set_content("Dear all,\n\nfour sensors left our dock yesterday.\n\nLinnet")
    message.add_attachment(
        b"serial,price\nS-1,40\n", maintype="text", subtype="csv", filename="sensors.csv"
    )
    message.add_attachment(
        picture(["logo"]),
        maintype="image",
        subtype="png",
        filename="logo.png",
        disposition="inline",
        cid="<logo>",
    )
    return message.as_bytes()


def bomb_docx() -> bytes:
    """A Word file whose XML expands to billions of characters."""
    entities = '<!ENTITY a "' + "ha" * 50 + '">'
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        entities += f'<!ENTITY {name} "' + f"&{before};" * 10 + '">'
    body = (
        f'<?xml version="1.0"?><!DOCTYPE d [{entities}]>'
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        "<w:body><w:p><w:r><w:t>&i;</w:t></w:r></w:p></w:body></w:document>"
    )
    target = io.BytesIO(contract_docx())
    result = io.BytesIO()
    with zipfile.ZipFile(target) as source, zipfile.ZipFile(result, "w") as copy:
        for name in source.namelist():
            copy.writestr(name, body if name == "word/document.xml" else source.read(name))
    return result.getvalue()
