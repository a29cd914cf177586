"""Pictures are handed out when asked for, and their descriptions take their place."""

from __future__ import annotations

import io
from io import BytesIO

import docx
import openpyxl
import pytest
from docx.shared import Inches as DocxInches
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.drawing.image import Image as SheetImage
from PIL import Image
from pptx import Presentation
from pptx.util import Inches

from footnote.domain import BlockKind, ParsedDocument, Picture
from footnote.errors import DocumentInterrupted, DocumentUnreadable
from footnote.ingestion.chunk_policies import ChunkPolicy
from footnote.ingestion.chunking import chunk_blocks
from footnote.ingestion.describing import GENERATED, Descriptions, describe, with_descriptions
from footnote.ingestion.parsing.drafts import Draft, Reading, assemble
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from footnote.ingestion.parsing.subprocess import ChildParser
from footnote.models.language import vision_model_from
from footnote.models.testing import HashEmbedder
from tests.ingestion import files, pdf_files
from tests.ingestion.test_child import through_the_pipe
from tests.models.openai_server import OpenAiServer, Reply, fails, says

pytestmark = pytest.mark.usefixtures("sent_as_it_is")

ASKED = ReadingOptions(ocr="off", pictures=20)
"""OCR is off: these tests are about pictures, not about what is written on them."""


def photo(*, width: int = 400, height: int = 300, shade: int = 0) -> bytes:
    """A gradient, each shade of it another picture."""
    target = io.BytesIO()
    image = Image.linear_gradient("L").resize((width, height)).point(lambda value: value ^ shade)
    image.save(target, "PNG")
    return target.getvalue()


def report_docx(*pictures: bytes) -> bytes:
    document = docx.Document()
    document.add_heading("Turnover", level=1)
    document.add_paragraph("The chart shows the turnover.")
    for each in pictures:
        document.add_picture(io.BytesIO(each), width=DocxInches(3))
    document.add_heading("Costs", level=1)
    document.add_paragraph("They fell.")
    return files.saved(document)


def deck() -> bytes:
    slides = Presentation()
    for number in (1, 2):
        slide = slides.slides.add_slide(slides.slide_layouts[5])
        slide.shapes.title.text = f"Slide {number}"
        slide.shapes.add_picture(io.BytesIO(photo(shade=number)), Inches(1), Inches(3), Inches(3))
    return files.saved(slides)


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Article", "Price"])
    sheet.append(["Buoy", 1200])
    sheet.add_image(SheetImage(io.BytesIO(photo())), "D5")
    return files.saved(book)


# --- what readers hand out --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "filename", "pages"),
    [
        pytest.param(photo(), "a.png", [1], id="picture"),
        pytest.param(report_docx(photo()), "a.docx", [None], id="docx"),
        pytest.param(deck(), "a.pptx", [1, 2], id="pptx"),
        pytest.param(workbook(), "a.xlsx", [1], id="xlsx"),
        pytest.param(pdf_files.page_with_photo(), "a.pdf", [1], id="pdf"),
        pytest.param(files.scanned_pdf([["A picture of a page"]]), "a.pdf", [1], id="scan"),
    ],
)
def test_pictures_are_handed_out_as_small_jpegs(
    content: bytes, filename: str, pages: list[int | None]
) -> None:
    parsed = read_document(content, filename, ASKED)
    assert [picture.page for picture in parsed.pictures] == pages
    for picture in parsed.pictures:
        assert picture.media_type == "image/jpeg"
        with Image.open(io.BytesIO(picture.content)) as image:
            assert image.format == "JPEG"
            assert max(image.size) <= 1568


@pytest.mark.parametrize(
    ("content", "filename"),
    [
        pytest.param(report_docx(photo()), "a.docx", id="docx"),
        pytest.param(pdf_files.page_with_photo(), "a.pdf", id="pdf"),
    ],
)
def test_nothing_is_handed_out_unless_asked_for_and_the_text_is_the_same(
    content: bytes, filename: str
) -> None:
    plain = read_document(content, filename, ReadingOptions(ocr="off"))
    assert plain.pictures == ()
    assert read_document(content, filename, ASKED).text == plain.text


def test_a_picture_stands_where_it_was_shown() -> None:
    parsed = read_document(report_docx(photo()), "a.docx", ASKED)
    [picture] = parsed.pictures
    assert parsed.blocks[picture.after - 1].text == "The chart shows the turnover."
    assert picture.heading_path == ("Turnover",)


def test_a_picture_that_is_shown_twice_is_handed_out_once() -> None:
    parsed = read_document(report_docx(photo(), photo(), photo(shade=9)), "a.docx", ASKED)
    assert len(parsed.pictures) == 2


def test_small_pictures_are_not_worth_a_look() -> None:
    parsed = read_document(report_docx(photo(width=60, height=60)), "a.docx", ASKED)
    assert parsed.pictures == ()


def test_pictures_beyond_the_bound_are_counted() -> None:
    content = report_docx(*(photo(shade=shade) for shade in range(5)))
    parsed = read_document(content, "a.docx", ReadingOptions(ocr="off", pictures=2))
    assert len(parsed.pictures) == 2
    assert parsed.metadata["pictures_not_described"] == 3


def test_where_a_photograph_was_taken_is_not_handed_out() -> None:
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    target = io.BytesIO()
    Image.open(io.BytesIO(photo())).convert("RGB").save(target, "JPEG", exif=exif)
    [picture] = read_document(target.getvalue(), "a.jpg", ASKED).pictures
    assert b"taken at home" in target.getvalue()
    assert b"taken at home" not in picture.content


def test_a_picture_that_nobody_reads_or_describes_fails_as_before() -> None:
    with pytest.raises(DocumentUnreadable, match="OCR is switched off"):
        read_document(photo(), "a.png", ReadingOptions(ocr="off"))


async def test_the_child_hands_pictures_over() -> None:
    content = report_docx(photo())
    async with ChildParser(ocr="off", pictures=20) as parser:
        parsed = await parser(BytesIO(content), "a.docx")
    assert parsed == read_document(content, "a.docx", ASKED)
    assert through_the_pipe(parsed) == parsed
    assert parsed.pictures


# --- where descriptions go --------------------------------------------------------------------

TEXTS = st.text(alphabet="ab\n ", max_size=6)


@st.composite
def documents(draw: st.DrawFn) -> tuple[ParsedDocument, dict[int, str]]:
    """A document with pictures, and what is said of some of them."""
    drafts = [
        Draft(kind=kind, text=text, page=page, level=1, picture=b"jpeg" if shown else b"")
        for page in (1, 2)
        for kind, text, shown in draw(
            st.lists(
                st.tuples(
                    st.sampled_from([BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.TABLE]),
                    TEXTS,
                    st.booleans(),
                ),
                max_size=6,
            )
        )
    ]
    parsed = assemble(Reading(drafts=tuple(drafts), page_count=2), "a.pdf", "application/pdf")
    positions = st.sampled_from(range(len(parsed.pictures))) if parsed.pictures else st.nothing()
    said = draw(st.dictionaries(positions, st.sampled_from(["A chart.", "Zwei\nZeilen 😀"])))
    return parsed, said


@given(documents())
def test_descriptions_keep_the_law_of_offsets_and_every_other_block(
    case: tuple[ParsedDocument, dict[int, str]],
) -> None:
    parsed, said = case
    whole = with_descriptions(parsed, Descriptions(texts=said), "seer")
    for block in whole.blocks:
        assert whole.text[block.char_start : block.char_end] == block.text
    assert whole.text == "\n\n".join(block.text for block in whole.blocks)
    described = [block for block in whole.blocks if GENERATED in block.heading_path]
    assert [block.text for block in described] == [text for _, text in sorted(said.items())]
    others = [block for block in whole.blocks if GENERATED not in block.heading_path]
    assert [(b.kind, b.text, b.page, b.paragraph, b.heading_path) for b in others] == [
        (b.kind, b.text, b.page, b.paragraph, b.heading_path) for b in parsed.blocks
    ]
    assert whole.pictures == ()
    chunks = chunk_blocks(whole, HashEmbedder(), ChunkPolicy(target_tokens=8))
    for chunk in chunks:
        assert whole.text[chunk.char_start : chunk.char_end] == chunk.text[chunk.body_offset :]


# --- the model --------------------------------------------------------------------------------


async def looked_at(parsed: ParsedDocument, *replies: Reply) -> ParsedDocument:
    with OpenAiServer(*replies) as server:
        model = vision_model_from("scripted", server.url, None, 30.0, 64)
        try:
            return await describe(model, parsed)
        finally:
            await model.close()


def report(*pictures: bytes) -> ParsedDocument:
    return read_document(report_docx(*pictures), "a.docx", ASKED)


async def test_a_description_becomes_a_caption_that_says_a_model_wrote_it() -> None:
    whole = await looked_at(report(photo()), says("A grey gradient.\n\nIt rises."))
    [caption] = [block for block in whole.blocks if block.kind is BlockKind.CAPTION]
    assert caption.text == "A grey gradient.\nIt rises."
    assert caption.heading_path == ("Turnover", GENERATED)
    assert whole.metadata["described_by"] == "scripted"
    assert whole.metadata["pictures_described"] == 1
    assert "pictures_not_described" not in whole.metadata
    texts = [block.text for block in whole.blocks]
    assert texts.index(caption.text) == texts.index("The chart shows the turnover.") + 1


async def test_a_model_that_fails_leaves_what_was_read_with_a_note() -> None:
    parsed = report(photo())
    whole = await looked_at(parsed, fails(401))
    assert whole.blocks == parsed.blocks
    assert whole.text == parsed.text
    assert whole.metadata["pictures_not_described"] == 1
    assert "refused the key" in str(whole.metadata["pictures_not_described_because"])
    assert "described_by" not in whole.metadata


async def test_a_model_that_fails_on_one_picture_describes_the_others() -> None:
    parsed = report(*(photo(shade=shade) for shade in range(3)))
    whole = await looked_at(parsed, says("One."), fails(400), says("Three."))
    assert whole.metadata["pictures_described"] == 2
    assert whole.metadata["pictures_not_described"] == 1


async def test_a_picture_without_text_and_without_description_is_tried_again() -> None:
    parsed = read_document(photo(), "a.png", ASKED)
    with pytest.raises(DocumentInterrupted) as raised:
        await looked_at(parsed, fails(500), fails(500))
    assert raised.value.retryable
    assert "HTTP 500" in raised.value.cause


async def test_a_document_without_pictures_asks_nobody() -> None:
    parsed = read_document(b"# Title\n\nText.", "a.md", ASKED)
    assert await looked_at(parsed) is parsed


def test_the_place_of_a_picture_on_a_new_slide_is_not_under_the_slide_before() -> None:
    drafts = (
        Draft(kind=BlockKind.HEADING, text="One", level=1, page=1),
        Draft(kind=BlockKind.IMAGE, text="", page=2, picture=b"jpeg"),
    )
    reading = Reading(drafts=drafts, page_count=2, pages_stand_alone=True)
    assert assemble(reading, "a.pptx", "x").pictures == (
        Picture(
            content=b"jpeg", media_type="image/jpeg", after=1, paragraph=1, page=2, heading_path=()
        ),
    )
