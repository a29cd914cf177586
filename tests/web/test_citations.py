"""From a question to the exact words on the exact page."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from .conftest import Site
from .documents import HEIGHT, QUESTIONS, WIDTH, notice_pdf, place_of

TOLERANCE_PIXELS = 2.0


async def ask(page: Page, question: str) -> None:
    """Ask and wait for this question's own answer, whatever was answered before it."""
    answers = page.get_by_role("article", name="Answer")
    before = await answers.count()
    await page.fill("#question", question)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("article", name="Question").last).to_contain_text(question)
    again = answers.nth(before).get_by_role("button", name="Answer again")
    await expect(again).to_be_visible()


async def drawn(page: Page) -> None:
    """Wait for the page to be there with its marks."""
    await page.wait_for_selector('canvas[data-drawn="true"]')
    await page.wait_for_selector("[data-mark]")


async def mark_on_sheet(page: Page) -> dict[str, float]:
    """The marked rectangles together, in pixels from the corner of the page, and its size."""
    found = await page.evaluate(
        """() => {
          const sheet = document.querySelector("[data-sheet]").getBoundingClientRect();
          const marks = [...document.querySelectorAll("[data-mark]")].map((each) =>
            each.getBoundingClientRect());
          return {
            left: Math.min(...marks.map((each) => each.left)) - sheet.left,
            top: Math.min(...marks.map((each) => each.top)) - sheet.top,
            right: Math.max(...marks.map((each) => each.right)) - sheet.left,
            bottom: Math.max(...marks.map((each) => each.bottom)) - sheet.top,
            width: sheet.width,
            height: sheet.height,
          };
        }"""
    )
    return {name: float(value) for name, value in found.items()}


async def ink_of(page: Page, top: float, bottom: float) -> tuple[float, float, float, float]:
    """Where the drawn page is dark between two heights, in pixels: left, top, right, bottom."""
    found = await page.evaluate(
        """([top, bottom]) => {
          const canvas = document.querySelector("canvas[data-drawn]");
          const scale = canvas.width / canvas.getBoundingClientRect().width;
          const [first, last] = [Math.round(top * scale), Math.round(bottom * scale)];
          const pixels = canvas.getContext("2d").getImageData(0, first, canvas.width, last - first);
          let box = [Infinity, Infinity, -Infinity, -Infinity];
          for (let y = 0; y < pixels.height; y += 1)
            for (let x = 0; x < pixels.width; x += 1)
              if (pixels.data[4 * (y * pixels.width + x)] < 128)
                box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x + 1),
                  Math.max(box[3], y + 1)];
          return [box[0] / scale, top + box[1] / scale, box[2] / scale, top + box[3] / scale];
        }""",
        [top, bottom],
    )
    left, upper, right, lower = (float(each) for each in found)
    return left, upper, right, lower


@pytest.mark.parametrize("question", QUESTIONS)
async def test_a_footnote_marks_the_words_where_they_truly_stand(
    page: Page, site: Site, question: str
) -> None:
    line = QUESTIONS[question]
    await page.goto("/")
    await ask(page, question)
    await page.locator("button[data-marker]").first.click()
    await drawn(page)
    marked = await mark_on_sheet(page)
    scale = marked["width"] / WIDTH
    assert marked["height"] == pytest.approx(HEIGHT * scale, abs=1)
    true = place_of(line)
    for side in ("left", "top", "right", "bottom"):
        expected = getattr(true, side) * scale
        assert marked[side] == pytest.approx(expected, abs=TOLERANCE_PIXELS), side
    # And the letters that were drawn lie in the mark, from its one end to its other.
    around = marked["bottom"] - marked["top"]
    left, top, right, bottom = await ink_of(
        page, marked["top"] - around / 2, marked["bottom"] + around / 2
    )
    assert left == pytest.approx(marked["left"], abs=TOLERANCE_PIXELS)
    assert right == pytest.approx(marked["right"], abs=TOLERANCE_PIXELS)
    assert marked["top"] - 1 <= top
    assert bottom <= marked["bottom"] + 1
    assert await page.locator("[data-mark]").first.get_attribute("data-mark") == "exact"
    assert f"document={site.ids['lantern-notice.pdf']}" in page.url


async def test_a_mark_keeps_its_place_at_every_zoom(page: Page) -> None:
    await page.goto("/")
    await ask(page, next(iter(QUESTIONS)))
    await page.locator("button[data-marker]").first.click()
    await drawn(page)
    before = await mark_on_sheet(page)
    for name in ("Larger", "Larger", "Smaller"):
        await page.get_by_role("button", name=name, exact=True).click()
    await drawn(page)
    after = await mark_on_sheet(page)
    assert after["width"] == pytest.approx(before["width"] * 1.25, abs=TOLERANCE_PIXELS)
    for side in ("left", "top", "right", "bottom"):
        share = before[side] / before["width"]
        assert after[side] == pytest.approx(share * after["width"], abs=TOLERANCE_PIXELS)


async def test_an_upload_shows_its_progress_and_then_answers(page: Page, tmp_path: Path) -> None:
    told = "The ferry Marigold leaves Ostwick at 06:40 on weekdays."
    await page.goto("/documents")
    file = tmp_path / "ferry.pdf"
    file.write_bytes(notice_pdf((told,)))
    (tmp_path / "nothing.pdf").write_bytes(b"")
    await page.set_input_files("#files", [file, tmp_path / "nothing.pdf"])
    queue = page.get_by_role("region", name="Files", exact=True)
    await expect(queue.get_by_text("ferry.pdf")).to_be_visible()
    await expect(queue.locator("li", has_text="ferry.pdf").get_by_text("ready")).to_be_visible()
    failed = queue.locator("li", has_text="nothing.pdf")
    await expect(failed.get_by_text("failed", exact=True)).to_be_visible()
    await expect(failed.locator(".text-bad").first).to_contain_text("empty")
    await expect(page.get_by_text("1 of 2 ready · 1 failed")).to_be_visible()
    await page.get_by_role("link", name="Ask", exact=True).click()
    await ask(page, "When does the ferry Marigold leave Ostwick?")
    await expect(page.get_by_role("article", name="Answer")).to_contain_text("06:40")
    await page.locator("button[data-marker]").first.click()
    await drawn(page)
    assert (await mark_on_sheet(page))["left"] > 0


async def test_a_deep_link_opens_the_same_words(page: Page) -> None:
    await page.goto("/")
    await ask(page, next(iter(QUESTIONS)))
    await page.locator("button[data-marker]").first.click()
    await drawn(page)
    before = await mark_on_sheet(page)
    await page.goto(page.url)
    await drawn(page)
    after = await mark_on_sheet(page)
    assert [round(each) for each in after.values()] == [round(each) for each in before.values()]


async def test_a_text_without_pages_is_marked_by_its_offsets(page: Page, site: Site) -> None:
    await page.goto("/")
    await ask(page, "How many metres of chain are gone after the storm Ysolde?")
    chip = page.locator("button[data-marker]").first
    await chip.hover()
    card = page.get_by_role("dialog")
    await expect(card).to_be_visible()
    quote = (await card.locator("blockquote").inner_text()).strip()
    await chip.click()
    mark = page.locator("mark[data-mark=exact]")
    await expect(mark.first).to_be_visible()
    assert "".join(await mark.all_inner_texts()).strip() == quote
    assert f"document={site.ids['meeting-2025-02-18-storm-review.md']}" in page.url


async def test_what_the_documents_do_not_say_is_refused_with_the_nearest_misses(
    page: Page,
) -> None:
    await page.goto("/")
    await ask(page, "Who won the chess tournament of Reykjavik in 1972?")
    answer = page.get_by_role("article", name="Answer")
    await expect(answer.get_by_text("I could not find this in your documents")).to_be_visible()
    await expect(answer.get_by_text("The nearest misses:")).to_be_visible()
    await answer.locator("ol button").first.click()
    await expect(page.get_by_role("region", name="Page", exact=True)).to_be_visible()
    # It is kept: without the live answer the misses are read by their chunks.
    await page.reload()
    await expect(answer.locator("ol button").first).to_be_visible()


async def test_next_and_previous_walk_through_what_a_search_found(page: Page) -> None:
    await page.goto("/find?query=lantern")
    await page.locator("ol h2 button").first.click()
    steps = page.get_by_role("group", name="Citations")
    await expect(steps).to_contain_text("1 /")
    await steps.get_by_role("button", name="Next citation").click()
    await expect(steps).to_contain_text("2 /")
    await page.keyboard.press("[")
    await expect(steps).to_contain_text("1 /")
