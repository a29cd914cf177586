"""Convert a PowerPoint file to drafts: each slide a page with its title, text, tables and notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from footnote.domain import BlockKind
from footnote.ingestion.parsing.charts import chart_drafts
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.drawing import (
    bullet_mark,
    drawing_table_drafts,
    frame_drafts,
    paragraph_text,
)
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
from footnote.ingestion.parsing.word import diagram_drafts

_TITLES = ("title", "ctrTitle")
_RUNNING = ("ftr", "hdr", "dt", "sldNum")
_BULLETED = ("body", "obj", "")
_ROW_EMU = 200_000
"""Height of a row of shapes in EMU (360,000 to the centimetre); shapes are ordered by row."""


def read_slides(content: bytes, pictures: Pictures) -> Reading:
    """Read every slide, hidden ones too.

    Raises DamagedPackage, ParseError or BadZipFile when the file is damaged.
    """
    package = Package(content)
    part = next(package.related("", "officeDocument"), "ppt/presentation.xml")
    root = package.required(part)
    targets = [package.target(part, item) for item in descendants(root, "sldId")]
    targets = [target for target in targets if target]
    # The names of those who comment, by id.
    lists = [*package.related(part, "commentAuthors"), *package.related(part, "authors")]
    reader = _SlideReader(
        package,
        pictures,
        {
            attribute(author, "id") or "": attribute(author, "name") or ""
            for target in lists
            for author in package.xml(target)
        },
    )
    drafts = [
        draft
        for number, target in enumerate(targets, start=1)
        for draft in reader.slide(target, number)
    ]
    title, metadata = core_properties(package)
    if reader.hidden:
        metadata["hidden_slides"] = ", ".join(map(str, reader.hidden))
    if reader.footers:
        metadata["running_footer"] = " | ".join(reader.footers)[:500]
    if reader.pictures.unread:
        metadata["pictures_without_text"] = reader.pictures.unread
    return Reading(
        drafts=tuple(drafts),
        title=title,
        page_count=len(targets),
        pages_stand_alone=True,
        metadata=metadata,
        attachments=embedded_files(package, targets),
    )


@dataclass(slots=True)
class _SlideReader:
    package: Package
    pictures: Pictures
    authors: Mapping[str, str]
    hidden: list[int] = field(default_factory=list)
    footers: dict[str, None] = field(default_factory=dict)

    def slide(self, part: str, page: int) -> Iterator[Draft]:
        """Yield the title, the shapes from top to bottom, the speaker's notes, the comments."""
        root = self.package.xml(part)
        if attribute(root, "show") in ("0", "false"):
            self.hidden.append(page)
        tree = child(root, "cSld", "spTree")
        if tree is not None:
            layout = self._layout(part)
            shapes = sorted(_shapes(tree), key=lambda shape: _sort_key(shape, layout))
            title = next((shape for shape in shapes if _placeholder(shape)[0] in _TITLES), None)
            if title is not None:
                text = " ".join(_lines(title, self.package, part))
                yield Draft(kind=BlockKind.HEADING, text=text, page=page, level=1)
            for shape in shapes:
                if shape is not title:
                    yield from self._shape(shape, part, page, layout)
        yield from self._notes(part, page)
        yield from self._comments(part, page)

    def _layout(self, part: str) -> Mapping[tuple[str, str], Element]:
        """The placeholders that the slide's layout and master define, by type and index."""
        placeholders: dict[tuple[str, str], Element] = {}
        layout = next(self.package.related(part, "slideLayout"), "")
        master = next(self.package.related(layout, "slideMaster"), "") if layout else ""
        for source in filter(None, (master, layout)):
            for shape in descendants(self.package.xml(source), "sp"):
                kind, index = _placeholder(shape)
                if kind is not None:
                    placeholders[kind, ""] = placeholders[kind, index] = placeholders["", index] = (
                        shape
                    )
        return placeholders

    def _shape(
        self, shape: Element, part: str, page: int, layout: Mapping[tuple[str, str], Element]
    ) -> Iterator[Draft]:
        name = local(shape)
        if name == "grpSp":
            yield from caption_drafts(_description(shape), page)
            for member in sorted(_shapes(shape), key=lambda item: _sort_key(item, layout)):
                yield from self._shape(member, part, page, layout)
        elif name == "graphicFrame":
            yield from caption_drafts(_description(shape), page)
            for graphic in descendants(shape, "tbl", "chart", "relIds"):
                kind = local(graphic)
                if kind == "tbl":
                    yield from drawing_table_drafts(graphic, self.package, part, page)
                elif kind == "relIds":
                    yield from diagram_drafts(self.package, part, graphic, page)
                elif target := self.package.target(part, graphic):
                    yield from chart_drafts(self.package.xml(target), page)
        elif name == "pic":
            yield from self._picture(shape, part, page)
        elif name == "sp":
            yield from self._text(shape, part, page, layout)

    def _text(
        self, shape: Element, part: str, page: int, layout: Mapping[tuple[str, str], Element]
    ) -> Iterator[Draft]:
        kind, index = _placeholder(shape)
        if kind in _RUNNING:
            if kind == "ftr":
                self.footers.update(dict.fromkeys(_lines(shape, self.package, part)))
            return
        body = child(shape, "txBody")
        if body is not None:
            model = layout.get((kind or "", index)) if kind is not None else None
            mark = bullet_mark(child(model, "txBody", "lstStyle", "lvl1pPr")) if model else None
            bulleted = kind in _BULLETED and (mark is None or local(mark) != "buNone")
            yield from frame_drafts(body, self.package, part, bulleted=bulleted, page=page)
        yield from self._picture(shape, part, page)

    def _picture(self, shape: Element, part: str, page: int) -> Iterator[Draft]:
        description = _description(shape)
        for blip in descendants(shape, "blip"):
            yield from self.pictures.shown(self.package, part, blip, page, description)
            description = ""
        yield from caption_drafts(description, page)

    def _notes(self, part: str, page: int) -> Iterator[Draft]:
        for target in self.package.related(part, "notesSlide"):
            for shape in descendants(self.package.xml(target), "sp"):
                if _placeholder(shape)[0] == "body":
                    for line in _lines(shape, self.package, target):
                        text = f"Notes: {line}"
                        yield Draft(kind=BlockKind.PARAGRAPH, text=text, page=page)

    def _comments(self, part: str, page: int) -> Iterator[Draft]:
        for target in self.package.related(part, "comments"):
            for comment in descendants(self.package.xml(target), "cm"):
                author = self.authors.get(attribute(comment, "authorId") or "", "")
                texts = [
                    text_element.text or "" for text_element in descendants(comment, "t", "text")
                ]
                byline = f" by {author}" if author else ""
                if text := " ".join(" ".join(texts).split()):
                    text = f"[comment{byline}: {text}]"
                    yield Draft(kind=BlockKind.PARAGRAPH, text=text, page=page)


def _shapes(tree: Element) -> Iterator[Element]:
    for element in tree:
        name = local(element)
        if name in ("sp", "grpSp", "graphicFrame", "pic"):
            yield element
        elif name == "AlternateContent" and (chosen := alternative(element)) is not None:
            yield from _shapes(chosen)


def _placeholder(shape: Element) -> tuple[str | None, str]:
    """Return the type and index of a placeholder; type None for another shape."""
    holder = next((item for item in shape if local(item).startswith("nv")), None)
    placeholder = child(holder, "nvPr", "ph") if holder is not None else None
    if placeholder is None:
        return None, ""
    return attribute(placeholder, "type") or "", attribute(placeholder, "idx") or ""


def _sort_key(shape: Element, layout: Mapping[tuple[str, str], Element]) -> tuple[int, int]:
    """Return the sort key of a shape: row, then left edge; the file has shapes in drawing order."""
    offset = _offset(shape)
    if offset is None:
        kind, index = _placeholder(shape)
        model = layout.get((kind or "", index)) if kind is not None else None
        offset = _offset(model) if model is not None else None
    if offset is None:
        return 0, 0
    top, left = attribute(offset, "y") or "0", attribute(offset, "x") or "0"
    try:
        return int(top) // _ROW_EMU, int(left)
    except ValueError:
        return 0, 0


def _offset(shape: Element) -> Element | None:
    for path in (("spPr", "xfrm", "off"), ("grpSpPr", "xfrm", "off"), ("xfrm", "off")):
        if (offset := child(shape, *path)) is not None:
            return offset
    return None


def _description(shape: Element) -> str:
    holder = next((item for item in shape if local(item).startswith("nv")), None)
    properties = child(holder, "cNvPr") if holder is not None else None
    return attribute(properties, "descr") or "" if properties is not None else ""


def _lines(shape: Element, package: Package, part: str) -> list[str]:
    body = child(shape, "txBody")
    if body is None:
        return []
    texts = (paragraph_text(paragraph, package, part) for paragraph in children(body, "p"))
    return [" ".join(text.split()) for text in texts if text.strip()]
