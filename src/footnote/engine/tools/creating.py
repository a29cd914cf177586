"""The tool that saves a document, through the same stages as any file."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress

from pydantic import Field

from footnote.domain import DocumentStatus, Right, SourceType
from footnote.domain.audit import Act
from footnote.engine import documents as verbs
from footnote.engine.receiving import receive
from footnote.engine.tools.definition import Arguments, ToolContext, tool
from footnote.engine.tools.rendering import line
from footnote.engine.tools.results import SavedDocument, filled, readable, tool_text
from footnote.ports import Refusal
from footnote.validation.constrained_types import Name, StorableText

FAILED = "Failed to create document"
MAX_CONTENT_CHARACTERS = 500_000
PATIENCE_SECONDS = 120.0
"""How long a model waits for its document; it is kept and indexed later all the same."""

_NOT_IN_NAMES = re.compile(r"[^\w\- ]+")
_MAX_NAME_CHARACTERS = 100
_FRONT = re.compile(r"---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title[ \t]*:.*\n", re.MULTILINE | re.IGNORECASE)


class CreateDocument(Arguments):
    """What to save."""

    title: StorableText = Field(min_length=1, max_length=200, description="What it is called.")
    content: StorableText = Field(
        min_length=1, max_length=MAX_CONTENT_CHARACTERS, description="The text, as Markdown."
    )
    collection: Name | None = Field(None, description="Where it belongs; the default if left out.")
    tags: tuple[Name, ...] = Field((), max_length=50, description="What it is sorted under.")


@tool(
    """\
Save a new Markdown document in the workspace, such as minutes, a summary or a report. It is \
indexed at once and found by the next search_documents call. Use it only when the user asks for \
something to be saved or written down as a document, never for an answer in the conversation.""",
    returns=SavedDocument,
    act=Act.CHANGED,
    right=Right.WRITE,
    failed=FAILED,
)
async def create_document(context: ToolContext, arguments: CreateDocument) -> str:
    """Save a document; return its id once it is indexed or the waiting time is over."""
    workspace = context.workspace
    received = await receive(
        workspace,
        markdown(arguments.title, arguments.content).encode(),
        f"{sanitised(arguments.title)}.md",
        collection=arguments.collection,
        tags=arguments.tags,
        source_type=SourceType.GENERATED,
    )
    document = received.document
    if document.status not in (DocumentStatus.INDEXED, DocumentStatus.FAILED):
        if context.index_now is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await context.index_now(workspace, [document.document_id])
        document = await verbs.document(workspace, document.document_id)
    lines = [
        f"Document ID: {document.document_id}",
        f"Title: {line(document.title)}",
        f"File name: {line(document.filename)}",
    ]
    if document.failure is not None:
        failure = document.failure
        return Refusal("\n".join([f"{FAILED}: {failure.cause}. {failure.advice}", *lines]))
    if document.status is not DocumentStatus.INDEXED:
        head = "Document saved. It is not indexed yet and will be found once a worker has."
    elif received.duplicate:
        head = "There was already a document with exactly this text; nothing was added."
    else:
        head = "Document created; search_documents finds it from now on."
    result = filled(SavedDocument, document, duplicate=received.duplicate)
    return tool_text("\n".join([head, *lines]), result, readable([document]))


def markdown(title: str, content: str) -> str:
    """Return the content under its title, unless it begins with a heading of its own.

    The title stands in front matter too: a heading is read as Markdown, and the content's own may
    be another.
    """
    heading = line(title, 200)
    quote = '"' if "'" in heading else "'"
    text = content.strip()
    front_matter, body = _FRONT.match(text), text
    retained = ""
    if front_matter is not None:
        retained, body = _TITLE.sub("", front_matter[1] or ""), text[front_matter.end() :].strip()
    if not body.startswith("# "):
        body = f"# {heading}\n\n{body}"
    return f"---\ntitle: {quote}{heading}{quote}\n{retained}---\n\n{body}\n"


def sanitised(title: str) -> str:
    """Return the title as the name of a file.

    >>> sanitised("../Minutes: May/June")
    'Minutes May June'
    """
    name = " ".join(_NOT_IN_NAMES.sub(" ", title).split())[:_MAX_NAME_CHARACTERS].strip(" -")
    return name or "document"
