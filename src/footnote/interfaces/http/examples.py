"""Examples of every request, response and problem, as the API description shows them."""

from __future__ import annotations

from fastapi.openapi.models import Example

from footnote.interfaces.failures import ABSENT

Responses = dict[int | str, dict[str, object]]

DOCUMENT_ID = "0198c0de-5c1e-7d2a-9b3f-1a2b3c4d5e6f"
CHUNK_ID = f"{DOCUMENT_ID}:1:4"

DOCUMENT: dict[str, object] = {
    "document_id": DOCUMENT_ID,
    "collection": "insurance",
    "filename": "policy.pdf",
    "title": "Marine policy POL-88213-X",
    "media_type": "application/pdf",
    "byte_size": 48213,
    "content_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "source_type": "upload",
    "status": "indexed",
    "stage": "publish",
    "version": 1,
    "created_at": "2025-05-02T09:30:00Z",
    "updated_at": "2025-05-02T09:30:04Z",
    "external_id": "policies/POL-88213-X",
    "parent_id": None,
    "failure": None,
    "progress": None,
    "language": "en",
    "document_class": "policy",
    "page_count": 6,
    "chunk_count": 21,
    "summary": "Marine policy for moored equipment.",
    "keywords": ["mooring", "deductible", "claim"],
    "sections": ["Coverage", "Deductibles", "Claims"],
    "dates": ["2025-01-01"],
    "metadata": {"year": 2025, "signed": True},
    "tags": ["marine", "renewal"],
}
RECEIVED: dict[str, object] = {
    **DOCUMENT,
    "status": "queued",
    "stage": "receive",
    "language": None,
    "document_class": "generic",
    "page_count": None,
    "chunk_count": 0,
    "summary": "",
    "keywords": [],
    "sections": [],
    "dates": [],
    "duplicate": False,
    "new_version": False,
}
ERASURE: dict[str, object] = {
    "document_id": DOCUMENT_ID,
    "documents": 1,
    "complete": True,
    "checks": [
        {"place": "posting lists", "held": 804, "left": 0, "kept": ""},
        {"place": "blobs", "held": 1, "left": 0, "kept": ""},
    ],
}
DOCUMENT_LIST: dict[str, object] = {"documents": [DOCUMENT], "next_cursor": None}
DOCUMENT_DETAIL: dict[str, object] = {**DOCUMENT, "attachments": []}


def _began(stage: str, score: float, detail: dict[str, float] | None = None) -> dict[str, object]:
    """The record of a stage that begins a ranking."""
    return {
        "stage": stage,
        "rank_after": 1,
        "score_after": score,
        "rank_before": None,
        "score_before": None,
        "detail": detail or {},
    }


PASSAGE: dict[str, object] = {
    "chunk_id": CHUNK_ID,
    "document_id": DOCUMENT_ID,
    "document_title": "Marine policy POL-88213-X",
    "filename": "policy.pdf",
    "collection": "insurance",
    "source_type": "upload",
    "version": 1,
    "ordinal": 4,
    "kind": "paragraph",
    "text": "A claim must be reported within 14 days of the loss.",
    "body_offset": 0,
    "heading_path": ["Claims", "Notice"],
    "page_start": 3,
    "page_end": 3,
    "paragraph_start": 2,
    "paragraph_end": 2,
    "char_start": 5120,
    "char_end": 5172,
    "spans": [
        {
            "char_start": 5120,
            "char_end": 5172,
            "page": 3,
            "paragraph": 2,
            "kind": "paragraph",
            "start_seconds": None,
            "end_seconds": None,
            "begins": True,
            "ends": True,
        }
    ],
    "language": "en",
    "parent_id": None,
    "parent_title": None,
    "confidence": None,
    "start_seconds": None,
    "end_seconds": None,
    "suspicious": False,
}
EVIDENCE: dict[str, object] = {
    **PASSAGE,
    "rank": 1,
    "score": 0.83,
    "similarity": 0.71,
    "matched_terms": ["claim", "report"],
    "explanation": [
        _began("dense", 0.71),
        _began("lexical", 7.4, {"claim": 0.58, "report": 0.42}),
        _began("adaptive", 0.83, {"dense_weight": 0.4, "dense": 0.32, "lexical": 0.51}),
    ],
    "why": "Ranked 1st: 1st by meaning (similarity 0.71); 1st by words (“claim”, “report”, "
    "BM25 7.40); 1st of both together (adaptive, meaning weighing 40%).",
    "near_duplicates": [
        {
            "chunk_id": "0198c0de-77aa-7c11-8d02-5e6f7a8b9c0d:1:9",
            "document_id": "0198c0de-77aa-7c11-8d02-5e6f7a8b9c0d",
            "document_title": "Claims handbook",
            "page": 12,
            "overlap": 0.92,
        }
    ],
    "neighbours": [],
}
SEARCH_RESULTS: dict[str, object] = {
    "query": "How soon must a claim be reported?",
    "evidence": [EVIDENCE],
    "degraded": [],
    "plan": "balanced",
    "searched": [],
    "standalone_question": None,
    "corrected_query": None,
    "confidence": 0.9,
    "facets": {"class": [{"value": "policy", "documents": 3}]},
    "cached": None,
    "timings_ms": {"recall": 3.1, "fuse": 0.1, "total": 4.2},
}
PASSAGE_CONTEXT: dict[str, object] = {
    "chunk": PASSAGE,
    "context_before": [],
    "context_after": [],
}
STATS: dict[str, object] = {
    "documents": 17,
    "chunks": 212,
    "documents_by_status": {"indexed": 16, "failed": 1},
    "segments": 3,
    "lane": {
        "name": "document",
        "provider": "local",
        "model": "all-MiniLM-L6-v2",
        "dimensions": 384,
        "revision": "1",
        "languages": ["en"],
        "fingerprint": "document/local/all-MiniLM-L6-v2/384/1",
    },
    "search_cache": {
        "hit_rate": 0.25,
        "exact_hits": 40,
        "near_hits": 10,
        "misses": 150,
        "evictions": 0,
        "entries": 96,
        "bytes": 1482240,
    },
    "answer_cache": {
        "hit_rate": 0.5,
        "exact_hits": 20,
        "near_hits": 0,
        "misses": 20,
        "evictions": 0,
        "entries": 18,
        "bytes": 301440,
    },
}
READY: dict[str, object] = {
    "ready": True,
    "checks": [
        {"name": "home", "ok": True, "detail": "41.7 GiB free", "hint": None},
        {"name": "database", "ok": True, "detail": "answers", "hint": None},
    ],
}
STARTING: dict[str, object] = {
    "ready": False,
    "checks": [
        {
            "name": "engine",
            "ok": False,
            "detail": "Footnote is starting: its database and models are not ready yet.",
            "hint": "Ask GET /health until it answers 200.",
        }
    ],
}

SEARCHES: dict[str, Example] = {
    "question": {
        "summary": "A question",
        "value": {"query": "How soon must a claim be reported?"},
    },
    "filtered": {
        "summary": "An identifier, in one collection",
        "value": {
            "query": "POL-88213-X",
            "top_k": 3,
            "filters": {"collections": ["insurance"]},
        },
    },
    "everything": {
        "summary": "A plan with changes, a filter, facets and a conversation",
        "value": {
            "query": "And for storm damage?",
            "plan": "thorough",
            "stages": {"fusion": "rrf", "diversity": "mmr", "neighbours": 1},
            "filters": {
                "evidence_types": ["paragraph", "table"],
                "where": {
                    "any": [{"class": "policy"}, {"tags": "marine"}],
                    "date": {"gte": "2024-01-01"},
                },
                "min_similarity": 0.2,
            },
            "facets": ["class", "metadata.year"],
            "conversation": [
                {"role": "user", "text": "How soon must a claim be reported?"},
                {"role": "assistant", "text": "Within 14 days of the loss. [1]"},
            ],
        },
    },
}
CONTEXTS: dict[str, Example] = {
    "neighbours": {
        "summary": "Two chunks either side",
        "value": {"chunk_id": CHUNK_ID, "window": 2},
    }
}
PROJECT_CHUNK: dict[str, object] = {
    "chunk_id": CHUNK_ID,
    "document_id": DOCUMENT_ID,
    "evidence_id": DOCUMENT_ID,
    "title": "Marine policy POL-88213-X",
    "filename": "policy.pdf",
    "text": "A claim must be reported within 14 days of the loss.",
    "page": 3,
    "heading_path": ["Claims", "Notice"],
    "source_type": "upload",
}
PROJECT_RESULTS: dict[str, object] = {
    "results": [{**PROJECT_CHUNK, "rank": 1, "score": 0.83, "similarity": 0.71}],
    "total_results": 1,
    "query": "How soon must a claim be reported?",
    "project_id": "insurance",
    "user_id": "alice",
    "limit": 5,
    "evidence_types": ["upload", "policy"],
    "min_similarity": 0.2,
}
PROJECT_CONTEXT: dict[str, object] = {
    "chunk": PROJECT_CHUNK,
    "context_before": [],
    "context_after": [],
}
PROJECT_SEARCHES: dict[str, Example] = {
    "question": {
        "summary": "A question to a project",
        "value": {
            "query": "How soon must a claim be reported?",
            "project_id": "insurance",
            "user_id": "alice",
        },
    },
    "restricted": {
        "summary": "Of some types, near the query",
        "value": {
            "query": "How soon must a claim be reported?",
            "project_id": "insurance",
            "user_id": "alice",
            "limit": 5,
            "evidence_types": ["upload", "policy"],
            "min_similarity": 0.2,
        },
    },
}
PROJECT_CONTEXTS: dict[str, Example] = {
    "neighbours": {
        "summary": "Two chunks either side",
        "value": {"chunk_id": CHUNK_ID, "user_id": "alice", "context_window": 2},
    }
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


def json_example(description: str, value: dict[str, object]) -> dict[str, object]:
    """The description of a response with one example."""
    return {"description": description, "content": {"application/json": {"example": value}}}


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
