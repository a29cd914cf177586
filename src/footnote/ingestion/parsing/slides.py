"""A PowerPoint file becomes drafts: each slide a page with its title, text, tables and notes."""

from __future__ import annotations

import io
from collections.abc import Iterator

from pptx import Presentation
from pptx.shapes.autoshape import Shape
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape
from pptx.slide import Slide
from pptx.text.text import TextFrame

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.tables import table_drafts

_MAX_GROUP_DEPTH = 20


def read_slides(content: bytes) -> Reading:
    """Read every slide, hidden ones too. Raises what python-pptx raises for a damaged file."""
    presentation = Presentation(io.BytesIO(content))
    drafts: list[Draft] = []
    for number, slide in enumerate(presentation.slides, start=1):
        drafts.extend(_slide_drafts(slide, number))
    properties = presentation.core_properties
    metadata: dict[str, MetadataValue] = {"author": properties.author or ""}
    if properties.created is not None:
        metadata["created_at"] = properties.created.isoformat()
    return Reading(
        drafts=tuple(drafts),
        title=properties.title,
        page_count=len(presentation.slides),
        pages_stand_alone=True,
        metadata=metadata,
    )


def _slide_drafts(slide: Slide, number: int) -> Iterator[Draft]:
    title = slide.shapes.title
    if title is not None and title.has_text_frame and title.text_frame.text.strip():
        text = title.text_frame.text
        yield Draft(kind=BlockKind.HEADING, text=text, page=number, level=1)
    for shape in sorted(slide.shapes, key=_place):
        if title is None or shape.shape_id != title.shape_id:
            yield from _shape_drafts(shape, number, depth=0)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text.strip()
        if notes:
            yield Draft(kind=BlockKind.PARAGRAPH, text=f"Notes: {notes}", page=number)


def _place(shape: BaseShape) -> tuple[int, int]:
    """From top to bottom; the file has shapes in the order in which they were drawn."""
    return shape.top or 0, shape.left or 0


def _shape_drafts(shape: BaseShape, number: int, depth: int) -> Iterator[Draft]:
    if isinstance(shape, GroupShape):
        if depth < _MAX_GROUP_DEPTH:
            for member in shape.shapes:
                yield from _shape_drafts(member, number, depth + 1)
    elif isinstance(shape, GraphicFrame):
        if shape.has_table:
            rows = [[cell.text for cell in row.cells] for row in shape.table.rows]
            yield from table_drafts(rows, number)
    elif isinstance(shape, Shape) and shape.has_text_frame:
        yield from _text_drafts(shape.text_frame, number)


def _text_drafts(frame: TextFrame, number: int) -> Iterator[Draft]:
    """Several paragraphs in one frame are its bullets."""
    lines = [
        (paragraph.level, paragraph.text.strip())
        for paragraph in frame.paragraphs
        if paragraph.text.strip()
    ]
    if len(lines) > 1:
        text = "\n".join("  " * level + f"- {line}" for level, line in lines)
        yield Draft(kind=BlockKind.LIST, text=text, page=number)
    elif lines:
        yield Draft(kind=BlockKind.PARAGRAPH, text=lines[0][1], page=number)
