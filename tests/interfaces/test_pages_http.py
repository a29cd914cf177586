"""Pages over HTTP and on the command line: a citation becomes a picture with its quote marked."""

import io
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

import footnote
from footnote.domain.pages import Highlight
from footnote.engine import Engine
from footnote.settings import Settings
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.ingestion.files import contract_docx
from tests.ingestion.page_marks import needs_office
from tests.ingestion.pdf_files import pdf, wrap, write
from tests.interfaces.conftest import but_for_ids
from tests.interfaces.serving import environment, served
from tests.interfaces.serving import footnote as command
from tests.interfaces.test_http import index, upload
from tests.interfaces.test_refusals import assert_problem

CLAIM = "A claim must be reported to the insurer within 14 days of the loss."
OTHER = "The deductible for each moored buoy is 2,500 euros."


def policy() -> bytes:
    def cover(canvas: Canvas) -> None:
        write(canvas, ["Marine policy POL-88213-X"], 60, 700, 20)

    def terms(canvas: Canvas) -> None:
        write(canvas, ["Claims"], 60, 740, 16)
        write(canvas, wrap(CLAIM, 200), 60, 700)
        write(canvas, ["Deductibles"], 60, 640, 16)
        write(canvas, wrap(OTHER, 400), 60, 600)

    return pdf(cover, terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """A server over one indexed policy, to be looked at and not to be changed."""

    http: httpx.AsyncClient
    document: str
    """The path of the policy."""
    settings: Settings


@pytest.fixture(scope="module")
async def shelf(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Shelf]:
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path_factory.mktemp("shelf"), model_home)
        async with footnote.open(settings) as engine:
            await engine.create_workspace("other")
        async with served(settings) as http:
            accepted = await upload(http, policy(), "policy.pdf")
            await index(settings, None, accepted)
            document = f"/v1/documents/{accepted.json()['document_id']}"
            yield Shelf(http=http, document=document, settings=settings)


def picture(response: httpx.Response) -> Image.Image:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "image/png"
    return Image.open(io.BytesIO(response.content))


async def test_a_citation_becomes_a_page_with_its_quote_marked(shelf: Shelf) -> None:
    http, document = shelf.http, shelf.document
    asked = {"question": "How soon must a claim be reported?"}
    answer = (await http.post("/v1/answers", json=asked)).json()
    citation = answer["citations"][0]
    span = {"start": citation["char_start"], "end": citation["char_end"]}
    page = f"{document}/pages/{citation['page']}"

    found = (await http.get(f"{page}/rects", params=span)).json()
    assert (found["page"], found["page_count"]) == (2, 2)
    (quote,) = found["quotes"]
    assert (quote["quote"], quote["match"]) == (citation["quote"], "exact")
    assert CLAIM in quote["text"]
    for box in quote["rectangles"]:
        shares = box["fractions"]
        assert shares["left"] == pytest.approx(box["left"] / found["width_points"], abs=1e-5)
        assert 0 <= shares["left"] < shares["right"] <= 1
        assert 0 <= shares["top"] < shares["bottom"] <= 1

    plain = await http.get(f"{page}.png")
    marked = await http.get(f"{page}.png", params=span)
    assert marked.headers["footnote-page-count"] == "2"
    assert marked.headers["footnote-matches"] == "exact"
    assert "private" in marked.headers["cache-control"]
    size = picture(plain).size
    box = quote["rectangles"][0]["fractions"]
    corner = round(box["left"] * size[0]) + 2, round(box["top"] * size[1]) + 2
    assert picture(plain).getpixel(corner) == (255, 255, 255)
    hue = picture(marked).getpixel(corner)
    assert isinstance(hue, tuple)
    assert hue[0] > 200
    assert hue[1] > 200
    assert hue[2] < 200


async def test_texts_and_spans_are_marked_together(shelf: Shelf) -> None:
    http, document = shelf.http, shelf.document
    wanted: dict[str, list[str] | list[int]] = {
        "quote": [OTHER, "nobody ever said this sentence"],
        "start": [0],
        "end": [10],
    }
    found = (await http.get(f"{document}/pages/2/rects", params=wanted)).json()
    assert [quote["match"] for quote in found["quotes"]] == ["exact", "none", "none"]
    assert found["quotes"][2]["quote"] == "Marine pol"
    pages = (await http.get(f"{document}/pages", params={"quote": OTHER})).json()
    assert pages == {"page_count": 2, "pages": [2]}


async def test_a_picture_that_did_not_change_is_not_sent_again(shelf: Shelf) -> None:
    http, page = shelf.http, f"{shelf.document}/pages/2.png"
    first = await http.get(page, params={"highlight": OTHER})
    known = {"If-None-Match": first.headers["etag"]}
    again = await http.get(page, params={"highlight": OTHER}, headers=known)
    assert (again.status_code, again.content) == (304, b"")
    other = await http.get(page, params={"highlight": CLAIM}, headers=known)
    assert other.status_code == 200
    small = await http.get(page, params={"dpi": 36}, headers=known)
    assert picture(small).size < picture(other).size


async def test_foreign_and_absent_pages_look_the_same(shelf: Shelf) -> None:
    http, document = shelf.http, shelf.document
    elsewhere = {"Footnote-Workspace": "other"}
    for end in ("/pages/1.png", "/pages/1/rects?quote=claim", "/pages?quote=claim"):
        foreign = await http.get(document + end, headers=elsewhere)
        absent = await http.get(f"/v1/documents/{uuid4()}{end}", headers=elsewhere)
        assert foreign.status_code == absent.status_code == 404
        assert but_for_ids(foreign) == but_for_ids(absent)


async def test_a_link_names_the_workspace_of_a_page(shelf: Shelf) -> None:
    http, document = shelf.http, shelf.document
    for end in ("/pages/1.png?", "/pages/1/rects?quote=claim&", "/pages?quote=claim&", "/content?"):
        path = f"{document}{end}workspace="
        assert (await http.get(f"{path}default")).status_code == 200
        assert (await http.get(f"{path}other")).status_code == 404
        same = await http.get(f"{path}other", headers={"Footnote-Workspace": "other"})
        assert same.status_code == 404
        two = await http.get(f"{path}default", headers={"Footnote-Workspace": "other"})
        assert_problem(two, 422, "invalid-request")
        assert "'default' and the header Footnote-Workspace names 'other'" in two.json()["detail"]
        again = await http.get(f"{path}other&workspace=default")
        assert_problem(again, 422, "invalid-request")
        assert "query.workspace" in again.json()["detail"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "/pages/2/rects?highlight=x",
            "query.highlight: it is not known here; known are end, quote, start, workspace",
        ),
        (
            "/pages/2.png?quote=x",
            "query.quote: it is not known here; known are dpi, end, highlight, start, workspace",
        ),
        (
            "/pages?quote=a&dpi=100",
            "query.dpi: it is not known here; known are end, quote, start, workspace",
        ),
        ("/pages?quote=a&quote=b", "query.quote: send it once, not twice"),
        ("/pages/2.png?dpi=100&dpi=200", "query.dpi: send it once, not twice"),
    ],
)
async def test_a_parameter_that_would_be_passed_over_is_refused(
    shelf: Shelf, query: str, said: str
) -> None:
    response = await shelf.http.get(shelf.document + query)
    assert_problem(response, 422, "invalid-request")
    assert said in response.json()["detail"]


async def test_a_hidden_document_has_no_pages_for_others(engine: Engine) -> None:
    keeper = footnote.Principal(principal_id="keeper")
    received = await (await engine.workspace(principal=keeper)).receive(
        policy(), "policy.pdf", shared_with=["keeper"]
    )
    document_id = received.document.document_id
    stranger = await engine.workspace(principal=footnote.Principal(principal_id="stranger"))
    for asked in (
        stranger.page_image(document_id, 1),
        stranger.page_fingerprint(document_id, 1),
        stranger.page_rectangles(document_id, 1, [Highlight(text="claim")]),
        stranger.pages_of_quote(document_id, Highlight(text="claim")),
    ):
        with pytest.raises(footnote.NotFound):
            await asked
    seen = await (await engine.workspace(principal=keeper)).page_image(document_id, 1)
    assert seen.rectangles.page_count == 2


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("/pages/3.png", "there is no page 3: “policy.pdf” has 2 pages"),
        ("/pages/0.png", "path.page"),
        ("/pages/one.png", "path.page"),
        ("/pages/1.png?dpi=10000", "query.dpi"),
        ("/pages/1.png?start=1", "there are 1 start and 0 end"),
        ("/pages/1.png?start=5&end=5", "there is no span from 5 to 5"),
        ("/pages/1/rects?start=0&end=99999", "there is no span from 0 to 99999"),
        ("/pages/1.png?highlight=%20", "is empty"),
        ("/pages", "it is not clear what is to be marked"),
    ],
)
async def test_what_makes_no_sense_is_refused_with_a_reason(
    shelf: Shelf, query: str, said: str
) -> None:
    response = await shelf.http.get(shelf.document + query)
    assert_problem(response, 422, "invalid-request")
    assert said in response.json()["detail"]


async def test_a_text_document_has_no_pages(shelf: Shelf) -> None:
    http, accepted = shelf.http, await upload(shelf.http)
    response = await http.get(f"/v1/documents/{accepted.json()['document_id']}/pages/1.png")
    assert_problem(response, 422, "invalid-request")
    assert "no pages" in response.json()["detail"]
    assert "PDFs, pictures" in response.json()["hint"]


async def test_a_broken_file_is_a_typed_problem(shelf: Shelf) -> None:
    http = shelf.http
    accepted = await upload(http, b"%PDF-1.7\nnothing to see\n%%EOF", "broken.pdf")
    response = await http.get(f"/v1/documents/{accepted.json()['document_id']}/pages/1.png")
    assert_problem(response, 422, "document-unreadable")


@needs_office
async def test_the_pdf_of_an_office_file_goes_with_its_document(engine: Engine) -> None:
    workspace = await engine.workspace()
    received = await workspace.receive(contract_docx(), "contract.docx")
    document_id = received.document.document_id
    image = await workspace.page_image(document_id, 1)
    assert image.rectangles.page_count >= 1
    kept = engine.settings.home / "pages"
    assert len(list(kept.rglob("*.pdf"))) == 1
    erasure = await workspace.erase_document(document_id)
    assert erasure.complete
    assert not list(kept.rglob("*.pdf"))


async def test_the_command_line_draws_a_page(shelf: Shelf, tmp_path: Path) -> None:
    env, out = environment(shelf.settings), tmp_path / "page.png"
    document = shelf.document.rpartition("/")[2]
    drawn = await command(
        env, "page", document, "2", "--highlight", CLAIM, "--span", "0:10", "--out", str(out)
    )
    assert drawn.code == 0, drawn.err
    assert "page 2 of 2" in drawn.out
    assert "exact: “A claim" in drawn.out
    assert out.read_bytes().startswith(b"\x89PNG")
    wrong = await command(env, "page", document, "7", "--out", str(out), "--json")
    assert (wrong.code, json.loads(wrong.out)["error"]["code"]) == (2, "invalid-request")
