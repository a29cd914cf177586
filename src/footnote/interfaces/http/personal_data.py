"""The route that hands out everything that is kept about a person."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from fastapi import Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from footnote.domain.personal_data import ArchivePiece
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.validation.constrained_types import AnyPrincipalId

router = workspace_router("privacy")


class ExportPersonalData(Request):
    """Whose data is wanted."""

    principal_id: AnyPrincipalId | None = Field(
        None, description="For administrators; null is oneself."
    )
    with_files: bool = Field(False, description="With the files that the person added.")


_OF_ONESELF = ExportPersonalData()


@router.post(
    "/v1/personal-data/export",
    response_class=Response,
    responses={
        200: {
            "description": "A zip archive of JSON Lines with a manifest, sent while it is made.",
            "content": {
                "application/zip": {
                    "schema": {"type": "string", "format": "binary"},
                    "example": "PK …",
                }
            },
        }
    },
)
async def export_personal_data(
    workspace: TheWorkspace, body: ExportPersonalData = _OF_ONESELF
) -> Response:
    """Export everything that is kept about yourself, or as an administrator about somebody.

    An archive that is cut off has no manifest, and cannot be opened.
    """
    if body.principal_id is None:
        pieces = workspace.export_self(with_files=body.with_files)
    else:
        pieces = workspace.export_person(body.principal_id, with_files=body.with_files)
    first = await anext(pieces)  # before the status is sent: it may be refused
    return StreamingResponse(
        _contents(first, pieces),
        media_type="application/zip",
        headers={
            "Content-Disposition": 'attachment; filename="personal-data.zip"',
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        },
    )


async def _contents(
    first: ArchivePiece, pieces: AsyncGenerator[ArchivePiece]
) -> AsyncIterator[bytes]:
    async with aclosing(pieces):
        yield first.content
        async for piece in pieces:
            yield piece.content
