"""Below the newest answer stand questions to go on with, which are asked by a click or a key."""

from __future__ import annotations

from playwright.async_api import Locator, Page, expect

from .test_citations import ask
from .test_conversation import answer, question
from .test_for_everyone import violations

CODE = "What does E-23 mean?"


def suggestions(page: Page) -> Locator:
    return page.get_by_role("region", name="Ask next").get_by_role("button")


async def test_a_suggestion_is_asked_by_the_keyboard_and_answered(page: Page) -> None:
    await page.goto("/")
    await ask(page, CODE)
    first = suggestions(page).first
    await expect(first).to_be_visible()
    assert await violations(page) == []
    asked = await first.inner_text()
    await first.focus()
    await page.keyboard.press("Enter")
    await expect(question(page).last).to_have_text(asked)
    await expect(answer(page)).to_have_count(2)
    await expect(answer(page).last.get_by_role("button", name="Answer again")).to_be_visible()
    await expect(answer(page).last).not_to_contain_text("I could not find this in your documents")
    # What was asked is not suggested again, and only the newest answer has suggestions.
    await expect(page.get_by_role("region", name="Ask next")).to_have_count(1)
    await expect(suggestions(page).filter(has_text=asked)).to_have_count(0)


async def test_suggestions_stay_the_same_when_the_page_is_loaded_again(page: Page) -> None:
    await page.goto("/")
    await ask(page, CODE)
    await expect(suggestions(page).first).to_be_visible()
    before = await suggestions(page).all_inner_texts()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.reload()
    await expect(suggestions(page).first).to_be_visible()
    assert await suggestions(page).all_inner_texts() == before
    assert not [each for each in asked if each.endswith("/suggestions")]
