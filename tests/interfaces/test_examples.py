"""The examples in the description of the API are what a server was asked and answered.

`FOOTNOTE_RECORD=1 pytest tests/interfaces/test_examples.py` records them anew.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from jsonschema_rs import validator_for
from pydantic import SecretStr
from starlette.routing import compile_path

import footnote
from footnote import domain
from footnote.domain.evaluations import NewEvaluationRun, QuestionOutcome
from footnote.domain.pages import MarkedQuote, PageRectangles, PagesOfQuote, QuoteMatch, Rectangle
from footnote.domain.retention import DueDocument, RetentionPreview, RetentionRun
from footnote.interfaces.http import openapi
from footnote.interfaces.page_quotes import PageWithQuotes
from footnote.interfaces.schemas import Delivery, object_of
from footnote.jobs.extracting import extract_entity_slice, extract_fact_slice
from footnote.jobs.summaries import summarise_slice
from footnote.settings import Settings, settings_from
from footnote.store.lanes import current_lane
from tests.interfaces.conftest import Library
from tests.interfaces.description import DESCRIPTION
from tests.interfaces.papers import CLAIM, POLICY
from tests.interfaces.records import NOON
from tests.interfaces.serving import served
from tests.interfaces.test_agent_http import looks_up_then_answers
from tests.interfaces.test_push_http import SECRET, signed
from tests.store.cluster_factories import keep_one_cluster
from tests.wire import WireServer

FILE = Path(openapi.__file__).with_name("examples.json")
RECORDED: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
QUESTION = "How soon must a claim be reported?"
HERE = "http://127.0.0.1"
OTHER_MODEL = "testing:new#192"
MODEL_NAMES = ("openai:gpt-5-mini", "ollama:llama3.2")

CREW = {"subject": "group:crew", "role": "reader"}
SHARED: dict[str, Any] = {"visibility": "private", "shared_with": ["group:crew"]}

_SHOWN_AS = {HERE: "https://example.com", OTHER_MODEL: "openai:text-embedding-3-small"}
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=chatcmpl-)[0-9a-f]{32}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)")
_DAY = re.compile(r"^\d{4}-\d{2}-\d{2}$")
_MINUTE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC")
_OWN_SERVICE = re.compile(r"(service:\S+) [0-9a-f]{8}\b")
"""The principal of a key of collections."""
_EVENTS_SHOWN = 3
_LINE_CHARACTERS = 100
_KEY = re.compile(r"(f[nl])_[0-9a-f]{16}_[0-9a-f]{64}")
_VARIES = {
    *("entries", "head", "kept", "rows"),
    *("answer_cache", "cached", "checks", "confidence", "created", "keywords", "key_id"),
    *("link_id", "next_cursor", "replaced_by"),
    # What others asked of the same library before.
    *("asked", "days", "most_cited", "never_cited", "never_cited_count", "questions"),
    *(
        "members",
        "overlap",
        "points",
        "representatives",
        "probability",
        "results",
        "score",
        "score_after",
        "search_cache",
        "secret",
    ),
    *("sha256", "similarity", "support", "timings_ms", "why", "url", "explanation"),
}
"""Members whose values depend on the machine, on the moment, or on what was asked before."""


def tidy(value: Any, known: dict[str, str]) -> Any:
    """A value with ids and times that stay the same, and at most two of anything."""
    if isinstance(value, dict):
        return {name: tidy(each, known) for name, each in value.items()}
    if isinstance(value, list):
        several = value[:2] if value and isinstance(value[0], dict) else value
        return [tidy(each, known) for each in several]
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, str):
        for told, shown in _SHOWN_AS.items():
            value = value.replace(told, shown)
        value = _UUID.sub(
            lambda found: known.setdefault(
                found[0], f"0198c0de-5c1e-7d2a-9b3f-{len(known) + 1:012d}"
            ),
            value,
        )
        value = _KEY.sub(r"\1_3f29a1c07be4d512_" + "0" * 64, value)
        value = _MINUTE.sub("2025-05-02 09:30 UTC", value)
        value = _OWN_SERVICE.sub(r"\1 3f29a1c0", value)
        value = _DAY.sub(_shown_day, value)
        return _TIME.sub("2025-05-02T09:30:00Z", value)
    return value


def _shown_day(found: re.Match[str]) -> str:
    """A day of the last months as far from the day of all examples as it is from today."""
    age = datetime.now(UTC).date() - date.fromisoformat(found[0])
    recent = timedelta(days=-1) <= age < timedelta(days=100)
    return str(date(2025, 5, 2) - age) if recent else found[0]


class Recorder:
    """Sends requests, and keeps them and their answers under the names that examples have."""

    def __init__(self) -> None:
        self.requests: dict[str, dict[str, Any]] = {}
        self.responses: dict[str, Any] = {}

    async def __call__(
        self, http: httpx.AsyncClient, method: str, path: str, summary: str = "", **sent: Any
    ) -> Any:
        operation = _operation(method, path.partition("?")[0])
        self.keep_request(operation, summary, sent)
        async with http.stream(method, path, **sent) as response:
            media_type = response.headers["content-type"].partition(";")[0]
            if media_type == "text/event-stream":
                return self._keep_text(operation, media_type, await _first_events(response, path))
            await response.aread()
        assert response.status_code < 400 or path == "/health", response.text
        if media_type != "application/json":
            return self._keep_text(operation, media_type, response.text)
        body = response.json()
        described = operation["responses"][str(response.status_code)]["content"][media_type]
        name = _schema_name(described["schema"]) or f"{operation['operationId']} {media_type}"
        if response.status_code >= 400:
            name += f" {response.status_code}"
        self.responses.setdefault(name, tidy(body, {}))
        return body

    def keep_request(self, operation: dict[str, Any], summary: str, sent: dict[str, Any]) -> None:
        if not summary:
            return
        if "files" in sent:
            name, _ = sent["files"]["file"]
            value = {**sent["data"], "file": f"(the bytes of {name})"}
        else:
            value = sent["json"] if "json" in sent else json.loads(sent["content"])
        [described] = operation["requestBody"]["content"].values()
        schema = described["schema"]
        names = [_schema_name(each) for each in (schema, *schema.get("anyOf", ()))]
        name = next(filter(None, names), operation["operationId"])
        case = re.sub(r"\W+", "-", summary.lower())
        self.requests.setdefault(name, {})[case] = {"summary": summary, "value": tidy(value, {})}

    def _keep_text(self, operation: dict[str, Any], media_type: str, text: str) -> str:
        lines = [
            f"{line[:_LINE_CHARACTERS]} …" if len(line) > _LINE_CHARACTERS else line
            for line in tidy(text, {}).split("\n")
        ]
        self.responses[f"{operation['operationId']} {media_type}"] = "\n".join(lines)
        return text


async def _first_events(response: httpx.Response, path: str) -> str:
    """The first events of a stream; one that ends is read to its end."""
    assert response.status_code == 200, await response.aread()
    events: list[str] = [""]
    async for line in response.aiter_lines():
        if line:
            events[-1] += f"{line}\n"
        elif len(events) == _EVENTS_SHOWN and path.endswith("/events"):
            break
        else:
            events.append("")
    return "\n".join([*events[:_EVENTS_SHOWN], ""])


def _operation(method: str, path: str) -> dict[str, Any]:
    fitting = [
        methods[method.lower()]
        for template, methods in DESCRIPTION["paths"].items()
        if method.lower() in methods and compile_path(template)[0].fullmatch(path)
    ]
    operation: dict[str, Any] = fitting[0]
    return operation


def _schema_name(schema: dict[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


async def search_and_ask(recorder: Recorder, library: Library) -> None:
    """Ask about documents that are there."""
    http, document = library.http, library.ids[POLICY.filename]

    async def post(path: str, summary: str, **body: Any) -> Any:
        return await recorder(http, "POST", path, summary, json=body)

    alone: dict[str, Any] = {"filters": {"document_ids": [document]}, "top_k": 2}
    found = await post("/v1/search", "A question", query=QUESTION, **alone)
    await post(
        "/v1/search",
        "An identifier, in one collection",
        query="POL-88213-X",
        top_k=3,
        filters={"collections": ["insurance"]},
    )
    await post(
        "/v1/search",
        "A plan with changes, a filter, facets and a conversation",
        query="And for storm damage?",
        plan="thorough",
        stages={"fusion": "rrf", "diversity": "mmr", "neighbours": 1},
        filters={
            "where": {
                "date": {"gte": "2024-01-01"},
                "any": [{"class": "policy"}, {"tags": "marine"}],
            },
            "evidence_types": ["paragraph", "table"],
            "min_similarity": 0.2,
        },
        facets=["class", "metadata.year"],
        conversation=[
            {"role": "user", "text": QUESTION},
            {"role": "assistant", "text": "Within 14 days of the loss. [1]"},
        ],
    )
    chunk = found["evidence"][0]["chunk_id"]
    await post("/v1/context", "Two chunks either side", chunk_id=chunk, window=2)
    answer = await post("/v1/answers", "A question", question=QUESTION, **alone)
    cited = [each["chunk_id"] for each in answer["citations"]]
    told = {"question": QUESTION, "answer": answer["text"], "chunk_ids": cited}
    await post("/v1/suggestions", "After an answer", **told)
    await post(
        "/v1/answers",
        "By a plan, from some documents",
        question=QUESTION,
        plan="thorough",
        filters={"where": {"class": "policy"}},
    )
    events = await post("/v1/answers", "As a stream", question=QUESTION, stream=True)
    run = _UUID.search(events)
    assert run is not None
    await recorder(http, "GET", f"/v1/answers/{run[0]}/events")
    source = {"id": "policy", "title": "Marine policy POL-88213-X", "text": CLAIM}
    await post(
        "/v1/grounding/check",
        "Statements and a text",
        statements=[
            "Photographs of the damaged mooring have to be sent with the claim.",
            "Claims have to be reported within 30 days.",
        ],
        sources=[source],
    )
    await post(
        "/v1/grounding/check",
        "An answer and documents of the workspace",
        answer="A claim must be reported within 14 days [1]. The deductible is 2,500 euros.",
        sources=[{"document_id": document}, {"chunk_id": chunk, "id": "clause"}],
    )
    project = {"query": QUESTION, "project_id": "insurance", "user_id": "alice"}
    await post("/search", "A question to a project", **project, limit=2)
    await post(
        "/search",
        "Of some types, near the query",
        **project,
        limit=5,
        evidence_types=["upload", "policy"],
        min_similarity=0.2,
    )
    await post(
        "/context", "Two chunks either side", chunk_id=chunk, user_id="alice", context_window=2
    )
    for path in (
        "/v1/documents?collection=insurance",
        f"/v1/documents/{document}",
        f"/v1/documents/{document}/passages?limit=1",
        f"/v1/documents/{document}/similar?limit=1",
        "/v1/map?collection=insurance",
        f"/v1/documents/{document}/events",
        *("/stats", "/health", "/v1/models", "/v1/lanes", "/v1/audit?act=searched&limit=2"),
    ):
        await recorder(http, "GET", path)
    wanted = {"measure": "cost_usd", "period": "month", "most": 50}
    await recorder(http, "PUT", "/v1/budgets", "Fifty dollars a month", json=wanted)
    for path in (
        *("/v1/usage", "/v1/usage/people", "/v1/budgets"),
        *("/v1/collections", "/v1/unanswered"),
        "/v1/citations?collection=insurance&limit=1",
    ):
        await recorder(http, "GET", path)
    assert (await http.delete("/v1/budgets?measure=cost_usd&period=month")).status_code == 204
    await several(recorder, http, document)
    await views(recorder, http)
    await settings_of_its_own(recorder, http)
    await retention(recorder, http)
    verified = await recorder(http, "POST", "/v1/audit/verify", "By its hashes alone", json={})
    kept = {"kept": [verified["head"]]}
    await recorder(http, "POST", "/v1/audit/verify", "By a head that was kept", json=kept)
    await recorder(http, "GET", "/v1/events", headers={"Last-Event-ID": "0-0"})


async def several(recorder: Recorder, http: httpx.AsyncClient, document: str) -> None:
    """Tag documents at once, try them again and delete them, one of which is nobody's."""
    path, absent = "/v1/documents", "00000000-0000-4000-8000-000000000000"
    tags = {"document_ids": [document], "add_tags": ["harbour"], "metadata": {"year": 2025}}
    await recorder(http, "POST", f"{path}/changes", "Tags and metadata", json=tags)
    gone = {"document_ids": [absent]}
    await recorder(http, "POST", f"{path}/deletions", "Several", json=gone)
    await recorder(http, "POST", f"{path}/retries", "Failed ones", json=gone)
    back = {**tags, "add_tags": [], "remove_tags": ["harbour"], "metadata": {"year": 2025}}
    assert (await http.post(f"{path}/changes", json=back)).status_code == 200


async def views(recorder: Recorder, http: httpx.AsyncClient) -> None:
    """Keep a view of the list, look at it, and remove it."""
    kept = {"name": "Policies", "document_class": "policy", "sort": "title", "order": "asc"}
    await recorder(http, "PUT", "/v1/views", "Policies by their titles", json=kept)
    await recorder(http, "GET", "/v1/views")
    assert (await http.delete("/v1/views?name=Policies")).status_code == 204


async def settings_of_its_own(recorder: Recorder, http: httpx.AsyncClient) -> None:
    """Change a setting of the workspace, look at it, and take it back."""
    path = "/v1/config/DOCUMENT_FUSION_STRATEGY"
    await recorder(http, "PUT", path, "By the name that another product has", json={"value": "rrf"})
    for shown in ("/v1/config", "/v1/config/fusion", "/v1/config/history?name=fusion"):
        await recorder(http, "GET", shown)
    await recorder(http, "DELETE", "/v1/config/fusion")


async def retention(recorder: Recorder, http: httpx.AsyncClient) -> None:
    """Say how long documents are kept, delete what is due, hold some, and take all of it back."""
    path = "/v1/retention"
    rule = {"kind": "documents", "days": 90, "collection": "applicants"}
    await recorder(http, "PUT", path, "Documents of a collection", json=rule)
    await recorder(http, "GET", path)
    await recorder(http, "GET", f"{path}/preview?within_days=30")
    await recorder(http, "POST", f"{path}/apply")
    hold = {"reason": "Case 7", "collection": "applicants"}
    held = await recorder(http, "POST", "/v1/legal-holds", "On a collection", json=hold)
    await recorder(http, "GET", "/v1/legal-holds")
    lift = f"/v1/legal-holds/{held['hold_id']}/lift"
    await recorder(http, "POST", lift, "With a reason", json={"reason": "Settled"})
    of_whom = {"principal_id": "pat@example.com", "with_files": True}
    export = "/v1/personal-data/export"
    asked = "About somebody, with files"
    recorder.keep_request(_operation("POST", export), asked, {"json": of_whom})
    archive = await http.post(export, json=of_whom)  # A zip archive is no text to show.
    assert archive.status_code == 200
    removed = await http.delete(f"{path}?kind=documents&collection=applicants")
    assert removed.status_code == 204


async def chat(recorder: Recorder, http: httpx.AsyncClient) -> None:
    """Ask as front ends of other protocols do."""
    asked = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}
    extras = {"filters": {"collections": ["abroad"]}, "top_k": 5}
    streamed = {**asked, "model": "footnote/annex", "stream": True, "footnote": extras}
    for path in ("/openai/v1/chat/completions", "/v1/chat/completions"):
        await recorder(http, "POST", path, "A question", json=asked)
        await recorder(http, "POST", path, "As a stream, from another workspace", json=streamed)
    for path in ("/openai/v1/models", "/openai/v1/models/footnote", "/v1/models/footnote"):
        await recorder(http, "GET", path)
    run = {
        "threadId": "t1",
        "runId": "r1",
        "messages": [{"id": "m1", "role": "user", "content": QUESTION}],
        "forwardedProps": {"footnote": {"top_k": 5}},
    }
    await recorder(http, "POST", "/agui", "A question", json=run)


async def converse(recorder: Recorder, library: Library) -> None:
    """Ask in conversations."""
    http, document = library.http, library.ids[POLICY.filename]

    async def send(method: str, path: str, summary: str, **body: Any) -> Any:
        return await recorder(http, method, path, summary, json=body)

    begun = await send("POST", "/v1/conversations", "Without anything")
    attached = await send(
        "POST",
        "/v1/conversations",
        "About one document alone",
        title="The policy",
        document_mode="only",
        document_ids=[document],
    )
    here = f"/v1/conversations/{begun['conversation_id']}"
    alone: dict[str, Any] = {"filters": {"document_ids": [document]}, "top_k": 2}
    exchange = await send("POST", f"{here}/messages", "A question", question=QUESTION, **alone)
    question = f"{here}/messages/{exchange['question']['message_id']}"
    reply = f"{here}/messages/{exchange['reply']['message_id']}"
    await send("POST", f"{reply}/suggestions", "In German", language="de")
    await send("PUT", f"{reply}/feedback", "It is right", thumb="up")
    for path in (f"{here}/messages", here, f"{here}/export", "/v1/conversations"):
        await recorder(http, "GET", path)
    await recorder(http, "GET", f"{here}/export?format=markdown")
    await send("PUT", f"{reply}/feedback", "It is not", thumb="down", comment="It is the old one.")
    await send("PATCH", here, "Another title", title="The policy of 2025")
    await send("POST", f"{reply}/regenerate", "As before")
    await send("POST", f"{reply}/regenerate", "More thoroughly", plan="thorough", stream=True)
    follow_up = {"question": "And for storm damage?", "stream": True}
    await send("POST", f"{here}/messages", "A follow-up, as a stream", **follow_up)
    await send("PATCH", question, "Another question", **follow_up)
    await send("PATCH", here, "Attached documents alone", document_mode="only")
    for conversation in (begun, attached):
        await http.delete(f"/v1/conversations/{conversation['conversation_id']}")


async def share(recorder: Recorder, library: Library) -> None:
    """Share by links, on a server that asks everybody who they are."""
    rights = ["read", "write", "administer"]
    made = await library.http.post("/v1/keys", json={"name": "ops", "rights": rights})
    own = {"Authorization": f"Bearer {made.json()['secret']}"}
    within = settings_from(
        library.settings, {"identity": "keys", "public_url": "https://footnote.example.com"}
    )
    async with served(within) as http:

        async def shared(summary: str, **body: Any) -> dict[str, str]:
            link = await recorder(http, "POST", "/v1/share-links", summary, json=body, headers=own)
            return {"Authorization": f"Bearer {link['token']}"}

        begun = await http.post("/v1/conversations", json={}, headers=own)
        talk = begun.json()["conversation_id"]
        await http.post(
            f"/v1/conversations/{talk}/messages", json={"question": QUESTION}, headers=own
        )
        guest = await shared("A conversation, for a week", conversation_id=talk)
        await recorder(http, "GET", "/v1/shared", headers=guest)
        await shared("A collection, for two days", collection="insurance", expires_in_hours=48)
        await recorder(http, "GET", "/v1/share-links", headers=own)
        await http.delete(f"/v1/conversations/{talk}", headers=own)
    await library.http.delete(f"/v1/keys/{made.json()['key_id']}")


def two_runs() -> Iterator[NewEvaluationRun]:
    """A golden set that was asked twice; another setup answers one question more."""
    for setup, verdict, right in (("default", "refused", 0.0), ("thorough", "right", 1.0)):
        told = QuestionOutcome(
            id="deadline",
            question=QUESTION,
            kind="fact",
            verdict=verdict,
            confidence=0.9,
            measures={"ndcg": (1.0, 1.0), "right": (right, 1.0)},
        )
        yield NewEvaluationRun(
            golden_name="golden.jsonl",
            golden="5f2c8a0e9b1d4c37",
            setup=setup,
            k=10,
            figures={"ndcg@10": 1.0, "right": right, "refused": None},
            outcomes=(told,),
        )


async def write(recorder: Recorder, http: httpx.AsyncClient, settings: Settings) -> None:
    """Change things, on a server that can reach this computer and a scripted model."""

    async def send(method: str, path: str, summary: str, **body: Any) -> Any:
        return await recorder(http, method, path, summary, json=body)

    received = await recorder(
        http,
        "POST",
        "/v1/documents",
        "A file",
        data={
            "collection": POLICY.collection,
            "external_id": "policies/POL-88213-X",
            "metadata": '{"year": 2025, "signed": true}',
            "tags": list(POLICY.tags),
        },
        files={"file": (POLICY.filename, POLICY.text.encode())},
    )
    document = f"/v1/documents/{received['document_id']}"
    await recorder(http, "POST", f"{document}/retry")
    await send("PUT", "/v1/grants", "A role in a collection", **CREW, collection="insurance")
    await send("PUT", "/v1/grants", "A role in the workspace", subject="ann", role="writer")
    await recorder(http, "GET", "/v1/grants")
    await send("PUT", f"{document}/access", "Its owner and a group", **SHARED)
    change = {"tags": ["household"], "metadata": {"year": 2026, "signed": None}}
    await send("PATCH", document, "Tags, and two members of the metadata", **change)
    await recorder(http, "GET", f"{document}/versions")
    await recorder(http, "GET", f"{document}/access")
    await recorder(http, "GET", f"{document}/access/explanation?principal=ann&group=crew")
    await send("POST", "/v1/webhooks", "All events", url=f"{HERE}/footnote")
    await recorder(http, "GET", "/v1/webhooks")
    await send(
        "POST", "/v1/webhooks", "Failures", url=f"{HERE}/failures", events=["document.failed"]
    )
    async with footnote.open(settings) as engine:
        workspace = await engine.workspace()
        await footnote.work_until_resting(engine, workspace, [UUID(received["document_id"])])
        runs = [await workspace.keep_evaluation(each) for each in two_runs()]
        await workspace.change_setting("facts", "rules")
        await extract_fact_slice(workspace.engine, workspace.workspace_id)
        [fact, *_] = (await workspace.facts()).facts
        await workspace.unset_setting("facts")
        await workspace.change_setting("summaries", "rules")
        await summarise_slice(workspace.engine, workspace.workspace_id)
        await workspace.unset_setting("summaries")
        others = [
            await workspace.receive(
                f"# Policy {each}\n\nIt covers {each}.\n".encode(), f"{each}.md"
            )
            for each in ("travel", "liability")
        ]
        ids = [each.document.document_id for each in others]
        await footnote.work_until_resting(engine, workspace, ids)
        async with workspace.system_scope() as scope:
            lane = await current_lane(scope, engine.lane.name)
            assert lane is not None
            cluster_id = await keep_one_cluster(scope, lane[0], "insurance")
        await workspace.change_setting("entities", "rules")
        await extract_entity_slice(workspace.engine, workspace.workspace_id)
        await workspace.unset_setting("entities")
        named = (await workspace.entities(limit=200)).entities
        [entity, other, *_] = sorted(named, key=lambda each: each.name)
    one = f"/v1/entities/{entity.entity_id}"
    await recorder(http, "GET", f"/v1/entities?query={entity.name}&limit=1")
    await recorder(http, "GET", "/v1/entities/progress")
    await recorder(http, "GET", "/v1/graph?limit=4")
    await recorder(http, "GET", "/v1/graph?limit=1&format=graphml")
    await recorder(http, "GET", "/v1/graph?limit=1&format=json-ld")
    await recorder(http, "GET", one)
    await recorder(http, "GET", f"{one}/mentions?limit=1")
    await send("PATCH", one, "A name", name="The library")
    merge = {"other_id": str(other.entity_id)}
    await send("POST", f"{one}/merge", "Another name of the same", **merge)
    await send("POST", f"{one}/split", "Names of another", names=[other.name])
    decisions = (await recorder(http, "GET", f"{one}/decisions"))["decisions"]
    await recorder(http, "POST", f"/v1/entities/decisions/{decisions[0]['decision_id']}/undo")
    await recorder(http, "GET", "/v1/facts?limit=1")
    await recorder(http, "GET", "/v1/facts/progress")
    await recorder(http, "GET", f"/v1/facts/{fact.fact_id}")
    recalled = {"query": "How long is the notice?", "limit": 1}
    await send("POST", "/v1/facts/recall", "A question", **recalled)
    await send("PATCH", f"/v1/facts/{fact.fact_id}", "It is right", status="confirmed")
    await recorder(http, "GET", "/v1/facts/conflicts")
    await recorder(http, "GET", f"{document}/fact-changes")
    await recorder(http, "GET", "/v1/clusters?granularity=fine&limit=1")
    await recorder(http, "GET", "/v1/clusters/progress")
    await recorder(http, "GET", f"/v1/summaries?document_id={received['document_id']}&sentences=2")
    await recorder(http, "GET", "/v1/summaries/progress")
    await recorder(http, "GET", "/v1/backfill")
    await send("POST", "/v1/backfill/pause", "Some kinds", kinds=["facts", "clusters"])
    await send("POST", "/v1/backfill/resume", "All kinds")
    await send("POST", "/v1/backfill", "All kinds")
    await recorder(http, "GET", f"/v1/clusters/{cluster_id}?limit=2")
    await recorder(http, "GET", "/v1/evaluations")
    await recorder(http, "GET", f"/v1/evaluations/{runs[0].run_id}")
    a, b = (each.run_id for each in runs)
    await recorder(http, "GET", f"/v1/evaluations/comparison?a={a}&b={b}")
    asked = {"id": "notice", "question": "How long is the notice?", "answerable": False}
    started = await send(
        "POST", "/v1/evaluations", "A golden set", lines=json.dumps(asked), name="notices.jsonl"
    )
    one = f"/v1/evaluations/started/{started['run_id']}"
    await recorder(http, "GET", one)
    await recorder(http, "POST", f"{one}/cancel")
    await recorder(http, "GET", "/v1/evaluations/started")
    again = await send(
        "POST", "/v1/evaluations", "The same again", golden=started["golden"], plan="fast", k=5
    )
    await http.post(f"/v1/evaluations/started/{again['run_id']}/cancel")

    place = settings.source_places.rpartition(", ")[2]
    await send("POST", "/v1/sources/check", "A folder", place=place)
    followed = await send("POST", "/v1/sources", "A folder, daily", place=place, every_minutes=1440)
    await recorder(http, "GET", "/v1/sources")
    source = f"/v1/sources/{followed['source_id']}"
    await recorder(http, "GET", source)
    await recorder(http, "POST", f"{source}/run")
    await recorder(http, "POST", f"{source}/pause")
    await http.delete(source)

    reembed = "/v1/lanes/document/reembed"
    await send("POST", reembed, "Another model", model=OTHER_MODEL)
    await http.delete(reembed)
    await send("POST", reembed, "Not too fast", model=OTHER_MODEL, texts_per_second=20)
    await http.delete(reembed)
    await send("POST", "/v1/lanes/purge", "Those that are not kept any longer")
    await send("POST", "/v1/lanes/purge", "All but the current one", at_once=True)

    reading = {"name": "sales-search", "collections": ["sales"], "expires_in_days": 90}
    made = await send("POST", "/v1/keys", "For searches of a collection", **reading)
    await send("POST", "/v1/keys", "To take files in", name="in", rights=["read", "write"])
    rotate = f"/v1/keys/{made['key_id']}/rotate"
    await send("POST", rotate, "Both valid for two days", overlap_hours=48)
    await recorder(http, "GET", "/v1/keys")

    await send("POST", "/v1/agent", "A question", question=QUESTION)
    await send("POST", "/v1/agent", "As a stream", question=QUESTION, stream=True)
    await send("PUT", "/v1/models", "One of the configured models", use=["ollama:llama3.2"])
    chain = ["openai:gpt-5-mini", "ollama:llama3.2"]
    await send("PUT", "/v1/models", "Several, each asked when those before failed", use=chain)
    await send("PUT", "/v1/models", "No model: answers are quotes", use=["extractive"])
    await recorder(http, "DELETE", "/v1/models")
    await send(
        "POST",
        "/v1/mcp-servers",
        "A server that wants a key",
        name="tickets",
        url=f"{HERE}/mcp",
        headers={"Authorization": "Bearer secret"},
    )
    await recorder(http, "GET", "/v1/mcp-servers")

    log = {"filename": "log.txt", "metadata": {"year": 2025}}
    await send("POST", "/v1/ingest", "A text", **log, text="The anchor was lifted at noon.")
    await send("POST", "/v1/ingest", "A small file", **log, content="VGhlIGFuY2hvci4=")
    address = f"{HERE}/policy.pdf"
    await send("POST", "/v1/ingest", "An address to fetch", url=address, collection="insurance")
    uploaded = signed(
        {
            "document_id": "POL-88213-X",
            "filename": "policy.pdf",
            "url": f"{HERE}/policy.pdf?token=abc",
            "project_id": "insurance",
            "file_size": 48213,
            "content_type": "application/pdf",
            "upload_date": "2025-05-02T09:30:00Z",
            "metadata": {"year": 2025},
        }
    )
    await recorder(http, "POST", "/v1/webhooks/document-uploaded", "A document", **uploaded)
    target = {"document_id": document.rpartition("/")[2]}
    erased = await recorder(http, "POST", "/v1/erasures", "A document", json=target)
    ledger = await recorder(http, "GET", "/v1/erasures")
    held = {"certificate": erased}
    await recorder(http, "POST", "/v1/erasures/verify", "As it was given", json=held)
    await recorder(http, "POST", "/v1/erasures/replay", "Of the ledger", json=ledger)


def of_records() -> dict[str, dict[str, object]]:
    """What takes a worker, a renderer or another server to be answered."""
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
    due = DueDocument(
        document_id=UUID(int=1),
        filename="cv-ann-smith.pdf",
        collection="applicants",
        handed_in_at=NOON,
        due_at=NOON,
    )
    preview = RetentionPreview(
        until=NOON,
        documents=(due,),
        document_count=1,
        held_count=0,
        conversation_count=0,
        query_count=12,
        push_count=0,
    )
    records = [
        preview,
        RetentionRun(documents=1, conversations=0, queries=12, pushes=0),
        reembedding,
        status,
        PageWithQuotes.from_domain(page),
        PagesOfQuote(page_count=6, pages=(3,)),
        Delivery(delivered=True),
    ]
    return {type(each).__name__: tidy(object_of(each), {}) for each in records}


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
    elif place.endswith("text/event-stream"):
        named = [re.findall("^event: .*", each, re.MULTILINE) for each in (recorded, now)]
        assert named[0] == named[1], place
    elif not isinstance(recorded, float) and place.rpartition(".")[2] != "detail":
        assert recorded == now, place


@pytest.mark.usefixtures("within_one_day")
async def test_the_examples_are_what_a_server_answers(
    library: Library,
    settings: Settings,
    closed: httpx.AsyncClient,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(_SHOWN_AS, str(tmp_path), "/srv/documents")
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "terms.md").write_text("The notice period is three months.")
    recorder = Recorder()
    await search_and_ask(recorder, library)
    await chat(recorder, library.http)
    await converse(recorder, library)
    await share(recorder, library)
    await recorder(closed, "GET", "/health")
    await recorder(library.http, "GET", "/v1/identity")
    with WireServer(respond=looks_up_then_answers) as model:
        within = settings_from(
            settings,
            {
                "allow_private_urls": True,
                "source_places": f"folder:{tmp_path}/{{workspace}}, folder:{tmp_path}/acme",
                "webhook_secret": SecretStr(SECRET),
                "embedding_models": f"testing:old#256,{OTHER_MODEL}",
                "answer_models": ",".join(f"{name}@{model.openai_url}" for name in MODEL_NAMES),
            },
        )
        async with served(within) as http:
            await write(recorder, http, within)
    now = {"requests": recorder.requests, "responses": recorder.responses | of_records()}
    if "FOOTNOTE_RECORD" in os.environ:
        text = json.dumps(now, indent=1, ensure_ascii=False, sort_keys=True)
        FILE.write_text(f"{text}\n", "utf-8")
        return
    assert_alike(RECORDED["requests"], now["requests"], "")
    assert_alike(RECORDED["responses"], now["responses"], "")


JSON_ANSWERS = [name for name, each in RECORDED["responses"].items() if not isinstance(each, str)]


@pytest.mark.parametrize("name", [name for name in JSON_ANSWERS if "/" not in name])
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
