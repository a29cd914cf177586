"""Around a conversation: it is found by its words, taken away as a file, and given documents."""

from __future__ import annotations

import io
from pathlib import Path

import docx
import httpx
import pypdfium2 as pdfium
import pytest
from playwright.async_api import Page, expect

from footnote.ingestion import libreoffice

from .conftest import Site
from .documents import NOTICE, QUESTIONS, notice_pdf
from .test_citations import ask
from .test_conversation import answered
from .test_for_everyone import violations

LAMPS, LENS, KEEPER = list(QUESTIONS)[:3]


async def test_words_lead_to_the_message_that_has_them_on_whatever_branch(page: Page) -> None:
    await page.goto("/")
    await ask(page, LAMPS)
    await ask(page, "Who ground the lens of the lantern of Zanzibar?")
    await page.get_by_role("button", name="Edit the question").last.click()
    field = page.get_by_role("textbox", name="Edited question")
    await field.fill(KEEPER)
    await field.press("Enter")
    await answered(page, "eleven hours")
    talk = page.url
    await page.goto("/documents")
    await page.get_by_role("searchbox", name="Search in conversations").fill("zanzibar LENS")
    found = page.get_by_role("list", name="Conversations found")
    await expect(page.get_by_text("1 conversation", exact=True)).to_be_visible()
    assert await violations(page) == []
    await found.get_by_role("link", name="Zanzibar").first.click()
    assert page.url.startswith(talk)
    question = page.get_by_role("article", name="Question")
    await expect(question.last).to_contain_text("Zanzibar")
    await expect(page.locator(":focus")).to_contain_text("Zanzibar")
    search = page.get_by_role("searchbox", name="Search in conversations")
    await search.fill("no such words anywhere")
    await expect(page.get_by_text("No conversation has these words.")).to_be_visible()
    await search.fill("")
    await expect(page.get_by_role("button", name="More about").first).to_be_visible()


async def test_a_link_to_a_message_holds_nobody_to_its_version(page: Page) -> None:
    await page.goto("/")
    await ask(page, LAMPS)
    row = page.locator("[id^=message-]").last
    message = (await row.get_attribute("id") or "").removeprefix("message-")
    await page.goto(f"{page.url}?message={message}")
    await expect(page.locator(":focus")).to_have_id(f"message-{message}")
    activated: list[str] = []
    page.on(
        "request",
        lambda request: (
            activated.append(request.url) if request.url.endswith("/activate") else None
        ),
    )
    await page.get_by_role("button", name="Answer again").click()
    versions = page.get_by_role("group", name="Versions of this answer")
    await expect(versions).to_contain_text("2 / 2")
    await page.wait_for_timeout(1000)
    await expect(versions).to_contain_text("2 / 2")
    assert activated == []
    await versions.get_by_role("button", name="Previous version").click()
    await expect(versions).to_contain_text("1 / 2")
    await versions.get_by_role("button", name="Next version").click()
    await expect(versions).to_contain_text("2 / 2")
    await page.wait_for_timeout(1000)
    assert len(activated) == 2


FORMATS = {"docx": "Export as Word document", "pdf": "Export as PDF"}


@pytest.mark.parametrize("ending", FORMATS)
async def test_a_conversation_is_exported_with_real_footnotes(
    page: Page, tmp_path: Path, ending: str
) -> None:
    if ending == "pdf" and libreoffice.find_office() is None:
        pytest.skip("LibreOffice is not installed")
    await page.goto("/")
    await ask(page, LAMPS)
    # That of this conversation: others were asked the same, and the list moves when it comes in.
    own = page.get_by_role("listitem").filter(has=page.locator('a[aria-current="page"]'))
    await own.get_by_role("button", name=f"More about “{LAMPS}”").click()
    async with page.expect_download() as told:
        await page.get_by_role("menuitem", name=FORMATS[ending]).click()
    download = await told.value
    assert download.suggested_filename.endswith(f".{ending}")
    await download.save_as(tmp_path / "saved")
    content = (tmp_path / "saved").read_bytes()
    if ending == "docx":
        read = docx.Document(io.BytesIO(content))
        assert LAMPS in [each.text for each in read.paragraphs]
        assert any(each.partname == "/word/footnotes.xml" for each in read.part.package.parts)
        return
    with pdfium.PdfDocument(content) as document:
        text = document[0].get_textpage().get_text_range()
    assert NOTICE in text
    assert "400 watts" in text


async def test_attached_documents_are_chips_that_can_be_taken_off(page: Page, site: Site) -> None:
    await page.goto("/")
    await page.get_by_role("button", name="Attach documents").click()
    dialog = page.get_by_role("dialog", name="Attach documents")
    await dialog.get_by_role("searchbox").fill("lantern")
    await dialog.get_by_role("checkbox", name="lantern-notice").check()
    assert await violations(page) == []
    await dialog.get_by_role("button", name="Done").click()
    chips = page.get_by_role("list", name="Attached documents")
    await expect(chips.get_by_role("button")).to_have_count(1)
    await ask(page, LAMPS)
    await answered(page, "400 watts")
    # They go with the conversation that was begun. What was chosen is shown before it is kept.
    async with page.expect_response(lambda each: each.request.method == "PATCH"):
        await page.get_by_label("Search these alone").click()
    await expect(page.get_by_label("Search these alone")).to_be_checked()
    talk = page.url.split("/conversations/")[1].split("?")[0]
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
        kept = (await http.get(f"/v1/conversations/{talk}")).json()
    assert (kept["document_ids"], kept["document_mode"]) == ([site.ids[NOTICE]], "only")
    await page.reload()
    await chips.get_by_role("button", name="lantern-notice").click()
    await expect(chips).to_have_count(0)
    await expect(page.get_by_role("button", name="Attach documents")).to_be_focused()


DROP = """([bytes, name]) => {
  const held = new DataTransfer();
  held.items.add(new File([new Uint8Array(bytes)], name));
  const zone = document.querySelector("[data-drop-zone]");
  for (const kind of ["dragover", "drop"])
    zone.dispatchEvent(new DragEvent(kind, {dataTransfer: held, bubbles: true, cancelable: true}));
}"""


async def test_a_file_dropped_onto_a_conversation_is_handed_in_and_attached(page: Page) -> None:
    await page.goto("/")
    await ask(page, LAMPS)
    content = notice_pdf(("The beacon Tamsin is painted green.",))
    await page.evaluate(DROP, [list(content), "tamsin.pdf"])
    chips = page.get_by_role("list", name="Attached documents")
    await expect(chips.get_by_role("button", name="tamsin")).to_be_visible()
