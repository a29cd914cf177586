"""Exports of what is kept about a person, over HTTP, by the client and as a command."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

import footnote
from footnote.engine import Engine
from footnote.settings import Settings
from tests.interfaces.serving import environment, served
from tests.interfaces.serving import footnote as command


async def test_a_person_is_exported_over_http_and_by_the_client(
    settings: Settings, engine: Engine
) -> None:
    await engine.create_workspace("acme")
    async with (
        served(settings) as http,
        footnote.AsyncClient(str(http.base_url), workspace="acme") as client,
    ):
        await client.receive(b"A note of mine.", "note.txt")
        mine = b"".join([piece.content async for piece in client.export_self(with_files=True)])
        theirs = b"".join([piece.content async for piece in client.export_person("sam")])
        answer = await http.post(
            "/v1/personal-data/export",
            json={"principal_id": "local", "with_files": True},
            headers={"Footnote-Workspace": "acme"},
        )
        wrong = await http.post("/v1/personal-data/export", json={"principal_id": "a\u0000b"})
    assert wrong.status_code == 422
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    for content in (mine, answer.content):
        archive = zipfile.ZipFile(io.BytesIO(content))
        assert any(name.endswith("/note.txt") for name in archive.namelist())
        assert json.loads(archive.read("documents.jsonl"))["filename"] == "note.txt"
    assert zipfile.ZipFile(io.BytesIO(theirs)).read("documents.jsonl") == b""


@pytest.mark.usefixtures("own_database")
async def test_the_command_writes_an_archive_that_was_not_there(
    settings: Settings, tmp_path: Path
) -> None:
    env, out = environment(settings), tmp_path / "sam.zip"
    told = await command(env, "admin", "export", "sam", "--out", str(out))
    assert (told.code, "sam.zip" in told.out.replace("\n", "")) == (0, True)
    assert "But for the audit log nothing is kept of this id" in " ".join(told.out.split())
    assert json.loads(zipfile.ZipFile(out).read("manifest.json"))["principal"] == "sam"
    assert out.stat().st_mode & 0o077 == 0
    again = await command(env, "admin", "export", "sam", "--out", str(out))
    assert (again.code, "already" in again.err) == (2, True)
    assert names_in(tmp_path) == ["sam.zip"]
    other = tmp_path / "other.zip"
    printed = await command(env, "admin", "export", "sam", "--out", str(other), "--json")
    assert json.loads(printed.out) == {"path": str(other), "records": {"audit.jsonl": 3}}


def names_in(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir() if "sam.zip" in each.name]
