"""What can be done with the page that is open: find words in it, keep it beside another, copy."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, quote, urlsplit

from playwright.async_api import Locator, Page, expect

from .conftest import Site
from .documents import NOTICE, PARAGRAPHS, QUESTIONS
from .test_citations import ask, drawn

STORM = "meeting-2025-02-18-storm-review.md"


def bar(page: Page, name: str) -> Locator:
    return page.locator("#page").get_by_role("button", name=name, exact=True)


async def test_words_are_found_over_all_pages_and_walked_through(page: Page, site: Site) -> None:
    await page.goto(f"/documents/{site.ids['insurance-policy.pdf']}")
    await page.wait_for_selector('#page canvas[data-drawn="true"]')
    await page.locator("#page").get_by_role("region", name="page 1").focus()
    await page.keyboard.press("Control+f")
    field = page.get_by_role("searchbox", name="Find in the document")
    await expect(field).to_be_focused()
    await field.fill("DEDUCTIBLE")
    status = page.get_by_role("search").get_by_role("status")
    await expect(status).to_contain_text("1 of")
    count = int((await status.inner_text()).split()[-1])
    assert count > 1
    shown = page.get_by_role("spinbutton", name="Go to page")
    pages = set()
    for number in range(1, count + 1):
        await expect(status).to_have_text(f"{number} of {count}")
        await expect(page.locator('[data-hit="current"]')).not_to_have_count(0)
        pages.add(await shown.input_value())
        await field.press("Enter")
    # After the last comes the first, and Shift leads back.
    await expect(status).to_have_text(f"1 of {count}")
    await field.press("Shift+Enter")
    await expect(status).to_have_text(f"{count} of {count}")
    assert len(pages) > 1, "it goes over pages"
    await field.press("Escape")
    await expect(field).to_have_count(0)
    await expect(page.locator("[data-hit]")).to_have_count(0)


async def test_words_are_found_in_a_document_without_pages(page: Page, site: Site) -> None:
    await page.goto(f"/documents/{site.ids[STORM]}")
    await expect(page.get_by_role("region", name="Text of the document")).to_be_visible()
    await bar(page, "Find in the document").click()
    await page.get_by_role("searchbox", name="Find in the document").fill("ysolde")
    current = page.locator('mark[data-hit="current"]')
    await expect(current).to_have_text("Ysolde")
    await page.get_by_role("searchbox", name="Find in the document").fill("there is no such word")
    await expect(page.get_by_role("search").get_by_role("status")).to_have_text("0 of 0")


async def test_the_quote_is_copied_with_its_source_and_a_link_that_opens_it(page: Page) -> None:
    await page.goto("/")
    await ask(page, next(iter(QUESTIONS)))
    await page.locator("button[data-marker]").first.click()
    await drawn(page)
    await bar(page, "Copy the quote with its source").click()
    await expect(page.get_by_text("Copied.")).to_be_visible()
    copied = await page.evaluate("navigator.clipboard.readText()")
    said, link = copied.split("\n")
    assert said == f"“{PARAGRAPHS[0]}” (lantern-notice, page 1)"
    await page.goto(link)
    await drawn(page)
    assert parse_qs(urlsplit(link).query).keys() == {"document", "chunk", "page", "start", "end"}


async def test_two_sources_are_read_beside_each_other_and_linked_to(page: Page, site: Site) -> None:
    await page.goto("/")
    await ask(page, next(iter(QUESTIONS)))
    await page.locator("button[data-marker]").first.click()
    await drawn(page)
    await bar(page, "Keep this page beside the next one").click()
    kept = page.get_by_role("region", name="Page kept beside")
    await expect(kept.locator("[data-mark]")).not_to_have_count(0)
    await ask(page, "How many metres of chain are gone after the storm Ysolde?")
    await expect(page.get_by_role("button", name="Answer again")).to_have_count(2)
    await page.locator("button[data-marker]").last.click()
    await expect(page.locator("mark[data-mark]")).not_to_have_count(0)
    await expect(kept.get_by_role("heading", name="lantern-notice")).to_be_visible()
    # Both are in the address.
    query = parse_qs(urlsplit(page.url).query)
    assert json.loads(query["beside"][0])["document"] == site.ids["lantern-notice.pdf"]
    await page.goto(page.url)
    await expect(kept.locator("[data-mark]")).not_to_have_count(0)
    await expect(page.locator("mark[data-mark]")).not_to_have_count(0)
    # The first one is closed: what was kept is the page now.
    await bar(page, "Close the page").first.click()
    await expect(kept).to_have_count(0)
    await drawn(page)
    assert f"document={site.ids['lantern-notice.pdf']}" in page.url


async def test_fonts_that_a_file_lacks_are_those_of_the_app(page: Page, site: Site) -> None:
    """The system may have none of the same widths, and letters would overlap."""
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    await page.goto(f"/documents/{site.ids[NOTICE]}")
    await page.wait_for_selector('#page canvas[data-drawn="true"]')
    assert [each for each in fetched if "/standard_fonts/LiberationSans-Regular" in each]


async def test_markdown_is_shown_as_what_it_is(page: Page, site: Site) -> None:
    await page.goto(f"/documents/{site.ids[STORM]}")
    text = page.get_by_role("region", name="Text of the document")
    await expect(text.get_by_role("heading", name="What happened")).to_be_visible()
    await expect(text.get_by_role("listitem")).not_to_have_count(0)


async def test_a_link_to_a_span_of_a_scan_marks_its_words(page: Page, site: Site) -> None:
    """Of a picture there is no text layer: what OCR reads is marked where it stands."""
    await page.goto("/find?query=" + quote("invoice total amount due"))
    hit = page.locator("li", has_text="scanned-invoice").locator("h2 button").first
    await hit.click()
    await drawn(page)
    assert site.ids["scanned-invoice.pdf"] in page.url
