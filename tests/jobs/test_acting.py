"""Workers fetch and follow as whoever asked for it, with what that person may do now."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from footnote.domain import Identity, Principal, Role, Visibility
from footnote.domain.people import WantedUser
from footnote.domain.sources import NewSource, WorkspaceSource
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.errors import RateLimited
from footnote.jobs.fetch import FetchJob, fetch_pushed
from footnote.jobs.sources.running import FollowJob, follow_once
from footnote.settings import Settings, settings_from
from tests.jobs.web_server import Answer, Asked, WebServer, web_server

ANN, CREDENTIAL = "ann", "token:test"
OF_BEFORE = (
    "SET actor_groups = NULL, actor_role = NULL, actor_collections = NULL, actor_credential = NULL"
)


@pytest.fixture
async def engine(settings: Settings) -> AsyncIterator[Engine]:
    changed = {"allow_private_urls": True, "identity": "keys,scim", "requests_per_minute": 1}
    async with await open_engine(settings_from(settings, changed)) as opened:
        yield opened


@pytest.fixture
async def web() -> AsyncIterator[WebServer]:
    async def answering(_: Asked) -> Answer:
        return Answer(body=b"The new terms.", headers={"Content-Type": "text/plain"})

    async with web_server(answering) as server:
        yield server


async def entered(
    engine: Engine, *groups: str, role: Role | None = None, **more: Any
) -> WorkspaceEngine:
    """The default workspace as Ann, whom a token proved."""
    principal = Principal(principal_id=ANN, groups=groups)
    identity = Identity(principal=principal, role=role, credential=CREDENTIAL, **more)
    return await engine.enter(None, identity)


async def pushed(inside: WorkspaceEngine, web: WebServer, **more: Any) -> UUID:
    return (await inside.push_url(web.url("/terms.txt"), external_id="a", **more)).ingest_id


async def fetched(workspace: WorkspaceEngine, ingest_id: UUID) -> dict[str, Any]:
    """The row of a push once a worker has taken it up."""
    job = FetchJob(workspace_id=workspace.workspace_id, ingest_id=ingest_id, attempt=0)
    await fetch_pushed(workspace.engine, job)
    async with workspace.system_scope() as scope:
        return await scope.single("SELECT * FROM ingest_requests")


async def followed(workspace: WorkspaceEngine, source_id: UUID) -> WorkspaceSource:
    """A source once a worker has read it."""
    async with workspace.system_scope() as scope:
        row = await scope.single("SELECT job_id FROM workspace_sources")
    job = FollowJob(
        workspace_id=workspace.workspace_id,
        source_id=source_id,
        job_id=row["job_id"],
        attempt=0,
    )
    await follow_once(workspace.engine, job)
    return await workspace.workspace_source(source_id)


async def test_a_member_of_a_group_pushes_a_version_of_what_the_group_sees(
    engine: Engine, workspace: WorkspaceEngine, web: WebServer
) -> None:
    before = await workspace.receive(b"Terms.", "a.txt", external_id="a", shared_with=["group:law"])
    ann = await entered(engine, "law", role=Role.WRITER)
    outcome = await fetched(workspace, await pushed(ann, web))
    assert (outcome["state"], outcome["failure"]) == ("received", None)
    assert outcome["document_id"] == before.document.document_id
    (document,) = (await workspace.documents()).documents
    assert (document.version, document.visibility) == (2, Visibility.PRIVATE)


async def test_a_role_of_a_credential_in_a_collection_holds_for_what_is_fetched(
    engine: Engine, workspace: WorkspaceEngine, web: WebServer
) -> None:
    ann = await entered(engine, collections=(("hr", Role.WRITER),))
    outcome = await fetched(workspace, await pushed(ann, web, collection="hr"))
    assert (outcome["state"], outcome["failure"]) == ("received", None)
    entries = (await workspace.audit_entries()).entries
    assert {
        (each.principal, each.credential) for each in entries if each.verb == "receive_stream"
    } == {(ANN, CREDENTIAL)}


async def revoke(workspace: WorkspaceEngine) -> None:
    await workspace.revoke_role(ANN)


async def switch_off(workspace: WorkspaceEngine) -> None:
    await workspace.add_user(WantedUser(user_name=ANN, active=False))


Ending = pytest.mark.parametrize("end", [revoke, switch_off], ids=["revoked", "switched off"])


@Ending
async def test_who_may_no_longer_write_has_nothing_fetched(
    engine: Engine,
    workspace: WorkspaceEngine,
    web: WebServer,
    end: Callable[[WorkspaceEngine], Awaitable[None]],
) -> None:
    await workspace.grant_role(ANN, Role.WRITER)
    ingest_id = await pushed(await entered(engine), web)
    await end(workspace)
    outcome = await fetched(workspace, ingest_id)
    assert (outcome["state"], outcome["document_id"]) == ("failed", None)
    assert (await workspace.documents()).documents == ()
    assert web.asked == []


async def test_the_worker_does_not_use_up_the_rate_limit_of_the_credential(
    engine: Engine, workspace: WorkspaceEngine, web: WebServer
) -> None:
    ann = await entered(engine, role=Role.WRITER)
    ingest_id = await pushed(ann, web)
    asked = [ann.push_status(ingest_id) for _ in range(100)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert any(isinstance(each, RateLimited) for each in answers)
    assert (await fetched(workspace, ingest_id))["state"] == "received"


@pytest.mark.parametrize("granted", [True, False])
async def test_a_push_of_before_rights_were_kept_has_those_that_are_granted(
    engine: Engine, workspace: WorkspaceEngine, web: WebServer, granted: bool
) -> None:
    ann = await entered(engine, role=Role.WRITER)
    ingest_id = await pushed(ann, web)
    async with workspace.system_scope() as scope:
        await scope.connection.execute(f"UPDATE ingest_requests {OF_BEFORE}")
    if granted:
        await workspace.grant_role(ANN, Role.WRITER)
    outcome = await fetched(workspace, ingest_id)
    assert outcome["state"] == ("received" if granted else "failed")


async def test_a_push_of_before_by_the_operator_is_taken_in(
    workspace: WorkspaceEngine, web: WebServer
) -> None:
    ingest_id = await pushed(workspace, web)
    async with workspace.system_scope() as scope:
        await scope.connection.execute(f"UPDATE ingest_requests {OF_BEFORE}")
    assert (await fetched(workspace, ingest_id))["state"] == "received"


async def test_a_source_is_followed_with_the_groups_of_whoever_added_it(
    engine: Engine, workspace: WorkspaceEngine, tmp_path: Path
) -> None:
    path = tmp_path / "terms.txt"
    path.write_text("The new terms.")
    shared = ["group:law"]
    await workspace.receive(b"Terms.", "a.txt", external_id=str(path), shared_with=shared)
    ann = await entered(engine, "law", role=Role.ADMIN)
    source = await ann.add_source(NewSource(place=f"folder:{tmp_path}"), anywhere=True)
    found = await followed(workspace, source.source_id)
    assert (found.last_error, found.seen, found.changed) == (None, 1, 1)
    (document,) = (await workspace.documents()).documents
    assert (document.version, document.visibility) == (2, Visibility.PRIVATE)


@Ending
async def test_a_source_of_who_may_no_longer_write_says_so_and_reads_nothing(
    engine: Engine,
    workspace: WorkspaceEngine,
    tmp_path: Path,
    end: Callable[[WorkspaceEngine], Awaitable[None]],
) -> None:
    (tmp_path / "terms.txt").write_text("The new terms.")
    await workspace.grant_role(ANN, Role.ADMIN)
    ann = await entered(engine)
    source = await ann.add_source(NewSource(place=f"folder:{tmp_path}"), anywhere=True)
    await end(workspace)
    found = await followed(workspace, source.source_id)
    assert found.last_error
    assert (await workspace.documents()).documents == ()


async def test_a_source_of_before_rights_were_kept_is_followed_as_by_an_administrator(
    engine: Engine, workspace: WorkspaceEngine, tmp_path: Path
) -> None:
    """Nobody else could add one."""
    (tmp_path / "terms.txt").write_text("The new terms.")
    ann = await entered(engine, role=Role.ADMIN)
    source = await ann.add_source(NewSource(place=f"folder:{tmp_path}"), anywhere=True)
    async with workspace.system_scope() as scope:
        await scope.connection.execute(f"UPDATE workspace_sources {OF_BEFORE}")
    assert (await followed(workspace, source.source_id)).added == 1
