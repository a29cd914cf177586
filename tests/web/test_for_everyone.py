"""Everybody can use the app: with a keyboard alone, with a screen reader, in any theme."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import httpx
import pytest
from playwright.async_api import Page, Route, expect

from tests.interfaces.serving import footnote

from .conftest import Site, handed_in, rested
from .documents import QUESTIONS
from .test_citations import ask, drawn

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block", "target-size"]
"""What else a theme may change: themes have one document, in other colours and with other lines."""
OTHER_THEMES: tuple[tuple[str, Literal["light", "dark"], Literal["no-preference", "more"]], ...] = (
    ("dark", "dark", "no-preference"),
    ("contrast", "light", "more"),
    ("light", "light", "no-preference"),
)
"""And what of a system they follow; the last is that of the other tests."""
AUDIT = """async ([tags, rules]) => {
  const { violations } = await axe.run(document, {
    runOnly: rules.length ? { type: "rule", values: rules } : { type: "tag", values: tags },
    // What lies over the page, and the canvas that PDF.js measures letters with, stand in no
    // landmark; that everything should is a practice of axe-core, and not of WCAG.
    rules: rules.length ? {} : { region: { enabled: false } },
    resultTypes: ["violations"],
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  );
}"""


async def prefer(page: Page, theme: str, language: str = "en") -> None:
    kept = json.dumps({"theme": theme})
    await page.add_init_script(
        f"localStorage.setItem('footnote.preferences', {json.dumps(kept)});"
        f"localStorage.setItem('footnote.language', {json.dumps(language)});"
    )


async def violations(page: Page, rules: Sequence[str] = ()) -> list[str]:
    """What axe-core finds on the page as it is, by these rules or by all."""
    if not AXE.is_file():
        pytest.skip("axe-core is missing: make web")
    if await page.evaluate("typeof axe === 'undefined'"):
        await page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = await page.evaluate(AUDIT, [RULES, [*rules]])
    return found


async def violations_in_all_themes(page: Page) -> list[str]:
    """The same of a page that follows its system, which then prefers other colours."""
    found = await violations(page)
    for theme, scheme, contrast in OTHER_THEMES:
        await page.emulate_media(color_scheme=scheme, contrast=contrast)
        await expect(page.locator("html")).to_have_attribute("data-theme", theme)
        if theme != "light":
            found += [f"{theme} {each}" for each in await violations(page, COLOURS)]
    return found


async def test_the_tab_is_called_what_is_shown(page: Page, site: Site) -> None:
    question = next(iter(QUESTIONS))
    await page.goto("/")
    await expect(page).to_have_title("Footnote")
    await ask(page, question)
    link = page.locator("#sources a[aria-current=page]")
    await expect(page).to_have_title(f"{await link.inner_text()} · Footnote")
    await page.get_by_role("link", name="Documents", exact=True).click()
    await expect(page).to_have_title("Documents · Footnote")
    await page.goto(f"/documents/{site.ids['annual-report-2024.pdf']}")
    await expect(page).to_have_title("Annual Report 2024 · Footnote")
    await page.goto("/admin/roles")
    await expect(page).to_have_title("Roles · Footnote")
    await prefer(page, "light", "de")
    await page.goto("/documents")
    await expect(page).to_have_title("Dokumente · Footnote")


async def test_no_state_of_the_app_has_a_barrier(page: Page, site: Site) -> None:
    found: dict[str, list[str]] = {}

    async def look(state: str) -> None:
        found[state] = await violations_in_all_themes(page)

    await page.goto("/")
    await expect(page.get_by_text("What do your documents say?")).to_be_visible()
    await look("empty conversation")
    await ask(page, next(iter(QUESTIONS)))
    chip = page.locator("button[data-marker]").first
    await chip.focus()
    await expect(page.get_by_role("dialog")).to_be_visible()
    await look("answer with the card of a footnote")
    await chip.press("Enter")
    await drawn(page)
    await look("page with marked words")
    await ask(page, "Who won the chess tournament of Reykjavik in 1972?")
    await look("refusal")
    await page.goto("/documents")
    await expect(page.get_by_role("row").nth(1)).to_be_visible()
    await look("documents")
    await page.goto(f"/documents/{site.ids['support-pelorus-3.html']}")
    await expect(page.get_by_role("region", name="Text of the document")).to_be_visible()
    await look("a document without pages")
    await page.goto("/find?query=storm&filters=%5B%22language%3Aen%22%5D")
    await expect(page.locator("ol h2").first).to_be_visible()
    await page.get_by_text("Why this result?").first.click()
    await look("search")
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("combobox")).to_be_visible()
    await look("palette")
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="View and account").click()
    await expect(page.get_by_role("menu")).to_be_visible()
    await look("menu")
    await page.goto("/sign-in")
    await expect(page.get_by_role("button", name="Go on")).to_be_visible()
    await look("sign in")
    assert {state: each for state, each in found.items() if each} == {}


async def test_arabic_reads_from_the_right_without_a_barrier(page: Page) -> None:
    await prefer(page, "light", "ar")
    await page.goto("/documents")
    await expect(page.get_by_role("heading", name="المستندات", level=1)).to_be_visible()
    assert await page.evaluate("document.documentElement.dir") == "rtl"
    sources, main = page.locator("#sources"), page.locator("#main")
    left_of = [
        await each.evaluate("(e) => e.getBoundingClientRect().left") for each in (sources, main)
    ]
    assert left_of[0] > left_of[1]
    assert await violations(page) == []


async def test_the_keyboard_alone_asks_reads_and_walks_on(page: Page) -> None:
    await page.goto("/documents")
    await expect(page.get_by_role("heading", name="Documents", level=1)).to_be_visible()
    await page.keyboard.press("n")
    await expect(page.locator("#question")).to_be_focused()
    await page.keyboard.type(next(iter(QUESTIONS)))
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Answer again")).to_be_visible()
    for _ in range(30):
        await page.keyboard.press("Shift+Tab")
        if await page.evaluate("document.activeElement.matches('button[data-marker]')"):
            break
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.keyboard.press("Enter")
    await drawn(page)
    await page.keyboard.press("Escape")
    await page.keyboard.press("x")
    await expect(page.locator("[data-mark]")).to_have_count(0)
    await page.keyboard.press("Control+k")
    await page.keyboard.type("documents")
    # Enter chooses what the palette shows, which is loaded when it is first opened.
    await expect(page.get_by_role("option", name="Documents d", selected=True)).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Documents", level=1)).to_be_visible()
    await page.keyboard.press("Escape")
    await page.evaluate("document.activeElement.blur()")
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    await page.keyboard.press("Escape")
    separator = page.get_by_role("separator", name="Width of the sources")
    before = int(await separator.get_attribute("aria-valuenow") or 0)
    await separator.press("ArrowRight")
    await expect(separator).to_have_attribute("aria-valuenow", str(before + 24))


async def test_a_phone_shows_one_pane_at_a_time(page: Page) -> None:
    await page.set_viewport_size({"width": 390, "height": 780})
    await page.goto("/")
    await ask(page, next(iter(QUESTIONS)))
    await expect(page.locator("#sources")).to_be_hidden()
    await page.locator("button[data-marker]").first.click()
    await drawn(page)
    await expect(page.locator("#main")).to_be_hidden()
    wide = await page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    await page.get_by_role("group", name="Panes").get_by_role("button", name="Sources").click()
    await expect(page.locator("#sources")).to_be_visible()
    await expect(page.locator("#page")).to_be_hidden()


async def test_nothing_that_is_kept_on_the_device_says_who_uses_it(page: Page) -> None:
    await page.goto("/")
    await ask(page, next(iter(QUESTIONS)))
    await page.get_by_role("button", name="View and account").click()
    await page.get_by_role("menuitemradio", name="Dark").click()
    kept = await page.evaluate("({...localStorage, ...sessionStorage})")
    assert set(kept) == {"footnote.preferences"}
    assert set(json.loads(kept["footnote.preferences"])) == {
        *("theme", "keys", "sourcesWidth", "pageWidth"),
    }
    assert await page.evaluate("document.cookie") == ""


async def test_what_is_typed_before_the_palette_is_there_is_meant_for_it(page: Page) -> None:
    let_go = asyncio.Event()

    async def hold(route: Route) -> None:
        await let_go.wait()
        await route.continue_()

    await page.route("**/assets/Palette-*.js", hold)
    await page.goto("/find")
    await expect(page.locator("#search")).to_be_visible()
    await page.evaluate("document.activeElement.blur()")
    await page.keyboard.press("Control+k")
    # Each but the last is a shortcut: D opens the documents, N a conversation, X closes the page.
    for key in ("d", "n", "x", "Backspace", "Backspace", "a"):
        await page.keyboard.press(key)
    assert page.url.endswith("/find")
    let_go.set()
    await expect(page.get_by_role("combobox")).to_have_value("da")
    await expect(page.get_by_role("combobox")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("combobox")).to_have_count(0)
    await page.unroute_all(behavior="wait")


async def test_no_page_is_wider_than_a_phone(page: Page, site: Site) -> None:
    await page.set_viewport_size({"width": 390, "height": 780})
    wider = {}
    document = f"/documents/{site.ids['support-pelorus-3.html']}"
    for path in ("/", "/find?query=storm", "/documents", document, "/map", "/admin/usage"):
        await page.goto(path)
        await expect(page.get_by_role("main")).to_be_visible()
        await page.evaluate("document.fonts.ready")
        width = await page.evaluate("document.documentElement.scrollWidth")
        if width > 390:
            wider[path] = width
    assert wider == {}


FIRST_LETTER = """(title) => {
  const words = document.createTreeWalker(title, NodeFilter.SHOW_TEXT).nextNode();
  const first = document.createRange();
  first.setStart(words, 0);
  first.setEnd(words, 1);
  const [letter, room] = [first, title].map((each) => each.getBoundingClientRect());
  return [title.scrollWidth > title.clientWidth, letter.left >= room.left - 1];
}"""


async def test_titles_that_read_the_other_way_are_cut_off_at_their_end(
    page: Page, site: Site
) -> None:
    await prefer(page, "light", "ar")
    report = f"/documents/{site.ids['annual-report-2024.pdf']}"
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
        title = (await http.get(f"/v1{report}")).json()["title"]
    await page.goto("/documents")
    for place in ("#sources", "tbody"):
        shown = page.locator(place).locator("bdi", has_text=title)
        await shown.evaluate("(each) => (each.closest('a').style.width = '4rem')")
        assert await shown.evaluate(FIRST_LETTER) == [True, True]


async def test_a_field_reads_as_the_app_does_until_something_is_typed(page: Page) -> None:
    await prefer(page, "light", "ar")
    await page.goto("/documents")
    field = page.locator("#filter")
    way = "(each) => getComputedStyle(each).direction"
    await expect(field).to_be_visible()
    assert await field.evaluate(way) == "rtl"
    await field.fill("storm")
    assert await field.evaluate(way) == "ltr"


async def test_numbers_in_messages_are_grouped_as_the_language_does(page: Page) -> None:
    for language, said in (("en", "12,345"), ("de", "12.345"), ("fr", "12\u202f345")):
        await prefer(page, "light", language)
        await page.goto("/find")
        await page.locator("#search").fill("x" * 12_345)
        await expect(page.locator("#search-length")).to_contain_text(said)
        await expect(page.locator("#search")).to_have_value("x" * 12_345)
    assert await violations(page) == []


async def test_a_table_that_is_wider_than_its_pane_is_reached_by_the_keyboard(
    page: Page, site: Site
) -> None:
    made = await footnote(site.env, "workspace", "create", "wide")
    assert made.code == 0, made.err
    head = " | ".join(f"Measured quantity {number}" for number in range(1, 31))
    cells = " | ".join(["12"] * 30)
    table = f"# Readings\n\n| {head} |\n|{'---|' * 30}\n| {cells} |\n"
    asked = {"Footnote-Workspace": "wide"}
    async with httpx.AsyncClient(base_url=site.address, headers=asked, timeout=600) as http:
        document = await handed_in(http, "readings.md", table.encode())
        await rested(http, document)
    await page.goto(f"/documents/{document}?workspace=wide")
    wide = page.locator("#page").get_by_role("group", name="table").first
    await expect(wide).to_be_visible()
    assert await wide.evaluate("(each) => each.scrollWidth > each.clientWidth")
    assert await violations(page) == []


async def test_a_section_of_the_administration_that_there_is_not_has_a_heading(page: Page) -> None:
    await page.goto("/admin/nothing")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert await violations(page) == []
