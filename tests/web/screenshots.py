"""Draws the pages of the web app over the demo's documents, for the docs.

FOOTNOTE_HOME=… python -m tests.web.screenshots FOLDER [PICTURES] [NAME …]

Every page is drawn in every look into the first folder; those of `IN_DOCS` go into the second too.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
from PIL import Image
from playwright.async_api import Browser, Page, Route, async_playwright, expect

from tests.interfaces.serving import footnote_process, serving

from .conftest import CHROMIUM

QUESTION = "What is the deductible for equipment in transit?"
WORKSPACE = "demo"
MAX_BYTES = 60_000
"""Of a picture, which is part of the repository."""
SIZES = ((1.0, 82), (1.0, 70), (1.0, 58), (1.0, 46), (0.85, 60), (0.85, 45), (0.7, 50))
"""Shares of its width and qualities, the best first."""
PATIENCE_MILLISECONDS = 120_000
DESK, PHONE = (1180, 740), (390, 780)
LOOKS = {"light": ("light", "en"), "dark": ("dark", "en"), "right-to-left": ("light", "ar")}
HOST = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Quayside Marine Works</title>
<style>body {{ font: 1.1rem/1.6 sans-serif; margin: 3rem; max-width: 34rem }}
:root {{ color-scheme: {scheme} }}</style>
<h1>Quayside Marine Works</h1>
<p>Buoys, moorings and their upkeep, from the harbour of Nordersiel.</p>
<script src="/widget.js" data-key="{key}" data-heading="Ask the handbook" data-theme="{scheme}"
  data-language="{language}"></script></html>"""


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo, served twice: to whoever asks, and to those who have a key."""

    open: str
    guarded: str
    key: str

    def at(self, path: str) -> str:
        """The address of a page over the demo's workspace."""
        return f"{self.open}{path}{'&' if '?' in path else '?'}workspace={WORKSPACE}"


@dataclass(frozen=True, slots=True)
class Shot:
    """A page, and how to come to where it is drawn."""

    path: str
    """Which path of the app it shows; empty for what stands on other sites."""
    open: Callable[[Page, Demo, str], Awaitable[None]]
    size: tuple[int, int] = DESK


async def ask(page: Page, demo: Demo, _: str) -> None:
    """A question with its answer, and the card of a footnote."""
    await page.goto(demo.at("/"))
    await page.fill("#question", QUESTION)
    await page.keyboard.press("Enter")
    await page.locator("article details").wait_for()
    await page.locator("button[data-marker]").first.hover()
    await expect(page.get_by_role("dialog")).to_be_visible()


async def open_page(page: Page, demo: Demo, look: str) -> None:
    """The page that a footnote leads to."""
    await ask(page, demo, look)
    await page.locator("button[data-marker]").first.click()
    await page.wait_for_selector("[data-mark]")
    await page.wait_for_selector('canvas[data-drawn="true"]')
    await page.mouse.move(0, 0)


async def why(page: Page, demo: Demo, look: str) -> None:
    """How the sources of an answer were found."""
    await ask(page, demo, look)
    await page.mouse.move(0, 0)
    await page.locator("article details > summary").last.click()
    await expect(page.locator("article details table").first).to_be_visible()
    await page.locator("article details").last.scroll_into_view_if_needed()


async def documents(page: Page, demo: Demo, _: str) -> None:
    """The table of documents."""
    await page.goto(demo.at("/documents"))
    await page.wait_for_selector("tbody tr a")


async def document(page: Page, demo: Demo, look: str) -> None:
    """A document's own page, beside its first page."""
    await documents(page, demo, look)
    await page.locator('tbody tr a[title="insurance-policy.pdf"]').click()
    await page.wait_for_selector('canvas[data-drawn="true"]')


async def search(page: Page, demo: Demo, _: str) -> None:
    """Passages that a search found."""
    await page.goto(demo.at("/find?query=storm%20damage"))
    await page.wait_for_selector("ol h2")


async def document_map(page: Page, demo: Demo, _: str) -> None:
    """Where the documents lie to each other."""
    await page.goto(demo.at("/map"))
    await page.wait_for_selector("#map canvas")


async def entities(page: Page, demo: Demo, _: str) -> None:
    """What the documents name."""
    await read_for(demo, "entities")
    await page.goto(demo.at("/entities"))
    await page.wait_for_selector("#main table")


async def entity(page: Page, demo: Demo, look: str) -> None:
    """Who most documents name."""
    await entities(page, demo, look)
    await page.locator("#main table a").first.click()
    await page.wait_for_selector("#main mark")


async def related(page: Page, demo: Demo, look: str) -> None:
    """What the same is related to, as a drawing and a list."""
    await entity(page, demo, look)
    await page.locator("#main svg[role=group]").wait_for()
    await page.locator("#related").evaluate("(title) => title.scrollIntoView()")
    await page.mouse.move(0, 0)


async def summary(page: Page, demo: Demo, look: str) -> None:
    """What a document says, in its own sentences, and what it states."""
    for each in ("summaries", "facts", "entities"):
        await read_for(demo, each)
    await document(page, demo, look)
    await page.locator("#main svg[role=group]").wait_for()
    await page.locator("#summary-of-whole").evaluate("(title) => title.scrollIntoView()")


async def health(page: Page, demo: Demo, _: str) -> None:
    """How the installation is, and the work in the background."""
    await page.goto(demo.at("/admin/health"))
    await page.wait_for_selector("#main table")
    await expect(page.locator("#main").get_by_text("…")).to_have_count(0)


async def conflicts(page: Page, demo: Demo, _: str) -> None:
    """What documents say in several ways."""
    await read_for(demo, "facts")
    await page.goto(demo.at("/conflicts"))
    # What disagrees, or that nothing does.
    await expect(page.locator("#main h2, #main [data-none]").first).to_be_visible()


async def clusters(page: Page, demo: Demo, _: str) -> None:
    """Documents that are alike."""
    await read_for(demo, "clusters")
    await page.goto(demo.at("/clusters"))
    await page.wait_for_selector("#main li a")


async def cluster(page: Page, demo: Demo, look: str) -> None:
    """The largest of them, with what is typical of it."""
    await clusters(page, demo, look)
    await page.locator("#main li a").first.click()
    await page.wait_for_selector("#typical")


async def read_for(demo: Demo, what: str) -> None:
    """Have the documents of the demo read for facts, entities or the like, if they were not."""
    asked = {"Footnote-Workspace": WORKSPACE}
    async with httpx.AsyncClient(base_url=demo.open, headers=asked, timeout=600) as http:
        put = await http.put(f"/v1/config/{what}", json={"value": True})
        put.raise_for_status()
        found = {"running": True}
        while found["running"]:
            found = (await http.get(f"/v1/{what}/progress")).json()


async def compare(page: Page, demo: Demo, _: str) -> None:
    """The same question by two plans."""
    await page.goto(demo.at("/compare?query=storm%20damage"))
    # Both plans have what they found.
    await expect(page.locator("#main section:has([data-moved])")).to_have_count(2)


async def administration(page: Page, demo: Demo, _: str) -> None:
    """What was used and what it cost."""
    await page.goto(demo.at("/admin/usage"))
    await page.wait_for_selector("table")


async def sign_in(page: Page, demo: Demo, _: str) -> None:
    """Where an API key is entered."""
    await page.goto(f"{demo.guarded}/sign-in")
    await page.wait_for_selector("#key")


async def widget(page: Page, demo: Demo, look: str) -> None:
    """The chat on a page of another site."""
    theme, language = LOOKS[look]
    text = HOST.format(key=demo.key, scheme=theme, language=language)

    async def show(route: Route) -> None:
        await route.fulfill(body=text, content_type="text/html; charset=utf-8")

    await page.route("**/site.html", show)
    await page.goto(f"{demo.guarded}/site.html")
    chat = page.locator("footnote-chat")
    await chat.locator("[part=launcher]").click()
    await chat.locator("textarea").fill(QUESTION)
    await page.keyboard.press("Enter")
    await expect(chat.locator("[part=chip]").first).to_be_visible()


SHOTS: Mapping[str, Shot] = {
    "ask": Shot("/", ask),
    "page": Shot("/conversations/{conversation_id}", open_page),
    "why": Shot("/conversations/{conversation_id}", why),
    "documents": Shot("/documents", documents),
    "document": Shot("/documents/{document_id}", document),
    "search": Shot("/find", search),
    "map": Shot("/map", document_map),
    "entities": Shot("/entities", entities),
    "entity": Shot("/entities/{entity_id}", entity),
    "related": Shot("/entities/{entity_id}", related),
    "summary": Shot("/documents/{document_id}", summary),
    "health": Shot("/admin/{section}", health),
    "conflicts": Shot("/conflicts", conflicts),
    "clusters": Shot("/clusters", clusters),
    "cluster": Shot("/clusters/{cluster_id}", cluster),
    "compare": Shot("/compare", compare),
    "administration": Shot("/admin/{section}", administration),
    "sign-in": Shot("/sign-in", sign_in),
    "phone": Shot("/conversations/{conversation_id}", open_page, PHONE),
    "widget": Shot("", widget),
}

IN_DOCS = (
    *("page-light", "page-dark", "page-right-to-left", "documents-dark", "document-light"),
    *("search-light", "compare-light", "administration-light", "sign-in-light"),
    *("phone-light", "widget-light", "related-light", "summary-light", "map-dark", "health-light"),
)
"""What `docs/pictures` has."""


def picture_of(drawn: bytes) -> bytes:
    """A picture as WebP, as good as it may be within its size."""
    picture = Image.open(io.BytesIO(drawn))
    for share, quality in SIZES:
        file = io.BytesIO()
        shown = picture.resize((int(picture.width * share), int(picture.height * share)))
        shown.save(file, "WEBP", quality=quality, method=6)
        if file.tell() <= MAX_BYTES:
            break
    return file.getvalue()


async def draw(browser: Browser, demo: Demo, name: str, look: str) -> bytes:
    """A page in one look."""
    theme, language = LOOKS[look]
    shot = SHOTS[name]
    width, height = shot.size
    context = await browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    kept = {"footnote.preferences": json.dumps({"theme": theme}), "footnote.language": language}
    for key, value in kept.items():
        await context.add_init_script(
            f"localStorage.setItem({json.dumps(key)}, {json.dumps(value)})"
        )
    page = await context.new_page()
    await shot.open(page, demo, look)
    await page.evaluate("document.fonts.ready")
    picture = picture_of(await page.screenshot())
    await context.close()
    return picture


async def main(folder: Path, pictures: Path | None, names: Sequence[str]) -> None:
    """Draw pages in every look: those that are named, or all."""
    guarded_by = os.environ | {"FOOTNOTE_IDENTITY": "keys", "FOOTNOTE_WORKSPACE": WORKSPACE}
    made = await footnote_process(
        guarded_by, "keys", "create", "site", "--scope", "read", "--workspace", WORKSPACE, "--json"
    )
    if made.code != 0:
        raise SystemExit(f"{made.err}\nmake demo ingests what is drawn")
    async with (
        serving(os.environ) as (_, address),
        serving(guarded_by) as (_, guarded),
        async_playwright() as playwright,
    ):
        demo = Demo(open=address, guarded=guarded, key=json.loads(made.out)["secret"])
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        for name in names or SHOTS:
            for look in LOOKS:
                sys.stderr.write(f"{name} {look} …\n")
                file = folder / f"{name}-{look}.webp"
                file.write_bytes(await draw(browser, demo, name, look))
                if pictures is not None and file.stem in IN_DOCS:
                    shutil.copyfile(file, pictures / file.name)
        await browser.close()


if __name__ == "__main__":
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
    given = sys.argv[1:]
    names = [each for each in given if each in SHOTS]
    target, *more = (Path(each) for each in given if each not in SHOTS)
    target.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(target, more[0] if more else None, names))
