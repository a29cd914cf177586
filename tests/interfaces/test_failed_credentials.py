"""Credentials that fail are counted by where they come from, entered, and refused when too many."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import uuid4

import httpx
import pytest
from structlog.testing import capture_logs

from footnote.domain.audit import Outcome
from footnote.domain.limits import RateLimit
from footnote.engine import Engine, WorkspaceEngine, failed_credentials
from footnote.engine.failed_credentials import NOBODY
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import served
from tests.interfaces.test_refusals import assert_problem

OF_ADDRESS = RateLimit(requests=1, window_seconds=3600, burst=8)
OF_CREDENTIAL = RateLimit(requests=1, window_seconds=3600, burst=4)


def unknown() -> str:
    """A key that was never made."""
    return f"fn_{uuid4().hex[:16]}_{'0' * 64}"


def somewhere() -> str:
    """An address that no other test asks from."""
    return f"203.{'.'.join(str(each) for each in uuid4().bytes[:3])}"


@dataclass
class Front:
    """A server behind a proxy on this computer, which says from where each request comes."""

    http: httpx.AsyncClient
    key: str
    address: str = field(default_factory=somewhere)

    async def ask(self, key: str, address: str | None = None) -> httpx.Response:
        whence = address or self.address
        headers = {"Authorization": f"Bearer {key}", "X-Forwarded-For": whence}
        return await self.http.get("/v1/identity", headers=headers)

    async def exhaust(self) -> None:
        for _ in range(OF_ADDRESS.burst):
            assert (await self.ask(unknown())).status_code == 401


@asynccontextmanager
async def fronted(settings: Settings, workspace: WorkspaceEngine) -> AsyncIterator[Front]:
    made = await workspace.create_key("ingest")
    within = settings_from(settings, {"identity": "keys", "proxy_addresses": "127.0.0.1"})
    async with served(within) as http:
        yield Front(http, made.secret)


@pytest.fixture
async def front(settings: Settings, workspace: WorkspaceEngine) -> AsyncIterator[Front]:
    async with fronted(settings, workspace) as made:
        yield made


@pytest.fixture(autouse=True)
def hourly(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test lasts as long as it takes to make up for a failure."""
    monkeypatch.setattr(failed_credentials, "OF_ADDRESS", OF_ADDRESS)
    monkeypatch.setattr(failed_credentials, "OF_CREDENTIAL", OF_CREDENTIAL)


async def test_an_address_from_which_too_much_failed_is_refused_for_a_while(front: Front) -> None:
    await front.exhaust()
    refused = await front.ask(unknown())
    assert_problem(refused, 429, "rate-limited")
    assert 1 <= int(refused.headers["Retry-After"]) <= OF_ADDRESS.step_seconds
    assert (await front.ask(unknown(), somewhere())).status_code == 401
    assert (await front.ask(front.key, somewhere())).status_code == 200
    # Not even a key that was never seen here is looked up.
    assert (await front.ask(f"fl_{'1' * 16}_{'0' * 64}")).status_code == 429
    # Nobody chooses where they come from: what stands before the proxy's own word is not read.
    forged = await front.ask(unknown(), f"198.51.100.1, {front.address}")
    assert forged.status_code == 429


async def test_a_key_that_was_good_lately_is_let_in_from_there(front: Front) -> None:
    assert (await front.ask(front.key)).status_code == 200
    await front.exhaust()
    assert (await front.ask(front.key)).status_code == 200
    assert (await front.ask(unknown())).status_code == 429


async def test_one_network_of_ipv6_is_one_source(front: Front) -> None:
    network = f"2001:db8:{uuid4().hex[:4]}"
    for number in range(OF_ADDRESS.burst):
        assert (await front.ask(unknown(), f"{network}:1::{number:x}")).status_code == 401
    assert (await front.ask(unknown(), f"{network}:1::ffff")).status_code == 429
    assert (await front.ask(unknown(), f"{network}:2::1")).status_code == 401


async def test_nobody_locks_a_key_out_by_trying_its_id(front: Front) -> None:
    wrong = front.key[:-64] + "0" * 64
    answers = [
        (await front.ask(wrong, somewhere())).status_code for _ in range(OF_CREDENTIAL.burst + 1)
    ]
    assert answers == [401] * OF_CREDENTIAL.burst + [429]
    assert (await front.ask(front.key, somewhere())).status_code == 200


async def test_what_failed_is_in_the_log_of_its_workspace(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    async with fronted(settings, workspace) as front:
        _, key_id, secret = front.key.split("_")
        await front.ask(f"fn_{key_id}_{'0' * 64}")
        await workspace.revoke_key(key_id)
        await front.ask(front.key)
    found = (await workspace.audit_entries(principal_id=NOBODY)).entries
    assert len(found) == 2
    assert {each.subject["reason"] for each in found} == {"wrong secret", "expired or revoked"}
    for each in found:
        assert (each.principal, each.credential) == (NOBODY, f"key:{key_id}")
        assert (each.outcome, each.error) == (Outcome.REFUSED, "NotAuthenticated")
        assert each.subject["address"] == f"{front.address}/32"
        assert secret not in str(each)


async def test_what_is_of_no_workspace_is_in_the_servers_log_without_its_secret(
    front: Front,
) -> None:
    wrong = unknown()[:-64] + (secret := "5" * 64)
    with capture_logs() as lines:
        await front.ask(wrong)
        await front.ask("not a token of anybody")
        await front.http.get("/v1/identity")  # who sends nothing tries nothing
    told = [each for each in lines if each["event"] == "a credential was refused"]
    assert [each["credential"] for each in told] == [wrong.split("_")[1], None]
    assert {each["address"] for each in told} == {f"{front.address}/32"}
    assert secret not in str(lines)


async def test_this_computer_is_limited_by_credential_alone(
    settings: Settings, engine: Engine
) -> None:
    async with served(settings_from(settings, {"identity": "keys"})) as http:
        for _ in range(OF_ADDRESS.burst + 5):
            headers = {"Authorization": f"Bearer {unknown()}", "X-Forwarded-For": "203.0.113.7"}
            assert (await http.get("/v1/identity", headers=headers)).status_code == 401
