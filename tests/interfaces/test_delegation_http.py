"""A backend of the customer's decides who sees which collection, over real HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

import httpx
import pytest

from footnote.domain import Role
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import UnsupportedSettings
from footnote.jobs.inline import work_until_resting
from footnote.security import delegation
from footnote.settings import Settings, settings_from
from tests.interfaces.conftest import but_for_ids
from tests.interfaces.serving import served

PROJECT = "harbour 7/a"
TEXT = "The lighthouse keeper of {} earns EUR 4,100."


@dataclass
class Backend:
    """Answers for projects as it is told, and keeps what it was asked."""

    url: str = ""
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    hangs: threading.Event = field(default_factory=threading.Event)

    def admit(self, path: str, status: int = 200, body: object = None) -> None:
        said = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        self.answers[path] = (status, said)


@pytest.fixture
def backend() -> Iterator[Backend]:
    found = Backend()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
            status, body = found.answers.get(self.path, (404, b"{}"))
            if status == 0:
                found.hangs.wait()
                return
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield found
    found.hangs.set()
    server.shutdown()
    thread.join()
    server.server_close()


@dataclass
class Front:
    """A server behind a gateway, asked as somebody whom the gateway names."""

    http: httpx.AsyncClient
    key: str
    backend: Backend
    chunks: dict[str, str]

    async def post(self, path: str, user: str = "ann", role: str = "customer", **more: Any) -> Any:
        collections = more.pop("about", None)
        headers = {
            "Authorization": f"Bearer {self.key}",
            "X-User-Id": user,
            "X-User-Role": role,
            **({} if collections is None else {"Footnote-Collections": collections}),
        }
        return await self.http.post(path, json=more, headers=headers)

    async def search(self, project: str = PROJECT, **more: Any) -> Any:
        user = more.get("user", "ann")
        return await self.post(
            "/search", query="lighthouse keeper", project_id=project, user_id=user, **more
        )


@pytest.fixture
async def front(
    settings: Settings,
    engine: Engine,
    workspace: WorkspaceEngine,
    backend: Backend,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Front]:
    monkeypatch.setattr(delegation, "ANSWER_SECONDS", 60.0)  # a busy machine takes its time
    ids = {}
    for name in (PROJECT, "other"):
        received = await workspace.receive(TEXT.format(name).encode(), "pay.txt", collection=name)
        ids[name] = received.document.document_id
    await work_until_resting(engine, workspace, [*ids.values()], lambda _: None)
    chunks = {name: f"{document_id}:1:0" for name, document_id in ids.items()}
    key = await workspace.create_key("kong", rights=["read", "write", "administer"])
    within = settings_from(
        settings,
        {
            "identity": "keys,gateway",
            "gateway": {
                "addresses": "127.0.0.1",
                "roles": {"customer": "reader", "auditor": "reader"},
            },
            "backend_url": backend.url,
            "backend_options": {"remember_seconds": 60},
        },
    )
    async with served(within) as http:
        yield Front(http=http, key=key.secret, backend=backend, chunks=chunks)


CUSTOMER = "/api/customer/projects/harbour%207%2Fa"


async def test_whom_the_backend_admits_sees_that_project_alone(front: Front) -> None:
    front.backend.admit(CUSTOMER, body={"id": PROJECT})
    found = (await front.search()).json()
    assert [each["chunk_id"] for each in found["results"]] == [front.chunks[PROJECT]]
    path, headers = front.backend.asked[0]
    assert path == CUSTOMER
    assert headers["authorization"] == f"Bearer {front.key}"
    assert (headers["x-user-id"], headers["x-user-role"]) == ("ann", "customer")
    assert (await front.search("other")).status_code == 403


async def test_a_yes_is_believed_for_a_while_of_that_caller_alone(front: Front) -> None:
    front.backend.admit(CUSTOMER)
    assert (await front.search()).status_code == 200
    front.backend.admit(CUSTOMER, 403)
    assert (await front.search()).status_code == 200
    assert (await front.search(user="eve")).status_code == 403
    assert (await front.search(role="auditor")).status_code == 403
    front.backend.admit(CUSTOMER)  # a no is not believed for a moment longer
    assert (await front.search(user="eve")).status_code == 200


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (403, {}),
        (404, {}),
        (500, {}),
        (204, b""),
        (302, {}),
        (200, b"<html>log in</html>"),
        (200, b"[]"),
        (200, {"id": "another"}),
        (200, b"{" + b" " * 2_000_000 + b"}"),
        (0, b""),
    ],
    ids=str,
)
async def test_any_doubt_denies(
    front: Front, status: int, body: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not status:
        monkeypatch.setattr(delegation, "ANSWER_SECONDS", 0.2)
    front.backend.admit(CUSTOMER, status, body)
    front.backend.admit("/elsewhere")
    denied = await front.search()
    assert denied.status_code == 403
    assert "keeper" not in denied.text


async def test_a_backend_that_is_gone_denies(front: Front, backend: Backend) -> None:
    unknown = await front.search(role="stranger")
    assert unknown.status_code == 401
    absent = await front.search("nothing of this name")
    front.backend.admit("/api/customer/projects/other", 500)
    hidden = await front.search("other")
    assert absent.status_code == hidden.status_code == 403
    said = absent.text.replace("nothing of this name", "…"), hidden.text.replace("other", "…")
    assert said[0] == said[1]


async def test_a_chunk_is_read_by_whom_its_project_is_open_to(front: Front) -> None:
    front.backend.admit(CUSTOMER)

    async def read(chunk: str) -> httpx.Response:
        answer: httpx.Response = await front.post("/context", chunk_id=chunk, user_id="ann")
        return answer

    assert PROJECT in (await read(front.chunks[PROJECT])).json()["chunk"]["text"]
    hidden, absent = await read(front.chunks["other"]), await read(f"{UUID(int=0)}:1:0")
    assert hidden.status_code == absent.status_code == 404
    assert but_for_ids(hidden) == but_for_ids(absent)


async def test_other_routes_are_about_the_collections_that_a_header_names(front: Front) -> None:
    front.backend.admit(CUSTOMER)
    asked: dict[str, Any] = {"query": "lighthouse keeper"}
    found = await front.post("/v1/search", about="harbour%207%2Fa", **asked)
    assert [each["chunk_id"] for each in found.json()["evidence"]] == [front.chunks[PROJECT]]
    assert (
        await front.post("/v1/search", about="harbour%207%2Fa, other", **asked)
    ).status_code == 403
    assert (await front.post("/v1/search", **asked)).status_code == 404


async def test_a_grant_of_the_workspace_counts_as_ever(
    front: Front, workspace: WorkspaceEngine
) -> None:
    await workspace.grant_role("ann", Role.READER, collection="other")
    found = await front.post("/v1/search", query="lighthouse keeper")
    assert [each["chunk_id"] for each in found.json()["evidence"]] == [front.chunks["other"]]


@pytest.mark.parametrize(
    "paths", [[], 1, {"customer": "projects/{id}"}, {"customer": "/projects"}], ids=str
)
async def test_paths_that_cannot_be_asked_are_refused(settings: Settings, paths: object) -> None:
    given = {"identity": "keys", "backend_url": "http://127.0.0.1:1"}
    with pytest.raises(UnsupportedSettings, match="backend_options"):
        settings_from(settings, {**given, "backend_options": {"paths": paths}})
