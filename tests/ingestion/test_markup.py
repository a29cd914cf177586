from __future__ import annotations

import io
import zipfile
from itertools import product

import pytest

from footnote.domain import Block, ParsedDocument
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.archives import ArchiveLimits
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion.test_reading import assert_lawful

Shown = list[tuple[str, str]]


def shown(parsed: ParsedDocument) -> Shown:
    assert_lawful(parsed)
    return [(_kind(block), block.text) for block in parsed.blocks]


def _kind(block: Block) -> str:
    return f"h{block.heading_level}" if block.heading_level else block.kind.value


# --- HTML -----------------------------------------------------------------------------------


def test_spanning_cells_say_what_they_say_in_every_place_they_cover() -> None:
    page = (
        "<table><tr><th rowspan=2>City</th><th colspan=2>Rates</th></tr>"
        "<tr><th>low</th><th>high</th></tr>"
        "<tr><td rowspan='2'>Rome</td><td>1</td><td>2</td></tr><tr><td colspan=2>3</td></tr>"
        "</table>"
    )
    (table,) = read_document(page.encode(), "a.html").blocks
    assert table.text.splitlines() == [
        "| City | Rates / low | Rates / high |",
        "| --- | --- | --- |",
        "| Rome | 1 | 2 |",
        "| Rome | 3 | 3 |",
    ]


@pytest.mark.parametrize("span", ["999999999", "-1", "x", "", "٣"])
def test_absurd_spans_do_no_harm(span: str) -> None:
    page = f"<table><tr><td rowspan='{span}' colspan='{span}'>a</td><td>b</td></tr></table>"
    assert "a" in read_document(page.encode(), "a.html").text


def test_links_are_followed_by_where_they_lead() -> None:
    page = (
        '<p>See <a href="https://x.example/a">the form</a>, <a href="/b">a page of ours</a>, '
        '<a href="javascript:x()">a button</a>, <a href="mailto:a@b.example">Ann</a> and '
        '<a href="https://x.example">https://x.example</a>.</p>'
        '<ul><li><a href="https://x.example/menu">Menu</a></li></ul>'
    )
    assert shown(read_document(page.encode(), "a.html")) == [
        (
            "paragraph",
            "See the form (https://x.example/a), a page of ours, a button, Ann (a@b.example) and "
            "https://x.example.",
        ),
        ("list", "- Menu"),
    ]


def test_terms_formulas_and_notes_of_a_page_are_kept() -> None:
    page = (
        "<dl><dt>Buoy</dt><dd>It floats.</dd><dt>Chain</dt><dd><p>It holds.</p></dd></dl>"
        "<p>So <math><semantics><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"
        '<annotation encoding="application/x-tex">a+b</annotation></semantics></math> and '
        "<math><mi>x</mi><mo>=</mo><mn>1</mn></math>.</p>"
        '<ol start="4"><li>four</li></ol>'
        '<aside epub:type="footnote"><p>1 A note.</p></aside><aside>Advertisement</aside>'
    )
    assert shown(read_document(page.encode(), "a.html")) == [
        ("list", "- Buoy\n  It floats.\n- Chain\n  It holds."),
        ("paragraph", "So a+b and x=1 ."),
        ("list", "4. four"),
        ("paragraph", "1 A note."),
    ]


def test_a_page_is_read_in_the_charset_it_declares() -> None:
    page = '<html><head><meta charset="koi8-r"></head><body><p>Договор</p></body></html>'
    assert read_document(page.encode("koi8-r"), "a.html").text == "Договор"


# --- Markdown -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: 'The rules'\nauthor: Ann\ndate: 2024-01-02\ntags: [a, \"b\"]\n---\n",
        "---\ntitle: The rules # yes\nauthors:\n  - Ann\ndate: 2024-01-02\ntags:\n- a\n- b\n---\n",
        '+++\ntitle = "The rules"\nauthor = "Ann"\ndate = 2024-01-02\ntags = ["a", "b"]\n+++\n',
    ],
    ids=["yaml", "yaml lists", "toml"],
)
def test_front_matter_becomes_metadata(front: str) -> None:
    parsed = read_document(f"{front}\nWords.\n".encode(), "a.md")
    assert parsed.title == "The rules"
    assert parsed.metadata == {"author": "Ann", "date": "2024-01-02", "tags": "a, b"}
    assert parsed.text == "Words."


def test_formulas_tables_in_html_and_comments_of_markdown() -> None:
    text = (
        "Let $a_1 * b * c$ be *here*, for $5 and $6.\n\n"
        "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>\n\n"
        "<!-- a\nsecret -->\n\nEnd.\n"
    )
    assert shown(read_document(text.encode(), "a.md")) == [
        ("paragraph", "Let $a_1 * b * c$ be here, for $5 and $6."),
        ("table", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("paragraph", "End."),
    ]


# --- reStructuredText -----------------------------------------------------------------------


def test_levels_of_restructured_text_follow_their_first_use() -> None:
    text = "A\n~~~\n\nB\n***\n\nC\n~~~\n\nd\n"
    assert shown(read_document(text.encode(), "a.rst")) == [
        ("h1", "A"),
        ("h2", "B"),
        ("h1", "C"),
        ("paragraph", "d"),
    ]


def test_headings_alone_are_what_a_document_says() -> None:
    parsed = read_document(b"# A\n\n## B\n\n## C\n\n# D\n", "a.md")
    said = [("paragraph", letter) for letter in "BCD"]
    assert shown(parsed) == [("h1", "A"), *said]
    assert [block.heading_path for block in parsed.blocks] == [("A",), ("A",), ("A",), ()]
    assert parsed.title == "A"


def test_a_grid_cell_may_span_columns() -> None:
    text = "+---+---+\n| a | b |\n+===+===+\n| both  |\n+---+---+\n| 1 | 2 |\n+---+---+\n"
    (table,) = read_document(text.encode(), "a.rst").blocks
    assert table.text.splitlines()[2:] == ["| both | both |", "| 1 | 2 |"]


# --- AsciiDoc -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("== A\n\n....\nraw *x*\n....\n\n.Title\nimage::a.png[A picture]\n",
         [("h2", "A"), ("code", "raw *x*"), ("caption", "Title"), ("image", "A picture")]),
        ("TIP: Try it.\n\n[quote]\n____\nSaid.\n____\n\n* a\n\n* b\n",
         [("paragraph", "TIP: Try it."), ("paragraph", "Said."), ("list", "- a\n- b")]),
        ("[cols=2*]\n|===\n|a |b\n|c\n|d\n|===\n",
         [("table", "| a | b |\n| --- | --- |\n| c | d |")]),
        ("press kbd:[Ctrl+C].footnote:[Or not.] {unknown} *bold* https://x.example[X]\n",
         [("paragraph", "press Ctrl+C. (Or not.) {unknown} bold X (https://x.example)")]),
    ],
    ids=["blocks", "quotes", "columns", "macros"],
)  # fmt: skip
def test_further_asciidoc(text: str, expected: Shown) -> None:
    assert shown(read_document(text.encode(), "a.adoc")) == expected


# --- LaTeX ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\chapter{One}\nWords.\n\\paragraph{Deep} More.",
         [("h1", "One"), ("paragraph", "Words."), ("h5", "Deep"), ("paragraph", "More.")]),
        ("A \\[ x^2 \\] b $$y$$ c", [("paragraph", "A"), ("paragraph", "x^2"), ("paragraph", "b"),
                                     ("paragraph", "y"), ("paragraph", "c")]),
        ("\\begin{lstlisting}[language=C]\nint a; % b\n\\end{lstlisting}",
         [("code", "int a; % b")]),
        ("\\begin{description}\\item[Buoy] floats\\item[Chain] holds\\end{description}",
         [("list", "- Buoy floats\n- Chain holds")]),
        ("\\begin{tabular}{lrr} & \\multicolumn{2}{c}{Price} \\\\ \\cline{2-3}"
         "City & net & all \\\\ \\hline \\multirow[t]{2}*{\\textbf{Rome}} & 1 &"
         "\\makecell{2 \\\\ or 3} \\\\ & 4 & 5\\\\[2pt] \\multicolumn{1}{l}{A \\& B} &"
         "\\multicolumn{2}{c}{\\multirow{2}{*}{no}}\\\\ C & & \\\\ \\hline\\end{tabular}",
         [("table", "| City | Price / net | Price / all |\n| --- | --- | --- |\n"
                    "| Rome | 1 | 2 or 3 |\n| Rome | 4 | 5 |\n| A & B | no | no |\n"
                    "| C | no | no |")]),
        ("\\unknown{kept \\textit{too}} {\\bf and} \\emph{this}",
         [("paragraph", "kept too and this")]),
    ],
    ids=["levels", "formulas", "listing", "terms", "spans", "macros"],
)  # fmt: skip
def test_further_latex(text: str, expected: Shown) -> None:
    assert shown(read_document(text.encode(), "a.tex")) == expected


def test_names_that_stand_for_themselves_do_not_grow() -> None:
    text = (
        "\\newcommand{\\a}{\\b\\b}\\newcommand{\\b}{\\a\\a}\\begin{document}\\a word\\end{document}"
    )
    assert len(read_document(text.encode(), "a.tex").text) < 100


# --- EPUB -----------------------------------------------------------------------------------


def book(chapters: dict[str, str], *, encryption: str = "", pad: int = 0) -> bytes:
    items = "".join(
        f'<item id="c{n}" href="text/{name}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in reversed(range(len(chapters))))
    points = "".join(
        f'<navPoint><navLabel><text>Label of {name}</text></navLabel><content src="text/{name}#a"/>'
        "</navPoint>"
        for name in chapters
    )
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr(
            "META-INF/container.xml",
            '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        )
        if encryption:
            archive.writestr(
                "META-INF/encryption.xml",
                f'<encryption><EncryptedData><EncryptionMethod Algorithm="{encryption}"/>'
                "</EncryptedData></encryption>",
            )
        archive.writestr(
            "OPS/book.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Buoys</dc:title>'
            "<dc:creator>Ada</dc:creator><dc:language>en-GB</dc:language></metadata><manifest>"
            f'{items}<item id="nav" href="nav.xhtml" properties="nav" '
            'media-type="application/xhtml+xml"/><item id="ncx" href="toc.ncx" '
            f'media-type="application/x-dtbncx+xml"/></manifest><spine>'
            f'<itemref idref="nav"/>{spine}</spine></package>',
        )
        archive.writestr("OPS/nav.xhtml", "<html><body><p>Contents</p></body></html>")
        archive.writestr("OPS/toc.ncx", f"<ncx><navMap>{points}</navMap></ncx>")
        for name, body in chapters.items():
            page = f"<html><head><title>x</title></head><body>{body}</body></html>"
            archive.writestr(f"OPS/text/{name}", page + " " * pad)
    return target.getvalue()


def test_a_protected_book_fails_and_one_with_hidden_fonts_does_not() -> None:
    chapters = {"a.xhtml": "<p>Words.</p>"}
    with pytest.raises(DocumentUnreadable, match="copy-protected"):
        read_document(book(chapters, encryption="http://www.w3.org/2001/04/xmlenc#aes256-cbc"), "a")
    fonts = book(chapters, encryption="http://www.idpf.org/2008/embedding")
    assert read_document(fonts, "a").blocks[-1].text == "Words."


def test_a_book_that_unpacks_to_too_much_is_refused() -> None:
    options = ReadingOptions(archive=ArchiveLimits(max_bytes=100_000))
    with pytest.raises(DocumentUnreadable, match="more bytes than are allowed"):
        read_document(book({"a.xhtml": "<p>x</p>"}, pad=200_000), "a.epub", options)


# --- all of them ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    list(product(
        ["a.rst", "a.adoc", "a.tex", "a.md", "a.html", "a.txt"],
        ["\u0001" * 3 + "x", "*" * 3000, "[" * 3000 + "x", "\\" * 3001 + "x", "{" * 3000 + "x",
         "x\n" + " " * 40 + "y\n" * 40, "|===\n" * 300 + "x", ".. " * 500 + "x", "- " * 900 + "x",
         "\\begin{itemize}" * 900 + "x", "`" * 3000 + "x", "$" * 3001 + "x", "<a" * 2000 + ">x"],
    )),
)  # fmt: skip
def test_repeated_marks_do_no_harm(name: str, text: str) -> None:
    assert "damaged" not in cause_of_failure(text.encode(), name)


def cause_of_failure(content: bytes, name: str) -> str:
    try:
        assert_lawful(read_document(content, name))
    except DocumentUnreadable as failure:
        return failure.cause
    return ""
