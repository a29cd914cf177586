"""OpenDocument texts, presentations and spreadsheets (ODT, ODP, ODS) become drafts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.flow import Flow
from footnote.ingestion.parsing.odfstyles import OdfStyles, header_texts
from footnote.ingestion.parsing.odftext import OdfReader, odf_properties, row_cells
from footnote.ingestion.parsing.package import (
    Package,
    attribute,
    child,
    children,
    descendants,
    local,
)
from footnote.ingestion.parsing.pictures import Pictures
from footnote.ingestion.parsing.sheets import Area, Budget, Sheet, cell_address, sheet_drafts

_LENGTH = re.compile(r"(-?\d+(?:\.\d+)?)(cm|mm|in|pt|px|pc)?")
_CENTIMETRES = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 2.54 / 72, "px": 2.54 / 96, "pc": 2.54 / 6}
_ROW_CENTIMETRES = 0.5
_TEXTLESS_CLASSES = ("page-number", "date-time", "header", "footer", "notes", "page")
_MAX_ROWS_REPEATED = 10_000


def read_open_text(content: bytes, pictures: Pictures) -> Reading:
    """Read an ODT file. Raises DamagedPackage, ParseError or BadZipFile when it is damaged."""
    package, reader, root = _opened(content, pictures)
    body = child(root, "body", "text")
    if body is not None:
        reader.blocks(body)
    drafts = reader.flow.close()
    title, metadata = odf_properties(package)
    styles = package.xml("styles.xml")
    for kind in ("header", "footer"):
        if said := header_texts(styles, kind):
            metadata[f"running_{kind}"] = " | ".join(said)[:500]
    return _reading(reader, drafts, title or reader.title, metadata)


def read_open_presentation(content: bytes, pictures: Pictures) -> Reading:
    """Read an ODP file, each slide a page; raises what `read_open_text` raises."""
    package, reader, root = _opened(content, pictures)
    drafts: list[Draft] = []
    hidden: list[str] = []
    count = 0
    for count, page in enumerate(descendants(root, "page"), start=1):
        drafts += _slide(page, count, reader)
        style = attribute(page, "style-name") or ""
        if reader.styles.property("drawing-page", style, "visibility") == "hidden":
            hidden.append(str(count))
    title, metadata = odf_properties(package)
    if hidden:
        metadata["hidden_slides"] = ", ".join(hidden)
    return _reading(reader, drafts, title, metadata, pages=count)


def read_open_spreadsheet(content: bytes, pictures: Pictures, *, max_characters: int) -> Reading:
    """Read an ODS file, each sheet a page; raises what `read_open_text` raises."""
    package = Package(content)
    reader = OdfReader(package, OdfStyles.of([package.xml("styles.xml")]), pictures)
    grid = _OpenGrid(reader, Budget(max_characters))
    drafts: list[Draft] = []
    count = 0
    for element in package.elements("content.xml", "style", "table-row", "shapes", "table"):
        name = local(element)
        if name == "style":
            _keep_style(reader.styles, element)
        elif name == "table-row":
            grid.add_row(element)
        elif name == "shapes":
            grid.sheet.remarks += reader.inner(element).close()
        else:
            count += 1
            drafts += sheet_drafts(grid.take(element, count), count)
    if all(draft.kind is BlockKind.HEADING for draft in drafts):
        drafts = []  # the names of empty sheets are no text
    title, metadata = odf_properties(package)
    return _reading(reader, drafts, title, metadata, pages=count)


def _opened(content: bytes, pictures: Pictures) -> tuple[Package, OdfReader, Element]:
    package = Package(content)
    root = package.required("content.xml")
    styles = OdfStyles.of([package.xml("styles.xml"), root])
    return package, OdfReader(package, styles, pictures), root


def _reading(
    reader: OdfReader,
    drafts: list[Draft],
    title: str,
    metadata: dict[str, MetadataValue],
    pages: int | None = None,
) -> Reading:
    if reader.pictures.unread:
        metadata["pictures_without_text"] = reader.pictures.unread
    return Reading(
        drafts=tuple(drafts),
        title=title,
        page_count=pages,
        pages_stand_alone=pages is not None,
        metadata=metadata,
    )


def _slide(page: Element, number: int, reader: OdfReader) -> Iterator[Draft]:
    """The title, the shapes from top to bottom, the speaker's notes."""
    reader.flow = Flow(page=number)
    shapes = sorted((item for item in page if local(item) != "notes"), key=_place)
    title = next((shape for shape in shapes if attribute(shape, "class") == "title"), None)
    if title is not None:
        said = " ".join(draft.text for draft in reader.inner(title).close())
        reader.flow.heading(said, 1)
    for shape in shapes:
        if shape is title or attribute(shape, "class") in _TEXTLESS_CLASSES:
            continue
        if local(shape) == "annotation":
            said = " ".join("".join(part.itertext()) for part in children(shape, "p"))
            reader.flow.note("comment", said)
        else:
            reader.shape(shape)
    yield from reader.flow.close()
    for notes in children(page, "notes"):
        for frame in children(notes, "frame"):
            if attribute(frame, "class") in (None, "notes"):
                for paragraph in descendants(frame, "p"):
                    text = f"Notes: {said}" if (said := reader.inline(paragraph).strip()) else ""
                    yield Draft(kind=BlockKind.PARAGRAPH, text=text, page=number)


def _place(shape: Element) -> tuple[int, float]:
    """From top to bottom in rows; the file has shapes in the order in which they were drawn."""
    members = [shape, *shape] if local(shape) == "g" else [shape]
    tops = [_centimetres(attribute(item, "y")) for item in members]
    lefts = [_centimetres(attribute(item, "x")) for item in members]
    top = min((value for value in tops if value is not None), default=0.0)
    left = min((value for value in lefts if value is not None), default=0.0)
    return int(top / _ROW_CENTIMETRES), left


def _centimetres(length: str | None) -> float | None:
    match = _LENGTH.fullmatch(length or "")
    return float(match.group(1)) * _CENTIMETRES[match.group(2) or "cm"] if match else None


def _keep_style(styles: OdfStyles, element: Element) -> None:
    """A copy, for the element is emptied before its table comes."""
    kept = Element(element.tag, dict(element.attrib))
    kept.extend(Element(item.tag, dict(item.attrib)) for item in element)
    styles.add(kept)


@dataclass(slots=True)
class _OpenGrid:
    """The rows of the sheet that is being read."""

    reader: OdfReader
    budget: Budget
    sheet: Sheet = field(default_factory=lambda: Sheet(name=""))
    areas: list[Area] = field(default_factory=list)
    next_row: int = 0

    def add_row(self, row: Element) -> None:
        """Add a row, as often as it is repeated."""
        index = self.next_row
        cells, spans = row_cells(row, index, lambda cell: self._shown(row, cell))
        given = attribute(row, "number-rows-repeated") or "1"
        repeated = max(int(given), 1) if given.isdecimal() else 1
        if cells:
            for offset in range(min(repeated, _MAX_ROWS_REPEATED)):
                self.budget.spend(cells)
                self.sheet.rows.append((index + offset, list(cells)))
        self.areas += spans
        self.next_row = index + repeated

    def take(self, table: Element, number: int) -> Sheet:
        """The finished sheet, named; the next one begins."""
        sheet, self.sheet = self.sheet, Sheet(name="")
        sheet.name = attribute(table, "name") or f"Sheet{number}"
        style = attribute(table, "style-name") or ""
        sheet.hidden = self.reader.styles.property("table", style, "display") == "false"
        sheet.spread(self.areas)
        self.areas, self.next_row = [], 0
        return sheet

    def _shown(self, row: Element, cell: Element) -> str:
        """The text of a cell; its comments and drawings are pinned on the sheet."""
        for note in children(cell, "annotation"):
            said = " ".join("".join(part.itertext()) for part in children(note, "p"))
            address = cell_address(self.next_row, _column(row, cell))
            text = f"[comment on {address}: {' '.join(said.split())}]"
            self.sheet.remarks.append(Draft(kind=BlockKind.PARAGRAPH, text=text))
        drawings = list(children(cell, "frame", "custom-shape"))
        if drawings:
            self.sheet.remarks += self.reader.inner(drawings).close()
        return "\n".join(self.reader.inline(part) for part in children(cell, "p")).strip()


def _column(row: Element, wanted: Element) -> int:
    column = 0
    for cell in children(row, "table-cell", "covered-table-cell"):
        if cell is wanted:
            break
        repeated = attribute(cell, "number-columns-repeated") or "1"
        column += int(repeated) if repeated.isdecimal() else 1
    return column
