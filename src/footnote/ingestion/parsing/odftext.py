"""The text of OpenDocument files: paragraphs, lists, tables, notes, frames, in their order."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.parsing.drafts import Draft, clean
from footnote.ingestion.parsing.equations import equation_text
from footnote.ingestion.parsing.flow import BULLET, Flow, link_text
from footnote.ingestion.parsing.odfstyles import OdfCounter, OdfStyles, text_of
from footnote.ingestion.parsing.package import (
    Package,
    attribute,
    child,
    children,
    descendants,
    is_picture,
    local,
)
from footnote.ingestion.parsing.pictures import Pictures, caption_drafts
from footnote.ingestion.parsing.sheets import Sheet
from footnote.ingestion.parsing.tables import grouped_header_rows, spread_table_drafts

_SPACE = re.compile(r"[ \t\r\n]+")
_WHITE_SPACE = {"s": " ", "tab": "\t", "line-break": "\n"}
_SILENT = frozenset(
    "tracked-changes change change-start change-end bookmark bookmark-start bookmark-end "
    "soft-page-break annotation-end ruby-text note-citation sequence-decls forms reference-mark "
    "reference-mark-start reference-mark-end toc-mark alphabetical-index-mark".split()
)
_SHAPES = frozenset(
    "frame custom-shape g rect ellipse circle line path polygon polyline connector "
    "text-box a-frame".split()
)
_TRANSPARENT = frozenset("section index-body index-title numbered-paragraph".split())
_INDEXES = re.compile(r"(?:table-of-content|.*-index|bibliography)")
_MAX_REPEATED = 1000


def odf_properties(package: Package) -> tuple[str, dict[str, MetadataValue]]:
    """Title, and `author`, `created`, `modified`, `subject`, `keywords` as far as given."""
    meta = child(package.xml("meta.xml"), "meta")
    names = {"author": "creator", "created": "creation-date", "modified": "date",
             "subject": "subject", "keywords": "keyword"}  # fmt: skip
    metadata: dict[str, MetadataValue] = {
        name: text for name, key in names.items() if (text := text_of(meta, key))
    }
    if initial := text_of(meta, "initial-creator"):
        metadata["author"] = initial
    return text_of(meta, "title"), metadata


@dataclass(slots=True)
class OdfReader:
    """Reads the content of one file into the flow that is current."""

    package: Package
    styles: OdfStyles
    pictures: Pictures
    flow: Flow = field(default_factory=Flow)
    title: str = ""
    _notes: dict[str, int] = field(default_factory=dict)
    _outline: OdfCounter | None = None
    _counters: dict[str, OdfCounter] = field(default_factory=dict)
    _remarks: list[tuple[str, str]] = field(default_factory=list)
    _floats: list[Element] = field(default_factory=list)

    def blocks(self, container: Iterable[Element]) -> None:
        """The blocks of a body, a cell, a text box or a note."""
        for element in container:
            name = local(element)
            if name == "p":
                self._paragraph(element)
            elif name == "h":
                self._heading(element)
            elif name == "list":
                self._list(element, 1, "")
            elif name == "table":
                self.flow.extend(self.table(element))
            elif name in _SHAPES:
                self.shape(element)
            elif name in _TRANSPARENT or _INDEXES.fullmatch(name):
                self.blocks(element)

    def inner(self, container: Iterable[Element]) -> Flow:
        """What a container says, as a flow of its own."""
        outer, self.flow = self.flow, Flow(page=self.flow.page)
        remarks, floats = self._remarks, self._floats
        self._remarks, self._floats = [], []
        self.blocks(container)
        inner, self.flow = self.flow, outer
        self._remarks, self._floats = remarks, floats
        return inner

    def _paragraph(self, element: Element, depth: int = 0, label: str = "") -> None:
        style = attribute(element, "style-name") or ""
        text = self.inline(element)
        cleaned = clean(text)
        if not cleaned:
            pass
        elif self.styles.is_title(style) and not label:
            self.title = self.title or cleaned
            self.flow.heading(cleaned, 1)
        elif label:
            self.flow.item(cleaned, depth, label)
        elif self.styles.is_code(style):
            self.flow.code(text.rstrip())
        else:
            kind = BlockKind.CAPTION if self.styles.is_caption(style) else BlockKind.PARAGRAPH
            self.flow.paragraph(cleaned, kind)
        self._release()

    def _heading(self, element: Element, label: str = "") -> None:
        given = attribute(element, "outline-level") or "1"
        level = int(given) if given.isdecimal() and given != "0" else 1
        text = clean(self.inline(element))
        if not label and attribute(element, "is-list-header") != "true":
            if self._outline is None:
                self._outline = OdfCounter(self.styles.outline)
            label = self._outline.label(level) if level in self.styles.outline else ""
        label = "" if label == BULLET else label
        self.flow.heading(f"{label} {text}".strip() if text else "", level + bool(self.title))
        self._release()

    def _list(self, element: Element, level: int, inherited: str) -> None:
        style = attribute(element, "style-name") or inherited or self._implied_style(element)
        goes_on = (
            level > 1
            or attribute(element, "continue-numbering") == "true"
            or attribute(element, "continue-list") is not None
        )
        counter = self._counters.get(style) if goes_on else None
        if counter is None:
            counter = OdfCounter(self.styles.lists.get(style, {}))
            self._counters[style] = counter
        for item in children(element, "list-item", "list-header"):
            label = ""
            if local(item) == "list-item" and self._says_something(item):
                label = counter.label(level, attribute(item, "start-value"))
            first = True
            for part in item:
                name = local(part)
                if name == "list":
                    self._list(part, level + 1, style)
                elif name == "h":
                    self._heading(part, label)
                elif name == "p":
                    self._item(part, level, label if first else None)
                    first = False
                elif name in _SHAPES:
                    self.shape(part)

    def _item(self, paragraph: Element, level: int, label: str | None) -> None:
        """A paragraph of a list; without a label it goes on with the item before it."""
        style = attribute(paragraph, "style-name") or ""
        numbered = self.styles.property("paragraph", style, "enable-numbering")
        if label is None:
            text = clean(self.inline(paragraph))
            self.flow.item(text, level - 1, "")
            self._release()
        else:
            self._paragraph(paragraph, level - 1, "" if numbered == "false" else label)

    def _says_something(self, item: Element) -> bool:
        """Whether the item has text of its own, and not only a deeper list."""
        return any(local(part) in ("p", "h") and "".join(part.itertext()).strip() for part in item)

    def _implied_style(self, element: Element) -> str:
        paragraph = next(descendants(element, "p", "h"), None)
        name = attribute(paragraph, "style-name") if paragraph is not None else None
        return self.styles.list_of(name or "")

    def inline(self, element: Element) -> str:
        """The words of a paragraph; notes, comments and frames in it are deferred."""
        text = _SPACE.sub(" ", element.text or "")
        for item in element:
            text += self._inline_item(item) + _SPACE.sub(" ", item.tail or "")
        return text

    def _inline_item(self, item: Element) -> str:
        name = local(item)
        if name in _SHAPES:
            self._floats.append(item)
            return ""
        if name == "annotation":
            said = " ".join(self.inline(part) for part in children(item, "p"))
            author = text_of(item, "creator")
            self._remarks.append((f"comment by {author}" if author else "comment", said))
            return ""
        if name == "note":
            return self._note(item)
        if name in _WHITE_SPACE:
            count = attribute(item, "c") or "1"
            return _WHITE_SPACE[name] * min(int(count) if count.isdecimal() else 1, 100)
        text = "" if name in _SILENT else self.inline(item)
        return link_text(text, attribute(item, "href") or "") if name == "a" else text

    def _note(self, element: Element) -> str:
        kind = "note" if attribute(element, "note-class") != "endnote" else "endnote"
        self._notes[kind] = self._notes.get(kind, 0) + 1
        label = f"{kind} {self._notes[kind]}"
        body = child(element, "note-body")
        if body is not None:
            said = " ".join(draft.text for draft in self.inner(body).close())
            self._remarks.append((label, said))
        return f" [{label}]"

    def _release(self) -> None:
        """What hangs on the paragraph that was read follows it."""
        remarks, self._remarks = self._remarks, []
        for label, said in remarks:
            self.flow.note(label, said)
        floats, self._floats = self._floats, []
        for element in floats:
            outer, self.flow = self.flow, Flow(page=self.flow.page)
            self.shape(element)
            drafts, self.flow = self.flow.close(), outer
            self.flow.defer(drafts)

    def shape(self, element: Element) -> None:
        """A frame or a drawn shape: its text, table, picture, chart or equation."""
        described = [text_of(element, "title"), text_of(element, "desc")]
        description = " – ".join(dict.fromkeys(filter(None, described)))
        has_object = False
        for item in element:
            name = local(item)
            if name == "text-box":
                self.blocks(item)
            elif name == "object":
                has_object = self._object(item) or has_object
            elif name == "image" and not has_object:  # else only a likeness of the object
                content = self._picture(item)
                self.flow.extend(self.pictures.drafts(content, self.flow.page, description))
                description = ""
            elif name in ("p", "list", "table") or name in _SHAPES:
                has_object = has_object or name == "table"
                self.blocks([item])
        self.flow.extend(caption_drafts(description, self.flow.page))

    def _picture(self, item: Element) -> bytes:
        target = posixpath.normpath(attribute(item, "href") or ".")
        content = self.package.read(target) if is_picture(target) else b""
        self.pictures.unread += self.package.has(target) and not content
        return content

    def _object(self, item: Element) -> bool:
        """An embedded chart or equation; False where it is neither."""
        target = posixpath.normpath(attribute(item, "href") or ".")
        root = self.package.xml(posixpath.join(target, "content.xml"))
        if local(root) == "math":
            self.flow.paragraph(equation_text(root))
            return True
        chart = next(descendants(root, "chart"), None)
        if chart is None:
            return False
        kind = (attribute(chart, "class") or "").rpartition(":")[2]
        title = " ".join("".join(found.itertext()) for found in children(chart, "title"))
        said = f"Chart: {title.strip() or 'untitled'}" + (f" ({kind} chart)" if kind else "")
        self.flow.paragraph(said, BlockKind.CAPTION)
        for table in descendants(chart, "table"):
            self.flow.extend(self.table(table))
        return True

    def table(self, element: Element) -> Iterator[Draft]:
        """A table of text, merged cells spread over what they cover."""
        grid = Sheet(name="")
        areas: list[tuple[int, int, int, int]] = []
        deferred: list[Draft] = []
        lone: list[Draft] = []

        def text_of_cell(cell: Element) -> str:
            drafts, late = self.inner(cell).split()
            deferred.extend(late)
            lone.extend(drafts)
            only_item = len(drafts) == 1 and "\n" not in drafts[0].text
            texts = (draft.text for draft in drafts)
            return "\n".join(text.removeprefix("- ") if only_item else text for text in texts)

        for row in _rows(element):
            index = grid.rows[-1][0] + 1 if grid.rows else 0
            cells, spans = row_cells(row, index, text_of_cell)
            repeated = min(_count(row, "number-rows-repeated"), _MAX_REPEATED)
            grid.rows += [(index + offset, list(cells)) for offset in range(repeated)]
            areas += spans
        grid.spread(areas)
        covered = {(row, column) for row, columns in grid.covered.items() for column in columns}
        headers = sum(1 for part in children(element, "table-header-rows") for _ in _rows(part))
        if max((len(cells) for _, cells in grid.rows), default=0) < 2:
            yield from lone
        else:
            texts = [cells for _, cells in grid.rows]
            page = self.flow.page
            headers = headers or grouped_header_rows(texts, covered)
            yield from spread_table_drafts(texts, covered=covered, header_rows=headers, page=page)
        yield from deferred


def _rows(table: Element) -> Iterator[Element]:
    for element in table:
        name = local(element)
        if name == "table-row":
            yield element
        elif name in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(element)


def row_cells(
    row: Element, index: int, text: Callable[[Element], str]
) -> tuple[list[str], list[tuple[int, int, int, int]]]:
    """The cells of a row without the empty ones at its end, and the areas of merged cells."""
    cells: list[str] = []
    areas: list[tuple[int, int, int, int]] = []
    column = 0
    for cell in children(row, "table-cell", "covered-table-cell"):
        repeated = _count(cell, "number-columns-repeated")
        said = text(cell) if len(cell) else ""
        if said:
            cells.extend([""] * (column - len(cells)))
            cells.extend([said] * min(repeated, _MAX_REPEATED))
        high, wide = _count(cell, "number-rows-spanned"), _count(cell, "number-columns-spanned")
        if said and (high > 1 or wide > 1):
            areas.append((index, column, index + high - 1, column + wide - 1))
        column += repeated
    return cells, areas


def _count(element: Element, name: str) -> int:
    given = attribute(element, name) or "1"
    return max(int(given), 1) if given.isdecimal() else 1
