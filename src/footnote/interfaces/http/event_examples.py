"""Examples of pushes, events and endpoints, as the API description shows them."""

from __future__ import annotations

from fastapi.openapi.models import Example

from footnote.interfaces.http.examples import DOCUMENT

_INGEST_ID = "5f0c1d2e-3a4b-4c5d-8e6f-708192a3b4c5"
_WEBHOOK_ID = "7c1d2e3f-4a5b-4c6d-9e7f-8091a2b3c4d5"
_MOMENT = "2025-05-02T09:30:00Z"

PUSHED: dict[str, object] = {
    "ingest_id": _INGEST_ID,
    "status": "queued",
    "url": "https://example.com/policy.pdf",
    "document": None,
    "failure": None,
    "created_at": _MOMENT,
    "updated_at": _MOMENT,
}
PUSH_STATUS: dict[str, object] = {**PUSHED, "status": "indexed", "document": DOCUMENT}
PUSHES: dict[str, Example] = {
    "url": {
        "summary": "An address to fetch",
        "value": {"url": "https://example.com/policy.pdf", "collection": "insurance"},
    },
    "text": {
        "summary": "A text",
        "value": {"text": "The anchor was lifted at noon.", "filename": "log.txt"},
    },
    "content": {
        "summary": "A small file",
        "value": {"content": "VGhlIGFuY2hvci4=", "filename": "log.txt", "metadata": {"year": 2025}},
    },
}
UPLOADED: dict[str, object] = {
    "document_id": "POL-88213-X",
    "filename": "policy.pdf",
    "url": "https://storage.example.com/policy.pdf?token=abc",
    "project_id": "insurance",
    "file_size": 48213,
    "content_type": "application/pdf",
    "upload_date": _MOMENT,
    "metadata": {"year": 2025},
}
EVENT: dict[str, object] = {
    "id": "7413-1208",
    "type": "document.indexed",
    "created_at": _MOMENT,
    "data": {
        "document_id": DOCUMENT["document_id"],
        "parent_id": None,
        "external_id": "policies/POL-88213-X",
        "collection": "insurance",
        "filename": "policy.pdf",
        "version": 1,
        "status": "indexed",
        "stage": "publish",
        "page_count": 6,
        "failure": None,
        "progress": None,
    },
}
STREAM = 'id: 7413-1208\nevent: document.indexed\ndata: {"id": "7413-1208", …}\n\n'
WEBHOOK: dict[str, object] = {
    "webhook_id": _WEBHOOK_ID,
    "url": "https://example.com/footnote",
    "events": ["document.indexed", "document.failed", "document.deleted"],
    "created_at": _MOMENT,
    "failures": 0,
    "last_error": None,
    "last_delivery_at": None,
    "disabled_at": None,
}
NEW_WEBHOOK: dict[str, object] = {**WEBHOOK, "secret": "(43 characters, shown this once)"}
WEBHOOK_REQUESTS: dict[str, Example] = {
    "all": {"summary": "Told of everything", "value": {"url": "https://example.com/footnote"}},
    "some": {
        "summary": "Told of failures",
        "value": {"url": "https://example.com/footnote", "events": ["document.failed"]},
    },
}
