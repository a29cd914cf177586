"""Convert files of rare formats to drafts by xberg, with the structure that its Markdown has."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

from footnote.domain import MetadataValue
from footnote.ingestion import media
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.markdown import markdown_drafts

_SLIDE_BREAK = re.compile(r"^-{5,}\n", re.MULTILINE)
_NOTES = re.compile(r"^\[\^(\w+)\]:\s+", re.MULTILINE)
_NOTE_MARK = re.compile(r" ?\[\^(\w+)\]")


def read_by_xberg(content: bytes, media_type: str) -> Reading:
    """Read a file; slides are pages. Nothing is fetched.

    Raises RuntimeError when xberg cannot read it.
    """
    import xberg  # noqa: PLC0415  # takes a second, which few files need

    config = xberg.ExtractionConfig(
        use_cache=False,
        output_format="markdown",
        disable_ocr=True,
        concurrency=xberg.ConcurrencyConfig(max_threads=1),
    )
    source = xberg.ExtractInput(kind="bytes", bytes=content, mime_type=media_type)
    result = asyncio.run(xberg.extract(source, config))
    if result.errors:
        raise RuntimeError("; ".join(error.message for error in result.errors))
    [document] = result.results
    properties = document.metadata
    metadata: dict[str, MetadataValue] = {
        name: value
        for name, value in (
            ("author", ", ".join(properties.authors or ())),
            ("created", properties.created_at),
            ("modified", properties.modified_at),
            ("subject", properties.subject),
        )
        if value
    }
    drafts, slides = _drafts(document.content, is_deck=media_type in (media.PPT, media.ODP))
    return Reading(
        drafts=tuple(drafts),
        title=properties.title or properties.subject,
        page_count=slides,
        pages_stand_alone=slides is not None,
        metadata=metadata,
    )


def _drafts(markdown: str, *, is_deck: bool) -> tuple[list[Draft], int | None]:
    """Return the drafts, and the number of slides or None; the notes of a deck follow its last
    slide."""
    text, *notes = _NOTES.split(markdown)
    note_lines = [
        f"[note {label}: {' '.join(note.split())}]"
        for label, note in zip(notes[::2], notes[1::2], strict=True)
    ]
    text = _NOTE_MARK.sub(r" [note \1]", text)
    if not is_deck:
        return list(markdown_drafts("\n\n".join([text, *note_lines]))), None
    slides = _SLIDE_BREAK.split(text)[1:] or [text]
    drafts = [
        replace(draft, page=page)
        for page, slide in enumerate(slides, start=1)
        for draft in markdown_drafts(slide)
    ]
    return [*drafts, *markdown_drafts("\n\n".join(note_lines))], len(slides)
