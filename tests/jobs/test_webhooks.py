"""Endpoints are told at least once, signed, and left alone when they refuse for long."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

import footnote
from footnote.domain import Principal, Visibility
from footnote.domain.events import WEBHOOK_KINDS, EventCursor, WebhookEndpoint
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import InvalidRequest, NotFound, SourceUnreachable
from footnote.jobs import webhooks as deliveries
from footnote.jobs.webhooks import DeliveryJob, deliver, is_genuine, try_webhook
from footnote.jobs.worker import run_worker
from footnote.settings import Settings, settings_from
from footnote.store.events import BEGINNING, events_after
from tests.jobs.web_server import Answer, Asked, WebServer, web_server

PATIENCE_SECONDS = 600


@dataclass(slots=True)
class Receiver:
    """A receiving system: what it answers next, and then 200."""

    web: WebServer
    answers: list[int]

    @property
    def url(self) -> str:
        return self.web.url("/hook")


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    answers: list[int] = []

    async def answering(_: Asked) -> Answer:
        return Answer(answers.pop(0) if answers else 200)

    async with web_server(answering) as web:
        yield Receiver(web, answers)


@pytest.fixture
async def engine(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Engine]:
    monkeypatch.setattr(deliveries, "FAILURES_TO_DISABLE", 2)
    monkeypatch.setattr(deliveries, "ATTEMPTS", 3)
    async with footnote.open(settings_from(settings, {"allow_private_urls": True})) as opened:
        yield opened


async def a_deletion(workspace: WorkspaceEngine) -> EventCursor:
    """A document comes and goes; returns the event of its end."""
    received = await workspace.receive(uuid4().bytes.hex().encode(), "log.txt")
    document_id = received.document.document_id
    await workspace.delete_document(document_id)
    async with workspace.scope() as scope:
        events = await events_after(scope, BEGINNING, document_id, 10)
    assert events[-1].kind == "document.deleted"
    return events[-1].cursor


async def tell(
    workspace: WorkspaceEngine, endpoint: WebhookEndpoint, event: EventCursor, attempt: int = 0
) -> None:
    job = DeliveryJob(
        workspace_id=workspace.workspace.workspace_id,
        endpoint_id=endpoint.endpoint_id,
        event=event,
        attempt=attempt,
    )
    await deliver(workspace.engine, job)


async def test_the_worker_tells_of_the_end_of_ingestion_although_refused_at_first(
    workspace: WorkspaceEngine, receiver: Receiver
) -> None:
    receiver.answers.append(503)
    endpoint, secret = await workspace.add_webhook(receiver.url, ["document.indexed"])
    received = await workspace.receive(b"The anchor is rusty.", "log.txt")
    document_id = received.document.document_id

    stop = asyncio.Event()
    worker = asyncio.create_task(run_worker(workspace.engine, stop=stop))
    try:
        # A worker that is stopped leaves a delivery that is not written down to the next.
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (await workspace.webhooks())[0].last_delivery_at is None:  # noqa: ASYNC110
                await asyncio.sleep(0.05)  # between looks
    finally:
        stop.set()
        await worker
    first, second = receiver.web.asked
    assert first.body == second.body
    for asked in (first, second):
        assert is_genuine(secret, asked.body, asked.headers["footnote-signature"], time.time())
    message = json.loads(second.body)
    assert message["type"] == second.headers["footnote-event"] == "document.indexed"
    assert message["id"] == second.headers["footnote-event-id"]
    assert message["data"]["document_id"] == str(document_id)
    assert message["workspace"] == "default"
    [now] = await workspace.webhooks()
    assert (now.endpoint_id, now.failures, now.last_error) == (endpoint.endpoint_id, 0, None)
    assert now.last_delivery_at is not None


async def test_a_refusal_is_tried_again_until_it_is_given_up(
    workspace: WorkspaceEngine, receiver: Receiver
) -> None:
    endpoint, _ = await workspace.add_webhook(receiver.url)
    event = await a_deletion(workspace)
    receiver.answers += [500, 500, 500]
    for attempt in (0, 1):
        with pytest.raises(SourceUnreachable, match="500"):
            await tell(workspace, endpoint, event, attempt)
    await tell(workspace, endpoint, event, 2)
    [now] = await workspace.webhooks()
    assert (now.failures, now.last_error, now.disabled_at) == (1, "it answered 500", None)
    assert len({asked.headers["footnote-event-id"] for asked in receiver.web.asked}) == 1


async def test_what_this_worker_may_not_reach_is_left_to_the_next(
    settings: Settings, workspace: WorkspaceEngine, receiver: Receiver
) -> None:
    endpoint, _ = await workspace.add_webhook(receiver.url)
    event = await a_deletion(workspace)
    async with footnote.open(settings) as strict:
        with pytest.raises(SourceUnreachable, match="private network"):
            await tell(await strict.workspace(), endpoint, event)
    await tell(workspace, endpoint, event, 1)
    [now] = await workspace.webhooks()
    assert (now.failures, now.last_error, len(receiver.web.asked)) == (0, None, 1)


async def test_an_endpoint_that_fails_for_long_is_left_alone_until_a_trial_is_taken(
    workspace: WorkspaceEngine, receiver: Receiver
) -> None:
    endpoint, _ = await workspace.add_webhook(receiver.url)
    receiver.answers += [500, 500]
    for _ in range(2):
        await tell(workspace, endpoint, await a_deletion(workspace), attempt=2)
    [now] = await workspace.webhooks()
    assert now.disabled_at is not None
    await tell(workspace, endpoint, await a_deletion(workspace))
    assert len(receiver.web.asked) == 2
    assert await try_webhook(workspace, endpoint.endpoint_id) is None
    assert json.loads(receiver.web.asked[-1].body)["type"] == "webhook.test"
    await tell(workspace, endpoint, await a_deletion(workspace))
    assert len(receiver.web.asked) == 4
    [now] = await workspace.webhooks()
    assert (now.failures, now.disabled_at) == (0, None)


async def test_an_endpoint_that_is_gone_is_left_alone_at_once(
    workspace: WorkspaceEngine, receiver: Receiver
) -> None:
    endpoint, _ = await workspace.add_webhook(receiver.url)
    receiver.answers.append(410)
    await tell(workspace, endpoint, await a_deletion(workspace))
    [now] = await workspace.webhooks()
    assert now.disabled_at is not None


async def test_a_redirect_is_no_delivery(workspace: WorkspaceEngine, receiver: Receiver) -> None:
    endpoint, _ = await workspace.add_webhook(receiver.url)
    receiver.answers.append(302)
    assert await try_webhook(workspace, endpoint.endpoint_id) == "it answered 302"
    assert len(receiver.web.asked) == 1


async def test_this_computer_is_not_told_unless_that_is_allowed(
    settings: Settings, receiver: Receiver
) -> None:
    async with footnote.open(settings) as engine:
        workspace = await engine.workspace()
        with pytest.raises(InvalidRequest, match="private network") as refused:
            await workspace.add_webhook(receiver.url)
        assert "FOOTNOTE_ALLOW_PRIVATE_URLS=true" in str(refused.value.hint)
        assert await workspace.webhooks() == ()
    allowing = settings_from(settings, {"allow_private_urls": True})
    async with footnote.open(allowing) as engine:
        endpoint, _ = await (await engine.workspace()).add_webhook(receiver.url)
    async with footnote.open(settings) as engine:
        error = await try_webhook(await engine.workspace(), endpoint.endpoint_id)
    assert error is not None
    assert "private network" in error
    assert "FOOTNOTE_ALLOW_PRIVATE_URLS=true" in error
    assert receiver.web.asked == []


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest",
        "http://[fe80::1]/",
        "http://0.0.0.0:8080/",
        "http://[::ffff:169.254.169.254]/",
    ],
)
async def test_no_setting_has_where_clouds_keep_secrets_told(
    workspace: WorkspaceEngine, url: str
) -> None:
    with pytest.raises(InvalidRequest, match="may not be reached") as refused:
        await workspace.add_webhook(url)
    assert "no setting allows" in str(refused.value.hint)


async def test_a_zone_of_a_link_is_no_address_of_a_webhook(workspace: WorkspaceEngine) -> None:
    with pytest.raises(InvalidRequest, match="zones of link-local"):
        await workspace.add_webhook("http://[fe80::1%25eth0]/")


async def test_a_name_that_leads_to_this_computer_after_it_was_added_is_not_told(
    settings: Settings, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    leads_to = ["93.184.215.14"]
    resolve = socket.getaddrinfo

    def by_name(host: str, port: int, *more: Any, **named: Any) -> Any:
        return resolve(leads_to[0] if host == "moving.example" else host, port, *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", by_name)
    async with footnote.open(settings) as engine:
        workspace = await engine.workspace()
        moving = receiver.url.replace("127.0.0.1", "moving.example")
        endpoint, _ = await workspace.add_webhook(moving)
        leads_to[0] = "127.0.0.1"
        error = await try_webhook(workspace, endpoint.endpoint_id)
        assert "private network" in str(error)
        with pytest.raises(InvalidRequest, match=r"moving\.example may not be reached"):
            await workspace.add_webhook(moving)
    assert receiver.web.asked == []


async def test_a_name_that_nobody_knows_yet_may_be_added(workspace: WorkspaceEngine) -> None:
    endpoint, _ = await workspace.add_webhook("https://not-yet.invalid/hook")
    assert "cannot be resolved" in str(await try_webhook(workspace, endpoint.endpoint_id))


async def test_only_the_kinds_that_are_wanted_are_queued(
    workspace: WorkspaceEngine, receiver: Receiver
) -> None:
    await workspace.add_webhook(receiver.url, ["document.failed"])
    await a_deletion(workspace)
    async with workspace.engine.database.outside() as connection:
        cursor = await connection.execute(
            "SELECT count(*) AS jobs FROM procrastinate_jobs WHERE task_name = 'deliver_webhook'"
        )
        assert await cursor.fetchone() == {"jobs": 0}
    await workspace.receive(b"\x00\x01" * 50, "noise.bin")
    async with workspace.engine.database.outside() as connection:
        cursor = await connection.execute(
            "SELECT args FROM procrastinate_jobs WHERE task_name = 'deliver_webhook'"
        )
        [row] = await cursor.fetchall()
    assert set(row["args"]) == {"workspace_id", "endpoint_id", "transaction_id", "event_no"}


async def test_an_address_is_told_of_what_whoever_added_it_may_see(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    ann = await engine.workspace(workspace.workspace.name, Principal(principal_id="ann"))
    ids = {}
    for inside in (workspace, ann):
        name = inside.principal.principal_id
        endpoint, _ = await inside.add_webhook(f"https://{name}.example.com/", WEBHOOK_KINDS)
        ids[str(endpoint.endpoint_id)] = name

    async def told_of(visibility: Visibility, *shared_with: str) -> set[str]:
        received = await ann.receive(
            uuid4().bytes.hex().encode(), "a.txt", visibility=visibility, shared_with=shared_with
        )
        before = set(await waiting_deliveries(workspace))
        await ann.delete_document(received.document.document_id)
        return {ids[each[0]] for each in set(await waiting_deliveries(workspace)) - before}

    assert await told_of(Visibility.WORKSPACE) == {"local", "ann"}
    assert await told_of(Visibility.COLLECTION) == {"local", "ann"}
    assert await told_of(Visibility.PRIVATE) == {"ann"}
    assert await told_of(Visibility.PRIVATE, "local") == {"local", "ann"}


async def waiting_deliveries(workspace: WorkspaceEngine) -> list[tuple[str, int]]:
    """The endpoint and the event of each delivery that waits, in this workspace."""
    async with workspace.engine.database.outside() as connection:
        rows = await (
            await connection.execute(
                "SELECT args ->> 'endpoint_id' AS endpoint, (args ->> 'event_no')::bigint AS event"
                " FROM procrastinate_jobs WHERE task_name = 'deliver_webhook'"
                " AND args ->> 'workspace_id' = %s",
                [str(workspace.workspace_id)],
            )
        ).fetchall()
    return [(row["endpoint"], row["event"]) for row in rows]


async def test_workspaces_have_endpoints_of_their_own(
    engine: Engine, workspace: WorkspaceEngine, receiver: Receiver
) -> None:
    await engine.create_workspace("acme")
    acme = await engine.workspace("acme")
    endpoint, _ = await workspace.add_webhook(receiver.url)
    assert await acme.webhooks() == ()
    for attempt in (
        acme.remove_webhook(endpoint.endpoint_id),
        try_webhook(acme, endpoint.endpoint_id),
        workspace.remove_webhook(uuid4()),
    ):
        with pytest.raises(NotFound):
            await attempt
    await workspace.remove_webhook(endpoint.endpoint_id)
    assert await workspace.webhooks() == ()


@pytest.mark.parametrize("kinds", [[], ["document.eaten"], ["document.stage"]])
async def test_kinds_that_nobody_is_told_of_are_refused(
    workspace: WorkspaceEngine, kinds: list[str]
) -> None:
    with pytest.raises(InvalidRequest):
        await workspace.add_webhook("https://example.com/hook", kinds)
