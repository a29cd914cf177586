"""Set a source text as a DOCX with real heading styles and tables."""

from datetime import datetime
from io import BytesIO

from docx import Document
from docx.document import Document as WordDocument

from generators.archives import without_clock
from generators.markup import Block, Bullets, Heading, Note, Paragraph, Table, parse


def render(source: str, *, written: datetime) -> bytes:
    """Return the DOCX of a source text, dated as given."""
    document = Document()
    blocks = parse(source)
    for block in blocks:
        _add(document, block)
    properties = document.core_properties
    properties.title = next(block.text for block in blocks if isinstance(block, Heading))
    properties.author = "Quillfen Buoyworks Ltd"
    properties.comments = ""
    properties.created = properties.modified = written
    buffer = BytesIO()
    document.save(buffer)
    return without_clock(buffer.getvalue())


def _add(document: WordDocument, block: Block) -> None:
    match block:
        case Heading(level=level, text=text):
            document.add_heading(text, level=level - 1)  # level 0 is Word's title style
        case Paragraph(text=text) | Note(text=text):
            document.add_paragraph(text)
        case Bullets(items=items):
            for item in items:
                document.add_paragraph(item, style="List Bullet")
        case Table(rows=rows):
            _add_table(document, rows)


def _add_table(document: WordDocument, rows: tuple[tuple[str, ...], ...]) -> None:
    table = document.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
    for table_row, row in zip(table.rows, rows, strict=True):
        for table_cell, text in zip(table_row.cells, row, strict=True):
            table_cell.text = text
    document.add_paragraph()
