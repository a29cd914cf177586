"""Turns rows of documents into the domain's, and the places of a listing into cursors."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from uuid import UUID

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from footnote.domain import (
    Document,
    DocumentClass,
    DocumentStatus,
    Failure,
    Progress,
    SourceType,
    Stage,
)
from footnote.errors import InvalidRequest


def failure_json(failure: Failure) -> Jsonb:
    """A failure as it is stored."""
    return Jsonb(
        {
            "stage": failure.stage,
            "cause": failure.cause,
            "advice": failure.advice,
            "retryable": failure.retryable,
        }
    )


def document_of(row: DictRow) -> Document:
    """A whole row of documents as a document."""
    failure = row["failure"]
    chunks = row["chunks"]
    return Document(
        document_id=row["document_id"],
        collection=row["collection"],
        external_id=row["external_id"],
        parent_id=row["parent_id"],
        filename=row["filename"],
        title=row["title"],
        media_type=row["media_type"],
        source_type=SourceType(row["source_type"]),
        byte_size=row["byte_size"],
        content_sha256=bytes(row["content_sha256"]).hex(),
        status=DocumentStatus(row["status"]),
        stage=Stage(row["stage"]),
        failure=None
        if failure is None
        else Failure(**failure | {"stage": Stage(failure["stage"])}),
        progress=Progress(done=row["progress_done"], total=row["progress_total"])
        if row["status"] == DocumentStatus.INGESTING and row["progress_done"] is not None
        else None,
        version=row["version"],
        language=row["language"],
        document_class=DocumentClass(row["document_class"]),
        page_count=row["page_count"],
        chunk_count=0 if chunks.isempty else chunks.upper - chunks.lower,
        summary=row["summary"],
        keywords=tuple(row["keywords"]),
        sections=tuple(row["sections"]),
        dates=tuple(row["dates"]),
        metadata=row["metadata"],
        tags=tuple(row["tags"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def write_cursor(last: Document) -> str:
    """What names the place after a document in a listing, newest first."""
    text = f"{last.created_at.isoformat()} {last.document_id}"
    return base64.urlsafe_b64encode(text.encode()).decode()


def read_cursor(cursor: str | None) -> tuple[datetime | None, UUID | None]:
    """The place a cursor names. Raises InvalidRequest for one that we did not give."""
    if cursor is None:
        return None, None
    try:
        moment, identity = base64.urlsafe_b64decode(cursor).decode().split(" ")
        return datetime.fromisoformat(moment), UUID(identity)
    except (binascii.Error, ValueError) as error:
        raise InvalidRequest(
            "the cursor is not one we gave", hint="use next_cursor of the page before, unchanged"
        ) from error
