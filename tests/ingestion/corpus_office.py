"""Texts and slides of Office programs, by format and name of the file."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

from tests.ingestion import files
from tests.ingestion.office_files import (
    WORD_NAMESPACES,
    cell,
    chart_part,
    drawing,
    item,
    open_document,
    p,
    row,
    run,
    table,
    word,
)

# --- Word ------------------------------------------------------------------------------------


def _agreement() -> bytes:
    """Numbers, a note, a comment, a tracked change, hidden text, running lines."""
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    comment = '<w:r><w:commentReference w:id="0"/></w:r>'
    changed = (
        run("Notice is ")
        + f"<w:del>{run('thirty')}</w:del><w:ins>{run('ninety')}</w:ins>"
        + run(" days")
        + note
        + run(".")
        + run(" Nobody knows.", "<w:vanish/>")
        + comment
    )
    body = (
        p("Rental agreement", "Titel")
        + item("Term", 1)
        + p("Two years.")
        + p("Notice", "berschrift1")
        + p(changed)
        + p("How", "Eigene")
        + item("in writing", 2)
        + item("by letter", 2, 1)
        + item("signed", 2)
        + p("post --now", "Code")
        + p("Figure 1: the quay", "Beschriftung")
    )
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    parts: dict[str, str | bytes] = {
        "footnotes.xml": (
            f'<w:footnotes {space}><w:footnote w:id="2">{p("In winter sixty.")}</w:footnote>'
            "</w:footnotes>"
        ),
        "comments.xml": (
            f'<w:comments {space}><w:comment w:id="0" w:author="Bo">{p("Really?")}</w:comment>'
            "</w:comments>"
        ),
        "header1.xml": f"<w:hdr {space}>{p('Acme house')}</w:hdr>",
    }
    return word(body, parts=parts, core="<dc:creator>Ada</dc:creator>")


def _word_tables() -> bytes:
    wide = '<w:gridSpan w:val="2"/>'
    first, more = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    header = "<w:tblHeader/>"
    body = (
        p("Prices", "berschrift1")
        + table(
            row(cell("Item"), cell("Price", wide), properties=header),
            row(cell("Buoy", first), cell("net"), cell("5")),
            row(cell("", more), cell("gross"), cell("6")),
        )
        + p("After the table.")
        + table(row(cell("Only prose in a frame of one cell.")))
    )
    return word(body)


def _word_objects() -> bytes:
    chart = (
        "<w:r><w:drawing><wp:inline><wp:docPr/><a:graphic><a:graphicData>"
        '<c:chart r:id="c"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>'
    )
    box = (
        run("Beside the box.") + "<w:r><w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp>"
        f"<wps:txbx><w:txbxContent>{p('In the box.')}</w:txbxContent></wps:txbx></wps:wsp>"
        "</a:graphicData></a:graphic></wp:anchor></w:drawing></w:r>"
    )
    equation = (
        "<m:oMath><m:sSup><m:e><m:r><m:t>a</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup>"
        "</m:sSup></m:oMath>"
    )
    link = f'<w:hyperlink r:id="h">{run("our terms")}</w:hyperlink>'
    body = p("Objects", "berschrift1") + p(chart) + p(box) + p(equation) + p(run("See ") + link)
    return word(
        body,
        parts={"charts/a.xml": chart_part("Sales", ["Rome", "Paris"], {"2024": [0.5, 0.25]})},
        links={"c": ("chart", "charts/a.xml"), "h": ("hyperlink", "https://a.example/t")},
    )


# --- OpenDocument and rich text --------------------------------------------------------------


def _rules_odt() -> bytes:
    body = (
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
        '<text:h text:outline-level="1">Noise</text:h>'
        '<text:p>Quiet<text:s text:c="2"/>hours<text:note text:note-class="footnote">'
        "<text:note-citation>1</text:note-citation><text:note-body><text:p>From ten.</text:p>"
        '</text:note-body></text:note> are <text:a xlink:href="https://a.example/h">posted</text:a>.'
        "<office:annotation><dc:creator>Bo</dc:creator><text:p>Where?</text:p></office:annotation>"
        '</text:p><text:h text:outline-level="2">Kept</text:h>'
        '<text:list text:style-name="L1"><text:list-item><text:p>one</text:p>'
        "<text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list>"
        "</text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>"
    )
    styles = (
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" '
        'style:num-format="1" style:num-suffix="."/><text:list-level-style-bullet text:level="2"/>'
        "</text:list-style>"
    )
    meta = (
        "<dc:title>House rules</dc:title><meta:initial-creator>Eve</meta:initial-creator>"
        "<meta:creation-date>2024-01-02T03:04:05</meta:creation-date>"
    )
    return open_document("text", body, styles=styles, meta=meta)


def _cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"


_COVERED = "<table:covered-table-cell/>"
_GRID = (
    '<table:table><table:table-column table:number-columns-repeated="3"/>'
    "<table:table-header-rows><table:table-row>"
    + _cell("Item")
    + _cell("Price", 'table:number-columns-spanned="2"')
    + f"{_COVERED}</table:table-row></table:table-header-rows><table:table-row>"
    + _cell("Buoy", 'table:number-rows-spanned="2"')
    + _cell("net")
    + _cell("5")
    + f"</table:table-row><table:table-row>{_COVERED}{_cell('gross')}{_cell('6')}"
    "</table:table-row></table:table>"
)


def _prices_odt() -> bytes:
    heading = '<text:h text:outline-level="1">Prices</text:h>'
    return open_document("text", f"{heading}{_GRID}<text:p>After.</text:p>")


def _mixed_odt() -> bytes:
    body = (
        "<text:p>Look<draw:frame><draw:text-box><text:p>Boxed.</text:p></draw:text-box></draw:frame>"
        '</text:p><text:p text:style-name="Preformatted_20_Text">x = 1</text:p>'
        '<text:p text:style-name="Preformatted_20_Text">y = 2</text:p>'
        '<text:section><text:h text:outline-level="2">In a section</text:h>'
        "<text:p>Last.<text:line-break/>And a line.</text:p></text:section>"
    )
    return open_document("text", body)


def _rtf(body: str) -> Callable[[], bytes]:
    head = (
        r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}{\f1\fcharset204 Arial;}}"
        r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2\outlinelevel1 My own;}}"
    )
    return lambda: f"{head}{body}}}".encode("latin-1")


_TERMS_RTF = (
    r"{\info{\title Terms}{\author Ada}{\creatim\yr2024\mo3\dy5\hr10\min2}}{\header Acme\par}"
    r"\pard\s1 Delivery\par\pard\s2 Times\par"
    r"\pard\plain F\'fcr \u8364?5 {\f1 \'e4\'e0}{\footnote\pard Ask us.\par} ok{\v hidden}."
    r"{\*\atnauthor Bo}{\*\annotation\pard Why?\par}\par"
    r'{\field{\*\fldinst HYPERLINK "https://a.example"}{\fldrslt Here}}\par'
)
_TABLE_RTF = (
    r"\pard\s1 Prices\par\trowd\trhdr\cellx1000\cellx3000\pard\intbl Item\cell Price\cell\row"
    r"\trowd\clvmgf\cellx1000\cellx2000\cellx3000\pard\intbl Buoy\cell net\cell 5\cell\row"
    r"\trowd\clvmrg\cellx1000\cellx2000\cellx3000\pard\intbl\cell gross\cell 6\cell\row"
    r"\pard After\par"
)


def _clauses() -> bytes:
    notes = (
        f'<w:footnotes {WORD_NAMESPACES}><w:footnote w:type="separator" w:id="-1"/>'
        f'<w:footnote w:id="2">{p("As published in 2024.")}</w:footnote></w:footnotes>'
    )
    comments = (
        f'<w:comments {WORD_NAMESPACES}><w:comment w:id="0" w:author="Ada">'
        f"{p('Is this still true?')}</w:comment></w:comments>"
    )
    header = f"<w:hdr {WORD_NAMESPACES}>{p('Acme confidential')}</w:hdr>"
    footer = f"<w:ftr {WORD_NAMESPACES}>{p('Draft of May')}</w:ftr>"
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
    return word(
            body,
            parts={"footnotes.xml": notes, "comments.xml": comments,
                   "header1.xml": header, "footer1.xml": footer},
            links={"h": ("hyperlink", "https://acme.example/terms")},
            core="<dc:creator>Grace</dc:creator>"
            "<dcterms:created>2024-05-01T08:00:00Z</dcterms:created>",
        )  # fmt: skip


def _merged_cells() -> bytes:
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
    return word(body)


def _technical() -> bytes:
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
    return word(
        body,
        parts={
            "charts/chart1.xml": chart_part("Margin", ["Q1", "Q2"], {"2024": [0.1, 0.25]}),
            "media/image1.png": files.picture(["x"]),
        },
        links={"c": ("chart", "charts/chart1.xml"), "i": ("image", "media/image1.png")},
    )


def _boxes() -> bytes:
    box = (
        "<wps:txbx><w:txbxContent>"
        + p(run("Inner") + drawing('<a:blip r:embed="i"/>', "A buoy"))
        + "</w:txbxContent></wps:txbx>"
    )
    return word(
        p(run("Outer") + drawing(box, "A frame")),
        parts={"media/image1.png": files.picture(["x"]), "embeddings/b.xlsx": files.prices_xlsx()},
        links={"i": ("image", "media/image1.png"), "e": ("package", "embeddings/b.xlsx")},
    )


def _kept(name: str) -> Callable[[], bytes]:
    """A file that LibreOffice made of one of the others, since nothing here writes its format."""
    return lambda: gzip.decompress((Path(__file__).parent / "office" / f"{name}.gz").read_bytes())


FILES: dict[str, dict[str, Callable[[], bytes]]] = {
    "DOCX": {
        "contract.docx": files.contract_docx,
        "agreement.docx": _agreement,
        "prices.docx": _word_tables,
        "objects.docx": _word_objects,
        "clauses.docx": _clauses,
        "merged.docx": _merged_cells,
        "technical.docx": _technical,
        "boxes.docx": _boxes,
    },
    "DOC": {name: _kept(name) for name in ("rules.doc", "prices.doc", "mixed.doc")},
    "ODT": {"rules.odt": _rules_odt, "prices.odt": _prices_odt, "mixed.odt": _mixed_odt},
    "RTF": {
        "terms.rtf": _rtf(_TERMS_RTF),
        "rules.rtf": _kept("rules.rtf"),
        "prices.rtf": _rtf(_TABLE_RTF),
    },
    "ODP": {name: _kept(name) for name in ("deck.odp", "order.odp", "sales.odp")},
    "PPT": {name: _kept(name) for name in ("deck.ppt", "order.ppt", "sales.ppt")},
}
