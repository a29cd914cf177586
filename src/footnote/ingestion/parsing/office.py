"""Convert office files to drafts by the readers of DOCX, PPTX and XLSX.

Older and open formats are converted to these by LibreOffice. Where it is not installed, calamine
reads the cells of workbooks, and xberg the text of the rest.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from datetime import datetime, time

import olefile
from python_calamine import CalamineWorkbook, SheetVisibleEnum

from footnote.domain import BlockKind
from footnote.ingestion import media
from footnote.ingestion.failures import unreadable
from footnote.ingestion.libreoffice import INSTALL, find_office, to_open_xml
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.numberformat import format_value
from footnote.ingestion.parsing.pictures import Pictures
from footnote.ingestion.parsing.sheets import Budget, Sheet, holds_several_sheets, sheet_drafts
from footnote.ingestion.parsing.slides import read_slides
from footnote.ingestion.parsing.word import read_word
from footnote.ingestion.parsing.workbook import is_binary_workbook, read_workbook
from footnote.ingestion.parsing.xberg import read_by_xberg

_WORKBOOKS = (media.XLS, media.XLSB, media.ODS)
_CONVERTED = (media.DOC, media.ODT, media.RTF, media.PPT, media.ODP, *_WORKBOOKS)
OFFICE_TYPES = frozenset((media.DOCX, media.PPTX, media.XLSX, *_CONVERTED))
_COMPOUND = b"\xd0\xcf\x11\xe0"
_MAIN_STREAMS = {"WordDocument": media.DOC, "PowerPoint Document": media.PPT, "Workbook": media.XLS}
_MAX_RECORDS_BEFORE_LOCK = 20
_MAX_MERGED = 100_000
_REMEDY = f"tables, notes, numbers or pictures may be missing; install LibreOffice: {INSTALL}"


def read_office(
    content: bytes, media_type: str, pictures: Pictures, max_characters: int
) -> Reading:
    """Read a file of one of the `OFFICE_TYPES`.

    Raises DocumentUnreadable when it holds too much or is protected by a password, and the
    exceptions of its reader when it is damaged.
    """
    media_type = _actual_type(content, media_type)
    if media_type in _CONVERTED:
        if _is_encrypted(content, media_type):
            raise unreadable("it is protected by a password", "upload a copy without a password")
        if find_office() is None:
            if media_type in _WORKBOOKS:
                reading = _read_cells(content, max_characters=max_characters)
            else:
                reading = read_by_xberg(content, media_type)
            return replace(reading, metadata={**reading.metadata, "read_in_part": _REMEDY})
        content, media_type = to_open_xml(content, media_type)
    if media_type == media.DOCX:
        return read_word(content, pictures)
    if media_type == media.PPTX:
        return read_slides(content, pictures)
    return read_workbook(content, pictures, max_characters=max_characters)


def _actual_type(content: bytes, media_type: str) -> str:
    """Return the type by the file's own streams, not by those of a file embedded in it."""
    if media_type == media.XLSX and is_binary_workbook(content):
        return media.XLSB
    if not content.startswith(_COMPOUND):
        return media_type
    with olefile.OleFileIO(io.BytesIO(content)) as file:
        types = (kind for name, kind in _MAIN_STREAMS.items() if file.exists([name]))
        return next(types, media_type)


def _is_encrypted(content: bytes, media_type: str) -> bool:
    """Whether a file needs a password (MS-DOC 2.5.2, MS-PPT 2.3.2, MS-XLS 2.4.117)."""
    if media_type in (media.ODT, media.ODP, media.ODS):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "META-INF/manifest.xml" in archive.namelist() and (
                b":encryption-data" in archive.read("META-INF/manifest.xml")
            )
    if not content.startswith(_COMPOUND):
        return False
    with olefile.OleFileIO(io.BytesIO(content)) as file:

        def head(stream: str) -> bytes:
            return file.openstream(stream).read(4096) if file.exists(stream) else b""

        if media_type == media.DOC:
            return bool(head("WordDocument")[11:12] and head("WordDocument")[11] & 1)
        if media_type == media.PPT:
            return head("Current User")[12:16] == b"\xdf\xc4\xd1\xf3"
        records, position = head("Workbook"), 0
        for _ in range(_MAX_RECORDS_BEFORE_LOCK):
            if records[position : position + 2] == b"\x2f\x00":
                return True
            position += 4 + int.from_bytes(records[position + 2 : position + 4], "little")
        return False


def _read_cells(content: bytes, *, max_characters: int) -> Reading:
    """Read every sheet, hidden ones too.

    Raises DocumentUnreadable when it holds too much, CalamineError when it is damaged.
    """
    budget = Budget(max_characters)
    drafts: list[Draft] = []
    with CalamineWorkbook.from_filelike(io.BytesIO(content)) as book:
        for number, sheet_metadata in enumerate(book.sheets_metadata, start=1):
            source = book.get_sheet_by_name(sheet_metadata.name)
            hidden = sheet_metadata.visible != SheetVisibleEnum.Visible
            sheet = Sheet(name=sheet_metadata.name, hidden=hidden)
            top, left = source.start or (0, 0)
            for index, values in enumerate(source.to_python(), start=top):
                cells = [""] * left + [_cell_text(value) for value in values]
                while cells and not cells[-1]:
                    cells.pop()
                if cells:
                    budget.spend(cells)
                    sheet.rows.append((index, cells))
            merged = source.merged_cell_ranges or []
            sheet.spread((*first, *last) for first, last in merged[:_MAX_MERGED])
            drafts += sheet_drafts(sheet, number)
        pages = len(book.sheets_metadata)
    if all(draft.kind is BlockKind.HEADING for draft in drafts):
        drafts = []  # the names of empty sheets are no text
    return Reading(
        drafts=tuple(drafts),
        page_count=pages,
        pages_stand_alone=True,
        headings_name_parts=holds_several_sheets(drafts),
    )


def _cell_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return format_value(value, "General", since_1904=False)
    if isinstance(value, datetime):
        whole_day = value.time() == time()
        return value.date().isoformat() if whole_day else value.isoformat(" ", "minutes")
    return str(value)
