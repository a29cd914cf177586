"""Examples of questions and answers, as the API description shows them."""

from __future__ import annotations

from fastapi.openapi.models import Example

from footnote.interfaces.http.examples import CHUNK_ID, DOCUMENT_ID, EVIDENCE

ANSWER: dict[str, object] = {
    "question": "How soon must a claim be reported?",
    "found": True,
    "closest": None,
    "text": "A claim must be reported within 14 days of the loss. [1]",
    "sentences": [
        {
            "text": "A claim must be reported within 14 days of the loss.",
            "markers": [1],
            "support": 1.0,
            "verdict": "supported",
            "gap": None,
        }
    ],
    "citations": [
        {
            "marker": 1,
            "chunk_id": CHUNK_ID,
            "document_id": DOCUMENT_ID,
            "document_title": "Marine policy POL-88213-X",
            "filename": "policy.pdf",
            "heading_path": ["Claims", "Notice"],
            "page": 3,
            "paragraph": 2,
            "quote": "A claim must be reported within 14 days of the loss.",
            "char_start": 5120,
            "char_end": 5172,
            "start_seconds": None,
            "end_seconds": None,
            "answer_start": 5145,
            "answer_end": 5159,
        }
    ],
    "evidence": [EVIDENCE],
    "confidence": 0.86,
    "corrected_question": None,
    "asked_as": None,
    "degraded": [],
    "model": None,
    "removed_citations": 0,
    "omitted_evidence": 0,
    "usage": {"requests": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": None},
    "searched": [],
    "cached": False,
    "timings_ms": {"search": 6.4, "answer": 1.2},
}
QUESTIONS: dict[str, Example] = {
    "question": {
        "summary": "A question",
        "value": {"question": "How soon must a claim be reported?"},
    },
    "planned": {
        "summary": "By a plan, from some documents",
        "value": {
            "question": "How soon must a claim be reported?",
            "plan": "thorough",
            "filters": {"where": {"class": "policy"}},
        },
    },
    "streamed": {
        "summary": "Told as it is made",
        "value": {"question": "How soon must a claim be reported?", "stream": True},
    },
}
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
