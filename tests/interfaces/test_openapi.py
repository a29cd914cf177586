"""The description of the API is complete enough to write a client from."""

from typing import Any

import pytest

from footnote.interfaces.http.app import create_app
from footnote.interfaces.http.login import SESSION_COOKIE
from footnote.settings import Settings, settings_from
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
    "/v1/documents": "get post",
    "/v1/documents/changes": "post",
    "/v1/documents/deletions": "post",
    "/v1/documents/retries": "post",
    "/v1/documents/{document_id}": "delete get patch",
    "/v1/documents/{document_id}/versions": "get",
    "/v1/documents/{document_id}/passages": "get",
    "/v1/documents/{document_id}/similar": "get",
    "/v1/map": "get",
    "/v1/suggestions": "post",
    "/v1/conversations/{conversation_id}/messages/{message_id}/suggestions": "post",
    "/v1/views": "delete get put",
    "/v1/documents/{document_id}/content": "get",
    "/v1/documents/{document_id}/retry": "post",
    "/v1/documents/{document_id}/pages": "get",
    "/v1/documents/{document_id}/pages/{page}.png": "get",
    "/v1/documents/{document_id}/pages/{page}/rects": "get",
    "/v1/documents/{document_id}/events": "get",
    "/v1/documents/{document_id}/access": "get put",
    "/v1/documents/{document_id}/access/explanation": "get",
    "/v1/grants": "delete get put",
    "/v1/events": "get",
    "/v1/ingest": "post",
    "/v1/ingest/{ingest_id}/status": "get",
    "/v1/webhooks": "get post",
    "/v1/webhooks/{webhook_id}": "delete",
    "/v1/webhooks/{webhook_id}/test": "post",
    "/v1/webhooks/document-uploaded": "post",
    "/v1/search": "post",
    "/v1/context": "post",
    "/v1/answers": "post",
    "/v1/answers/{run_id}/events": "get",
    "/v1/grounding/check": "post",
    "/v1/agent": "post",
    "/v1/chat/completions": "post",
    "/openai/v1/chat/completions": "post",
    "/openai/v1/models": "get",
    "/openai/v1/models/{model}": "get",
    "/agui": "post",
    "/v1/conversations": "get post",
    "/v1/conversations/{conversation_id}": "delete get patch",
    "/v1/conversations/{conversation_id}/documents/{document_id}": "delete put",
    "/v1/conversations/{conversation_id}/export": "get",
    "/v1/conversations/{conversation_id}/messages": "get post",
    "/v1/conversations/{conversation_id}/messages/{message_id}": "patch",
    "/v1/conversations/{conversation_id}/messages/{message_id}/regenerate": "post",
    "/v1/conversations/{conversation_id}/messages/{message_id}/activate": "post",
    "/v1/conversations/{conversation_id}/messages/{message_id}/feedback": "delete put",
    "/search": "post",
    "/context": "post",
    "/v1/models": "delete get put",
    "/v1/models/{model}": "get",
    "/v1/mcp-servers": "get post",
    "/v1/mcp-servers/{name}": "delete",
    "/v1/audit": "get",
    "/v1/config": "get",
    "/v1/config/history": "get",
    "/v1/config/{name}": "delete get put",
    "/v1/retention": "delete get put",
    "/v1/retention/preview": "get",
    "/v1/retention/apply": "post",
    "/v1/legal-holds": "get post",
    "/v1/legal-holds/{hold_id}/lift": "post",
    "/v1/erasures": "get post",
    "/v1/erasures/verify": "post",
    "/v1/erasures/replay": "post",
    "/v1/personal-data/export": "post",
    "/v1/citations": "get",
    "/v1/unanswered": "get",
    "/v1/unanswered/export": "get",
    "/v1/sources": "get post",
    "/v1/sources/check": "post",
    "/v1/sources/{source_id}": "delete get",
    "/v1/sources/{source_id}/run": "post",
    "/v1/sources/{source_id}/pause": "post",
    "/v1/entities": "get",
    "/v1/entities/progress": "get",
    "/v1/entities/extraction": "post",
    "/v1/entities/decisions/{decision_id}/undo": "post",
    "/v1/entities/{entity_id}": "get patch",
    "/v1/entities/{entity_id}/mentions": "get",
    "/v1/entities/{entity_id}/decisions": "get",
    "/v1/entities/{entity_id}/merge": "post",
    "/v1/entities/{entity_id}/split": "post",
    "/v1/graph": "get",
    "/v1/facts": "get",
    "/v1/facts/recall": "post",
    "/v1/facts/conflicts": "get",
    "/v1/facts/progress": "get",
    "/v1/facts/extraction": "post",
    "/v1/facts/{fact_id}": "get patch",
    "/v1/documents/{document_id}/fact-changes": "get",
    "/v1/clusters": "get",
    "/v1/clusters/progress": "get",
    "/v1/clusters/{cluster_id}": "get",
    "/v1/summaries": "get",
    "/v1/summaries/progress": "get",
    "/v1/backfill": "get post",
    "/v1/backfill/pause": "post",
    "/v1/backfill/resume": "post",
    "/v1/evaluations": "get post",
    "/v1/evaluations/started": "get",
    "/v1/evaluations/started/{evaluation_id}": "get",
    "/v1/evaluations/started/{evaluation_id}/cancel": "post",
    "/v1/evaluations/comparison": "get",
    "/v1/evaluations/{evaluation_id}": "delete get",
    "/v1/collections": "delete get",
    "/v1/doctor": "get",
    "/v1/usage": "get",
    "/v1/usage/people": "get",
    "/v1/usage/people/export": "get",
    "/v1/budgets": "delete get put",
    "/v1/audit/verify": "post",
    "/v1/lanes": "get",
    "/v1/lanes/purge": "post",
    "/v1/lanes/{lane}/reembed": "delete get post",
    "/v1/lanes/{lane}/rollback": "post",
    "/health": "get",
    "/v1/identity": "get",
    "/v1/share-links": "get post",
    "/v1/share-links/{link_id}": "delete",
    "/v1/shared": "get",
    "/v1/keys": "get post",
    "/v1/keys/{key_id}": "delete",
    "/v1/keys/{key_id}/rotate": "post",
    "/stats": "get",
}


def test_the_routes_are_the_promised_ones() -> None:
    found = {path: " ".join(sorted(methods)) for path, methods in DESCRIPTION["paths"].items()}
    assert found == PUBLIC


def test_operation_ids_are_names_and_unique() -> None:
    names = [operation["operationId"] for _, _, operation in CASES]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_an_operation_is_described_with_examples_of_all_it_takes_and_answers(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    assert operation["summary"]
    assert operation["description"]
    assert operation["tags"]
    for body in operation.get("requestBody", {"content": {}})["content"].values():
        assert body.get("example") or body.get("examples")
        assert body["schema"]
    for status, response in operation["responses"].items():
        assert response["description"]
        if status in ("204", "304"):
            continue
        for media_type, body in response["content"].items():
            assert body["example"]
            if media_type == "text/event-stream":
                assert body["itemSchema"]["properties"]["data"]
            else:
                assert body["schema"]


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_an_operation_documents_its_errors(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    errors = {
        status: response["content"]
        for status, response in operation["responses"].items()
        if status >= "400"
    }
    # What is refused before a route is chosen, or breaks in it, is said of each.
    assert {"400", "403", "408", "431", "500", "503"} <= set(errors)
    for status in ("400", "403", "408", "431"):
        assert errors[status]["application/problem+json"]["example"]
    assert "requestBody" not in operation or errors["413"]
    if path.startswith(OF_OPENAI):
        assert errors["400"]["application/json"]["example"]["error"]
        assert "404" in errors
    elif path != "/health":
        assert {"404", "422"} <= set(errors)
        assert all(set(content) == {"application/problem+json"} for content in errors.values())


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


def test_where_nobody_is_asked_who_they_are_nothing_is_to_be_sent() -> None:
    assert "securitySchemes" not in DESCRIPTION["components"]
    assert all(operation["security"] == [] for _, _, operation in CASES)


def test_each_route_says_what_opens_it(settings: Settings) -> None:
    given = {
        "identity": "keys,tokens,login",
        "tokens": {"issuer": "https://login.example.com", "audience": "footnote"},
        "login": {"issuer": "https://login.example.com", "client_id": "footnote"},
        "public_url": "https://documents.example.com",
    }
    described = create_app(settings_from(settings, given)).openapi()
    schemes = described["components"]["securitySchemes"]
    assert {name: scheme["type"] for name, scheme in schemes.items()} == {
        "apiKey": "http",
        "token": "http",
        "session": "apiKey",
        "provider": "openIdConnect",
        "link": "http",
    }
    assert schemes["session"]["name"] == SESSION_COOKIE
    assert schemes["provider"]["openIdConnectUrl"] == (
        "https://login.example.com/.well-known/openid-configuration"
    )
    needed = {
        path: {name for each in operation["security"] for name in each}
        for path, methods in described["paths"].items()
        for operation in methods.values()
    }
    assert needed.pop("/health") == set()
    assert needed.pop("/v1/shared") == {"link"}
    assert {frozenset(each) for each in needed.values()} == {
        frozenset({"apiKey", "token", "session", "link"})
    }
    keys_alone = create_app(settings_from(settings, {"identity": "keys"})).openapi()
    assert set(keys_alone["components"]["securitySchemes"]) == {"apiKey", "link"}
