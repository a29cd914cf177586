"""Homes with an embedded server of their own, documents in them, and backups of them."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import footnote
from footnote.engine import Engine
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings
from footnote.store.recovery import Recovery
from tests.folders import server_home

KEY, OTHER_KEY = ("base64:" + base64.b64encode(each * 32).decode() for each in (b"k", b"l"))


@contextmanager
def home_of(model_home: Path) -> Iterator[Path]:
    """A folder for an installation, with the models already built."""
    with server_home() as home:
        home.chmod(0o700)  # as ours are made: closed to the account of a server
        model_home.mkdir(parents=True, exist_ok=True)
        (home / "models").symlink_to(model_home)
        yield home
        for folder in (home, home / "restoring", home / "verifying"):
            Recovery(folder).discard()


async def ingested(engine: Engine, name: str, text: str, workspace: str | None = None) -> UUID:
    """Hand a document in, and wait until it is indexed."""
    inside = await engine.workspace(workspace)
    received = await inside.receive(text.encode(), name)
    document_id = received.document.document_id
    await work_until_resting(engine, inside, [document_id], lambda _: None)
    return document_id


async def names_in(settings: Settings, workspace: str | None = None) -> list[str]:
    """The names of the documents of a workspace, each with its file read."""
    async with footnote.open(settings) as engine:
        inside = await engine.workspace(workspace)
        found = (await inside.documents()).documents
        for each in found:
            assert (await inside.original(each.document_id)).content
        return sorted(each.filename for each in found)
