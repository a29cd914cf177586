"""The description of the API is complete enough to write a client from."""

from typing import Any

import pytest

from tests.interfaces.description import DESCRIPTION

CASES: list[tuple[str, str, dict[str, Any]]] = [
    (path, method, operation)
    for path, methods in DESCRIPTION["paths"].items()
    for method, operation in methods.items()
]
OPERATIONS = [pytest.param(*case, id=f"{case[1]} {case[0]}") for case in CASES]
OF_OPENAI = ("/openai/", "/v1/chat/", "/v1/models/{model}")
"""Routes whose errors are in the shape that OpenAI's clients read."""
PUBLIC = {
    ("post", "/v1/documents"),
    ("get", "/v1/documents"),
    ("get", "/v1/documents/{document_id}"),
    ("delete", "/v1/documents/{document_id}"),
    ("get", "/v1/documents/{document_id}/content"),
    ("post", "/v1/documents/{document_id}/retry"),
    ("get", "/v1/documents/{document_id}/pages"),
    ("get", "/v1/documents/{document_id}/pages/{page}.png"),
    ("get", "/v1/documents/{document_id}/pages/{page}/rects"),
    ("get", "/v1/documents/{document_id}/events"),
    ("get", "/v1/events"),
    ("post", "/v1/ingest"),
    ("get", "/v1/ingest/{ingest_id}/status"),
    ("get", "/v1/webhooks"),
    ("post", "/v1/webhooks"),
    ("delete", "/v1/webhooks/{webhook_id}"),
    ("post", "/v1/webhooks/{webhook_id}/test"),
    ("post", "/v1/webhooks/document-uploaded"),
    ("post", "/v1/search"),
    ("post", "/v1/context"),
    ("post", "/v1/answers"),
    ("get", "/v1/answers/{run_id}/events"),
    ("post", "/v1/grounding/check"),
    ("post", "/v1/agent"),
    ("post", "/v1/chat/completions"),
    ("post", "/openai/v1/chat/completions"),
    ("get", "/openai/v1/models"),
    ("get", "/openai/v1/models/{model}"),
    ("post", "/agui"),
    ("post", "/v1/agent"),
    ("post", "/v1/conversations"),
    ("get", "/v1/conversations"),
    ("get", "/v1/conversations/{conversation_id}"),
    ("patch", "/v1/conversations/{conversation_id}"),
    ("delete", "/v1/conversations/{conversation_id}"),
    ("put", "/v1/conversations/{conversation_id}/documents/{document_id}"),
    ("delete", "/v1/conversations/{conversation_id}/documents/{document_id}"),
    ("get", "/v1/conversations/{conversation_id}/export"),
    ("get", "/v1/conversations/{conversation_id}/messages"),
    ("post", "/v1/conversations/{conversation_id}/messages"),
    ("patch", "/v1/conversations/{conversation_id}/messages/{message_id}"),
    ("post", "/v1/conversations/{conversation_id}/messages/{message_id}/regenerate"),
    ("post", "/v1/conversations/{conversation_id}/messages/{message_id}/activate"),
    ("put", "/v1/conversations/{conversation_id}/messages/{message_id}/feedback"),
    ("delete", "/v1/conversations/{conversation_id}/messages/{message_id}/feedback"),
    ("post", "/search"),
    ("post", "/context"),
    ("get", "/v1/models"),
    ("get", "/v1/models/{model}"),
    ("put", "/v1/models"),
    ("delete", "/v1/models"),
    ("get", "/v1/mcp-servers"),
    ("post", "/v1/mcp-servers"),
    ("delete", "/v1/mcp-servers/{name}"),
    ("get", "/v1/lanes"),
    ("post", "/v1/lanes/purge"),
    ("post", "/v1/lanes/{lane}/reembed"),
    ("get", "/v1/lanes/{lane}/reembed"),
    ("delete", "/v1/lanes/{lane}/reembed"),
    ("post", "/v1/lanes/{lane}/rollback"),
    ("get", "/health"),
    ("get", "/stats"),
}


def test_the_routes_are_the_promised_ones() -> None:
    found = {(method, path) for path, methods in DESCRIPTION["paths"].items() for method in methods}
    assert found == PUBLIC


def test_operation_ids_are_names_and_unique() -> None:
    names = [operation["operationId"] for _, _, operation in CASES]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_an_operation_says_what_it_is(path: str, method: str, operation: dict[str, Any]) -> None:
    assert operation["summary"]
    assert operation["description"]
    assert operation["tags"]


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_every_response_with_a_body_has_a_schema_and_an_example(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    for status, response in operation["responses"].items():
        assert response["description"]
        if status in ("204", "304"):
            continue
        for body in response["content"].values():
            assert body.get("schema") or body.get("itemSchema")
            assert body["example"]


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_errors_are_documented_as_problem_details(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    errors = {
        status: response["content"]
        for status, response in operation["responses"].items()
        if status >= "400"
    }
    assert {"403", "500", "503"} <= set(errors)
    if path.startswith(OF_OPENAI):
        assert {"400", "404"} <= set(errors)
        assert errors["400"]["application/json"]["example"]["error"]
    elif path != "/health":
        assert {"404", "422"} <= set(errors)
        assert all(set(content) == {"application/problem+json"} for content in errors.values())


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_what_is_refused_before_a_route_is_chosen_is_said_of_each(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    for status in ("400", "403", "408", "431"):
        content = operation["responses"][status]["content"]
        assert content["application/problem+json"]["example"]
    if "requestBody" in operation:
        assert operation["responses"]["413"]["content"]


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_a_stream_says_what_an_event_is(path: str, method: str, operation: dict[str, Any]) -> None:
    for response in operation["responses"].values():
        stream = response.get("content", {}).get("text/event-stream")
        assert stream is None or stream["itemSchema"]["properties"]["data"]


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_every_request_body_has_an_example(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    for body in operation.get("requestBody", {"content": {}})["content"].values():
        assert body.get("example") or body.get("examples")
        assert body["schema"]


def test_every_reference_leads_somewhere() -> None:
    def references(node: object) -> list[str]:
        if isinstance(node, dict):
            own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
            return own + [ref for value in node.values() for ref in references(value)]
        if isinstance(node, list):
            return [ref for value in node for ref in references(value)]
        return []

    known = {f"#/components/schemas/{name}" for name in DESCRIPTION["components"]["schemas"]}
    assert set(references(DESCRIPTION)) <= known
    assert "#/components/schemas/HTTPValidationError" not in known
