"""Writes the files that the ingestion benchmark reads: PDFs of several pages, and Markdown."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table

from synthetic import OWN_WORDS, Integers, SyntheticLanguage

MARKDOWN_EVERY = 3
SECTIONS = (5, 12)
PARAGRAPHS = (3, 7)
SENTENCES = (3, 8)
TABLE_EVERY = 4
Section = tuple[str, list[str]]


def write_papers(
    folder: Path, language: SyntheticLanguage, chance: np.random.Generator, count: int
) -> list[Path]:
    """`count` files: two PDFs of three to eight pages, then a Markdown file, and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(count):
        own = language.ranks(chance, OWN_WORDS)
        title = _heading(language, chance, own)
        sections = [_section(language, chance, own) for _ in range(int(chance.integers(*SECTIONS)))]
        if number % MARKDOWN_EVERY == MARKDOWN_EVERY - 1:
            path = folder / f"paper-{number:04d}.md"
            path.write_text(_markdown(title, sections), encoding="utf-8")
        else:
            path = folder / f"paper-{number:04d}.pdf"
            path.write_bytes(_pdf(title, sections, chance))
        paths.append(path)
    return paths


def _heading(language: SyntheticLanguage, chance: np.random.Generator, own: Integers) -> str:
    words = language.sentence(chance, own).rstrip(".").split()[: int(chance.integers(3, 7))]
    return " ".join(words)


def _section(language: SyntheticLanguage, chance: np.random.Generator, own: Integers) -> Section:
    paragraphs = [
        " ".join(language.sentence(chance, own) for _ in range(int(chance.integers(*SENTENCES))))
        for _ in range(int(chance.integers(*PARAGRAPHS)))
    ]
    return _heading(language, chance, own), paragraphs


def _markdown(title: str, sections: list[Section]) -> str:
    parts = [f"# {title}"]
    for heading, paragraphs in sections:
        parts += [f"## {heading}", *paragraphs]
    return "\n\n".join(parts) + "\n"


def _pdf(title: str, sections: list[Section], chance: np.random.Generator) -> bytes:
    styles = getSampleStyleSheet()
    story: list[Flowable] = [Paragraph(title, styles["Title"])]
    for number, (heading, paragraphs) in enumerate(sections, start=1):
        story.append(Paragraph(f"{number}. {heading}", styles["Heading1"]))
        for text in paragraphs:
            story += [Paragraph(text, styles["BodyText"]), Spacer(1, 4)]
        if number % TABLE_EVERY == 0:
            rows = [[f"{value:,.2f}" for value in row] for row in chance.uniform(1, 9e4, (6, 3))]
            story.append(Table([["Quarter", "Income", "Outlay"], *rows]))
    content = BytesIO()
    SimpleDocTemplate(content, pagesize=A4, title=title).build(story)
    return content.getvalue()
