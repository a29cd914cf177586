"""Audits pages of the web app with Lighthouse, as on a desktop with a line of 10 Mbit/s.

FOOTNOTE_HOME=… python -m tests.web.lighthouse FOLDER [--phone] [PAGE …]

`--phone` takes a telephone with slow 4G and a fourth of the speed instead.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx

from tests.interfaces.serving import serving

from .conftest import CHROMIUMS

AUDIT = Path(__file__).parents[2] / "web" / "lighthouse" / "audit.mjs"
QUESTION = "What is the deductible for equipment in transit?"
CHROMIUM = next(filter(None, map(shutil.which, reversed(CHROMIUMS))), None)
"""Scores are those of the browser that people have, so its shell is the last choice."""
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
LEAST = 0.95
"""Of 1, in each category."""
SIGN_IN = "sign-in"


@dataclass(frozen=True, slots=True)
class Audited:
    """What Lighthouse says of a page."""

    scores: Mapping[str, float]
    """By category, of 1."""
    figures: Mapping[str, float]
    shortcomings: Sequence[str]


def missing() -> str:
    """Why nothing can be audited here; empty where it can."""
    if CHROMIUM is None:
        return "Chromium is missing: apt-get install chromium"
    if shutil.which("node") is None:
        return "node is missing"
    if not (AUDIT.parent / "node_modules" / "lighthouse").is_dir():
        return "Lighthouse is missing: make lighthouse"
    return ""


async def audited(
    pages: Mapping[str, str],
    folder: Path | None = None,
    *,
    phone: bool = False,
    wanted: Sequence[str] = CATEGORIES,
) -> dict[str, Audited]:
    """What Lighthouse says of each page, by its name; its reports go into the folder.

    Where the machine was too busy for it to come to a score, it is asked once more. Raises
    RuntimeError when it cannot audit a page.
    """
    asked = {"pages": dict(pages), "chromium": CHROMIUM, "phone": phone, "wanted": [*wanted]}
    if folder is not None:
        asked["folder"] = str(folder)
    for _ in range(2):
        process = await asyncio.create_subprocess_exec(
            "node",
            str(AUDIT),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        said, complained = await process.communicate(json.dumps(asked).encode())
        if process.returncode != 0:
            raise RuntimeError(complained.decode())
        found: dict[str, Any] = json.loads(said)
        if all(None not in each["scores"].values() for each in found.values()):
            return {name: Audited(**each) for name, each in found.items()}
    raise RuntimeError(f"Lighthouse came to no score: {found}")


async def conversation_of(http: httpx.AsyncClient) -> str:
    """The path of a conversation whose first footnote is open."""
    begun = (await http.post("/v1/conversations", json={})).raise_for_status().json()
    path = f"/v1/conversations/{begun['conversation_id']}/messages"
    exchange = (await http.post(path, json={"question": QUESTION})).raise_for_status().json()
    cited = exchange["reply"]["answer"]["citations"][0]
    place = {
        "document": cited["document_id"],
        "chunk": cited["chunk_id"],
        "page": cited["page"],
        "start": cited["char_start"],
        "end": cited["char_end"],
    }
    return f"/conversations/{begun['conversation_id']}?{urlencode(place)}"


async def pages_of(address: str, workspace: str) -> dict[str, str]:
    """The pages that are audited, with documents in them, by name."""
    headers = {"Footnote-Workspace": workspace}
    async with httpx.AsyncClient(base_url=address, timeout=120, headers=headers) as http:
        conversation = await conversation_of(http)
        documents = (await http.get("/v1/documents?limit=1&query=policy")).json()["documents"]
    paths = {
        "start": "/",
        "conversation": conversation,
        "documents": "/documents",
        "document": f"/documents/{documents[0]['document_id']}",
        "search": "/find?query=storm",
        "map": "/map",
        "administration": "/admin/usage",
    }
    named = urlencode({"workspace": workspace})
    return {
        name: f"{address}{path}{'&' if '?' in path else '?'}{named}" for name, path in paths.items()
    }


async def main(folder: Path, wanted: Sequence[str], *, phone: bool) -> int:
    """Audit every page of the demo, and of a server that asks for keys the page to sign in."""
    if reason := missing():
        sys.stderr.write(f"{reason}\n")
        return 2
    async with serving(os.environ | {"FOOTNOTE_IDENTITY": "keys"}) as (_, address):
        pages = {SIGN_IN: f"{address}/{SIGN_IN}"}
        chosen = {name: each for name, each in pages.items() if not wanted or name in wanted}
        found = await audited(chosen, folder, phone=phone) if chosen else {}
    async with serving(os.environ) as (_, address):
        pages = await pages_of(address, "demo")
        chosen = {name: each for name, each in pages.items() if not wanted or name in wanted}
        found |= await audited(chosen, folder, phone=phone) if chosen else {}
    short = False
    for name, page in found.items():
        scores = " ".join(f"{each} {page.scores[each] * 100:.0f}" for each in CATEGORIES)
        figures = " ".join(f"{figure} {value:.3g}" for figure, value in page.figures.items())
        sys.stdout.write(f"{name}: {scores} ({figures})\n")
        if min(page.scores.values()) < LEAST:
            short = True
            sys.stdout.writelines(f"  {each}\n" for each in page.shortcomings)
    return 1 if short else 0


if __name__ == "__main__":
    _, target, *chosen_pages = (each for each in sys.argv if each != "--phone")
    ended = main(Path(target).resolve(), chosen_pages, phone="--phone" in sys.argv)
    sys.exit(asyncio.run(ended))
