"""Questions whose sending is stopped or cut off: none is lost, and none is kept twice."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.async_api import Browser, Error, Page, Route, expect

from footnote.settings import Settings
from tests.interfaces.serving import environment, reserved_port, serving

from .conftest import Site, watched_page
from .documents import QUESTIONS
from .test_citations import ask
from .test_conversation import answer, question

LAMPS, LENS = list(QUESTIONS)[:2]


async def texts_kept(page: Page, site: Site) -> list[str]:
    """The questions that the server has of the open conversation, on all branches."""
    conversation = urlsplit(page.url).path.rsplit("/", 1)[-1]
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
        path = f"/v1/conversations/{conversation}/messages"
        messages = (await http.get(path, params={"branches": True})).json()["messages"]
    return [each["text"] for each in messages if each["role"] == "user"]


async def test_what_is_typed_stays_in_its_conversation_while_something_else_is_shown(
    page: Page, site: Site
) -> None:
    await page.goto("/")
    await ask(page, LAMPS)
    await page.fill("#question", LENS)
    await page.get_by_role("link", name="Documents", exact=True).click()
    await expect(page.locator("#question")).to_have_count(0)
    await page.go_back()
    await expect(page.locator("#question")).to_have_value(LENS)
    await page.get_by_role("link", name="New conversation").click()
    await expect(page.locator("#question")).to_have_value("")
    await page.go_back()
    await page.locator("#question").press("Enter")
    await expect(question(page)).to_have_text([LAMPS, LENS])
    await expect(page.locator("#question")).to_have_value("")


async def test_an_answer_that_was_kept_before_it_was_stopped_is_shown(
    page: Page, site: Site
) -> None:
    await page.goto("/")
    await ask(page, LAMPS)
    kept, stopped = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        await route.fetch()
        kept.set()
        await stopped.wait()
        await route.abort("aborted")

    await page.route("**/messages", hold, times=1)
    await page.fill("#question", LENS)
    await page.keyboard.press("Enter")
    await kept.wait()
    await page.get_by_role("button", name="Stop").click()
    stopped.set()
    await expect(answer(page).last.get_by_role("button", name="Answer again")).to_be_visible()
    await expect(question(page)).to_have_text([LAMPS, LENS])
    await expect(page.get_by_text("Stopped.")).to_have_count(0)
    assert await texts_kept(page, site) == [LAMPS, LENS]


async def test_a_question_whose_answer_was_lost_is_sent_again_under_the_same_key(
    browser: Browser, site: Site
) -> None:
    keys: list[str | None] = []
    async with watched_page(browser, site.address, cut=True) as page:
        await page.goto("/")
        await ask(page, LAMPS)

        async def lose(route: Route) -> None:
            await route.fetch()
            await route.abort("connectionreset")

        page.on(
            "request",
            lambda sent: (
                keys.append(sent.headers.get("idempotency-key"))
                if sent.method == "POST" and sent.url.endswith("/messages")
                else None
            ),
        )
        await page.route("**/messages", lose, times=1)
        await page.fill("#question", LENS)
        await page.keyboard.press("Enter")
        await expect(answer(page).last.get_by_role("button", name="Answer again")).to_be_visible()
        await expect(question(page)).to_have_text([LAMPS, LENS])
        assert await texts_kept(page, site) == [LAMPS, LENS]
    assert len(keys) == 2
    assert keys[0] is not None
    assert keys[0] == keys[1]


async def test_an_answer_that_was_cut_off_at_its_end_is_shown_as_kept_once_the_server_is_there(
    browser: Browser, site: Site
) -> None:
    async with watched_page(browser, site.address, cut=True) as page:
        await page.goto("/")
        await ask(page, LAMPS)
        looked = "**/messages?*"
        await page.route(looked, lambda route: route.abort("internetdisconnected"))
        await page.route("**/health", lambda route: route.abort("internetdisconnected"))
        await page.fill("#question", LENS)
        await page.keyboard.press("Enter")
        again = page.locator("#main").get_by_role("button", name="Try again")
        await expect(again).to_be_visible()
        await page.unroute_all(behavior="wait")
        await expect(again).to_have_count(0)
        await expect(answer(page).last.get_by_role("button", name="Answer again")).to_be_visible()
        await expect(question(page)).to_have_text([LAMPS, LENS])
        assert await texts_kept(page, site) == [LAMPS, LENS]


@pytest.mark.parametrize("act", ["edited", "answered again"])
async def test_what_is_asked_otherwise_or_again_is_kept_once_when_its_answer_is_lost(
    browser: Browser, site: Site, act: str
) -> None:
    path = "**/messages/*" if act == "edited" else "**/regenerate"
    keys: list[str | None] = []

    async def lose(route: Route) -> None:
        keys.append(route.request.headers.get("idempotency-key"))
        if len(keys) == 1:
            await route.fetch()
            await route.abort("connectionreset")
        else:
            await route.continue_()

    async with watched_page(browser, site.address, cut=True) as page:
        await page.goto("/")
        await ask(page, LAMPS)
        await page.route(path, lose)
        if act == "edited":
            await page.get_by_role("button", name="Edit the question").click()
            await page.get_by_label("Edited question").fill(LENS)
            await page.keyboard.press("Enter")
        else:
            await page.get_by_role("button", name="Answer again").click()
        await page.locator("#main").get_by_role("button", name="Try again").click()
        again = answer(page).get_by_role("button", name="Answer again")
        await expect(again).to_be_visible()
        await expect(page.locator("#main").get_by_role("button", name="Try again")).to_have_count(0)
        asked = [LAMPS, LENS] if act == "edited" else [LAMPS]
        assert await texts_kept(page, site) == asked
        versions = page.get_by_role("group", name="Versions of this")
        await expect(versions).to_contain_text("2 / 2")
    assert len(set(keys)) == 1
    assert keys[0] is not None


@pytest.mark.parametrize("over", [1, 2345])
async def test_a_long_paste_is_kept_whole_and_not_sent(page: Page, over: int) -> None:
    text = "w" * (10_000 + over)
    await page.goto("/")
    field = page.locator("#question")
    await field.fill(text)
    told = page.locator("form [role=status]").get_by_text(f"{10_000 + over:,} characters")
    await expect(told).to_contain_text(f"{over:,} too many")
    await expect(page.get_by_role("button", name="Ask", exact=True)).to_be_disabled()
    await field.press("Enter")
    await expect(field).to_have_value(text)
    await field.fill(text[:10_000])
    await expect(told).to_have_count(0)
    await expect(page.get_by_role("button", name="Ask", exact=True)).to_be_enabled()


async def test_trying_again_after_a_cut_shows_what_is_kept(page: Page, site: Site) -> None:
    await page.goto("/")
    await ask(page, LAMPS)

    async def cut_short(route: Route) -> None:
        answered = await route.fetch()
        await route.fulfill(status=200, headers=answered.headers, body="")

    await page.route("**/messages", cut_short, times=1)
    await page.fill("#question", LENS)
    await page.keyboard.press("Enter")
    await page.locator("#main").get_by_role("button", name="Try again").click()
    await expect(answer(page).last.get_by_role("button", name="Answer again")).to_be_visible()
    await expect(question(page)).to_have_text([LAMPS, LENS])
    assert await texts_kept(page, site) == [LAMPS, LENS]


async def test_a_question_for_a_server_that_is_not_running_is_sent_once_it_is(
    browser: Browser, settings: Settings
) -> None:
    env = environment(settings)
    with reserved_port() as port:
        options = ("--no-worker", "--port", str(port))
        async with (
            serving(env, *options) as (process, address),
            watched_page(browser, address, refused=(503,), cut=True) as page,
        ):
            await page.goto("/")
            await expect(page.get_by_text("What do your documents say?")).to_be_visible()
            process.terminate()
            await process.wait()
            await page.fill("#question", LAMPS)
            await page.keyboard.press("Enter")
            await expect(page.get_by_text("Your question is kept")).to_be_visible()
            await expect(page.get_by_text("Offline", exact=True)).to_be_visible()
            async with serving(env, *options):
                await expect(question(page)).to_have_text([LAMPS])
                again = answer(page).get_by_role("button", name="Answer again")
                await expect(again).to_be_visible()
                await expect(page.get_by_text("Offline", exact=True)).to_have_count(0)
                async with httpx.AsyncClient(base_url=address, timeout=600) as http:
                    found = (await http.get("/v1/conversations")).json()["conversations"]
                assert len(found) == 1
                # The page goes before the server does.
                await page.goto("about:blank")
                await page.evaluate("window.violations = []")


async def test_keys_are_no_shortcuts_while_a_menu_or_a_dialog_is_open(page: Page) -> None:
    await page.goto("/")
    await ask(page, LAMPS)
    address = page.url
    await page.get_by_role("button", name="More about").first.click()
    await expect(page.get_by_role("menu")).to_be_visible()
    # Letters find an entry of the menu.
    for key in "dns":
        await page.keyboard.press(key)
    await expect(page.locator("#sources")).to_be_visible()
    assert page.url == address
    await page.get_by_role("menuitem", name="Rename").click()
    dialog = page.get_by_role("dialog")
    field = dialog.get_by_role("textbox")
    await expect(field).to_be_focused()
    title = await field.input_value()
    assert title
    assert await page.evaluate("getSelection().toString()") == title
    await dialog.get_by_role("button", name="Close").focus()
    for key in "d?ns/":
        await page.keyboard.press(key)
    await expect(dialog).to_have_count(1)
    await expect(dialog.get_by_role("textbox")).to_have_value(title)
    assert page.url == address
    await expect(page.locator("#sources")).to_be_visible()


REQUESTS = {"conversation": "**/v1/conversations", "message": "**/messages"}
"""What is sent for a question in a new conversation, one after the other."""


@pytest.mark.parametrize("arrived", [False, True], ids=["lost", "arrived"])
@pytest.mark.parametrize("cut", REQUESTS)
async def test_a_question_goes_on_when_the_page_is_loaded_anew(
    browser: Browser, site: Site, cut: str, *, arrived: bool
) -> None:
    asked = f"{LAMPS} ({cut}, {arrived})"
    async with watched_page(browser, site.address, cut=True) as page:
        await page.goto("/")
        await expect(page.get_by_text("What do your documents say?")).to_be_visible()
        sent, let_go = asyncio.Event(), asyncio.Event()

        async def hold(route: Route) -> None:
            if arrived:
                await route.fetch()
            sent.set()
            await let_go.wait()
            # The page that sent it is gone.
            with suppress(Error):
                await route.abort("aborted")

        await page.route(REQUESTS[cut], hold, times=1)
        await page.fill("#question", asked)
        await page.keyboard.press("Enter")
        await sent.wait()
        await page.reload()
        let_go.set()
        await expect(question(page)).to_have_text([asked])
        await expect(answer(page).get_by_role("button", name="Answer again")).to_be_visible()
        assert await texts_kept(page, site) == [asked]
        # It is asked no more.
        await page.reload()
        await expect(question(page)).to_have_text([asked])
        await expect(answer(page).get_by_role("button", name="Answer again")).to_be_visible()
        assert await texts_kept(page, site) == [asked]
        async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
            found = (await http.get("/v1/conversations")).json()["conversations"]
        assert [each["title"] for each in found].count("") == 0
