"""The page of each kind of document: opened at a quote, searched in, copied from.

What PDF files do is in `test_citations` and `test_page`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from shutil import which
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from playwright.async_api import Locator, Page, expect

from footnote.ingestion import libreoffice
from footnote.ingestion.parsing.ocr import installed_rapidocr
from tests.interfaces.serving import footnote

from .conftest import Site, handed_in, rested
from .kinds import COLOUR, KINDS, MOMENT_SECONDS, Kind
from .test_for_everyone import violations

WORKSPACE = "kinds"
HEADERS = {"Footnote-Workspace": WORKSPACE}
SHOWN = "#page img[src^='blob:'], #page canvas[data-drawn='true']"

COLOURED = """([selector, colour]) => {
  const shown = document.querySelector(selector);
  const canvas = document.createElement("canvas");
  canvas.width = shown.naturalWidth ?? shown.width;
  canvas.height = shown.naturalHeight ?? shown.height;
  const context = canvas.getContext("2d");
  context.drawImage(shown, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (let index = 0; index < data.length; index += 4) {
    if (colour.some((part, at) => Math.abs(data[index + at] - part) > 24)) continue;
    const x = (index / 4) % canvas.width, y = Math.floor(index / 4 / canvas.width);
    box[0] = Math.min(box[0], x); box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x + 1); box[3] = Math.max(box[3], y + 1);
  }
  return box.map((edge, at) => edge / (at % 2 === 0 ? canvas.width : canvas.height));
}"""
"""Where the page has a colour: left, top, right and bottom, as shares of the page."""
BOXES = """(marks) => marks.map((mark) => {
  const sheet = mark.closest("[data-sheet]").getBoundingClientRect();
  const { left, top, right, bottom } = mark.getBoundingClientRect();
  return [(left - sheet.left) / sheet.width, (top - sheet.top) / sheet.height,
    (right - sheet.left) / sheet.width, (bottom - sheet.top) / sheet.height];
})"""
"""Where marks are, as shares of the page."""


@pytest.fixture(scope="module")
async def http(site: Site) -> AsyncIterator[httpx.AsyncClient]:
    made = await footnote(site.env, "workspace", "create", WORKSPACE)
    assert made.code == 0, made.err
    async with httpx.AsyncClient(base_url=site.address, timeout=120, headers=HEADERS) as client:
        yield client


@pytest.fixture(scope="module")
async def ids(http: httpx.AsyncClient) -> dict[str, str]:
    """The documents in a workspace of their own, by file name."""
    found = {name: await handed_in(http, name, kind.content()) for name, kind in KINDS.items()}
    for document in found.values():
        await rested(http, document)
    return found


def missing(kind: Kind) -> str:
    """What is not installed that this kind needs; empty if nothing is missing."""
    if kind.needs == "office" and libreoffice.find_office() is None:
        return "LibreOffice is not installed"
    if kind.needs == "ocr" and not (which("tesseract") or installed_rapidocr()):
        return "neither Tesseract nor RapidOCR is installed"
    return ""


async def link_to(http: httpx.AsyncClient, document: str, kind: Kind) -> str:
    """The path that opens a document at its quote."""
    path = f"/v1/documents/{document}/passages"
    passages = (await http.get(path)).raise_for_status().json()["passages"]
    [passage] = [each for each in passages if kind.quote in each["text"]]
    shift = passage["char_start"] - passage["body_offset"]
    start = passage["text"].index(kind.quote) + shift
    span = next(each for each in passage["spans"] if each["char_start"] <= start < each["char_end"])
    place = {
        "document": document,
        "start": start,
        "end": start + len(kind.quote),
        "chunk": passage["chunk_id"],
        "page": span["page"],
        "at": span["start_seconds"],
        "workspace": WORKSPACE,
    }
    return "/?" + urlencode({name: each for name, each in place.items() if each is not None})


def bar(page: Page, name: str) -> Locator:
    return page.locator("#page").get_by_role("button", name=name, exact=True)


async def assert_on_the_words(page: Page, marks: Locator, kind: Kind, *, whole: bool) -> None:
    """The marks lie where the quoted words truly are; `whole` marks hold all of them."""
    left, top, right, bottom = await page.evaluate(COLOURED, [SHOWN, list(COLOUR)])
    boxes = await marks.evaluate_all(BOXES)
    assert boxes
    off = kind.tolerance
    for box in boxes:
        assert left - off <= box[0] < box[2] <= right + off, (box, (left, right))
        assert top - off <= box[1] < box[3] <= bottom + off, (box, (top, bottom))
    middle = (boxes[0][1] + boxes[0][3]) / 2
    assert top < middle < bottom
    if whole:
        held = max(box[2] for box in boxes) - min(box[0] for box in boxes)
        assert held > kind.least_width * (right - left)


@pytest.mark.parametrize("name", KINDS)
async def test_a_link_opens_the_quote_in_which_words_are_found_and_which_is_copied(
    page: Page, http: httpx.AsyncClient, ids: dict[str, str], name: str
) -> None:
    kind = KINDS[name]
    if reason := missing(kind):
        pytest.skip(reason)
    link = await link_to(http, ids[name], kind)
    await page.goto(link)
    marks = page.locator('#page [data-mark="exact"]')
    await expect(marks).not_to_have_count(0)
    hit = page.locator('#page [data-hit="current"]')
    if kind.page is not None:
        await expect(page.get_by_role("spinbutton", name="Go to page")).to_have_value(
            str(kind.page)
        )
        await expect(page.locator(SHOWN)).to_be_visible()
        await assert_on_the_words(page, marks, kind, whole=True)
    else:
        assert "".join(await marks.all_inner_texts()) == kind.quote
        await expect(marks.first).to_be_in_viewport()
    # Words are found where they stand.
    await bar(page, "Find in the document").click()
    await page.get_by_role("searchbox", name="Find in the document").fill(kind.sought.upper())
    await expect(page.get_by_role("search").get_by_role("status")).to_have_text("1 of 1")
    await expect(hit).not_to_have_count(0)
    if kind.page is not None:
        await assert_on_the_words(page, hit, kind, whole=False)
    else:
        assert (await hit.inner_text()).lower() == kind.sought
    await page.keyboard.press("Escape")
    await expect(hit).to_have_count(0)
    # The quote is copied, with a link that leads to where we are.
    await bar(page, "Copy the quote with its source").click()
    await expect(page.get_by_text("Copied.")).to_be_visible()
    copied = await page.evaluate("navigator.clipboard.readText()")
    said, address = copied.split("\n")
    where = "" if kind.page is None else f", page {kind.page}"
    assert said.startswith(f"“{kind.quote}” (")
    assert said.endswith(f"{where})")
    await page.goto(address)
    await expect(marks).not_to_have_count(0)


async def test_next_and_previous_walk_through_documents_of_every_kind(
    page: Page, http: httpx.AsyncClient, ids: dict[str, str]
) -> None:
    # Each of the few passages is found, whatever is sought.
    await page.goto("/find?" + urlencode({"workspace": WORKSPACE, "query": "the harbour"}))
    results = page.locator("[data-result]")
    await expect(results.first).to_be_visible()
    titles = await results.all_inner_texts()
    steps = page.get_by_role("group", name="Citations")
    title = page.locator("#page h2").first
    marks = page.locator("#page [data-mark]")
    await results.first.click()
    seen = set()
    for number, expected in enumerate(titles, start=1):
        await expect(steps).to_contain_text(f"{number} / {len(titles)}")
        await expect(title).to_have_text(expected)
        await expect(marks).not_to_have_count(0)
        seen.add(parse_qs(urlsplit(page.url).query)["document"][0])
        if number < len(titles):
            await steps.get_by_role("button", name="Next citation").click()
    assert {name for name, kind in KINDS.items() if not missing(kind)} <= {
        name for name, document in ids.items() if document in seen
    }
    await steps.get_by_role("button", name="Previous citation").click()
    await expect(title).to_have_text(titles[-2])
    await expect(marks).not_to_have_count(0)


async def test_a_recording_plays_from_the_moment_of_the_quote(
    page: Page, http: httpx.AsyncClient, ids: dict[str, str]
) -> None:
    name = "morning.wav"
    await page.goto(await link_to(http, ids[name], KINDS[name]))
    player = page.locator("#page audio")
    await expect(player).to_have_js_property("currentTime", MOMENT_SECONDS)
    await page.get_by_role("button", name="Go to 0:00").click()
    await expect(player).to_have_js_property("currentTime", 0)


async def test_a_message_leads_to_what_was_attached_and_that_back_to_it(
    page: Page, ids: dict[str, str]
) -> None:
    await page.goto(f"/documents/{ids['letter.eml']}?workspace={WORKSPACE}")
    await expect(page.get_by_role("heading", name="Lamp oil for Gull Rock").first).to_be_visible()
    attached = page.get_by_role("region", name="Attachments")
    await expect(attached.get_by_role("link")).to_have_text(["waybill", "crates"])
    await attached.get_by_role("link", name="waybill").click()
    await page.wait_for_selector('canvas[data-drawn="true"]')
    came_with = page.locator("#main p", has_text="Attached to").get_by_role("link")
    await expect(came_with).to_have_text("Lamp oil for Gull Rock")
    assert await violations(page) == []
    await came_with.click()
    await expect(page).to_have_url(re.compile(ids["letter.eml"]))
    await expect(page.get_by_role("region", name="Text of the document")).to_contain_text(
        "nineteen crates"
    )
