"""What a server shows to every role says nothing of what a workspace holds."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from footnote.domain import AnswerRequest, SearchRequest
from footnote.engine import open_engine
from footnote.jobs.inline import run_waiting_jobs
from footnote.settings import Settings
from footnote.store.database import Database
from footnote.store.embedded import EmbeddedPostgres
from footnote.store.events import Listener
from tests.conftest import TestDatabase
from tests.store.shelves import new_shelf
from tests.store.test_tenancy import CUSTOMER_TABLES


@pytest.fixture
def onlooker(test_database: TestDatabase) -> Iterator[psycopg.Connection]:
    """A session of the application role that names no workspace."""
    with psycopg.connect(test_database.application_url, autocommit=True) as connection:
        yield connection


async def test_what_is_notified_names_no_workspace_and_no_document(
    database: Database, onlooker: psycopg.Connection
) -> None:
    onlooker.execute("LISTEN footnote_events")
    onlooker.execute("LISTEN procrastinate_any_queue_v1")
    shelf = await new_shelf(database, "secret-client")
    document_id = await shelf.put("A takeover is planned.", external_id="takeover")
    heard = [notice.payload for notice in onlooker.notifies(timeout=5, stop_after=2)]
    assert heard
    for name in (document_id, shelf.workspace.workspace_id):
        for text in (str(name), name.hex):
            assert not [payload for payload in heard if text in payload]


async def test_who_waits_for_a_workspace_hears_of_it_alone(
    database: Database, test_database: TestDatabase
) -> None:
    acme, bolt = await new_shelf(database, "acme"), await new_shelf(database, "bolt")
    listener = Listener(test_database.application_url)
    try:
        with (
            listener.subscribed(acme.workspace.workspace_id) as of_acme,
            listener.subscribed(bolt.workspace.workspace_id) as of_bolt,
        ):
            # Once it listens, it wakes everybody, for something may have happened before.
            await of_acme.wait()
            await of_bolt.wait()
            of_acme.clear()
            of_bolt.clear()
            await acme.put("The premium is due in March.")
            await of_acme.wait()
            assert not of_bolt.is_set()
    finally:
        await listener.close()
