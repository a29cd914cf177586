"""What a page does not need is not loaded with it."""

from __future__ import annotations

from playwright.async_api import Page, expect

from .conftest import Site

NOTES = "meeting-2025-02-18-storm-review.md"
POLICY = "insurance-policy.pdf"


def loaded(page: Page) -> list[str]:
    """What is asked for from here on, by the last part of its address."""
    names: list[str] = []
    page.on("request", lambda request: names.append(request.url.rsplit("/", 1)[-1]))
    return names


def of_pdf(names: list[str]) -> list[str]:
    return [name for name in names if name.startswith(("Pdf-", "pdf.worker", "content"))]


async def test_what_reads_pdf_files_is_not_loaded_for_a_text(page: Page, site: Site) -> None:
    names = loaded(page)
    await page.goto(f"/documents/{site.ids[NOTES]}")
    await expect(page.locator("#page").get_by_text("Storm").first).to_be_visible()
    assert any(name.startswith("PagePanes-") for name in names)
    assert of_pdf(names) == []


async def test_a_page_that_is_not_seen_on_a_phone_is_not_loaded(page: Page, site: Site) -> None:
    await page.set_viewport_size({"width": 390, "height": 780})
    names = loaded(page)
    # What is like a document is asked for last of all.
    async with page.expect_response(lambda each: each.url.endswith("/similar")):
        await page.goto(f"/documents/{site.ids[POLICY]}")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert not any(name.startswith("PagePanes-") for name in names)
    panes = page.get_by_role("group", name="Panes")
    await panes.get_by_role("button", name="Page").click()
    await page.wait_for_selector('#page canvas[data-drawn="true"]')
    assert of_pdf(names) != []
    # It is kept as it was left while another pane is shown.
    await page.get_by_role("spinbutton", name="Go to page").fill("2")
    await page.get_by_role("spinbutton", name="Go to page").press("Enter")
    await expect(page.locator('[data-sheet="2"]')).to_be_visible()
    await panes.get_by_role("button", name="Sources").click()
    await expect(page.locator("#page")).to_be_hidden()
    await panes.get_by_role("button", name="Page").click()
    await expect(page.locator('[data-sheet="2"]')).to_be_visible()
