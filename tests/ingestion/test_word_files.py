from __future__ import annotations

from textwrap import dedent

import pytest

from footnote.domain import BlockKind, ParsedDocument
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import files
from tests.ingestion import office_files as office
from tests.ingestion.office_files import cell, item, p, row, run, shown, table
from tests.ingestion.test_ocr import ENGINES
from tests.ingestion.test_reading import assert_lawful

NO_OCR = ReadingOptions(ocr="off")


def read(content: bytes, name: str) -> ParsedDocument:
    parsed = read_document(content, name, NO_OCR)
    assert_lawful(parsed)
    return parsed


def expect(parsed: ParsedDocument, golden: str) -> None:
    assert shown(parsed) == dedent(golden).strip("\n")


def test_a_contract_keeps_its_numbers_notes_comments_and_accepted_changes() -> None:
    notes = (
        f'<w:footnotes {office.WORD_NAMESPACES}><w:footnote w:type="separator" w:id="-1"/>'
        f'<w:footnote w:id="2">{p("As published in 2024.")}</w:footnote></w:footnotes>'
    )
    comments = (
        f'<w:comments {office.WORD_NAMESPACES}><w:comment w:id="0" w:author="Ada">'
        f"{p('Is this still true?')}</w:comment></w:comments>"
    )
    header = f"<w:hdr {office.WORD_NAMESPACES}>{p('Acme confidential')}</w:hdr>"
    footer = f"<w:ftr {office.WORD_NAMESPACES}>{p('Draft of May')}</w:ftr>"
    body = (
        p("Supply agreement", "Titel")
        + p("Scope", "berschrift1")
        + item("Goods are listed in the annex.", 1)
        + item("by type", 1, 1)
        + item("by number", 1, 1)
        + item("Services are not covered.", 1)
        + p("Price", "Eigene")
        + p(
            run("The price is ")
            + f"<w:del>{run('ten')}</w:del><w:ins>{run('twelve')}</w:ins>"
            + run(" euros")
            + '<w:r><w:footnoteReference w:id="2"/></w:r>'
            + run(" a piece.")
            + run(" Do not tell them.", "<w:vanish/>")
            + '<w:r><w:commentReference w:id="0"/></w:r>'
        )
        + p(run("See ") + f'<w:hyperlink r:id="h">{run("our terms")}</w:hyperlink>' + run("."))
        + item("A new list begins at one.", 3)
        + p("Direct level", extra='<w:outlineLvl w:val="0"/>')
    )
    parsed = read(
        office.word(
            body,
            parts={"footnotes.xml": notes, "comments.xml": comments,
                   "header1.xml": header, "footer1.xml": footer},
            links={"h": ("hyperlink", "https://acme.example/terms")},
            core="<dc:creator>Grace</dc:creator>"
            "<dcterms:created>2024-05-01T08:00:00Z</dcterms:created>",
        ),
        "contract.docx",
    )  # fmt: skip
    expect(
        parsed,
        """
        # Supply agreement
        ## Scope
        <list>
        § 1 Goods are listed in the annex.
          (a) by type
          (b) by number
        § 2 Services are not covered.
        ### Price
        The price is twelve euros [note 1] a piece.
        [note 1: As published in 2024.]
        [comment by Ada: Is this still true?]
        See our terms (https://acme.example/terms).
        <list>
        § 1 A new list begins at one.
        ## Direct level
        """,
    )
    assert parsed.metadata == {
        "author": "Grace",
        "created": "2024-05-01T08:00:00Z",
        "running_header": "Acme confidential",
        "running_footer": "Draft of May",
    }


def test_word_tables_say_merged_values_in_every_cell_they_cover() -> None:
    start, goes_on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    wide = '<w:gridSpan w:val="2"/>'
    inner = table(row(cell("x"), cell("y")), row(cell("1"), cell("2")))
    head = "<w:tblHeader/>"
    body = (
        table(
            row(cell("Region", start), cell("Units", wide), properties=head),
            row(cell("", goes_on), cell("2023"), cell("2024"), properties=head),
            row(cell("North", start), cell("5"), cell("6")),
            row(cell("", goes_on), cell("7"), cell("8")),
            row(cell("Deleted"), cell("0"), cell("0"), properties="<w:del/>"),
        )
        + p("Between.")
        + table(
            row(cell("Annual report", wide)), row(cell("a"), cell("b")), row(cell("c"), cell("d"))
        )
        + table(row(cell("Name"), cell("Nested")), row(cell("one"), cell(inner + p("end"))))
        + table(row(cell(p("A box", "berschrift1") + p("of prose."))))
    )
    expect(
        read(office.word(body), "tables.docx"),
        """
        <table>
        | Region | Units / 2023 | Units / 2024 |
        | --- | --- | --- |
        | North | 5 | 6 |
        | North | 7 | 8 |
        Between.
        Annual report
        <table>
        | a | b |
        | --- | --- |
        | c | d |
        <table>
        | Name | Nested |
        | --- | --- |
        | one | x, y; 1, 2 end |
        # A box
        of prose.
        """,
    )


def drawing(inside: str, description: str = "") -> str:
    return (
        f'<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="{description}"/>'
        f"<a:graphic>{inside}</a:graphic></wp:inline></w:drawing></w:r>"
    )


def test_code_equations_boxes_charts_and_fields_are_read() -> None:
    box = "<wps:txbx><w:txbxContent>" + p("Inside the box.") + "</w:txbxContent></wps:txbx>"
    fraction = (
        "<m:oMath><m:r><m:t>x=</m:t></m:r><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num>"
        "<m:den><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup>"
        "</m:sSup></m:den></m:f></m:oMath>"
    )
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        '<w:r><w:instrText> HYPERLINK "https://acme.example" </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        + run("home")
        + '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    mono = '<w:rFonts w:ascii="Courier New"/>'
    body = (
        p("Contents", "Verzeichnis1")
        + p(run("def f(x):"), "Code")
        + p(run("    return x", mono))
        + p(run("Typed on a typewriter", mono))
        + p(run("Solve ") + fraction + run(" now."))
        + f"<w:sdt><w:sdtContent>{p('In a content control.')}</w:sdtContent></w:sdt>"
        + p(
            run("Look:")
            + f"<mc:AlternateContent><mc:Choice>{drawing(box)}</mc:Choice>"
            + f"<mc:Fallback>{drawing(box)}</mc:Fallback></mc:AlternateContent>"
        )
        + p(drawing('<c:chart r:id="c"/>'))
        + p(drawing('<a:blip r:embed="i"/>', "A buoy at sea"))
        + p("Figure 1: a buoy", "Beschriftung")
        + p(run("Back ") + field)
    )
    content = office.word(
        body,
        parts={
            "charts/chart1.xml": office.chart_part("Margin", ["Q1", "Q2"], {"2024": [0.1, 0.25]}),
            "media/image1.png": files.picture(["x"]),
        },
        links={"c": ("chart", "charts/chart1.xml"), "i": ("image", "media/image1.png")},
    )
    parsed = read(content, "technical.docx")
    expect(
        parsed,
        """
        <list>
        - Contents
        <code>
        def f(x):
            return x
        Typed on a typewriter
        Solve  x=(a+b)/(c^2)  now.
        In a content control.
        Look:
        Inside the box.
        <caption>
        Chart: Margin (bar chart)
        <table>
        | Category | 2024 |
        | --- | --- |
        | Q1 | 10% |
        | Q2 | 25% |
        <caption>
        Picture: A buoy at sea
        <caption>
        Figure 1: a buoy
        Back home (https://acme.example)
        """,
    )
    assert parsed.metadata["pictures_without_text"] == 1


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


def test_what_is_drawn_in_a_box_is_said_once_and_embedded_files_come_along() -> None:
    box = (
        "<wps:txbx><w:txbxContent>"
        + p(run("Inner") + drawing('<a:blip r:embed="i"/>', "A buoy"))
        + "</w:txbxContent></wps:txbx>"
    )
    content = office.word(
        p(run("Outer") + drawing(box, "A frame")),
        parts={"media/image1.png": files.picture(["x"]), "embeddings/b.xlsx": files.prices_xlsx()},
        links={"i": ("image", "media/image1.png"), "e": ("package", "embeddings/b.xlsx")},
    )
    parsed = read(content, "boxes.docx")
    expect(
        parsed,
        """
        Outer
        Inner
        <caption>
        Picture: A buoy
        <caption>
        Picture: A frame
        """,
    )
    (attachment,) = parsed.attachments
    assert attachment.filename == "b.xlsx"
    assert attachment.media_type.endswith("spreadsheetml.sheet")


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
