"""Handing in many files: a folder with what lies below it, and a thousand at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, Locator, Page, Request, Route, expect

from tests.interfaces.serving import footnote

from .conftest import Site, watched_page
from .test_for_everyone import violations

WORKSPACE = "uploads"
HEADERS = {"Footnote-Workspace": WORKSPACE}
MANY = 1000
SENT_FIRST = 5
"""How many of a thousand are waited for: what follows needs no more, and takes its time."""
SENT_AT_MOST = 100
"""How many of a thousand leave the browser before they are paused, however slow its other pages."""


@pytest.fixture(scope="module", autouse=True)
async def workspace(site: Site) -> None:
    """A workspace of its own, so that no other test sees these files."""
    made = await footnote(site.env, "workspace", "create", WORKSPACE)
    assert made.code == 0, made.err


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with folders in it, with two files of one name, a broken and an empty one."""
    top = tmp_path / "harbour"
    texts = {
        "notice.md": "# Notice\n\nThe lock is shut on Monday.",
        "letters/answer.txt": "We thank you for your letter of May.",
        "letters/old/answer.txt": "We never got your letter of March.",
        "letters/old/draft.md": "# Draft\n\nThe rope was short.",
    }
    for name, text in texts.items():
        file = top / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (top / "letters" / "broken.pdf").write_bytes(b"%PDF-1.7\nthis is no page")
    (top / "empty.txt").write_bytes(b"")
    return top


READABLE = ("notice.md", "letters/answer.txt", "letters/old/answer.txt", "letters/old/draft.md")


def queue_of(page: Page) -> Locator:
    return page.get_by_role("region", name="Files handed in")


def row(page: Page, path: str) -> Locator:
    return queue_of(page).locator("li", has=page.get_by_text(path, exact=True))


async def opened(page: Page) -> None:
    await page.goto(f"/documents?workspace={WORKSPACE}")
    await expect(page.get_by_role("heading", name="Documents", level=1)).to_be_visible()


async def test_a_folder_is_handed_in_with_all_below_it_and_a_broken_file_fails_alone(
    page: Page, site: Site, folder: Path
) -> None:
    await opened(page)
    await page.locator("input[webkitdirectory]").set_input_files(folder)
    status = queue_of(page).get_by_role("status")
    await expect(status).to_have_text("4 of 6 ready · 2 failed")
    widths = await queue_of(page).evaluate(
        """(queue) => {
          const width = (each) => each.getBoundingClientRect().width;
          const bar = queue.querySelector("[role=progressbar]");
          return [...bar.children].map((part) => Math.round((6 * width(part)) / width(bar)));
        }"""
    )
    assert widths == [4, 2]
    for name in READABLE:
        await expect(
            row(page, f"harbour/{name}").locator('[data-status="indexed"]')
        ).to_be_visible()
    # What failed says why and what to do.
    broken, empty = row(page, "harbour/letters/broken.pdf"), row(page, "harbour/empty.txt")
    await expect(broken.get_by_text("failed", exact=True)).to_be_visible()
    await expect(broken.locator("p.text-bad")).to_contain_text("damaged")
    await expect(empty.locator("p.text-bad")).to_contain_text("empty")
    assert await violations(page) == []
    async with httpx.AsyncClient(base_url=site.address, headers=HEADERS, timeout=600) as http:
        listed = (await http.get("/v1/documents")).json()["documents"]
    assert sorted(each["filename"] for each in listed) == [
        *("answer.txt", "answer.txt", "broken.pdf", "draft.md", "empty.txt", "notice.md"),
    ]
    # They are tried again together, and fail as long as they are what they are.
    async with page.expect_response("**/v1/documents/retries") as answered:
        await queue_of(page).get_by_role("button", name="Try all failed again").click()
    assert (await answered.value).ok
    await expect(status).to_have_text("4 of 6 ready · 2 failed")
    await expect(empty.locator("p.text-bad")).to_contain_text("empty")
    await page.get_by_role("button", name="Clear the list").click()
    await expect(queue_of(page)).to_have_count(0)
    # The same folder dropped: what is there already is not taken in twice.
    await dropped(page, page.get_by_role("heading", name="Documents", level=1), folder)
    for name in READABLE:
        await expect(row(page, f"harbour/{name}").get_by_text("Already here as")).to_be_visible()


async def dropped(page: Page, onto: Locator, *paths: Path) -> None:
    """Let files of this computer fall onto something, as a file manager does."""
    box = await onto.bounding_box()
    assert box is not None
    session = await page.context.new_cdp_session(page)
    held = {"items": [], "files": [str(each) for each in paths], "dragOperationsMask": 1}
    where = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    for kind in ("dragEnter", "dragOver", "drop"):
        await session.send("Input.dispatchDragEvent", {"type": kind, **where, "data": held})
    await session.detach()


async def test_a_folder_dropped_onto_a_conversation_is_attached_file_by_file(
    page: Page, folder: Path
) -> None:
    await page.goto(f"/?workspace={WORKSPACE}")
    await expect(page.get_by_text("What do your documents say?")).to_be_visible()
    await dropped(page, page.locator("[data-drop-zone]"), folder / "letters" / "old")
    chips = page.get_by_role("list", name="Attached documents")
    await expect(chips.get_by_role("button")).to_have_count(2)


async def test_the_page_stays_of_use_while_a_thousand_files_wait(
    page: Page, site: Site, tmp_path: Path
) -> None:
    files = []
    for number in range(MANY):
        files.append(tmp_path / f"log-{number:04}.txt")
        files[-1].write_text(f"Log {number}: the wind came from {number % 360} degrees.")
    await opened(page)
    sending: set[Request] = set()
    page.on("request", lambda sent: sending.add(sent) if sent.method == "POST" else None)

    def ended(sent: Request) -> None:
        sending.discard(sent)

    page.on("requestfinished", ended)
    page.on("requestfailed", ended)
    passed, paused = 0, asyncio.Event()

    async def pass_on(route: Route) -> None:
        nonlocal passed
        passed += route.request.method == "POST"
        if passed > SENT_AT_MOST:
            await paused.wait()
        await route.continue_()

    await page.route("**/v1/documents", pass_on)
    await page.locator("#files").set_input_files(files)
    queue = queue_of(page)
    ready = queue.get_by_role("status")
    await expect(ready).to_contain_text(f"of {MANY:,} ready")
    await expect(queue.get_by_role("progressbar")).to_have_attribute("aria-valuemax", str(MANY))
    # Of the rows only those in sight are drawn, and the others when one looks at them.
    assert await queue.locator("li").count() < 40
    await page.wait_for_function(
        """([least]) => {
          const queue = document.querySelector("[aria-labelledby=uploads]");
          return Number.parseInt(queue.querySelector("[role=status]").textContent, 10) >= least;
        }""",
        arg=[SENT_FIRST],
    )
    # Other pages work meanwhile, and the queue goes on without being looked at.
    await page.get_by_role("link", name="Search", exact=True).click()
    await page.locator("#search").fill("wind")
    await expect(page.locator("[data-result]").first).to_be_visible()
    await page.get_by_role("link", name="Documents", exact=True).click()
    await queue.get_by_role("button", name="Pause", exact=True).click()
    # What is on its way stands in rows that are not drawn; broken off, it may be here all the same.
    await expect(queue.get_by_role("button", name="Go on", exact=True)).to_be_visible()
    paused.set()
    while sending:  # noqa: ASYNC110 - the browser tells no task
        await asyncio.sleep(0.05)
    await queue.get_by_role("region", name="Files").focus()
    await page.keyboard.press("End")
    last = row(page, files[-1].name)
    await expect(last.get_by_text("waiting", exact=True)).to_be_visible()
    assert await violations(page) == []
    # One that was taken out is sent after all, and nothing else is.
    await queue.get_by_role("button", name="Cancel the rest").click()
    await expect(last.get_by_text("cancelled", exact=True)).to_be_visible()
    await last.get_by_role("button", name="Try again").click()
    await queue.get_by_role("button", name="Go on", exact=True).click()
    await expect(last.locator('[data-status="indexed"]')).to_be_visible()
    async with httpx.AsyncClient(base_url=site.address, headers=HEADERS, timeout=600) as http:
        taken = (await http.get("/v1/documents?query=log-&facets=status")).json()["total"]
    assert SENT_FIRST < taken < MANY
    await expect(ready).to_have_text(f"{taken:,} of {MANY:,} ready")


async def test_files_wait_while_the_server_cannot_be_reached_and_are_sent_after_that(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    files = [tmp_path / f"tide-{number}.txt" for number in range(6)]
    for number, file in enumerate(files):
        file.write_text(f"Tide table {number} of the outer harbour.")
    async with watched_page(browser, site.address, cut=True) as page:
        await opened(page)
        await page.context.set_offline(True)
        await page.locator("#files").set_input_files(files)
        status = queue_of(page).get_by_role("status")
        await expect(page.get_by_text("Offline", exact=True)).to_be_visible()
        for file in files:
            await expect(row(page, file.name).get_by_text("waiting", exact=True)).to_be_visible()
        await expect(status).to_have_text("0 of 6 ready")
        # What has gone from the disk meanwhile fails, and keeps no other file waiting.
        files[0].unlink()
        await page.context.set_offline(False)
        await expect(status).to_have_text("5 of 6 ready · 1 failed")
        gone = row(page, files[0].name)
        await expect(gone.get_by_role("button", name="Try again")).to_be_visible()
