from __future__ import annotations

import pytest

from footnote.domain import BlockKind
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import files
from tests.ingestion import office_files as office
from tests.ingestion.corpus_slides import deck_with_picture
from tests.ingestion.office_files import drawing, p, read, run
from tests.ingestion.test_ocr import ENGINES
from tests.ingestion.test_reading import assert_lawful

NO_OCR = ReadingOptions(ocr="off")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_picture_in_a_word_file_is_read_with_confidence(engine: str) -> None:
    content = office.word(
        p("Before.") + p(drawing('<a:blip r:embed="i"/>')) + p(drawing('<a:blip r:embed="i"/>')),
        parts={"media/image1.png": files.picture(["Invoice number 4711"])},
        links={"i": ("image", "media/image1.png")},
    )
    parsed = read_document(content, "a.docx", ReadingOptions(ocr=engine))  # type: ignore[arg-type]
    assert_lawful(parsed)
    read_once = [block for block in parsed.blocks if block.kind is BlockKind.OCR_TEXT]
    assert len(read_once) == 1
    assert "4711" in read_once[0].text
    assert 0.5 < (read_once[0].confidence or 0) <= 1


def test_a_word_file_of_the_strict_kind_is_read() -> None:
    content = office.word(p("Strictly.", "berschrift1"))
    strict = office.WORD_NAMESPACES.replace(
        office.W, "http://purl.oclc.org/ooxml/wordprocessingml/main"
    )
    assert strict != office.WORD_NAMESPACES
    parts = {
        "_rels/.rels": office.relations({"d": ("officeDocument", "word/document.xml")}),
        "word/document.xml": f"<w:document {strict}><w:body>{p('Strictly.')}</w:body></w:document>",
    }
    assert read(office.zipped(parts), "a.docx").text == read(content, "a.docx").text


@pytest.mark.parametrize("wrapper", ["w:sdt><w:sdtContent", "w:ins", "w:tbl><w:tr><w:tc"])
def test_a_word_file_nested_without_end_fails_and_harms_nobody(wrapper: str) -> None:
    names = wrapper.split("><")
    opened, closed = f"<{wrapper}>", "".join(f"</{name}>" for name in reversed(names))
    content = office.word(opened * 20_000 + run("deep") + closed * 20_000)
    with pytest.raises(DocumentUnreadable, match="damaged"):
        read_document(content, "deep.docx", NO_OCR)


def test_a_document_type_is_refused_in_every_encoding() -> None:
    for encoding in ("utf-8", "utf-16"):
        text = (
            f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE d [<!ENTITY a "b">]><d>&a;</d>'
        )
        parts: dict[str, str | bytes] = {
            "_rels/.rels": office.relations({"d": ("officeDocument", "word/document.xml")}),
            "word/document.xml": text.encode(encoding),
        }
        with pytest.raises(DocumentUnreadable, match="document type"):
            read_document(office.zipped(parts), "a.docx", NO_OCR)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_picture_on_a_slide_is_read_with_confidence(engine: str) -> None:
    options = ReadingOptions(ocr=engine)  # type: ignore[arg-type]
    parsed = read_document(deck_with_picture(), "picture.pptx", options)
    block = next(block for block in parsed.blocks if block.kind is BlockKind.OCR_TEXT)
    assert "4711" in block.text
    assert block.page == 1
    assert 0.5 < (block.confidence or 0) <= 1
