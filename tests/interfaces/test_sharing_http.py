"""Share links over real HTTP: what each shows to whoever has it, what it does not, and its end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

import httpx
import httpx2
import psycopg
import pytest
import structlog
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

import footnote as sdk
from footnote.domain import Identity, Principal, Role, Visibility
from footnote.domain.credentials import Presented
from footnote.engine import Engine, WorkspaceEngine
from footnote.engine.exchanges import Asking
from footnote.errors import InvalidRequest, NotAuthenticated, NotFound
from footnote.interfaces.http.web_app import PAGES
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import environment, footnote, served
from tests.interfaces.test_keys_http import OPEN, PARAMETERS, bearer, every_route
from tests.interfaces.test_refusals import assert_problem

QUESTION = "When is the lighthouse keeper paid?"
PAPERS = {
    "sales.txt": ("sales", "The lighthouse keeper of the sales pier is paid on Friday.", None),
    "board.txt": ("board", "The lighthouse keeper of the board pier is paid on Monday.", None),
    "diary.txt": (
        "sales",
        "The lighthouse keeper of the private pier is paid on Sunday.",
        Visibility.PRIVATE,
    ),
}
MCP = {"Accept": "application/json, text/event-stream"}
USER = "urn:ietf:params:scim:schemas:core:2.0:User"
EXPIRE = "UPDATE footnote.share_links SET expires_at = now() - interval '1 second'"


@dataclass(frozen=True, slots=True)
class Harbour:
    """A server that asks who everybody is, over documents of two collections and a private one."""

    settings: Settings
    http: httpx.AsyncClient
    workspace: WorkspaceEngine
    ids: dict[str, str]
    admin: dict[str, str]
    """What an administrator sends."""

    async def shared(self, sharer: dict[str, str] | None = None, **wanted: Any) -> dict[str, Any]:
        made = await self.http.post(
            "/v1/share-links", json=wanted, headers=self.admin if sharer is None else sharer
        )
        assert made.status_code == 201, made.text
        found: dict[str, Any] = made.json()
        return found

    async def guest(self, **wanted: Any) -> dict[str, str]:
        return bearer((await self.shared(**wanted))["token"])

    async def key(self, name: str, *rights: str) -> dict[str, str]:
        return bearer(await self.workspace.create_key(name, rights=rights or ("read",)))

    async def talk(self, sender: dict[str, str], question: str = QUESTION) -> tuple[str, Any]:
        begun = await self.http.post("/v1/conversations", json={}, headers=sender)
        here = begun.json()["conversation_id"]
        path = f"/v1/conversations/{here}/messages"
        asked = await self.http.post(path, json={"question": question}, headers=sender)
        assert asked.status_code == 200, asked.text
        return here, asked.json()


@pytest.fixture
async def harbour(
    settings: Settings, engine: Engine, workspace: WorkspaceEngine
) -> AsyncIterator[Harbour]:
    ids = {}
    for name, (collection, text, visibility) in PAPERS.items():
        received = await workspace.receive(
            text.encode(), name, collection=collection, visibility=visibility
        )
        ids[name] = str(received.document.document_id)
    await sdk.work_until_resting(engine, workspace, [UUID(each) for each in ids.values()])
    admin = await workspace.create_key("admin", rights=("read", "write", "administer"))
    within = settings_from(settings, {"identity": "keys,scim"})
    async with served(within) as http:
        yield Harbour(within, http, workspace, ids, bearer(admin))


async def test_a_collection_link_shows_what_its_reader_sees(harbour: Harbour) -> None:
    made = await harbour.shared(collection="sales", expires_in_hours=2)
    assert (made["collection"], made["conversation_id"], made["url"]) == ("sales", None, None)
    http, guest = harbour.http, bearer(made["token"])
    shown = (await http.get("/v1/shared", headers=guest)).json()
    assert shown == {
        "link_id": made["link_id"],
        "collection": "sales",
        "conversation": None,
        "expires_at": made["expires_at"],
    }
    who = (await http.get("/v1/identity", headers=guest)).json()
    assert who == {
        "workspace": "default",
        "principal": f"service:link {made['link_id']}",
        "groups": [],
        "role": None,
        "collections": {"sales": "reader"},
        "rights": ["read"],
        "credential": f"link:{made['link_id']}",
    }
    listed = (await http.get("/v1/documents", headers=guest)).json()["documents"]
    assert [each["filename"] for each in listed] == ["sales.txt"]
    found = await http.post("/v1/search", json={"query": "lighthouse keeper"}, headers=guest)
    assert [each["filename"] for each in found.json()["evidence"]] == ["sales.txt"]
    answer = await http.post("/v1/answers", json={"question": QUESTION}, headers=guest)
    assert "Friday" in answer.text
    assert "Sunday" not in answer.text
    assert "Monday" not in answer.text
    for name, status in (("sales.txt", 200), ("board.txt", 404), ("diary.txt", 404)):
        for path in ("", "/content"):
            read = await http.get(f"/v1/documents/{harbour.ids[name]}{path}", headers=guest)
            assert read.status_code == status, (name, path)
        shared = await http.get(f"/v1/documents/{harbour.ids[name]}/access", headers=guest)
        assert shared.status_code == (403 if status == 200 else 404)


async def test_a_collection_link_reads_and_no_more(harbour: Harbour) -> None:
    http, guest = harbour.http, await harbour.guest(collection="sales")
    refused = await http.post("/v1/conversations", json={}, headers=guest)
    assert_problem(refused, 403, "forbidden")
    assert "key of your own" in refused.json()["hint"]
    refusals = [
        await http.post("/v1/documents", files={"file": ("a.txt", b"x")}, headers=guest),
        await http.delete(f"/v1/documents/{harbour.ids['sales.txt']}", headers=guest),
        await http.post("/v1/agent", json={"question": QUESTION}, headers=guest),
        await http.post("/v1/keys", json={"name": "more"}, headers=guest),
        await http.post("/v1/share-links", json={"collection": "sales"}, headers=guest),
        await http.put("/v1/grants", json={"subject": "ann", "role": "reader"}, headers=guest),
        await http.get("/v1/audit", headers=guest),
        await http.get("/v1/config", headers=guest),
        await http.get("/v1/config/history", headers=guest),
    ]
    assert [each.status_code for each in refusals] == [403] * len(refusals)
    own = (await http.get("/v1/share-links", headers=guest)).json()
    assert own == {"share_links": []}
    assert (await http.get("/v1/conversations", headers=guest)).json()["conversations"] == []


async def test_chat_and_mcp_see_the_collection_alone(harbour: Harbour) -> None:
    guest = await harbour.guest(collection="sales")
    chat = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}
    said = await harbour.http.post("/v1/chat/completions", json=chat, headers=guest)
    assert said.status_code == 200
    assert "Friday" in said.text
    assert "Monday" not in said.text
    found = await called_over_mcp(harbour, guest, "search_documents", query="lighthouse keeper")
    assert "Friday" in found
    assert "Monday" not in found
    assert "Sunday" not in found
    saved = await called_over_mcp(harbour, guest, "create_document", title="t", content="c")
    assert "may not be used to write" in saved


async def called_over_mcp(
    harbour: Harbour, headers: dict[str, str], tool: str, **arguments: Any
) -> str:
    address = f"{harbour.http.base_url}/mcp".replace("//mcp", "/mcp")
    async with (
        httpx2.AsyncClient(headers=headers, timeout=600) as http,
        streamable_http_client(address, http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        return str(await session.call_tool(tool, arguments))


async def test_a_conversation_link_shows_the_conversation_as_it_stands(harbour: Harbour) -> None:
    http = harbour.http
    ann = await harbour.key("ann")
    here, exchange = await harbour.talk(ann)
    reply = f"/v1/conversations/{here}/messages/{exchange['reply']['message_id']}"
    judged = {"thumb": "down", "comment": "Hush."}
    await http.put(f"{reply}/feedback", json=judged, headers=ann)
    made = await harbour.shared(ann, conversation_id=here)
    guest = bearer(made["token"])

    shown = (await http.get("/v1/shared", headers=guest)).json()
    assert shown["collection"] is None
    assert shown["conversation"]["conversation"]["title"] == QUESTION
    question, answer = shown["conversation"]["messages"]
    assert question["text"] == QUESTION
    quoted = [each["quote"] for each in answer["answer"]["citations"]]
    assert quoted
    assert quoted == [each["quote"] for each in exchange["reply"]["answer"]["citations"]]
    assert answer["text"] == exchange["reply"]["text"]
    assert (answer["feedback"], answer["answer"]["evidence"]) == (None, [])
    assert "Hush" not in json.dumps(shown)

    again = await http.post(f"{reply}/regenerate", json={"plan": "fast"}, headers=ann)
    assert again.status_code == 200
    await http.post(
        f"/v1/conversations/{here}/messages", json={"question": "And on Monday?"}, headers=ann
    )
    later = (await http.get("/v1/shared", headers=guest)).json()["conversation"]["messages"]
    texts = [each["text"] for each in later if each["role"] == "user"]
    assert texts == [QUESTION, "And on Monday?"]
    assert exchange["reply"]["message_id"] not in {each["message_id"] for each in later}


APP = {each.split("/")[1] for each in PAGES} | {"", "assets", "widget.js"}


async def test_a_conversation_link_opens_nothing_else(harbour: Harbour) -> None:
    http, ann = harbour.http, await harbour.key("ann")
    here, _ = await harbour.talk(ann)
    other, _ = await harbour.talk(ann, "Who is paid on Monday?")
    guest = await harbour.guest(sharer=ann, conversation_id=here)
    open_to_all = {*OPEN, "/openapi.json", "/v1/shared", "/mcp", "/v1/logout"}
    signed = "/v1/webhooks/document-uploaded"  # which asks for its signature first
    for method, template in every_route(harbour.settings):
        path = template.replace(":path}", "}")
        for name in [part[1:-1] for part in path.split("/") if part.startswith("{")]:
            path = path.replace(f"{{{name}}}", PARAMETERS.get(name, here))
        if path not in open_to_all:
            answer = await http.request(method, path, headers=guest)
            expected = (401, 405) if path == signed else (400, 404, 405, 422)
            if not path.startswith(("/v1", "/stats")) and path.split("/")[1] in APP:
                expected = (200, 404, 405, 503)  # the app's page, which shows nothing by itself
            assert answer.status_code in expected, (method, path, answer.status_code)
    for path in (
        f"/v1/conversations/{here}",
        f"/v1/conversations/{here}/export",
        f"/v1/conversations/{other}",
        f"/v1/documents/{harbour.ids['sales.txt']}",
        "/v1/identity",
        "/stats",
    ):
        closed = await http.get(path, headers=guest)
        absent = await http.get(path, headers={**harbour.admin, "Footnote-Workspace": "default-"})
        assert_problem(closed, 404, "not-found")
        assert closed.text == absent.text.replace("default-", "default")
    chat = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}
    said = await http.post("/v1/chat/completions", json=chat, headers=guest)
    assert said.status_code == 404
    for method in ("tools/call", "resources/list"):
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": method,
            "params": {"name": "search_documents", "arguments": {"query": "lighthouse keeper"}}
            if method == "tools/call"
            else {},
        }
        told = await http.post("/mcp", json=message, headers={**guest, **MCP})
        assert "pier" not in told.text
        assert "there is no workspace 'default'" in told.text, told.text


async def test_only_ones_own_conversation_can_be_shared(harbour: Harbour) -> None:
    ann, bob = await harbour.key("ann"), await harbour.key("bob")
    here, _ = await harbour.talk(ann)
    for who in (bob, harbour.admin):
        refused = [
            await harbour.http.post("/v1/share-links", json={"conversation_id": each}, headers=who)
            for each in (here, str(uuid4()))
        ]
        for each in refused:
            assert_problem(each, 404, "not-found")
    refused_too = await harbour.http.post(
        "/v1/share-links", json={"collection": "sales"}, headers=ann
    )
    assert_problem(refused_too, 403, "forbidden")


async def test_what_is_deleted_is_shown_no_more(harbour: Harbour) -> None:
    http, ann = harbour.http, await harbour.key("ann")
    here, _ = await harbour.talk(ann)
    guest = await harbour.guest(sharer=ann, conversation_id=here)
    assert "Friday" in (await http.get("/v1/shared", headers=guest)).text
    for name in ("sales.txt", "board.txt"):
        gone = await http.delete(f"/v1/documents/{harbour.ids[name]}", headers=harbour.admin)
        assert gone.status_code == 204
    shown = await http.get("/v1/shared", headers=guest)
    assert shown.status_code == 200
    assert "Friday" not in shown.text
    assert "pier" not in shown.text
    assert (await http.delete(f"/v1/conversations/{here}", headers=ann)).status_code == 204
    assert_problem(await http.get("/v1/shared", headers=guest), 401, "not-authenticated")


async def test_a_link_shows_no_document_that_its_sharer_may_not_see_any_longer(
    harbour: Harbour,
) -> None:
    within = settings_from(harbour.settings, {"public_url": "https://docs.example.com/"})
    async with sdk.open(within) as engine:
        anna = Identity(principal=Principal(principal_id="anna", role=None))
        await harbour.workspace.grant_role("anna", Role.READER, collection="sales")
        inside = await engine.enter(None, anna)
        talk = await inside.create_conversation()
        await inside.ask_in_conversation(talk.conversation_id, Asking(question=QUESTION))
        made = await inside.share_conversation(talk.conversation_id)
        assert made.url == f"https://docs.example.com/shared#{made.token}"
        caller = await engine.caller(Presented(bearer=made.token))
        assert "Friday" in str(await engine.shared(caller))
        await harbour.workspace.revoke_role("anna", collection="sales")
        assert "Friday" not in str(await engine.shared(caller))
        # A role of the credential's own is not the workspace's to take back.
        employed = await engine.enter(None, replace(anna, role=Role.READER))
        lasting = await employed.share_conversation(talk.conversation_id)
        caller = await engine.caller(Presented(bearer=lasting.token))
        assert "Friday" in str(await engine.shared(caller))


async def test_a_conversation_of_somebody_who_is_switched_off_is_shown_no_more(
    harbour: Harbour,
) -> None:
    http = harbour.http
    anna = {"schemas": [USER], "userName": "anna", "active": True}
    made = await http.post("/scim/v2/Users", json=anna, headers=harbour.admin)
    assert made.status_code == 201, made.text
    hers = bearer(await harbour.workspace.create_key("hers", principal="anna"))
    here, _ = await harbour.talk(hers)
    link = await harbour.shared(hers, conversation_id=here)
    guest = bearer(link["token"])
    assert (await http.get("/v1/shared", headers=guest)).status_code == 200
    switched_off = {**anna, "active": False}
    path = f"/scim/v2/Users/{made.json()['id']}"
    changed = await http.put(path, json=switched_off, headers=harbour.admin)
    assert changed.status_code == 200, changed.text
    closed = await http.get("/v1/shared", headers=guest)
    unknown = await http.get("/v1/shared", headers=bearer("fl_"))
    assert_problem(closed, 401, "not-authenticated")
    assert closed.text == unknown.text


async def test_every_token_of_no_use_is_refused_alike(
    harbour: Harbour, superuser: psycopg.Connection
) -> None:
    http = harbour.http
    revoked, expired, one, other = [await harbour.shared(collection="sales") for _ in range(4)]
    for each in (revoked, expired, one):
        read = await http.get("/v1/shared", headers=bearer(each["token"]))
        assert read.status_code == 200
    path = f"/v1/share-links/{revoked['link_id']}"
    assert (await http.delete(path, headers=harbour.admin)).status_code == 204
    superuser.execute(f"{EXPIRE} WHERE credential_id = %s", [expired["link_id"]])
    mixed = "_".join([*one["token"].split("_")[:2], other["token"].split("_")[2]])
    last = "0" if one["token"][-1] != "0" else "1"
    tokens = [
        revoked["token"],
        expired["token"],
        mixed,
        f"{one['token'][:-1]}{last}",
        f"{one['token']}0",
        f"fl_{'0' * 16}_{'0' * 64}",
        "fl_",
        "fl_' OR 1=1 --_x",
    ]
    for path in ("/v1/shared", "/v1/documents"):
        refusals = [await http.get(path, headers=bearer(each)) for each in tokens]
        for refusal in refusals:
            assert_problem(refusal, 401, "not-authenticated")
        assert len({refusal.text for refusal in refusals}) == 1
        assert "whoever shared it" in refusals[0].json()["hint"]
    # What a link's secret proves, a key's does not, and the other way round.
    for kind in ("fn", "fs"):
        swapped = f"{kind}{one['token'][2:]}"
        assert (await http.get("/v1/shared", headers=bearer(swapped))).status_code == 401
    key = harbour.admin["Authorization"].removeprefix("Bearer fn")
    assert (await http.get("/v1/shared", headers=bearer(f"fl{key}"))).status_code == 401


async def test_a_link_is_managed_by_its_sharer_and_by_administrators(harbour: Harbour) -> None:
    http = harbour.http
    ann, bob = await harbour.key("ann"), await harbour.key("bob")
    sales = await harbour.key("clerk")
    await harbour.workspace.grant_role("service:clerk", Role.ADMIN, collection="sales")
    here, _ = await harbour.talk(ann)
    talk = await harbour.shared(ann, conversation_id=here)
    of_sales, of_board = [await harbour.shared(collection=name) for name in ("sales", "board")]

    async def listed(sender: dict[str, str]) -> set[str]:
        found = await http.get("/v1/share-links", headers=sender)
        assert "token" not in found.text
        return {each["link_id"] for each in found.json()["share_links"]}

    every = {each["link_id"] for each in (talk, of_sales, of_board)}
    assert await listed(harbour.admin) == every
    assert await listed(ann) == {talk["link_id"]}
    assert await listed(bob) == set()
    # The key may only read, whatever its owner's role.
    assert await listed(sales) == set()

    path = f"/v1/share-links/{talk['link_id']}"
    foreign = await http.delete(path, headers=bob)
    absent = await http.delete(f"/v1/share-links/{'0' * 16}", headers=bob)
    assert_problem(foreign, 404, "not-found")
    assert foreign.text == absent.text.replace("0" * 16, talk["link_id"])
    assert (await http.delete(path, headers=ann)).status_code == 204
    assert (await http.get("/v1/shared", headers=bearer(talk["token"]))).status_code == 401
    path = f"/v1/share-links/{of_sales['link_id']}"
    assert (await http.delete(path, headers=harbour.admin)).status_code == 204


async def test_an_administrator_of_a_collection_shares_it_and_no_other(harbour: Harbour) -> None:
    clerk = await harbour.key("clerk", "read", "administer")
    within = harbour.workspace
    own = await within.create_key("sales", rights=("read", "administer"), collections=("sales",))
    made = await harbour.shared(bearer(own), collection="sales")
    assert made["owner"].startswith("service:sales ")
    refused = await harbour.http.post(
        "/v1/share-links", json={"collection": "board"}, headers=bearer(own)
    )
    assert_problem(refused, 403, "forbidden")
    of_board = await harbour.shared(clerk, collection="board")
    seen = (await harbour.http.get("/v1/share-links", headers=bearer(own))).json()["share_links"]
    assert [each["link_id"] for each in seen] == [made["link_id"]]
    path = f"/v1/share-links/{of_board['link_id']}"
    assert_problem(await harbour.http.delete(path, headers=bearer(own)), 404, "not-found")


async def test_a_link_of_another_workspace_is_absent_and_opens_its_own(
    harbour: Harbour, engine: Engine
) -> None:
    await engine.create_workspace("acme")
    acme = await engine.workspace("acme")
    received = await acme.receive(b"The keel of Acme is red.", "keel.txt", collection="sales")
    await sdk.work_until_resting(engine, acme, [received.document.document_id])
    theirs = bearer(await acme.create_key("admin", rights=("read", "administer")))
    link = await harbour.shared(theirs, collection="sales")
    foreign, absent = [
        await harbour.http.delete(f"/v1/share-links/{each}", headers=harbour.admin)
        for each in (link["link_id"], "0" * 16)
    ]
    assert_problem(foreign, 404, "not-found")
    assert foreign.text.replace(link["link_id"], "0" * 16) == absent.text
    guest = bearer(link["token"])
    listed = (await harbour.http.get("/v1/documents", headers=guest)).json()["documents"]
    assert [each["filename"] for each in listed] == ["keel.txt"]
    for name in ("default", "none"):
        named = {**guest, "Footnote-Workspace": name}
        assert (await harbour.http.get("/v1/documents", headers=named)).status_code == 404


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"collection": "sales", "conversation_id": str(uuid4())},
        {"collection": "sales", "expires_in_hours": 0},
        {"collection": "sales", "expires_in_hours": 8761},
        {"collection": "sales", "expires_in_hours": None},
        {"collection": ""},
    ],
)
async def test_a_link_is_to_one_thing_and_ends(harbour: Harbour, wanted: dict[str, Any]) -> None:
    refused = await harbour.http.post("/v1/share-links", json=wanted, headers=harbour.admin)
    assert_problem(refused, 422, "invalid-request")


async def test_a_misspelt_collection_is_not_shared(harbour: Harbour) -> None:
    refused = await harbour.http.post(
        "/v1/share-links", json={"collection": "sale"}, headers=harbour.admin
    )
    assert_problem(refused, 404, "not-found")
    env = environment(harbour.settings, FOOTNOTE_IDENTITY="keys")
    assert "did you mean 'sales'?" in (await footnote(env, "share", "collection", "sale")).err


async def test_a_link_lives_a_week_and_its_opening_is_noted_once_a_minute(
    harbour: Harbour, superuser: psycopg.Connection
) -> None:
    made = await harbour.shared(collection="sales")
    assert made["opened_at"] is None

    async def opened() -> Any:
        await harbour.http.get("/v1/shared", headers=bearer(made["token"]))
        [found] = await harbour.workspace.share_links()
        assert (found.expires_at - found.created_at).days == 7
        return found.opened_at

    first = await opened()
    assert first is not None
    assert await opened() == first
    superuser.execute("UPDATE footnote.share_links SET opened_at = opened_at - interval '61 s'")
    assert await opened() > first


async def test_no_token_is_kept_or_logged(
    harbour: Harbour, superuser: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    with structlog.testing.capture_logs() as events:
        made = await harbour.shared(collection="sales")
        guest = bearer(made["token"])
        for path in ("/v1/shared", "/v1/documents"):
            assert (await harbour.http.get(path, headers=guest)).status_code == 200
        await harbour.http.get("/v1/shared", headers=bearer(f"{made['token'][:-1]}x"))
        with pytest.raises(NotFound, match="no id of a link") as refused:
            await harbour.workspace.revoke_share_link(made["token"])
    secret = made["token"].rpartition("_")[2]
    kept = superuser.execute("SELECT l::text FROM footnote.share_links l").fetchall()
    audited = superuser.execute("SELECT a::text FROM footnote.audit_log a").fetchall()
    assert any(made["link_id"] in row for (row,) in kept)
    assert any(f"link:{made['link_id']}" in row for (row,) in audited)
    assert any(f"fl_{made['link_id']}_…" in row for (row,) in audited)
    for place in (kept, audited, caplog.text, events, refused.value, repr(made["link_id"])):
        assert secret not in str(place)


async def test_what_a_guest_is_shown_is_audited(harbour: Harbour) -> None:
    ann = await harbour.key("ann")
    here, _ = await harbour.talk(ann)
    made = await harbour.shared(ann, conversation_id=here)
    await harbour.http.get("/v1/shared", headers=bearer(made["token"]))
    log = (await harbour.http.get("/v1/audit?limit=20", headers=harbour.admin)).json()["entries"]
    [shown] = [each for each in log if each["verb"] == "shared"]
    assert shown["credential"] == f"link:{made['link_id']}"
    assert shown["subject"] == {"conversation_id": here}
    assert shown["documents"]


async def test_neither_a_gateway_nor_a_backend_has_a_say_in_a_link(harbour: Harbour) -> None:
    within = settings_from(
        harbour.settings,
        {
            "identity": "tokens,gateway",
            "tokens": {
                "issuer": "https://issuer.example.com",
                "audience": "footnote",
                "jwks_url": "http://127.0.0.1:9/keys",
            },
            "gateway": {"addresses": "127.0.0.1"},
            "backend_url": "http://127.0.0.1:9",
        },
    )
    made = await harbour.shared(collection="sales")
    claims = {"X-User-Id": "root", "X-User-Role": "admin"}
    async with served(within) as http:
        sent = {**bearer(made["token"]), **claims}
        who = await http.get("/v1/identity", headers=sent)
        listed = await http.get(
            "/v1/documents", headers={**sent, "Footnote-Collections": "board,sales"}
        )
    assert [each["filename"] for each in listed.json()["documents"]] == ["sales.txt"]
    assert who.status_code == 200
    assert (who.json()["principal"], who.json()["role"]) == (
        f"service:link {made['link_id']}",
        None,
    )


async def test_the_client_shares_and_opens(harbour: Harbour) -> None:
    base_url = str(harbour.http.base_url)
    key = harbour.admin["Authorization"].removeprefix("Bearer ")
    async with sdk.AsyncClient(base_url, api_key=key) as client:
        made = await client.share_collection("sales", expires_in_hours=1)
        talk = await client.conversations.create()
        await client.conversations.ask(talk.conversation_id, QUESTION)
        told = await client.share_conversation(talk.conversation_id)
        assert await client.share_links() == (
            replace(made.link, opened_at=None),
            replace(told.link, opened_at=None),
        )
        with pytest.raises(InvalidRequest, match="is no link"):
            await client.shared()
        async with sdk.AsyncClient(base_url, api_key=told.token) as guest:
            shown = await guest.shared()
            assert shown.conversation is not None
            assert shown.conversation.messages[0].text == QUESTION
        await client.revoke_share_link(made.link.link_id)
    async with sdk.AsyncClient(base_url, api_key=made.token) as guest:
        with pytest.raises(NotAuthenticated):
            await guest.shared()


async def test_commands_share(harbour: Harbour) -> None:
    open_to_all = environment(harbour.settings)
    refused = await footnote(open_to_all, "share", "collection", "sales")
    assert refused.code == 2, refused
    assert "FOOTNOTE_IDENTITY" in refused.err
    public = {"FOOTNOTE_PUBLIC_URL": "https://docs.example.com"}
    env = environment(harbour.settings, FOOTNOTE_IDENTITY="keys")
    made = await footnote(env, "share", "collection", "sales", "--expires-in-hours", "2")
    assert made.code == 0, made.err
    token = made.out.strip()
    shown = await harbour.http.get("/v1/shared", headers=bearer(token))
    assert shown.json()["collection"] == "sales"
    talk = await harbour.workspace.create_conversation(title="Pay")
    told = await footnote(
        {**env, **public}, "share", "conversation", str(talk.conversation_id), "--json"
    )
    link = json.loads(told.out)
    assert link["url"] == f"https://docs.example.com/shared#{link['token']}"
    address = await footnote({**env, **public}, "share", "collection", "board")
    assert address.out.startswith("https://docs.example.com/shared#fl_")
    listed = await footnote(env, "share", "list")
    assert "collection sales" in listed.out
    assert token not in listed.out
    link_id = token.split("_")[1]
    revoked = await footnote(env, "share", "revoke", link_id)
    assert revoked.out == f"Revoked the link {link_id}.\n"
    assert "revoked" in (await footnote(env, "share", "list")).out
    assert (await harbour.http.get("/v1/shared", headers=bearer(token))).status_code == 401


async def test_without_identities_there_are_no_links(workspace: WorkspaceEngine) -> None:
    with pytest.raises(InvalidRequest, match="needs identities") as refused:
        await workspace.share_collection("sales")
    assert "FOOTNOTE_IDENTITY" in str(refused.value.hint)
