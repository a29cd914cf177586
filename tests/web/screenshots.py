"""Draws the pages of the web app over the demo's documents, for the docs.

FOOTNOTE_HOME=… python -m tests.web.screenshots FOLDER
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
from pathlib import Path

from PIL import Image
from playwright.async_api import Browser, Page, async_playwright

from tests.interfaces.serving import serving

from .conftest import CHROMIUM

QUESTION = "What is the deductible for equipment in transit?"
QUALITY = 80
LOOKS = {"light": ("light", "en"), "dark": ("dark", "en"), "right-to-left": ("light", "ar")}


async def keep(page: Page, path: Path) -> None:
    """What the window shows, small enough to be part of the repository."""
    picture = Image.open(io.BytesIO(await page.screenshot()))
    picture.save(path, quality=QUALITY, method=6)


async def draw(browser: Browser, address: str, folder: Path, look: str) -> None:
    """The pages in one look, each in a file named after both."""
    theme, language = LOOKS[look]
    context = await browser.new_context(
        base_url=address, viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
    )
    kept = {"footnote.preferences": json.dumps({"theme": theme}), "footnote.language": language}
    for name, value in kept.items():
        await context.add_init_script(
            f"localStorage.setItem({json.dumps(name)}, {json.dumps(value)})"
        )
    page = await context.new_page()
    await page.goto("/?workspace=demo")
    await page.fill("#question", QUESTION)
    await page.keyboard.press("Enter")
    await page.locator("article details").wait_for()
    await page.locator("button[data-marker]").first.click()
    await page.wait_for_selector("[data-mark]")
    await page.wait_for_selector('canvas[data-drawn="true"]')
    await keep(page, folder / f"ask-{look}.webp")
    await page.goto("/documents?workspace=demo")
    await page.wait_for_selector("tbody tr a")
    await keep(page, folder / f"documents-{look}.webp")
    await page.goto("/find?workspace=demo&query=storm%20damage")
    await page.wait_for_selector("ol h2")
    await keep(page, folder / f"search-{look}.webp")
    await context.close()


async def main(folder: Path) -> None:
    """Draw every page in every look."""
    async with serving(os.environ) as (_, address), async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        for look in LOOKS:
            await draw(browser, address, folder, look)
        await browser.close()


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(target))
