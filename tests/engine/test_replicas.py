"""Replicas serve reads within the bound, and never anything older than the caller has seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from footnote.doctor import examine
from footnote.domain import Principal, SearchRequest, Visibility
from footnote.domain.replicas import Position
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.search import NOTHING_INDEXED
from footnote.errors import InvalidRequest
from footnote.interfaces.sdk.client import AsyncClient
from footnote.jobs.inline import work_until_resting
from footnote.models.aligned import AlignedEncoder
from footnote.ports.index import ReplicaLost
from footnote.settings import Settings, settings_from
from footnote.store import replicas
from footnote.store.addresses import name_of
from footnote.store.embedded import APPLICATION_ROLE, EmbeddedPostgres
from footnote.store.pools import ANSWER_SECONDS, open_replica
from footnote.store.replicas import Replica, Replicas
from tests.conftest import TEMPLATE
from tests.interfaces.serving import served
from tests.store.standby import Pair, kill, pair, start, urls

REPLAY = "SELECT pg_wal_replay_{}()"


@pytest.fixture(scope="module")
def servers() -> Iterator[Pair]:
    with pair() as made:
        yield made


@contextmanager
def held_back(servers: Pair) -> Iterator[None]:
    """The standby receives what is written meanwhile, and replays nothing of it."""
    servers.catch_up()
    servers.on_standby(REPLAY.format("pause"))
    try:
        yield
    finally:
        servers.on_standby(REPLAY.format("resume"))
        servers.catch_up()


@pytest.fixture
def over_both(
    servers: Pair,
    tmp_path: Path,
    model_home: Path,
    packaged_models: AlignedEncoder,
    monkeypatch: pytest.MonkeyPatch,
) -> Settings:
    monkeypatch.setattr(replicas, "WAIT_SECONDS", 0.1)
    # A busy machine is slow to answer, and no test is about a replica that is.
    monkeypatch.setattr(replicas, "ANSWER_SECONDS", 60.0)
    home = tmp_path / "home"
    home.mkdir()
    (home / "models").symlink_to(model_home)
    application, owner = urls(servers.primary)
    return Settings(
        home=home,
        database_url=application,
        owner_database_url=owner,
        replica_database_urls=urls(servers.standby)[0],
        timeouts='{"replica": 3600}',
    )


@pytest.fixture
async def engine(over_both: Settings, servers: Pair) -> AsyncIterator[Engine]:
    servers.catch_up()
    async with await open_engine(over_both) as opened:
        [replica] = opened.replicas.replicas
        assert replica.database.pool.timeout < opened.database.pool.timeout / 10
        replica.database.pool.timeout = opened.database.pool.timeout
        await until_fit(opened)
        yield opened


@pytest.fixture
async def workspace(engine: Engine, servers: Pair) -> WorkspaceEngine:
    """A workspace of the test's own, which the standby knows."""
    name = f"w{uuid4().hex[:12]}"
    await engine.create_workspace(name)
    servers.catch_up()
    await until_fit(engine)
    return await engine.workspace(name)


async def until_fit(engine: Engine) -> None:
    """Look at the replica until it may be read: a pool takes its time to connect again."""
    async with asyncio.timeout(600):
        while True:
            await engine.replicas.look()
            if engine.replicas.statuses()[0].fit:
                return
            await asyncio.sleep(0.02)


async def put(workspace: WorkspaceEngine, about: str, **options: object) -> UUID:
    """An indexed document."""
    text = f"# Note\n\nThe {about} buoy was moored at berth 17.\n".encode()
    received = await workspace.receive(text, f"{about}.md", **options)  # type: ignore[arg-type]  # of receive
    ids = [received.document.document_id]
    await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
    return ids[0]


async def found(workspace: WorkspaceEngine) -> list[str]:
    response = await workspace.search(SearchRequest(query="Where was the buoy moored?"))
    assert set(response.degraded) <= {NOTHING_INDEXED}
    return sorted(each.passage.filename for each in response.evidence)


def served_by_replica(engine: Engine) -> int:
    return engine.replicas.statuses()[0].reads


async def test_reads_go_to_the_replica_until_it_is_too_far_behind(
    engine: Engine, workspace: WorkspaceEngine, servers: Pair
) -> None:
    await put(workspace, "red")
    servers.catch_up()
    await until_fit(engine)
    before = served_by_replica(engine)
    assert await found(workspace) == ["red.md"]
    assert [each.filename for each in (await workspace.documents()).documents] == ["red.md"]
    assert (await workspace.ask("Where was the red buoy moored?")).found
    assert served_by_replica(engine) >= before + 3
    with held_back(servers):
        await put(workspace, "green")
        await until_fit(engine)
        assert await found(workspace) == ["red.md"], "within the bound it may lack something"
        lag = engine.replicas.statuses()[0]
        assert lag.fit
        assert lag.lag_bytes
        engine.replicas.max_lag_seconds = 0.0
        assert await found(workspace) == ["green.md", "red.md"]
        assert "further behind" in engine.replicas.statuses()[0].detail


async def test_who_names_what_was_seen_reads_nothing_older(
    engine: Engine, workspace: WorkspaceEngine, servers: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(workspace, "red")
    with held_back(servers):
        await put(workspace, "green")
        await workspace.document(await put(workspace, "blue"))
        seen = workspace.last_seen.position
        assert seen is not None
        before = served_by_replica(engine)
        mine = await workspace.after_position(str(seen))
        assert await found(mine) == ["blue.md", "green.md", "red.md"]
        assert len((await mine.documents()).documents) == 3
        assert served_by_replica(engine) == before, "the primary had to"
    monkeypatch.setattr(replicas, "WAIT_SECONDS", 60.0)
    latest = await workspace.after_position("latest")
    assert await found(latest) == ["blue.md", "green.md", "red.md"]
    assert served_by_replica(engine) == before + 1, "it had come as far"
    with pytest.raises(InvalidRequest, match="no position"):
        await workspace.after_position("yesterday")


async def test_what_is_remembered_of_one_is_not_told_by_the_other(
    engine: Engine, workspace: WorkspaceEngine, servers: Pair
) -> None:
    await put(workspace, "red")
    with held_back(servers):
        await put(workspace, "green")
        fresh = await workspace.after_position("latest")
        for _ in range(3):
            assert await found(workspace) == ["red.md"]
            assert await found(fresh) == ["green.md", "red.md"]
            old = await workspace.ask("Where was the green buoy moored?")
            new = await fresh.ask("Where was the green buoy moored?")
            assert "green.md" not in {each.filename for each in old.citations}
            assert "green.md" in {each.filename for each in new.citations}


async def test_a_replica_shows_nobody_what_the_primary_would_not(
    engine: Engine, workspace: WorkspaceEngine, servers: Pair
) -> None:
    await put(workspace, "open")
    hidden = await put(workspace, "hidden", visibility=Visibility.PRIVATE, shared_with=["ann"])
    elsewhere = f"w{uuid4().hex[:12]}"
    await engine.create_workspace(elsewhere)
    servers.catch_up()
    await until_fit(engine)
    before = served_by_replica(engine)
    ann, bob = (replace(workspace, principal=Principal(principal_id=who)) for who in ("ann", "bob"))
    assert await found(ann) == ["hidden.md", "open.md"]
    assert await found(bob) == ["open.md"]
    assert hidden not in {each.document_id for each in (await bob.documents()).documents}
    assert await found(await engine.workspace(elsewhere)) == []
    # Four searches and lists, and whether there is anything where the last found nothing.
    assert served_by_replica(engine) == before + 5


async def test_what_a_replica_has_not_heard_of_is_asked_of_the_primary(
    engine: Engine, servers: Pair
) -> None:
    with held_back(servers):
        name = f"w{uuid4().hex[:12]}"
        await engine.create_workspace(name)
        fresh = await engine.workspace(name)
        document_id = await put(fresh, "red")
        assert await found(fresh) == ["red.md"]
        assert (await fresh.document_passages(document_id)).passages
        await fresh.change_setting("top_k", 1)
        assert await found(fresh) == ["red.md"]


async def test_settings_that_a_replica_has_not_heard_of_hold_all_the_same(
    engine: Engine, workspace: WorkspaceEngine, servers: Pair
) -> None:
    await put(workspace, "red")
    await put(workspace, "green")
    servers.catch_up()
    assert await found(workspace) == ["green.md", "red.md"]
    with held_back(servers):
        await workspace.change_setting("top_k", 1)
        engine.known_configurations.clear()
        assert len(await found(workspace)) == 1


async def test_a_replica_that_dies_is_missed_by_nobody(
    engine: Engine, workspace: WorkspaceEngine, servers: Pair
) -> None:
    await put(workspace, "red")
    servers.catch_up()
    await until_fit(engine)
    before = served_by_replica(engine)
    assert await found(workspace) == ["red.md"]
    assert served_by_replica(engine) == before + 1
    [replica] = engine.replicas.replicas
    replica.database.pool.timeout = ANSWER_SECONDS  # as it was: nobody waits for longer
    kill(servers.standby)
    await put(workspace, "green")
    assert await found(workspace) == ["green.md", "red.md"]
    assert await found(workspace) == ["green.md", "red.md"]
    health = await engine.health()
    assert health.ready
    [check] = [each for each in health.checks if each.name.startswith("replica ")]
    assert not check.ok
    replica.database.pool.timeout = engine.database.pool.timeout
    start(servers.standby)
    servers.catch_up()
    await until_fit(engine)
    assert engine.replicas.statuses()[0].fit
    [check] = [
        each
        for each in (await workspace.examine_installation()).checks
        if each.name.startswith("replica ")
    ]
    assert check.ok, check.detail


async def test_only_a_standby_that_follows_is_read(
    engine: Engine, servers: Pair, postgres: EmbeddedPostgres
) -> None:
    """Not the primary itself, nor another cluster, nor one that does not answer."""
    application, _ = urls(servers.primary)
    for url, reason in (
        (application, "no standby"),
        (postgres.url(APPLICATION_ROLE, TEMPLATE), "no standby"),
        (urls(servers.standby)[0], None),
        ("postgresql://nobody@127.0.0.1:9/none", "no answer|refused|couldn't get a connection"),
    ):
        other = Replica(name=name_of(url), database=await open_replica(url, 1, 30, engine.database))
        replicas = Replicas(primary=engine.database, replicas=[other])
        try:
            await replicas.look()
            assert (await replicas.serving(uuid4()) is engine.database) == (reason is not None)
            if reason is not None:
                assert other.unfit is not None
                assert any(each in other.unfit for each in reason.split("|")), other.unfit
            else:
                with pytest.raises(ReplicaLost):
                    async with other.database.outside() as connection:
                        await connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        finally:
            await replicas.close()


async def test_the_doctor_shows_a_replica_and_what_is_none(
    over_both: Settings, servers: Pair
) -> None:
    standby, primary = urls(servers.standby)[0], urls(servers.primary)[0]
    nowhere = "postgresql://nobody@127.0.0.1:9/none"
    settings = settings_from(
        over_both, {"replica_database_urls": f"{standby}  {primary} {nowhere}"}
    )
    found = [each for each in (await examine(settings)).checks if each.name.startswith("replica ")]
    assert [each.ok for each in found] == [True, False, False]
    assert "behind" in found[0].detail
    assert "no standby" in found[1].detail
    assert "cannot be reached" in found[2].detail


async def test_positions_are_told_and_taken_over_http(
    over_both: Settings, servers: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicas, "WAIT_SECONDS", 30.0)
    async with served(over_both) as http:
        uploaded = await http.post("/v1/documents", files={"file": ("red.md", b"# Red\n\nA buoy.")})
        assert uploaded.status_code == 202, uploaded.text
        position = uploaded.headers["Footnote-Position"]
        assert str(Position.of(position)) == position
        for sent in (position, "latest"):
            listed = await http.get("/v1/documents", headers={"Footnote-Position": sent})
            names = [each["filename"] for each in listed.json()["documents"]]
            assert "red.md" in names
        refused = await http.get("/v1/documents", headers={"Footnote-Position": "1/2/3"})
        assert refused.status_code == 422, refused.text
        async with AsyncClient(str(http.base_url)) as client:
            await client.receive(b"# Green\n\nA buoy.", "green.md")
            assert client.transport.seen.headers
            assert "green.md" in {each.filename for each in (await client.documents()).documents}
        health = (await http.get("/health")).json()
        assert any(each["name"].startswith("replica ") for each in health["checks"])
