"""Lanes are shown and changed over HTTP, on the command line and from Python."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from footnote.settings import Settings
from footnote.sync import open_blocking
from tests.interfaces.serving import environment, footnote, served

OLD = "testing:old#256"
NEW = "testing:new#192"
NOTE = "# Claims\n\nA claim must be reported within 14 days of the loss.\n"


@pytest.fixture
def small(settings: Settings) -> Settings:
    return settings.model_copy(update={"embedding_models": f"{OLD},{NEW}"})


@pytest.fixture
def env(small: Settings) -> dict[str, str]:
    return environment(small, FOOTNOTE_EMBEDDING_MODELS=f"{OLD},{NEW}", COLUMNS="200")


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_text(NOTE)
    return path


@pytest.fixture
async def http(small: Settings) -> AsyncIterator[httpx.AsyncClient]:
    async with served(small) as client:
        yield client


async def test_a_workspace_changes_its_model_on_the_command_line_and_back(
    env: dict[str, str], note: Path
) -> None:
    assert (await footnote(env, "ingest", str(note))).code == 0
    shown = await footnote(env, "lanes")
    assert "testing:old" in shown.out
    assert "current" in shown.out

    changed = await footnote(env, "reembed", "--model", NEW)
    assert changed.code == 0, changed.err
    assert "testing:new (192 dimensions) now" in changed.out
    found = await footnote(env, "search", "claim", "--json")
    assert json.loads(found.out)["evidence"][0]["filename"] == "note.md"

    listed = json.loads((await footnote(env, "lanes", "--json")).out)["lanes"]
    assert [(each["state"], each["lane"]["model"]) for each in listed] == [
        ("previous", "old"),
        ("current", "new"),
    ]
    assert listed[1]["reembedding"]["progress"] == 1.0

    back = await footnote(env, "reembed", "--rollback", "--json")
    assert json.loads(back.out)["lane"]["model"] == "old"
    purged = await footnote(env, "lanes", "--purge", "--at-once", "--json")
    assert [each["state"] for each in json.loads(purged.out)["lanes"]] == ["current"]


async def test_a_change_can_be_left_to_a_worker_and_stopped(
    env: dict[str, str], note: Path
) -> None:
    assert (await footnote(env, "ingest", str(note))).code == 0
    left = await footnote(env, "reembed", "--model", NEW, "--no-wait")
    assert "footnote lanes shows how far it is" in left.out
    assert "queued, 0%" in (await footnote(env, "lanes")).out
    second = await footnote(env, "reembed", "--model", NEW)
    assert second.code == 2
    assert "--cancel" in second.err
    stopped = await footnote(env, "reembed", "--cancel")
    assert "Stopped after 0 of" in stopped.out
    assert (await footnote(env, "reembed", "--cancel")).code == 3


async def test_a_command_that_says_nothing_or_too_much_is_refused(env: dict[str, str]) -> None:
    for options in ((), ("--cancel", "--rollback"), ("--model", "nobody:knows")):
        ended = await footnote(env, "reembed", *options)
        assert ended.code == 2, options
        assert "Hint" in ended.err
    assert (await footnote(env, "lanes", "--at-once")).code == 2
    assert "No lanes yet" in (await footnote(env, "lanes")).out


async def test_lanes_are_shown_and_changed_over_http(
    http: httpx.AsyncClient, small: Settings
) -> None:
    assert (await http.get("/v1/lanes")).json() == {"lanes": []}
    with open_blocking(small) as engine:
        workspace = engine.workspace()
        received = workspace.receive(NOTE.encode(), "note.md")
        workspace.work_until_resting([received.document.document_id])

    begun = await http.post("/v1/lanes/document/reembed", json={"model": NEW})
    assert begun.status_code == 202
    assert begun.json()["state"] == "pending"
    again = await http.post("/v1/lanes/document/reembed", json={"model": NEW})
    assert again.status_code == 409
    shown = await http.get("/v1/lanes/document/reembed")
    assert shown.json()["lane"]["dimensions"] == 192
    assert shown.json()["state"] in ("queued", "running", "switched")
    assert (await http.delete("/v1/lanes/document/reembed")).status_code == 200
    assert (await http.delete("/v1/lanes/document/reembed")).status_code == 404
    assert (await http.post("/v1/lanes/document/rollback")).status_code == 409
    refused = await http.post("/v1/lanes/purge", json={"at_once": "false"})
    assert refused.status_code == 422
    left = await http.post("/v1/lanes/purge", json={"at_once": True})
    assert [each["state"] for each in left.json()["lanes"]] == ["current"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v1/lanes/image/reembed", {"model": NEW}, 404),
        ("POST", "/v1/lanes/document/reembed", {"model": "nobody:knows"}, 422),
        ("POST", "/v1/lanes/document/reembed", {"model": ""}, 422),
        ("POST", "/v1/lanes/document/reembed", {}, 422),
        ("POST", "/v1/lanes/document/reembed", {"model": NEW, "texts_per_second": 0}, 422),
        ("GET", "/v1/lanes/document/reembed", None, 404),
        ("GET", "/v1/lanes/image/reembed", None, 404),
    ],
)
async def test_what_makes_no_sense_is_a_problem(
    http: httpx.AsyncClient, method: str, path: str, body: dict[str, object] | None, status: int
) -> None:
    response = await http.request(method, path, json=body)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
