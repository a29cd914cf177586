"""Tags go in through HTTP and the command line, and both show them."""

import json
from pathlib import Path

import httpx

from footnote.settings import Settings
from tests.interfaces.serving import environment, footnote
from tests.interfaces.test_refusals import assert_problem


async def upload(http: httpx.AsyncClient, *tags: str, content: bytes = b"text") -> httpx.Response:
    return await http.post(
        "/v1/documents",
        files={"file": ("a.txt", content)},
        data={"tags": list(tags), "external_id": "a"},
    )


async def test_tags_are_given_by_repeating_the_field(http: httpx.AsyncClient) -> None:
    response = await upload(http, "marine", "renewal")
    assert response.json()["tags"] == ["marine", "renewal"]
    document = (await http.get(response.headers["location"])).json()
    assert document["tags"] == ["marine", "renewal"]
    kept = (await upload(http, content=b"other text")).json()
    assert (kept["new_version"], kept["tags"]) == (True, ["marine", "renewal"])
    (listed,) = (await http.get("/v1/documents")).json()["documents"]
    assert listed["tags"] == ["marine", "renewal"]


async def test_tags_that_make_no_sense_are_refused(http: httpx.AsyncClient) -> None:
    for tags in (["x" * 101], ["a\0"], [str(number) for number in range(51)]):
        assert_problem(await upload(http, *tags), 422, "invalid-request")
    assert (await http.get("/v1/documents")).json()["documents"] == []


async def test_the_command_line_tags_what_it_takes_in(settings: Settings, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("A note.")
    env = environment(settings)
    ended = await footnote(
        env, "ingest", "--no-wait", "--tag", "marine", "--tag", "renewal", str(note), "--json"
    )
    document = json.loads(ended.out)["files"][0]["document"]
    assert document["tags"] == ["marine", "renewal"]
    shown = await footnote(env, "documents", "show", document["document_id"])
    assert "marine, renewal" in shown.out


async def test_a_label_that_cannot_be_stored_is_refused(settings: Settings, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("A note.")
    env = environment(settings)
    for option, value, why in (
        ("--tag", "x" * 101, "it must have at most 100 characters, not 101"),
        ("--tag", "", "it must not be empty"),
        ("--share-with", "group:", "it must not be empty"),
        ("--collection", "", "it must not be empty"),
        ("--ignore", "", "it must not be empty"),
    ):
        ended = await footnote(env, "ingest", "--no-wait", option, value, str(note))
        assert ended.code == 2
        said = " ".join(ended.err.split()).replace("' / '-c'", "'")
        assert f"Invalid value for '{option}': {why}" in said
    listed = await footnote(env, "documents", "list", "--json")
    assert json.loads(listed.out)["documents"] == []
