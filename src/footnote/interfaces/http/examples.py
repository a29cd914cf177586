"""Examples of requests, answers and problems, as the API description shows them.

Those of JSON are in `examples.json`: what a server was asked in `tests/interfaces/test_examples.py`
and answered, which compares it and can record it anew.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from footnote.interfaces.failures import ABSENT

Responses = dict[int | str, dict[str, object]]

_RUN_ID = "0c6f3c52-6d7e-4b5e-9a3b-5f1e2d3c4b5a"
STREAM = (
    f"retry: 1000\nid: {_RUN_ID}:0\n\n"
    f'id: {_RUN_ID}:1\nevent: sources\ndata: {{"evidence": [ … ], "degraded": []}}\n\n'
    f'id: {_RUN_ID}:2\nevent: token\ndata: {{"text": "A claim must be reported …"}}\n\n'
)
AGENT_STREAM = (
    f"retry: 1000\nid: {_RUN_ID}:0\n\n"
    f'id: {_RUN_ID}:1\nevent: tool\ndata: {{"name": "search_documents", "state": "called", …}}\n\n'
    f"id: {_RUN_ID}:2\nevent: tool\n"
    'data: {"name": "search_documents", "state": "returned", …}\n\n'
)
EVENT_STREAM = 'id: 7413-1208\nevent: document.indexed\ndata: {"id": "7413-1208", …}\n\n'
MARKDOWN = (
    "# How soon must a claim be reported?\n\n> How soon must a claim be reported?\n\n"
    "A claim must be reported within 14 days of the loss.[^1-1]\n\n"
    "[^1-1]: Marine policy POL-88213-X (policy.pdf), p. 3, ¶ 2: “A claim must be reported within "
    "14 days of the loss.”\n"
)

UPLOADED: dict[str, object] = {
    "document_id": "POL-88213-X",
    "filename": "policy.pdf",
    "url": "https://storage.example.com/policy.pdf?token=abc",
    "project_id": "insurance",
    "file_size": 48213,
    "content_type": "application/pdf",
    "upload_date": "2025-05-02T09:30:00Z",
    "metadata": {"year": 2025},
}
UPLOAD_FORM: dict[str, object] = {
    "requestBody": {
        "content": {
            "multipart/form-data": {
                "example": {
                    "file": "(the bytes of policy.pdf)",
                    "collection": "insurance",
                    "external_id": "policies/POL-88213-X",
                    "metadata": '{"year": 2025, "signed": true}',
                    "tags": ["marine", "renewal"],
                }
            }
        }
    }
}

_PROBLEMS: dict[str, tuple[int, str, str]] = {
    "bad-request": (400, "Bad Request", "There was an error parsing the body"),
    "unauthorized": (401, "Unauthorized", "The request is not signed as it should be."),
    "not-local": (403, "Forbidden", "The Host header does not name this computer."),
    "not-found": (404, "Not found", ABSENT),
    "conflict": (409, "Conflict", "The idempotency key was used for another file."),
    "queue-full": (429, "Queue full", "10,000 documents of this workspace wait to be indexed"),
    "lane-mismatch": (409, "Lane mismatch", "The index holds vectors of another lane."),
    "content-too-large": (
        413,
        "Content Too Large",
        "The file is larger than the 209,715,200 bytes accepted here.",
    ),
    "request-timeout": (408, "Request Timeout", "The body did not come in time."),
    "head-too-large": (431, "Request Header Fields Too Large", "There are more than 100 headers."),
    "invalid-request": (422, "Invalid request", "body.top_k: it must be at most 200, not 500"),
    "document-unreadable": (
        422,
        "Document unreadable",
        "the page cannot be drawn (parse); upload the document again",
    ),
    "unexpected": (500, "Unexpected failure", "Something failed inside Footnote."),
    "not-ready": (503, "Not ready", "Footnote is starting."),
}


@cache
def recorded_examples() -> dict[str, dict[str, Any]]:
    """`requests` and `responses` by the name of their schema, and a status where it has several."""
    text = files(__package__).joinpath("examples.json").read_text("utf-8")
    recorded: dict[str, dict[str, Any]] = json.loads(text)
    return recorded


def problem_responses(*codes: str) -> Responses:
    """The descriptions of these problems by status, each with an example."""
    return {_PROBLEMS[code][0]: _problem_response(code) for code in codes}


def _problem_response(code: str) -> dict[str, object]:
    status, title, detail = _PROBLEMS[code]
    body = {
        "type": f"urn:footnote:problem:{code}",
        "title": title,
        "status": status,
        "detail": detail,
    }
    schema = {"$ref": "#/components/schemas/Problem"}
    content = {"application/problem+json": {"schema": schema, "example": body}}
    return {"description": title, "content": content}
