"""What documents say and name: conflicts below an answer, facts and entities on their pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, Page, expect

from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.interfaces.serving import environment, hosted

from .conftest import Site, ingested, watched_page
from .documents import notice_pdf
from .test_citations import ask, drawn
from .test_for_everyone import prefer, violations, violations_in_all_themes

QUESTION = "How many people does Acme Insurance employ?"
REPORT = notice_pdf(
    (
        "Acme Insurance employs 450 people.",
        "Maria Keller leads Acme Insurance.",
        "The offices stand in Rotterdam.",
    )
)
NOTES = b"# Notes of the board\n\nThe offices were painted.\n\nAcme Insurance employs 470 people.\n"
PROGRESS = ("/v1/facts/progress", "/v1/entities/progress", "/v1/summaries/progress")


@pytest.fixture(scope="module")
async def shelf(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    """Two documents that disagree, and what they say and name."""
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path_factory.mktemp("knowledge"), model_home)
        env = environment(
            settings, FOOTNOTE_FACTS="rules", FOOTNOTE_ENTITIES="rules", FOOTNOTE_SUMMARIES="rules"
        )
        async with hosted(env) as address:
            ids = await ingested(address, {"report.pdf": REPORT, "notes.md": NOTES})
            async with httpx.AsyncClient(base_url=address, timeout=600) as http:
                for each in PROGRESS:
                    found = {"done": 0, "documents": len(ids)}
                    while found["done"] < found["documents"]:
                        found = (await http.get(each)).json()
            yield Site(address=address, ids=ids, env=env)


@pytest.fixture
async def page(browser: Browser, shelf: Site) -> AsyncIterator[Page]:
    async with watched_page(browser, shelf.address) as opened:
        yield opened


async def test_below_an_answer_stands_what_documents_do_not_agree_about(
    page: Page, shelf: Site
) -> None:
    await page.goto("/")
    await ask(page, QUESTION)
    told = page.get_by_role("region", name="The documents do not agree")
    await expect(told).to_contain_text("Acme Insurance – employs")
    said = told.get_by_role("listitem")
    await expect(said).to_have_count(2)
    await expect(said.filter(has_text="470 people")).to_contain_text("Notes of the board")
    assert await violations_in_all_themes(page) == []
    chip = said.filter(has_text="450 people").get_by_role("button")
    await chip.focus()
    await page.keyboard.press("Enter")
    await drawn(page)
    assert f"document={shelf.ids['report.pdf']}" in page.url
    await page.reload()
    await expect(said).to_have_count(2)


async def test_a_document_shows_its_facts_which_are_confirmed_and_rejected(
    page: Page, shelf: Site
) -> None:
    await page.goto(f"/documents/{shelf.ids['report.pdf']}")
    facts = page.get_by_role("list", name="Facts")
    employs = facts.get_by_role("listitem").filter(has_text="employs 450 people").first
    await expect(employs).to_contain_text("proposed")
    await expect(employs).to_contain_text("statement")
    assert await violations(page) == []
    await employs.get_by_role("button", name="Confirm: ").focus()
    await page.keyboard.press("Enter")
    await expect(employs).to_contain_text("confirmed")
    await employs.get_by_role("button", name="Reject: ").click()
    await expect(facts.get_by_text("employs 450 people", exact=False)).to_have_count(0)
    # It is again what it was before, and the message goes.
    await page.get_by_role("button", name="Undo").click()
    await expect(employs).to_contain_text("confirmed")
    await expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    await employs.get_by_role("button", name="Open again: ").click()
    await expect(employs).to_contain_text("proposed")
    await employs.get_by_role("button", name="Acme Insurance employs 450 people.").first.click()
    await drawn(page)
    names = page.get_by_role("region", name="Entities")
    await names.get_by_role("link", name="Maria Keller").click()
    await expect(page.get_by_role("heading", name="Maria Keller", level=1)).to_be_visible()


async def test_documents_and_collections_are_summarised_in_their_sentences(
    page: Page, shelf: Site
) -> None:
    await page.goto(f"/documents/{shelf.ids['report.pdf']}")
    own = page.get_by_role("list", name="In its own sentences").get_by_role("button")
    await expect(own).to_have_count(3)
    assert await violations(page) == []
    await own.filter(has_text="Maria Keller leads Acme Insurance.").click()
    await drawn(page)
    assert "start=36" in page.url
    assert "page=1" in page.url
    await page.goto("/documents?filters=%5B%22collection%3Adefault%22%5D")
    await page.get_by_text("What the collection says").click()
    told = page.get_by_role("region", name="In its own sentences")
    await expect(told).to_contain_text("From 2 documents.")
    await expect(told).to_contain_text("Notes of the board")
    assert await violations(page) == []


async def test_a_question_about_the_whole_is_answered_from_summaries(page: Page) -> None:
    await page.goto("/")
    await ask(page, "What are the main topics across all these documents?")
    answer = page.get_by_role("article", name="Answer")
    await expect(answer).to_contain_text("From the summaries of 2 documents:")
    await expect(answer).to_contain_text("Acme Insurance employs 4")
    await page.reload()
    await expect(answer).to_contain_text("From the summaries of 2 documents:")
    assert await violations(page) == []


async def test_a_page_says_what_documents_disagree_about(page: Page) -> None:
    await page.goto("/find")
    await expect(page.locator("#search")).to_be_visible()
    await page.keyboard.press("Control+k")
    await page.get_by_role("combobox").fill("What documents disagree")
    await expect(page.get_by_role("option", selected=True)).to_have_text(
        "What documents disagree about"
    )
    await page.keyboard.press("Enter")
    about = page.get_by_role("region", name="Acme Insurance – employs")
    await expect(about.get_by_role("button", name="Confirm: ")).to_have_count(2)
    assert await violations(page) == []
    await about.get_by_role("button", name="Acme Insurance employs 470 people.").first.click()
    await expect(page.locator("#page mark")).to_have_text("Acme Insurance employs 470 people.")
    await page.go_back()
    await about.get_by_role("link", name="Acme Insurance").first.click()
    await expect(page.get_by_role("heading", name="Acme Insurance", level=1)).to_be_visible()


async def test_entities_are_found_and_each_mention_opens_its_page(page: Page) -> None:
    await page.goto("/entities")
    names = page.get_by_role("region", name="Entities").get_by_role("link")
    await expect(names.first).to_have_text("Acme Insurance")
    assert await violations_in_all_themes(page) == []
    await page.get_by_label("Kind").select_option("person")
    await expect(names).to_have_text(["Maria Keller"])
    await page.get_by_label("Kind").select_option("")
    await page.locator("#filter").fill("acme")
    await expect(names).to_have_text(["Acme Insurance"])
    assert "query=acme" in page.url
    await names.first.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Acme Insurance", level=1)).to_be_visible()
    mentions = page.get_by_role("list", name="Mentions").get_by_role("button")
    await expect(mentions).to_have_count(3)
    said = page.get_by_role("list", name="Facts").get_by_role("listitem")
    await expect(said.filter(has_text="employs 470 people").first).to_be_visible()
    assert await violations_in_all_themes(page) == []
    await mentions.filter(has_text="leads").click()
    await drawn(page)
    await mentions.filter(has_text="470").click()
    await expect(page.locator("#page mark")).to_have_text("Acme Insurance")


async def test_an_entity_is_renamed_split_and_merged_and_all_is_undone(page: Page) -> None:
    await page.goto("/entities?query=acme")
    await page.get_by_role("link", name="Acme Insurance", exact=True).click()
    title = page.get_by_role("heading", level=1)
    form = page.get_by_role("form", name="Rename")
    mentions = page.get_by_role("list", name="Mentions").get_by_role("button")
    related = page.get_by_role("list", name="Named in one sentence").get_by_role("listitem")
    facts = page.get_by_role("list", name="Facts").get_by_role("listitem")
    # What stands above the form has come, so that its button does not move away under the pointer.
    for above in (mentions, related, facts):
        await expect(above.first).to_be_visible()
    await form.get_by_label("Name").fill("Acme of Rotterdam")
    await form.get_by_role("button", name="Save").click()
    await expect(title).to_have_text("Acme of Rotterdam")
    decided = page.get_by_role("list", name="What was decided").get_by_role("listitem")
    await expect(decided).to_contain_text("renamed")
    await decided.get_by_role("button", name="Undo").click()
    await expect(title).to_have_text("Acme Insurance")
    await expect(decided).to_contain_text("undone")
    whole = page.url
    await page.get_by_role("checkbox", name="Choose “Notes of the board”").check()
    await page.get_by_role("button", name="Make another entity").click()
    await expect(page).not_to_have_url(whole)
    await expect(mentions).to_have_count(1)
    assert await violations(page) == []
    await page.goto(whole)
    await expect(mentions).to_have_count(2)
    merge = page.get_by_role("region", name="Merge")
    await merge.get_by_role("searchbox").fill("acme")
    await merge.get_by_role("button", name="Take in: Acme Insurance").click()
    await expect(mentions).to_have_count(3)
    await expect(decided).to_have_count(3)


async def test_what_an_entity_is_related_to_is_drawn_and_listed_with_its_evidence(
    page: Page,
) -> None:
    await page.goto("/entities?query=acme")
    await page.get_by_role("link", name="Acme Insurance", exact=True).click()
    related = page.get_by_role("region", name="Related")
    told = related.get_by_role("list", name="Named in one sentence").get_by_role("listitem")
    await expect(told.get_by_role("link", name="Maria Keller")).to_be_visible()
    assert await violations_in_all_themes(page) == []
    quote = related.get_by_role("button", name="Maria Keller leads Acme Insurance.").first
    await quote.focus()
    await page.keyboard.press("Enter")
    await drawn(page)
    # The same is drawn: what stands around the entity is a link that the keyboard reaches.
    picture = related.get_by_role("group", name="Picture of what is related to “Acme Insurance”")
    keller = picture.get_by_role("link", name="Maria Keller")
    await keller.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Maria Keller", level=1)).to_be_visible()
    await page.go_back()
    await expect(page.get_by_role("heading", name="Acme Insurance", level=1)).to_be_visible()


async def test_what_a_document_is_related_to_leads_to_the_other_document(
    page: Page, shelf: Site
) -> None:
    await page.goto(f"/documents/{shelf.ids['report.pdf']}")
    related = page.get_by_role("region", name="Related")
    other = related.get_by_role("list", name="Gives another value").get_by_role("listitem")
    await expect(other.get_by_role("link", name="Notes of the board")).to_be_visible()
    names = related.get_by_role("list", name="Names", exact=True)
    await expect(names.get_by_role("link", name="Maria Keller")).to_be_visible()
    assert await violations(page) == []
    await other.get_by_role("button", name="470 people").first.click()
    await expect(page.locator("#page mark").first).to_contain_text("470")
    await page.set_viewport_size({"width": 390, "height": 780})
    await page.get_by_role("group", name="Panes").get_by_role("button", name="Main").click()
    picture = related.get_by_role("group", name="Picture of what is related")
    await expect(picture).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth") <= 390
    await picture.get_by_role("link", name="Notes of the board").click()
    await expect(page.get_by_role("heading", name="Notes of the board", level=1)).to_be_visible()


async def test_where_nothing_is_extracted_it_says_how_to_switch_it_on(
    browser: Browser, site: Site
) -> None:
    async with watched_page(browser, site.address) as page:
        for path, what in (
            ("/entities", "entities"),
            ("/conflicts", "facts"),
            ("/clusters", "clusters"),
            (f"/documents/{site.ids['support-pelorus-3.html']}", "facts"),
            (f"/documents/{site.ids['support-pelorus-3.html']}", "summaries"),
        ):
            await page.goto(path)
            verb = "made" if what in ("summaries", "clusters") else "extracted"
            how = "all" if what == "clusters" else "rules"
            await expect(page.get_by_text(f"No {what} are {verb} here")).to_be_visible()
            await expect(page.get_by_text(f"footnote config set {what} {how}")).to_be_visible()
            assert await violations(page) == []


async def test_arabic_reads_from_the_right(page: Page) -> None:
    await prefer(page, "light", "ar")
    for path in ("/entities", "/conflicts"):
        await page.goto(path)
        await expect(page.get_by_text("Acme Insurance").first).to_be_visible()
        assert await page.evaluate("document.documentElement.dir") == "rtl"
        assert await violations(page) == []


async def test_what_is_read_far_down_in_a_pane_leaves_the_bar_where_it_is(
    page: Page, shelf: Site
) -> None:
    await page.set_viewport_size({"width": 1180, "height": 400})
    await page.goto(f"/documents/{shelf.ids['report.pdf']}")
    names = page.get_by_role("region", name="Entities").get_by_role("link")
    await expect(names.first).to_be_visible()
    await page.locator("h2", has_text="Entities").evaluate("(title) => title.scrollIntoView()")
    await expect(names.first).to_be_in_viewport()
    assert await page.locator("header").evaluate("(bar) => bar.getBoundingClientRect().top") == 0
