"""The documents of a workspace under every name a golden set may use for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from footnote.domain import Document
from footnote.engine import WorkspaceEngine

_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """The documents of a workspace, for lookup by name."""

    documents: Mapping[UUID, Document]

    def is_called(self, document_id: UUID, name: str) -> bool:
        """Whether a golden set means this document by the name.

        That is its file name, title, id or external id, the end of a path that is its external
        id, or the name of what it is attached to, a slash, and its own file name.
        """
        document = self.documents.get(document_id)
        if document is None:
            return str(document_id) == name
        external = document.external_id or ""
        names = {document.filename, document.title, external, str(document_id)}
        if name in names or external.endswith(f"/{name}"):
            return True
        outer, _, inner = name.rpartition("/")
        parent = document.parent_id
        return (
            parent is not None
            and inner == document.filename
            and bool(outer)
            and self.is_called(parent, outer)
        )

    def name(self, document_id: UUID) -> str:
        """Return the name in reports: the file name, after those of its parents if attached."""
        document = self.documents.get(document_id)
        if document is None:
            return str(document_id)
        if document.parent_id is None:
            return document.filename
        return f"{self.name(document.parent_id)}/{document.filename}"

    def missing(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the names that denote no document."""
        file_names = {document.filename for document in self.documents.values()}
        return tuple(
            name
            for name in names
            if name not in file_names
            and not any(self.is_called(document_id, name) for document_id in self.documents)
        )


async def read_library(workspace: WorkspaceEngine) -> Library:
    """Read all documents of a workspace that its principal may see, attachments included."""
    documents: dict[UUID, Document] = {}
    cursor: str | None = None
    while True:
        page = await workspace.documents(limit=_PAGE, cursor=cursor)
        documents |= {document.document_id: document for document in page.documents}
        cursor = page.next_cursor
        if cursor is None:
            return Library(documents=documents)
