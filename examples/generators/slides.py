"""Set a source text as a PPTX: each first-level heading opens a slide, notes go to the speaker."""

from collections.abc import Sequence
from datetime import datetime
from io import BytesIO

from pptx import Presentation
from pptx.presentation import Presentation as SlideDeck
from pptx.slide import Slide
from pptx.util import Inches, Pt

from generators.archives import without_clock
from generators.markup import Block, Bullets, Heading, Note, Paragraph, Table, parse

TITLE_LAYOUT, BULLET_LAYOUT, TABLE_LAYOUT = 0, 1, 5  # of python-pptx's default template


def render(source: str, *, written: datetime) -> bytes:
    """Return the PPTX of a source text, dated as given."""
    deck = Presentation()
    blocks = parse(source)
    for heading, content in _by_slide(blocks):
        _add_slide(deck, heading, content)
    properties = deck.core_properties
    properties.title = next(block.text for block in blocks if isinstance(block, Heading))
    properties.author = properties.last_modified_by = "Quillfen Buoyworks Ltd"
    properties.created = properties.modified = written
    buffer = BytesIO()
    deck.save(buffer)
    return without_clock(buffer.getvalue())


def _by_slide(blocks: Sequence[Block]) -> list[tuple[Heading, list[Block]]]:
    slides: list[tuple[Heading, list[Block]]] = []
    for block in blocks:
        if isinstance(block, Heading):
            slides.append((block, []))
        else:
            slides[-1][1].append(block)
    return slides


def _add_slide(deck: SlideDeck, heading: Heading, content: Sequence[Block]) -> None:
    kinds = {type(block) for block in content}
    layout = TABLE_LAYOUT if Table in kinds else BULLET_LAYOUT if Bullets in kinds else TITLE_LAYOUT
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    title = slide.shapes.title
    assert title is not None, "each layout we use has a title"
    title.text = heading.text
    for block in content:
        _add(slide, block)


def _add(slide: Slide, block: Block) -> None:
    match block:
        case Note(text=text):
            frame = slide.notes_slide.notes_text_frame
            assert frame is not None, "the notes page of the default template has a text frame"
            frame.text = text
        case Bullets(items=items):
            slide.placeholders[1].text_frame.text = "\n".join(items)
        case Paragraph(text=text):
            slide.placeholders[1].text_frame.text = text
        case Table(rows=rows):
            _add_table(slide, rows)


def _add_table(slide: Slide, rows: tuple[tuple[str, ...], ...]) -> None:
    size = Inches(0.6), Inches(1.8), Inches(8.8), Inches(0.6 * len(rows))
    table = slide.shapes.add_table(len(rows), len(rows[0]), *size).table
    for row_number, row in enumerate(rows):
        for column_number, text in enumerate(row):
            cell = table.cell(row_number, column_number)
            cell.text = text
            cell.text_frame.paragraphs[0].font.size = Pt(18)
