"""Examples of conversations, as the API description shows them."""

from __future__ import annotations

from fastapi.openapi.models import Example

from footnote.interfaces.http.answer_examples import ANSWER
from footnote.interfaces.http.examples import CHUNK_ID, DOCUMENT_ID, EVIDENCE

_CONVERSATION_ID = "5b0f7f5e-3c1d-4f64-8f0a-2d9f4c6f7a10"
_QUESTION_ID = "8a1f2c8e-5a39-4f6c-9df5-5f2f7c2c1b01"
_REPLY_ID = "8a1f2c8e-5a39-4f6c-9df5-5f2f7c2c1b02"

CONVERSATION: dict[str, object] = {
    "conversation_id": _CONVERSATION_ID,
    "title": "How soon must a claim be reported?",
    "document_mode": "first",
    "document_ids": [DOCUMENT_ID],
    "created_at": "2025-05-02T09:30:00Z",
    "updated_at": "2025-05-02T09:31:00Z",
}
CONVERSATION_LIST: dict[str, object] = {"conversations": [CONVERSATION], "next_cursor": None}
QUESTION: dict[str, object] = {
    "message_id": _QUESTION_ID,
    "message_no": 1,
    "parent_id": None,
    "role": "user",
    "text": "How soon must a claim be reported?",
    "active": True,
    "created_at": "2025-05-02T09:31:00Z",
    "answer": None,
    "feedback": None,
}
_ANSWER: dict[str, object] = {
    "found": True,
    "sentences": ANSWER["sentences"],
    "citations": ANSWER["citations"],
    "removed_markers": [],
    "evidence": [
        {
            "chunk_id": CHUNK_ID,
            "document_id": DOCUMENT_ID,
            "rank": 1,
            "score": 0.83,
            "similarity": 0.71,
            "stages": [{"stage": "adaptive", "rank": 1, "score": 0.83}],
        }
    ],
    "confidence": 0.86,
    "asked_as": "How soon must a claim be reported?",
    "corrected_question": None,
    "degraded": [],
    "model": None,
    "removed_citations": 0,
    "omitted_evidence": 0,
    "usage": ANSWER["usage"],
    "searched": [],
    "cached": False,
    "timings_ms": {"search": 6.4, "answer": 1.2},
}
REPLY: dict[str, object] = {
    "message_id": _REPLY_ID,
    "message_no": 2,
    "parent_id": _QUESTION_ID,
    "role": "assistant",
    "text": ANSWER["text"],
    "active": True,
    "created_at": "2025-05-02T09:31:00Z",
    "answer": _ANSWER,
    "feedback": {
        "thumb": "up",
        "comment": "The right clause.",
        "created_at": "2025-05-02T09:32:00Z",
        "updated_at": "2025-05-02T09:32:00Z",
    },
}
MESSAGE_LIST: dict[str, object] = {"messages": [QUESTION, REPLY], "next_cursor": None}
EXCHANGE: dict[str, object] = {
    "question": QUESTION,
    "reply": {**REPLY, "feedback": None},
    "evidence": [EVIDENCE],
    "closest": None,
}
EXPORT: dict[str, object] = {"conversation": CONVERSATION, "messages": [QUESTION, REPLY]}
MARKDOWN = (
    "# How soon must a claim be reported?\n\n> How soon must a claim be reported?\n\n"
    "A claim must be reported within 14 days of the loss.[^1-1]\n\n"
    "[^1-1]: Marine policy POL-88213-X (policy.pdf), p. 3, ¶ 2: “A claim must be reported within "
    "14 days of the loss.”\n"
)

NEW_CONVERSATIONS: dict[str, Example] = {
    "empty": {"summary": "Without anything", "value": {}},
    "attached": {
        "summary": "About one document alone",
        "value": {"title": "The policy", "document_mode": "only", "document_ids": [DOCUMENT_ID]},
    },
}
CHANGES: dict[str, Example] = {
    "renamed": {"summary": "Another title", "value": {"title": "The policy of 2025"}},
    "only": {"summary": "Attached documents alone", "value": {"document_mode": "only"}},
}
QUESTIONS: dict[str, Example] = {
    "question": {
        "summary": "A question",
        "value": {"question": "How soon must a claim be reported?"},
    },
    "followed": {"summary": "A follow-up", "value": {"question": "And for hull damage?"}},
}
AGAIN: dict[str, Example] = {
    "again": {"summary": "As before", "value": {}},
    "thoroughly": {"summary": "More thoroughly", "value": {"plan": "thorough"}},
}
FEEDBACK: dict[str, Example] = {
    "up": {"summary": "It is right", "value": {"thumb": "up"}},
    "down": {"summary": "It is not", "value": {"thumb": "down", "comment": "That is the old one."}},
}
