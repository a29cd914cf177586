"""Whether memory stays flat however much is taken in: many files, long PDFs, files of one line.

    python bench/flatness.py
    python bench/flatness.py --files 10000 --pages 2000 --line-megabytes 1 10 50 --json

Everything goes through the durable queue of one installation, worker and parsers included. The
files come in ten rounds; the PDFs have an eighth, a quarter, half and all of the pages. A file of
one line repeats a passage, so that it has as many chunks as any text of its size and few of them
are embedded. The peak of each is what all its processes held at one moment, that of the worker
what it held without its parsers; the longest silence is how long the event loop, by which a worker
says that it lives, once had to wait.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
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
from papers import synthetic_sentences, write_papers
from reporting import finish, machine, progress, show
from synthetic import OWN_WORDS, SyntheticLanguage

VOCABULARY = 60_000
ROUNDS = 10
PARTS_OF_PAGES = (8, 4, 2, 1)
SENTENCES_OF_A_PAGE = 8
SENTENCES_OF_A_FILE = 3
REPEATED_WORDS = 300
MEGABYTE = 10**6
BEAT_SECONDS = 0.02


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


def one_line(
    path: Path, language: SyntheticLanguage, chance: np.random.Generator, megabytes: float
) -> Path:
    """A text of so many megabytes, each character a byte, without a line break or a full stop."""
    words: list[str] = []
    while len(words) < REPEATED_WORDS:
        sentence = language.sentence(chance, language.ranks(chance, OWN_WORDS))
        words += [word for word in sentence.replace(".", "").split() if word.isascii()]
    passage = " ".join(words) + " "
    size = round(megabytes * MEGABYTE)
    path.write_text((passage * (size // len(passage) + 1))[:size], encoding="ascii")
    return path


@dataclass(slots=True)
class Heart:
    """How long the event loop was kept from what it wanted to do."""

    longest_silence_s: float = 0.0


@asynccontextmanager
async def beating() -> AsyncIterator[Heart]:
    """A heart that beats beside the block."""
    heart, loop = Heart(), asyncio.get_running_loop()

    async def beat() -> None:
        while True:
            began = loop.time()
            await asyncio.sleep(BEAT_SECONDS)
            silence = loop.time() - began - BEAT_SECONDS
            heart.longest_silence_s = max(heart.longest_silence_s, silence)

    beats = asyncio.create_task(beat())
    try:
        yield heart
    finally:
        beats.cancel()
        with suppress(asyncio.CancelledError):
            await beats


async def taken_in(
    workspace: WorkspaceEngine, cluster: Path, name: str, paths: list[Path]
) -> dict[str, object]:
    with watched(cluster) as peak:
        async with beating() as heart:
            seconds, chunks = await ingest(workspace, paths)
    return {
        "what": name,
        "seconds": round(seconds, 1),
        "chunks": chunks,
        "peak_rss_mb": round(peak.processes_mb, 1),
        "worker_peak_mb": round(peak.own_mb, 1),
        "postgres_peak_mb": round(peak.postgres_mb, 1),
        "longest_silence_s": round(heart.longest_silence_s, 2),
    }


def rounds_of(paths: list[Path]) -> Iterator[list[Path]]:
    size = -(-len(paths) // ROUNDS)
    for start in range(0, len(paths), size):
        yield paths[start : start + size]


async def measure(
    files: int, pages: int, lines: Sequence[float], seed: int, models: Path
) -> list[Mapping[str, object]]:
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
                papers = synthetic_sentences(language, chance)
                await ingest(workspace, write_papers(folder, papers, chance, 3))
                with progress() as bars:
                    bar = bars.add_task("take in", total=ROUNDS + len(lengths) + len(lines))
                    for number, paths in enumerate(rounds_of(notes), start=1):
                        title = f"files, round {number}"
                        rows.append(await taken_in(workspace, cluster, title, paths))
                        bars.advance(bar)
                    for length in lengths:
                        path = long_pdf(folder / f"long-{length}.pdf", language, chance, length)
                        title = f"a PDF of {length} pages"
                        rows.append(await taken_in(workspace, cluster, title, [path]))
                        bars.advance(bar)
                    for size in lines:
                        path = one_line(folder / f"line-{size:g}.txt", language, chance, size)
                        title = f"one line of {size:g} MB"
                        rows.append(await taken_in(workspace, cluster, title, [path]))
                        bars.advance(bar)
    return rows


def present(rows: Sequence[Mapping[str, object]]) -> None:
    columns = (
        "what",
        "seconds",
        "chunks",
        "peak_rss_mb",
        "worker_peak_mb",
        "postgres_peak_mb",
        "longest_silence_s",
    )
    show("Memory", columns, [tuple(str(row[each]) for each in columns) for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--line-megabytes", type=float, nargs="*", default=[1, 10, 50], metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    if options.files < ROUNDS or options.pages < 1:
        parser.error(f"ask for at least {ROUNDS} files and one page")
    lines = options.line_megabytes
    rows = asyncio.run(measure(options.files, options.pages, lines, options.seed, options.models))
    present(rows)
    finish({"machine": machine(), "peaks": rows}, options.json)


if __name__ == "__main__":
    main()
