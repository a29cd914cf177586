"""What is not there: addresses that lead to nothing, and documents that were deleted since."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from playwright.async_api import Browser, FilePayload, Page, expect

from .conftest import Site, handed_in, rested, watched_page
from .test_citations import ask
from .test_conversation import answer
from .test_for_everyone import violations

NOWHERE = "01890000-0000-7000-8000-000000000000"
QUESTION = "How many lanterns does the Veridian shed keep?"
TEXT = "The Veridian shed keeps 4711 lanterns behind the green door."


@pytest.mark.parametrize("name", ["nope", NOWHERE])
@pytest.mark.parametrize(
    ("path", "title", "back"),
    [
        ("/conversations/", "There is no such conversation here", "New conversation"),
        ("/documents/", "There is no such document here", "All documents"),
        ("/entities/", "There is no such entity here", "All entities"),
        ("/clusters/", "There is no such cluster here", "All clusters"),
    ],
)
async def test_an_address_of_what_is_not_there_says_so(
    browser: Browser, site: Site, path: str, title: str, back: str, name: str
) -> None:
    async with watched_page(browser, site.address, refused=(404, 422)) as page:
        await page.goto(path + name)
        main = page.locator("#main")
        await expect(main.get_by_role("heading", name=title, level=1)).to_be_visible()
        await expect(page.locator("#page")).to_have_count(0)
        await expect(page.get_by_role("alert")).to_have_count(0)
        await expect(page.locator("#question")).to_have_count(0)
        assert name not in await main.inner_text()
        assert await violations(page) == []
        await main.get_by_role("link", name=back).click()
        await expect(page.locator("[data-missing]")).to_have_count(0)


@pytest.mark.parametrize("path", ["/nothing", "/documents/a/b"])
async def test_an_address_of_no_page_says_so(browser: Browser, site: Site, path: str) -> None:
    async with watched_page(browser, site.address, refused=(404, 422)) as page:
        answered = await page.goto(path)
        assert answered is not None
        assert answered.status == 404
        await expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
        await page.get_by_role("link", name="Back to the beginning").click()
        await expect(page.locator("#question")).to_be_visible()


async def a_document(site: Site, name: str, text: str) -> str:
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
        document = await handed_in(http, name, text.encode())
        await rested(http, document)
    return document


async def deleted(site: Site, document: str) -> None:
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
        (await http.delete(f"/v1/documents/{document}")).raise_for_status()


async def test_the_footnote_of_a_deleted_document_says_which_one_it_was(
    browser: Browser, site: Site
) -> None:
    document = await a_document(site, "veridian-shed.txt", TEXT)
    async with watched_page(browser, site.address, refused=(404,)) as page:
        await page.goto("/")
        await ask(page, QUESTION)
        await expect(answer(page)).to_contain_text("4711")
        await deleted(site, document)
        await page.locator("button[data-marker]").first.click()
        pane = page.locator("#page")
        await expect(pane.get_by_text("“veridian-shed” is no longer here")).to_be_visible()
        await expect(pane.locator("blockquote")).to_contain_text("4711 lanterns")
        await expect(pane.get_by_role("alert")).to_have_count(0)
        assert document not in await pane.inner_text()


async def test_what_another_window_deleted_before_is_called_by_its_title(
    page: Page, site: Site
) -> None:
    document = await a_document(site, "twice-deleted.txt", "Deleted in two windows at once.")
    await page.goto("/documents?query=twice-deleted")
    await page.get_by_role("checkbox", name="Choose “twice-deleted”").check()
    await page.get_by_role("button", name="Delete (1)").click()
    await expect(page.get_by_text("1 document is deleted.")).to_be_visible()
    await deleted(site, document)
    await page.evaluate("window.expire()")
    await expect(page.get_by_text("“twice-deleted” was not here any more.")).to_be_visible()


async def test_bytes_that_are_here_already_lead_to_their_document(page: Page, site: Site) -> None:
    first = await a_document(site, "first-name.txt", "The same bytes, whatever they are called.")
    await page.goto("/documents")
    async with page.expect_file_chooser() as choosing:
        await page.get_by_role("button", name="Choose files").click()
    chooser = await choosing.value
    content = b"The same bytes, whatever they are called."
    copy = FilePayload(name="copy.txt", mimeType="text/plain", buffer=content)
    await chooser.set_files(copy)
    row = page.get_by_role("region", name="Files").get_by_role("listitem")
    await expect(row).to_contain_text("copy.txt")
    await expect(row).to_contain_text("Already here as")
    link = row.get_by_role("link", name="first-name")
    await expect(link).to_have_attribute("href", f"/documents/{first}")
    await expect(page.get_by_text("1 of 1 ready")).to_be_visible()


async def test_a_failure_of_bytes_that_were_here_names_both_files(page: Page, site: Site) -> None:
    broken = b"%PDF-1.7 and nothing that belongs there"
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
        first = await handed_in(http, "broken.pdf", broken)
        for _ in range(600):
            found = (await http.get(f"/v1/documents/{first}")).json()
            if found["status"] == "failed":
                break
            await asyncio.sleep(0.1)
        assert found["status"] == "failed"
    await page.goto("/documents")
    async with page.expect_file_chooser() as choosing:
        await page.get_by_role("button", name="Choose files").click()
    chooser = await choosing.value
    renamed = FilePayload(name="renamed.pdf", mimeType="application/pdf", buffer=broken)
    await chooser.set_files(renamed)
    row = page.get_by_role("region", name="Files").get_by_role("listitem")
    await expect(row).to_contain_text("renamed.pdf")
    await expect(row).to_contain_text("Has the same content as")
    await expect(row.get_by_role("link", name="broken")).to_have_attribute(
        "href", f"/documents/{first}"
    )
    await expect(row.locator("[data-status=failed]")).to_be_visible()


async def test_a_workspace_that_is_not_there_is_asked_nothing(browser: Browser, site: Site) -> None:
    async with watched_page(browser, site.address, refused=(404,)) as page:
        await page.goto("/?workspace=nosuch")
        main = page.locator("#main")
        title = "There is no such workspace here"
        await expect(main.get_by_role("heading", name=title, level=1)).to_be_visible()
        await expect(page.locator("#question")).to_have_count(0)
        await main.get_by_role("link", name="Back to the beginning").click()
        await expect(page.locator("#question")).to_be_visible()
