"""What the adapters for agent libraries share: the error where one is missing, and metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from footnote.domain import Evidence, Passage
from footnote.errors import InvalidRequest, how_to_install

Metadata = dict[str, str | int | float | bool]


@contextmanager
def wanted(library: str, extra: str) -> Iterator[None]:
    """Turn a failed import within the block into InvalidRequest, with what to install."""
    try:
        yield
    except ImportError as error:
        raise InvalidRequest(f"{library} is not installed", hint=how_to_install(extra)) from error


def metadata_of(evidence: Evidence, link_to: Callable[[Passage], str]) -> Metadata:
    """What a retriever says of a passage beside its text, named as in the HTTP API.

    What a passage lacks is left out.

    `source` is what the libraries call the file, and `link` leads to the passage.
    """
    passage = evidence.passage
    known: dict[str, str | int | float | bool | None] = {
        "source": passage.filename,
        "link": link_to(passage),
        "chunk_id": passage.chunk_id,
        "document_id": str(passage.document_id),
        "document_title": passage.document_title,
        "filename": passage.filename,
        "collection": passage.collection,
        "source_type": passage.source_type.value,
        "section": " > ".join(passage.heading_path) or None,
        "page_start": passage.page_start,
        "page_end": passage.page_end,
        "paragraph_start": passage.paragraph_start,
        "char_start": passage.char_start,
        "char_end": passage.char_end,
        "start_seconds": passage.start_seconds,
        "end_seconds": passage.end_seconds,
        "language": passage.language,
        "parent_id": None if passage.parent_id is None else str(passage.parent_id),
        "parent_title": passage.parent_title,
        "rank": evidence.rank,
        "score": evidence.score,
        "similarity": evidence.similarity,
        "suspicious": evidence.suspicious,
    }
    return {name: value for name, value in known.items() if value is not None}
