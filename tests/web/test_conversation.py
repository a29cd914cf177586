"""A conversation: asked otherwise in place, looked at from behind, and compared."""

from __future__ import annotations

import re

import httpx
from playwright.async_api import Locator, Page, expect

from footnote.domain.answers import UNSURE

from .conftest import Site
from .documents import QUESTIONS
from .test_citations import ask
from .test_for_everyone import violations

LAMPS, LENS, KEEPER = list(QUESTIONS)[:3]


def question(page: Page) -> Locator:
    return page.get_by_role("article", name="Question")


def answer(page: Page) -> Locator:
    return page.get_by_role("article", name="Answer")


async def answered(page: Page, words: str) -> None:
    """Wait until the last answer is whole and says this."""
    await expect(answer(page).last).to_contain_text(words)
    await expect(answer(page).last.get_by_role("button", name="Answer again")).to_be_visible()


async def test_a_question_is_edited_in_place_and_both_versions_are_kept(page: Page) -> None:
    await page.goto("/")
    await ask(page, LAMPS)
    await ask(page, LENS)
    await page.get_by_role("button", name="Edit the question").first.click()
    field = page.get_by_role("textbox", name="Edited question")
    await expect(field).to_be_focused()
    assert await violations(page) == []
    await field.fill(KEEPER)
    await field.press("Enter")
    await answered(page, "eleven hours")
    # What followed the old version stays with it.
    await expect(question(page)).to_have_count(1)
    versions = page.get_by_role("group", name="Versions of this question")
    await expect(versions).to_contain_text("2 / 2")
    await versions.get_by_role("button", name="Previous version").click()
    await expect(question(page)).to_have_count(2)
    await expect(question(page).first).to_have_text(LAMPS)
    await expect(versions.first).to_contain_text("1 / 2")
    await page.reload()
    await expect(question(page)).to_have_text([LAMPS, LENS])


async def test_escape_leaves_a_question_as_it_was(page: Page) -> None:
    await page.goto("/")
    await ask(page, LAMPS)
    edit = page.get_by_role("button", name="Edit the question")
    await edit.click()
    await page.keyboard.type(" And why?")
    await page.keyboard.press("Escape")
    await expect(question(page)).to_have_text(LAMPS)
    await expect(edit).to_be_focused()


async def test_an_answer_made_again_is_another_version_of_it(page: Page) -> None:
    await page.goto("/")
    await ask(page, LAMPS)
    await page.get_by_role("button", name="Answer again").click()
    versions = page.get_by_role("group", name="Versions of this answer")
    await expect(versions).to_contain_text("2 / 2")
    await expect(answer(page)).to_have_count(1)
    await versions.get_by_role("button", name="Previous version").press("Enter")
    await expect(versions).to_contain_text("1 / 2")


async def test_the_panel_says_which_half_found_each_passage_and_how_long_it_took(
    page: Page,
) -> None:
    await page.goto("/")
    await ask(page, LAMPS)
    # An answer that is given again from before has no stages to tell of.
    await page.get_by_role("button", name="Answer again").click()
    await expect(page.get_by_role("group", name="Versions of this answer")).to_be_visible()
    await page.reload()
    await page.locator("summary", has_text="Why").click()
    ranks = page.get_by_role("table", name="Ranks through the stages")
    await expect(ranks.get_by_role("columnheader", name="dense", exact=True)).to_be_visible()
    await expect(ranks.get_by_role("columnheader", name="lexical", exact=True)).to_be_visible()
    first = ranks.get_by_role("row").nth(1)
    await expect(first).to_contain_text(re.compile("meaning|words"))
    await expect(first.get_by_role("rowheader")).to_contain_text("page")
    timings = page.get_by_role("table", name="Time by stage")
    await expect(timings.get_by_role("row", name=re.compile("^recall"))).to_contain_text("ms")
    await expect(timings.get_by_role("row", name=re.compile("^Total"))).to_contain_text("ms")
    assert await violations(page) == []


async def test_the_same_search_by_another_plan_stands_beside_it(page: Page, site: Site) -> None:
    await page.goto("/")
    await ask(page, LENS)
    await page.locator("summary", has_text="Why").click()
    await page.get_by_role("link", name="Search again with another plan beside it").click()
    left, right = (page.get_by_role("region", name=f"Plan {side}", exact=True) for side in (1, 2))
    for side in (left, right):
        await expect(side.locator("[data-moved]").first).to_be_visible()
        await expect(side.get_by_role("table", name="Time by stage")).to_be_visible()
    assert await violations(page) == []
    # A plan against itself moves nothing.
    await right.get_by_role("combobox").select_option("fast")
    # Those of the plan before stand there until the new one is shown.
    await expect(right.locator("code").first).to_have_text("fast")
    await expect(right.locator('[data-moved="0"]')).not_to_have_count(0)
    await expect(right.locator('[data-moved]:not([data-moved="0"])')).to_have_count(0)
    assert "plans=" in page.url
    await left.locator("li button").first.click()
    await expect(page.get_by_role("region", name="Page", exact=True)).to_be_visible()


async def test_an_opinion_may_come_with_a_comment(page: Page) -> None:
    await page.goto("/")
    await ask(page, LAMPS)
    await page.get_by_role("button", name="Bad answer").click()
    await page.get_by_label("What should be better, or what was good?").fill("It lacks the date.")
    assert await violations(page) == []
    await page.get_by_role("button", name="Send the comment").click()
    await expect(page.get_by_text("It lacks the date.")).to_be_visible()
    await page.reload()
    await expect(page.get_by_text("It lacks the date.")).to_be_visible()
    await page.get_by_role("button", name="Bad answer").click()
    await expect(page.get_by_text("It lacks the date.")).to_have_count(0)


async def test_an_answer_that_may_be_about_something_else_says_so(page: Page, site: Site) -> None:
    await page.goto("/")
    others = ("How often does the bell sound?", "Where was the mirror ground?")
    for each in (*others, LENS):
        await ask(page, each)
    conversation = page.url.rpartition("/")[2]
    async with httpx.AsyncClient(base_url=site.address) as http:
        kept = (await http.get(f"/v1/conversations/{conversation}/messages")).json()["messages"]
    answers = [each["answer"] for each in kept if each["answer"] is not None]
    doubtful = [each["found"] and each["confidence"] < UNSURE for each in answers]
    assert any(doubtful)
    assert not doubtful[-1]
    for shown, doubt in zip(await answer(page).all(), doubtful, strict=True):
        assert ("% sure" in await shown.inner_text()) is doubt


async def test_a_word_without_a_break_stays_within_what_shows_it(page: Page) -> None:
    word = "w" * 300
    await page.goto("/")
    await ask(page, f"What is {word}?")
    for shown in (question(page), answer(page).locator("q", has_text=word)):
        await expect(shown).to_be_visible()
        assert await shown.evaluate(
            """(each) => {
              const [inner, outer] = [new Range(), each.closest("article")];
              inner.selectNodeContents(each);
              const [of, within] = [inner.getBoundingClientRect(), outer.getBoundingClientRect()];
              return of.right <= within.right && of.left >= within.left;
            }"""
        )
