"""Set the tables of a source text as an XLSX; a heading names the sheet of the table below it."""

from datetime import datetime
from io import BytesIO

from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet

from generators.archives import with_text_replaced
from generators.markup import Heading, Table, parse


def render(source: str, *, title: str, written: datetime) -> bytes:
    """Return the XLSX of a source text, dated as given; numbers are stored as numbers."""
    blocks = parse(source)
    workbook = Workbook()
    workbook.remove(workbook.worksheets[0])
    for heading, table in zip(blocks[::2], blocks[1::2], strict=True):
        assert isinstance(heading, Heading), "a sheet begins with its name"
        assert isinstance(table, Table), "a sheet holds one table"
        _fill(workbook.create_sheet(heading.text), table.rows)
    workbook.properties.title = title
    workbook.properties.creator = "Quillfen Buoyworks Ltd"
    workbook.properties.created = written.replace(tzinfo=None)  # openpyxl knows no zones
    buffer = BytesIO()
    workbook.save(buffer)
    return _dated(buffer.getvalue(), workbook, written)


def _fill(sheet: Worksheet, rows: tuple[tuple[str, ...], ...]) -> None:
    for row in rows:
        sheet.append([int(cell) if cell.isdigit() else cell for cell in row])
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for column, cells in zip("ABCDEFGH", zip(*rows, strict=True), strict=False):
        sheet.column_dimensions[column].width = max(len(cell) for cell in cells) + 3
    sheet.freeze_panes = "A2"


def _dated(archive: bytes, workbook: Workbook, written: datetime) -> bytes:
    """Undo the time of saving, which openpyxl writes whatever the properties say."""
    stamp = "%Y-%m-%dT%H:%M:%SZ"
    saved = workbook.properties.modified.strftime(stamp)
    return with_text_replaced(
        archive, member="docProps/core.xml", old=saved, new=written.strftime(stamp)
    )
