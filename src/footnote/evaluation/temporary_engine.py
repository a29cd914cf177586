"""Ingest files into a temporary engine that is deleted afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

from footnote.domain import Document, DocumentStatus
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.errors import InvalidRequest
from footnote.settings import Settings, settings_from

_MODELS = "models"

OnChange = Callable[[Mapping[UUID, Document]], None]
Work = Callable[
    [Engine, WorkspaceEngine, Sequence[UUID], OnChange], Awaitable[Mapping[UUID, Document]]
]
"""Indexes in this process until the documents are done, as `jobs.inline.work_until_resting` does.
Passed as an argument, as jobs import this package, which therefore must not import jobs."""


def temporary_settings(settings: Settings, home: Path) -> Settings:
    """Return the settings with the embedded database of another home, and no external one."""
    elsewhere = dict.fromkeys(("database_url", "direct_database_url", "owner_database_url"))
    return settings_from(settings, {**elsewhere, "replica_database_urls": "", "home": home})


@asynccontextmanager
async def temporary_engine(settings: Settings) -> AsyncIterator[Engine]:
    """An engine over an empty home that is gone after the block.

    Models that the settings' own home has built are used from there, since building takes long.
    """
    with tempfile.TemporaryDirectory(prefix="footnote-eval-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        if (settings.home / _MODELS).is_dir():
            (home / _MODELS).symlink_to((settings.home / _MODELS).resolve())
        async with await open_engine(temporary_settings(settings, home)) as engine:
            yield engine


async def ingest(
    engine: Engine,
    workspace: WorkspaceEngine,
    files: Sequence[Path],
    work: Work,
    on_change: OnChange = lambda _: None,
) -> tuple[Document, ...]:
    """Ingest the files in this process and give those, attachments too, that failed.

    `on_change` sees the documents about five times a second. Raises InvalidRequest when
    nothing could be indexed.
    """
    received = [(await workspace.receive_file(path)).document for path in files]
    documents = await work(
        engine, workspace, [document.document_id for document in received], on_change
    )
    failed = tuple(
        document for document in documents.values() if document.status is DocumentStatus.FAILED
    )
    if len(failed) == len(documents):
        raise InvalidRequest(
            f"none of the {len(files)} files could be indexed",
            hint="name a folder with documents; `footnote ingest` says what is wrong with each",
        )
    return failed
