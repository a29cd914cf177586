"""Databases that earlier versions made are brought to the present, and answer as they did."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from footnote.domain import DocumentStatus, SearchRequest
from footnote.engine import Engine, open_engine
from footnote.jobs.inline import work_until_resting
from footnote.models.aligned import AlignedEncoder
from footnote.settings import Settings
from footnote.store import migrate as migrating
from footnote.store.embedded import OWNER_ROLE, EmbeddedPostgres
from footnote.store.migrate import migrate
from footnote.store.migration_files import Migration, known_migrations
from tests.conftest import TEMPLATE
from tests.store.schema_rules import schema_of
from tests.upgrades.restored import FIXTURES, Restored, restored


@pytest.fixture(scope="module", params=FIXTURES, ids=lambda path: path.name.split(".")[0])
def before(
    request: pytest.FixtureRequest,
    postgres: EmbeddedPostgres,
    tmp_path_factory: pytest.TempPathFactory,
    model_home: Path,
) -> Iterator[Restored]:
    folder = tmp_path_factory.mktemp("restored")
    with restored(request.param, postgres, folder, model_home) as found:
        yield found


@pytest.fixture(scope="module")
async def upgraded(before: Restored, packaged_models: AlignedEncoder) -> AsyncIterator[Engine]:
    """The present version over the database; opening it migrates."""
    async with await open_engine(before.settings) as opened:
        yield opened


def test_there_are_databases_of_several_versions() -> None:
    numbers = [int(path.name.split(".")[0]) for path in FIXTURES]
    assert len(numbers) >= 3
    assert max(numbers) <= len(known_migrations())


async def test_its_schema_is_that_of_a_new_database(
    before: Restored, upgraded: Engine, postgres: EmbeddedPostgres
) -> None:
    with (
        psycopg.connect(before.settings.owner_database_url or "") as old,
        psycopg.connect(postgres.url(OWNER_ROLE, TEMPLATE)) as new,
    ):
        there, here = schema_of(old), schema_of(new)
    for kind, names in here.kinds.items():
        assert there[kind].keys() == names.keys(), kind
        if kind not in {"tables", "functions"}:  # Their files differ, and how bodies are written.
            assert {name: _bare(each) for name, each in there[kind].items()} == {
                name: _bare(each) for name, each in names.items()
            }, kind


def _bare(definition: str) -> str:
    """A definition without what restoring a dump writes otherwise."""
    return re.sub(r"[\s()]|footnote\.|::text", "", definition)


async def test_questions_are_answered_with_the_same_footnotes(
    before: Restored, upgraded: Engine
) -> None:
    for name, said in before.workspaces.items():
        workspace = await upgraded.workspace(name)
        for each in said["answers"]:
            answer = await workspace.ask(each["question"])
            found = [[cited.filename, cited.page, cited.quote] for cited in answer.citations]
            assert found == each["citations"], (name, each["question"])


async def test_conversations_and_documents_are_still_there(
    before: Restored, upgraded: Engine
) -> None:
    for name, said in before.workspaces.items():
        workspace = await upgraded.workspace(name)
        told = await workspace.messages(UUID(said["conversation"]["id"]))
        assert len(told.messages) == said["conversation"]["messages"]


def test_migrating_once_more_finds_nothing_to_do(before: Restored, upgraded: Engine) -> None:
    assert migrate(before.settings.owner_database_url or "") == ()


async def test_a_program_of_before_and_this_one_work_on_one_database(
    own_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newer one knows a step more; the older one starts after that was applied."""
    step = Migration(
        name="9000_later",
        statements="-- migration: expand\n"
        "ALTER TABLE footnote.documents ADD COLUMN later text NOT NULL DEFAULT 'unknown';"
        "ALTER TABLE footnote.chunks ADD COLUMN later integer;"
        "CREATE TABLE footnote.later (a integer PRIMARY KEY);",
    )
    with monkeypatch.context() as newer:
        newer.setattr(migrating, "known_migrations", lambda: (*known_migrations(), step))
        after = await open_engine(own_settings)
    async with after, await open_engine(own_settings) as before:
        for engine, day in ((after, "Monday"), (before, "Friday")):
            workspace = await engine.workspace()
            received = await workspace.receive(
                f"The dredger is inspected each {day}.".encode(), f"{day}.txt"
            )
            wanted = received.document.document_id
            done = await work_until_resting(engine, workspace, [wanted], lambda _: None)
            assert done[wanted].status is DocumentStatus.INDEXED
        for engine in (after, before):
            workspace = await engine.workspace()
            found = await workspace.search(SearchRequest(query="when is the dredger inspected?"))
            assert {each.passage.filename for each in found.evidence} == {
                "Monday.txt",
                "Friday.txt",
            }
    with psycopg.connect(own_settings.owner_database_url or "") as connection:
        assert connection.execute("SELECT count(*) FROM footnote.later").fetchone() == (0,)
