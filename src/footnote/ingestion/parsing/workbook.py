"""Read an Excel workbook (XLSX, XLSM) into sheets, row by row, with numbers as it shows them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from xml.etree.ElementTree import Element

from footnote.domain import BlockKind
from footnote.ingestion.parsing.charts import chart_drafts
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.flow import link_text
from footnote.ingestion.parsing.numberformat import BUILT_IN, format_value
from footnote.ingestion.parsing.package import (
    Package,
    attribute,
    child,
    children,
    core_properties,
    descendants,
    local,
)
from footnote.ingestion.parsing.pictures import Pictures
from footnote.ingestion.parsing.sheets import (
    Area,
    Budget,
    Sheet,
    holds_several_sheets,
    sheet_drafts,
)

_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})", re.IGNORECASE)
_MAX_MERGED = 100_000
_MAX_COLUMNS = 16_384


def read_workbook(content: bytes, pictures: Pictures, *, max_characters: int) -> Reading:
    """Read every sheet, hidden ones too.

    Raises DocumentUnreadable when it holds too much, DamagedPackage, ParseError or BadZipFile
    when it is damaged.
    """
    package = Package(content)
    part = next(package.related("", "officeDocument"), "xl/workbook.xml")
    root = package.required(part)
    reader = _WorkbookReader.of(package, part, root, pictures, Budget(max_characters))
    drafts: list[Draft] = []
    count = 0
    for count, element in enumerate(descendants(root, "sheet"), start=1):
        sheet = reader.sheet(part, element)
        drafts.extend(sheet_drafts(sheet, count))
    title, metadata = core_properties(package)
    if reader.valueless:
        metadata["formulas_without_value"] = reader.valueless
    if reader.pictures.unread:
        metadata["pictures_without_text"] = reader.pictures.unread
    if not any(draft.kind is not BlockKind.HEADING for draft in drafts):
        drafts = []  # the names of empty sheets are no text
    return Reading(
        drafts=tuple(drafts),
        title=title,
        page_count=count,
        pages_stand_alone=True,
        headings_name_parts=holds_several_sheets(drafts),
        metadata=metadata,
    )


def is_binary_workbook(content: bytes) -> bool:
    """Whether it is an XLSB file, whose parts are not XML."""
    package = Package(content)
    return next(package.related("", "officeDocument"), "").endswith(".bin")


@dataclass(frozen=True, slots=True, kw_only=True)
class FormattedCell:
    """A cell that is not empty, as its program shows it."""

    row: int
    """Index from 0, like `column`."""
    column: int
    text: str
    is_number: bool
    style: int
    """Index among the cell styles."""


def formatted_cells(package: Package) -> Iterator[tuple[str, Iterator[FormattedCell]]]:
    """Yield the part name of each sheet and its cells, in order. Raises as `read_workbook` does."""
    part = next(package.related("", "officeDocument"), "xl/workbook.xml")
    root = package.required(part)
    reader = _WorkbookReader.of(package, part, root, Pictures(None), Budget(0))  # neither is used
    for element in descendants(root, "sheet"):
        sheet = package.target(part, element)
        yield sheet, reader.shown(sheet)


@dataclass(slots=True)
class _WorkbookReader:
    package: Package
    strings: Sequence[str]
    formats: Sequence[str]
    """The number format of each cell style."""
    since_1904: bool
    pictures: Pictures
    budget: Budget
    valueless: int = 0
    """Number of formulas without a stored value, because they were never calculated."""

    @classmethod
    def of(
        cls, package: Package, part: str, root: Element, pictures: Pictures, budget: Budget
    ) -> _WorkbookReader:
        properties = child(root, "workbookPr")
        since_1904 = attribute(properties, "date1904") if properties is not None else None
        shared = package.elements(next(package.related(part, "sharedStrings"), ""), "si")
        strings = [_rich_text(item) for item in shared]
        styles = package.xml(next(package.related(part, "styles"), ""))
        codes = dict(BUILT_IN)
        for item in descendants(styles, "numFmt"):
            number = attribute(item, "numFmtId") or ""
            if number.isdecimal():
                codes[int(number)] = attribute(item, "formatCode") or "General"
        cells = child(styles, "cellXfs")
        numbers = (
            [attribute(style, "numFmtId") or "0" for style in cells] if cells is not None else []
        )
        return cls(
            package,
            strings,
            [codes.get(int(number) if number.isdecimal() else 0, "General") for number in numbers],
            since_1904 in ("1", "true"),
            pictures,
            budget,
        )

    def sheet(self, workbook: str, element: Element) -> Sheet:
        """The sheet that an entry of the workbook names."""
        part = self.package.target(workbook, element)
        hidden = (attribute(element, "state") or "visible") != "visible"
        sheet = Sheet(name=attribute(element, "name") or "Sheet", hidden=hidden)
        merged: list[Area] = []
        for item in self.package.elements(part, "row", "mergeCell", "hyperlink", "drawing"):
            name = local(item)
            if name == "row":
                self._row(sheet, item)
            elif name == "mergeCell":
                merged += _ranges(attribute(item, "ref") or "")
            elif name == "hyperlink":
                self._link(sheet, part, item)
            elif target := self.package.target(part, item):
                sheet.remarks += self._drawing(target)
        sheet.spread(merged[:_MAX_MERGED])
        for target in self.package.related(part, "comments"):
            sheet.remarks[:0] = self._comments(target)
        return sheet

    def shown(self, part: str) -> Iterator[FormattedCell]:
        """Yield the cells of a sheet that are not empty."""
        index = -1
        for row in self.package.elements(part, "row"):
            index = _index(row, index)
            for cell, column, text in self._filled_cells(row):
                style = cell.get("s", "")
                yield FormattedCell(
                    row=index,
                    column=column,
                    text=text,
                    is_number=cell.get("t", "n") == "n",
                    style=int(style) if style.isdecimal() else 0,
                )

    def _filled_cells(self, row: Element) -> Iterator[tuple[Element, int, str]]:
        """Yield the cells of a row that are not empty, with their columns and texts."""
        next_column = 0
        for cell in row:
            text = self._text(cell)
            if not text:
                continue
            letters = cell.get("r", "").rstrip("0123456789")
            column = _column(letters) if letters else next_column
            if 0 <= column < _MAX_COLUMNS:
                next_column = max(next_column, column + 1)
                yield cell, column, text

    def _row(self, sheet: Sheet, row: Element) -> None:
        cells: list[str] = []
        for _, column, text in self._filled_cells(row):
            cells.extend([""] * (column + 1 - len(cells)))
            cells[column] = text
        index = _index(row, sheet.rows[-1][0] if sheet.rows else -1)
        if cells:
            self.budget.spend(cells)
            sheet.rows.append((index, cells))

    def _text(self, cell: Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            inline = child(cell, "is")
            return _rich_text(inline) if inline is not None else ""
        value = None
        for item in cell:
            if item.tag.endswith("}v"):
                value = item.text
        if value is None:
            self.valueless += child(cell, "f") is not None
            return ""
        if kind == "s":
            index = int(value)
            return self.strings[index] if 0 <= index < len(self.strings) else ""
        if kind == "b":
            value = "TRUE" if value.strip() == "1" else "FALSE"
        if kind == "n":
            try:
                code = self.formats[int(cell.get("s", "0"))] if self.formats else "General"
                return format_value(float(value), code, since_1904=self.since_1904)
            except (ValueError, IndexError, ArithmeticError):
                return value
        return value

    def _link(self, sheet: Sheet, part: str, element: Element) -> None:
        relation = next(
            (
                self.package.relations(part)[value]
                for key, value in element.items()
                if key.endswith("}id") and value in self.package.relations(part)
            ),
            None,
        )
        for row, column, _, _ in _ranges(attribute(element, "ref") or ""):
            position = bisect_left(sheet.rows, row, key=lambda entry: entry[0])
            if relation is None or position == len(sheet.rows) or sheet.rows[position][0] != row:
                continue
            cells = sheet.rows[position][1]
            if column < len(cells):
                cells[column] = link_text(cells[column], relation.target)

    def _comments(self, part: str) -> Iterator[Draft]:
        root = self.package.xml(part)
        authors = [(author.text or "").strip() for author in descendants(root, "author")]
        for comment in descendants(root, "comment"):
            number = attribute(comment, "authorId") or ""
            author = (
                authors[int(number)] if number.isdecimal() and int(number) < len(authors) else ""
            )
            text = " ".join(_rich_text(next(children(comment, "text"), comment)).split())
            byline = f" by {author}" if author and not author.startswith("tc=") else ""
            remark = f"[comment{byline} on {attribute(comment, 'ref')}: {text}]"
            yield Draft(kind=BlockKind.PARAGRAPH, text=remark)

    def _drawing(self, part: str) -> Iterator[Draft]:
        """Charts, pictures and text boxes in the order in which they were placed."""
        for anchor in self.package.xml(part):
            properties = next(descendants(anchor, "cNvPr"), None)
            description = attribute(properties, "descr") if properties is not None else None
            for graphic in descendants(anchor, "blip"):
                yield from self.pictures.shown(self.package, part, graphic, None, description or "")
                description = None
            for graphic in descendants(anchor, "chart"):
                if target := self.package.target(part, graphic):
                    yield from chart_drafts(self.package.xml(target))
            for body in descendants(anchor, "txBody"):
                lines = (
                    "".join(text.text or "" for text in descendants(paragraph, "t"))
                    for paragraph in children(body, "p")
                )
                yield Draft(kind=BlockKind.PARAGRAPH, text="\n".join(lines))


def _index(row: Element, before: int) -> int:
    """Return the index of a row from 0; one without a number follows the row before."""
    number = row.get("r", "")
    return int(number) - 1 if number.isdecimal() else before + 1


def _rich_text(element: Element) -> str:
    """Return the text of a string, without its phonetic guide."""
    text = ""
    for item in element:
        name = local(item)
        if name == "t":
            text += item.text or ""
        elif name == "r":
            text += "".join(part.text or "" for part in children(item, "t"))
    return text


@lru_cache(maxsize=20_000)
def _column(letters: str) -> int:
    column = 0
    for letter in letters.upper():
        column = 26 * column + ord(letter) - ord("A") + 1
    return column - 1


def _ranges(references: str) -> Iterator[Area]:
    for reference in references.split():
        corners = [_REFERENCE.fullmatch(corner) for corner in reference.split(":")]
        first, last = corners[0], corners[-1]
        if first and last:
            yield (
                int(first.group(2)) - 1,
                _column(first.group(1)),
                int(last.group(2)) - 1,
                _column(last.group(1)),
            )
