"""Documents as resources of the Model Context Protocol: listed, and read as text."""

from __future__ import annotations

from uuid import UUID

from footnote.domain import Document
from footnote.engine import WorkspaceEngine
from footnote.errors import Conflict, NotFound
from footnote.interfaces.tools.library import optional_import
from footnote.ports import ReadableDocument
from footnote.validation.messages import printable

with optional_import("mcp", "mcp"):
    import mcp.types as mcp_types

PREFIX = "footnote://documents/"
MAX_TEXT_CHARACTERS = 500_000
"""More would fill any model's context; the tools read longer documents part by part."""

_PAGE = 100
_TEXT = "text/plain"


async def listed(workspace: WorkspaceEngine, cursor: str | None) -> mcp_types.ListResourcesResult:
    """A page of the documents that can be read, newest first.

    Raises InvalidRequest for a cursor that was not issued here.
    """
    documents: list[Document] = []
    while True:
        page = await workspace.documents(limit=_PAGE, cursor=cursor)
        documents += [document for document in page.documents if document.chunk_count]
        cursor = page.next_cursor
        # Some clients show one page: it should not be empty for documents that failed.
        if documents or cursor is None:
            return mcp_types.ListResourcesResult(
                resources=[
                    mcp_types.Resource(
                        name=document.filename,
                        title=document.title,
                        uri=f"{PREFIX}{document.document_id}",
                        description=document.summary[:500] or None,
                        mime_type=_TEXT,
                    )
                    for document in documents
                ],
                next_cursor=cursor,
            )


def link(document: ReadableDocument) -> mcp_types.ResourceLink:
    """A link to the text of a document."""
    return mcp_types.ResourceLink(
        type="resource_link",
        name=document.filename,
        title=document.title,
        uri=f"{PREFIX}{document.document_id}",
        mime_type=_TEXT,
    )


def templates() -> mcp_types.ListResourceTemplatesResult:
    """The template of a document's address."""
    return mcp_types.ListResourceTemplatesResult(
        resource_templates=[
            mcp_types.ResourceTemplate(
                name="document",
                title="A document's text",
                uri_template=f"{PREFIX}{{document_id}}",
                description="What was read of a document, as plain text.",
                mime_type=_TEXT,
            )
        ]
    )


async def read(workspace: WorkspaceEngine, uri: str) -> mcp_types.ReadResourceResult:
    """The text of a document; a long one is cut, with a note at its end.

    Raises NotFound, and Conflict for a document that has no text yet.
    """
    document_id = _document_id(uri)
    document_text = await workspace.text(document_id, most_characters=MAX_TEXT_CHARACTERS)
    if document_text is None:
        raise Conflict("the document is not indexed", hint="get_document tells its status")
    text = document_text.text
    if document_text.characters > len(text):
        omitted = document_text.characters - len(text)
        text += (
            f"\n\n[{omitted:,} more characters; search_documents and analyze_document read them]"
        )
    return mcp_types.ReadResourceResult(
        contents=[mcp_types.TextResourceContents(uri=uri, mime_type=_TEXT, text=text)]
    )


def _document_id(uri: str) -> UUID:
    try:
        return UUID(uri.removeprefix(PREFIX) if uri.startswith(PREFIX) else "")
    except ValueError:
        raise NotFound(
            f"there is no resource {printable(uri)}", hint="resources/list names those there are"
        ) from None
