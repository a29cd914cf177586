"""The map: it is drawn, walked through, drawn around, read as a list."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, Locator, Page, expect

from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.interfaces.serving import environment, hosted

from .conftest import Site, handed_in, rested, watched_page
from .test_for_everyone import prefer, violations, violations_in_all_themes

HARBOUR = ("berth fees", "late berth fees", "berths of ferries", "night berths", "mooring a boat")
GAMES = ("chess openings", "chess endgames", "chess for children", "the queen's gambit", "castling")
BREAD = ("sourdough bread", "yeast and flour", "baking rye bread", "an oven for bread", "dough")


@pytest.fixture(scope="module")
async def shelf(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    """Three collections on three subjects."""
    with fresh_database(postgres) as database:
        env = environment(settings_over(database, tmp_path_factory.mktemp("map"), model_home))
        async with (
            hosted(env) as address,
            httpx.AsyncClient(base_url=address, timeout=600) as http,
        ):
            ids = {}
            for collection, titles in (("harbour", HARBOUR), ("games", GAMES), ("bread", BREAD)):
                for title in titles:
                    text = f"# {title}\n\nThis is about {title}, and nothing but {title}.\n"
                    ids[title] = await handed_in(http, f"{title}.md", text.encode(), collection)
            for document in ids.values():
                await rested(http, document)
            yield Site(address=address, ids=ids, env=env)


@pytest.fixture
async def page(browser: Browser, shelf: Site) -> AsyncIterator[Page]:
    async with watched_page(browser, shelf.address) as opened:
        yield opened


async def opened(page: Page, address: str = "/map") -> Locator:
    """The picture, once nothing above it comes late and moves it."""
    await page.goto(address)
    picture = page.locator("#map")
    await expect(picture).to_be_visible()
    counted = page.locator("#main").get_by_role("search").get_by_role("combobox")
    await expect(counted).not_to_have_count(0)
    await page.evaluate("document.fonts.ready")
    return picture


async def places(page: Page, shelf: Site) -> dict[str, tuple[float, float]]:
    """Where the documents stand in the window, as the map shows them when it is whole."""
    async with httpx.AsyncClient(base_url=shelf.address, timeout=600) as http:
        found = (await http.get("/v1/map")).json()
    box = await page.locator("#map").bounding_box()
    assert box is not None
    scale = (min(box["width"], box["height"]) - 64) / 2
    return {
        point["title"]: (
            box["x"] + box["width"] / 2 + point["x"] * scale,
            box["y"] + box["height"] / 2 - point["y"] * scale,
        )
        for point in found["points"]
    }


async def ink_at(page: Page, place: tuple[float, float]) -> int:
    """How much is drawn at a place of the window: the alpha of the pixel there."""
    return int(
        await page.evaluate(
            """async ([x, y]) => {
                await new Promise(requestAnimationFrame);
                await new Promise(requestAnimationFrame);
                const canvas = document.querySelector('#map canvas');
                const box = canvas.getBoundingClientRect();
                const sharp = canvas.width / box.width;
                const data = canvas.getContext('2d')
                    .getImageData((x - box.left) * sharp, (y - box.top) * sharp, 1, 1).data;
                return data[3];
            }""",
            list(place),
        )
    )


async def test_every_document_is_drawn_where_the_server_puts_it(page: Page, shelf: Site) -> None:
    await opened(page)
    await expect(page.get_by_text("15 documents", exact=True)).to_be_visible()
    found = await places(page, shelf)
    assert len(found) == 15
    for title, place in found.items():
        assert await ink_at(page, place) > 0, title
    legend = page.get_by_role("list", name="Legend")
    assert sorted(await legend.get_by_role("listitem").all_inner_texts()) == [
        "bread\n5",
        "games\n5",
        "harbour\n5",
    ]


@pytest.fixture(scope="module")
async def clusters(shelf: Site) -> dict[str, list[dict[str, Any]]]:
    """The clusters of the shelf's documents and of its passages."""
    async with httpx.AsyncClient(base_url=shelf.address, timeout=600) as http:
        put = await http.put("/v1/config/clusters", json={"value": "all"})
        assert put.is_success
        for of in ("documents", "chunks"):
            progress: dict[str, object] = {"running": True}
            while progress["running"]:
                progress = (await http.get(f"/v1/clusters/progress?of={of}")).json()
        return {
            of: (await http.get(f"/v1/clusters?of={of}")).json()["clusters"]
            for of in ("documents", "chunks")
        }


async def test_colours_tell_clusters_apart(
    page: Page, clusters: dict[str, list[dict[str, Any]]]
) -> None:
    assert clusters["documents"]
    await opened(page)
    await page.get_by_label("Colours by").select_option("cluster")
    legend = page.get_by_role("list", name="Legend")
    for each in clusters["documents"]:
        label = " · ".join(each["label"])
        await expect(legend.get_by_role("listitem").filter(has_text=label)).to_contain_text(
            str(each["documents"])
        )
    assert "colour=cluster" in page.url


async def test_a_page_lists_clusters_of_documents_and_of_passages(
    page: Page, clusters: dict[str, list[dict[str, Any]]]
) -> None:
    assert clusters["chunks"]
    await opened(page)
    await page.get_by_role("link", name="Clusters", exact=True).click()
    listed = page.get_by_role("list", name="Clusters").locator("> li")
    await expect(listed).to_have_count(len(clusters["documents"]))
    await expect(listed.first).to_contain_text(f"{clusters['documents'][0]['documents']} documents")
    assert await violations_in_all_themes(page) == []
    await page.get_by_label("Of what").select_option("passages")
    await expect(listed).to_have_count(len(clusters["chunks"]))
    await expect(listed.first).to_contain_text(f"{clusters['chunks'][0]['chunks']} passages")
    name = " · ".join(clusters["chunks"][0]["label"])
    await listed.first.get_by_role("link", name=name).click()
    await expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    assert await violations(page) == []
    typical = page.get_by_role("region", name="The most typical first").get_by_role("button")
    quote = await typical.first.locator("q").text_content()
    await typical.first.click()
    await expect(page.locator("#page mark").first).to_be_visible()
    marked = await page.locator("#page mark").all_text_contents()
    assert "".join("".join(marked).split()) in "".join((quote or "").split())
    await page.get_by_role("link", name="All clusters").click()
    await expect(page.get_by_label("Of what")).to_have_value("chunks")
    await expect(listed).to_have_count(len(clusters["chunks"]))


async def test_a_card_says_what_lies_under_the_pointer_and_a_click_opens_it(
    page: Page, shelf: Site
) -> None:
    await opened(page)
    at = (await places(page, shelf))["castling"]
    await page.mouse.move(*at)
    card = page.locator("[data-card]")
    await expect(card).to_contain_text("castling")
    await expect(card).to_contain_text("games")
    await page.locator("#map").focus()
    await page.keyboard.press("Escape")
    await expect(card).to_have_count(0)
    await page.mouse.click(*at)
    await expect(page.locator("#page")).to_contain_text("nothing but castling")
    assert shelf.ids["castling"] in page.url


async def test_a_lasso_chooses_what_lies_within_and_the_table_shows_it(
    page: Page, shelf: Site
) -> None:
    await opened(page)
    x, y = (await places(page, shelf))["dough"]
    await page.get_by_role("button", name="Choose by a lasso").click()
    await page.mouse.move(x - 9, y - 9)
    await page.mouse.down()
    for corner in ((x + 9, y - 9), (x + 9, y + 9), (x - 9, y + 9)):
        await page.mouse.move(*corner, steps=4)
    await page.mouse.up()
    chosen = page.get_by_role("group", name="chosen")
    await expect(chosen).to_be_visible()
    await page.get_by_role("button", name="Show in the table").click()
    rows = page.get_by_role("row").filter(has=page.get_by_role("checkbox"))
    table = page.get_by_role("table")
    await expect(table.get_by_role("link", name="dough", exact=True)).to_be_visible()
    # The heading has a checkbox too.
    assert 2 <= await rows.count() < 15
    await page.get_by_role("button", name="chosen document").click()
    await expect(page.get_by_text("15 documents", exact=True)).to_be_visible()


async def test_a_rectangle_chooses_and_what_is_chosen_is_searched_alone(
    page: Page, shelf: Site
) -> None:
    picture = await opened(page)
    box = await picture.bounding_box()
    assert box is not None
    await page.get_by_role("button", name="Choose by a rectangle").click()
    await page.mouse.move(box["x"] + 2, box["y"] + 2)
    await page.mouse.down()
    await page.mouse.move(box["x"] + box["width"] - 60, box["y"] + box["height"] - 4, steps=5)
    await page.mouse.up()
    await expect(page.get_by_role("group", name="15 chosen")).to_be_visible()
    # A click with the tool takes one out again.
    await page.mouse.click(*(await places(page, shelf))["castling"])
    await expect(page.get_by_role("group", name="14 chosen")).to_be_visible()
    await page.get_by_role("button", name="Search in these").click()
    await expect(page.get_by_role("button", name="14 chosen documents")).to_be_visible()
    await page.locator("#search").fill("castling")
    await expect(page.locator("[data-result]").first).to_be_visible()
    for found in await page.locator("[data-result]").all_inner_texts():
        assert "nothing but castling" not in found


async def test_the_keyboard_walks_zooms_chooses_and_opens(page: Page, shelf: Site) -> None:
    await page.goto("/documents")
    await expect(page.get_by_role("heading", name="Documents", level=1)).to_be_visible()
    await page.keyboard.press("Escape")
    await page.evaluate("document.activeElement.blur()")
    await page.keyboard.press("m")
    picture = page.locator("#map")
    await expect(picture).to_be_visible()
    await picture.focus()
    status = page.locator("p[role=status].sr-only")
    await page.keyboard.press("ArrowRight")
    card = page.locator("[data-card] p").first
    await expect(card).to_be_visible()
    seen = {await card.inner_text()}
    # Where documents lie differs from map to map: each way is gone to its end.
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp") * 2:
        for _ in range(3):
            await page.keyboard.press(key)
            seen.add(await card.inner_text())
    assert len(seen) >= 3
    title = await card.inner_text()
    await expect(status.filter(has_text=title)).to_have_count(1)
    await page.keyboard.press("+")
    await page.keyboard.press("Shift+ArrowLeft")
    await page.keyboard.press("0")
    await page.keyboard.press("Space")
    await expect(page.get_by_role("group", name="1 chosen")).to_be_visible()
    await expect(status.filter(has_text="chosen")).to_have_count(1)
    await page.keyboard.press("Enter")
    await expect(page.locator("#page")).to_contain_text(title)
    await picture.focus()
    await page.keyboard.press("Escape")
    await expect(card).to_have_count(0)
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("group", name="chosen")).to_have_count(0)


async def test_the_wheel_and_the_buttons_zoom_and_dragging_moves(page: Page, shelf: Site) -> None:
    await opened(page)
    x, y = (await places(page, shelf))["castling"]
    assert await ink_at(page, (x, y)) > 0
    await page.mouse.move(x, y)
    await page.mouse.wheel(0, -600)
    # What is under the pointer stays there.
    assert await ink_at(page, (x, y)) > 0
    await page.mouse.down()
    await page.mouse.move(x + 40, y + 30, steps=4)
    await page.mouse.up()
    assert await ink_at(page, (x + 40, y + 30)) > 0
    await page.get_by_role("button", name="Show the whole map").click()
    assert await ink_at(page, (x, y)) > 0
    for name in ("Closer", "Farther"):
        await page.get_by_role("button", name=name).click()
    assert await ink_at(page, (x, y)) > 0


async def test_the_list_has_all_that_the_picture_has(page: Page, shelf: Site) -> None:
    await opened(page)
    await page.get_by_role("button", name="List", exact=True).click()
    region = page.get_by_role("region", name="Areas and their documents")
    for summary in await region.locator("summary").all():
        await summary.press("Enter")
    for title in (*HARBOUR, *GAMES, *BREAD):
        await expect(region.get_by_role("button", name=title, exact=True)).to_be_visible()
    await region.get_by_role("checkbox", name="Choose “castling”").check()
    await expect(page.get_by_role("group", name="1 chosen")).to_be_visible()
    await region.get_by_role("checkbox", name="Choose all of").first.check()
    await region.get_by_role("button", name="dough", exact=True).click()
    await expect(page.locator("#page")).to_contain_text("nothing but dough")


async def test_filters_take_documents_away_and_move_none(page: Page, shelf: Site) -> None:
    await opened(page)
    before = await places(page, shelf)
    await page.get_by_role("combobox", name="Collection").select_option("games")
    await expect(page.get_by_text("5 documents", exact=True)).to_be_visible()
    assert await ink_at(page, before["castling"]) > 0
    assert "games" in page.url
    await page.get_by_role("combobox", name="Colours by").select_option("area")
    await expect(page).to_have_url(re.compile("colour=area"))
    await page.locator("#filter").fill("nothing has this name")
    await expect(page.get_by_text("No document fits")).to_be_visible()
    await page.get_by_role("button", name="Remove all filters").click()
    await expect(page.get_by_text("15 documents", exact=True)).to_be_visible()


async def test_chosen_documents_are_tagged_together(page: Page, shelf: Site) -> None:
    await opened(page, "/map?filters=%5B%22collection%3Abread%22%5D")
    await expect(page.get_by_text("5 documents", exact=True)).to_be_visible()
    await page.get_by_role("button", name="List", exact=True).click()
    for box in await page.get_by_role("checkbox", name="Choose all of").all():
        await box.check()
    await page.get_by_role("button", name="Add tags").click()
    await page.keyboard.type("baked")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("group", name="chosen")).to_have_count(0)
    await expect(page.get_by_role("combobox", name="Tags")).to_contain_text("baked (5)")


async def test_too_few_documents_say_what_a_map_needs(page: Page, shelf: Site) -> None:
    async with httpx.AsyncClient(base_url=shelf.address, timeout=600) as http:
        assert (await http.get("/v1/map?query=castling")).json()["total"] == 1
    await page.goto("/map?query=castling")
    await expect(page.get_by_text("1 document", exact=True)).to_be_visible()
    await page.route(
        "**/v1/map?*",
        lambda route: route.fulfill(
            json={
                "points": [],
                "areas": [],
                "total": 2,
                "unplaced": 2,
                "left_out": 0,
                "progress": None,
            }
        ),
    )
    await page.goto("/map")
    await expect(page.get_by_text("Too few documents for a map")).to_be_visible()
    assert await violations(page) == []


async def test_progress_is_shown_until_the_map_is_made(page: Page) -> None:
    asked = 0

    async def first_progress(route: object) -> None:
        nonlocal asked
        asked += 1
        if asked > 1:
            await route.continue_()  # type: ignore[attr-defined]
            return
        await route.fulfill(  # type: ignore[attr-defined]
            json={
                "points": [],
                "areas": [],
                "total": 15,
                "unplaced": 0,
                "left_out": 0,
                "progress": {"done": 50, "total": 200},
            }
        )

    await page.route("**/v1/map?*", first_progress)
    await page.goto("/map")
    await expect(page.locator("#map")).to_be_visible()
    assert asked >= 2


async def test_no_state_of_the_map_has_a_barrier(page: Page, shelf: Site) -> None:
    found = {}
    await opened(page)
    await page.mouse.move(*(await places(page, shelf))["castling"])
    await expect(page.locator("[data-card]")).to_be_visible()
    found["picture with a card"] = await violations_in_all_themes(page)
    await page.locator("#map").focus()
    await page.keyboard.press("Space")
    await expect(page.get_by_role("group", name="1 chosen")).to_be_visible()
    found["chosen"] = await violations_in_all_themes(page)
    await page.get_by_role("button", name="List", exact=True).click()
    await page.locator("summary").first.press("Enter")
    found["list"] = await violations_in_all_themes(page)
    assert {state: each for state, each in found.items() if each} == {}


async def test_the_map_reads_from_the_right_in_arabic(page: Page) -> None:
    await prefer(page, "light", "ar")
    await opened(page)
    await expect(page.get_by_role("heading", name="خريطة المستندات")).to_be_visible()
    assert await violations(page) == []


async def test_two_fingers_zoom_on_a_touch_screen(browser: Browser, shelf: Site) -> None:
    async with watched_page(browser, shelf.address) as page:
        picture = await opened(page)
        at = (await places(page, shelf))["castling"]
        await picture.evaluate(
            """(map, [x, y]) => {
                map.setPointerCapture = () => undefined;
                const send = (type, id, x, y) => map.dispatchEvent(new PointerEvent(type, {
                    pointerId: id, pointerType: 'touch', clientX: x, clientY: y, button: 0,
                    bubbles: true, isPrimary: id === 11,
                }));
                send('pointerdown', 11, x - 20, y);
                send('pointerdown', 12, x + 20, y);
                send('pointermove', 11, x - 60, y);
                send('pointermove', 12, x + 60, y);
                send('pointerup', 11, x - 60, y);
                send('pointerup', 12, x + 60, y);
            }""",
            list(at),
        )
        assert await ink_at(page, at) > 0
        # Nothing was opened or chosen by it.
        assert "document=" not in page.url
