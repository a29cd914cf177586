"""A long conversation lays out its latest messages, and earlier ones on demand."""

from __future__ import annotations

import httpx
from playwright.async_api import Page, expect

from .conftest import Site
from .documents import QUESTIONS
from .test_for_everyone import violations

EXCHANGES = 45


async def test_earlier_messages_come_on_demand_and_by_a_link(page: Page, site: Site) -> None:
    lamps = next(iter(QUESTIONS))
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
        talk = (await http.post("/v1/conversations", json={})).json()["conversation_id"]
        route = f"/v1/conversations/{talk}/messages"
        kept = [
            (await http.post(route, json={"question": lamps})).raise_for_status().json()
            for _ in range(EXCHANGES)
        ]
    rows = page.locator("[id^=message-]")
    await page.goto(f"/conversations/{talk}")
    await expect(rows).to_have_count(40)
    latest = page.locator(f"#message-{kept[-1]['reply']['message_id']}")
    await expect(latest).to_be_in_viewport()
    assert await violations(page) == []
    await page.get_by_role("button", name="Show earlier messages (50)").click()
    await expect(rows).to_have_count(80)
    # What was the first message before is read on from.
    assert await page.locator(":focus").get_attribute("id") == (
        f"message-{kept[25]['question']['message_id']}"
    )
    await page.goto(f"/conversations/{talk}?message={kept[2]['reply']['message_id']}")
    aimed = page.locator(f"#message-{kept[2]['reply']['message_id']}")
    await expect(aimed).to_be_focused()
    await expect(aimed).to_be_in_viewport()
