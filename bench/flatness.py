"""Whether memory stays flat however much is taken in: many small files, and longer and longer PDFs.

    python bench/flatness.py
    python bench/flatness.py --files 10000 --pages 2000 --json

Everything goes through the durable queue of one installation, worker and parsers included. The
files come in ten rounds; the PDFs have an eighth, a quarter, half and all of the pages. The peak
of each is what all its processes held at one moment.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

from footnote.engine import WorkspaceEngine
from ingest import ingest, working
from installation import MODELS, temporary_engine
from memory import watched
from papers import write_papers
from reporting import finish, machine, progress, show
from synthetic import OWN_WORDS, SyntheticLanguage

VOCABULARY = 60_000
ROUNDS = 10
PARTS_OF_PAGES = (8, 4, 2, 1)
SENTENCES_OF_A_PAGE = 8
SENTENCES_OF_A_FILE = 3


def small_files(
    folder: Path, language: SyntheticLanguage, chance: np.random.Generator, count: int
) -> list[Path]:
    """`count` Markdown files of a heading and a few sentences."""
    paths = []
    for number in range(count):
        own = language.ranks(chance, OWN_WORDS)
        text = " ".join(language.sentence(chance, own) for _ in range(SENTENCES_OF_A_FILE))
        path = folder / f"note-{number:05d}.md"
        path.write_text(f"# Note {number}\n\n{text}\n", encoding="utf-8")
        paths.append(path)
    return paths


def long_pdf(
    path: Path, language: SyntheticLanguage, chance: np.random.Generator, pages: int
) -> Path:
    """A PDF of so many pages of text."""
    body = getSampleStyleSheet()["BodyText"]
    content = BytesIO()
    story = []
    for _ in range(pages):
        own = language.ranks(chance, OWN_WORDS)
        sentences = (language.sentence(chance, own) for _ in range(SENTENCES_OF_A_PAGE))
        story += [Paragraph(" ".join(sentences), body), PageBreak()]
    SimpleDocTemplate(content, pagesize=A4, title=path.stem).build(story)
    path.write_bytes(content.getvalue())
    return path


async def taken_in(
    workspace: WorkspaceEngine, cluster: Path, name: str, paths: list[Path]
) -> dict[str, object]:
    with watched(cluster) as peak:
        seconds, chunks = await ingest(workspace, paths)
    return {
        "what": name,
        "seconds": round(seconds, 1),
        "chunks": chunks,
        "peak_rss_mb": round(peak.processes_mb, 1),
        "postgres_peak_mb": round(peak.postgres_mb, 1),
    }


def rounds_of(paths: list[Path]) -> Iterator[list[Path]]:
    size = -(-len(paths) // ROUNDS)
    for start in range(0, len(paths), size):
        yield paths[start : start + size]


async def measure(files: int, pages: int, seed: int, models: Path) -> list[Mapping[str, object]]:
    chance = np.random.default_rng(seed)
    rows: list[Mapping[str, object]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with temporary_engine(models) as engine:
            language = SyntheticLanguage(engine.analyzer, seed=seed, vocabulary=VOCABULARY)
            workspace = await engine.workspace()
            cluster = engine.settings.home / "postgres"
            notes = small_files(folder, language, chance, files)
            lengths = [max(1, pages // part) for part in PARTS_OF_PAGES]
            async with working(engine):
                await ingest(workspace, write_papers(folder, language, chance, 3))
                with progress() as bars:
                    bar = bars.add_task("take in", total=ROUNDS + len(lengths))
                    for number, paths in enumerate(rounds_of(notes), start=1):
                        title = f"files, round {number}"
                        rows.append(await taken_in(workspace, cluster, title, paths))
                        bars.advance(bar)
                    for length in lengths:
                        path = long_pdf(folder / f"long-{length}.pdf", language, chance, length)
                        title = f"a PDF of {length} pages"
                        rows.append(await taken_in(workspace, cluster, title, [path]))
                        bars.advance(bar)
    return rows


def present(rows: Sequence[Mapping[str, object]]) -> None:
    columns = ("what", "seconds", "chunks", "peak_rss_mb", "postgres_peak_mb")
    show("Memory", columns, [tuple(str(row[each]) for each in columns) for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    if options.files < ROUNDS or options.pages < 1:
        parser.error(f"ask for at least {ROUNDS} files and one page")
    rows = asyncio.run(measure(options.files, options.pages, options.seed, options.models))
    present(rows)
    finish({"machine": machine(), "peaks": rows}, options.json)


if __name__ == "__main__":
    main()
