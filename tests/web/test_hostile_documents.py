"""Whatever a document brings along, the browser runs none of it and asks nobody for anything."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Page, expect

from .conftest import Site, handed_in, rested

DATA = Path(os.environ.get("FOOTNOTE_TEST_DATA") or "../shared/data") / "injection"
RUN = "window.wasRun = true"
ELSEWHERE = "http://elsewhere.invalid"
MARKUP = f"""<h1>Gull Rock</h1><script>{RUN}</script><script src="{ELSEWHERE}/a.js"></script>
<img src="{ELSEWHERE}/a.png" onerror="{RUN}"><iframe src="{ELSEWHERE}"></iframe>
<svg onload="{RUN}"><script>{RUN}</script></svg><style>@import "{ELSEWHERE}/a.css";</style>
<a href="javascript:{RUN}">press</a>
<p style="background:url({ELSEWHERE}/b.png)">The lamp is lit.</p>
<meta http-equiv="refresh" content="0;url={ELSEWHERE}">
<form action="{ELSEWHERE}"><button>go</button></form>
<p>&lt;img src=x onerror="{RUN}"&gt; The keeper sleeps.</p>"""
MARKDOWN = f"""# Gull Rock

![lamp]({ELSEWHERE}/lamp.png) [press](javascript:{RUN})
<img src="{ELSEWHERE}/x.png" onerror="{RUN}">
The lamp is lit.

<script>{RUN}</script>

| Item | Price |
| --- | --- |
| <img src=x onerror="{RUN}"> | [nine](data:text/html,<script>{RUN}</script>) |
"""
SVG = f"""<svg xmlns="http://www.w3.org/2000/svg" onload="{RUN}"><script>{RUN}</script>
<image href="{ELSEWHERE}/a.png"/><text y="20">The lamp is lit.</text></svg>"""
MAIL = f"""From: a@example.org\r\nTo: b@example.org\r\nSubject: <img src=x onerror="{RUN}">\r
MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{MARKUP}"""


def hostile_pdf() -> bytes:
    """Scripts that run when it is opened, and links to elsewhere over its whole page."""
    drawing = b"BT /F1 24 Tf 40 300 Td (The lamp is lit in the tower.) Tj ET"
    script = f"app.alert('run'); app.launchURL('{ELSEWHERE}/pdf'); {RUN};"
    link = "/Type /Annot /Subtype /Link /Rect [0 0 400 400] /A << /S /URI /URI"
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS ({script}) >> >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 400] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> /Annots [6 0 R 7 0 R] "
        f"/AA << /O << /S /JavaScript /JS ({script}) >> >> >>",
        f"<< /Length {len(drawing)} >>\nstream\n{drawing.decode()}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< {link} ({ELSEWHERE}/link) >> >>",
        f"<< {link} (javascript:{RUN}) >> >>",
    ]
    content, places = b"%PDF-1.7\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(content))
        content += f"{number} 0 obj\n{each}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{len(content)}\n%%EOF"
    return content + f"xref\n0 {size}\n0000000000 65535 f \n{table}{end}".encode()


MADE = {
    "page.html": MARKUP.encode(),
    "notes.md": MARKDOWN.encode(),
    "drawing.svg": SVG.encode(),
    "letter.eml": MAIL.encode(),
    "table.csv": f'Item,Price\n"<img src=x onerror=""{RUN}"">",=cmd|calc\n'.encode(),
    f'<img src=x onerror="{RUN}">.md': b"# <b>The lamp</b>\n\nIt is lit.",
    "opens.pdf": hostile_pdf(),
}


async def test_hostile_documents_are_read_and_do_nothing(page: Page, site: Site) -> None:
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
        documents = {name: await handed_in(http, name, each) for name, each in MADE.items()}
        for document in documents.values():
            await rested(http, document)
    await opened_and_quiet(page, documents)


async def test_texts_that_give_orders_are_text(page: Page, site: Site) -> None:
    path = DATA / "text_attack_train.json"
    if not path.is_file():
        pytest.skip("the collection of injected instructions is not here")
    found = json.loads(path.read_text("utf-8"))
    texts = [json.dumps(each, ensure_ascii=False) for each in list(found)[:40]]
    content = "\n\n".join([*texts, MARKDOWN]).encode()
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:
        document = await handed_in(http, "orders.md", content)
        await rested(http, document)
    await opened_and_quiet(page, {"orders.md": document})


QUIET = """() => ({
  run: window.wasRun ?? false,
  frames: frames.length,
  links: [...document.querySelectorAll("a[href]")].map((each) => each.href).filter(
    (each) => !each.startsWith(location.origin)),
  pictures: [...document.images].map((each) => each.src).filter(
    (each) => !each.startsWith("blob:")),
})"""


async def opened_and_quiet(page: Page, documents: Mapping[str, str]) -> None:
    """Look at documents wherever they are shown; the fixture fails at requests and violations."""
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    shown = page.locator(
        '#page canvas[data-drawn="true"], #page [aria-label="Text of the document"]'
    )
    found = {}
    for name, document in documents.items():
        await page.goto(f"/documents/{document}")
        await expect(shown.first).to_be_visible()
        found[name] = await page.evaluate(QUIET)
    await page.goto("/find?query=lamp")
    await expect(page.locator("ol h2").first).to_be_visible()
    await page.locator("ol h2 button").first.click()
    await expect(shown.first).to_be_visible()
    found["search"] = await page.evaluate(QUIET)
    await page.goto("/documents")
    await expect(page.get_by_role("row").nth(1)).to_be_visible()
    found["documents"] = await page.evaluate(QUIET)
    quiet = {"run": False, "frames": 0, "links": [], "pictures": []}
    assert found == dict.fromkeys(found, quiet)
    assert dialogs == []
