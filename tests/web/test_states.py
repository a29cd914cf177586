"""The app in states that nobody chooses: cut off, not yet running, in the system's colours."""

from __future__ import annotations

import asyncio

from playwright.async_api import Browser, Dialog, FilePayload, Page, Route, expect

from .conftest import Site, watched_page
from .documents import QUESTIONS
from .test_citations import ask, drawn
from .test_for_everyone import prefer

DARK = "rgb(22, 22, 21)"


async def test_a_question_that_is_asked_without_a_connection_is_sent_once_there_is_one(
    browser: Browser, site: Site
) -> None:
    question = next(iter(QUESTIONS))
    # What the page still fetches behind what is seen is cut off with the rest.
    async with watched_page(browser, site.address, cut=True) as page:
        await page.goto("/")
        await expect(page.get_by_text("What do your documents say?")).to_be_visible()
        await page.context.set_offline(True)
        await expect(page.get_by_text("Offline", exact=True)).to_be_visible()
        await page.fill("#question", question)
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Your question is kept")).to_be_visible()
        await expect(page.locator("#main q")).to_have_text(question)
        await page.context.set_offline(False)
        await expect(page.get_by_role("button", name="Answer again")).to_be_visible()
        await expect(page.get_by_text("Offline", exact=True)).to_have_count(0)
        await expect(page.get_by_text("Your question is kept")).to_have_count(0)


async def test_what_is_typed_while_a_question_waits_stays_in_its_field(
    browser: Browser, site: Site
) -> None:
    first, second = list(QUESTIONS)[:2]
    async with watched_page(browser, site.address, cut=True) as page:
        await page.goto("/")
        await expect(page.get_by_text("What do your documents say?")).to_be_visible()
        await page.context.set_offline(True)
        await expect(page.get_by_text("Offline", exact=True)).to_be_visible()
        await page.fill("#question", first)
        await page.keyboard.press("Enter")
        await expect(page.locator("#main q")).to_have_text(first)
        await page.fill("#question", second)
        await page.keyboard.press("Enter")
        await expect(page.locator("#main q")).to_have_text(first)
        await expect(page.locator("#question")).to_have_value(second)
        await page.context.set_offline(False)
        await expect(page.get_by_role("button", name="Answer again")).to_be_visible()
        await expect(page.get_by_role("article", name="Question")).to_have_text([first])
        await expect(page.locator("#question")).to_have_value(second)


async def test_a_first_question_that_is_refused_is_kept_and_can_be_tried_again(
    browser: Browser, site: Site
) -> None:
    question = next(iter(QUESTIONS))

    async def refuse(route: Route) -> None:
        if route.request.method != "POST":
            await route.continue_()
            return
        await route.fulfill(status=429, json={"title": "Too many", "detail": "Too many questions."})

    async with watched_page(browser, site.address, refused=(429,)) as page:
        await page.route("**/v1/conversations", refuse)
        await page.goto("/")
        await page.fill("#question", question)
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Too many questions.")).to_be_visible()
        await page.get_by_role("link", name="Conflicts", exact=True).click()
        await page.get_by_role("link", name="Ask", exact=True).click()
        await expect(page.get_by_role("article", name="Question")).to_have_text(question)
        await page.unroute("**/v1/conversations", refuse)
        await page.locator("#main").get_by_role("button", name="Try again").click()
        await expect(page.get_by_role("button", name="Answer again")).to_be_visible()
        await expect(page.get_by_role("article", name="Question")).to_have_text([question])


async def test_a_page_with_files_to_send_is_not_loaded_anew_for_a_newer_app(
    browser: Browser, site: Site
) -> None:
    async def hold(_: Route) -> None:
        """Answer nothing."""

    async with watched_page(browser, site.address, refused=(404,)) as page:
        await page.route("**/assets/Conflicts-*.js", lambda route: route.fulfill(status=404))
        await page.goto("/documents")
        await page.evaluate("window.stayed = true")
        await page.get_by_role("button", name="Choose files").wait_for()
        async with page.expect_request(lambda request: request.method == "POST"):
            await page.route("**/v1/documents", hold)
            file = FilePayload(name="note.txt", mimeType="text/plain", buffer=b"A note.")
            await page.set_input_files("#files", [file])
        await page.get_by_role("link", name="Conflicts", exact=True).click()
        await expect(page.locator("#main").get_by_text("The app was updated.")).to_be_visible()
        assert await page.evaluate("window.stayed")
        asked: list[str] = []

        async def stay(dialog: Dialog) -> None:
            asked.append(dialog.type)
            await dialog.dismiss()

        page.on("dialog", stay)
        await page.locator("#main").get_by_role("button", name="Try again").click()
        await expect(page.locator("#main").get_by_text("The app was updated.")).to_be_visible()
        assert asked == ["beforeunload"]
        assert await page.evaluate("window.stayed")


async def test_a_section_that_is_first_opened_without_a_connection_is_there_once_there_is_one(
    browser: Browser, site: Site
) -> None:
    question = next(iter(QUESTIONS))
    async with watched_page(browser, site.address, cut=True) as page:
        await page.goto("/")
        await expect(page.get_by_text("What do your documents say?")).to_be_visible()
        await page.evaluate("window.stayed = true")
        await page.context.set_offline(True)
        await page.fill("#question", question)
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("Your question is kept")).to_be_visible()
        await page.get_by_role("link", name="Conflicts", exact=True).click()
        main = page.locator("#main")
        await expect(main.get_by_text("What you see may be out of date.")).to_be_visible()
        await main.get_by_role("button", name="Try again").click()
        await expect(main.get_by_text("What you see may be out of date.")).to_be_visible()
        await page.get_by_role("link", name="Ask", exact=True).click()
        await expect(main.locator("q")).to_have_text(question)
        await page.get_by_role("link", name="Conflicts", exact=True).click()
        await expect(main.get_by_text("What you see may be out of date.")).to_be_visible()
        await page.context.set_offline(False)
        await expect(main.get_by_role("heading", name="What documents disagree")).to_be_visible()
        await page.get_by_role("link", name="Ask", exact=True).click()
        await expect(page.get_by_role("button", name="Answer again")).to_be_visible()
        assert await page.evaluate("window.stayed")


async def test_a_section_of_the_administration_that_was_cut_off_is_there_once_it_can_be(
    browser: Browser, site: Site
) -> None:
    async with watched_page(browser, site.address, cut=True) as page:
        await page.goto("/admin/keys")
        await expect(page.get_by_role("heading", name="API keys")).to_be_visible()
        await page.context.set_offline(True)
        await page.get_by_role("link", name="Roles", exact=True).click()
        main = page.locator("#main")
        await expect(main.get_by_text("What you see may be out of date.")).to_be_visible()
        await page.context.set_offline(False)
        await expect(page.get_by_role("heading", name="Roles")).to_be_visible()
        await expect(main.get_by_text("What you see may be out of date.")).to_have_count(0)


async def test_a_menu_that_is_first_opened_without_a_connection_opens_once_there_is_one(
    browser: Browser, site: Site
) -> None:
    async with watched_page(browser, site.address, cut=True) as page:
        await page.goto("/")
        await expect(page.get_by_text("What do your documents say?")).to_be_visible()
        await page.context.set_offline(True)
        await page.get_by_role("button", name="View and account").click()
        await expect(page.get_by_text("Offline", exact=True)).to_be_visible()
        await expect(page.get_by_text("What do your documents say?")).to_be_visible()
        await page.context.set_offline(False)
        await expect(page.get_by_role("menu")).to_be_visible()


async def test_a_dark_page_is_dark_before_the_app_runs(page: Page) -> None:
    await prefer(page, "dark")
    let_go = asyncio.Event()

    async def hold(route: Route) -> None:
        await let_go.wait()
        await route.continue_()

    await page.route("**/assets/first-*.js", hold)
    await page.goto("/", wait_until="commit")
    await page.wait_for_function(
        "(dark) => getComputedStyle(document.documentElement).backgroundColor === dark", arg=DARK
    )
    assert await page.locator("#root > *").count() == 0
    let_go.set()
    await expect(page.get_by_text("What do your documents say?")).to_be_visible()
    await page.unroute_all(behavior="wait")


async def test_marks_are_seen_where_the_system_forces_its_colours(page: Page, site: Site) -> None:
    await page.emulate_media(forced_colors="active", reduced_motion="reduce")
    await page.goto("/")
    await ask(page, next(iter(QUESTIONS)))
    await page.locator("button[data-marker]").first.click()
    await drawn(page)
    fill = await page.locator("[data-mark]").first.evaluate(
        "(mark) => getComputedStyle(mark).backgroundColor"
    )
    assert fill not in ("rgba(0, 0, 0, 0)", "transparent")
