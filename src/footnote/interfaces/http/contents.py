"""The route that gives a document's file back, to be saved and never to be shown."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response

from footnote.engine import WorkspaceEngine
from footnote.errors import InvalidRequest
from footnote.interfaces.http.exact import ExactRoute
from footnote.interfaces.http.scope import (
    ALWAYS,
    WORKSPACE_HEADER,
    TheEngine,
    WorkspaceName,
    inside,
)

router = APIRouter(tags=["documents"], route_class=ExactRoute)

_FILE = {
    "description": "The file, byte for byte as it was handed in, with its own media type.",
    "content": {
        "*/*": {
            "schema": {"type": "string", "format": "binary"},
            "example": "%PDF-1.7 …",
        }
    },
    "headers": {
        "Content-Disposition": {
            "description": "`attachment`, with the file's name.",
            "schema": {"type": "string"},
        }
    },
}
_NEVER_SHOWN = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private, no-store",
}
"""A file may be a web page that somebody else wrote."""


async def linked_workspace(
    engine: TheEngine,
    header: WorkspaceName,
    workspace: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=200,
            description="The workspace's name, for links, which can send no header.",
        ),
    ] = None,
) -> WorkspaceEngine:
    """The workspace that a header or a link names. Raises NotFound and InvalidRequest."""
    if None not in (header, workspace) and header != workspace:
        raise InvalidRequest(
            f"the header {WORKSPACE_HEADER} and the query name two workspaces",
            hint="Send one of them.",
        )
    return await inside(engine, header or workspace)


LinkedWorkspace = Annotated[WorkspaceEngine, Depends(linked_workspace)]


@router.get(
    "/v1/documents/{document_id}/content",
    summary="Get a document's file",
    response_class=Response,
    responses={200: _FILE, **ALWAYS},
)
async def get_document_content(workspace: LinkedWorkspace, document_id: UUID) -> Response:
    """The file of the published version, or of the newest one before any is published."""
    file = await workspace.original(document_id)
    return Response(
        file.content,
        media_type=file.media_type,
        headers={"Content-Disposition": _attachment(file.filename), **_NEVER_SHOWN},
    )


def _attachment(filename: str) -> str:
    """The header for a name of any characters (RFC 6266)."""
    plain = "".join(
        each if each.isascii() and each.isprintable() and each not in '"\\%' else "_"
        for each in filename
    )
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"
