"""Draw what reaches the company as a picture: a scanned invoice and a photographed sign."""

import random
from dataclasses import dataclass
from io import BytesIO
from time import gmtime

from PIL import Image, ImageDraw, ImageFilter, ImageFont

DPI = 200
INK, PAPER = 0, 255
SCANNED_AT = gmtime(1744963200)  # 18 April 2025; never the time of the build
NOISE_SHARE = 0.0004  # of the pixels; a clean office scanner


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of text on the sheet, in pixels from the top left corner."""

    text: str
    left: int
    top: int
    size: int = 34


LETTERHEAD = [
    Line(text="Tolliver Marine Repairs", left=150, top=140, size=64),
    Line(text="Dry Dock 3, Port Ellery", left=150, top=225),
    Line(text="Telephone 0555 012 870", left=150, top=275),
    Line(text="INVOICE", left=1180, top=140, size=72),
    Line(text="Quillfen Buoyworks Ltd", left=150, top=420),
    Line(text="Slipway House", left=150, top=470),
    Line(text="4 Tarpaulin Lane, Port Ellery", left=150, top=520),
    Line(text="Invoice number: INV-2025-0417", left=950, top=420),
    Line(text="Date: 17 April 2025", left=950, top=470),
    Line(text="Your claim: CLM-2025-0093", left=950, top=520),
    Line(text="Repair of buoy QB-P3-0147 after storm damage", left=150, top=680, size=42),
    Line(text="Work carried out from 24 March to 11 April 2025 in Dry Dock 3.", left=150, top=750),
]
ITEMS = [
    ("Description", "Amount EUR"),
    ("Hull plate replaced, pressure test at 20 metres", "7,200.00"),
    ("Mast and lantern assembly, new", "3,850.00"),
    ("Mooring set with 27 m chain", "2,150.00"),
    ("Labour, 40 hours at 60.00", "2,400.00"),
    ("Net amount", "15,600.00"),
    ("Value added tax 19 percent", "2,964.00"),
    ("Total amount due", "18,564.00"),
]
ITEMS_TOP, ITEM_PITCH = 880, 76
CLOSING = [
    "Payment is due within 30 days, no later than 17 May 2025.",
    "Please transfer to Ellery Savings Bank, account 0044 7719 02.",
    "We guarantee the hull repair for 18 months. The lantern carries",
    "the guarantee of its maker. Damaged parts are kept until 30 June 2025.",
    "Foreman in charge: Barnaby Oxenhope",
]
SIGN = [
    Line(text="LITHIUM BATTERY STORE", left=90, top=70, size=76),
    Line(text="SLIPWAY 2", left=90, top=180, size=60),
    Line(text="Maximum 40 battery packs", left=90, top=320, size=48),
    Line(text="Keep between 5 and 25 °C", left=90, top=400, size=48),
    Line(text="No charging from 22:00 to 06:00", left=90, top=480, size=48),
    Line(text="Keep door D-09 closed", left=90, top=560, size=48),
    Line(text="Fire warden: Tamsin Orlebar", left=90, top=680, size=48),
    Line(text="Emergency 0555 014 277", left=90, top=760, size=48),
]


def scanned_invoice() -> bytes:
    """Return a one-page PDF that holds nothing but a black and white picture of an invoice."""
    sheet = Image.new("L", (1654, 2339), PAPER)  # A4 at 200 dpi
    for line in LETTERHEAD + _item_lines() + _closing_lines():
        _write(sheet, line)
    below_header, above_net = ITEMS_TOP + 58, ITEMS_TOP + 5 * ITEM_PITCH - 12
    for top in (below_header, above_net):
        ImageDraw.Draw(sheet).line([(150, top), (1500, top)], fill=INK, width=3)
    turned = sheet.rotate(0.6, resample=Image.Resampling.BICUBIC, fillcolor=PAPER)
    _speckle(turned, random.Random(417))
    buffer = BytesIO()
    page = turned.point(lambda level: PAPER if level > 150 else INK, mode="1")
    page.save(buffer, "PDF", resolution=DPI, creationDate=SCANNED_AT, modDate=SCANNED_AT)
    return buffer.getvalue()


def battery_store_sign() -> bytes:
    """Return a PNG of the sign at the battery store, as a telephone would have taken it."""
    photo = Image.new("L", (1200, 900), 205)
    ImageDraw.Draw(photo).rounded_rectangle(
        [40, 30, 1160, 870], radius=30, fill=245, outline=40, width=8
    )
    for line in SIGN:
        _write(photo, line)
    turned = photo.rotate(-1.1, resample=Image.Resampling.BICUBIC, fillcolor=205)
    buffer = BytesIO()
    turned.filter(ImageFilter.GaussianBlur(0.7)).quantize(32).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _item_lines() -> list[Line]:
    rows = [(ITEMS_TOP + ITEM_PITCH * number, row) for number, row in enumerate(ITEMS)]
    return [
        Line(text=text, left=left, top=top)
        for top, (description, amount) in rows
        for left, text in ((150, description), (1250, amount))
    ]


def _closing_lines() -> list[Line]:
    return [
        Line(text=text, left=150, top=1620 + 56 * number) for number, text in enumerate(CLOSING)
    ]


def _write(sheet: Image.Image, line: Line) -> None:
    font = ImageFont.load_default(size=line.size)
    ImageDraw.Draw(sheet).text((line.left, line.top), line.text, font=font, fill=INK)


def _speckle(sheet: Image.Image, chance: random.Random) -> None:
    for _ in range(int(sheet.width * sheet.height * NOISE_SHARE)):
        sheet.putpixel((chance.randrange(sheet.width), chance.randrange(sheet.height)), INK)
