"""Small PDFs, each with one thing that makes PDFs hard to read, made on the spot."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import cache

import pypdfium2 as pdfium
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader, simpleSplit
from reportlab.pdfgen.canvas import Canvas

from tests.ingestion import files

WIDTH, HEIGHT = 595, 842
FONT = "Helvetica"


def pdf(*pages: Callable[[Canvas], None], size: tuple[float, float] = (WIDTH, HEIGHT)) -> bytes:
    """A page for each function, which draws it."""
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=size)
    for draw in pages:
        canvas.setFont(FONT, 10)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def wrap(text: str, width: float, size: float = 10, font: str = FONT) -> list[str]:
    """The lines of a text in a column so wide."""
    lines: list[str] = simpleSplit(text, font, size, width)
    return lines


def write(
    canvas: Canvas, lines: Sequence[str], x: float, y: float, size: float = 10, font: str = FONT
) -> float:
    """Lines from a place downwards; where the next one would stand."""
    canvas.setFont(font, size)
    for line in lines:
        canvas.drawString(x, y, line)
        y -= 1.2 * size
    return y


def story(name: str, sentences: int = 8) -> str:
    """Sentences that say which text they are of and in which order they stand."""
    return " ".join(
        f"This is sentence {number} of the story of the {name}, as told on the quay."
        for number in range(1, sentences + 1)
    )


def two_columns(*, across: bool) -> bytes:
    """A title over two columns; drawn column by column, or line by line across both."""
    left, right = wrap(story("lantern"), 230), wrap(story("anchor"), 230)

    def draw(canvas: Canvas) -> None:
        write(canvas, ["Tales of the harbour in two columns of text"], 150, 780, 18)
        if across:
            for row, pair in enumerate(zip(left, right, strict=False)):
                for x, line in zip((50, 315), pair, strict=True):
                    write(canvas, [line], x, 740 - 12 * row)
            return
        write(canvas, left, 50, 740)
        write(canvas, right, 315, 740)

    return pdf(draw)


def columns_with_notes() -> bytes:
    """Two columns whose first ends in the middle of a sentence, above a footnote."""
    body = story("lantern", 4) + " Then the keeper of the light went down the stairs and"
    rest = "opened the door to the sea. " + story("anchor", 4)
    body = body.replace("sentence 2 of the story", "sentence 2 of the old story1")

    def draw(canvas: Canvas) -> None:
        y = write(canvas, wrap(body, 230), 50, 760)
        note = "1 The oldest of them was found in a bottle under the pier of the town."
        write(canvas, wrap(note, 230, 7), 50, y - 200, 7)
        write(canvas, wrap(rest, 230), 315, 760)
        write(canvas, wrap(story("gull", 12), 230), 315, 760 - 12 * len(wrap(rest, 230)) - 30)

    return pdf(draw)


def three_columns() -> bytes:
    names = ("lantern", "anchor", "gull")

    def draw(canvas: Canvas) -> None:
        for column, name in enumerate(names):
            write(canvas, wrap(story(name), 150), 40 + 180 * column, 780)

    return pdf(draw)


def title_drawn_last() -> bytes:
    def draw(canvas: Canvas) -> None:
        write(canvas, wrap(story("lantern", 4), 480), 50, 700)
        write(canvas, ["The lantern of the northern mole"], 50, 760, 20)

    return pdf(draw)


def turned(degrees: int) -> bytes:
    """A page with /Rotate whose text stands upright when it is shown."""

    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(degrees)
        if degrees == 90:
            canvas.translate(WIDTH, 0)
        elif degrees == 180:
            canvas.translate(WIDTH, HEIGHT)
        elif degrees == 270:
            canvas.translate(0, HEIGHT)
        canvas.rotate(degrees)
        write(canvas, ["The turned page"], 60, 500, 18)
        write(canvas, wrap(story("lantern", 3), 400), 60, 460)

    return pdf(draw)


def lying_text() -> bytes:
    """An upright page with a stamp that runs up its margin."""

    def draw(canvas: Canvas) -> None:
        write(canvas, ["The upright page"], 80, 780, 18)
        write(canvas, wrap(story("lantern", 6), 450), 80, 740)
        canvas.translate(40, 300)
        canvas.rotate(90)
        write(canvas, ["Archive stamp 2206.01062 of June"], 0, 0, 12)

    return pdf(draw)


def lying_page() -> bytes:
    """All text of a page runs upwards, and no /Rotate says so."""

    def draw(canvas: Canvas) -> None:
        canvas.translate(WIDTH, 0)
        canvas.rotate(90)
        write(canvas, ["The lying page"], 60, 500, 18)
        write(canvas, wrap(story("lantern", 3), 400), 60, 460)

    return pdf(draw)


def form() -> bytes:
    def draw(canvas: Canvas) -> None:
        write(canvas, ["Application for a berth in the harbour of Port Ellery"], 60, 780, 14)
        fields = canvas.acroForm
        fields.textfield(name="vessel", tooltip="Name of the vessel", value="Marigold", x=60, y=700)
        fields.textfield(name="ownerName", value="Ann Harrow", x=60, y=650)
        fields.textfield(name="empty", tooltip="Remarks", value="", x=60, y=600)
        fields.checkbox(name="power", tooltip="Shore power", checked=True, x=60, y=550)
        fields.checkbox(name="water", tooltip="Fresh water", checked=False, x=60, y=500)
        fields.choice(
            name="month", tooltip="Month", value="May", options=["May", "June"], x=60, y=450
        )

    return pdf(draw)


def annotated() -> bytes:
    def draw(canvas: Canvas) -> None:
        write(canvas, wrap(story("lantern", 4), 450), 60, 780)
        canvas.textAnnotation("Please check the year.", Rect=[500, 700, 520, 720])
        canvas.highlightAnnotation(
            "Too old a story?",
            Rect=[60, 776, 200, 790],
            QuadPoints=[60, 790, 200, 790, 60, 777, 200, 777],
        )
        canvas.linkURL("https://harbour.example/berths", (60, 600, 200, 620))
        canvas.linkURL("mailto:berths@harbour.example", (60, 560, 200, 580))
        canvas.linkURL("javascript:alert(1)", (60, 520, 200, 540))

    return pdf(draw)


def outlined() -> bytes:
    """Headings set like the text, which only the bookmarks tell."""

    def draw(canvas: Canvas, titles: Sequence[tuple[str, int]]) -> None:
        y = 780.0
        for title, level in titles:
            canvas.bookmarkPage(title)
            canvas.addOutlineEntry(title, title, level)
            y = write(canvas, [title], 60, y) - 8
            y = write(canvas, wrap(story(title.lower(), 3), 450), 60, y) - 20

    def first(canvas: Canvas) -> None:
        draw(canvas, [("Moorings and berths", 0), ("Visiting vessels", 1)])

    def second(canvas: Canvas) -> None:
        draw(canvas, [("Dues and payment", 0)])

    return pdf(first, second)


def labelled() -> bytes:
    """Two pages numbered i and ii, and one numbered 1."""
    target = io.BytesIO()
    canvas = Canvas(target)
    canvas.addPageLabel(0, style="ROMAN_LOWER")
    canvas.addPageLabel(2, style="ARABIC", start=1)
    for name in ("lantern", "anchor", "gull"):
        write(canvas, wrap(story(name, 3), 450), 60, 700)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def encrypted(*, user: str, owner: str = "owner") -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, encrypt=StandardEncryption(user, ownerPassword=owner))
    write(canvas, wrap(story("lantern", 3), 450), 60, 700)
    canvas.save()
    return target.getvalue()


def page_with_picture(lines: Sequence[str], *, width: float = 400, times: int = 1) -> bytes:
    """Text over a picture of other text, on so many pages."""
    image = ImageReader(io.BytesIO(files.picture(lines)))
    columns, rows = image.getSize()

    def draw(canvas: Canvas) -> None:
        write(canvas, wrap(story("lantern", 5), 450), 60, 780)
        canvas.drawImage(image, 60, 400, width, width * rows / columns)

    return pdf(*[draw] * times)


def recognised_scan(lines: Sequence[str]) -> bytes:
    """A picture of a page with an invisible text layer, as scanners write them."""
    image = ImageReader(io.BytesIO(files.picture(lines)))

    def draw(canvas: Canvas) -> None:
        canvas.drawImage(image, 0, 0, WIDTH, HEIGHT)
        text = canvas.beginText(60, 700)
        text.setTextRenderMode(3)
        text.setFont(FONT, 30)
        for line in lines:
            text.textLine(line)
        canvas.drawText(text)

    return pdf(draw)


@cache
def page_with_photo() -> bytes:
    """Text over a picture that shows no letters."""
    noise = Image.effect_noise((600, 400), 80).convert("RGB")

    def draw(canvas: Canvas) -> None:
        write(canvas, wrap(story("lantern", 5), 450), 60, 780)
        canvas.drawImage(ImageReader(noise), 60, 300, 400, 260)

    return pdf(draw)


def running(pages: int) -> bytes:
    """Left and right pages with headers of their own, a footer, page numbers."""

    def draw(canvas: Canvas, number: int) -> None:
        header = "Harbour Rules 2025" if number % 2 else "Chapter of the Pilots"
        write(canvas, [header], 60, 815, 8)
        write(canvas, wrap(story(f"berth {number}", 30), 450), 60, 760)
        write(canvas, ["Port Ellery Harbour Authority"], 60, 40, 8)
        write(canvas, [f"{number}"], 520, 40, 8)

    return pdf(*[lambda canvas, number=n: draw(canvas, number) for n in range(1, pages + 1)])


def hyphenated() -> bytes:
    """Words divided at the ends of lines, and compounds whose hyphen stands there by chance."""
    lines = [
        "The well-known harbour master wrote in his regula-",
        "tions that each long-term berth is paid by the quar-",
        "ter, and that the regulations of the quarter are well-",
        "known to all. Berths of the Anglo-",
        "Danish line and the type COVID-",
        "19 are not, though some are long-",
        "term guests of ours.",
    ]

    def draw(canvas: Canvas) -> None:
        write(canvas, lines, 60, 700)

    return pdf(draw)


def captioned() -> bytes:
    def draw(canvas: Canvas) -> None:
        y = write(canvas, wrap(story("lantern", 4), 450), 60, 780)
        y = write(canvas, ["Figure 3: The lantern on the northern mole in winter."], 60, y - 60)
        y = write(canvas, wrap("Table 4 shows what was paid. " + story("gull", 3), 450), 60, y - 30)
        y = write(canvas, ["Tabelle 2. Gebühren der Liegeplätze"], 60, y - 30)
        y = write(canvas, ["Length", "Fee"], 60, y - 30)
        write(canvas, wrap(story("anchor", 4), 450), 60, y - 60)

    return pdf(draw)


def with_code() -> bytes:
    code = ["def berth(length):", "    if length > 12:", "        return 'B'", "    return 'A'"]

    def draw(canvas: Canvas) -> None:
        y = write(canvas, wrap(story("lantern", 5), 450), 60, 780)
        y = write(canvas, code, 60, y - 12, 9, "Courier")
        write(canvas, wrap(story("anchor", 5), 450), 60, y - 12)

    return pdf(draw)


def tagged() -> bytes:
    """A tagged PDF, written by hand: headings set like the text, a figure with its description."""
    content = (
        b"BT /F 10 Tf 60 700 Td\n"
        b"/H1 <</MCID 0>> BDC (Moorings of the harbour) Tj EMC 0 -30 Td\n"
        b"/P <</MCID 1>> BDC (Every berth has two moorings and a number.) Tj EMC 0 -30 Td\n"
        b"/H2 <</MCID 2>> BDC (Visitors) Tj EMC 0 -30 Td\n"
        b"/P <</MCID 3>> BDC (Visitors lie at the eastern quay for a week.) Tj EMC ET\n"
        b"/Figure <</MCID 4>> BDC 60 400 90 60 re f EMC"
    )
    element = b"<</Type /StructElem /S /%s /P 6 0 R /Pg 3 0 R /K %d>>"
    figure = element % (b"Figure /Alt (A chart of the basin)", 4)
    objects = [
        b"<</Type /Catalog /Pages 2 0 R /MarkInfo <</Marked true>> /StructTreeRoot 6 0 R "
        b"/Lang (en-GB)>>",
        b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
        b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/StructParents 0 /Resources <</Font <</F 5 0 R>>>>>>",
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content),
        b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>",
        b"<</Type /StructTreeRoot /K [7 0 R 8 0 R 9 0 R 10 0 R 11 0 R] /ParentTree 12 0 R>>",
        *(element % (kind, number) for number, kind in enumerate((b"H1", b"P", b"H2", b"P"))),
        figure,
        b"<</Nums [0 [7 0 R 8 0 R 9 0 R 10 0 R 11 0 R]]>>",
    ]
    body = b"%PDF-1.7\n"
    offsets = []
    for number, each in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(objects) + 1
    trailer = b"trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (count, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (count, table, trailer)


def with_attachment(name: str, content: bytes) -> bytes:
    """A page of text with a file embedded in it."""
    with pdfium.PdfDocument(pdf(lambda canvas: canvas.drawString(60, 700, "See the list."))) as d:
        d.new_attachment(name).set_data(content)
        target = io.BytesIO()
        d.save(target)
    return target.getvalue()


def picture_under_text(lines: Sequence[str]) -> bytes:
    """A picture with a line of the text layer written on it."""
    image = ImageReader(io.BytesIO(files.picture(lines)))

    def draw(canvas: Canvas) -> None:
        columns, rows = image.getSize()
        canvas.drawImage(image, 60, 400, 450, 450 * rows / columns)
        write(canvas, ["Written on the picture"], 380, 460, 10)

    return pdf(draw)


def with_a_broken_page() -> bytes:
    """Two pages, of which the second is no page."""
    content = pdf(*[lambda canvas: canvas.drawString(60, 700, "A page of the log.")] * 2)
    first, second = content.find(b"/Type /Page\n"), content.rfind(b"/Type /Page\n")
    assert first != second
    return content[:second] + b"/Type /Gape\n" + content[second + 12 :]


WORDY_ROWS = [
    ("Article of the price list", "Remark of the sales team"),
    ("Mooring chain of zinc, 12 mm", "Sold by the metre or the drum"),
    ("Lantern with a solar cell", "From the first week of August"),
    ("Anchor of cast iron, 40 kg", "Only to be fetched at the yard"),
    ("Rope of hemp, 30 metres", "Will be replaced by the nylon one"),
    ("Fender of rubber, size four", "Delivered together with a rope"),
]


def wordy_table() -> bytes:
    """An unruled table of two columns whose cells are phrases."""

    def draw(canvas: Canvas) -> None:
        for row, cells in enumerate(WORDY_ROWS):
            for x, cell in zip((60, 320), cells, strict=True):
                write(canvas, [cell], x, 700 - 14 * row)

    return pdf(draw)


def columns_over_table() -> bytes:
    """Two columns of prose, and below them a table across both."""
    left, right = wrap(story("lantern"), 230), wrap(story("anchor"), 230)
    rows = [["Berth", "Length", "Fee"], ["East 1", "12 m", "40"], ["East 2", "14 m", "48"]]

    def draw(canvas: Canvas) -> None:
        write(canvas, left, 50, 760)
        write(canvas, right, 315, 760)
        for row, cells in enumerate(rows):
            for x, cell in zip((50, 230, 430), cells, strict=True):
                write(canvas, [cell], x, 420 - 14 * row)

    return pdf(draw)


def nested_list() -> bytes:
    """A list of three levels between paragraphs, numbered in its second part."""
    indented = (
        (72, "• Check the hull"),
        (90, "o paint above the water line, which is what everybody sees and what"),
        (100, "wears off soonest in the sun and the salt of the sea"),
        (90, "o zinc"),
        (108, "· each anode by hand"),
        (72, "• Load the stores"),
        (77, "9. bread"),
        (72, "10. water"),
        (90, "a) in casks"),
        (72, "11. rope"),
    )

    def draw(canvas: Canvas) -> None:
        y = write(canvas, wrap(story("ship", 3), 450), 72, 740) - 10
        for x, text in indented:
            if text.startswith("o "):
                canvas.setFont("Courier", 10)
                canvas.drawString(x, y, "o")
                canvas.setFont(FONT, 10)
                canvas.drawString(x + 18, y, text[2:])
            else:
                canvas.drawString(x, y, text)
            y -= 12
        write(canvas, wrap(story("harbour", 3), 450), 72, y - 10)

    return pdf(draw)


def double_spaced() -> bytes:
    """Wide lines of prose, and below them as many narrow ones of an address and a list of names."""

    def draw(canvas: Canvas) -> None:
        y = 760.0
        for line in wrap(story("lantern", 9), 450):
            canvas.drawString(72, y, line)
            y -= 20
        for name in ("Ada", "Bob", "Cid", "Dora", "Emil", "Fay", "Gus", "Hal", "Ida", "Jon"):
            canvas.drawString(72, y - 30, f"{name} of the lantern crew")
            y -= 12

    return pdf(draw)


def flush_right_table() -> bytes:
    """Names of columns over numbers whose column ends where the next name begins."""

    def draw(canvas: Canvas) -> None:
        write(canvas, wrap(story("duck", 3), 450), 72, 760)
        canvas.drawString(122, 700, "Year")
        canvas.drawString(186, 700, "Ducks on the pond")
        for number in range(5):
            y = 686 - 13 * number
            canvas.drawRightString(184, y, str(2019 + number))
            canvas.drawRightString(268, y, str(120 + 7 * number))

    return pdf(draw)


def numbered_high() -> bytes:
    """Two pages as LaTeX sets them: the number stands in a wide margin, well below the text."""

    def draw(canvas: Canvas, name: str, number: int) -> None:
        write(canvas, wrap(story(name, 30), 340), 130, 700)
        canvas.drawCentredString(300, 160, str(number))

    return pdf(lambda canvas: draw(canvas, "buoy", 1), lambda canvas: draw(canvas, "chain", 2))
