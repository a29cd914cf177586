from __future__ import annotations

import io
import re
import zipfile
from itertools import product

import pytest

from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.archives import ArchiveLimits
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion.test_reading import assert_lawful

# --- HTML -----------------------------------------------------------------------------------


@pytest.mark.parametrize("span", ["999999999", "-1", "x", "", "٣"])
def test_absurd_spans_do_no_harm(span: str) -> None:
    page = f"<table><tr><td rowspan='{span}' colspan='{span}'>a</td><td>b</td></tr></table>"
    assert "a" in read_document(page.encode(), "a.html").text


def test_a_page_is_read_in_the_charset_it_declares() -> None:
    page = '<html><head><meta charset="koi8-r"></head><body><p>Договор</p></body></html>'
    assert read_document(page.encode("koi8-r"), "a.html").text == "Договор"


def text_of(page: str, name: str = "a.html") -> str:
    return read_document(page.encode(), name).text


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (
            "<p>Hello.</p><ul><li>The gate fee is 1<li>The lamp fee is 2</body></html>",
            "Hello.\n\n- The gate fee is 1\n- The lamp fee is 2",
        ),
        ("<p>Hello.</p><dl><dt>Gate<dd>1 crown", "Hello.\n\n- Gate\n  1 crown"),
        (
            "<ul><li>a<li>b<h2>Payments</h2><p>Due in 41 days.</p>",
            "- a\n- b\n\nPayments\n\nDue in 41 days.",
        ),
        ("<ul><li>a<ol><li>b", "- a\n  1. b"),
        ("<table><tr><th>Gate<th>Fee<tr><td>North<td>7", "| Gate | Fee |\n| North | 7 |"),
    ],
    ids=["a list", "definitions", "a heading in a list", "a list in a list", "a table"],
)
def test_what_a_page_leaves_open_is_kept(page: str, expected: str) -> None:
    said = text_of(page)
    assert re.sub(r"\|(?: --- \|)+\n", "", said) == expected


@pytest.mark.parametrize(
    "page",
    [
        "<body><nav><ul><li>Home</ul><p>The fee is 7.</p></body>",
        "<body><aside>Home<p>The fee is 7.</p><footer><a href='/i'>Imprint</a></footer></body>",
        "<body><p>Home</p><footer><p>The fee is 7.</p>",
        "<body><nav>Home<nav>Menu</nav><p>The fee is 7.</p><nav>More</nav></body>",
        "<body><div role='navigation'>Home<div>Menu</div><p>The fee is 7.</p></body>",
        "<body><nav>Home<aside>Menu<p>The fee is 7.</p></body>",
        "<head><title>T</title><style>p{}</style><p>Home<p>The fee is 7.</p>",
    ],
    ids=["nav", "aside", "footer", "nav in nav", "role", "nav and aside", "head"],
)
def test_what_follows_a_part_of_a_page_that_is_not_closed_is_kept(page: str) -> None:
    said = text_of(page)
    assert said.endswith("The fee is 7.")
    assert "Home" in said


@pytest.mark.parametrize("opened", ["<nav hidden>", "<aside style='display: none'>", "<template>"])
def test_what_is_hidden_to_the_end_of_a_page_stays_left_out(opened: str) -> None:
    assert text_of(f"<p>The fee is 7.</p>{opened}The fee is 8.<p>No.</p>") == "The fee is 7."


FOOTER = """<body><h1>Rules</h1><h2>Fees</h2><p>The fee is 7.</p>{opened}
<nav><a href="/">Home</a></nav><h4>Company</h4><ul><li><a href="/jobs">Jobs</a></li>
<li><a href="https://a.example/press">Press</a></li></ul>
<p><a href="/imprint">Imprint</a> | <a href="/privacy"><span>Privacy</span></a></p>
<div class="cookie-note">We use cookies.</div><a href="/up"><div>Top</div></a>
<h4>Contact</h4><p>VAT number GB 417 2290 63</p><a href="mailto:a@b.example">Write</a>
<ul><li><a href="/map">Map</a></li><li>Slipway 3, see <a href="/way">the way</a></li></ul>
{closed}</body>"""


@pytest.mark.parametrize(
    ("opened", "closed"),
    [
        ("<footer>", "</footer>"),
        ("<div role=contentinfo><div></div>", "</div>"),
        ("<ul><li>The fee<footer>", "</footer>"),
    ],
    ids=["footer", "role", "after an open list"],
)
def test_a_footer_is_read_last_and_without_its_menus(opened: str, closed: str) -> None:
    parsed = read_document(FOOTER.format(opened=opened, closed=closed).encode(), "a.html")
    assert_lawful(parsed)
    blocks = [block for block in parsed.blocks if not block.heading_path]
    assert [block.text for block in blocks] == [
        "Contact",
        "VAT number GB 417 2290 63",
        "Write (a@b.example)",
        "- Slipway 3, see the way",
    ]
    assert parsed.text.endswith("\n\n".join(block.text for block in blocks))
    assert parsed.blocks[2].heading_path == ("Rules", "Fees")


@pytest.mark.parametrize(
    "page",
    [
        "<footer>VAT 41</footer><p>The fee is 7.</p>",
        "<main><h1>Fee</h1><p>The fee is 7.</p></main><p>Beside</p><footer>VAT 41</footer>",
        "<main><p>The fee is 7.</p><footer>VAT 41</footer></main>",
        "<article><p>The fee is 7.</p></article><footer><p>VAT 41</p></footer>",
    ],
    ids=["above", "beside main", "in main", "below an article"],
)
def test_a_footer_is_read_wherever_it_stands(page: str) -> None:
    assert text_of(page).removeprefix("Fee\n\n") == "The fee is 7.\n\nVAT 41"


@pytest.mark.parametrize("part", ["article", "blockquote"])
def test_the_footer_of_a_part_stays_in_it(part: str) -> None:
    page = f"<h1>A</h1><{part}>Done.<footer>By Ann</footer></{part}><h1>B</h1><p>The fee is 7.</p>"
    assert text_of(page) == "A\n\nDone.\n\nBy Ann\n\nB\n\nThe fee is 7."


def test_parts_that_are_not_closed_by_the_thousand_are_read_once() -> None:
    page = "".join(f"<x{n} role='navigation'>" for n in range(20_000))
    assert text_of(f"{page}<p>The fee is 7.</p>") == "The fee is 7."


def test_lists_in_lists_by_the_thousand_do_not_grow() -> None:
    text = text_of("<ul><li>The fee" * 5_000)
    assert text.count("- The fee") == 5_000
    assert len(text) < 1_000_000


def test_a_form_is_read_without_its_controls() -> None:
    page = (
        '<body><form id="aspnetForm"><h1>Rules</h1><p>Due in 41 days.</p>'
        "<fieldset><legend>Berth</legend><input value='typed'>Side "
        "<select><option>port</option><optgroup label=x><option>stern</optgroup></select>"
        "<textarea>draft</textarea><button>Send</button></fieldset></form></body>"
    )
    assert text_of(page) == "Rules\n\nDue in 41 days.\n\nBerth\n\nSide"


# --- Markdown -------------------------------------------------------------------------------


def test_lines_of_keys_and_values_stay_lines() -> None:
    sheet = "**Deductible:** 250 EUR\nLimit: 5,000 EUR\nBegins: 1 May"
    assert read_document(sheet.encode(), "a.md").text == (
        "Deductible: 250 EUR\nLimit: 5,000 EUR\nBegins: 1 May"
    )


def test_a_line_break_in_a_sentence_is_a_space() -> None:
    prose = "Note: the fee is\npaid in May"
    assert read_document(prose.encode(), "a.md").text == "Note: the fee is paid in May"


@pytest.mark.parametrize("depth", [10, 45, 60, 400])
def test_a_list_of_many_levels_is_kept_with_all_after_it(depth: int) -> None:
    items = "".join(f"{'  ' * level}- level {level}\n" for level in range(depth))
    text = text_of(f"# P\n\n{items}\n# Payments\n\nDue in 41 days.\n", "a.md")
    assert re.findall(r"level (\d+)", text) == [str(level) for level in range(depth)]
    assert text.endswith("\n\nPayments\n\nDue in 41 days.")


@pytest.mark.parametrize("numbers", [(0, 1, 2), (1, 2, 3), (7, 8, 9)], ids=str)
@pytest.mark.parametrize("name", ["a.md", "a.html"])
def test_a_list_keeps_its_numbers(numbers: tuple[int, int, int], name: str) -> None:
    expected = "\n".join(f"{number}. step" for number in numbers)
    page = f"<ol start={numbers[0]}><li>step<li>step<li>step</ol>"
    assert text_of(expected if name == "a.md" else page, name) == expected


@pytest.mark.parametrize("mark", [">", "> ", "> - ", "1. > "])
@pytest.mark.parametrize("depth", [22, 99, 100, 5_000])
def test_a_quote_in_many_quotes_is_kept_with_all_after_it(mark: str, depth: int) -> None:
    text = text_of(f"{mark * depth} The fee\nis 41.\n\n# Payments\n\nDue soon.\n", "a.md")
    assert re.search(r"The fee\s+is 41\.", text)
    assert text.endswith("\n\nPayments\n\nDue soon.")


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (
            "---\n\nThe rent of Rimswell is 900 florins.\n\n---\n\n# Next\n\nFee 27.\n",
            "The rent of Rimswell is 900 florins.\n\nNext\n\nFee 27.",
        ),
        (
            "---\nDear Ann,\nplease pay 28 florins.\n---\n\nRegards",
            "Dear Ann, please pay 28 florins.\n\nRegards",
        ),
        ("---\n- a\n- b\n---\n\nEnd", "- a\n- b\n\nEnd"),
        ("+++\nPay 28 florins.\n+++\n\nEnd", "+++ Pay 28 florins. +++\n\nEnd"),
    ],
    ids=["a blank line", "a letter", "a list", "no TOML"],
)
def test_what_stands_between_rules_is_text_unless_it_is_a_mapping(page: str, expected: str) -> None:
    assert text_of(page, "a.md") == expected


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("---\nNote: pay 28 florins\n---", "Note: pay 28 florins"),
        ("---\nDue date: 3 May # noon\n---", "Due date: 3 May # noon"),
        (
            "---\ntitle: T\n\nfees:\n  gate: 1\n  lamp: [2,\n  3]\n---",
            "fees:\ngate: 1\nlamp: [2,\n3]",
        ),
        ("---\nauthor:\n  name: Ann\n  born: 1931\n---", "author:\nname: Ann\nborn: 1931"),
        ("---\ntags: [a]\nkeywords: [b]\n---", "keywords: [b]"),
        (
            '+++\nrent = 900\n[fees]\ntitle = "Gate"\n+++',
            'rent = 900\n[fees]\ntitle = "Gate"',
        ),
    ],
    ids=["unknown", "a name of two words", "nested", "nested in a known one", "said twice", "TOML"],
)
def test_what_front_matter_says_beyond_the_metadata_is_text(front: str, expected: str) -> None:
    text = text_of(f"{front}\n\nEnd.\n", "a.md")
    assert re.sub(r"\n +", "\n", text) == f"{expected}\n\nEnd."


def test_front_matter_that_is_metadata_is_no_text() -> None:
    parsed = read_document(
        b"---\n# from the site\ntitle: >-\n  The\n  rules: all\nauthors:\n- Ann\n- Bo\n---\n\nEnd.",
        "a.md",
    )
    assert (parsed.text, parsed.title) == ("End.", "The rules: all")
    assert parsed.metadata["author"] == "Ann, Bo"


# --- LaTeX ----------------------------------------------------------------------------------


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
