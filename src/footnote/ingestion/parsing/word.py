"""Convert a Word file to drafts: headings, numbered clauses, tables, notes, boxes and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.parsing.charts import chart_drafts
from footnote.ingestion.parsing.drafts import Draft, Reading, clean
from footnote.ingestion.parsing.flow import BULLET, Flow
from footnote.ingestion.parsing.package import (
    Package,
    alternative,
    attribute,
    child,
    children,
    core_properties,
    descendants,
    embedded_files,
    local,
)
from footnote.ingestion.parsing.pictures import Pictures, caption_drafts
from footnote.ingestion.parsing.tables import spread_table_drafts
from footnote.ingestion.parsing.wordstyles import (
    Style,
    read_numbering,
    read_styles,
    value_of,
)
from footnote.ingestion.parsing.wordtext import ParagraphText, TextReader

_CODE_SIGNS = re.compile(r"[{}()\[\];=<>_*]|^ {2,}\S", re.MULTILINE)
_MONOSPACED_SHARE = 0.95
_LAYOUT_CHARACTERS = 500
"""Average characters above which cells of several blocks each are a page laid out by a table."""
_MAX_RUNNING_CHARACTERS = 500
_NOTE_PARTS = {"footnote": "footnotes", "endnote": "endnotes", "comment": "comments"}
_TRANSPARENT = frozenset(("customXml", "ins", "moveTo", "smartTag", "sdtContent", "txbxContent"))


def read_word(content: bytes, pictures: Pictures) -> Reading:
    """Read a DOCX file. Raises DamagedPackage, ParseError or BadZipFile when it is damaged."""
    package = Package(content)
    part = next(package.related("", "officeDocument"), "word/document.xml")
    root = package.required(part)
    title, metadata = core_properties(package)
    story = _Story(package, part, pictures)
    body = child(root, "body")
    if body is not None:
        story.body(body)
    drafts = story.flow.close()
    # Running headers and footers are metadata, not part of the text.
    running: dict[str, MetadataValue] = {}
    for kind in ("header", "footer"):
        texts = dict.fromkeys(story.part(name) for name in package.related(part, kind))
        words = (text for text in texts if any(character.isalpha() for character in text))
        if text := " | ".join(words):
            running[f"running_{kind}"] = text[:_MAX_RUNNING_CHARACTERS]
    metadata.update(running)
    if story.pictures.unread:
        metadata["pictures_without_text"] = story.pictures.unread
    return Reading(
        drafts=tuple(drafts),
        title=title or story.title,
        metadata=metadata,
        attachments=embedded_files(package, [part]),
    )


class _Story:
    """One pass through the document; its content is added to the current flow."""

    def __init__(self, package: Package, part: str, pictures: Pictures) -> None:
        self.flow = Flow()
        self.pictures = pictures
        self.title = ""
        self._package = package
        self._styles = dict(read_styles(package.xml(next(package.related(part, "styles"), ""))))
        self._default_style = next(
            (key for key, style in self._styles.items() if style.name.lower() == "normal"), ""
        )
        self._numbering = read_numbering(package.xml(next(package.related(part, "numbering"), "")))
        self._notes = {
            kind: _notes(package, next(package.related(part, name), ""))
            for kind, name in _NOTE_PARTS.items()
        }
        self._marks: dict[tuple[str, str], str] = {}
        self._reader = TextReader(package, part, self._styles, self._mark)

    def body(self, container: Element) -> None:
        """Add the blocks of the body, of a cell, of a text box or of a note to the current flow."""
        for element in container:
            name = local(element)
            if name == "p":
                self._paragraph(element)
            elif name == "tbl":
                self._table(element)
            elif name == "sdt":
                content = child(element, "sdtContent")
                if content is not None:
                    self.body(content)
            elif name in _TRANSPARENT:
                self.body(element)
            elif name == "AlternateContent" and (chosen := alternative(element)) is not None:
                self.body(chosen)

    def part(self, name: str) -> str:
        """The text of a header or a footer, on one line."""
        reader, flow = self._reader, self.flow
        self._reader = TextReader(self._package, name, self._styles, lambda *_: "")
        self.flow = Flow()
        self.body(self._package.xml(name))
        texts = [" ".join(draft.text.split()) for draft in self.flow.close()]
        self._reader, self.flow = reader, flow
        return " | ".join(dict.fromkeys(texts))

    def _mark(self, kind: str, number: str) -> str:
        """Return the mark of a note in the text; empty for comments."""
        if kind == "comment" or number not in self._notes[kind]:
            return ""
        count = len([key for key in self._marks if key[0] == kind]) + 1
        label = f"note {count}" if kind == "footnote" else f"endnote {count}"
        return f" [{self._marks.setdefault((kind, number), label)}]"

    def _paragraph(self, element: Element) -> None:
        paragraph = self._reader.read(element)
        properties = child(element, "pPr")
        style_id = value_of(properties, "pStyle") or self._default_style
        style = self._styles.get(style_id, Style())
        text = clean(paragraph.text)
        if text:
            direct = value_of(properties, "outlineLvl")
            level = int(direct) + 1 if direct and direct.isdecimal() else style.outline
            depth, label = self._label(properties, style, style_id)
            contents = style.contents_depth
            if style.is_title:
                self.title = self.title or text
                self.flow.heading(text, 1)
            elif level and level < 10:
                is_numbered = label and label != BULLET
                self.flow.heading(
                    f"{label} {text}" if is_numbered else text, level + bool(self.title)
                )
            elif style.is_code or _is_code(paragraph, style):
                self.flow.code(paragraph.text.rstrip())
            elif contents is not None:
                self.flow.item(text.replace("\t", " "), contents)
            elif label:
                self.flow.item(text, depth, label)
            else:
                self.flow.paragraph(
                    text, BlockKind.CAPTION if style.is_caption else BlockKind.PARAGRAPH
                )
        for kind, number in paragraph.notes:
            self._note(kind, number)
        for item in paragraph.floats:
            self._float(item)

    def _label(self, properties: Element | None, style: Style, style_id: str) -> tuple[int, str]:
        """Return a paragraph's depth in its list and its label; the label is empty if it is in
        none."""
        numbering = child(properties, "numPr") if properties is not None else None
        number = value_of(numbering, "numId") or style.numbering
        if number in (None, "", "0"):
            return 0, ""
        assert number is not None
        level = value_of(numbering, "ilvl")
        depth = int(level) if level and level.isdecimal() else style.depth
        if depth is None:
            depth = self._numbering.depth_of_style(number, style_id) or 0
        return depth, self._numbering.next_label(number, depth)

    def _note(self, kind: str, number: str) -> None:
        element = self._notes[kind].pop(number, None)
        if element is None:
            return
        text = " ".join(draft.text for draft in self._flow_of(element).close())
        label = self._marks.get((kind, number), "")
        if kind == "comment":
            author = attribute(element, "author") or ""
            label = f"comment by {author}" if author else "comment"
        self.flow.note(label, text)

    def _flow_of(self, container: Element) -> Flow:
        """Read a cell, a note or a text box into a flow of its own."""
        outer, self.flow = self.flow, Flow()
        self.body(container)
        inner, self.flow = self.flow, outer
        return inner

    def _float(self, element: Element) -> None:
        """Defer a drawing's text boxes, pictures, charts and diagrams to follow their paragraph."""
        for box in _text_boxes(element):
            self.flow.defer(self._flow_of(box).close())
        part = self._reader.part
        elements = list(_outside_boxes(element))
        for node in elements:
            name = local(node)
            if name in ("blip", "imagedata"):
                self.flow.defer(self.pictures.shown(self._package, part, node, None))
            elif name == "chart" and (target := self._package.target(part, node)):
                self.flow.defer(chart_drafts(self._package.xml(target)))
            elif name == "relIds":
                self.flow.defer(diagram_drafts(self._package, part, node))
        keys = {"docPr": "descr", "cNvPr": "descr", "shape": "alt"}
        descriptions = (
            attribute(item, keys[local(item)]) for item in elements if local(item) in keys
        )
        for description in dict.fromkeys((text or "").strip() for text in descriptions):
            self.flow.defer(caption_drafts(description))

    def _table(self, element: Element) -> None:
        rows, covered, cells = [], set[tuple[int, int]](), []
        merged: dict[int, str] = {}
        deferred: list[Draft] = []
        header_rows = 0
        for row_index, row in enumerate(_members(element, "tr", "trPr", "del")):
            texts = [""] * _number(child(row, "trPr"), "gridBefore", 0)
            if child(row, "trPr", "tblHeader") is not None and header_rows == row_index:
                header_rows += 1
            for cell in _members(row, "tc", "tcPr", "cellDel"):
                drafts, late = self._flow_of(cell).split()
                deferred += late
                cells.append(drafts)
                text = "\n".join(_flat_text(draft) for draft in drafts)
                covers = child(cell, "tcPr", "vMerge")
                column, span = len(texts), max(_number(child(cell, "tcPr"), "gridSpan", 1), 1)
                if covers is not None and attribute(covers, "val") != "restart":
                    text = merged.get(column, text)
                    covered.update((row_index, column + offset) for offset in range(span))
                merged[column] = text
                covered.update((row_index, column + offset) for offset in range(1, span))
                texts += [text] * span
            rows.append(texts)
        if _is_layout(rows, cells):
            self.flow.extend(draft for drafts in cells for draft in drafts)
        else:
            drafts = list(
                spread_table_drafts(rows, covered=covered, header_rows=max(header_rows, 1))
            )
            self.flow.extend(drafts)
        self.flow.defer(deferred)


def _flat_text(draft: Draft) -> str:
    """Return a block of a cell as text; for a table in a cell, its cells in order."""
    if draft.kind is not BlockKind.TABLE:
        return draft.text
    lines = [line.strip("| ") for line in draft.text.split("\n") if not line.startswith("| ---")]
    return "; ".join(line.replace(" | ", ", ") for line in lines)


def _is_layout(rows: list[list[str]], cells: list[list[Draft]]) -> bool:
    """Whether a table is only for layout: boxes of one cell, columns of prose."""
    if all(len(row) < 2 for row in rows):
        return True
    filled = [cell for cell in cells if cell]
    length = sum(len(draft.text) for cell in filled for draft in cell)
    blocks = sum(len(cell) for cell in filled)
    return length > _LAYOUT_CHARACTERS * len(filled) and blocks > 2 * len(filled)


def _is_code(paragraph: ParagraphText, style: Style) -> bool:
    if not paragraph.visible:
        return False
    monospaced = style.monospaced or paragraph.monospaced > _MONOSPACED_SHARE * paragraph.visible
    return monospaced and _CODE_SIGNS.search(paragraph.text) is not None


def _notes(package: Package, part: str) -> dict[str, Element]:
    """Return notes or comments by id, without separators."""
    if not part:
        return {}
    return {
        attribute(note, "id") or "": note
        for note in children(package.xml(part), "footnote", "endnote", "comment")
        if attribute(note, "type") in (None, "normal")
    }


def _text_boxes(element: Element) -> Iterator[Element]:
    """Yield the contents of text boxes; one inside another is read with it."""
    for item in element:
        if local(item) == "txbxContent":
            yield item
        elif local(item) == "AlternateContent":
            if (chosen := alternative(item)) is not None:
                yield from _text_boxes(chosen)
        else:
            yield from _text_boxes(item)


def _outside_boxes(element: Element) -> Iterator[Element]:
    """Yield the elements of a drawing, except the contents of text boxes, which are read as
    text."""
    for item in element:
        if local(item) != "txbxContent":
            yield item
            yield from _outside_boxes(item)


def diagram_drafts(
    package: Package, part: str, ids: Element, page: int | None = None
) -> Iterator[Draft]:
    """The texts of a SmartArt diagram as a list, in the order of its points."""
    relation = package.relations(part).get(attribute(ids, "dm") or "")
    if relation is None or relation.external:
        return
    flow = Flow(page=page)
    for point in descendants(package.xml(relation.target), "pt"):
        for paragraph in descendants(point, "p"):
            text = "".join(text_element.text or "" for text_element in descendants(paragraph, "t"))
            flow.item(text.strip())
    yield from flow.close()


def _members(container: Element, kind: str, *deletion: str) -> Iterator[Element]:
    """Yield the rows or cells of a table, without those deleted by a tracked change."""
    for element in container:
        name = local(element)
        if name == kind:
            if child(element, *deletion) is None:
                yield element
        elif name == "sdt" or name in _TRANSPARENT:
            yield from _members(element, kind, *deletion)


def _number(properties: Element | None, name: str, default: int) -> int:
    value = value_of(properties, name) or ""
    return min(int(value), 100) if value.isdecimal() else default
