"""Workspaces whose documents a scripted language model reads, and what is read when."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from uuid import UUID

from footnote.engine import Services, WorkspaceEngine, open_engine
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, settings_from
from tests.wire import WireServer

Slice = Callable[[Services, UUID], Awaitable[None]]


@asynccontextmanager
async def read_by_a_model(
    settings: Settings, server: WireServer, **more: object
) -> AsyncIterator[WorkspaceEngine]:
    """A workspace of its own in an installation whose language model has a price."""
    configured = {
        "language_model": f"scripted@{server.openai_url}",
        "prices": '{"generation": {"input_per_million": 10, "output_per_million": 20}}',
        **more,
    }
    async with await open_engine(settings_from(settings, configured)) as engine:
        yield await engine.workspace((await engine.create_workspace("read")).name)


async def put_unread(workspace: WorkspaceEngine, switch: str, text: str, name: str) -> UUID:
    """Ingest a text; the worker that does so reads nothing for what the setting switches."""
    await workspace.change_setting(switch, "off")
    received = await workspace.receive(text.encode(), name)
    await work_until_resting(
        workspace.engine, workspace, [received.document.document_id], lambda _: None
    )
    await workspace.change_setting(switch, "model")
    return received.document.document_id


async def in_slices(workspace: WorkspaceEngine, extract: Slice, slices: int) -> None:
    """One slice for what needs no model and one for the model, or more."""
    for _ in range(slices):
        await extract(workspace.engine, workspace.workspace_id)
