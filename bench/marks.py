"""Whether the viewer marks the words that a citation quotes: marks in the browser and true places.

    python bench/marks.py --data ../shared/data/documents
    python bench/marks.py --data FOLDER --quotes 30 --json

Ingests the files of a folder that have pages into a fresh installation, serves it (or into that of
a server that runs, with `--address`), takes sentences and table rows of their chunks, opens the
deep link of each in Chromium and measures the rectangles that are drawn. Where the words truly
stand is found by programs that have no part in the marks: pdfminer.six for PDF files and for what
LibreOffice makes of office files, Tesseract for scans and pictures. A mark is right if it holds the
letters of the quote and no others, and each of its ends is within two pixels of the outermost
letter. Words that stand several times on a page may be marked at any of those places. Apart are
counted quotes that neither side finds (what reading adds, such as the notes of a slide, is not
drawn), and those that only the viewer finds (OCR reads another letter, or the cells of a table have
several lines).

Needs Chromium, LibreOffice, Tesseract and a build of the web app.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import httpx
from playwright.async_api import Page, async_playwright
from playwright.async_api import TimeoutError as Expired

from answers import ready, server
from footnote.language.sentences import sentence_spans
from installation import MODELS, share_models
from page_truth import Letter, Truth, folded, truth_of
from reporting import finish, machine, progress, show

KINDS = {
    ".pdf": "PDF",
    ".docx": "Word",
    ".doc": "Word",
    ".odt": "Word",
    ".pptx": "slides",
    ".ppt": "slides",
    ".odp": "slides",
    ".xlsx": "sheets",
    ".xls": "sheets",
    ".ods": "sheets",
    ".png": "pictures",
    ".jpg": "pictures",
    ".webp": "pictures",
    ".tif": "pictures",
}
TOLERANCE_PIXELS = 2.0
MIN_LETTERS, MAX_CHARACTERS = 8, 400
PATIENCE_SECONDS = 300
DRAWN = """([key]) => {
  const sheet = document.querySelector("[data-sheet]");
  const shown = document.querySelector("[data-place]")?.dataset;
  if (shown?.place !== key || document.querySelector('[data-match="pending"]')) return null;
  const match = document.querySelector("[data-match]")?.getAttribute("data-match") ?? "none";
  if (sheet === null) return match === "none" ? { match, marks: [], width: 0, height: 0 } : null;
  // The page before stands there until the one that is asked for has been loaded.
  if (sheet.dataset.sheet !== shown.page) return null;
  const page = sheet.getBoundingClientRect();
  const marks = [...document.querySelectorAll("[data-mark]")].map((each) => {
    const box = each.getBoundingClientRect();
    return [box.left - page.left, box.top - page.top, box.right - page.left, box.bottom - page.top];
  });
  return { match, marks, width: page.width, height: page.height };
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A quote, as a citation would have it."""

    document: str
    chunk: str
    text: str
    start: int
    end: int
    page: int | None

    @property
    def place(self) -> dict[str, str]:
        """What the address says of it."""
        page = {} if self.page is None else {"page": str(self.page)}
        span = {"start": str(self.start), "end": str(self.end)}
        return {"document": self.document, "chunk": self.chunk, **span, **page}


async def handed_in(http: httpx.AsyncClient, path: Path) -> str | None:
    """The id of a file once it is searchable; None for one that cannot be read."""
    with path.open("rb") as content:
        answer = await http.post("/v1/documents", files={"file": (path.name, content)})
    if answer.status_code != httpx.codes.ACCEPTED:
        return None
    document = str(answer.json()["document_id"])
    async with http.stream("GET", f"/v1/documents/{document}/events") as stream:
        async for line in stream.aiter_lines():
            if line == "event: document.failed":
                return None
            if line == "event: document.indexed":
                break
    return document


async def quotes_of(
    http: httpx.AsyncClient, document: str, count: int, chance: random.Random
) -> list[Taken]:
    """Sentences and rows of tables from all over a document, each within one block of it."""
    found: list[Taken] = []
    about = (await http.get(f"/v1/documents/{document}")).json()
    for ordinal in range(about["chunk_count"]):
        chunk = f"{document}:{about['version']}:{ordinal}"
        answer = await http.post("/v1/context", json={"chunk_id": chunk, "window": 0})
        passage = answer.json()["chunk"]
        body = passage["text"][passage["body_offset"] :]
        if len(body) != passage["char_end"] - passage["char_start"]:
            continue
        for span in passage["spans"]:
            first = span["char_start"] - passage["char_start"]
            block = body[first : span["char_end"] - passage["char_start"]]
            for start, end in pieces(block, span["kind"]):
                text = block[start:end]
                if len(folded(text)) < MIN_LETTERS or len(text) > MAX_CHARACTERS:
                    continue
                begin = span["char_start"] + start
                found.append(
                    Taken(
                        document=document,
                        chunk=chunk,
                        text=text,
                        start=begin,
                        end=begin + len(text),
                        page=span["page"],
                    )
                )
    chance.shuffle(found)
    return found[:count]


def pieces(block: str, kind: str) -> list[tuple[int, int]]:
    """What a citation may quote of a block: its sentences, or the rows of a table."""
    if kind != "table":
        return sentence_spans(block)
    spans, start = [], 0
    for line in block.split("\n"):
        if "|" in line and set(line) - set("|-: "):
            spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[Page]:
    """A window of the app."""
    known = ("chromium-headless-shell", "chromium", "chromium-browser")
    chromium = next(filter(None, map(shutil.which, known)), None)
    if chromium is None:
        raise SystemExit("Chromium is missing: apt-get install chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        page = await browser.new_page(
            base_url=address, viewport={"width": 1400, "height": 900}, reduced_motion="reduce"
        )
        await page.goto("/")
        yield page
        await browser.close()


async def drawn_marks(page: Page, quote: Taken) -> Mapping[str, object] | None:
    """What the app draws at a deep link, in pixels of the page; None if it does not come."""
    key = ",".join(
        (quote.document, str(quote.page or ""), str(quote.start), str(quote.end)),
    )
    await page.evaluate(
        """(place) => {
          history.pushState({}, "", "/?" + new URLSearchParams(place));
          dispatchEvent(new PopStateEvent("popstate"));
        }""",
        quote.place,
    )
    try:
        found = await page.wait_for_function(DRAWN, arg=[key], timeout=1000 * PATIENCE_SECONDS)
    except Expired:
        return None
    return dict(await found.json_value())


def deviation(
    marks: Sequence[Sequence[float]], letters: Sequence[Letter], page: Sequence[Letter]
) -> float:
    """How far the marks are from these letters, in their unit; infinite for other letters."""
    ids = {id(each) for each in letters}
    left_over = set(ids)
    worst = 0.0
    for left, top, right, bottom in marks:
        held = [each for each in page if each.stands_in(left, top, right, bottom)]
        # Punctuation belongs to whichever words it stands at.
        others = [each for each in held if folded(each.text) and id(each) not in ids]
        if not held or any(not each.repeats(letters) for each in others):
            return float("inf")
        left_over -= {id(each) for each in held}
        worst = max(
            worst,
            abs(left - min(each.left for each in held)),
            abs(right - max(each.right for each in held)),
            *(each.baseline - bottom for each in held),
            *(top - (each.baseline - each.height / 2) for each in held),
        )
    return float("inf") if left_over else worst


def judged(found: Mapping[str, object], quote: Taken, truth: Truth) -> tuple[str, float]:
    """How a quote is marked, and by how many pixels it is off."""
    marks = found["marks"]
    assert isinstance(marks, list)
    number = quote.page
    places = truth.places(quote.text, number)
    if not places:
        return ("unknown" if marks else "absent"), 0.0
    if not marks:
        return "unmarked", 0.0
    best = float("inf")
    for shown, letters in places:
        scale = float(str(found["width"])) / shown.width
        in_points = [[edge / scale for edge in mark] for mark in marks]
        best = min(best, deviation(in_points, letters, shown.letters) * scale)
    return ("right" if best <= TOLERANCE_PIXELS else "wrong"), best


async def measured(
    page: Page, path: Path, quotes: Sequence[Taken]
) -> tuple[Counter[str], list[dict[str, object]]]:
    """How the quotes of a file are marked, and those that are not marked right."""
    truth = await asyncio.to_thread(truth_of, path)
    counted: Counter[str] = Counter()
    faults: list[dict[str, object]] = []
    for quote in quotes:
        found = await drawn_marks(page, quote)
        outcome, off = ("stuck", 0.0) if found is None else judged(found, quote, truth)
        match = "" if found is None else str(found["match"])
        counted[outcome] += 1
        counted[f"match {match}"] += 1
        if outcome != "right":
            faults.append(
                {
                    "file": path.name,
                    "outcome": outcome,
                    "match": match,
                    "pixels": round(off, 1) if off < float("inf") else None,
                    "page": quote.page,
                    "quote": quote.text,
                }
            )
    return counted, faults


async def measure(
    files: Sequence[Path], count: int, seed: int, running: str | None
) -> dict[str, object]:
    """Shares of right marks by kind and file, of a server that runs or of one of its own."""
    report: dict[str, object] = {"machine": machine()}
    by_file: dict[str, Counter[str]] = {}
    by_kind: defaultdict[str, Counter[str]] = defaultdict(Counter)
    faults: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="fb-", ignore_cleanup_errors=True) as name:
        home = Path(name)
        share_models(MODELS, home)
        async with (
            nullcontext((running, 0)) if running else server(home, None) as (address, _),
            httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as http,
            opened(address) as page,
        ):
            await ready(http)
            with progress() as bars:
                for path in bars.track(files, description="measure"):
                    document = await handed_in(http, path)
                    if document is None:
                        by_file[path.name] = Counter(unreadable=1)
                        continue
                    quotes = await quotes_of(http, document, count, random.Random(seed))
                    counted, wrong = await measured(page, path, quotes)
                    by_file[path.name] = counted
                    by_kind[KINDS[path.suffix.lower()]] += counted
                    faults += wrong
    report["files"] = {name: dict(each) for name, each in by_file.items()}
    report["kinds"] = {name: dict(each) for name, each in by_kind.items()}
    report["faults"] = faults
    return report


def row(name: str, counted: Mapping[str, int]) -> tuple[str, ...]:
    known = sum(counted.get(each, 0) for each in ("right", "wrong", "unmarked", "stuck"))
    share = f"{counted.get('right', 0) / known:.3f}" if known else "–"
    columns = ("right", "wrong", "unmarked", "stuck", "absent", "unknown")
    return (name, share, *(str(counted.get(each, 0)) for each in columns))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a folder of documents")
    parser.add_argument("--quotes", type=int, default=20, help="of each file")
    parser.add_argument("--only", default="", help="files whose name has this")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--address", help="of a server that runs, with nothing in it")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    files = sorted(
        path
        for path in options.data.rglob("*")
        if path.suffix.lower() in KINDS and path.is_file() and options.only in path.name
    )
    report = asyncio.run(measure(files, options.quotes, options.seed, options.address))
    by_file, by_kind = report["files"], report["kinds"]
    assert isinstance(by_file, dict)
    assert isinstance(by_kind, dict)
    columns = ("", "share right", "right", "wrong", "unmarked", "stuck", "absent", "unknown")
    show("By file", columns, [row(name, each) for name, each in by_file.items()])
    total: Counter[str] = sum((Counter(each) for each in by_kind.values()), Counter())
    kinds = [row(name, each) for name, each in by_kind.items()]
    show("By kind", columns, [*kinds, row("all", total)])
    finish(report, options.json)


if __name__ == "__main__":
    main()
