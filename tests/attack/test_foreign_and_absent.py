"""What is foreign, what is hidden and what is absent answer alike, by every route, to the byte."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from footnote.domain import Principal, Visibility
from footnote.domain.sources import NewSource
from footnote.engine import Engine, WorkspaceEngine
from footnote.engine.exchanges import Asking
from footnote.engine.fact_extraction import fact_lane
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, settings_from
from footnote.store.database import SYSTEM
from footnote.store.entity_storage import store_entities
from footnote.store.evaluations import store_run
from footnote.store.fact_storage import store_facts
from footnote.store.lanes import current_lane
from footnote.store.share_links import add_link
from tests.evaluation.factories import a_new_run, an_order
from tests.interfaces.description import DESCRIPTION
from tests.interfaces.serving import served
from tests.store.cluster_factories import keep_one_cluster
from tests.store.entity_factories import a_keyed_entity, an_unread, first_of_all
from tests.store.fact_factories import a_keyed_fact, a_version, some_facts

CANARY = "quillwort"
TEXT = f"# {CANARY}\n\nThe {CANARY} merger closes on 12 May 2025. Its price is EUR 4,100.".encode()
RIGHTS = ("read", "write", "administer")

NAMED: Mapping[str, Any] = {
    # Routes of one thing, by what names it, with what else they need.
    "get /v1/documents/{document_id}": {},
    "patch /v1/documents/{document_id}": {"json": {"tags": ["mine"], "metadata": {"mine": 1}}},
    "delete /v1/documents/{document_id}": {},
    "get /v1/documents/{document_id}/versions": {},
    "get /v1/documents/{document_id}/passages": {},
    "get /v1/documents/{document_id}/similar": {},
    "get /v1/documents/{document_id}/content": {},
    "post /v1/documents/{document_id}/retry": {},
    "get /v1/documents/{document_id}/pages/{page}.png": {},
    "get /v1/documents/{document_id}/pages/{page}/rects": {"params": {"quote": "merger"}},
    "get /v1/documents/{document_id}/pages": {"params": {"quote": "merger"}},
    "get /v1/documents/{document_id}/access": {},
    "put /v1/documents/{document_id}/access": {"json": {"visibility": "workspace"}},
    "get /v1/documents/{document_id}/access/explanation": {"params": {"principal": "eve"}},
    "get /v1/documents/{document_id}/events": {},
    "get /v1/ingest/{ingest_id}/status": {},
    "get /v1/answers/{run_id}/events": {},
    "get /v1/conversations/{conversation_id}": {},
    "patch /v1/conversations/{conversation_id}": {"json": {"title": "mine"}},
    "delete /v1/conversations/{conversation_id}": {},
    "put /v1/conversations/{conversation_id}/documents/{document_id}": {},
    "delete /v1/conversations/{conversation_id}/documents/{document_id}": {},
    "get /v1/conversations/{conversation_id}/export": {},
    "get /v1/conversations/{conversation_id}/messages": {},
    "post /v1/conversations/{conversation_id}/messages": {"json": {"question": "When?"}},
    "patch /v1/conversations/{conversation_id}/messages/{message_id}": {
        "json": {"question": "When?"}
    },
    "post /v1/conversations/{conversation_id}/messages/{message_id}/regenerate": {"json": {}},
    "post /v1/conversations/{conversation_id}/messages/{message_id}/activate": {},
    "post /v1/conversations/{conversation_id}/messages/{message_id}/suggestions": {},
    "put /v1/conversations/{conversation_id}/messages/{message_id}/feedback": {
        "json": {"thumb": "up"}
    },
    "delete /v1/conversations/{conversation_id}/messages/{message_id}/feedback": {},
    "post /v1/webhooks/{webhook_id}/test": {},
    "delete /v1/webhooks/{webhook_id}": {},
    "post /v1/keys/{key_id}/rotate": {"json": {}},
    "delete /v1/keys/{key_id}": {},
    "delete /v1/share-links/{link_id}": {},
    "post /v1/legal-holds/{hold_id}/lift": {"json": {"reason": "mine"}},
    "delete /v1/mcp-servers/{name}": {},
    "get /v1/sources/{source_id}": {},
    "delete /v1/sources/{source_id}": {},
    "post /v1/sources/{source_id}/run": {},
    "post /v1/sources/{source_id}/pause": {},
    "get /v1/entities/{entity_id}": {},
    "patch /v1/entities/{entity_id}": {"json": {"name": "mine"}},
    "get /v1/entities/{entity_id}/mentions": {},
    "get /v1/entities/{entity_id}/decisions": {},
    "post /v1/entities/{entity_id}/merge": {"json": {"other_id": str(UUID(int=0))}},
    "post /v1/entities/{entity_id}/split": {"json": {"names": ["mine"]}},
    "post /v1/entities/decisions/{decision_id}/undo": {},
    "get /v1/facts/{fact_id}": {},
    "patch /v1/facts/{fact_id}": {"json": {"status": "rejected"}},
    "get /v1/documents/{document_id}/fact-changes": {},
    "get /v1/clusters/{cluster_id}": {},
    "get /v1/evaluations/{evaluation_id}": {},
    "delete /v1/evaluations/{evaluation_id}": {},
    "get /v1/evaluations/started/{evaluation_id}": {},
    "post /v1/evaluations/started/{evaluation_id}/cancel": {},
}
OF_NOBODY = {
    # Their names are the same in every workspace.
    *("get /openai/v1/models/{model}", "get /v1/models/{model}"),
    *(f"{method} /v1/lanes/{{lane}}/reembed" for method in ("get", "post", "delete")),
    "post /v1/lanes/{lane}/rollback",
    *(f"{method} /v1/config/{{name}}" for method in ("get", "put", "delete")),
}
CLAIM: dict[str, Any] = {"statements": ["It closes."]}
MENTIONED: tuple[tuple[str, Any], ...] = (
    # Routes whose body names things.
    ("/v1/search", {"query": "merger", "filters": {"document_ids": ["{document_id}"]}}),
    ("/v1/answers", {"question": "When?", "filters": {"document_ids": ["{document_id}"]}}),
    ("/v1/context", {"chunk_id": "{document_id}:1:0"}),
    ("/v1/suggestions", {"question": "When?", "chunk_ids": ["{document_id}:1:0"]}),
    ("/context", {"chunk_id": "{document_id}:1:0", "user_id": "eve"}),
    ("/v1/grounding/check", {**CLAIM, "sources": [{"document_id": "{document_id}"}]}),
    ("/v1/grounding/check", {**CLAIM, "sources": [{"chunk_id": "{document_id}:1:0"}]}),
    ("/v1/conversations", {"document_ids": ["{document_id}"]}),
    ("/v1/share-links", {"conversation_id": "{conversation_id}"}),
    ("/v1/documents/changes", {"document_ids": ["{document_id}"], "add_tags": ["mine"]}),
    ("/v1/documents/changes", {"document_ids": ["{document_id}"], "visibility": "workspace"}),
    ("/v1/documents/deletions", {"document_ids": ["{document_id}"]}),
    ("/v1/documents/retries", {"document_ids": ["{document_id}"]}),
    ("/v1/erasures", {"document_id": "{document_id}"}),
    ("/v1/legal-holds", {"document_id": "{document_id}", "reason": "mine"}),
    ("/v1/evaluations", {"golden": "{golden}"}),
    ("/v1/facts/recall", {"query": CANARY, "document_id": "{document_id}"}),
    ("/v1/search", {"query": CANARY, "filters": {"where": {"filename": "{filename}"}}}),
)  # fmt: skip


@dataclass(frozen=True)
class Scene:
    """A server, an attacker's key, and the names of what somebody else has there."""

    http: httpx.AsyncClient
    key: str
    theirs: Mapping[str, str]
    administered: bool
    """Whether the attacker may have it explained who sees what, without seeing it."""
    absent: Mapping[str, str] = field(
        default_factory=lambda: {
            **{
                name: str(uuid4())
                for name in (
                    *("document_id", "ingest_id", "run_id", "conversation_id"),
                    *("message_id", "webhook_id"),
                )
            },
            "key_id": "0123456789abcdef",
            "link_id": "0123456789abcdef",
            "hold_id": str(uuid4()),
            "evaluation_id": str(uuid4()),
            "source_id": str(uuid4()),
            "entity_id": str(uuid4()),
            "decision_id": str(uuid4()),
            "fact_id": str(uuid4()),
            "cluster_id": str(uuid4()),
            "golden": "f" * 16,
            "name": "nothing",
            "page": "1",
            "filename": "nothing.md",
        }
    )

    async def ask(self, method: str, path: str, **sent: Any) -> tuple[int, list[str], str]:
        """Status, names of headers, and body."""
        headers = {"Authorization": f"Bearer {self.key}"}
        answer = await self.http.request(method.upper(), path, headers=headers, **sent)
        assert answer.status_code < 500, answer.text
        return answer.status_code, sorted(answer.headers), answer.text

    async def assert_alike(self, method: str, template: str, sent: Any) -> tuple[int, str]:
        """Asked for theirs and for what nobody has, the server says the same."""
        said = []
        for names in (self.theirs, self.absent):
            path, body = filled(template, names), filled(sent, names)
            status, headers, text = await self.ask(method, path, **body)
            said.append((status, headers, without(text, names)))
        assert said[0] == said[1], (method, template)
        return said[0][0], said[0][2]


def filled(value: Any, names: Mapping[str, str]) -> Any:
    """A template with names put in."""
    if isinstance(value, dict):
        return {key: filled(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, names) for each in value]
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda found: names[found[1]], value)
    return value


_VARIES = re.compile(
    r'"(?:run_id|timings_ms|conversation_id)": ?(?:"[^"]*"|\{[^}]*\}|[\d.]+)'
    r"|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)"
)


def without(text: str, names: Mapping[str, str]) -> str:
    """A body without the names it was asked by, times and ids of answers."""
    for name in sorted(names.values(), key=len, reverse=True):
        if len(name) > 1:
            text = text.replace(name, "…")
    return _VARIES.sub("…", text)


async def what_one_has(
    engine: Engine, workspace: WorkspaceEngine, visibility: Visibility
) -> dict[str, str]:
    """One of each thing that has a name."""
    received = await workspace.receive(TEXT, f"{CANARY}.md", visibility=visibility)
    document_id = received.document.document_id
    await work_until_resting(engine, workspace, [document_id], lambda _: None)
    pushed = await workspace.push_content(TEXT + b"!", f"{CANARY}-2.md")
    assert pushed.document_id is not None
    await workspace.set_document_access(pushed.document_id, visibility)
    third = await workspace.receive(TEXT + b"?", f"{CANARY}-3.md", visibility=visibility)
    ids = [pushed.document_id, third.document.document_id]
    await work_until_resting(engine, workspace, ids, lambda _: None)
    async with workspace.system_scope() as scope:
        found = some_facts(fact_lane(engine.embedder), a_keyed_fact(CANARY, "known"))
        assert await store_facts(scope, a_version(document_id), found)
        lane = await current_lane(scope, engine.lane.name)
        assert lane is not None
        cluster_id = await keep_one_cluster(scope, lane[0], CANARY)
        named = [a_keyed_entity(CANARY)]
        unread = an_unread(document_id)
        assert await store_entities(scope, unread, "test", named, first_of_all)
    [fact] = (await workspace.facts()).facts
    assert (await workspace.cluster(cluster_id)).cluster.documents == 3
    [entity] = (await workspace.entities()).entities
    await workspace.rename_entity(entity.entity_id, CANARY)
    [decision] = await workspace.entity_decisions(entity.entity_id)
    begun = await workspace.create_conversation(title=CANARY)
    exchange = await workspace.ask_in_conversation(
        begun.conversation_id, Asking(question="When does the merger close?")
    )
    return {
        "document_id": str(document_id),
        "entity_id": str(entity.entity_id),
        "decision_id": str(decision.decision_id),
        "fact_id": str(fact.fact_id),
        "cluster_id": str(cluster_id),
        "ingest_id": str(pushed.ingest_id),
        "run_id": str(uuid4()),
        "conversation_id": str(begun.conversation_id),
        "message_id": str(exchange.question.message_id),
        "page": "1",
        "filename": f"{CANARY}.md",
    }


async def and_their_settings(workspace: WorkspaceEngine) -> dict[str, str]:
    """What a workspace as a whole has."""
    endpoint, _ = await workspace.add_webhook("https://example.com/hook", ("document.indexed",))
    await workspace.keep_view(f"{CANARY}.md", query=CANARY)
    await workspace.add_mcp_server("their-server", "https://example.com/mcp", {})
    await workspace.change_setting("top_k", 7)
    hold = await workspace.set_legal_hold(CANARY, collection="kept")
    key = await workspace.create_key(CANARY)
    run = await workspace.start_evaluation(an_order(f"{CANARY}.jsonl"))
    await workspace.cancel_evaluation(run.run_id)
    source = await workspace.add_source(NewSource(place=f"folder:/srv/{CANARY}"), anywhere=True)
    await workspace.pause_source(source.source_id)
    async with workspace.scope() as scope:
        await store_run(scope, a_new_run(f"{CANARY}.jsonl"), 1, run.run_id)
        link = await add_link(
            scope, uuid4().hex[:16], b"0" * 32, CANARY, sharer=SYSTEM, lifetime=timedelta(days=7)
        )
    return {
        "webhook_id": str(endpoint.endpoint_id),
        "name": "their-server",
        "key_id": key.key.key_id,
        "link_id": link.link_id,
        "hold_id": str(hold.hold_id),
        "evaluation_id": str(run.run_id),
        "source_id": str(source.source_id),
        "golden": run.golden,
    }


@pytest.fixture(params=["another workspace", "another principal"])
async def scene(
    request: pytest.FixtureRequest, settings: Settings, engine: Engine, workspace: WorkspaceEngine
) -> AsyncIterator[Scene]:
    """An administrator of a workspace, and what another has, or a colleague keeps to herself."""
    if request.param == "another workspace":
        await engine.create_workspace("bolt")
        bolt = await engine.workspace("bolt")
        theirs = {
            **await what_one_has(engine, bolt, Visibility.WORKSPACE),
            **await and_their_settings(bolt),
        }
    else:
        ann = await engine.workspace(workspace.workspace.name, Principal(principal_id="ann"))
        nobodys = {
            "webhook_id": str(uuid4()),
            "key_id": "fedcba9876543210",
            "link_id": "fedcba9876543210",
            "hold_id": str(uuid4()),
            "evaluation_id": str(uuid4()),
            "source_id": str(uuid4()),
            "golden": "e" * 16,
            "name": "no-server",
        }
        theirs = {**nobodys, **await what_one_has(engine, ann, Visibility.PRIVATE)}
    key = await workspace.create_key("eve", rights=RIGHTS, principal="eve")
    async with served(settings_from(settings, {"identity": "keys"})) as http:
        yield Scene(http, key.secret, theirs, request.param == "another principal")


def test_every_route_that_names_something_is_tried() -> None:
    routes = {
        f"{method} {path}"
        for path, methods in DESCRIPTION["paths"].items()
        for method in methods
        if "{" in path
    }
    assert routes == NAMED.keys() | OF_NOBODY


async def test_what_is_not_ones_own_looks_absent_by_every_route(scene: Scene) -> None:
    for route, sent in NAMED.items():
        if route.endswith("/explanation") and scene.administered:
            continue
        method, template = route.split()
        status, said = await scene.assert_alike(method, template, sent)
        assert 400 <= status < 500, route
        assert CANARY not in said
    for compared in ("a={evaluation_id}&b={evaluation_id}", f"a={uuid4()}&b={{evaluation_id}}"):
        await scene.assert_alike("get", f"/v1/evaluations/comparison?{compared}", {})
    for template, body in MENTIONED:
        _, said = await scene.assert_alike("post", template, {"json": body})
        assert "4,100" not in said


async def test_no_listing_shows_what_is_not_ones_own(scene: Scene) -> None:
    for path in (
        *("/v1/documents", "/v1/conversations", "/v1/webhooks", "/v1/mcp-servers", "/v1/grants"),
        *("/v1/share-links", "/v1/views", "/v1/evaluations"),
        *("/v1/evaluations/started", "/v1/sources"),
        *("/v1/entities", f"/v1/entities?query={CANARY}", "/v1/entities/progress"),
        *("/v1/graph", "/v1/graph?format=graphml", "/v1/graph?format=json-ld"),
        *("/v1/facts", "/v1/facts/conflicts", "/v1/facts/progress"),
        *(f"/v1/clusters?granularity={each}" for each in ("coarse", "middle", "fine")),
        *("/v1/clusters/progress", "/v1/summaries/progress"),
        "/v1/backfill",
        *(f"/v1/documents?query={CANARY[:4]}&sort={sort}" for sort in ("title", "status")),
        "/v1/documents?facets=status&facets=tags&facets=collection",
        *("/v1/documents?status=indexed", "/v1/models", "/v1/lanes", "/openai/v1/models"),
    ):
        status, _, said = await scene.ask("get", path)
        assert status == 200
        assert CANARY not in said, path
        assert scene.theirs["document_id"] not in said
    for name in ("default", "absent"):
        status, _, said = await scene.ask("get", f"/v1/summaries?collection={name}")
        assert status == 404
        assert CANARY not in said
    counted = await scene.ask("get", "/stats")
    assert '"documents":0' in counted[2].replace(" ", "")
    for query in (CANARY, "merger price EUR 4,100", "quilwort", f'"{CANARY} merger"'):
        asked = {"query": query, "facets": ["language", "collection"]}
        _, _, said = await scene.ask("post", "/v1/search", json=asked)
        assert "4,100" not in said.replace(query, "")
        assert '"evidence":[]' in said.replace(" ", "")
        assert CANARY in query or CANARY not in said
