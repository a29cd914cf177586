"""Files pass through in pieces, however many come and go at once."""

from __future__ import annotations

import asyncio
import hashlib
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from footnote.domain import DocumentStatus
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import DocumentUnreadable
from footnote.jobs.inline import work_until_resting
from tests.ingestion import files

FILES = 4
FILE_BYTES = 64 * 1024 * 1024


@contextmanager
def never_holding_a_file() -> Iterator[None]:
    """Fail when Python comes to hold as much as one of the files, whoever asks for it."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        yield
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most - before < FILE_BYTES


@pytest.fixture
def large(tmp_path: Path) -> list[Path]:
    """Contracts of two pages, each with a part that nothing refers to and that takes the room."""
    paths = [tmp_path / f"contract {number}.docx" for number in range(FILES)]
    for number, path in enumerate(paths):
        path.write_bytes(files.contract_docx())
        with zipfile.ZipFile(path, "a") as package, package.open("word/unused.bin", "w") as part:
            part.write(number.to_bytes(8, "big"))
            for _ in range(FILE_BYTES // 1024**2):
                part.write(bytes(1024**2))
    return paths


async def indexed(engine: Engine, workspace: WorkspaceEngine, *document_ids: UUID) -> None:
    rested = await work_until_resting(engine, workspace, document_ids, lambda _: None)
    assert {each.status for each in rested.values()} == {DocumentStatus.INDEXED}


@pytest.fixture
async def warm(engine: Engine) -> WorkspaceEngine:
    """A workspace of an engine that has its models in memory already."""
    workspace = await engine.workspace()
    received = await workspace.receive(b"# Winch\n\nIt is red.", "winch.md")
    await indexed(engine, workspace, received.document.document_id)
    return workspace


async def test_many_large_files_come_in_are_read_and_go_out_at_once(
    http: httpx.AsyncClient, engine: Engine, warm: WorkspaceEngine, large: list[Path]
) -> None:
    async def uploaded(path: Path) -> str:
        with path.open("rb") as file:
            answer = await http.post("/v1/documents", files={"file": (path.name, file)})
        return str(answer.raise_for_status().json()["document_id"])

    async def downloaded(document_id: str) -> str:
        digest = hashlib.sha256()
        async with http.stream("GET", f"/v1/documents/{document_id}/content") as answer:
            assert answer.raise_for_status().headers["content-length"].isdecimal()
            async for piece in answer.aiter_bytes():
                digest.update(piece)
        return digest.hexdigest()

    with never_holding_a_file():
        ids = await asyncio.gather(*map(uploaded, large))
        await indexed(engine, warm, *map(UUID, ids))
        found = await asyncio.gather(*map(downloaded, ids))
    expected = [hashlib.sha256(path.read_bytes()).hexdigest() for path in large]
    assert found == expected


async def test_a_refused_file_is_looked_at_again_in_pieces(
    workspace: WorkspaceEngine, tmp_path: Path
) -> None:
    path = tmp_path / "noise.bin"
    with path.open("wb") as file:
        for _ in range(FILE_BYTES // 1024**2 + 1):
            file.write(b"\0\1\2\3" * 1024 * 256)
    with never_holding_a_file():
        received = await workspace.receive_file(path)
        with pytest.raises(DocumentUnreadable, match="of a type that cannot be read"):
            await workspace.retry(received.document.document_id)


async def test_a_large_file_inside_another_is_taken_out_in_pieces(
    engine: Engine, warm: WorkspaceEngine, tmp_path: Path, large: list[Path]
) -> None:
    path = tmp_path / "contracts.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for contract in large[:2]:
            archive.write(contract, contract.name)
    with never_holding_a_file():
        document_id = (await warm.receive_file(path)).document.document_id
        await indexed(engine, warm, document_id)
    children = await warm.children(document_id)
    assert [each.status for each in children] == [DocumentStatus.INDEXED] * 2
