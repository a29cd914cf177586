"""Pages are drawn in children with limits, those of office files by way of LibreOffice."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pypdfium2 as pdfium
import pytest

from footnote.domain.pages import QuoteMatch
from footnote.errors import DocumentUnreadable, InvalidRequest
from footnote.ingestion import libreoffice, media
from footnote.ingestion.parsing.reading import read_document
from footnote.ingestion.rendering.cache import PdfCache
from footnote.ingestion.rendering.pages import Pages
from footnote.ingestion.rendering.quotes import Quote
from footnote.ingestion.rendering.renderer import PageRenderer, Showable
from tests.ingestion import files, office_files, pdf_files
from tests.ingestion.page_marks import (
    DPI,
    OCR,
    SENTENCE,
    needs_office,
    only,
    sample,
    turned,
    with_half_a_character,
)

# --- the children -----------------------------------------------------------------------------


async def _always(_: str) -> bool:
    return True


@pytest.fixture
async def renderer(tmp_path: Path) -> AsyncIterator[PageRenderer]:
    made = PageRenderer(cache=PdfCache(tmp_path / "pages", 10_000_000), still_there=_always)
    yield made
    await made.aclose()


def showable(content: bytes, name: str) -> Showable:
    media_type = media.sniff_media_type(content, name) or ""
    return Showable(
        filename=name, media_type=media_type, key="workspace/ab/abcd", content=BytesIO(content)
    )


async def test_a_child_draws_and_finds_as_its_functions_do(renderer: PageRenderer) -> None:
    content = turned(90)
    document, quotes = showable(content, "a.pdf"), [Quote(text=SENTENCE)]
    image = await renderer.image(document, 1, quotes, DPI)
    assert image == Pages(OCR).image(content, media.PDF, "key", 1, quotes, dpi=DPI)
    assert await renderer.rectangles(document, 1, quotes) == image.rectangles
    assert (await renderer.pages_of(document, quotes[0])).pages == (1,)


async def test_half_a_character_in_a_page_hurts_nobody(renderer: PageRenderer) -> None:
    document = showable(with_half_a_character(), "a.pdf")
    quotes = [Quote(text="The harbour lights are lit at dusk.")]
    (quote,) = (await renderer.rectangles(document, 1, quotes)).quotes
    assert quote.match is QuoteMatch.EXACT
    assert quote.text.encode()


async def test_a_page_that_is_not_there_says_how_many_there_are(renderer: PageRenderer) -> None:
    with pytest.raises(InvalidRequest, match=r"no page 9.* has 1 page") as raised:
        await renderer.image(showable(turned(0), "a.pdf"), 9, [], DPI)
    assert "page 1" in str(raised.value.hint)


@pytest.mark.parametrize(
    ("content", "page", "cause"),
    [
        pytest.param(pdf_files.with_a_broken_page(), 2, "page 2 of it is damaged", id="a page"),
        pytest.param(b"%PDF-1.7\nnothing\n%%EOF", 1, "damaged", id="a file"),
        pytest.param(pdf_files.encrypted(user="x"), 1, "password", id="encrypted"),
    ],
)
async def test_what_is_broken_is_a_typed_error(
    renderer: PageRenderer, content: bytes, page: int, cause: str
) -> None:
    with pytest.raises(DocumentUnreadable, match=cause):
        await renderer.image(showable(content, "a.pdf"), page, [], DPI)
    good = await renderer.image(showable(turned(0), "b.pdf"), 1, [], DPI)
    assert good.rectangles.page_count == 1


async def test_a_page_that_takes_too_long_is_a_typed_error(tmp_path: Path) -> None:
    cache = PdfCache(tmp_path, 1000)
    hasty = PageRenderer(cache=cache, still_there=_always, timeout_seconds=0.001)
    with pytest.raises(DocumentUnreadable, match=r"longer than 0\.001 seconds") as raised:
        await hasty.image(showable(turned(0), "a.pdf"), 1, [], DPI)
    assert "simpler page" in raised.value.advice
    await hasty.aclose()


@pytest.mark.parametrize("name", ["notes.md", "letter.eml", "page.html", "data.csv"])
async def test_what_has_no_pages_says_which_kinds_have(renderer: PageRenderer, name: str) -> None:
    with pytest.raises(InvalidRequest, match="no pages") as raised:
        await renderer.image(showable(b"From: a@b\nSubject: c\n\n# Text", name), 1, [], DPI)
    assert "PDF" in str(raised.value.hint)


# --- office files -----------------------------------------------------------------------------


async def test_without_libreoffice_the_error_names_the_remedy(
    renderer: PageRenderer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DocumentUnreadable, match="LibreOffice") as raised:
        await renderer.image(showable(files.contract_docx(), "a.docx"), 1, [], DPI)
    assert "apt-get install libreoffice-writer-nogui" in raised.value.advice


@needs_office
@pytest.mark.parametrize(
    ("build", "name"),
    [
        pytest.param(files.contract_docx, "a.docx", id="Word"),
        pytest.param(files.deck_pptx, "a.pptx", id="PowerPoint"),
        pytest.param(files.prices_xlsx, "a.xlsx", id="Excel"),
    ],
)
async def test_an_office_file_is_drawn_once_and_its_quotes_are_found(
    renderer: PageRenderer, tmp_path: Path, build: Callable[[], bytes], name: str
) -> None:
    content = build()
    parsed, document = read_document(content, name), showable(content, name)
    for quote in sample(parsed, 3):
        page = int(quote.before)
        asked = Quote(text=quote.text)
        if not page:  # a Word file has no pages of its own
            page = (await renderer.pages_of(document, asked)).pages[0]
        found = only(await renderer.rectangles(document, page, [asked]))
        assert found.match is not QuoteMatch.NONE, quote.text
    kept = list((tmp_path / "pages").rglob("*"))
    assert [path.name for path in kept if path.is_file()] == ["abcd.pdf"]
    assert not list((tmp_path / "pages").glob("work-*"))


@needs_office
async def test_a_number_that_is_wider_than_its_column_is_marked_and_so_is_a_name_before_it(
    renderer: PageRenderer,
) -> None:
    content = files.wide_cells_xlsx()
    document = showable(content, "a.xlsx")
    for row in ("Account of the harbour office in Rostock\t12,345,678,901.50 GBP", "Buoys\t7"):
        name, number = row.split("\t")
        for words in (row, name, number):
            found = only(await renderer.rectangles(document, 1, [Quote(text=words)]))
            assert found.match is QuoteMatch.EXACT, words


LINKS = (
    '<text:p>Before.</text:p><text:section text:name="s"><text:section-source '
    'xlink:href="{file}" text:filter-name="Text" xlink:type="simple"/><text:p>kept</text:p>'
    '</text:section><text:section text:name="t"><text:section-source xlink:href="{url}/text.odt" '
    'xlink:type="simple"/></text:section><text:p><draw:frame text:anchor-type="as-char" '
    'svg:width="4cm" svg:height="4cm"><draw:image xlink:href="{url}/image.png" '
    'xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame></text:p>'
)
FORMULAS = (
    '<table:table table:name="A"><table:table-row>'
    '<table:table-cell table:formula="of:=WEBSERVICE(&quot;{url}/cell&quot;)"/>'
    '<table:table-cell table:formula="of:=WEBSERVICE(&quot;{file}&quot;)"/>'
    '<table:table-cell table:formula="of:=&apos;{file}&apos;#$A.A1"/>'
    '<table:table-cell office:value-type="string"><text:p>Before.</text:p></table:table-cell>'
    "</table:table-row></table:table>"
)


@needs_office
@pytest.mark.parametrize(
    ("body", "media_type", "kind"),
    [(LINKS, media.ODT, "text"), (FORMULAS, media.ODS, "spreadsheet")],
    ids=["text", "sheet"],
)
def test_an_office_file_learns_nothing_of_this_machine_or_the_network(
    tmp_path: Path, body: str, media_type: str, kind: str
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("What only this machine knows.")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        linked = body.format(file=secret.as_uri(), url=url)
        content = office_files.open_document(kind, linked)
        made = libreoffice.to_pdf(content, media_type)
        with pytest.raises(BlockingIOError):
            listening.accept()
    with pdfium.PdfDocument(made) as document:
        said = document[0].get_textpage().get_text_bounded()
    assert "Before." in said
    assert "machine" not in said


def running_commands() -> Iterator[bytes]:
    for running in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield running.read_bytes()


@needs_office
async def test_a_libreoffice_that_takes_too_long_is_ended_with_all_it_left(tmp_path: Path) -> None:
    cache = PdfCache(tmp_path / "pages", 1000)
    hasty = PageRenderer(cache=cache, still_there=_always, office_timeout_seconds=1.0)
    with pytest.raises(DocumentUnreadable, match="longer than 1 seconds") as raised:
        await hasty.image(showable(files.contract_docx(), "a.docx"), 1, [], DPI)
    assert "PDF" in raised.value.advice
    await hasty.aclose()
    assert not list((tmp_path / "pages").glob("work-*"))
    assert not [command for command in running_commands() if str(tmp_path).encode() in command]


# --- the cache of office files ----------------------------------------------------------------


def test_the_cache_stays_small_and_forgets(tmp_path: Path) -> None:
    cache = PdfCache(tmp_path / "pages", 1000)
    for number in range(5):
        cache.put(f"w/aa/{number}", bytes([number]) * 400)
        os.utime(tmp_path / "pages" / "w" / f"{number}.pdf", (number, number))
    cache.put("w/aa/huge", b"x" * 2000)
    assert [cache.has(f"w/aa/{number}") for number in range(5)] == [False] * 3 + [True] * 2
    assert not cache.has("w/aa/huge")
    kept = cache.open("w/aa/4")
    assert kept is not None
    with kept:
        assert kept.read() == b"\x04" * 400
    cache.forget("w/aa/4")
    cache.forget("w/aa/4")
    assert cache.open("w/aa/4") is None
