"""Widen the columns of a workbook (XLSX) to fit their cells, before it is rendered to pages.

Spreadsheet programs show a number wider than its column as `###`, and cut a text at the next
non-empty cell. What is not on the page cannot be highlighted there.
"""

from __future__ import annotations

import io
import re
import shutil
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from xml.etree.ElementTree import Element, ParseError
from xml.sax.saxutils import quoteattr, unescape

from footnote.ingestion.parsing.package import (
    DamagedPackage,
    Package,
    attribute,
    child,
    children,
)
from footnote.ingestion.parsing.workbook import FormattedCell, formatted_cells

MAX_CHARACTERS = 100
"""Most digits a column is widened to: a longer text would make the page too large to read."""
_MAX_CELLS = 500_000
"""Most cells of a sheet that are measured, which takes some seconds."""
_DEFAULT_WIDTH = 9.14
"""Digits of a column without a width: 8.43 and their padding (ECMA-376, 18.3.1.13)."""
_BORDER = 1.5
"""Digits added to the text: the padding of a cell, and differences between fonts."""
_FONT_POINTS = 11.0
"""Size of the font whose digits are the unit of width."""
_WIDE = {"W": 2.0, "F": 2.0}
"""Digits that a character takes by its East Asian width (UAX #11)."""
_CAPITAL = 1.3
"""A capital letter, in digits."""
_BEFORE_DATA = re.compile(rb"<(\w+:)?sheetData\b")
_COLUMNS = re.compile(rb"<(\w+:)?cols\b[^>]*?(?:/>|>.*?</(?:\w+:)?cols\s*>)", re.DOTALL)
_COLUMN = re.compile(rb"<(?:\w+:)?col\b([^>]*?)/?>")
_ATTRIBUTE = re.compile(rb"""([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_SHEET_DEFAULT = re.compile(rb"""<(?:\w+:)?sheetFormatPr\b[^>]*\bdefaultColWidth=["']([\d.]+)""")

Attributes = dict[str, str]


def with_wide_columns(content: bytes) -> bytes:
    """Return the workbook with columns widened where text would be cut; unchanged if none would.

    A workbook that cannot be read is returned as it is: the renderer reports the error.
    """
    try:
        package = Package(content)
        styles = _styles(package)
        sheets = {}
        for part, cells in formatted_cells(package):
            text = package.read(part)
            widened = _with_widths(text, _widths_needed(islice(cells, _MAX_CELLS), styles))
            if widened != text:
                sheets[part.lower().lstrip("/")] = widened
    except (DamagedPackage, ParseError, zipfile.BadZipFile, ValueError, LookupError):
        return content
    return _replaced(content, sheets) if sheets else content


def _replaced(content: bytes, parts: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as source,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target,
    ):
        for entry in source.infolist():
            part = parts.get(entry.filename.lower())
            if part is not None:
                target.writestr(entry.filename, part)
                continue
            with source.open(entry) as old, target.open(entry.filename, "w") as new:
                shutil.copyfileobj(old, new)
    return buffer.getvalue()


@dataclass(frozen=True, slots=True)
class _Style:
    """How a cell style affects the width of its text."""

    scale: float = 1.0
    wraps: bool = False


def _styles(package: Package) -> Sequence[_Style]:
    part = next(package.related("", "officeDocument"), "xl/workbook.xml")
    root = package.xml(next(package.related(part, "styles"), ""))
    fonts = [_scale(font) for font in _children_of(root, "fonts")]
    styles = []
    for cell_format in _children_of(root, "cellXfs"):
        alignment = child(cell_format, "alignment")
        wraps = alignment is not None and attribute(alignment, "wrapText") in ("1", "true")
        number = int(attribute(cell_format, "fontId") or "0")
        styles.append(_Style(fonts[number] if number < len(fonts) else 1.0, wraps))
    return styles


def _children_of(root: Element, name: str) -> Iterator[Element]:
    parent = child(root, name)
    return iter(parent) if parent is not None else iter(())


def _scale(font: Element) -> float:
    size = child(font, "sz")
    points = float((attribute(size, "val") if size is not None else None) or _FONT_POINTS)
    bold = 1.1 if next(children(font, "b"), None) is not None else 1.0
    return bold * points / _FONT_POINTS


def _widths_needed(cells: Iterable[FormattedCell], styles: Sequence[_Style]) -> Mapping[int, float]:
    """Map each column, from 0, to the digits that its widest cell needs."""
    needed: defaultdict[int, float] = defaultdict(float)
    for cell, following in pairwise(chain(cells, (None,))):
        assert cell is not None
        style = styles[cell.style] if cell.style < len(styles) else _Style()
        wraps = style.wraps and not cell.is_number
        pieces = cell.text.split() if wraps else cell.text.split("\n")
        digits = max(map(_digits, pieces), default=0.0) * style.scale
        if not cell.is_number and not wraps:
            if following is None or following.row != cell.row:
                continue  # It overflows into the empty cells next to it.
            digits -= _DEFAULT_WIDTH * (following.column - cell.column - 1)
        needed[cell.column] = max(needed[cell.column], min(digits, MAX_CHARACTERS) + _BORDER)
    return needed


def _digits(text: str) -> float:
    """How wide a line is, in digits."""
    return sum(
        _CAPITAL if character.isupper() else _WIDE.get(unicodedata.east_asian_width(character), 1.0)
        for character in text[: 2 * MAX_CHARACTERS]
    )


def _with_widths(sheet: bytes, needed: Mapping[int, float]) -> bytes:
    """Return the sheet's XML with each column at least as wide as needed."""
    data = _BEFORE_DATA.search(sheet)
    if data is None:
        return sheet
    head, prefix = sheet[: data.start()], (data[1] or b"").decode()
    columns = _COLUMNS.search(head)
    existing = _existing_columns(columns[0]) if columns else {}
    declared = _SHEET_DEFAULT.search(head)
    default = float(declared[1]) if declared else _DEFAULT_WIDTH
    wider = {
        column + 1: {**attributes, "width": f"{width:.2f}", "customWidth": "1"}
        for column, width in sorted(needed.items())
        if width > float((attributes := _attributes_of(existing, column + 1)).get("width", default))
    }
    if not wider:
        return sheet
    elements = "".join(
        f"<{prefix}col {' '.join(f'{name}={quoteattr(value)}' for name, value in span.items())}/>"
        for span in _ranges(existing, wider)
    )
    start, end = columns.span() if columns else (len(head), len(head))
    cols = f"<{prefix}cols>{elements}</{prefix}cols>".encode()
    return head[:start] + cols + head[end:] + sheet[data.start() :]


def _existing_columns(columns: bytes) -> dict[range, Attributes]:
    """Parse the attributes of the `col` elements, by range of column numbers from 1."""
    ranges = {}
    for column in _COLUMN.finditer(columns):
        attributes = {
            name.decode(): unescape((double_quoted or single_quoted).decode())
            for name, double_quoted, single_quoted in _ATTRIBUTE.findall(column[1])
        }
        first, last = int(attributes.pop("min")), int(attributes.pop("max"))
        ranges[range(first, last + 1)] = attributes
    return ranges


def _attributes_of(existing: Mapping[range, Attributes], column: int) -> Attributes:
    return next((attributes for columns, attributes in existing.items() if column in columns), {})


def _ranges(
    existing: Mapping[range, Attributes], wider: Mapping[int, Attributes]
) -> Iterator[Attributes]:
    """Yield the attributes of all column ranges in order, each widened column by itself."""
    edges = {edge for columns in existing for edge in (columns.start, columns.stop)}
    edges |= {edge for column in wider for edge in (column, column + 1)}
    for first, stop in pairwise(sorted(edges)):
        if attributes := wider.get(first) or _attributes_of(existing, first):
            yield {"min": f"{first}", "max": f"{stop - 1}", **attributes}
