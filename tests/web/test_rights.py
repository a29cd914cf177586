"""Who may only read is offered nothing that the server would refuse."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from playwright.async_api import Browser, Page, expect

from .conftest import EXAMPLES, Guarded, handed_in, rested, watched_page
from .test_sign_in import sign_in

NAME = "meeting-2025-02-18-storm-review.md"
READ_ONLY = "You may read documents here."
DROP = """(selector) => {
  const carried = new DataTransfer();
  carried.items.add(new File(["A line."], "dropped.txt"));
  const dropped = new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true });
  document.querySelector(selector).dispatchEvent(dropped);
}"""


@pytest.fixture(scope="module")
async def document(guarded: Guarded) -> str:
    """The id of a document that both may read."""
    asked = {"Authorization": f"Bearer {guarded.administrator}"}
    async with httpx.AsyncClient(base_url=guarded.address, headers=asked, timeout=60) as http:
        found = await handed_in(http, NAME, (EXAMPLES / NAME).read_bytes())
        await rested(http, found)
        changed = await http.patch(f"/v1/documents/{found}", json={"metadata": {"site": "west"}})
        assert changed.status_code == 200, changed.text
    return found


@pytest.fixture
async def reading(browser: Browser, guarded: Guarded, document: str) -> AsyncIterator[Page]:
    """A page of somebody with a key that may only read; nothing it does may be refused."""
    async with watched_page(browser, guarded.address, refused=(401,)) as page:
        await page.goto(f"/sign-in?next=/documents/{document}")
        await sign_in(page, guarded.reader)
        await expect(page.get_by_role("heading", name="Metadata")).to_be_visible()
        yield page


async def test_a_document_can_be_read_and_not_changed(reading: Page) -> None:
    main = reading.locator("#main")
    await expect(main.get_by_role("button", name="Download")).to_be_visible()
    await expect(main.get_by_text("west")).to_be_visible()
    for name in ("Access", "Delete", "Add metadata", "Change “site”", "Change the tags"):
        await expect(main.get_by_role("button", name=name)).to_have_count(0)


async def test_nothing_can_be_handed_in_and_why_is_said(reading: Page) -> None:
    uploads: list[str] = []
    reading.on("request", lambda sent: uploads.append(sent.url) if sent.method == "POST" else None)
    await reading.get_by_role("link", name="Documents", exact=True).click()
    main = reading.locator("#main")
    await expect(main.get_by_text(READ_ONLY)).to_be_visible()
    await expect(main.get_by_role("button", name="Choose files")).to_have_count(0)
    await expect(main.get_by_role("button", name="Choose a folder")).to_have_count(0)
    await main.get_by_role("checkbox").nth(1).check()
    await expect(main.get_by_text("1 chosen")).to_be_visible()
    for name in ("Delete", "Add tags", "Set metadata", "Access", "Change the tags"):
        await expect(main.get_by_role("button", name=name)).to_have_count(0)
    await reading.evaluate(DROP, "#main > div")
    await expect(reading.locator("[role=status]").get_by_text(READ_ONLY)).to_be_visible()
    await reading.get_by_role("link", name="Ask", exact=True).click()
    await reading.evaluate(DROP, "[data-drop-zone]")
    await expect(reading.locator("[role=status]").get_by_text(READ_ONLY)).to_have_count(2)
    assert [each for each in uploads if each.endswith("/v1/documents")] == []


async def test_documents_can_be_attached_but_not_from_this_device(reading: Page) -> None:
    await reading.get_by_role("link", name="Ask", exact=True).click()
    await reading.get_by_role("button", name="Attach documents").click()
    dialog = reading.get_by_role("dialog")
    await expect(dialog.get_by_role("checkbox")).to_have_count(1)
    await expect(dialog.get_by_role("button", name="Choose files")).to_have_count(0)
    await expect(dialog.get_by_text("drop files")).to_have_count(0)


async def test_the_palette_offers_no_administration(reading: Page) -> None:
    await reading.keyboard.press("Control+k")
    await expect(reading.get_by_role("option", name="Documents d", exact=True)).to_be_visible()
    await expect(reading.get_by_role("option", name="Administration")).to_have_count(0)
    await expect(reading.get_by_role("option", name="API keys")).to_have_count(0)


async def test_who_may_write_is_offered_it(
    browser: Browser, guarded: Guarded, document: str
) -> None:
    async with watched_page(browser, guarded.address, refused=(401,)) as page:
        await page.goto(f"/sign-in?next=/documents/{document}")
        await sign_in(page, guarded.administrator)
        main = page.locator("#main")
        for name in ("Access", "Delete", "Add metadata", "Change “site”", "Change the tags"):
            await expect(main.get_by_role("button", name=name)).to_have_count(1)
        await page.get_by_role("link", name="Documents", exact=True).click()
        await expect(main.get_by_role("button", name="Choose files")).to_be_visible()
        await expect(main.get_by_text(READ_ONLY)).to_have_count(0)
