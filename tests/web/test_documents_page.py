"""A document's own page: its outline and passages beside the page, what is alike, its versions."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page, Route, expect

from .conftest import EXAMPLES, Site
from .test_for_everyone import violations

STORM = EXAMPLES / "meeting-2025-02-18-storm-review.md"
SUPPORT, POLICY = "support-pelorus-3.html", "insurance-policy.pdf"


async def test_headings_and_passages_lead_to_their_place_on_the_page(
    page: Page, site: Site
) -> None:
    await page.goto(f"/documents/{site.ids[POLICY]}")
    outline = page.get_by_role("list", name="Outline")
    await outline.get_by_role("button").last.click()
    await page.wait_for_selector("[data-mark]")
    await expect(page).to_have_url(re.compile("start="))
    await page.get_by_text("Passages (").click()
    passages = page.get_by_role("list", name="Passages")
    await passages.get_by_role("button").first.click()
    await expect(passages.get_by_role("button").first).to_have_attribute("aria-pressed", "true")
    await page.wait_for_selector('canvas[data-drawn="true"]')
    assert await violations(page) == []


@pytest.mark.parametrize(("asked", "shown"), [("page=-1&start=abc", 1), ("page=99999", 3)])
async def test_a_page_that_there_is_not_is_the_nearest_one(
    page: Page, site: Site, asked: str, shown: int
) -> None:
    broken: list[str] = []
    page.on("pageerror", lambda error: broken.append(str(error)))
    await page.goto(f"/documents/{site.ids[POLICY]}?{asked}")
    await page.wait_for_selector('canvas[data-drawn="true"]')
    await expect(page.locator("[data-page]").first).to_have_attribute("data-page", str(shown))
    await expect(page.get_by_text("openapi.json")).to_have_count(0)
    assert broken == []


async def test_the_page_tells_what_is_alike_and_which_versions_there_are(
    page: Page, site: Site
) -> None:
    await page.goto(f"/documents/{site.ids[POLICY]}")
    similar = page.get_by_role("region", name="More like this")
    await expect(similar.get_by_role("link").first).to_be_visible()
    await expect(similar.get_by_role("listitem")).to_have_count(5)
    versions = page.get_by_role("region", name="Versions")
    await expect(versions.get_by_role("listitem")).to_contain_text("searched and cited")
    await similar.get_by_role("link").first.click()
    await expect(page).not_to_have_url(f"{site.address}/documents/{site.ids[POLICY]}")


async def test_tags_and_access_are_changed_where_they_stand(page: Page, site: Site) -> None:
    await page.goto(f"/documents/{site.ids[SUPPORT]}")
    await page.get_by_role("button", name="Change the tags").click()
    await page.keyboard.type("buoys, support")
    await page.keyboard.press("Enter")
    tags = page.get_by_role("button", name="Change the tags")
    await expect(tags).to_have_text("buoys, support")
    await tags.click()
    await page.keyboard.press("Control+A")
    await page.keyboard.press("Delete")
    await page.keyboard.press("Enter")
    await expect(tags).to_have_text("")
    await page.get_by_role("button", name="Access").click()
    dialog = page.get_by_role("dialog", name="Access")
    await expect(dialog.get_by_label("Everyone in the workspace")).to_be_checked()
    assert await violations(page) == []
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)


async def test_the_queue_is_paused_held_back_and_cancelled_file_by_file(
    page: Page, tmp_path: Path
) -> None:
    await page.goto("/documents")
    await expect(page.get_by_role("table")).to_be_visible()
    note = await asyncio.to_thread(STORM.read_text)
    files = [tmp_path / f"queued-{number}.md" for number in range(6)]
    for number, file in enumerate(files):
        file.write_text(f"# Queue {number}\n\n{note[:200]}")
    arrives = asyncio.Event()

    async def late(route: Route) -> None:
        if route.request.method == "POST":
            await arrives.wait()
        with suppress(PlaywrightError):  # it was broken off meanwhile
            await route.continue_()

    await page.route("**/v1/documents", late)
    await page.locator("#files").set_input_files(files)
    queue = page.get_by_role("region", name="Files handed in")
    await expect(queue.get_by_text("sending", exact=True)).to_have_count(3)
    await expect(queue.get_by_text("waiting", exact=True)).to_have_count(3)
    await queue.get_by_role("button", name="Pause", exact=True).click()
    await queue.get_by_role("button", name="Take “queued-0.md” out").click()
    await queue.get_by_role("button", name="Hold “queued-4.md” back").click()
    await queue.get_by_role("button", name="Take “queued-5.md” out").click()
    await expect(queue.get_by_text("cancelled", exact=True)).to_have_count(2)
    assert await violations(page) == []
    arrives.set()
    await expect(queue.locator('[data-status="indexed"]')).to_have_count(2)
    await expect(queue.get_by_text("waiting", exact=True)).to_have_count(1)
    await queue.get_by_role("button", name="Go on", exact=True).click()
    await expect(queue.locator('[data-status="indexed"]')).to_have_count(3)
    await expect(queue.get_by_text("held back", exact=True)).to_have_count(1)
    await queue.get_by_role("button", name="Send “queued-4.md” after all").click()
    await expect(queue.locator('[data-status="indexed"]')).to_have_count(4)
    # What the server has is there after the page was loaded again; what was cancelled is not.
    await page.reload()
    await page.get_by_label("Filter by title or file name").fill("queued-")
    count = page.get_by_role("status").filter(has_text="documents")
    await expect(count).to_have_text("4 documents")
