from __future__ import annotations

from textwrap import dedent

import pytest

from footnote.domain import ParsedDocument
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import files
from tests.ingestion.office_files import open_document, shown
from tests.ingestion.test_reading import assert_lawful

NO_OCR = ReadingOptions(ocr="off")


def read(content: bytes, name: str) -> ParsedDocument:
    parsed = read_document(content, name, NO_OCR)
    assert_lawful(parsed)
    return parsed


def expect(parsed: ParsedDocument, golden: str) -> None:
    assert shown(parsed) == dedent(golden).strip("\n")


def test_an_open_text_keeps_headings_lists_notes_and_links() -> None:
    body = (
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
        '<text:p text:style-name="P1">House rules</text:p>'
        '<text:h text:outline-level="1">Noise</text:h>'
        '<text:p>Quiet<text:s text:c="2"/>hours<text:note text:note-class="footnote">'
        "<text:note-citation>1</text:note-citation><text:note-body><text:p>From ten.</text:p>"
        '</text:note-body></text:note> are <text:a xlink:href="https://a.example/h">posted</text:a>.'
        "<office:annotation><dc:creator>Bo</dc:creator><text:p>Where?</text:p></office:annotation>"
        "</text:p>"
        '<text:list text:style-name="L1"><text:list-item><text:p>one</text:p>'
        "<text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list>"
        "</text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>"
    )
    styles = (
        '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" '
        'style:num-format="1" style:num-suffix="."/><text:list-level-style-bullet text:level="2"/>'
        "</text:list-style>"
    )
    master = (
        "<office:master-styles><style:master-page><style:header><text:p>Our house</text:p>"
        "</style:header></style:master-page></office:master-styles>"
    )
    meta = (
        "<meta:initial-creator>Eve</meta:initial-creator>"
        "<meta:creation-date>2024-01-02T03:04:05</meta:creation-date>"
    )
    parsed = read(open_document("text", body, styles=styles, master=master, meta=meta), "rules.odt")
    expect(
        parsed,
        """
        # House rules
        ## Noise
        Quiet  hours [note 1] are posted (https://a.example/h).
        [note 1: From ten.]
        [comment by Bo: Where?]
        <list>
        1. one
          - inner
        2. two
        """,
    )
    assert parsed.metadata == {
        "author": "Eve", "created": "2024-01-02T03:04:05", "running_header": "Our house",
    }  # fmt: skip


def odf_cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"


def test_an_open_text_keeps_merged_cells() -> None:
    covered = "<table:covered-table-cell/>"
    body = (
        "<table:table><table:table-header-rows><table:table-row>"
        + odf_cell("Item")
        + odf_cell("Price", 'table:number-columns-spanned="2"')
        + covered
        + "</table:table-row></table:table-header-rows><table:table-row>"
        + odf_cell("Buoy", 'table:number-rows-spanned="2"')
        + odf_cell("net")
        + odf_cell("5")
        + f"</table:table-row><table:table-row>{covered}{odf_cell('gross')}{odf_cell('6')}"
        "</table:table-row></table:table>"
    )
    expect(
        read(open_document("text", body), "prices.odt"),
        """
        <table>
        | Item | Price | Price |
        | --- | --- | --- |
        | Buoy | net | 5 |
        | Buoy | gross | 6 |
        """,
    )


def test_an_open_text_keeps_boxes_pictures_equations_and_code() -> None:
    body = (
        "<text:p>Look<draw:frame><draw:text-box><text:p>Boxed.</text:p></draw:text-box></draw:frame>"
        '</text:p><text:p><draw:frame><draw:image xlink:href="Pictures/a.png"/>'
        "<svg:desc>A lighthouse</svg:desc></draw:frame></text:p>"
        '<text:p>With <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>'
        '<text:p text:style-name="Preformatted_20_Text">x = 1</text:p>'
        '<text:section><text:h text:outline-level="2">In a section</text:h></text:section>'
    )
    math = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>a</mi><mn>2</mn></msup></math>'
    )
    parts: dict[str, str | bytes] = {
        "Pictures/a.png": files.picture(["x"]),
        "Object 1/content.xml": math,
    }
    expect(
        read(open_document("text", body, parts=parts), "mixed.odt"),
        """
        Look
        Boxed.
        <caption>
        Picture: A lighthouse
        With
        a^2
        <code>
        x = 1
        ## In a section
        """,
    )


RTF_HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial;}}"
    r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2\outlinelevel1 My own;}}"
)


def rtf(body: str) -> bytes:
    return f"{RTF_HEAD}{body}}}".encode("latin-1")


def test_rich_text_keeps_headings_letters_notes_and_links() -> None:
    body = (
        r"{\info{\title Terms}{\author Ada}{\creatim\yr2024\mo3\dy5\hr10\min2}}"
        r"{\header Acme\par}"
        r"\pard\s1 Delivery\par\pard\s2 Times\par"
        r"\pard\plain F\'fcr \u8364?5 {\f1 \'e4\'e0} \u-10179?\u-8704?"
        r"{\footnote\pard Ask us.\par} ok{\v hidden}."
        r"{\*\atnauthor Bo}{\*\annotation\pard Why?\par}\par"
        r'{\field{\*\fldinst HYPERLINK "https://a.example"}{\fldrslt Here}}\par'
    )
    parsed = read(rtf(body), "terms.rtf")
    expect(
        parsed,
        """
        # Delivery
        ## Times
        Für €5 да 😀 [note 1] ok.
        [note 1: Ask us.]
        [comment by Bo: Why?]
        Here (https://a.example)
        """,
    )
    assert parsed.title == "Terms"
    assert parsed.metadata == {
        "author": "Ada", "created": "2024-03-05T10:02:00", "running_header": "Acme",
    }  # fmt: skip


def test_rich_text_keeps_lists() -> None:
    body = (
        r"\pard{\listtext\'b7\tab}first\par{\listtext\'b7\tab}\ilvl1 inner\par"
        r"\pard Between\par\pard{\listtext 1.\tab}one\par\pard{\pntext 2.\tab}two\par"
    )
    expect(
        read(rtf(body), "lists.rtf"),
        """
        <list>
        - first
          - inner
        Between
        <list>
        1. one
        2. two
        """,
    )


def test_rich_text_keeps_tables() -> None:
    body = (
        r"\trowd\trhdr\cellx1000\cellx3000\pard\intbl Item\cell Price\cell\row"
        r"\trowd\clvmgf\cellx1000\cellx2000\cellx3000\pard\intbl Buoy\cell net\cell 5\cell\row"
        r"\trowd\clvmrg\cellx1000\cellx2000\cellx3000\pard\intbl\cell gross\cell 6\cell\row"
        r"\pard After\par"
    )
    expect(
        read(rtf(body), "table.rtf"),
        """
        <table>
        | Item | Price | Price |
        | --- | --- | --- |
        | Buoy | net | 5 |
        | Buoy | gross | 6 |
        After
        """,
    )


def test_rich_text_keeps_boxes_and_counts_pictures() -> None:
    body = (
        r"\pard Before{\shp{\*\shpinst\shpleft10{\sp{\sn name}{\sv value}}"
        r"{\shptxt\pard In the box\par}}{\shprslt{\*\do ignored}}}\par"
        r"{\*\shppict{\pict\pngblip " + files.picture(["x"]).hex() + r"}}"
        r"{\nonshppict{\pict\wmetafile8 0102}}\pard After\par"
    )
    parsed = read(rtf(body), "boxes.rtf")
    expect(
        parsed,
        """
        Before
        In the box
        After
        """,
    )
    assert parsed.metadata["pictures_without_text"] == 1


@pytest.mark.parametrize("size", [20, 50, 150, 400])
def test_a_torn_rich_text_is_read_as_far_as_it_goes(size: int) -> None:
    body = r"\pard A long enough line of text to be cut.{\footnote Note}\par" * 5
    content = rtf(body)[: len(RTF_HEAD) + size]
    assert "A" in read_document(content, "torn.rtf", NO_OCR).text
