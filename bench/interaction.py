"""How soon the web app paints what follows an input, with 10,000 documents and 1,000 messages.

    python bench/interaction.py

Serves a fresh installation, fills it, opens the conversation and the table of documents in one
window of Chromium, and does what a reader does with real keys and clicks. The time of an input is
what the browser's Event Timing says of it: from the input to the next paint. Of scrolling, which
has no such entry, it is the longest time between two frames.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx
import psycopg
from playwright.async_api import Locator, Page, async_playwright

from answers import ready, server
from footnote.store.embedded import DATABASE, SUPERUSER, start_embedded
from installation import MODELS, share_models
from long_conversation import conversation_of
from reporting import finish, machine, show

EXAMPLES = Path(__file__).parents[1] / "examples" / "documents"
POLICY = "insurance-policy.pdf"
QUESTION = "What is the deductible for equipment in transit?"
BUDGET_MILLISECONDS = 200
MIN_MILLISECONDS = 16
"""What takes less has no entry."""
PATIENCE_MILLISECONDS = 60_000
SETTLING_MILLISECONDS = 300
"""After an input, until its entry is there and what it began has come back."""

OBSERVE = f"""
window.timed = [];
new PerformanceObserver((list) => {{
  for (const {{ name, duration, startTime }} of list.getEntries())
    window.timed.push({{ name, duration, startTime }});
}}).observe({{ type: "event", durationThreshold: {MIN_MILLISECONDS} }});
"""
FRAMES = """
window.frames_ = [];
(() => {
  let before = performance.now();
  const step = (now) => {
    window.frames_.push(now - before);
    before = now;
    window.frame_ = requestAnimationFrame(step);
  };
  window.frame_ = requestAnimationFrame(step);
})();
"""
LAY = """
INSERT INTO documents (
    workspace_id, document_id, collection, filename, title, media_type, source_type, byte_size,
    content_sha256, status, stage, version, published_version, document_class, page_count,
    created_by, created_at, updated_at
)
SELECT workspace_id, gen_random_uuid(), collection, 'report-' || number || '.pdf',
    'Report ' || lpad((number * 7919 %% 100003)::text, 6, '0'), media_type, source_type,
    1000 + number * 104729 %% 1000003, sha256(number::text::bytea), status, stage, version,
    published_version, document_class, number %% 50 + 1, created_by,
    '2024-01-01T00:00:00Z'::timestamptz + number * interval '1 minute', updated_at
FROM documents, generate_series(1, %(count)s) AS number
WHERE document_id = %(document_id)s
"""
REPEAT = """
WITH repeated AS (
    INSERT INTO messages (
        workspace_id, principal, conversation_id, message_no, message_id, parent_no, role, text,
        answer, found, active, created_at
    )
    SELECT workspace_id, principal, conversation_id, message_no + 2 * number, gen_random_uuid(),
        message_no + 2 * number - 1, role, text, answer, found, active,
        created_at + number * interval '1 second'
    FROM messages, generate_series(1, %(times)s) AS number
    WHERE conversation_id = %(conversation_id)s
)
UPDATE conversations SET next_message = next_message + 2 * %(times)s
WHERE conversation_id = %(conversation_id)s
"""


@dataclass(slots=True)
class Inputs:
    """A window of the app, and how long each kind of input took."""

    page: Page
    took: dict[str, list[float]] = field(default_factory=dict)
    """Milliseconds."""

    async def time(self, name: str, act: Callable[[], Awaitable[object]]) -> None:
        """Do something, and keep the longest entry of it."""
        await self.page.evaluate("window.timed.length = 0")
        await act()
        await self.page.wait_for_timeout(SETTLING_MILLISECONDS)
        found = await self.page.evaluate("window.timed.map((each) => each.duration)")
        self.took.setdefault(name, []).append(max([MIN_MILLISECONDS, *found]))

    async def time_frames(self, name: str, act: Callable[[], Awaitable[object]]) -> None:
        """Do something, and keep the longest time between two frames meanwhile."""
        await self.page.evaluate(FRAMES)
        await act()
        await self.page.wait_for_timeout(SETTLING_MILLISECONDS)
        found = await self.page.evaluate("(cancelAnimationFrame(window.frame_), window.frames_)")
        self.took.setdefault(name, []).append(max(found))


async def handed_in(http: httpx.AsyncClient, path: Path) -> str:
    """The id of a document, once it is indexed."""
    received = await http.post("/v1/documents", files={"file": (path.name, path.read_bytes())})
    document = str(received.raise_for_status().json()["document_id"])
    async with http.stream("GET", f"/v1/documents/{document}/events") as events:
        async for line in events.aiter_lines():
            if line == "event: document.indexed":
                break
    return document


def lay(home: Path, document: str, documents: int, conversation: str, messages: int) -> None:
    """Put so many documents beside one that was handed in, and repeat the first exchange."""
    postgres = start_embedded(home)
    try:
        with psycopg.connect(postgres.url(SUPERUSER, DATABASE)) as connection:
            connection.execute("SET LOCAL search_path = footnote, public")
            # Nobody is told of each.
            connection.execute("SET LOCAL session_replication_role = replica")
            connection.execute(LAY, {"count": documents, "document_id": document})
            times = messages // 2 - 1
            connection.execute(REPEAT, {"times": times, "conversation_id": conversation})
    finally:
        postgres.release()


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[Page]:
    """A window of the app that notes how long inputs take."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-browser"),
            args=["--no-sandbox", "--disable-dev-shm-usage"],
        )
        page = await browser.new_page(base_url=address, viewport={"width": 1400, "height": 900})
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        await page.add_init_script(OBSERVE)
        yield page
        await browser.close()


async def talk(inputs: Inputs, conversation: str, repeats: int) -> None:
    """What is done in a conversation."""
    page = inputs.page
    await page.goto(f"/conversations/{conversation}")
    chips = page.locator("button[data-marker]")
    await chips.last.wait_for()
    answers = page.get_by_role("button", name="Answer again")
    for number in range(repeats):
        chip = chips.nth(await chips.count() - 1 - number)
        await chip.scroll_into_view_if_needed()
        await inputs.time("open the card of a footnote", chip.hover)
        await inputs.time("open the page of a footnote", chip.click)
        await page.mouse.move(0, 0)
    for number in range(repeats):
        await page.locator("#question").focus()
        await inputs.time("type a question", lambda: page.keyboard.type("Why?"))
        await page.fill("#question", f"{QUESTION} ({number})")
        before = await answers.count()
        await inputs.time("send a question", lambda: page.keyboard.press("Enter"))
        await answers.nth(min(before, await answers.count() - 1)).wait_for()
        await page.locator("form button[type=submit]").wait_for()
    for _ in range(repeats):
        await palette(inputs)


async def palette(inputs: Inputs) -> None:
    """Open it, type, and close it."""
    keyboard = inputs.page.keyboard
    await inputs.time("open the palette", lambda: keyboard.press("Control+k"))
    await inputs.page.get_by_role("combobox").last.wait_for()
    await inputs.time("type in the palette", lambda: keyboard.type("doc"))
    await keyboard.press("Escape")


async def browse(inputs: Inputs, repeats: int) -> None:
    """What is done in the table of documents, in the window that has the conversation too."""
    page = inputs.page
    await page.get_by_role("link", name="Documents", exact=True).click()
    first = page.locator('tr[aria-rowindex="2"] a')
    await first.wait_for()
    field = page.get_by_label("Filter by title or file name")
    for number in range(repeats):
        await field.focus()
        await inputs.time("type in the filter", partial(page.keyboard.type, str(number)))
        await page.wait_for_timeout(SETTLING_MILLISECONDS)
        await field.fill("")
        await settled(page)
    for name in ("Title", "Size", "Added", "Pages", "Title")[:repeats] * (repeats // 5 or 1):
        head = page.get_by_role("columnheader", name=name).get_by_role("button")
        await inputs.time("sort by a column", head.click)
        await settled(page)
    boxes = page.locator("tbody").get_by_role("checkbox")
    for _ in range(repeats):
        await inputs.time("choose a document", boxes.nth(1).click)
    await page.locator("tbody").hover()
    for number in range(repeats):
        down = 2000 if number % 2 == 0 else -2000
        await inputs.time_frames("scroll", partial(wheel, page, down))
    for _ in range(repeats):
        await page.get_by_role("columnheader", name="Added").get_by_role("button").click()
        await settled(page)
        await opens(inputs, first)
        await page.go_back()
        await first.wait_for()


async def opens(inputs: Inputs, link: Locator) -> None:
    """Open a document's own page."""
    await inputs.time("open a document", link.click)


async def wheel(page: Page, by: int) -> None:
    for _ in range(10):
        await page.mouse.wheel(0, by / 10)


async def settled(page: Page) -> None:
    await page.locator('table[aria-busy="false"]').wait_for()


async def measure(models: Path, documents: int, messages: int, repeats: int) -> dict[str, object]:
    """Milliseconds of each kind of input."""
    report: dict[str, object] = {"machine": machine()}
    with tempfile.TemporaryDirectory(prefix="fb-", ignore_cleanup_errors=True) as name:
        home = Path(name)
        home.chmod(0o711)
        share_models(models, home)
        async with (
            server(home, None) as (address, _),
            httpx.AsyncClient(base_url=address, timeout=120) as http,
        ):
            await ready(http)
            document = await handed_in(http, EXAMPLES / POLICY)
            conversation = await asyncio.to_thread(conversation_of, address, QUESTION, 2)
            await asyncio.to_thread(lay, home, document, documents, conversation, messages)
            async with opened(address) as page:
                inputs = Inputs(page)
                await talk(inputs, conversation, repeats)
                await browse(inputs, repeats)
    report |= {"documents": documents, "messages": messages, "milliseconds": inputs.took}
    report["above_budget"] = [
        name for name, took in inputs.took.items() if max(took) > BUDGET_MILLISECONDS
    ]
    return report


def row(name: str, took: Sequence[float]) -> tuple[str, ...]:
    return (name, f"{statistics.median(took):.0f}", f"{max(took):.0f}", str(len(took)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    report = asyncio.run(
        measure(options.models, options.documents, options.messages, options.repeats)
    )
    took = report["milliseconds"]
    assert isinstance(took, dict)
    title = f"From input to paint (ms), budget {BUDGET_MILLISECONDS}"
    show(title, ("input", "median", "most", "times"), [row(*each) for each in took.items()])
    finish(report, options.json)


if __name__ == "__main__":
    main()
