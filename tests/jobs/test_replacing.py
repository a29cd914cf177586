"""A version that is replaced or deleted while it is worked on leaves nothing behind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from footnote.domain import SearchRequest
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.ingest import IngestionJob, ingest_version
from footnote.ports import Embedder, Vectors
from tests.jobs.stages import Around, notes, stages

LEFTOVERS = ("staged_embeddings", "stage_results", "blob_claims", "idempotency_keys")


@dataclass(frozen=True)
class Meanwhile(Around):
    """Something happens before each batch but the first, whose vectors are kept by then."""

    happens: Callable[[], Awaitable[None]]
    batches: list[int]

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if self.batches:
            await self.happens()
        self.batches.append(len(texts))
        return await super().embed_documents(texts)


async def work(
    engine: Engine, workspace: WorkspaceEngine, document_id: UUID, version: int, model: Embedder
) -> None:
    job = IngestionJob(
        workspace_id=workspace.workspace.workspace_id,
        document_id=document_id,
        version=version,
        attempt=0,
    )
    async with stages(engine, model, embedding_batch=4) as ingestion:
        await ingest_version(engine, ingestion, job)


async def counts(workspace: WorkspaceEngine) -> dict[str, int]:
    found = {}
    async with workspace.scope() as scope:
        for table in LEFTOVERS:
            cursor = await scope.connection.execute(f"SELECT count(*) AS n FROM {table}")
            row = await cursor.fetchone()
            assert row is not None
            found[table] = int(row["n"])
    return found


def blob_count(engine: Engine) -> int:
    folder = engine.settings.home / "blobs"
    return len([path for path in folder.rglob("*") if path.is_file()])


async def test_what_is_deleted_amid_embedding_leaves_nothing(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    received = await workspace.receive(notes(8), "buoys.txt", idempotency_key="k")
    document_id = received.document.document_id

    async def delete() -> None:
        await workspace.delete_document(document_id)

    embedder = Meanwhile(engine.embedder, delete, [])
    await work(engine, workspace, document_id, 1, embedder)
    assert embedder.batches == [4, 4]
    assert await counts(workspace) == dict.fromkeys(LEFTOVERS, 0)
    assert blob_count(engine) == 0


async def test_what_is_replaced_amid_embedding_leaves_only_its_successor(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    received = await workspace.receive(notes(8), "buoys.txt", external_id="buoys")
    document_id = received.document.document_id

    async def replace() -> None:
        await workspace.receive(b"No buoy is left.", "buoys.txt", external_id="buoys")

    embedder = Meanwhile(engine.embedder, replace, [])
    await work(engine, workspace, document_id, 1, embedder)
    assert embedder.batches == [4, 4]
    assert (await counts(workspace))["staged_embeddings"] == 4
    await work(engine, workspace, document_id, 2, engine.embedder)
    assert await counts(workspace) == dict.fromkeys(LEFTOVERS, 0)
    found = await workspace.search(SearchRequest(query="buoy"))
    assert [each.passage.text for each in found.evidence] == ["No buoy is left."]
    await workspace.delete_document(document_id)
    assert blob_count(engine) == 0


async def test_the_old_version_is_found_at_every_moment_until_the_new_one_is(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    received = await workspace.receive(b"The berth is granite.", "b.txt", external_id="berth")
    document_id = received.document.document_id
    await work(engine, workspace, document_id, 1, engine.embedder)
    seen: list[list[str]] = []

    async def search() -> None:
        found = await workspace.search(SearchRequest(query="granite berth"))
        seen.append([each.passage.text for each in found.evidence])

    await workspace.receive(notes(8), "b.txt", external_id="berth")
    await search()
    embedder = Meanwhile(engine.embedder, search, [])
    await work(engine, workspace, document_id, 2, embedder)
    assert len(seen) > 3
    assert all(texts == ["The berth is granite."] for texts in seen)
    await search()
    assert "The berth is granite." not in seen[-1]
