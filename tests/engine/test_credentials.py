"""Credentials of a workspace are encrypted, whether its content is or not."""

from __future__ import annotations

import stat

import psycopg
import pytest

from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.errors import CiphertextDamaged, KeyUnavailable
from footnote.settings import Settings
from tests.conftest import TestDatabase

URL = "https://93.184.215.14/told"
HEADERS = {"Authorization": "Bearer of-a-token-nobody-may-see"}


def everything_in(database: TestDatabase, table: str) -> str:
    with psycopg.connect(database.superuser_url) as connection:
        rows = connection.execute(f"SELECT t::text FROM footnote.{table} AS t").fetchall()
    return "\n".join(row[0] for row in rows)


async def test_the_secret_of_a_webhook_is_stored_encrypted(
    workspace: WorkspaceEngine, test_database: TestDatabase
) -> None:
    endpoint, secret = await workspace.add_webhook(URL)
    stored = everything_in(test_database, "webhook_endpoints")
    assert str(endpoint.endpoint_id) in stored
    assert secret not in stored
    assert (await workspace.webhook_and_secret(endpoint.endpoint_id))[1] == secret


async def test_headers_of_mcp_servers_are_stored_encrypted(
    workspace: WorkspaceEngine, test_database: TestDatabase
) -> None:
    await workspace.add_mcp_server("tickets", URL, HEADERS)
    stored = everything_in(test_database, "mcp_servers")
    assert URL in stored
    assert "Bearer" not in stored
    assert "Authorization" not in stored
    [server] = await workspace.mcp_servers()
    assert server.headers == HEADERS


async def test_the_master_key_is_made_in_home_for_its_owner_alone(
    workspace: WorkspaceEngine, settings: Settings
) -> None:
    await workspace.add_webhook(URL)
    assert stat.S_IMODE((settings.home / "master.key").stat().st_mode) == 0o600


async def test_a_data_key_is_made_once_and_never_stored_bare(
    workspace: WorkspaceEngine, test_database: TestDatabase
) -> None:
    await workspace.add_webhook(URL)
    before = everything_in(test_database, "data_keys")
    await workspace.add_mcp_server("tickets", URL, HEADERS)
    assert everything_in(test_database, "data_keys") == before


async def test_a_credential_of_before_is_still_read(
    workspace: WorkspaceEngine, test_database: TestDatabase
) -> None:
    endpoint, _ = await workspace.add_webhook(URL)
    with psycopg.connect(test_database.superuser_url) as connection:
        connection.execute(
            "UPDATE footnote.webhook_endpoints SET secret = 'of before' WHERE endpoint_id = %s",
            [endpoint.endpoint_id],
        )
    assert (await workspace.webhook_and_secret(endpoint.endpoint_id))[1] == "of before"


async def test_a_credential_moved_to_another_row_cannot_be_read(
    workspace: WorkspaceEngine, test_database: TestDatabase
) -> None:
    first, _ = await workspace.add_webhook(URL)
    second, _ = await workspace.add_webhook(URL)
    with psycopg.connect(test_database.superuser_url) as connection:
        connection.execute(
            "UPDATE footnote.webhook_endpoints AS one SET secret = other.secret"
            " FROM footnote.webhook_endpoints AS other"
            " WHERE one.endpoint_id = %s AND other.endpoint_id = %s",
            [first.endpoint_id, second.endpoint_id],
        )
    with pytest.raises(CiphertextDamaged, match="authentication fails"):
        await workspace.webhook_and_secret(first.endpoint_id)


async def test_without_the_master_key_all_but_the_credentials_can_be_used(
    engine: Engine, own_database: TestDatabase
) -> None:
    workspace = await engine.workspace()
    endpoint, _ = await workspace.add_webhook(URL)
    (engine.settings.home / "master.key").unlink()
    async with await open_engine(engine.settings) as again:
        workspace = await again.workspace()
        await workspace.documents()
        with pytest.raises(KeyUnavailable, match="there is no master key"):
            await workspace.webhook_and_secret(endpoint.endpoint_id)
