"""Metadata in the browser: typed values on a document's page, filters of the list, many at once."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import httpx
import pytest
from playwright.async_api import Page, Route, expect

from .conftest import Site, rested
from .test_for_everyone import violations, violations_in_all_themes

SUPPORT, POLICY = "support-pelorus-3.html", "insurance-policy.pdf"
TOTAL = re.compile(r"^\d+ documents?$")


@pytest.fixture
async def described(site: Site) -> AsyncIterator[httpx.AsyncClient]:
    """The server, whose documents have what metadata they had before once the test is over."""
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
        before = {
            document: (await http.get(f"/v1/documents/{document}")).json()["metadata"]
            for document in site.ids.values()
        }
        yield http
        for document, known in before.items():
            now = (await http.get(f"/v1/documents/{document}")).json()["metadata"]
            changes = {**dict.fromkeys(now, None), **known}
            if changes:
                await http.patch(f"/v1/documents/{document}", json={"metadata": changes})


async def kept(http: httpx.AsyncClient, document: str) -> dict[str, object]:
    found = (await http.get(f"/v1/documents/{document}")).json()
    return dict(found["metadata"])


async def add(page: Page, name: str, kind: str, value: str) -> None:
    """Add a member on the page of a document."""
    await page.get_by_role("button", name="Add metadata").click()
    form = page.get_by_role("form", name="Add metadata")
    await expect(form.get_by_label("Name")).to_be_focused()
    await form.get_by_label("Name").fill(name)
    await form.get_by_label("Kind").select_option(kind)
    field = form.get_by_label("Value")
    if kind == "boolean":
        await field.select_option(value)
    else:
        await field.fill(value)
    await form.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("button", name=f"Change “{name}”")).to_be_visible()


async def test_values_of_each_kind_are_added_changed_and_removed(
    page: Page, site: Site, described: httpx.AsyncClient
) -> None:
    document = site.ids[POLICY]
    before = await kept(described, document)
    await page.goto(f"/documents/{document}")
    await add(page, "office", "text", "Nordersiel, pier 4")
    await add(page, "premium", "number", "1250.5")
    await add(page, "renewed", "date", "2025-04-01")
    await add(page, "draft", "boolean", "true")
    added = {
        "office": "Nordersiel, pier 4",
        "premium": 1250.5,
        "renewed": "2025-04-01",
        "draft": True,
    }
    assert await kept(described, document) == {**before, **added}
    section = page.get_by_role("region", name="Metadata")
    await expect(section).to_contain_text("Apr 1, 2025")
    await page.get_by_role("button", name="Change “premium”").click()
    form = page.get_by_role("form", name="Change “premium”")
    assert await violations(page) == []
    await expect(form.get_by_label("Value")).to_be_focused()
    await form.get_by_label("Value").fill("1300")
    await page.keyboard.press("Enter")
    await expect(section.get_by_text("1300", exact=True)).to_be_visible()
    await page.get_by_role("button", name="Change “draft”").click()
    await page.get_by_role("button", name="Remove", exact=True).click()
    await expect(section.get_by_text("draft", exact=True)).to_have_count(0)
    changed = {**before, **added, "premium": 1300}
    del changed["draft"]
    assert await kept(described, document) == changed


async def test_what_is_no_value_is_said_beside_its_field(
    refusing_page: Page, site: Site, described: httpx.AsyncClient
) -> None:
    page = refusing_page
    await page.goto(f"/documents/{site.ids[POLICY]}")
    await page.get_by_role("button", name="Add metadata").click()
    form = page.get_by_role("form", name="Add metadata")
    await form.get_by_role("button", name="Save").click()
    await expect(form.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
    await expect(form.get_by_role("alert")).to_have_text("Give it a name.")
    await form.get_by_label("Name").fill("pages read")
    await form.get_by_label("Kind").select_option("number")
    await form.get_by_role("button", name="Save").click()
    value = form.get_by_label("Value")
    await expect(value).to_have_attribute("aria-invalid", "true")
    told = await value.get_attribute("aria-describedby")
    await expect(page.locator(f"[id='{told}']")).to_have_text("This is no value of that kind.")
    # A number that the server does not take: it says so of the value.
    await value.fill("9223372036854775808")
    await form.get_by_role("button", name="Save").click()
    await expect(form.get_by_role("alert")).to_contain_text("64 bits")
    await value.press("Escape")
    await expect(form).to_have_count(0)


async def test_the_list_is_narrowed_by_metadata_as_the_address_says(
    page: Page, site: Site, described: httpx.AsyncClient
) -> None:
    for name, year in ((POLICY, 2023), (SUPPORT, 2025)):
        changes = {"metadata": {"filed": year, "checked": year > 2024}}
        path = f"/v1/documents/{site.ids[name]}"
        assert (await described.patch(path, json=changes)).status_code == 200
    await page.goto("/documents")
    count = page.get_by_role("status").filter(has_text=TOTAL)
    await expect(count).not_to_have_text("2 documents")
    await page.get_by_role("button", name="Filter by metadata").click()
    form = page.get_by_role("form", name="Filter by metadata")
    await form.get_by_label("Name").fill("filed")
    await form.get_by_label("Kind").select_option("number")
    await form.get_by_label("Value").fill("2023")
    await form.get_by_label("Comparison").select_option("gte")
    assert await violations_in_all_themes(page) == []
    await form.get_by_label("Comparison").focus()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(count).to_have_text("2 documents")
    await expect(page).to_have_url(re.compile("metadata.filed"))
    await page.get_by_role("button", name="Filter by metadata").click()
    await form.get_by_label("Name").fill("checked")
    await form.get_by_label("Kind").select_option("boolean")
    await form.get_by_role("button", name="Filter", exact=True).click()
    await expect(count).to_have_text("1 document")
    await page.reload()
    await expect(count).to_have_text("1 document")
    chips = page.get_by_role("list", name="Filters by metadata")
    await expect(chips.get_by_role("listitem")).to_have_text(["filed ≥ 2023", "checked: Yes"])
    assert await violations_in_all_themes(page) == []
    await chips.get_by_role("button", name="Remove the filter filed ≥ 2023").click()
    await expect(chips.get_by_role("listitem")).to_have_text(["checked: Yes"])
    await page.get_by_role("button", name="Remove all filters").click()
    await expect(chips).to_have_count(0)


async def test_a_view_keeps_conditions_on_metadata(
    page: Page, site: Site, described: httpx.AsyncClient
) -> None:
    path = f"/v1/documents/{site.ids[POLICY]}"
    await described.patch(path, json={"metadata": {"filed": 2023}})
    await page.goto('/documents?filters=["{\\"metadata.filed\\":{\\"lte\\":2023}}"]')
    count = page.get_by_role("status").filter(has_text=TOTAL)
    await expect(count).to_have_text("1 document")
    await page.get_by_role("button", name="Keep this view").click()
    await page.get_by_label("Name of the view").fill("Filed early")
    await page.keyboard.press("Enter")
    view = page.get_by_role("combobox", name="Views")
    await expect(view).to_have_value("Filed early")
    await page.goto("/documents")
    await expect(count).not_to_have_text("1 document")
    await view.select_option("Filed early")
    await expect(page.get_by_role("list", name="Filters by metadata")).to_have_text("filed ≤ 2023")
    await expect(count).to_have_text("1 document")
    removed = await described.delete("/v1/views", params={"name": "Filed early"})
    assert removed.status_code == 204


async def test_several_documents_get_it_in_one_request_and_refusals_are_told(
    page: Page, site: Site, described: httpx.AsyncClient
) -> None:
    asked: list[str] = []
    page.on(
        "request",
        lambda sent: (
            asked.append(sent.url.removeprefix(site.address)) if sent.method == "POST" else None
        ),
    )
    await page.goto("/documents")
    boxes = page.locator("tbody").get_by_role("checkbox")
    await boxes.nth(0).click()
    await boxes.nth(3).click(modifiers=["Shift"])
    await page.get_by_role("button", name="Set metadata").click()
    form = page.get_by_role("form", name="Set metadata")
    await form.get_by_label("Name").fill("reviewed")
    await form.get_by_label("Kind").select_option("date")
    await form.get_by_label("Value").fill("2025-05-02")
    assert await violations(page) == []
    await form.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("group", name="4 chosen")).to_have_count(0)
    assert asked == ["/v1/documents/changes"]
    where = '{"metadata.reviewed": "2025-05-02"}'
    found = await described.get("/v1/documents", params={"where": where})
    assert len(found.json()["documents"]) == 4
    # One of them goes behind the back of the page: the others are changed all the same.
    note = {"file": ("passing.md", b"# Passing\n\nA note that will be gone.\n")}
    gone = (await described.post("/v1/documents", files=note)).json()["document_id"]
    await rested(described, gone)

    async def tell_nothing(route: Route) -> None:
        await route.fulfill(status=200, content_type="text/event-stream", body="")

    # An event would take it out of the list, perhaps before it is changed with the other.
    await page.route("**/v1/events", tell_nothing)
    await page.reload()
    await expect(page.locator("tbody").get_by_role("link", name="passing")).to_be_visible()
    await boxes.nth(0).click()
    await boxes.nth(1).click()
    assert (await described.delete(f"/v1/documents/{gone}")).status_code == 204
    await page.get_by_role("button", name="Add tags").click()
    await page.get_by_label("Tags, with commas between").fill("seen")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("“passing” was not here any more.")).to_be_visible()
    tagged = (await described.get("/v1/documents", params={"tag": "seen"})).json()["documents"]
    assert len(tagged) == 1
    untag = {"document_ids": [tagged[0]["document_id"]], "remove_tags": ["seen"]}
    await described.post("/v1/documents/changes", json=untag)
