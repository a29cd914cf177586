"""The tools that list documents, and describe one."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from footnote.domain import (
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    DocumentClass,
    DocumentStatus,
    Operator,
    Passage,
    SourceType,
)
from footnote.domain.audit import Act
from footnote.engine import documents as verbs
from footnote.engine.listing import select_documents
from footnote.engine.tools.definition import (
    Arguments,
    DocumentId,
    ToolContext,
    tool,
)
from footnote.engine.tools.rendering import (
    document_row,
    fields,
    line,
    names,
    sender_of,
    size_text,
)
from footnote.engine.tools.results import (
    DocumentFacts,
    DocumentRow,
    DocumentRows,
    filled,
    readable,
    tool_text,
)
from footnote.engine.tools.searching import Day, Where, within
from footnote.validation.constrained_types import Name, StorableText

MAX_LISTED = 100

Part = Annotated[StorableText | None, Field(min_length=1, max_length=200)]


class GetDocument(Arguments):
    """Which document."""

    document_id: DocumentId


class ListDocuments(Arguments):
    """Which documents, and how many of them."""

    document_types: tuple[DocumentClass, ...] = Field((), description="Only of these sorts.")
    source_types: tuple[SourceType, ...] = Field((), description="Only of these kinds.")
    collection: Name | None = Field(None, description="Only in this collection.")
    tags: tuple[Name, ...] = Field((), max_length=50, description="Only with all of these.")
    name_contains: Part = Field(None, description="Part of the title or of the file's name.")
    created_after: Day = Field(None, description="Only added on this day or later.")
    created_before: Day = Field(None, description="Only added on this day or earlier.")
    status: DocumentStatus | None = Field(None, description="Only these; any if left out.")
    where: Where = None
    limit: int = Field(20, ge=1, le=MAX_LISTED, description="How many.")
    cursor: StorableText | None = Field(
        None,
        max_length=1000,
        description="Where the page before ended, as it said; keep all else as it was.",
    )


def content_path(workspace: str, document_id: UUID) -> str:
    """Return the path at which the HTTP server serves a document's file."""
    return f"/v1/documents/{document_id}/content?workspace={workspace}"


def passage_path(workspace: str, passage: Passage) -> str:
    """Return the path that shows a passage: on its page if it has one, else the file."""
    if passage.page_start is None:
        return content_path(workspace, passage.document_id)
    span = f"start={passage.char_start}&end={passage.char_end}"
    page = f"/v1/documents/{passage.document_id}/pages/{passage.page_start}.png"
    return f"{page}?{span}&workspace={workspace}"


@tool(
    """\
Show what is known of one document: title, file name, type, size, when it was added, status, \
summary, keywords, and where to download it. Use it after search_documents or list_documents when \
the user wants to know about a document rather than what it says, or wants the file. It does not \
return the text: use search_documents, get_document_context or analyze_document for that.""",
    returns=DocumentFacts,
    act=Act.READ,
)
async def get_document(context: ToolContext, arguments: GetDocument) -> str:
    """Describe a document, one line for each field."""
    workspace = context.workspace
    document = await verbs.document(workspace, arguments.document_id)
    attached = [child.filename for child in await verbs.children(workspace, arguments.document_id)]
    path = content_path(workspace.workspace.name, document.document_id)
    download = f"{context.base_url}{path}"
    failure = f"{document.failure.cause}; {document.failure.advice}" if document.failure else None
    lines = fields(
        [
            ("Title", line(document.title)),
            ("Document ID", str(document.document_id)),
            ("File name", line(document.filename)),
            ("Type", f"{document.media_type} ({document.document_class.value})"),
            ("Source", document.source_type.value),
            ("From", sender_of(document)),
            ("Attached to", str(document.parent_id) if document.parent_id else None),
            ("Collection", line(document.collection)),
            ("Tags", names(document.tags)),
            ("Size", size_text(document.byte_size)),
            ("Pages", str(document.page_count) if document.page_count else None),
            ("Language", document.language),
            ("Added", f"{document.created_at:%Y-%m-%d %H:%M} UTC"),
            ("Status", document.status.value),
            ("Failure", line(failure) if failure else None),
            ("Sections", names(document.sections[:20])),
            ("Keywords", names(document.keywords[:20])),
            ("Dates mentioned", names(document.dates[:20])),
            ("Summary", line(document.summary, 2000)),
            ("Attachments", names(attached[:20])),
            ("Download", download),
        ]
    )
    facts = filled(
        DocumentFacts, document, failure=failure, attachments=attached, download=download
    )
    return tool_text("\n".join(lines), facts, readable([document]))


@tool(
    """\
List documents of the workspace, newest first, one row each with id, title, file name, type, size \
and when it was added. Use it for "what do I have on file?", to find a document by its name, kind \
or date, or when search_documents finds nothing. It looks at documents' names and dates, not at \
what they say.""",
    returns=DocumentRows,
    act=Act.READ,
)
async def list_documents(context: ToolContext, arguments: ListDocuments) -> str:
    """Return a header line, a row for each document, and the cursor of the next page."""
    page = await select_documents(
        context.workspace,
        _condition(arguments),
        status=arguments.status,
        limit=arguments.limit,
        cursor=arguments.cursor,
    )
    result = DocumentRows(
        documents=[filled(DocumentRow, document) for document in page.documents],
        next_cursor=page.next_cursor,
    )
    if not page.documents:
        return tool_text(
            "No documents match." if arguments.cursor is None else "There are no more.", result
        )
    count = len(page.documents)
    rows = [
        f"{count} document{'s' if count > 1 else ''}, newest first: "
        "id | title | file name | type | size | added",
        *map(document_row, page.documents),
    ]
    if page.next_cursor:
        rows.append(f"There are more; go on with cursor: {page.next_cursor}")
    return tool_text("\n".join(rows), result, readable(page.documents))


def _condition(arguments: ListDocuments) -> Condition:
    parts: list[Condition] = [
        Comparison(field=name, operator=Operator.ONE_OF, value=values)
        for name, values in (
            ("class", tuple(document_class.value for document_class in arguments.document_types)),
            ("source_type", tuple(source_type.value for source_type in arguments.source_types)),
        )
        if values
    ]
    parts += [
        Comparison(field="tags", operator=Operator.EQUALS, value=tag) for tag in arguments.tags
    ]
    if arguments.collection is not None:
        parts.append(
            Comparison(field="collection", operator=Operator.EQUALS, value=arguments.collection)
        )
    if arguments.name_contains is not None:
        parts.append(
            AnyOf(
                conditions=tuple(
                    Comparison(
                        field=name, operator=Operator.CONTAINS, value=arguments.name_contains
                    )
                    for name in ("title", "filename")
                )
            )
        )
    between = within(arguments.created_after, arguments.created_before, arguments.where)
    return AllOf(conditions=(*parts, *([] if between is None else [between])))
