"""Nobody is offered what the server would refuse; who may write in one place may do it there."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest
from playwright.async_api import Browser, Page, expect

from .conftest import EXAMPLES, Guarded, handed_in, rested, watched_page
from .test_for_everyone import violations
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
    async with httpx.AsyncClient(base_url=guarded.address, headers=asked, timeout=600) as http:
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


async def made_key(guarded: Guarded, **wanted: object) -> str:
    """The secret of a new key."""
    asked = {"Authorization": f"Bearer {guarded.administrator}"}
    async with httpx.AsyncClient(base_url=guarded.address, headers=asked, timeout=600) as http:
        made = await http.post("/v1/keys", json=wanted)
        assert made.status_code == 201, made.text
    return str(made.json()["secret"])


async def received_in(page: Page) -> str:
    """The collection that the next file is put into."""
    async with page.expect_response(
        lambda given: given.url.endswith("/v1/documents") and given.request.method == "POST"
    ) as sent:
        await page.locator("#files, #attached-files").last.set_input_files(
            {"name": "line.txt", "mimeType": "text/plain", "buffer": uuid4().hex.encode()}
        )
    answer = await (await sent.value).json()
    return str(answer["collection"])


async def test_who_may_write_in_one_collection_alone_hands_in_there(
    browser: Browser, guarded: Guarded, document: str
) -> None:
    key = await made_key(guarded, name="pier", rights=["read", "write"], collections=["pier"])
    async with watched_page(browser, guarded.address, refused=(401,)) as page:
        await page.goto("/sign-in?next=/documents")
        await sign_in(page, key)
        main = page.locator("#main")
        await expect(main.get_by_role("button", name="Choose files")).to_be_visible()
        await expect(main.get_by_text(READ_ONLY)).to_have_count(0)
        await expect(main.get_by_text("Into the collection pier")).to_be_visible()
        await expect(main.get_by_label("Into the collection")).to_have_count(0)
        assert await received_in(page) == "pier"


async def test_the_collection_of_files_is_chosen_and_remembered(
    browser: Browser, guarded: Guarded, document: str
) -> None:
    async with watched_page(browser, guarded.address, refused=(401,)) as page:
        await page.goto("/sign-in?next=/documents")
        await sign_in(page, guarded.administrator)
        choice = page.get_by_label("Into the collection")
        await expect(choice).to_have_value("default")
        assert await received_in(page) == "default"
        await choice.select_option("New collection …")
        await page.keyboard.type("ledgers")
        await page.keyboard.press("Enter")
        await expect(choice).to_have_value("ledgers")
        assert await violations(page) == []
        assert await received_in(page) == "ledgers"
        await page.get_by_role("link", name="Ask", exact=True).click()
        await page.get_by_role("button", name="Attach documents").click()
        await expect(choice).to_have_value("ledgers")
        assert await received_in(page) == "ledgers"


async def test_who_has_a_link_searches_and_reads_and_is_offered_no_more(
    browser: Browser, guarded: Guarded, document: str
) -> None:
    asked = {"Authorization": f"Bearer {guarded.administrator}"}
    async with httpx.AsyncClient(base_url=guarded.address, headers=asked, timeout=600) as http:
        made = await http.post("/v1/share-links", json={"collection": "default"})
        assert made.status_code == 201, made.text
    # Nothing that the app asks for on its own is refused.
    async with watched_page(browser, guarded.address, refused=(401,)) as page:
        await page.goto("/sign-in")
        await sign_in(page, made.json()["token"])
        await expect(page.get_by_role("heading", name="You read here with a link")).to_be_visible()
        await expect(page.locator("#question")).to_have_count(0)
        await expect(page.get_by_role("link", name="New conversation")).to_have_count(0)
        await expect(page.get_by_role("searchbox", name="Search in conversations")).to_have_count(0)
        assert await violations(page) == []
        await page.keyboard.press("Control+k")
        await expect(page.get_by_role("option", name="Documents d", exact=True)).to_be_visible()
        await expect(page.get_by_role("option", name="New conversation")).to_have_count(0)
        await page.keyboard.press("Escape")
        await page.get_by_role("link", name="Documents", exact=True).click()
        await page.locator("#filter").fill("storm")
        await expect(page).to_have_url(re.compile("query=storm"))
        await expect(page.locator("tbody").get_by_role("link")).to_have_count(1)
        await expect(page.get_by_role("button", name="Keep this view")).to_have_count(0)
        await page.locator("tbody").get_by_role("link").click()
        await expect(page.get_by_role("button", name="Download")).to_be_visible()
        await page.get_by_role("link", name="Search", exact=True).click()
        await page.locator("#search").fill("storm")
        await expect(page.locator("ol h2").first).to_be_visible()
