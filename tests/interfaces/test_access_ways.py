"""Roles and visibility over HTTP, by the client and by commands."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

import footnote
from footnote.domain import Role, Visibility
from footnote.settings import Settings
from tests.interfaces.serving import environment, served
from tests.interfaces.serving import footnote as command

PAPER = b"The keeper of the lighthouse earns EUR 4,100."


@pytest.fixture
async def http(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A server over the test's database."""
    async with served(settings) as client:
        yield client


async def uploaded(http: httpx.AsyncClient, **fields: object) -> httpx.Response:
    return await http.post("/v1/documents", files={"file": ("pay.txt", PAPER)}, data=fields)


async def test_an_upload_says_who_sees_it(http: httpx.AsyncClient) -> None:
    made = await uploaded(http, visibility="private", shared_with=["ann", "group:crew"])
    assert made.status_code == 202
    assert made.json()["visibility"] == "private"
    path = f"/v1/documents/{made.json()['document_id']}/access"
    assert (await http.get(path)).json() == {
        "document_id": made.json()["document_id"],
        "collection": "default",
        "visibility": "private",
        "owner": "local",
        "shared_with": ["ann", "group:crew"],
    }
    changed = await http.put(path, json={"visibility": "workspace"})
    assert (changed.json()["visibility"], changed.json()["shared_with"]) == ("workspace", [])


@pytest.mark.parametrize(
    "fields",
    [
        {"visibility": "secret"},
        {"visibility": "workspace", "shared_with": ["ann"]},
        {"shared_with": ["*"]},
        {"shared_with": ["group:"]},
        {"shared_with": ["collection:hr"]},
    ],
    ids=str,
)
async def test_an_upload_with_a_wrong_word_is_refused_and_not_kept(
    http: httpx.AsyncClient, fields: dict[str, object]
) -> None:
    refused = await uploaded(http, **fields)
    assert refused.status_code == 422
    assert refused.json()["type"].endswith("invalid-request")
    assert (await http.get("/v1/documents")).json()["documents"] == []


async def test_a_role_is_granted_listed_and_revoked(http: httpx.AsyncClient) -> None:
    wanted = {"subject": "group:a/b c", "role": "writer", "collection": "hr"}
    made = (await http.put("/v1/grants", json=wanted)).json()
    assert {**made, **wanted} == made
    assert (await http.get("/v1/grants")).json()["grants"] == [made]
    for status in (204, 404):
        gone = await http.delete(
            "/v1/grants", params={"subject": wanted["subject"], "collection": "hr"}
        )
        assert gone.status_code == status


async def test_the_client_has_the_same_words(http: httpx.AsyncClient) -> None:
    async with footnote.AsyncClient(str(http.base_url)) as client:
        received = await client.receive(PAPER, "pay.txt", shared_with=["ann"])
        document_id = received.document.document_id
        assert received.document.visibility is Visibility.PRIVATE
        granted = await client.grant_role("ann", Role.READER)
        assert await client.grants() == (granted,)
        told = await client.explain_access(document_id, "ann", groups=["crew"])
        assert (told.visible, told.role) == (True, Role.READER)
        await client.revoke_role("ann")
        assert not (await client.explain_access(document_id, "ann")).visible
        shown = await client.set_document_access(document_id, Visibility.COLLECTION)
        assert shown == await client.document_access(document_id)


async def test_commands_grant_share_and_explain(settings: Settings, tmp_path: Path) -> None:
    paper = tmp_path / "pay.txt"
    paper.write_bytes(PAPER)
    env = environment(settings)

    async def run(*words: str) -> str:
        ended = await command(env, *words)
        assert ended.code == 0, ended.err
        return ended.out

    sharing = ("--visibility", "private", "--share-with", "group:crew")
    await run("ingest", str(paper), "--no-wait", *sharing)
    assert "ann is reader in the workspace." in await run("access", "grant", "ann", "reader")
    assert json.loads(await run("access", "list", "--json"))["grants"][0]["subject"] == "ann"
    shown = json.loads(await run("access", "show", "pay.txt", "--json"))
    assert shown["shared_with"] == ["group:crew"]
    assert "ann does not see" in await run("access", "explain", "pay.txt", "ann")
    assert "group:crew" in await run("access", "explain", "pay.txt", "ann", "--group", "crew")
    changed = await run("access", "set", "pay.txt", "private", "--share-with", "ann")
    assert "shared with ann" in changed
    assert "is on its access list" in await run("access", "explain", "pay.txt", "ann")
    await run("access", "grant", "ann", "writer", "--collection", "notes")
    there = await run("access", "revoke", "ann", "--collection", "notes")
    assert there == "ann has no role in the collection notes any more.\n"
    assert await run("access", "revoke", "ann") == "ann has no role in the workspace any more.\n"
    assert (await command(env, "access", "revoke", "ann")).code == 3
