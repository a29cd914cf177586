"""Engines over small deterministic models, and workspaces to re-embed, without parsers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from footnote.domain import Lane, LaneStatus, Reembedding, SearchRequest, SearchResponse
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.jobs.reembed import ReembeddingJob, reembed_slice
from footnote.models.embedder_specs import EmbedderSpec
from footnote.models.embedders import OpenedEmbedder
from footnote.models.testing import HashEmbedder
from footnote.ports import Embedder, Vector, Vectors
from footnote.settings import Settings
from tests.store.shelves import Shelf

OLD = "testing:old#256"
NEW = "testing:new#192"


def settings_with(settings: Settings, **changes: object) -> Settings:
    """The settings with two small models, of which the first is that of new workspaces."""
    values = {"embedding_models": f"{OLD},{NEW}", **changes}
    return settings.model_copy(update=values)


@dataclass(slots=True, kw_only=True)
class Listening:
    """An embedder that remembers what it embedded and does something before each batch."""

    inner: Embedder
    texts: list[str] = field(default_factory=list)
    before: Callable[[Sequence[str]], object] = field(default=lambda _: None)

    @property
    def lane(self) -> Lane:
        return self.inner.lane

    @property
    def max_tokens(self) -> int:
        return self.inner.max_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.inner.count_tokens(texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        done = self.before(texts)
        if done is not None:
            await done  # type: ignore[misc]  # what it does may take time
        vectors = await self.inner.embed_documents(texts)
        self.texts += texts
        return vectors

    async def embed_query(self, text: str) -> Vector:
        return await self.inner.embed_query(text)


def listen(engine: Engine) -> Listening:
    """Listen to what every further model of the engine embeds."""
    heard = Listening(inner=HashEmbedder(dimensions=192, model="new"))

    async def open_it(_spec: EmbedderSpec, _lane: Lane | None) -> OpenedEmbedder:
        async def close() -> None:
            pass

        return OpenedEmbedder(embedder=heard, close=close)

    engine.embedders.open = open_it
    return heard


def shelf_in(engine: Engine, workspace: WorkspaceEngine, model: str = OLD) -> Shelf:
    """A way of publishing texts in the workspace's lane."""
    name, _, dimensions = model.removeprefix("testing:").partition("#")
    embedder = HashEmbedder(dimensions=int(dimensions), model=name)
    return Shelf(
        database=engine.database,
        workspace=workspace.workspace,
        embedder=embedder,
        limits=replace(engine.maintenance_limits, merge_fan_in=64),
    )


async def work(engine: Engine, workspace: WorkspaceEngine, *, slices: int = 1000) -> Reembedding:
    """Do what a worker would, slice by slice, until it ends."""
    for _ in range(slices):
        found = await workspace.reembedding()
        if not found.is_under_way:
            return found
        [status] = [each for each in await workspace.lanes() if each.reembedding == found]
        job = ReembeddingJob(
            workspace_id=workspace.workspace.workspace_id, lane_id=status.lane_id, attempt=0
        )
        await reembed_slice(engine, job)
    return await workspace.reembedding()


async def current(workspace: WorkspaceEngine) -> LaneStatus:
    return next(each for each in await workspace.lanes() if each.state == "current")


async def found(workspace: WorkspaceEngine, query: str) -> SearchResponse:
    """What vectors alone find, nothing remembered."""
    changes = replace(SearchRequest(query=query).changes, fusion="dense_only", cache=False)
    return await workspace.search(SearchRequest(query=query, changes=changes))


async def opened(settings: Settings) -> Engine:
    return await open_engine(settings)
