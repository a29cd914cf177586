"""Searching: with the keyboard alone, with what was misspelt, and with the reason of each rank."""

from __future__ import annotations

from playwright.async_api import Page, expect

from .test_for_everyone import violations


async def test_the_arrow_keys_walk_through_the_results_and_enter_opens_one(page: Page) -> None:
    await page.goto("/find?query=lantern")
    results = page.locator("[data-result]")
    await expect(results.first).to_be_visible()
    await page.locator("#search").focus()
    await page.keyboard.press("ArrowDown")
    await expect(results.nth(0)).to_be_focused()
    await page.keyboard.press("ArrowDown")
    await expect(results.nth(1)).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(results.nth(1)).to_have_attribute("aria-pressed", "true")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowUp")
    await expect(page.locator("#search")).to_be_focused()


async def test_a_correction_is_told_and_taken_back_with_one_click(page: Page) -> None:
    await page.goto("/find?query=lanterrn+clockwrok")
    await expect(page.get_by_text("Searched for")).to_contain_text("lantern clockwork")
    await page.get_by_role("button", name="as it is spelt").click()
    await expect(page.get_by_text("Words are taken as they are spelt.")).to_be_visible()
    assert "spelling=kept" in page.url
    await page.get_by_role("button", name="Correct the spelling").click()
    await expect(page.get_by_text("Searched for")).to_contain_text("lantern clockwork")


async def test_a_rank_is_explained_half_by_half(page: Page) -> None:
    await page.goto("/find?query=lantern+clockwork")
    await page.get_by_text("Why this result?").first.click()
    table = page.locator("details[open] table").first
    await expect(table).to_contain_text("by meaning")
    await expect(table).to_contain_text("by words")
    await expect(table.get_by_role("columnheader")).to_have_text(
        ["Stage", "Before", "After", "Score"]
    )
    assert await violations(page) == []


async def test_rows_of_tables_are_shown_without_the_bars_that_they_are_kept_with(
    page: Page,
) -> None:
    await page.goto("/find?query=cash+flow")
    results = page.get_by_role("listitem").filter(has=page.locator("[data-result]"))
    row = "Position: Cash at the beginning of the year, 2024: 655,800"
    await expect(results.filter(has_text=row)).to_have_count(1)
    await expect(results.filter(has_text="| ---")).to_have_count(0)
