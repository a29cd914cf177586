"""Ten thousand documents are sorted, narrowed, chosen and changed without a pause."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from footnote.store.embedded import EmbeddedPostgres

from .conftest import watched_page
from .shelf import COUNT, full_shelf
from .test_for_everyone import violations

LATER_PAGE = re.compile(r"/v1/documents\?.*cursor=")
TOTAL = re.compile(r"^[\d,]+ documents?$")


@pytest.fixture(scope="module")
async def shelf(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[str]:
    async with full_shelf(postgres, tmp_path_factory.mktemp("shelf"), model_home) as address:
        yield address


@pytest.fixture
async def listed(browser: Browser, shelf: str) -> AsyncIterator[Page]:
    """The page of documents, with the first of them drawn."""
    async with watched_page(browser, shelf) as page:
        await page.goto("/documents")
        await expect(title(page, 0)).to_be_visible()
        yield page


def title(page: Page, index: int) -> Locator:
    return page.locator(f'tr[aria-rowindex="{index + 2}"] a')


async def titles(page: Page) -> list[str]:
    return await page.locator("tbody tr a").all_inner_texts()


async def test_only_what_is_seen_is_drawn_and_the_end_is_a_key_away(listed: Page) -> None:
    table = listed.get_by_role("table")
    await expect(table).to_have_attribute("aria-rowcount", str(COUNT + 1))
    assert await listed.locator("tbody tr").count() < 60
    # The newest are first; the last is the oldest.
    await expect(title(listed, 0)).to_have_attribute("title", f"report-{COUNT}.pdf")
    region = listed.get_by_role("region", name="All documents")
    await region.focus()
    await listed.keyboard.press("End")
    await expect(title(listed, COUNT - 1)).to_have_attribute("title", "report-00001.pdf")
    assert await listed.locator("tbody tr").count() < 60


async def test_the_server_sorts_by_every_column_both_ways(listed: Page) -> None:
    for name in ("Title", "Status", "Collection", "Pages", "Size", "Added"):
        head = listed.get_by_role("columnheader", name=name)
        for order in ("ascending", "descending"):
            await head.get_by_role("button").click()
            await expect(head).to_have_attribute("aria-sort", order)
            await expect(listed.get_by_role("table")).to_have_attribute("aria-busy", "false")
    await listed.get_by_role("columnheader", name="Title").get_by_role("button").click()
    await expect(listed.get_by_role("table")).to_have_attribute("aria-busy", "false")
    shown = await titles(listed)
    assert shown == sorted(shown)
    least = min(number * 7919 % 100003 for number in range(1, COUNT + 1))
    assert shown[0] == f"Report {least:06d}"
    assert "sort=title-asc" in listed.url
    await listed.reload()
    await expect(title(listed, 0)).to_have_text(shown[0])


async def test_filters_count_stand_in_the_address_and_are_kept_as_a_view(listed: Page) -> None:
    status = listed.get_by_label("Status", exact=True)
    await expect(status.locator("option")).to_have_text(
        ["Status: any", "ready (9,900)", "failed (100)"]
    )
    await status.select_option("failed")
    count = listed.get_by_role("status").filter(has_text=TOTAL)
    await expect(count).to_have_text("100 documents")
    await listed.get_by_label("Collection", exact=True).select_option("shelf-0")
    await expect(listed).to_have_url(re.compile("collection"))
    await listed.get_by_label("Filter by title or file name").fill("report-00500")
    await expect(count).to_have_text("1 document")
    await listed.get_by_role("button", name="Keep this view").click()
    await listed.get_by_label("Name of the view").fill("Lost five hundred")
    await listed.keyboard.press("Enter")
    view = listed.get_by_role("combobox", name="Views")
    await expect(view).to_have_value("Lost five hundred")
    await listed.goto("/documents")
    await expect(count).to_have_text(f"{COUNT:,} documents")
    await view.select_option("Lost five hundred")
    await expect(count).to_have_text("1 document")
    assert await listed.evaluate("Object.keys(localStorage)") == []
    assert await violations(listed) == []
    await listed.get_by_role("button", name="Remove the view “Lost five hundred”").click()
    await listed.get_by_role("button", name="Undo").click()
    await expect(view.locator("option")).to_have_count(2)
    await listed.get_by_label("Filter by title or file name").fill("nothing is called that")
    await expect(listed.get_by_text("No document fits")).to_be_visible()


async def test_several_are_chosen_with_shift_tagged_and_deleted_unless_undone(
    listed: Page, shelf: str
) -> None:
    boxes = listed.locator("tbody").get_by_role("checkbox")
    await boxes.nth(1).click()
    await boxes.nth(4).click(modifiers=["Shift"])
    group = listed.get_by_role("group", name="4 chosen")
    await expect(group).to_be_visible()
    await group.get_by_role("button", name="Add tags").click()
    await listed.get_by_label("Tags, with commas between").fill("alpha, beta")
    await listed.keyboard.press("Enter")
    row = listed.locator('tr[aria-rowindex="3"]')
    await expect(row.get_by_role("button", name="Change the tags")).to_have_text("alpha, beta")
    async with httpx.AsyncClient(base_url=shelf, timeout=600) as http:
        tagged = (await http.get("/v1/documents?tag=alpha&facets=tags")).json()
        assert tagged["total"] == 4
        await row.get_by_role("button", name="Change the tags").click()
        await listed.keyboard.press("Control+A")
        await listed.keyboard.type("gamma")
        await listed.keyboard.press("Enter")
        await expect(row.get_by_role("button", name="Change the tags")).to_have_text("gamma")
        await boxes.nth(1).click()
        await listed.get_by_role("button", name="Access").click()
        await listed.get_by_label("Whoever added it").click()
        await listed.get_by_role("textbox", name="Shared with").fill("ann, group:crew")
        await listed.get_by_role("dialog").get_by_role("button", name="Save").click()
        await expect(listed.get_by_role("dialog")).to_have_count(0)
        found = (await http.get("/v1/documents?tag=gamma")).json()["documents"][0]
        access = (await http.get(f"/v1/documents/{found['document_id']}/access")).json()
        assert (access["visibility"], access["shared_with"]) == ("private", ["ann", "group:crew"])
        name = found["title"]
        await listed.get_by_role("button", name="Delete (1)").click()
        await expect(listed.get_by_role("link", name=name, exact=True)).to_have_count(0)
        await listed.get_by_role("button", name="Undo").click()
        await expect(listed.locator("tbody").get_by_role("link", name=name)).to_be_visible()


async def test_everything_is_chosen_though_it_is_not_fetched_yet(listed: Page) -> None:
    await listed.get_by_label("Status", exact=True).select_option("failed")
    await listed.get_by_label("Choose all").click()
    group = listed.get_by_role("group", name="100 chosen")
    await expect(group.get_by_role("button", name="Try again (100)")).to_be_visible()
    assert await violations(listed) == []


async def test_a_part_of_the_list_that_fails_is_asked_for_again_when_somebody_wants_it(
    browser: Browser, shelf: str
) -> None:
    asked = 0

    async def fail(route: Route) -> None:
        nonlocal asked
        asked += 1
        await route.fulfill(status=500)

    async with watched_page(browser, shelf, refused=(500,)) as page:
        await page.route(LATER_PAGE, fail)
        await page.goto("/documents")
        await expect(title(page, 0)).to_be_visible()
        await page.get_by_role("region", name="All documents").focus()
        await page.keyboard.press("End")
        alert = page.get_by_role("main").get_by_role("alert")
        await expect(alert).to_contain_text("500")
        await page.wait_for_timeout(1000)
        assert asked == 1
        await page.get_by_label("Choose all").click()
        await page.wait_for_timeout(1000)
        assert asked == 2
        await expect(page.get_by_role("group", name="chosen")).to_have_count(0)
        await page.unroute(LATER_PAGE, fail)
        await alert.get_by_role("button", name="Try again").click()
        await expect(title(page, COUNT - 1)).to_be_visible()
        await expect(alert).to_have_count(0)


async def test_nothing_of_another_list_is_chosen_with_everything_of_the_one_before(
    browser: Browser, shelf: str
) -> None:
    released = asyncio.Event()

    async def hold(route: Route) -> None:
        await released.wait()
        await route.continue_()

    async with watched_page(browser, shelf, cut=True) as page:
        await page.route(LATER_PAGE, hold)
        await page.goto("/documents")
        await expect(title(page, 0)).to_be_visible()
        async with page.expect_request(LATER_PAGE):
            await page.get_by_label("Choose all").click()
        await page.get_by_label("Status", exact=True).select_option("failed")
        await expect(page.get_by_text("100 documents", exact=True)).to_be_visible()
        released.set()
        await page.wait_for_timeout(1000)
        await expect(page.get_by_role("group", name="chosen")).to_have_count(0)
