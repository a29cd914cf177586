"""The administration in the browser: each section does what it says, by keyboard, for everybody."""

from __future__ import annotations

import json
import re
from pathlib import Path
from uuid import UUID

import httpx
from playwright.async_api import Browser, Locator, Page, expect

import footnote
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.evaluation.factories import a_new_run, an_outcome
from tests.interfaces.serving import environment, hosted
from tests.interfaces.serving import footnote as run_command

from .conftest import PATIENCE_MILLISECONDS, Site, handed_in, rested, watched_page
from .documents import QUESTIONS
from .test_for_everyone import violations, violations_in_all_themes

SECTIONS = {
    "keys": "API keys",
    "roles": "Roles",
    "people": "People and groups",
    "sign-on": "Sign-on",
    "collections": "Collections",
    "sources": "Sources",
    "retention": "Retention",
    "holds": "Legal holds",
    "erasures": "Erasures",
    "models": "Models",
    "embedding": "Embedding",
    "settings": "Settings",
    "webhooks": "Webhooks",
    "unanswered": "Unanswered questions",
    "citations": "Cited documents",
    "evaluations": "Evaluation runs",
    "usage": "Usage and cost",
    "audit": "Audit log",
    "health": "Health",
}


async def opened(page: Page, section: str) -> None:
    await page.goto(f"/admin/{section}")
    await expect(page.get_by_role("heading", name=SECTIONS[section], level=1)).to_be_visible()


def row(page: Page, text: str) -> Locator:
    return page.get_by_role("row").filter(has_text=text)


async def confirmed(page: Page, name: str, button: str) -> None:
    """Type the name that a dialog asks for; before that its button does nothing."""
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_role("button", name=button)).to_be_disabled()
    await dialog.get_by_role("textbox").fill(name)
    await dialog.get_by_role("button", name=button).click()
    await expect(dialog).to_be_hidden()


async def test_the_palette_reaches_every_section_and_none_has_a_barrier(page: Page) -> None:
    await page.goto("/")
    await expect(page.get_by_role("link", name="Administration")).to_be_visible()
    found = {}
    for section, heading in SECTIONS.items():
        await page.keyboard.press("Control+k")
        await page.get_by_role("dialog").get_by_role("combobox").fill(heading)
        await page.get_by_role("option", name=heading, exact=True).first.click()
        await page.wait_for_url(f"**/admin/{section}")
        await expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.get_by_text("Loading …")).to_have_count(0)
        found[section] = await violations_in_all_themes(page)
    assert {section: each for section, each in found.items() if each} == {}


async def test_the_bar_leads_to_entities_and_conflicts(page: Page) -> None:
    await page.goto("/")
    for link, heading in (("Entities", "Entities"), ("Conflicts", "What documents disagree about")):
        await page.get_by_role("banner").get_by_role("link", name=link).click()
        await expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible()


async def test_the_keyboard_alone_goes_through_the_sections(page: Page) -> None:
    await page.goto("/")
    await expect(page.get_by_role("link", name="Administration")).to_be_visible()
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("combobox")).to_be_focused()
    await page.keyboard.type("administration")
    chosen = page.get_by_role("option", name="Administration", selected=True)
    await expect(chosen).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="API keys", level=1)).to_be_visible()
    link = page.get_by_role("navigation", name="Administration").get_by_role("link", name="Roles")
    await link.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Roles", level=1)).to_be_visible()
    await expect(link).to_have_attribute("aria-current", "page")


async def test_fields_of_a_row_and_their_labels_stand_at_one_height(page: Page) -> None:
    await page.goto("/admin/keys")
    fields = page.get_by_role("form").first.locator("input:not([type=checkbox])")
    await expect(fields.first).to_be_visible()
    tops = await fields.evaluate_all("all => all.map((each) => each.getBoundingClientRect().top)")
    # A label of one line is 20 pixels high; rows of fields are further from each other.
    assert all(first == second or abs(first - second) > 40 for first in tops for second in tops)


async def test_a_key_is_made_shown_once_rotated_and_revoked(page: Page, site: Site) -> None:
    await opened(page, "keys")
    await page.get_by_label("Name", exact=True).fill("nightly import")
    await page.get_by_label("write").check()
    await page.get_by_label("Expires in days").fill("30")
    await page.get_by_role("button", name="Create").click()
    secret = await page.locator("[data-secret]").text_content()
    assert secret is not None
    assert secret.startswith("fn_")
    await page.get_by_role("button", name="I have kept it").click()
    await expect(page.locator("[data-secret]")).to_have_count(0)
    await expect(row(page, "nightly import")).to_contain_text("read, write")
    await row(page, "nightly import").get_by_role("button", name="Rotate").click()
    await page.get_by_label("Overlap in hours").fill("1")
    await page.get_by_role("dialog").get_by_role("button", name="Rotate").click()
    await expect(page.locator("[data-secret]")).not_to_have_text(secret)
    await expect(row(page, "nightly import")).to_have_count(2)
    await row(page, "nightly import").last.get_by_role("button", name="Revoke").click()
    await confirmed(page, "nightly import", "Revoke")
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
        keys = (await http.get("/v1/keys")).json()["keys"]
    revoked = [key for key in keys if key["name"] == "nightly import" and key["revoked_at"]]
    assert len(revoked) == 1


async def test_a_role_is_granted_and_its_revocation_can_be_undone(page: Page) -> None:
    await opened(page, "roles")
    await page.get_by_label("To whom").fill("group:crew")
    await page.get_by_label("Role", exact=True).select_option("writer")
    await page.get_by_role("button", name="Grant a role").click()
    await row(page, "group:crew").get_by_role("button", name="Revoke").click()
    await expect(row(page, "group:crew")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(row(page, "group:crew")).to_contain_text("writer")
    await page.reload()
    await expect(row(page, "group:crew")).to_contain_text("writer")


async def test_a_setting_is_changed_with_a_history_and_follows_again(page: Page) -> None:
    await opened(page, "settings")
    form = page.get_by_role("form", name="top_k", exact=True)
    await form.get_by_role("textbox").fill("7")
    await form.get_by_role("button", name="Save").click()
    await expect(row(page, "top_k")).to_contain_text("7")
    await page.get_by_role("button", name="Follow the installation").click()
    await expect(row(page, "top_k")).to_have_count(2)
    await expect(page.get_by_role("button", name="Follow the installation")).to_have_count(0)


async def test_a_budget_is_set_and_its_removal_can_be_undone(page: Page) -> None:
    await opened(page, "usage")
    await page.get_by_label("Of what").select_option("tokens")
    await page.get_by_label("At most").fill("1000000")
    await page.get_by_role("button", name="Set a budget").click()
    await expect(row(page, "tokens, month")).to_contain_text("of 1,000,000")
    await row(page, "tokens, month").get_by_role("button", name="Remove").click()
    await page.get_by_role("button", name="Undo").click()
    await expect(row(page, "tokens, month")).to_be_visible()


async def test_a_hold_is_set_and_lifted_with_reasons(page: Page) -> None:
    await opened(page, "holds")
    await page.get_by_label("Kind").select_option("collection")
    await page.get_by_label("Name or id").fill("lantern case")
    await page.get_by_label("Reason").fill("Case 7")
    await page.get_by_role("button", name="Hold", exact=True).click()
    await row(page, "lantern case").get_by_role("button", name="Lift the hold").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Reason").fill("Settled")
    await dialog.get_by_role("button", name="Lift the hold").click()
    await expect(row(page, "lantern case")).to_contain_text("lifted")


async def test_a_retention_rule_is_set_and_previewed(page: Page) -> None:
    await opened(page, "retention")
    await page.get_by_label("Days", exact=True).fill("3650")
    await page.get_by_label("Collection").fill("archive")
    await page.get_by_role("button", name="Set a rule").click()
    await expect(row(page, "archive")).to_contain_text("3650")
    await page.get_by_label("Within days").select_option("365")
    await expect(page.get_by_text("Documents: 0; held: 0")).to_be_visible()
    await expect(page.get_by_text("No document is due.")).to_be_visible()


async def test_an_erasure_is_confirmed_certified_and_verified(
    page: Page, site: Site, tmp_path: Path
) -> None:
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
        files = {"file": ("doomed.md", b"# Doomed\n\nThis is to be erased.")}
        handed = await http.post("/v1/documents", files=files, data={"collection": "doomed"})
    document = str(UUID(handed.json()["document_id"]))
    await opened(page, "erasures")
    await page.get_by_label("Name or id").fill(document)
    await page.get_by_role("button", name="Go on").click()
    await page.get_by_role("button", name="Erase for good").click()
    await confirmed(page, document, "Erase for good")
    await expect(page.get_by_role("heading", name="Certificate", exact=True)).to_be_visible()
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Save the certificate").click()
    kept = tmp_path / "certificate.json"
    await (await download.value).save_as(kept)
    assert document in json.loads(kept.read_text())["document_ids"]
    await page.get_by_label("Certificate as it was saved").set_input_files(kept)
    await expect(page.get_by_text("what it says still holds")).to_be_visible()
    await expect(row(page, document)).to_be_visible()


async def test_the_log_is_filtered_saved_and_verified(page: Page, tmp_path: Path) -> None:
    await opened(page, "audit")
    await page.get_by_label("Act", exact=True).select_option("changed")
    # The last day counts with all its hours.
    today = await page.evaluate("new Date().toLocaleDateString('sv')")
    await page.get_by_label("Until").fill(today)
    await page.get_by_role("button", name="Show", exact=True).click()
    await expect(page.get_by_role("cell", name="searched")).to_have_count(0)
    await expect(page.get_by_role("cell", name="changed").first).to_be_visible()
    # What is saved is what the fields say.
    await expect(page.get_by_label("Act", exact=True)).to_have_value("changed")
    await expect(page.get_by_label("Until")).to_have_value(today)
    await page.get_by_role("button", name="Verify the log").click()
    await expect(page.get_by_text("The log is what was written.")).to_be_visible()
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Save as a file").click()
    kept = tmp_path / "audit.jsonl"
    await (await download.value).save_as(kept)
    entries = [json.loads(line) for line in kept.read_text().splitlines()]
    assert entries
    assert {entry["act"] for entry in entries} == {"changed"}
    numbers = [entry["entry_no"] for entry in entries]
    assert numbers == sorted(numbers)


async def test_a_webhook_is_added_and_removed(page: Page) -> None:
    await opened(page, "webhooks")
    await page.get_by_role("textbox", name="Address").fill("https://example.com/told")
    await page.get_by_role("button", name="Add an address").click()
    await expect(page.get_by_text("Copy the secret that signs its messages")).to_be_visible()
    await page.get_by_role("button", name="I have kept it").click()
    await row(page, "https://example.com/told").get_by_role("button", name="Remove").click()
    await expect(row(page, "https://example.com/told")).to_have_count(0)
    # Leaving the page does at once what could still be undone.
    await page.goto("/")
    await opened(page, "webhooks")
    await expect(row(page, "https://example.com/told")).to_have_count(0)


async def test_the_lanes_and_the_health_of_the_server_are_shown(page: Page) -> None:
    await opened(page, "embedding")
    await expect(page.get_by_role("cell", name="searched")).to_be_visible()
    await opened(page, "health")
    await expect(page.get_by_role("heading", name="The server is ready")).to_be_visible()
    # Its own row, not that of the clusters of passages.
    await expect(page.get_by_role("row", name=re.compile("^Passages"))).to_be_visible()
    await opened(page, "sign-on")
    await expect(page.get_by_text("Nobody is asked who they are")).to_be_visible()


async def test_an_empty_collection_is_removed_and_one_with_documents_stays(
    page: Page, site: Site
) -> None:
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
        document = await handed_in(http, "short.md", b"# Short\n\nSoon gone.", "passing")
        await rested(http, document)
        assert (await http.delete(f"/v1/documents/{document}")).status_code == 204
    await opened(page, "collections")
    await expect(row(page, "default")).to_contain_text("Only an empty collection")
    await expect(row(page, "default")).to_contain_text("Everyone in the workspace")
    await row(page, "passing").get_by_role("button", name="Remove: passing").click()
    await expect(row(page, "passing")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(row(page, "passing")).to_be_visible()
    await row(page, "passing").get_by_role("button", name="Remove: passing").click()
    await expect(row(page, "passing")).to_have_count(0)
    # Leaving the page does at once what could still be undone.
    await page.goto("/")
    await opened(page, "collections")
    await expect(row(page, "default")).to_be_visible()
    await expect(row(page, "passing")).to_have_count(0)


async def test_a_role_is_granted_in_a_collection_where_it_stands(page: Page) -> None:
    await opened(page, "collections")
    await page.get_by_label("To whom").fill("group:divers")
    await page.get_by_role("button", name="Grant a role").click()
    await expect(row(page, "default")).to_contain_text("group:divers: reader")
    await row(page, "default").get_by_role("button", name="Revoke: group:divers").click()
    await expect(row(page, "default")).not_to_contain_text("group:divers")


async def test_use_is_shown_by_person_and_saved_as_a_table(page: Page, tmp_path: Path) -> None:
    await opened(page, "usage")
    people = page.get_by_role("table", name="By person, key and service")
    await expect(people.get_by_role("cell", name="local").first).to_be_visible()
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Save as CSV").click()
    kept = tmp_path / "people.csv"
    await (await download.value).save_as(kept)
    [first, *rows] = kept.read_text().splitlines()
    assert first.startswith("day,principal,requests")
    assert any(",local," in each for each in rows)


async def test_what_is_not_answered_and_what_is_cited_is_shown_and_saved(
    page: Page, site: Site, tmp_path: Path
) -> None:
    unknown = "Who painted the lighthouse of Brest?"
    async with httpx.AsyncClient(base_url=site.address, timeout=120) as http:
        for question in (unknown, next(iter(QUESTIONS))):
            made = (await http.post("/v1/conversations", json={})).json()
            messages = f"/v1/conversations/{made['conversation_id']}/messages"
            assert (await http.post(messages, json={"question": question})).status_code == 200
    await opened(page, "unanswered")
    await expect(row(page, unknown)).to_be_visible()
    async with page.expect_download() as download:
        await page.get_by_role("button", name="Save for a golden set").click()
    kept = tmp_path / "unanswered.jsonl"
    await (await download.value).save_as(kept)
    assert unknown in [json.loads(line)["question"] for line in kept.read_text().splitlines()]
    await page.get_by_label("Until").fill("2020-01-01")
    await page.get_by_role("button", name="Show", exact=True).click()
    await expect(
        page.get_by_text("Everything that was asked in conversations in this time")
    ).to_be_visible()
    assert await violations(page) == []
    await opened(page, "citations")
    cited = page.get_by_role("table", name="Most cited")
    await expect(cited.get_by_role("link").first).to_be_visible()
    never = page.get_by_role("table", name="Never cited")
    await expect(never.get_by_role("row").filter(has_text="default").first).to_be_visible()
    await cited.get_by_role("link").first.click()
    await expect(page).to_have_url(re.compile("/documents/"))


async def test_kept_evaluations_are_charted_compared_and_deleted(
    browser: Browser, postgres: EmbeddedPostgres, model_home: Path, tmp_path: Path
) -> None:
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path, model_home)
        async with footnote.open(settings) as engine:
            workspace = await engine.workspace()
            for name, verdict, right in (("early", "wrong", 0.25), ("late", "right", 0.875)):
                outcomes = (an_outcome("q1", verdict, right=right), an_outcome("q2", right=1.0))
                run = a_new_run(
                    "golden.jsonl", *outcomes, setup=name, figures={"ndcg@10": 1.0, "right": right}
                )
                await workspace.keep_evaluation(run)
        async with (
            hosted(environment(settings)) as address,
            watched_page(browser, address) as page,
        ):
            await opened(page, "evaluations")
            await page.get_by_label("Metric", exact=True).select_option("right")
            await page.get_by_role("button", name="Show", exact=True).click()
            chart = page.get_by_role("img", name="right from run to run")
            await expect(chart).to_be_visible()
            points = await chart.locator("title").all_text_contents()
            assert [each.rpartition(": ")[2] for each in points] == ["0.25", "0.875"]
            runs = page.get_by_role("table", name="Evaluation runs")
            await expect(runs.get_by_role("row").filter(has_text="late")).to_contain_text("0.875")
            assert await violations_in_all_themes(page) == []

            await page.get_by_role("button", name="Compare", exact=True).click()
            differences = page.get_by_role("table", name="Difference", exact=True)
            await expect(differences.get_by_role("row").filter(has_text="right")).to_contain_text(
                "+0.313"
            )
            changes = page.get_by_role("table", name="Questions that came out differently")
            changed = changes.get_by_role("row").filter(has_text="What about q1?")
            await expect(changed).to_contain_text("wrong")
            await expect(changes.get_by_role("row")).to_have_count(2)
            assert await violations(page) == []

            late = runs.get_by_role("row").filter(has_text="late")
            await late.get_by_role("button", name="Show the questions").focus()
            await page.keyboard.press("Enter")
            dialog = page.get_by_role("dialog", name="golden.jsonl, late")
            await expect(dialog.get_by_role("row").filter(has_text="q2")).to_contain_text("80%")
            assert await violations(page) == []
            await page.keyboard.press("Escape")
            await expect(dialog).to_be_hidden()

            await late.get_by_role("button", name="Remove").click()
            await expect(late).to_have_count(0)
            await page.get_by_role("button", name="Undo").click()
            await expect(late).to_be_visible()
            await late.get_by_role("button", name="Remove").click()
            # Leaving the page does at once what could still be undone.
            await page.goto("/")
            await opened(page, "evaluations")
            await expect(row(page, "early")).to_be_visible()
            await expect(row(page, "late")).to_have_count(0)


async def test_a_source_is_checked_before_it_is_saved_and_read_paused_and_removed(
    browser: Browser, postgres: EmbeddedPostgres, model_home: Path, tmp_path: Path
) -> None:
    shelf = tmp_path / "shelves" / "default"
    shelf.mkdir(parents=True)
    (shelf / "ferry.md").write_text("# Ferry\n\nThe ferry sails every Tuesday at noon.\n")
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path, model_home)
        asked = environment(settings)
        async with hosted(asked) as address, watched_page(browser, address) as page:
            await opened(page, "sources")
            await expect(page.get_by_text("FOOTNOTE_SOURCE_PLACES")).to_be_visible()
            await expect(page.get_by_role("form")).to_have_count(0)
            assert await violations(page) == []
        asked |= {"FOOTNOTE_SOURCE_PLACES": f"folder:{shelf.parent}/{{workspace}}"}
        async with hosted(asked) as address, watched_page(browser, address) as page:
            await opened(page, "sources")
            form = page.get_by_role("form", name="Add a source")
            await form.get_by_label("Place", exact=True).fill(f"folder:{shelf}/absent")
            await expect(form.get_by_role("button", name="Save")).to_have_count(0)
            await form.get_by_role("button", name="Check").click()
            await expect(page.get_by_text("there is no such folder")).to_be_visible()
            await expect(form.get_by_role("button", name="Save")).to_have_count(0)
            await form.get_by_label("Place", exact=True).fill(f"folder:{shelf}")
            await form.get_by_role("button", name="Check").focus()
            await page.keyboard.press("Enter")
            await expect(page.get_by_text("One thing lies there")).to_be_visible()
            await expect(page.get_by_role("listitem").filter(has_text="ferry.md")).to_be_visible()
            # What is changed has to be checked anew.
            await form.get_by_label("Collection", exact=True).fill("ferries")
            await expect(form.get_by_role("button", name="Save")).to_have_count(0)
            await form.get_by_role("button", name="Check").click()
            assert await violations_in_all_themes(page) == []
            await form.get_by_role("button", name="Save").focus()
            await page.keyboard.press("Enter")
            source = (
                page.get_by_role("table", name="Sources")
                .get_by_role("row")
                .filter(has_text=str(shelf))
            )
            await expect(source.get_by_role("cell").nth(5)).to_have_text("1")
            await expect(source).to_contain_text("waits")
            assert await violations(page) == []
            await source.get_by_role("button", name="Pause").click()
            await expect(source).to_contain_text("paused")
            await source.get_by_role("button", name="Resume").click()
            await expect(source).to_contain_text("waits")
            await source.get_by_role("button", name="Remove").click()
            await expect(source).to_have_count(0)


def golden_file(folder: Path, name: str, count: int) -> Path:
    """A golden set of questions that the note answers."""
    spans = [{"document": "note.md", "quote": "every Tuesday"}]
    rows = (
        {"id": f"q{number}", "question": "When does the ferry sail?", "relevant": spans}
        for number in range(count)
    )
    path = folder / name
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


async def test_an_evaluation_is_started_followed_stopped_and_started_again(
    browser: Browser, postgres: EmbeddedPostgres, model_home: Path, tmp_path: Path
) -> None:
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path, model_home)
        async with (
            hosted(environment(settings)) as address,
            watched_page(browser, address) as page,
        ):
            await opened(page, "evaluations")
            form = page.get_by_role("form", name="Start an evaluation")
            file = form.get_by_label("Golden set (JSONL file)")
            await file.set_input_files(golden_file(tmp_path, "early.jsonl", 2))
            await form.get_by_role("button", name="Start", exact=True).click()
            started = page.get_by_role("table", name="Started evaluations")
            early = started.get_by_role("row").filter(has_text="early.jsonl")
            await expect(early).to_contain_text("has no document; ingest documents first")
            assert await violations(page) == []

            async with httpx.AsyncClient(base_url=address, timeout=600) as http:
                note = b"# Ferry\n\nThe ferry sails every Tuesday at noon.\n"
                await rested(http, await handed_in(http, "note.md", note))
            # The questions are there still, and are asked again by the keyboard alone.
            await form.get_by_label("Or questions asked before").focus()
            await page.keyboard.type("early")
            await page.keyboard.press("Enter")
            button = form.get_by_role("button", name="Start", exact=True)
            await button.focus()
            await page.keyboard.press("Enter")
            await expect(early.first).to_contain_text("done")
            runs = page.get_by_role("table", name="Evaluation runs")
            await expect(runs.get_by_role("row").filter(has_text="early.jsonl")).to_have_count(1)

            # More than are asked before it is stopped, however long the page is looked at.
            await file.set_input_files(golden_file(tmp_path, "late.jsonl", 5000))
            await form.get_by_role("button", name="Start", exact=True).click()
            progress = page.get_by_role("progressbar", name="of 5,000 questions")
            await expect(progress).to_have_attribute("value", re.compile("[1-9]"))
            assert await violations_in_all_themes(page) == []
            await page.get_by_role("button", name="Stop the evaluation").focus()
            await page.keyboard.press("Enter")
            late = started.get_by_role("row").filter(has_text="late.jsonl")
            await expect(late).to_contain_text("stopped")
            await expect(form).to_be_visible()
            await expect(runs.get_by_role("row").filter(has_text="late.jsonl")).to_have_count(0)


async def test_work_in_the_background_is_paused_and_resumed(page: Page) -> None:
    await opened(page, "health")
    work = page.get_by_role("table", name="Background work")
    marks = work.get_by_role("row").filter(has_text="Marks of orders to models")
    await expect(marks).to_contain_text("complete")
    facts = work.get_by_role("row").filter(has=page.get_by_text("Facts", exact=True))
    await expect(facts).to_contain_text("off")
    await marks.get_by_role("button", name="Pause: Marks of orders to models").click()
    await expect(marks).to_contain_text("paused")
    await page.reload()
    await marks.get_by_role("button", name="Resume: Marks of orders to models").click()
    await expect(marks).to_contain_text("complete")


async def test_health_says_what_doctor_says(page: Page) -> None:
    await opened(page, "health")
    checks = page.get_by_role("table", name="The installation")
    await expect(checks.get_by_role("row").filter(has_text="parser sandbox")).to_be_visible()
    reader = page.get_by_role("cell", name="reader", exact=True)
    named = checks.get_by_role("row").filter(has=reader)
    await expect(named.filter(has_text="grounding judge")).to_be_visible()
    await expect(named.filter(has_not_text="grounding judge")).to_be_visible()


async def test_who_administers_a_collection_sees_that_and_no_more(
    browser: Browser, postgres: EmbeddedPostgres, model_home: Path, tmp_path: Path
) -> None:
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path, model_home)
        async with (
            hosted(environment(settings)) as address,
            httpx.AsyncClient(base_url=address, timeout=600) as http,
        ):
            for name in ("pay", "claims"):
                await rested(http, await handed_in(http, "a.md", name.encode(), name))
            command = await run_command(
                environment(settings), "keys", "create", "ann", "--collection", "pay",
                "--scope", "read", "--scope", "administer", "--json",
            )  # fmt: skip
            assert command.code == 0, command.err
        asked = {**environment(settings), "FOOTNOTE_IDENTITY": "keys"}
        async with hosted(asked) as address:
            context = await browser.new_context(base_url=address)
            context.set_default_timeout(PATIENCE_MILLISECONDS)
            page = await context.new_page()
            await page.goto("/")
            await page.get_by_label("API key or token").fill(json.loads(command.out)["secret"])
            await page.get_by_role("button", name="Sign in").click()
            await page.get_by_role("link", name="Administration").click()
            await expect(page.get_by_role("heading", name="Collections", level=1)).to_be_visible()
            await expect(row(page, "pay")).to_be_visible()
            await expect(row(page, "claims")).to_have_count(0)
            sections = page.get_by_role("navigation", name="Administration")
            await expect(sections.get_by_role("link", name="Roles")).to_be_visible()
            await expect(sections.get_by_role("link", name="API keys")).to_have_count(0)
            assert await violations(page) == []
            await context.close()


async def test_who_may_not_administer_is_offered_nothing(
    browser: Browser, postgres: EmbeddedPostgres, model_home: Path, tmp_path: Path
) -> None:
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path, model_home)
        async with (
            hosted(environment(settings)) as address,
            httpx.AsyncClient(base_url=address, timeout=600) as http,
        ):
            made = await http.post("/v1/keys", json={"name": "reader", "rights": ["read"]})
        asked = {**environment(settings), "FOOTNOTE_IDENTITY": "keys"}
        async with hosted(asked) as address:
            context = await browser.new_context(base_url=address)
            context.set_default_timeout(PATIENCE_MILLISECONDS)
            page = await context.new_page()
            await page.goto("/admin/keys")
            await page.get_by_label("API key or token").fill(made.json()["secret"])
            await page.get_by_role("button", name="Sign in").click()
            bar = page.get_by_role("banner")
            await expect(bar.get_by_role("link", name="Documents")).to_be_visible()
            await expect(page.get_by_role("link", name="Administration")).to_have_count(0)
            await context.close()
