"""People prove who they are with a key that only the memory of the page has."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, Route, expect

from .conftest import Guarded, watched_page
from .test_for_everyone import violations, violations_in_all_themes


@pytest.fixture
async def signed_out(browser: Browser, guarded: Guarded) -> AsyncIterator[Page]:
    async with watched_page(browser, guarded.address, refused=(401,)) as page:
        yield page


async def test_the_page_to_sign_in_has_no_barrier(signed_out: Page) -> None:
    await signed_out.goto("/sign-in")
    await expect(signed_out.get_by_label("API key or token")).to_be_visible()
    assert await violations_in_all_themes(signed_out) == []


async def test_whoever_is_not_signed_in_is_led_there_and_a_wrong_key_is_refused(
    signed_out: Page, guarded: Guarded
) -> None:
    page = signed_out
    await page.goto("/documents")
    await page.wait_for_url("**/sign-in*")
    await page.get_by_label("API key or token").fill("fn_0123456789abcdef_nothing")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("not valid")
    await page.get_by_label("API key or token").fill(guarded.reader)
    await page.keyboard.press("Enter")
    # Whoever is signed in comes to what was asked for.
    await expect(page.get_by_role("heading", name="Documents", level=1)).to_be_visible()
    # A reader administers nothing.
    await expect(page.get_by_role("link", name="Documents")).to_be_visible()
    await expect(page.get_by_role("link", name="Administration")).to_have_count(0)
    kept = await page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert guarded.reader not in kept
    assert await page.evaluate("document.cookie") == ""
    # It was in the memory of the page, which is gone with it.
    await page.reload()
    await page.wait_for_url("**/sign-in*")


async def sign_in(page: Page, key: str) -> None:
    await page.get_by_label("API key or token").fill(key)
    await page.keyboard.press("Enter")


@pytest.mark.parametrize("kept", ["waiting", "failed"])
async def test_what_one_person_did_not_get_sent_is_not_shown_to_the_next(
    browser: Browser, guarded: Guarded, kept: str
) -> None:
    async with watched_page(
        browser, guarded.address, refused=(401, 404, 422, 500), cut=True
    ) as page:

        async def fail(route: Route) -> None:
            if kept == "failed":
                await route.fulfill(status=500, json={"detail": "Not this time."})
            else:
                await route.abort("connectionrefused")

        path = "**/messages" if kept == "failed" else "**/v1/conversations"
        await page.route(
            path, lambda route: fail(route) if route.request.method == "POST" else route.continue_()
        )
        await page.goto("/sign-in")
        await sign_in(page, guarded.administrator)
        await page.fill("#question", "What does the director earn?")
        await page.keyboard.press("Enter")
        told = "Not this time." if kept == "failed" else "Your question is kept"
        await expect(page.locator("#main").get_by_text(told)).to_be_visible()
        asked_at = urlsplit(page.url).path
        await page.get_by_role("button", name="View and account").click()
        await page.get_by_role("menuitem", name="Sign out").click()
        await sign_in(page, guarded.reader)
        await expect(page.get_by_role("link", name="Documents", exact=True)).to_be_visible()
        await expect(page.locator("#question")).to_be_visible()
        await expect(page.get_by_text("What does the director earn?")).to_have_count(0)
        if kept == "failed":
            # Whoever goes on in the same page comes by the address that was open.
            await page.evaluate("(path) => history.pushState(null, '', path)", asked_at)
            await expect(page.get_by_role("heading", name="There is no such")).to_be_visible()
            await expect(page.get_by_text("What does the director earn?")).to_have_count(0)


async def test_a_key_that_no_header_carries_is_not_valid(signed_out: Page) -> None:
    await signed_out.goto("/sign-in")
    await sign_in(signed_out, "fn_ключ")
    await expect(signed_out.get_by_role("alert")).to_contain_text("not valid")


async def test_an_administrator_sees_what_was_checked(signed_out: Page, guarded: Guarded) -> None:
    page = signed_out
    await page.goto("/sign-in")
    await page.get_by_label("API key or token").fill(guarded.administrator)
    await page.keyboard.press("Enter")
    await page.get_by_role("link", name="Administration").click()
    navigation = page.get_by_role("navigation", name="Administration")
    await navigation.get_by_role("link", name="Health").click()
    checked = page.get_by_role("region", name="Checks")
    await expect(checked.get_by_role("cell", name="database")).to_be_visible()


async def test_what_a_form_is_refused_for_stands_beside_its_field(
    browser: Browser, guarded: Guarded
) -> None:
    async with watched_page(browser, guarded.address, refused=(401, 422)) as page:
        await page.goto("/sign-in")
        await page.get_by_label("API key or token").fill(guarded.administrator)
        await page.keyboard.press("Enter")
        await page.get_by_role("link", name="Administration").click()
        form = page.get_by_role("form", name="New key")
        await form.get_by_label("Name").fill("k" * 300)
        await form.get_by_role("button", name="Create").click()
        name = form.get_by_label("Name")
        await expect(name).to_have_attribute("aria-invalid", "true")
        told = (await name.get_attribute("aria-describedby") or "").split()[0]
        await expect(page.locator(f"[id='{told}']")).to_contain_text("at most 200")
        assert await violations(page) == []
        # What was typed is still there to be mended.
        await expect(name).to_have_value("k" * 300)
        await name.fill("short enough")
        await form.get_by_role("button", name="Create").click()
        await expect(page.get_by_role("row").filter(has_text="short enough")).to_be_visible()
