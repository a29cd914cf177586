"""The examples in the description of the API are what a server answered.

`FOOTNOTE_RECORD=1 pytest tests/interfaces/test_examples.py` records them anew.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema_rs import validator_for
from pydantic import BaseModel

from footnote import domain
from footnote.domain.pages import MarkedQuote, PageRectangles, PagesOfQuote, QuoteMatch, Rectangle
from footnote.interfaces.http import examples
from footnote.interfaces.http.chat_shapes import ChatRequest
from footnote.interfaces.http.requests import Filters, Request
from footnote.interfaces.schemas import Delivery, PageWithQuotes, object_of
from footnote.settings import Settings
from tests.interfaces.conftest import Library
from tests.interfaces.description import DESCRIPTION
from tests.interfaces.papers import CLAIM, POLICY
from tests.interfaces.records import NOON
from tests.interfaces.serving import served

FILE = Path(examples.__file__).with_name("examples.json")
RECORDED: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
REQUESTS = RECORDED["requests"]

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)")
_VARIES = {
    "answer_cache",
    "cached",
    "checks",
    "confidence",
    "created",
    "keywords",
    "next_cursor",
    "overlap",
    "probability",
    "results",
    "score",
    "score_after",
    "search_cache",
    "secret",
    "similarity",
    "support",
    "timings_ms",
    "why",
}
"""Members whose values hang on the machine, on the moment, or on what was asked before."""


def tidy(value: Any, known: dict[str, str]) -> Any:
    """What was answered, with ids and times that stay the same, and at most two of anything."""
    if isinstance(value, dict):
        return {name: tidy(each, known) for name, each in value.items()}
    if isinstance(value, list):
        several = value[:2] if value and isinstance(value[0], dict) else value
        return [tidy(each, known) for each in several]
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, str):
        value = _UUID.sub(
            lambda found: known.setdefault(
                found[0], f"0198c0de-5c1e-7d2a-9b3f-{len(known) + 1:012d}"
            ),
            value,
        )
        return _TIME.sub("2025-05-02T09:30:00Z", value)
    return value


def assert_alike(recorded: Any, now: Any, place: str) -> None:
    assert type(recorded) is type(now) or None in (recorded, now), place
    if isinstance(recorded, dict) and isinstance(now, dict):
        assert recorded.keys() == now.keys(), place
        for name in recorded.keys() - _VARIES:
            assert_alike(recorded[name], now[name], f"{place}.{name}")
    elif isinstance(recorded, list):
        assert bool(recorded) == bool(now), place
        for before, after in zip(recorded, now, strict=False):
            assert_alike(before, after, place)
    elif not isinstance(recorded, float) and place.rpartition(".")[2] != "detail":
        assert recorded == now, place


def asked(name: str, case: str, **changes: object) -> dict[str, Any]:
    return {**REQUESTS[name][case]["value"], **changes}


async def answered(
    http: httpx.AsyncClient, method: str, path: str, **more: Any
) -> Mapping[str, Any]:
    response = await http.request(method, path, **more)
    assert response.status_code < 400 or path == "/health", response.text
    body: Mapping[str, Any] = response.json()
    return body


async def of_reading(library: Library, http: httpx.AsyncClient) -> dict[str, Mapping[str, Any]]:
    """What is answered about documents that are there."""
    document = library.ids[POLICY.filename]
    alone: dict[str, Any] = {"filters": {"document_ids": [document]}, "top_k": 2}
    found = await answered(http, "POST", "/v1/search", json=asked("Search", "question", **alone))
    chunk = found["evidence"][0]["chunk_id"]
    context = asked("Context", "neighbours", chunk_id=chunk)
    project_context = asked("ProjectContextRequest", "neighbours", chunk_id=chunk)
    return {
        "SearchResponse": found,
        "PassageContext": await answered(http, "POST", "/v1/context", json=context),
        "Answer": await answered(
            http, "POST", "/v1/answers", json=asked("Question", "question", **alone)
        ),
        "ProjectResults": await answered(
            http, "POST", "/search", json=asked("ProjectSearch", "question", limit=2)
        ),
        "ProjectContext": await answered(http, "POST", "/context", json=project_context),
        "GroundingCheck": await answered(
            http, "POST", "/v1/grounding/check", json=asked("GroundingRequest", "statements")
        ),
        "DocumentPage": await answered(http, "GET", "/v1/documents?collection=insurance"),
        "DocumentWithAttachments": await answered(http, "GET", f"/v1/documents/{document}"),
        "WorkspaceStats": await answered(http, "GET", "/stats"),
        "Health": await answered(http, "GET", "/health"),
        "ModelsHere": await answered(http, "GET", "/v1/models"),
        "LaneList": await answered(http, "GET", "/v1/lanes"),
    }


async def of_conversing(library: Library) -> dict[str, Mapping[str, Any]]:
    """What is answered in a conversation."""
    http, document = library.http, library.ids[POLICY.filename]
    begun = await answered(
        http, "POST", "/v1/conversations", json=asked("NewConversation", "empty")
    )
    here = f"/v1/conversations/{begun['conversation_id']}"
    question = asked("NextQuestion", "question", filters={"document_ids": [document]}, top_k=2)
    exchange = await answered(http, "POST", f"{here}/messages", json=question)
    reply = f"{here}/messages/{exchange['reply']['message_id']}"
    judged = await answered(http, "PUT", f"{reply}/feedback", json=asked("NewFeedback", "up"))
    told = {
        "Exchange": exchange,
        "Message": judged,
        "MessagePage": await answered(http, "GET", f"{here}/messages"),
        "Conversation": await answered(http, "GET", here),
        "ConversationExport": await answered(http, "GET", f"{here}/export"),
        "ConversationPage": await answered(http, "GET", "/v1/conversations"),
    }
    await http.delete(here)
    return told


async def of_writing(http: httpx.AsyncClient) -> dict[str, Mapping[str, Any]]:
    """What is answered where something is changed."""
    form = {"collection": POLICY.collection, "tags": list(POLICY.tags)}
    upload = {"file": (POLICY.filename, POLICY.text.encode())}
    received = await answered(http, "POST", "/v1/documents", data=form, files=upload)
    retried = f"/v1/documents/{received['document_id']}/retry"
    webhook = await answered(
        http, "POST", "/v1/webhooks", json=asked("AddWebhook", "all", url="http://127.0.0.1/hook")
    )
    server = asked("AddMcpServer", "server", url="http://127.0.0.1/mcp")
    return {
        "Received": received,
        "Document": await answered(http, "POST", retried),
        "PushStatus": await answered(http, "POST", "/v1/ingest", json=asked("Push", "text")),
        "NewWebhook": webhook,
        "WebhookList": await answered(http, "GET", "/v1/webhooks"),
        "McpServer": await answered(http, "POST", "/v1/mcp-servers", json=server),
        "McpServerList": await answered(http, "GET", "/v1/mcp-servers"),
        "Models": await answered(http, "DELETE", "/v1/models"),
        "Erasure": await answered(
            http, "DELETE", f"/v1/documents/{received['document_id']}?verify=true"
        ),
    }


def of_records() -> dict[str, dict[str, object]]:
    """What takes a model, a renderer or another server to be answered."""
    lane = domain.Lane(
        name="document",
        provider="openai",
        model="text-embedding-3-small",
        dimensions=1536,
        revision="1",
    )
    reembedding = domain.Reembedding(
        lane=lane,
        state=domain.ReembeddingState.RUNNING,
        rollback=False,
        chunks_embedded=106,
        chunks=212,
        texts_embedded=98,
        texts_reused=8,
        tokens=21400,
        cost_usd=0.001,
        texts_per_second=None,
        failure=None,
        started_at=NOON,
        updated_at=NOON,
        finished_at=None,
    )
    status = domain.LaneStatus(
        lane_id=2,
        lane=lane,
        state=domain.LaneState.PENDING,
        chunks_embedded=106,
        chunks=212,
        retired_at=None,
        purge_after=None,
        reembedding=reembedding,
    )
    box = Rectangle(left=60.0, top=120.5, right=301.2, bottom=132.1)
    page = PageRectangles(
        page=3,
        page_count=6,
        width_points=595.28,
        height_points=841.89,
        quotes=(MarkedQuote(quote=CLAIM, match=QuoteMatch.EXACT, text=CLAIM, rectangles=(box,)),),
    )
    records = [
        reembedding,
        status,
        PageWithQuotes.from_domain(page),
        PagesOfQuote(page_count=6, pages=(3,)),
        Delivery(delivered=True),
    ]
    return {type(each).__name__: object_of(each) for each in records}


async def test_the_examples_are_what_a_server_answers(
    library: Library, settings: Settings, closed: httpx.AsyncClient
) -> None:
    within = settings.model_copy(update={"allow_private_urls": True})
    async with served(within) as http:
        written = await of_writing(http)
    now: dict[str, Any] = {
        **await of_reading(library, library.http),
        **await of_conversing(library),
        **written,
        **of_records(),
        "Health 503": await answered(closed, "GET", "/health"),
    }
    now = {name: tidy(each, {}) for name, each in sorted(now.items())}
    if "FOOTNOTE_RECORD" in os.environ:
        text = json.dumps({"requests": REQUESTS, "responses": now}, indent=1, ensure_ascii=False)
        FILE.write_text(f"{text}\n", "utf-8")
        return
    assert now.keys() == RECORDED["responses"].keys()
    for name, answer in now.items():
        assert_alike(RECORDED["responses"][name], answer, name)


@pytest.mark.parametrize("name", RECORDED["responses"])
def test_an_example_is_a_whole_instance_of_its_schema(name: str) -> None:
    components = {
        each: {**schema, "additionalProperties": schema.get("additionalProperties", False)}
        for each, schema in DESCRIPTION["components"]["schemas"].items()
    }
    schema = {
        "$ref": f"#/components/schemas/{name.partition(' ')[0]}",
        "components": {"schemas": components},
    }
    validator_for(schema).validate(RECORDED["responses"][name])


@pytest.mark.parametrize(
    ("name", "given"),
    [
        pytest.param(name, case["value"], id=f"{name} {title}")
        for name, cases in REQUESTS.items()
        for title, case in cases.items()
    ],
)
def test_an_example_of_a_request_is_accepted(name: str, given: object) -> None:
    request = SHAPES[name].model_validate_json(json.dumps(given))
    if isinstance(filters := getattr(request, "filters", None), Filters):
        filters.to_domain()


def _below(shape: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    yield shape.__name__, shape
    for each in shape.__subclasses__():
        yield from _below(each)


SHAPES = dict(_below(Request)) | {"ChatRequest": ChatRequest}
