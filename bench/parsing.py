"""How fast PDFs with a text layer are read: pages a second, beside pypdf and pdfplumber.

    python bench/parsing.py
    python bench/parsing.py --documents 120 --json

Every reader gets the same generated files, in turn, in one process and one thread. Footnote's gives
blocks with headings, tables, columns and paragraphs in reading order; the others give a page's text
as one string, and pdfplumber its tables as well. What is not installed is left out.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from time import process_time

import numpy as np

from footnote.index.analysis import TextAnalyzer
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from papers import synthetic_sentences, write_papers
from reporting import finish, machine, progress, show
from synthetic import SyntheticLanguage

ROUNDS = 3
Reader = Callable[[bytes], int]
"""From a file to the number of its pages."""


def by_footnote(content: bytes) -> int:
    return read_document(content, "paper.pdf", ReadingOptions(ocr="off")).page_count or 0


def by_pypdf(content: bytes) -> int:
    import pypdf  # noqa: PLC0415  # optional

    pages = pypdf.PdfReader(BytesIO(content)).pages
    for page in pages:
        page.extract_text()
    return len(pages)


def by_pdfplumber(content: bytes) -> int:
    import pdfplumber  # noqa: PLC0415  # optional

    with pdfplumber.open(BytesIO(content)) as document:
        for page in document.pages:
            page.extract_text()
            page.extract_tables()
        return len(document.pages)


READERS: Mapping[str, Reader] = {
    "footnote": by_footnote,
    "pypdf": by_pypdf,
    "pdfplumber": by_pdfplumber,
}


def measure(contents: Sequence[bytes]) -> dict[str, object]:
    """Pages for each second of CPU, the median of a few rounds."""
    report: dict[str, object] = {"machine": machine()}
    seconds: dict[str, list[float]] = {}
    pages: dict[str, int] = {}
    with progress() as bars:
        bar = bars.add_task("read", total=ROUNDS * len(READERS))
        for _ in range(ROUNDS):
            for name, reader in READERS.items():
                started = process_time()
                try:
                    pages[name] = sum(map(reader, contents))
                except ImportError:
                    bars.advance(bar)
                    continue
                seconds.setdefault(name, []).append(process_time() - started)
                bars.advance(bar)
    report["pages"] = pages["footnote"]
    report["pages_per_s"] = {
        name: round(pages[name] / statistics.median(times), 1) for name, times in seconds.items()
    }
    return report


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    language = SyntheticLanguage(TextAnalyzer(), seed=options.seed)
    chance = np.random.default_rng(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        papers = synthetic_sentences(language, chance)
        paths = write_papers(Path(folder), papers, chance, options.documents)
        contents = [path.read_bytes() for path in paths if path.suffix == ".pdf"]
    report = measure(contents)
    rates = report["pages_per_s"]
    assert isinstance(rates, dict)
    show(
        f"Reading {report['pages']} pages of {len(contents)} PDFs",
        ("reader", "pages for each second of CPU"),
        [(name, f"{rate:,}") for name, rate in rates.items()],
    )
    finish(report, options.json)


if __name__ == "__main__":
    main()
