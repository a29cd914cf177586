"""Writes the files that the ingestion benchmark reads: PDFs of several pages, and Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import cycle, repeat
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table

from retrieval_sets import read_set
from synthetic import OWN_WORDS, SyntheticLanguage

MARKDOWN_EVERY = 3
SECTIONS = (5, 12)
PARAGRAPHS = (3, 7)
SENTENCES = (3, 8)
TABLE_EVERY = 4
Section = tuple[str, list[str]]


def synthetic_sentences(
    language: SyntheticLanguage, chance: np.random.Generator
) -> Iterator[Iterator[str]]:
    """The sentences of one paper after the other, of words in random order."""
    while True:
        own = language.ranks(chance, OWN_WORDS)
        yield (language.sentence(chance, own) for _ in repeat(None))


def written_sentences(folders: Sequence[Path], seed: int) -> Iterator[Iterator[str]]:
    """The same of what people wrote: the texts of retrieval sets, mixed and then in a row."""
    texts = [each.text for folder in folders for each in read_set(folder).documents]
    places = np.random.default_rng(seed).permutation(len(texts))
    found = (re.split(r"(?<=[.?!])\s+", texts[int(place)].strip()) for place in places)
    return repeat(cycle(sentence for text in found for sentence in text if sentence))


def write_papers(
    folder: Path, papers: Iterator[Iterator[str]], chance: np.random.Generator, count: int
) -> list[Path]:
    """`count` files: two PDFs of three to eight pages, then a Markdown file, and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(count):
        sentences = next(papers)
        title = _heading(sentences, chance)
        sections = [_section(sentences, chance) for _ in range(int(chance.integers(*SECTIONS)))]
        if number % MARKDOWN_EVERY == MARKDOWN_EVERY - 1:
            path = folder / f"paper-{number:04d}.md"
            path.write_text(_markdown(title, sections), encoding="utf-8")
        else:
            path = folder / f"paper-{number:04d}.pdf"
            path.write_bytes(_pdf(title, sections, chance))
        paths.append(path)
    return paths


def _heading(sentences: Iterator[str], chance: np.random.Generator) -> str:
    return " ".join(next(sentences).rstrip(".").split()[: int(chance.integers(3, 7))])


def _section(sentences: Iterator[str], chance: np.random.Generator) -> Section:
    paragraphs = [
        " ".join(next(sentences) for _ in range(int(chance.integers(*SENTENCES))))
        for _ in range(int(chance.integers(*PARAGRAPHS)))
    ]
    return _heading(sentences, chance), paragraphs


def _markdown(title: str, sections: list[Section]) -> str:
    parts = [f"# {title}"]
    for heading, paragraphs in sections:
        parts += [f"## {heading}", *paragraphs]
    return "\n\n".join(parts) + "\n"


def _pdf(title: str, sections: list[Section], chance: np.random.Generator) -> bytes:
    styles = getSampleStyleSheet()
    story: list[Flowable] = [Paragraph(escape(title), styles["Title"])]
    for number, (heading, paragraphs) in enumerate(sections, start=1):
        story.append(Paragraph(f"{number}. {escape(heading)}", styles["Heading1"]))
        for text in paragraphs:
            story += [Paragraph(escape(text), styles["BodyText"]), Spacer(1, 4)]
        if number % TABLE_EVERY == 0:
            rows = [[f"{value:,.2f}" for value in row] for row in chance.uniform(1, 9e4, (6, 3))]
            story.append(Table([["Quarter", "Income", "Outlay"], *rows]))
    content = BytesIO()
    SimpleDocTemplate(content, pagesize=A4, title=title).build(story)
    return content.getvalue()
