"""Office files, e-books and light markup become drafts by way of kreuzberg's Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kreuzberg import (
    ConcurrencyConfig,
    ExtractionConfig,
    ExtractionResult,
    extract_bytes_sync,
)

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.markdown import markdown_drafts

_FRONT_RULE = re.compile(r"\A-{3,}\s*\n")
_KEPT_METADATA = {"created_at": "created_at", "modified_at": "modified_at", "subject": "subject"}


def read_by_kreuzberg(content: bytes, media_type: str) -> Reading:
    """Read a file as one run of blocks without pages.

    Raises whatever kreuzberg raises for a file it cannot read.
    """
    config = ExtractionConfig(
        use_cache=False,
        output_format="markdown",
        concurrency=ConcurrencyConfig(max_threads=1),
    )
    result = extract_bytes_sync(content, media_type, config=config)
    drafts = list(markdown_drafts(_FRONT_RULE.sub("", result.content)))
    drafts += _embedded(result)
    metadata: dict[str, MetadataValue] = {
        name: str(value)
        for key, name in _KEPT_METADATA.items()
        if (value := result.metadata.get(key))
    }
    if authors := result.metadata.get("authors"):
        metadata["author"] = ", ".join(authors)
    return Reading(
        drafts=tuple(drafts),
        title=result.metadata.get("title") or result.metadata.get("subject"),
        metadata=metadata,
    )


def _embedded(result: ExtractionResult) -> Iterator[Draft]:
    """Text of files inside the file, whose bytes kreuzberg does not hand out."""
    for child in result.children or []:
        inner = child.get("result")
        if isinstance(inner, ExtractionResult) and inner.content.strip():
            yield Draft(kind=BlockKind.HEADING, text=str(child.get("path", "")), level=1)
            yield Draft(kind=BlockKind.PARAGRAPH, text=inner.content)
