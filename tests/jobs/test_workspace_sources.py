"""Workers follow the sources of a workspace, and only in places that are opened to it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest

from footnote.domain import Principal, Role
from footnote.domain.sources import NewSource, SourceState, WorkspaceSource
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.errors import Conflict, Forbidden, InvalidRequest, NotFound, UnsupportedSettings
from footnote.jobs.sources.running import FollowJob, follow_once
from footnote.jobs.sources.source_setup import check_source
from footnote.jobs.worker import run_worker
from footnote.settings import Settings
from tests.conftest import TestDatabase
from tests.jobs.imap_server import Mailbox, imap_server
from tests.jobs.web_server import Answer, Asked, web_server

pytestmark = pytest.mark.usefixtures("own_database")

PATIENCE_SECONDS = 600
MESSAGE = b"From: ann@example.org\r\nSubject: The anchor\r\n\r\nThe anchor is rusty.\r\n"


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """The folder of the default workspace, beside that of another."""
    for name in ("default", "other"):
        folder = tmp_path / "shelves" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.md").write_text(f"# {name}\n\nThe text of {name}.\n")
    return tmp_path / "shelves" / "default"


@asynccontextmanager
async def opened(settings: Settings, *places: str, **more: object) -> AsyncIterator[Engine]:
    """An engine whose workspaces may name sources in these places."""
    update = {"source_places": ", ".join(places), **more}
    async with await open_engine(settings.model_copy(update=update)) as engine:
        yield engine


@asynccontextmanager
async def working(workspace: WorkspaceEngine) -> AsyncIterator[None]:
    stop = asyncio.Event()
    worker = asyncio.create_task(run_worker(workspace.engine, stop=stop))
    try:
        yield
    finally:
        stop.set()
        await worker


async def ran(workspace: WorkspaceEngine, source_id: UUID, after: object = None) -> WorkspaceSource:
    """The source once a run has ended that is not the one of before."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            found = await workspace.workspace_source(source_id)
            if found.ended_at is not None and found.ended_at != after:
                return found
            await asyncio.sleep(0.01)


def figures(found: WorkspaceSource) -> tuple[int, ...]:
    return found.seen, found.added, found.changed, found.removed, found.failed


def opens(shelf: Path) -> str:
    return f"folder:{shelf.parent}/{{workspace}}"


async def filenames(workspace: WorkspaceEngine) -> set[str]:
    return {each.filename for each in (await workspace.documents()).documents}


async def test_a_folder_is_checked_followed_and_read_again(
    own_settings: Settings, shelf: Path
) -> None:
    (shelf / "deep").mkdir()
    (shelf / "deep" / "tide.md").write_text("# Tide\n\nHigh at noon.\n")
    (shelf / ".hidden").write_text("Hidden.")
    wanted = NewSource(
        place=f"folder:{shelf}", collection="shelf", every_minutes=60, delete_missing=True
    )
    async with opened(own_settings, opens(shelf)) as engine:
        workspace = await engine.workspace()
        checked = await check_source(workspace, wanted)
        assert checked.reason is None
        assert checked.found is not None
        assert (checked.found.entries, checked.found.names) == (2, ("deep/tide.md", "default.md"))
        assert await workspace.workspace_sources() == ()
        source = await workspace.add_source(wanted)
        assert (source.kind, source.state) == ("folder", SourceState.WAITING)
        with pytest.raises(Conflict):
            await workspace.add_source(wanted)
        async with working(workspace):
            first = await ran(workspace, source.source_id)
            assert figures(first) == (2, 2, 0, 0, 0)
            assert first.next_run_at is not None
            assert first.ended_at is not None
            assert (first.next_run_at - first.ended_at).total_seconds() == pytest.approx(3600)
            (shelf / "default.md").write_text("# New\n\nAnother text altogether.\n")
            (shelf / "deep" / "tide.md").unlink()
            (shelf / "big.md").write_text("x" * 20)
            (shelf / "big.md").chmod(0o000 if os.getuid() else 0o644)
            await workspace.follow_source_now(source.source_id)
            second = await ran(workspace, source.source_id, first.ended_at)
        assert (second.changed, second.removed) == (1, 1)
        assert await filenames(workspace) >= {"default.md"}
        assert "tide.md" not in await filenames(workspace)
        documents = (await workspace.documents()).documents
        assert {each.collection for each in documents} == {"shelf"}


async def test_what_is_paused_is_left_alone_until_it_is_told_to_run(
    own_settings: Settings, shelf: Path
) -> None:
    async with opened(own_settings, opens(shelf)) as engine:
        workspace = await engine.workspace()
        source = await workspace.add_source(NewSource(place=f"folder:{shelf}"))
        async with workspace.scope() as scope:
            [row] = await scope.all("SELECT job_id FROM workspace_sources")
        paused = await workspace.pause_source(source.source_id)
        assert (paused.state, paused.next_run_at) == (SourceState.PAUSED, None)
        job = FollowJob(
            workspace_id=workspace.workspace_id,
            source_id=source.source_id,
            job_id=row["job_id"],
            attempt=0,
        )
        await follow_once(engine, job)
        assert await workspace.workspace_source(source.source_id) == paused
        assert await filenames(workspace) == set()
        await workspace.follow_source_now(source.source_id)
        async with working(workspace):
            found = await ran(workspace, source.source_id)
        assert (found.state, found.added) == (SourceState.WAITING, 1)
        assert found.next_run_at is None
        # What is forgotten leaves its documents, and its job finds nothing.
        await workspace.follow_source_now(source.source_id)
        await workspace.remove_source(source.source_id)
        await follow_once(engine, job)
        assert await filenames(workspace) == {"default.md"}


async def test_a_place_that_is_opened_no_more_is_not_read(
    own_settings: Settings, shelf: Path
) -> None:
    async with opened(own_settings, opens(shelf)) as engine:
        source = await (await engine.workspace()).add_source(NewSource(place=f"folder:{shelf}"))
    async with opened(own_settings) as engine:
        workspace = await engine.workspace()
        async with working(workspace):
            found = await ran(workspace, source.source_id)
        assert "no place is opened" in (found.last_error or "")
        assert await filenames(workspace) == set()


async def test_without_the_setting_nothing_can_be_named(
    own_settings: Settings, shelf: Path
) -> None:
    async with opened(own_settings) as engine:
        workspace = await engine.workspace()
        wanted = NewSource(place=f"folder:{shelf}")
        for refused in (check_source(workspace, wanted), workspace.add_source(wanted)):
            with pytest.raises(InvalidRequest, match="no place is opened") as refusal:
                await refused
            assert "FOOTNOTE_SOURCE_PLACES" in (refusal.value.hint or "")
        assert await workspace.source_places() == ()
        # Whoever sits at the machine may name what the process may read.
        await workspace.add_source(wanted, anywhere=True)
        async with working(workspace):
            [source] = await workspace.workspace_sources()
            assert (await ran(workspace, source.source_id)).added == 1


async def test_a_setting_that_opens_nothing_sensible_is_refused(own_settings: Settings) -> None:
    for place in (
        "folder:/",
        "folder:etc",
        "ftp://a/b",
        "s3://b/x{workspace}",
        "https://{workspace}/",
    ):
        with pytest.raises(UnsupportedSettings, match="FOOTNOTE_SOURCE_PLACES"):
            async with opened(own_settings, place):
                pass


async def test_links_lead_nowhere(own_settings: Settings, shelf: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key.md").write_text("The key is under the mat.")
    (shelf / "link.md").symlink_to(secret / "key.md")
    (shelf / "linked").symlink_to(secret)
    (shelf / "beside").symlink_to(shelf.parent / "other")
    os.mkfifo(shelf / "pipe.md")
    async with opened(own_settings, opens(shelf)) as engine:
        workspace = await engine.workspace()
        for place in (shelf / "linked", shelf / "beside", shelf / "absent", shelf / "link.md"):
            checked = await check_source(workspace, NewSource(place=f"folder:{place}"))
            assert checked.found is None
            assert "there is no such folder" in (checked.reason or "")
        source = await workspace.add_source(NewSource(place=f"folder:{shelf}"))
        async with working(workspace):
            found = await ran(workspace, source.source_id)
        assert (found.seen, found.added) == (1, 1)
        assert await filenames(workspace) == {"default.md"}


async def test_a_folder_that_becomes_a_link_between_two_looks_is_not_entered(
    own_settings: Settings, shelf: Path
) -> None:
    (shelf / "deep").mkdir()
    (shelf / "deep" / "a.md").write_text("# A\n\nThe text of a.\n")
    async with opened(own_settings, opens(shelf)) as engine:
        workspace = await engine.workspace()
        source = await workspace.add_source(NewSource(place=f"folder:{shelf}/deep"))
        (shelf / "deep").rename(shelf / "gone")
        (shelf / "deep").symlink_to(shelf.parent / "other")
        async with working(workspace):
            found = await ran(workspace, source.source_id)
        assert found.added == 0
        assert "there is no such folder" in (found.last_error or "")


async def test_a_mailbox_is_read_with_its_own_password_which_nobody_is_told(
    own_settings: Settings, own_database: TestDatabase
) -> None:
    mailbox = Mailbox(messages={7: MESSAGE})
    async with imap_server(mailbox):
        place = f"imap://ada@127.0.0.1:{mailbox.port}/INBOX"
        async with opened(own_settings, f"imap://127.0.0.1:{mailbox.port}") as engine:
            workspace = await engine.workspace()
            with pytest.raises(InvalidRequest, match="secret"):
                await workspace.add_source(NewSource(place=place))
            wrong = await check_source(workspace, NewSource(place=place, secret="wr0ng-Pass"))
            assert wrong.found is None
            assert "wr0ng-Pass" not in (wrong.reason or "")
            wanted = NewSource(place=place, secret=mailbox.password)
            checked = await check_source(workspace, wanted)
            assert checked.found is not None
            assert checked.found.entries == 1
            assert mailbox.fetched == []
            source = await workspace.add_source(wanted)
            async with working(workspace):
                assert (await ran(workspace, source.source_id)).added == 1
            told = repr((source, await workspace.workspace_sources(), wanted, checked))
            entries = (await workspace.audit_entries(limit=500)).entries
            with psycopg.connect(own_database.superuser_url) as connection:
                stored = connection.execute(
                    "SELECT to_jsonb(s)::text FROM footnote.workspace_sources AS s"
                    " UNION ALL SELECT args::text FROM footnote.procrastinate_jobs"
                ).fetchall()
    for where in (told, repr(entries), repr(stored)):
        assert mailbox.password not in where
    added = [each for each in entries if each.verb == "add_source"]
    assert str(source.source_id) in repr(added)
    assert "ada@127.0.0.1" in repr(added)


async def test_a_redirect_out_of_the_opened_places_is_not_followed(own_settings: Settings) -> None:
    async def answering(asked: Asked) -> Answer:
        if asked.path == "/public/here":
            return Answer(body=b"The anchor is rusty.", headers={"Content-Type": "text/plain"})
        target = {"/public/on": "/public/here", "/public/out": "/private/x"}[asked.path]
        return Answer(status=302, headers={"Location": target})

    async with web_server(answering) as server:
        opening = server.url("/public")
        async with opened(own_settings, opening, allow_private_urls=True) as engine:
            workspace = await engine.workspace()
            good = await check_source(workspace, NewSource(place=server.url("/public/on")))
            assert good.found is not None
            assert good.found.names == ("here",)
            out = await check_source(workspace, NewSource(place=server.url("/public/out")))
            assert out.found is None
            assert "not among those that are opened" in (out.reason or "")
            assert [each.path for each in server.asked] == [
                "/public/on",
                "/public/here",
                "/public/out",
            ]
        # What is opened does not make a private address reachable.
        async with opened(own_settings, opening) as engine:
            workspace = await engine.workspace()
            refused = await check_source(workspace, NewSource(place=server.url("/public/here")))
            assert "may not be reached" in (refused.reason or "")
        assert len(server.asked) == 3


async def test_only_administrators_of_the_whole_workspace_and_never_those_of_another(
    own_settings: Settings, shelf: Path
) -> None:
    async with opened(own_settings, opens(shelf)) as engine:
        workspace = await engine.workspace()
        wanted = NewSource(place=f"folder:{shelf}")
        source = await workspace.add_source(wanted)
        eve = Principal(principal_id="eve", role=Role.WRITER)
        of_one = Principal(principal_id="eve", role=None, collections=(("default", Role.ADMIN),))
        for principal in (eve, of_one):
            person = replace(workspace, principal=principal)
            for refused in (
                person.workspace_sources(),
                person.workspace_source(source.source_id),
                person.source_places(),
                person.admitted_source(wanted),
                check_source(person, wanted),
                person.add_source(wanted),
                person.follow_source_now(source.source_id),
                person.pause_source(source.source_id),
                person.remove_source(source.source_id),
            ):
                with pytest.raises(Forbidden):
                    await refused
        await engine.create_workspace("other")
        other = await engine.workspace("other")
        assert await other.workspace_sources() == ()
        for source_id in (source.source_id, uuid4()):
            for absent in (
                other.workspace_source(source_id),
                other.follow_source_now(source_id),
                other.pause_source(source_id),
                other.remove_source(source_id),
            ):
                with pytest.raises(NotFound, match=f"there is no source {source_id}"):
                    await absent
        # The folder of another workspace is refused as one that is not there.
        said = set()
        for place in (shelf, shelf.parent / "nobody", shelf.parent, shelf.parent / "other2"):
            with pytest.raises(InvalidRequest) as refusal:
                await other.add_source(NewSource(place=f"folder:{place}"))
            said.add((str(refusal.value), refusal.value.hint))
        assert len(said) == 1
        assert await workspace.workspace_source(source.source_id) == source
